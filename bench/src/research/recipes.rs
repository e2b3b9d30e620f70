//! The bar `recipes`: an endpoint is a short file, and what two of them need is written once.
//!
//! Lines are those of the whole file, with its comments and tests; `mod.rs` is none. Tokens are Rust's own (words, numbers,
//! texts, punctuation such as `->`). Logic is what is left without comments, `use`, attributes, tests and visibility, and
//! without what declares rather than does: definitions of structs, enums and types, and the constant `SPEC`. Heads of functions count.

use crate::bar::{Complaints, Verdict, progress};
use anyhow::{Context, Result, ensure};
use assay_testkit::workspace_root;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

const LINES_BAR: usize = 120;
/// So many in a row are a copy.
const RUN_BAR: usize = 60;
const ENDPOINTS: &str = "crates/service/src/endpoints";
/// Punctuation of more than one sign, the longer before those it begins with.
const SIGNS: &[&str] = &[
    "..=", "...", "<<=", ">>=", "->", "=>", "::", "..", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=",
    "/=", "|=", "&=", "^=", "%=",
];

pub async fn run(_short: bool) -> Result<Verdict> {
    let folder = workspace_root()?.join(ENDPOINTS);
    let mut recipes = Vec::new();
    read(&folder, &folder, &mut recipes)?;
    ensure!(recipes.len() > 1, "no endpoints in {}", folder.display());
    Ok(judge(&recipes))
}

/// A file of an endpoint.
struct Recipe {
    name: String,
    lines: usize,
    logic: Vec<String>,
}

impl Recipe {
    fn of(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), lines: text.lines().count(), logic: logic(&tokens(text)) }
    }
}

fn read(root: &Path, folder: &Path, recipes: &mut Vec<Recipe>) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("no {}", folder.display()))?;
    let mut paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
    paths.sort_unstable();
    for path in paths {
        if path.is_dir() {
            read(root, &path, recipes)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("mod.rs") {
            let name = path.strip_prefix(root)?.display().to_string();
            recipes.push(Recipe::of(&name, &std::fs::read_to_string(&path)?));
        }
    }
    Ok(())
}

fn judge(recipes: &[Recipe]) -> Verdict {
    let mut lines: Vec<usize> = recipes.iter().map(|recipe| recipe.lines).collect();
    lines.sort_unstable();
    let median = lines.get(lines.len() / 2).copied().unwrap_or_default();
    let (run, told) = longest_run(recipes);
    progress(format!("the longest run that two share: {told}"));
    let mut complaints = Complaints::default();
    for (one, other) in sharing(recipes, RUN_BAR) {
        complaints.add(format!("{one} and {other} share a run of {RUN_BAR} tokens or more"));
    }
    if median > LINES_BAR {
        let long = recipes.iter().filter(|recipe| recipe.lines > LINES_BAR);
        long.for_each(|recipe| complaints.add(format!("{}: {} lines", recipe.name, recipe.lines)));
    }
    let figure = format!(
        "recipes: {} endpoint files, median {median} lines (bar {LINES_BAR}), the longest run two share {run} tokens of \
         logic (bar under {RUN_BAR})",
        recipes.len()
    );
    Verdict { figure, passed: complaints.is_empty() }
}

/// How long it is, and who shares it. Whoever shares a run shares every shorter one, so its length is found by halves.
fn longest_run(recipes: &[Recipe]) -> (usize, String) {
    let (mut shared, mut told) = (0, "none".to_owned());
    let mut beyond = recipes.iter().map(|recipe| recipe.logic.len()).max().unwrap_or_default() + 1;
    while shared + 1 < beyond {
        let middle = shared.midpoint(beyond);
        match sharing(recipes, middle).first() {
            Some((one, other)) => {
                shared = middle;
                told = format!("{one} and {other}");
            }
            None => beyond = middle,
        }
    }
    (shared, told)
}

/// Any two that share a run of this length.
fn sharing(recipes: &[Recipe], length: usize) -> BTreeSet<(&str, &str)> {
    let mut seen: HashMap<&[String], BTreeSet<&str>> = HashMap::new();
    for recipe in recipes {
        for run in recipe.logic.windows(length) {
            seen.entry(run).or_default().insert(&recipe.name);
        }
    }
    let mut pairs = BTreeSet::new();
    for names in seen.values() {
        for (at, one) in names.iter().enumerate() {
            pairs.extend(names.iter().skip(at + 1).map(|other| (*one, *other)));
        }
    }
    pairs
}

/// Rust's tokens, without comments.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (token, after) = rest.split_at(length_of(rest));
        if !token.starts_with("//") && !token.starts_with("/*") {
            tokens.push(token);
        }
        rest = after.trim_start();
    }
    tokens
}

/// The length of the comment or token that a text begins with.
fn length_of(text: &str) -> usize {
    let upto = |end: &str, from: usize| text[from..].find(end).map_or(text.len(), |at| from + at + end.len());
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return upto("*/", 2);
    }
    let word = length_of_word(text);
    let hashes = text[word..].chars().take_while(|sign| *sign == '#').count();
    let is_text = text[word + hashes..].starts_with('"');
    match &text[..word] {
        "r" | "br" if is_text => upto(&format!("\"{}", "#".repeat(hashes)), word + hashes + 1),
        "" | "b" if is_text && hashes == 0 => word + length_of_quoted(&text[word..], '"'),
        "" if text.starts_with('\'') => length_of_tick(text),
        "" => {
            let sign = SIGNS.iter().find(|sign| text.starts_with(**sign));
            sign.map_or_else(|| text.chars().next().map_or(1, char::len_utf8), |sign| sign.len())
        }
        _ => word,
    }
}

fn length_of_word(text: &str) -> usize {
    text.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap_or(text.len())
}

/// With both its quotes.
fn length_of_quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, sign) in text.char_indices().skip(1) {
        if sign == quote && !is_escaped {
            return at + 1;
        }
        is_escaped = sign == '\\' && !is_escaped;
    }
    text.len()
}

/// A character or a lifetime.
fn length_of_tick(text: &str) -> usize {
    let mut signs = text.chars().skip(1);
    let is_character = signs.next() == Some('\\') || signs.next() == Some('\'');
    if is_character { length_of_quoted(text, '\'') } else { 1 + length_of_word(&text[1..]) }
}

/// What does something, of all the tokens of a file.
fn logic(tokens: &[&str]) -> Vec<String> {
    let mut logic = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let next = tokens.get(at + 1).copied().unwrap_or_default();
        at = match (*token, next) {
            ("#", "[" | "!") => after_attribute(tokens, at),
            ("pub", "(") => after_group(tokens, at + 1),
            ("pub", _) => at + 1,
            ("use" | "struct" | "enum" | "type", _) | ("const", "SPEC") => {
                after_item(tokens, at, *token == "struct" || *token == "enum")
            }
            _ => {
                logic.push((*token).to_owned());
                at + 1
            }
        };
    }
    logic
}

/// Past an attribute, and past what it keeps for tests.
fn after_attribute(tokens: &[&str], at: usize) -> usize {
    let open = if tokens.get(at + 1) == Some(&"!") { at + 2 } else { at + 1 };
    let after = after_group(tokens, open);
    let is_test = tokens.get(open..after) == Some(&["[", "cfg", "(", "test", ")", "]"]);
    if is_test { after_item(tokens, after, true) } else { after }
}

/// Past an item: its semicolon, or its block where it may end with one.
fn after_item(tokens: &[&str], mut at: usize, ends_with_block: bool) -> usize {
    loop {
        match tokens.get(at).copied() {
            None | Some(";") => return at + 1,
            Some("{") if ends_with_block => return after_group(tokens, at),
            Some("{" | "(" | "[") => at = after_group(tokens, at),
            Some(_) => at += 1,
        }
    }
}

/// Past the bracket that closes the one at this place.
fn after_group(tokens: &[&str], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while let Some(token) = tokens.get(at) {
        match *token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function of so many tokens; no two calls of it are alike.
    fn function(name: &str, tokens: usize) -> String {
        let body: Vec<String> = (0..tokens.saturating_sub(6) / 2).map(|at| format!("{name}_{at};")).collect();
        format!("fn {name}() {{ {} }}\n", body.join(" "))
    }

    #[test]
    fn tokens_are_words_texts_signs_and_no_comments() {
        let text = "/* a */ fn a<'x>(b: &'x str) -> u8 { b\"\\\"{\"; r#\"}\"#; '\\''; '{'; 1_0..=c!() } // d";
        let expected = [
            "fn",
            "a",
            "<",
            "'x",
            ">",
            "(",
            "b",
            ":",
            "&",
            "'x",
            "str",
            ")",
            "->",
            "u8",
            "{",
            "b\"\\\"{\"",
            ";",
            "r#\"}\"#",
            ";",
            "'\\''",
            ";",
            "'{'",
            ";",
            "1_0",
            "..=",
            "c",
            "!",
            "(",
            ")",
            "}",
        ];
        assert_eq!(tokens(text), expected);
    }

    #[test]
    fn what_declares_is_no_logic() {
        let text = "//! A.\nuse a::{b, c};\n#[derive(Debug)]\npub struct A { a: u8 }\npub(super) struct B(u8);\n\
            enum C {}\nimpl D for A { const SPEC: S = S { a: 1, ..S::of(2) }; type E = A; fn f() { a } }\n\
            #[cfg(test)]\nmod tests { fn g() { b } }\nfn h() {}\n";
        let expected = ["impl", "D", "for", "A", "{", "fn", "f", "(", ")", "{", "a", "}", "}"];
        assert_eq!(logic(&tokens(text)), [expected.as_slice(), &["fn", "h", "(", ")", "{", "}"]].concat());
    }

    #[test]
    fn a_copy_between_two_files_is_found_and_named() {
        let own =
            |name: &str, copied: &str| Recipe::of(name, &(function(name, 40) + copied + &function(name, 10)));
        for (length, passes) in [(RUN_BAR - 4, true), (RUN_BAR - 2, false), (RUN_BAR + 20, false)] {
            let copied = function("copied", length);
            let recipes = [own("a", &copied), own("b", ""), own("c", &copied)];
            // Whatever stands before it ends with a semicolon and a bracket, and what comes after begins with `fn`.
            let run = length + 3;
            assert_eq!(longest_run(&recipes), (run, "a and c".to_owned()));
            assert_eq!(judge(&recipes).passed, passes, "{run}");
            assert_eq!(sharing(&recipes, run), BTreeSet::from([("a", "c")]));
            assert!(sharing(&recipes, run + 1).is_empty());
        }
    }

    #[test]
    fn a_file_may_repeat_itself_and_another_word_ends_a_run() {
        let text = function("copied", 100);
        let (copy, changed) =
            (Recipe::of("b", &text), Recipe::of("b", &text.replace("copied_20;", "other;")));
        let twice = || Recipe::of("a", &(text.clone() + &text));
        assert!(judge(&[twice(), changed]).passed);
        assert!(!judge(&[twice(), copy]).passed);
    }

    #[test]
    fn long_files_fail_when_half_of_them_are() {
        let recipe = |lines: usize| Recipe { name: lines.to_string(), lines, logic: Vec::new() };
        assert!(judge(&[recipe(300), recipe(LINES_BAR), recipe(10)]).passed);
        let verdict = judge(&[recipe(300), recipe(LINES_BAR + 1), recipe(10)]);
        assert!(!verdict.passed && verdict.figure.contains("3 endpoint files, median 121 lines (bar 120)"));
        assert!(!judge(&[recipe(10), recipe(LINES_BAR + 1)]).passed);
    }
}
