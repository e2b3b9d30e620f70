//! What of a title is a role: without employers, slogans and former lives, cut into clauses.

use super::fold::fold_words;

/// Between whole statements about a person.
const ENDS: &[char] = &['|', '•', '·', '–', '—', ';', '→', '»', '›', '►', '★', '\n', '\r', '\t'];
/// Between roles, or between a role and what it is about.
const BREAKS: &[char] = &[',', '/', ':', '\\'];

/// What follows is an employer.
const AT: &[&str] = &["at", "bei", "chez", "presso", "bij", "hos", "beim"];
/// Somebody who says this speaks of what was or should be, or of others.
const ASIDES: &[&str] = &[
    "ex",
    "former",
    "formerly",
    "previously",
    "previous",
    "prev",
    "past",
    "helping",
    "making",
    "building",
    "turning",
    "scaling",
    "driving",
    "empowering",
    "seeking",
    "looking",
    "open",
    "we",
    "i",
    "hiring",
    "transforming",
    "passionate",
    "creating",
    "connecting",
    "growing",
    "leading",
    "enabling",
    "solving",
    "my",
    "our",
    "views",
    "opinions",
    "let",
    "love",
    "aspiring",
    "ehemals",
    "ancien",
    "ancienne",
];

/// The clauses of a title in order, each with at least one word. A slogan alone is better than nothing.
pub(super) fn clauses(title: &str) -> Vec<Vec<String>> {
    let title = without_brackets(title);
    let mut clauses = Vec::new();
    for statement in statements(&title) {
        let mut employer = false;
        for clause in statement.split(BREAKS) {
            let (words, cut) = role_words(clause);
            let aside = words.first().is_some_and(|word| ASIDES.contains(&word.as_str()));
            // After "at", the rest of the statement still names the employer, its place or its trade.
            if !(words.is_empty() || aside || employer) {
                clauses.push(words);
            }
            employer = employer || cut;
        }
    }
    if clauses.is_empty() {
        clauses.push(fold_words(&title));
    }
    clauses.retain(|clause| !clause.is_empty());
    clauses
}

/// Brackets explain, translate or say who may apply; only a level in them counts.
fn without_brackets(title: &str) -> String {
    let mut outside = String::with_capacity(title.len());
    let mut inside: Option<String> = None;
    for letter in title.chars() {
        match (letter, &mut inside) {
            ('(' | '[' | '{', None) => inside = Some(String::new()),
            (')' | ']' | '}', Some(text)) => {
                let words = fold_words(text);
                if words.len() == 1 && words.iter().any(|word| is_senior_level(word)) {
                    outside.push_str(text);
                }
                outside.push(' ');
                inside = None;
            }
            (letter, Some(text)) => text.push(letter),
            (letter, None) => outside.push(letter),
        }
    }
    // One that is never closed was none.
    outside.push_str(&inside.unwrap_or_default());
    outside
}

/// Also cut at a dash between spaces and where a sentence ends.
fn statements(title: &str) -> impl Iterator<Item = &str> {
    title.split(ENDS).flat_map(|part| part.split(" - ")).flat_map(|part| part.split("--")).flat_map(sentences)
}

/// A full stop after a short word belongs to an abbreviation.
fn sentences(part: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut rest = part;
    let mut from = 0;
    while let Some(at) = rest.get(from..).and_then(|rest| rest.find(['.', '!', '?'])).map(|at| at + from) {
        let (before, after) = rest.split_at(at);
        let word = before.rsplit(' ').next().unwrap_or_default();
        if word.chars().count() > 4 && after.chars().nth(1).is_none_or(char::is_whitespace) {
            sentences.push(before);
            rest = after.get(1..).unwrap_or_default();
            from = 0;
        } else {
            from = at + 1;
        }
    }
    sentences.push(rest);
    sentences
}

/// The words up to where somebody else is spoken of, and whether an employer was.
fn role_words(clause: &str) -> (Vec<String>, bool) {
    let (clause, marked) = match clause.split_once('@') {
        Some((before, _)) => (before, true),
        None => (clause, false),
    };
    let short = clause.split_whitespace().count() <= 5;
    let lower_it = !short && !clause.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == "IT");
    let mut words = fold_words(clause);
    // "It" is a pronoun more often than a department, unless it stands among few or is shouted.
    words.retain(|word| !(lower_it && word == "it"));
    let end = (0..words.len()).find(|at| is_of_another(words.get(*at..).unwrap_or_default()));
    let employer = end.and_then(|end| words.get(end)).is_some_and(|word| AT.contains(&word.as_str()));
    words.truncate(end.unwrap_or(words.len()));
    (words, employer || marked)
}

fn is_of_another(words: &[String]) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    match word(0) {
        first if AT.contains(&first) => word(1) != "law",
        "to" | "reporting" => true,
        "office" => word(1) == "of",
        "ex" | "former" | "formerly" | "previously" => true,
        _ => false,
    }
}

/// L5, IC6 and the like.
pub(super) fn is_senior_level(word: &str) -> bool {
    let digits = word.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let ladder = word.strip_suffix(digits).unwrap_or_default();
    let level: u32 = digits.parse().unwrap_or(0);
    match ladder {
        "l" | "ic" | "e" => (5..=10).contains(&level),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(title: &str) -> Vec<String> {
        clauses(title).into_iter().map(|clause| clause.join(" ")).collect()
    }

    #[test]
    fn employers_slogans_and_former_lives_are_left_out() {
        assert_eq!(read("🚀 Founder & CEO @ Loopwise | Making payroll painless"), ["founder and ceo"]);
        assert_eq!(read("COO / ex-Amazon"), ["coo"]);
        assert_eq!(read("Director at Legal & Co, London | Speaker"), ["director", "speaker"]);
        assert_eq!(
            read("head of design. previously: Spotify, Klarna"),
            ["head of design", "spotify", "klarna"]
        );
        assert_eq!(read("Attorney at Law"), ["attorney at law"]);
        assert_eq!(read("Assistant to the Managing Partner"), ["assistant"]);
        assert_eq!(read("Helping teams sell"), ["helping teams sell"], "better than nothing");
    }

    #[test]
    fn brackets_say_nothing_but_a_level() {
        assert_eq!(read("Software Engineer (L5) @ Google"), ["software engineer l5"]);
        assert_eq!(read("Softwareentwickler (m/w/d)"), ["softwareentwickler"]);
        assert_eq!(read("Engineer (unclosed"), ["engineer unclosed"]);
    }
}
