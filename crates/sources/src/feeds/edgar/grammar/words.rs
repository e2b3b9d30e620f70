//! Sentences, and the words they are made of.

use super::super::super::moment;
use chrono::{Datelike as _, NaiveDate};

/// Of one item: reports of mergers go on for pages, and say what happened at the beginning.
const SENTENCES_MAX: usize = 400;
const WORDS_MAX: usize = 200;
/// Words that end with a dot and go on.
const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "messrs", "st", "no", "vs", "dept", "approx", "sec", "hon", "gen",
    "col", "lt", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
];
/// Words that end with a dot and may also end a sentence.
const LEGAL: &[&str] = &[
    "inc", "corp", "co", "ltd", "llc", "lp", "jr", "sr", "plc", "bros", "na", "sa", "nv", "bv", "ag", "phd",
    "md", "cpa", "us",
];
/// With these a sentence begins, and hardly ever a name.
const BEGINNINGS: &[&str] = &[
    "the",
    "on",
    "in",
    "as",
    "at",
    "a",
    "an",
    "pursuant",
    "under",
    "upon",
    "this",
    "he",
    "she",
    "they",
    "there",
    "effective",
    "for",
    "following",
    "prior",
    "concurrently",
    "mr",
    "ms",
    "mrs",
    "dr",
    "no",
    "also",
    "his",
    "her",
    "by",
    "each",
    "immediately",
    "such",
    "to",
    "with",
    "it",
    "its",
    "that",
    "these",
    "all",
    "if",
    "since",
    "from",
    "we",
    "our",
    "item",
    "after",
    "before",
    "additionally",
    "previously",
];

/// A word without the marks around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// In lower case, without dots: `mr`, `jr`, `lp`.
    pub(super) low: String,
    before: String,
    after: String,
}

impl Word {
    fn read(raw: &str) -> Option<Self> {
        let plain: String = raw.chars().map(unquoted).collect();
        let is_mark = |c: char| !(c.is_alphanumeric() || matches!(c, '$' | '€' | '£' | '¥' | '%' | '&'));
        let start = plain.find(|c| !is_mark(c))?;
        let end = plain.trim_end_matches(is_mark).len();
        let (before, text, after) = (plain.get(..start)?, plain.get(start..end)?, plain.get(end..)?);
        let low = text.to_lowercase().replace('.', "");
        Some(Self { text: text.to_owned(), low, before: before.to_owned(), after: after.to_owned() })
    }

    pub(super) fn is_capital(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    /// `J` of `J. Roe`.
    pub(super) fn is_initial(&self) -> bool {
        self.is_capital() && self.low.chars().count() == 1
    }

    pub(super) fn is(&self, words: &[&str]) -> bool {
        words.contains(&self.low.as_str())
    }

    pub(super) fn has_comma(&self) -> bool {
        self.after.contains(',')
    }

    fn has_dot(&self) -> bool {
        self.after.contains('.')
    }

    /// Whether nothing stands between it and the next word.
    pub(super) fn goes_on(&self) -> bool {
        self.after.is_empty() || self.after == "."
    }

    pub(super) fn opens_bracket(&self) -> bool {
        self.before.contains('(')
    }

    pub(super) fn closes_bracket(&self) -> bool {
        self.after.contains(')')
    }

    pub(super) fn opens_quote(&self) -> bool {
        self.before.contains('"')
    }

    pub(super) fn closes_quote(&self) -> bool {
        self.after.contains('"')
    }

    /// Without a possessive ending.
    pub(super) fn bare(&self) -> &str {
        self.text.trim_end_matches("'s").trim_end_matches('\'')
    }

    /// As it stands in a name: initials and short forms keep their dot.
    pub(super) fn in_name(&self) -> String {
        let keeps = self.has_dot() && (self.is_initial() || self.is(ABBREVIATIONS) || self.is(LEGAL));
        if keeps { format!("{}.", self.bare()) } else { self.bare().to_owned() }
    }

    fn ends_sentence(&self, next: Option<&Self>) -> bool {
        let Some(next) = next else { return true };
        if !self.after.contains(['.', '!', '?', ';']) {
            return false;
        }
        let begins = next.text.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
        if self.after.contains(';') || self.after.contains(['!', '?']) {
            return begins || self.after.contains(';');
        }
        if self.is(ABBREVIATIONS) || self.is_initial() || (self.text.contains('.') && !self.is(LEGAL)) {
            return false;
        }
        if self.is(LEGAL) { next.is(BEGINNINGS) && next.is_capital() } else { begins }
    }
}

fn unquoted(letter: char) -> char {
    match letter {
        '“' | '”' | '„' | '«' | '»' => '"',
        '‘' | '’' => '\'',
        '\u{2010}' | '\u{2011}' => '-',
        other => other,
    }
}

/// The sentences of some lines; a line is never longer than one block, so that no sentence goes over its end.
pub(super) fn sentences(lines: &[&str]) -> Vec<Vec<Word>> {
    let mut found = Vec::new();
    for text in lines {
        let words: Vec<Word> = text.split_whitespace().filter_map(Word::read).collect();
        let mut sentence = Vec::new();
        for (at, word) in words.iter().enumerate() {
            if found.len() >= SENTENCES_MAX {
                return found;
            }
            let ends = word.ends_sentence(words.get(at + 1));
            sentence.push(word.clone());
            if ends || sentence.len() >= WORDS_MAX {
                found.push(std::mem::take(&mut sentence));
            }
        }
    }
    found
}

/// Whether these words stand at a place, in lower case.
pub(super) fn says(words: &[Word], at: usize, phrase: &[&str]) -> bool {
    words
        .get(at..at + phrase.len())
        .is_some_and(|found| found.iter().zip(phrase).all(|(word, it)| word.low == *it))
}

/// Where a phrase begins, from a place on.
pub(super) fn find(words: &[Word], from: usize, phrase: &[&str]) -> Option<usize> {
    (from..words.len()).find(|at| says(words, *at, phrase))
}

/// `March 2, 2026` at a place.
pub(super) fn date_at(words: &[Word], at: usize) -> Option<NaiveDate> {
    let [month, day, year, ..] = words.get(at..)? else { return None };
    let month = moment::month(&month.text).filter(|_| month.is_capital())?;
    NaiveDate::from_ymd_opt(year.bare().parse().ok()?, month, day.text.parse().ok()?)
}

/// All days a sentence tells, with where they are told.
pub(super) fn dates(words: &[Word]) -> Vec<(usize, NaiveDate)> {
    (0..words.len()).filter_map(|at| Some((at, date_at(words, at)?))).collect()
}

/// Whether a sentence may be about now. One that tells only of years gone by is somebody's past, and one without years may be.
pub(super) fn is_current(words: &[Word], period: NaiveDate) -> bool {
    let days = dates(words);
    if days.iter().any(|(_, day)| (-400..=120).contains(&(period - *day).num_days())) {
        return true;
    }
    let year = |word: &Word| word.bare().parse::<i32>().ok().filter(|year| (1950..2100).contains(year));
    days.is_empty() && words.iter().filter_map(year).all(|it| it >= period.year())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_they_do() {
        let cut = |text| {
            let joined =
                |sentence: Vec<Word>| sentence.iter().map(|it| it.text.clone()).collect::<Vec<_>>().join(" ");
            sentences(&[text]).into_iter().map(joined).collect::<Vec<_>>()
        };
        assert_eq!(
            cut("Mr. J. Roe left Acme, Inc. on May 1. He was 60."),
            ["Mr J Roe left Acme Inc on May 1", "He was 60"]
        );
        assert_eq!(
            cut("It bought Contoso, Inc. The price was $5.5 million."),
            ["It bought Contoso Inc", "The price was $5.5 million"]
        );
        assert_eq!(
            cut("The “Company” (as defined) is in the U.S. and Canada."),
            ["The Company as defined is in the U.S and Canada"]
        );
    }

    #[test]
    fn dates_are_found() {
        let words = &sentences(&["On March 2, 2026, effective as of April 31, 2026 and May 5, 2026."])[0];
        let days: Vec<_> = dates(words).into_iter().map(|(_, day)| day.to_string()).collect();
        assert_eq!(days, ["2026-03-02", "2026-05-05"]);
    }
}
