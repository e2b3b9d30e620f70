//! The tables behind the grammar: phrases found by their first word, the longest first.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use crate::taxonomy::{Department, Seniority};

use super::fold::fold_words;

/// Words that tie others together and say nothing themselves.
const TIES: &[&str] = &[
    "of", "the", "for", "in", "a", "an", "de", "des", "du", "la", "le", "les", "del", "della", "dei", "di",
    "do", "da", "dos", "das", "der", "die", "den", "dem", "im", "fur", "von", "vom", "van", "het", "el",
    "los", "las", "al", "aux", "au", "d", "l", "s", "av", "af", "ds", "on", "with",
];

/// Shorter words are too alike for a slip of the finger to be told from another word.
const SPELLED_CHARS_MIN: usize = 6;

/// Phrases of one table, by their first word.
#[derive(Debug)]
pub(super) struct Phrases<T>(HashMap<String, Vec<(Vec<String>, T)>>);

impl<T> Phrases<T> {
    fn new(phrases: impl Iterator<Item = (Vec<String>, T)>) -> Self {
        let mut by_first: HashMap<String, Vec<(Vec<String>, T)>> = HashMap::new();
        for (words, meaning) in phrases {
            if let Some(first) = words.first() {
                by_first.entry(first.clone()).or_default().push((words, meaning));
            }
        }
        for alike in by_first.values_mut() {
            alike.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
        }
        Self(by_first)
    }

    /// The longest phrase that `words` begin with: how many words it takes, and what it means.
    pub(super) fn longest<W: AsRef<str>>(&self, words: &[W]) -> Option<(usize, &T)> {
        let alike = self.0.get(words.first()?.as_ref())?;
        let (phrase, meaning) = alike.iter().find(|(phrase, _)| {
            phrase.len() <= words.len()
                && phrase.iter().zip(words).all(|(known, word)| known == word.as_ref())
        })?;
        Some((phrase.len(), meaning))
    }

    fn words(&self) -> impl Iterator<Item = &String> {
        self.0.values().flatten().flat_map(|(words, _)| words)
    }
}

/// What a phrase says of the department: the weight tells how sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) department: Department,
    pub(super) weight: u8,
}

/// All tables.
#[derive(Debug)]
pub(super) struct Lexicon {
    /// Other spellings and languages, with what they are in English.
    pub(super) readings: Phrases<Vec<String>>,
    /// `None` where the words claim no rank although some of them could.
    pub(super) ranks: Phrases<Option<Seniority>>,
    pub(super) functions: Phrases<Function>,
    /// English words that mean something here.
    known: HashSet<String>,
    /// Every word, as it is and with one letter left out, and the words that become so.
    misspelt: HashMap<String, Vec<String>>,
}

pub(super) static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    Lexicon::read(include_str!("words.txt"), include_str!("ranks.txt"), include_str!("functions.txt"))
});

impl Lexicon {
    fn read(words: &str, ranks: &str, functions: &str) -> Self {
        let readings = Phrases::new(entries(words, '=').flat_map(|(english, written)| {
            let english = fold_words(english);
            written.map(fold_words).map(move |phrase| (phrase, english.clone()))
        }));
        let ranks = Phrases::new(entries(ranks, ':').flat_map(|(rank, phrases)| {
            let rank = Seniority::parse(rank).ok();
            phrases.map(move |phrase| (untied(fold_words(phrase)), rank))
        }));
        let functions = Phrases::new(entries(functions, ':').flat_map(|(head, phrases)| {
            let function = function(head);
            phrases.filter_map(move |phrase| Some((untied(fold_words(phrase)), function?)))
        }));
        let known: HashSet<String> = ranks.words().chain(functions.words()).cloned().collect();
        let single = readings.0.iter().filter(|(_, alike)| alike.iter().any(|(words, _)| words.len() == 1));
        let spelled = known.iter().chain(single.map(|(word, _)| word));
        let mut misspelt: HashMap<String, Vec<String>> = HashMap::new();
        for word in spelled.collect::<BTreeSet<_>>() {
            for short in shortened(word).chain([word.clone()]) {
                misspelt.entry(short).or_default().push(word.clone());
            }
        }
        Self { readings, ranks, functions, known, misspelt }
    }

    pub(super) fn knows(&self, word: &str) -> bool {
        self.known.contains(word)
    }

    /// The word that one slip turned into this one: a letter too few or too many, wrong, or two swapped.
    pub(super) fn respell(&self, word: &str) -> Option<&str> {
        let candidates = std::iter::once(word.to_owned()).chain(shortened(word));
        let found = candidates.filter_map(|short| self.misspelt.get(&short)).flatten().find(|known| {
            known.chars().next() == word.chars().next() && strsim::osa_distance(known, word) == 1
        });
        found.map(String::as_str)
    }
}

/// `head` and its phrases, a line each. Lines that start with `#` are remarks.
fn entries(table: &str, separator: char) -> impl Iterator<Item = (&str, impl Iterator<Item = &str>)> {
    table.lines().filter(|line| !line.starts_with('#')).filter_map(move |line| {
        let (head, phrases) = line.split_once(separator)?;
        Some((head.trim(), phrases.split(',').map(str::trim)))
    })
}

fn function(head: &str) -> Option<Function> {
    let (department, weight) = head.split_once(' ')?;
    Some(Function { department: Department::parse(department).ok()?, weight: weight.parse().ok()? })
}

/// Without the words that say nothing.
pub(super) fn untied(mut words: Vec<String>) -> Vec<String> {
    words.retain(|word| !TIES.contains(&word.as_str()));
    words
}

/// The word without each of its letters in turn; none of a short word.
fn shortened(word: &str) -> impl Iterator<Item = String> {
    let long = word.len() >= SPELLED_CHARS_MIN;
    word.char_indices().filter(move |_| long).map(move |(at, letter)| {
        let (before, after) = word.split_at(at);
        [before, after.get(letter.len_utf8()..).unwrap_or_default()].concat()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_every_table_is_read() {
        for (table, separator) in [(include_str!("words.txt"), '='), (include_str!("ranks.txt"), ':')] {
            for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
                let (head, phrases) = line.split_once(separator).unwrap_or_else(|| panic!("{line}"));
                assert!(!fold_words(head).is_empty(), "{line}");
                assert!(phrases.split(',').all(|phrase| !fold_words(phrase).is_empty()), "{line}");
            }
        }
        for (rank, _) in entries(include_str!("ranks.txt"), ':') {
            assert!(rank == "none" || Seniority::parse(rank).is_ok(), "{rank}");
        }
        for (head, _) in entries(include_str!("functions.txt"), ':') {
            assert!(function(head).is_some(), "{head}");
        }
    }

    #[test]
    fn one_slip_is_put_right_and_two_are_not() {
        for slip in ["enginer", "engineeer", "enginear", "enigneer"] {
            assert_eq!(LEXICON.respell(slip), Some("engineer"), "{slip}");
        }
        assert_eq!(LEXICON.respell("enginaar"), None);
        assert_eq!(LEXICON.respell("sale"), None, "too short to tell");
    }
}
