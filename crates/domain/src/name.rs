//! `PersonName`, and the folded keys under which names of people and companies are compared.

use std::fmt;

use deunicode::deunicode_with_tofu;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::masked::Masked;
use crate::parse_error::ParseError;

const NAME_CHARS_MAX: usize = 200;

const HONORIFICS: &[&str] = &["dr", "mr", "mrs", "ms", "prof"];
const SUFFIXES: &[&str] = &["jr", "sr", "ii", "iii", "phd", "md"];
/// Words that belong to the family name after them.
const PARTICLES: &[&str] = &[
    "al", "bin", "da", "de", "del", "della", "den", "der", "di", "dos", "du", "el", "ibn", "la", "le", "ten",
    "ter", "van", "von", "zu",
];
const LEGAL_FORMS: &[&str] = &[
    "inc",
    "llc",
    "ltd",
    "limited",
    "gmbh",
    "ag",
    "sa",
    "sas",
    "sarl",
    "bv",
    "nv",
    "oy",
    "ab",
    "as",
    "aps",
    "spa",
    "srl",
    "kk",
    "pty",
    "plc",
    "corp",
    "corporation",
    "co",
    "company",
];

/// The name of a person as written, whitespace collapsed.
///
/// Serialised as the full name alone: records keep the first and the last name in fields of their own.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PersonName {
    full: String,
    first: Option<String>,
    last: Option<String>,
}

impl PersonName {
    /// Reads a full name. First and last name are told apart only where that is no guess: when two words are left
    /// beside titles, suffixes, middle initials and particles.
    pub fn parse(full: &str) -> Result<Self, ParseError> {
        let full = tidy(full)?;
        let (first, last) = match split_full(&full) {
            Some((first, last)) => (Some(first), Some(last)),
            None => (None, None),
        };
        Ok(Self { full, first, last })
    }

    pub fn from_parts(first: &str, last: &str) -> Result<Self, ParseError> {
        let (first, last) = (tidy(first)?, tidy(last)?);
        let full = tidy(&format!("{first} {last}"))?;
        Ok(Self { full, first: Some(first), last: Some(last) })
    }

    /// The full name.
    pub fn as_str(&self) -> &str {
        &self.full
    }

    pub fn full(&self) -> &str {
        &self.full
    }

    pub fn first(&self) -> Option<&str> {
        self.first.as_deref()
    }

    pub fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }

    /// The key under which spellings of one name meet: ASCII, lower-case, without punctuation, titles, suffixes and
    /// middle initials. Never empty.
    pub fn fold(&self) -> String {
        let folded = fold_text(&self.full);
        let mut words: Vec<&str> = folded.split(' ').collect();
        drop_titles(&mut words, |word| word);
        drop_middle_initials(&mut words, |word| word);
        words.join(" ")
    }
}

/// The key under which spellings of one company name meet: as for people, `&` read as "and", without a leading "the"
/// and trailing legal forms. Folding a folded name changes nothing.
///
/// Titles stay, since in a company's name they are part of the brand.
pub fn fold_company(name: &str) -> String {
    let spelled = name.replace('&', " and ");
    let folded = join_initials(&fold_text(&spelled));
    let mut words: Vec<&str> = folded.split(' ').collect();
    while words.len() > 1 && words.first() == Some(&"the") {
        words.remove(0);
    }
    while words.len() > 1 && words.last().is_some_and(|word| LEGAL_FORMS.contains(word)) {
        words.pop();
        // What connects two legal forms, as in "GmbH & Co", goes with them.
        if words.len() > 1 && words.last() == Some(&"and") {
            words.pop();
        }
    }
    words.join(" ")
}

/// Collapses whitespace and checks what every name must satisfy.
fn tidy(text: &str) -> Result<String, ParseError> {
    if text.chars().any(|c| c.is_control() && !c.is_whitespace()) {
        return Err(ParseError::Name("has a control character"));
    }
    let collapsed = collapse(text);
    if collapsed.is_empty() {
        return Err(ParseError::Name("is empty"));
    }
    if collapsed.chars().count() > NAME_CHARS_MAX {
        return Err(ParseError::Name("is longer than 200 characters"));
    }
    if !collapsed.chars().any(char::is_alphabetic) {
        return Err(ParseError::Name("has no letter"));
    }
    Ok(collapsed)
}

fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// ASCII, lower-case words with one space between them.
pub fn fold_text(text: &str) -> String {
    let folded = if text.is_ascii() {
        // Most text, and there is nothing to transliterate in it.
        fold_ascii(text)
    } else {
        let decomposed: String = text.nfkd().collect();
        fold_ascii(&deunicode_with_tofu(&decomposed, ""))
    };
    // A script without a transliteration must not fold to nothing, where all such names would be one.
    if folded.is_empty() { collapse(&text.nfkc().collect::<String>().to_lowercase()) } else { folded }
}

fn fold_ascii(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut is_apart = false;
    for c in text.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => {
                if is_apart && !folded.is_empty() {
                    folded.push(' ');
                }
                is_apart = false;
                folded.push(c.to_ascii_lowercase());
            }
            // Inside a word: O'Brien is obrien, Ph.D. is phd.
            '\'' | '`' | '"' | '.' => {}
            _ => is_apart = true,
        }
    }
    folded
}

/// Drops titles in front and suffixes behind. A suffix goes only from a name of three words or more: Ii and Md are also
/// family names.
fn drop_titles<T>(words: &mut Vec<T>, folded: impl Fn(&T) -> &str) {
    while words.len() > 1 && words.first().is_some_and(|word| HONORIFICS.contains(&folded(word))) {
        words.remove(0);
    }
    while words.len() > 2 && words.last().is_some_and(|word| SUFFIXES.contains(&folded(word))) {
        words.pop();
    }
}

fn drop_middle_initials<T>(words: &mut Vec<T>, folded: impl Fn(&T) -> &str) {
    let end = words.len().saturating_sub(1);
    let mut position = 0;
    words.retain(|word| {
        let outer = position == 0 || position == end;
        position += 1;
        outer || folded(word).len() > 1
    });
}

/// "s a r l" and "a s" are sarl and as, however they were dotted.
fn join_initials(folded: &str) -> String {
    let mut joined = String::with_capacity(folded.len());
    let mut after_initial = true;
    for word in folded.split(' ') {
        let initial = word.len() == 1;
        if !(joined.is_empty() || (initial && after_initial)) {
            joined.push(' ');
        }
        joined.push_str(word);
        after_initial = initial;
    }
    joined
}

/// First and last name as written, when exactly two words are left.
fn split_full(full: &str) -> Option<(String, String)> {
    let mut words: Vec<(String, String)> = full
        .split([' ', ','])
        .map(|word| (word.to_owned(), fold_text(word)))
        .filter(|(_, folded)| !folded.is_empty())
        .collect();
    drop_titles(&mut words, |(_, folded)| folded);
    drop_middle_initials(&mut words, |(_, folded)| folded);
    let (first, rest) = words.split_first()?;
    let (last, particles) = rest.split_last()?;
    if !particles.iter().all(|(_, folded)| PARTICLES.contains(&folded.as_str())) {
        return None;
    }
    let family: Vec<&str> = particles.iter().chain([last]).map(|(written, _)| written.as_str()).collect();
    Some((first.0.clone(), family.join(" ")))
}

impl TryFrom<String> for PersonName {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Self, ParseError> {
        Self::parse(&text)
    }
}

impl From<PersonName> for String {
    fn from(name: PersonName) -> Self {
        name.full
    }
}

impl std::str::FromStr for PersonName {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}

impl fmt::Display for PersonName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.full)
    }
}

impl fmt::Debug for PersonName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PersonName({})", Masked(&self.full))
    }
}
