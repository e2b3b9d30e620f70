//! Splits Rust source into code, comments and string literals, so that rules look only where they should.

use std::ops::RangeInclusive;

/// The same text three ways; every line keeps its number.
#[derive(Debug, Default)]
pub(crate) struct Stripped {
    /// Comments and the insides of literals are blank.
    pub(crate) code: String,
    /// Only comments.
    pub(crate) comments: String,
    pub(crate) literals: Vec<Literal>,
    /// Lines of `#[cfg(test)] mod … { … }`.
    pub(crate) test_lines: Vec<RangeInclusive<usize>>,
}

#[derive(Debug)]
pub(crate) struct Literal {
    pub(crate) line: usize,
    pub(crate) text: String,
}

struct Splitter {
    chars: Vec<char>,
    at: usize,
    line: usize,
    out: Stripped,
}

#[derive(Clone, Copy)]
enum Kind {
    Code,
    Comment,
    Literal,
}

pub(crate) fn strip(text: &str) -> Stripped {
    let mut splitter = Splitter { chars: text.chars().collect(), at: 0, line: 1, out: Stripped::default() };
    while splitter.peek(0).is_some() {
        splitter.step();
    }
    let mut out = splitter.out;
    out.test_lines = test_modules(&out.code);
    out
}

impl Splitter {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn take(&mut self, count: usize, kind: Kind) {
        for _ in 0..count {
            let Some(it) = self.peek(0) else { return };
            self.at += 1;
            self.line += usize::from(it == '\n');
            let blank = if it == '\n' { '\n' } else { ' ' };
            self.out.code.push(if matches!(kind, Kind::Code) { it } else { blank });
            self.out.comments.push(if matches!(kind, Kind::Comment) { it } else { blank });
        }
    }

    fn step(&mut self) {
        let after_word =
            self.at.checked_sub(1).and_then(|at| self.chars.get(at)).is_some_and(|it| is_word(*it));
        match (self.peek(0), self.peek(1)) {
            (Some('/'), Some('/')) => {
                while self.peek(0).is_some_and(|it| it != '\n') {
                    self.take(1, Kind::Comment);
                }
            }
            (Some('/'), Some('*')) => self.block_comment(),
            (Some('"'), _) => self.plain_string(),
            (Some('r'), Some('"' | '#')) if !after_word => self.raw_string(1),
            (Some('b' | 'c'), Some('r')) if !after_word && matches!(self.peek(2), Some('"' | '#')) => {
                self.raw_string(2);
            }
            (Some('\''), _) => self.char_or_lifetime(),
            _ => self.take(1, Kind::Code),
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0_usize;
        while let Some(it) = self.peek(0) {
            match (it, self.peek(1)) {
                ('/', Some('*')) => depth += 1,
                ('*', Some('/')) => depth -= 1,
                _ => {
                    self.take(1, Kind::Comment);
                    continue;
                }
            }
            self.take(2, Kind::Comment);
            if depth == 0 {
                return;
            }
        }
    }

    fn plain_string(&mut self) {
        let (line, start) = (self.line, self.at + 1);
        self.take(1, Kind::Code);
        while let Some(it) = self.peek(0) {
            match it {
                '"' => break,
                '\\' => self.take(2, Kind::Literal),
                _ => self.take(1, Kind::Literal),
            }
        }
        self.keep_literal(line, start);
        self.take(1, Kind::Code);
    }

    /// `prefix` is how many letters stand before the hashes; `r#name` is an identifier, not a string.
    fn raw_string(&mut self, prefix: usize) {
        let hashes = (0..).take_while(|ahead| self.peek(prefix + ahead) == Some('#')).count();
        if self.peek(prefix + hashes) != Some('"') {
            self.take(prefix + hashes, Kind::Code);
            return;
        }
        self.take(prefix + hashes + 1, Kind::Code);
        let (line, start) = (self.line, self.at);
        while self.peek(0).is_some() && !self.raw_end(hashes) {
            self.take(1, Kind::Literal);
        }
        self.keep_literal(line, start);
        self.take(1 + hashes, Kind::Code);
    }

    fn raw_end(&self, hashes: usize) -> bool {
        self.peek(0) == Some('"') && (1..=hashes).all(|ahead| self.peek(ahead) == Some('#'))
    }

    fn char_or_lifetime(&mut self) {
        let length = match (self.peek(1), self.peek(2)) {
            (Some('\\'), _) => {
                let end = (3..12).find(|ahead| self.peek(*ahead) == Some('\''));
                end.map(|end| end + 1)
            }
            (Some(_), Some('\'')) => Some(3),
            _ => None,
        };
        match length {
            Some(length) => self.take(length, Kind::Literal),
            None => self.take(1, Kind::Code),
        }
    }

    fn keep_literal(&mut self, line: usize, start: usize) {
        let text = self.chars.get(start..self.at).unwrap_or_default().iter().collect();
        self.out.literals.push(Literal { line, text });
    }
}

pub(crate) fn is_word(it: char) -> bool {
    it.is_alphanumeric() || it == '_'
}

/// The line on which the brace opened at or after `start` closes; nothing when a `;` comes first.
pub(crate) fn block_end(code: &str, start: usize) -> Option<usize> {
    let mut line = 1 + code.get(..start)?.matches('\n').count();
    let mut braces = 0_usize;
    let mut brackets = 0_usize;
    for it in code.get(start..)?.chars() {
        match it {
            '\n' => line += 1,
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets = brackets.saturating_sub(1),
            '{' => braces += 1,
            '}' if braces <= 1 => return Some(line),
            '}' => braces -= 1,
            ';' if braces == 0 && brackets == 0 => return None,
            _ => {}
        }
    }
    None
}

fn test_modules(code: &str) -> Vec<RangeInclusive<usize>> {
    code.match_indices("#[cfg(test)]")
        .filter_map(|(at, mark)| {
            let line = 1 + code.get(..at)?.matches('\n').count();
            Some(line..=block_end(code, at + mark.len())?)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_chars_are_blank_in_code() {
        let text = "let a = \"{ // no\"; // {\nlet b = r#\"}\"}\"#; /* { /* } */ */ let c = '{'; let d: &'a str = x;";
        let stripped = strip(text);
        assert!(!stripped.code.contains(['{', '}']));
        assert!(stripped.code.contains("let d: &'a str = x;"));
        assert_eq!(stripped.code.lines().count(), 2);
        let literals = stripped.literals.iter().map(|it| (it.line, it.text.as_str())).collect::<Vec<_>>();
        assert_eq!(literals, [(1, "{ // no"), (2, "}\"}")]);
        assert!(stripped.comments.contains("// {"));
    }

    #[test]
    fn escapes_do_not_end_a_literal() {
        let stripped =
            strip(r#"let a = "\"{"; let b = '\''; let c = b"{"; let d = '\u{7b}'; let r#type = 1;"#);
        assert!(!stripped.code.contains('{'));
        assert!(stripped.code.contains("let r#type = 1;"));
    }

    #[test]
    fn test_modules_are_known_by_their_lines() {
        let stripped = strip("fn a() {}\n#[cfg(test)]\nmod tests {\n fn b() {}\n}\nfn c() {}\n");
        assert_eq!(stripped.test_lines, [2..=5]);
        assert!(strip("#[cfg(test)]\nmod tests;\nfn a() {}\n").test_lines.is_empty());
    }
}
