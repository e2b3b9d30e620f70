//! Looks for the canaries in everything that was written, and keeps count of what it looked through.

use super::seeds::{Canary, Kind};
use crate::bar::Complaints;
use aho_corasick::{AhoCorasick, MatchKind};
use anyhow::Context;
use std::collections::HashSet;
use std::path::Path;

/// Of what stands around a find, so that its place can be recognised.
const AROUND_BYTES: usize = 100;

pub struct Scanner {
    automaton: AhoCorasick,
    kinds: Vec<Kind>,
    pub canaries: usize,
    pub bytes: usize,
    pub sources: usize,
    pub complaints: Complaints,
    told: HashSet<(String, usize)>,
}

impl Scanner {
    pub fn new(canaries: &[Canary]) -> anyhow::Result<Self> {
        let (mut patterns, mut kinds) = (Vec::new(), Vec::new());
        for canary in canaries {
            for form in canary.forms() {
                patterns.push(form);
                kinds.push(canary.kind);
            }
        }
        // Without regard to case: a value that was put into lower case is the same value.
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostFirst)
            .build(&patterns)
            .context("the canaries make no automaton")?;
        Ok(Self {
            automaton,
            kinds,
            canaries: canaries.len(),
            bytes: 0,
            sources: 0,
            complaints: Complaints::default(),
            told: HashSet::new(),
        })
    }

    /// How many finds there are in what may carry them: for knowing that the search sees anything at all.
    pub fn count(&self, text: &[u8]) -> usize {
        self.automaton.find_iter(text).count()
    }

    /// Looks through something that may carry none. `source` says where it comes from.
    pub fn look(&mut self, source: &str, text: &[u8]) {
        self.sources += 1;
        self.bytes += text.len();
        for found in self.automaton.find_iter(text) {
            let pattern = found.pattern().as_usize();
            if is_in_fraction(text, found.start(), found.end()) {
                continue;
            }
            let kind = self.kinds.get(pattern).map_or("?", |kind| kind.as_str());
            // The same canary in the same file a thousand times is one fault.
            if !self.told.insert((source.to_owned(), pattern)) {
                continue;
            }
            let start = found.start().saturating_sub(AROUND_BYTES);
            let end = (found.end() + AROUND_BYTES).min(text.len());
            let around = String::from_utf8_lossy(text.get(start..end).unwrap_or_default()).into_owned();
            self.complaints.add(format!("{source}: {kind} in …{}…", around.replace('\n', "⏎")));
        }
    }

    pub fn look_at_file(&mut self, path: &Path) -> anyhow::Result<()> {
        let text = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        self.look(&path.file_name().unwrap_or_default().to_string_lossy(), &text);
        Ok(())
    }

    /// Every file below a folder.
    pub fn look_at_folder(&mut self, folder: &Path) -> anyhow::Result<()> {
        let entries = std::fs::read_dir(folder);
        for entry in entries.with_context(|| format!("cannot read {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() { self.look_at_folder(&path)? } else { self.look_at_file(&path)? }
        }
        Ok(())
    }
}

/// Whether these are digits in the middle of a decimal number's fraction, such as a sum of seconds: some made-up numbers are
/// mostly zeros, and so is what rounding leaves.
fn is_in_fraction(text: &[u8], start: usize, end: usize) -> bool {
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let digits_before = text[..start].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let point = (start - digits_before).checked_sub(2);
    let has_point = point.is_some_and(|whole| is_digit(whole) && text.get(whole + 1) == Some(&b'.'));
    (start..=end).all(is_digit) && has_point
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_canary_is_found_in_any_case_and_counted_once_a_place() {
        let canary = Canary::new(Kind::Email, "jane.roe.canary@acme.example");
        let mut scanner = Scanner::new(&[canary]).unwrap();
        scanner.look("clean", b"nothing to see");
        assert!(scanner.complaints.is_empty());
        scanner.look("log", b"a JANE.ROE.CANARY@acme.example b jane%2Eroe%2Ecanary%40acme%2Eexample");
        assert_eq!((scanner.complaints.count(), scanner.sources), (2, 2));
        assert_eq!(scanner.count(b"jane.roe.canary@acme.example"), 1);
    }

    #[test]
    fn the_digits_of_a_sum_are_no_number_that_can_be_called() {
        let mut scanner = Scanner::new(&[Canary::new(Kind::Phone, "+33199000000")]).unwrap();
        scanner.look("sum", b"seconds_sum 0.4295131990000002");
        assert!(scanner.complaints.is_empty());
        for (place, said) in
            [("plain", "to +33199000000 now"), ("glued", "1.33199000000"), ("run", "00331990000001")]
        {
            scanner.look(place, said.as_bytes());
        }
        assert_eq!(scanner.complaints.count(), 3);
    }
}
