//! Files and functions stay short enough to be read in one go, and each file says what it is for.

use super::strip::{block_end, is_word};
use super::{Source, Violation};

const FILE_LINES_MAX: usize = 400;
const FUNCTION_LINES_MAX: usize = 70;

pub(super) fn check(source: &Source) -> Vec<Violation> {
    if !source.is_rust() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let path = source.path.as_str();
    let lines = source.text.lines().count();
    if lines > FILE_LINES_MAX {
        let what =
            format!("{lines} lines, at most {FILE_LINES_MAX}: move one concern into a file of its own");
        found.push(Violation::new(path, FILE_LINES_MAX + 1, what));
    }
    if !source.text.starts_with("//!") {
        found.push(Violation::new(path, 1, "the first line must be `//! what this file is for`"));
    }
    for (name, line, length) in functions(&source.stripped.code) {
        if length > FUNCTION_LINES_MAX {
            let what =
                format!("fn {name} has {length} lines, at most {FUNCTION_LINES_MAX}: split it by step");
            found.push(Violation::new(path, line, what));
        }
    }
    found
}

/// Name, first line and number of lines of each function with a body.
fn functions(code: &str) -> Vec<(&str, usize, usize)> {
    code.match_indices("fn ")
        .filter(|(at, _)| !code.get(..*at).is_some_and(|before| before.ends_with(is_word)))
        .filter_map(|(at, mark)| {
            let name = code.get(at + mark.len()..)?.split(|it| !is_word(it)).next()?;
            let line = 1 + code.get(..at)?.matches('\n').count();
            let end = block_end(code, at)?;
            (!name.is_empty()).then_some((name, line, end + 1 - line))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whats(text: &str) -> Vec<String> {
        check(&Source::new("crates/domain/src/x.rs", text.to_owned()))
            .into_iter()
            .map(|it| it.to_string())
            .collect()
    }

    #[test]
    fn a_long_file_and_a_missing_purpose_are_found() {
        let found = whats(&"// x\n".repeat(401));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(whats(&format!("//! For x.\n{}", "// x\n".repeat(399))).is_empty());
    }

    #[test]
    fn a_long_function_is_found_and_braces_in_text_do_not_confuse() {
        let long = |lines: usize| {
            format!("//! For x.\nfn a() {{\n{}}}\nfn b() {{}}\n", "    x(\"}\"); // }\n".repeat(lines))
        };
        assert_eq!(
            whats(&long(69)),
            ["crates/domain/src/x.rs:2: fn a has 71 lines, at most 70: split it by step"]
        );
        assert!(whats(&long(68)).is_empty());
    }

    #[test]
    fn declarations_and_function_types_are_no_functions() {
        let text = "trait T { fn a(&self) -> [u8; 3];\n fn b(); }\ntype F = fn (u8) -> u8;\nfn c() {\n}\n";
        assert_eq!(functions(text), [("c", 4, 2)]);
    }
}
