//! Reads the words of a clause as English: abbreviations, other languages, other forms, compounds, slips of the finger.

use super::lexicon::{LEXICON, Lexicon};

/// Endings of other forms of a word, and what they stand for. The first that leads to a known word counts.
const FORMS: &[(&str, &str)] = &[
    ("innen", ""),
    ("in", ""),
    ("euse", "eur"),
    ("trice", "teur"),
    ("trice", "tore"),
    ("trice", "tor"),
    ("iere", "ier"),
    ("ora", "or"),
    ("era", "ero"),
    ("eira", "eiro"),
    ("a", "o"),
    ("a", ""),
    ("e", ""),
    ("ies", "y"),
    ("s", ""),
    ("en", ""),
    ("er", ""),
];

/// Parts of compounds shorter than this are more often chance than words.
const PART_CHARS_MIN: usize = 4;
const COMPOUND_CHARS_MIN: usize = 8;
/// Between the parts of a compound.
const JOINTS: &[&str] = &["", "s", "es", "n", "en", "e"];

pub(super) fn english(words: Vec<String>) -> Vec<String> {
    let lexicon = &*LEXICON;
    let mut read = Vec::with_capacity(words.len());
    let mut at = 0;
    while let Some(rest) = words.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some((length, english)) = lexicon.readings.longest(rest) {
            read.extend(english.iter().cloned());
            at += length;
            continue;
        }
        if let Some(word) = rest.first() {
            read.extend(word_in_english(lexicon, word));
        }
        at += 1;
    }
    read
}

/// One word that no reading begins with.
fn word_in_english(lexicon: &Lexicon, word: &str) -> Vec<String> {
    let as_it_is = || vec![word.to_owned()];
    if lexicon.knows(word) || word.len() <= 3 {
        return as_it_is();
    }
    inflected(lexicon, word)
        .or_else(|| compound(lexicon, word))
        .or_else(|| known(lexicon, lexicon.respell(word)?))
        .unwrap_or_else(as_it_is)
}

/// What a word by itself is in English, if it is known.
fn known(lexicon: &Lexicon, word: &str) -> Option<Vec<String>> {
    match lexicon.readings.longest(&[word]) {
        Some((_, english)) => Some(english.clone()),
        None => lexicon.knows(word).then(|| vec![word.to_owned()]),
    }
}

fn inflected(lexicon: &Lexicon, word: &str) -> Option<Vec<String>> {
    FORMS.iter().find_map(|(ending, base)| {
        let stem = word.strip_suffix(ending).filter(|stem| stem.len() >= PART_CHARS_MIN)?;
        known(lexicon, &[stem, base].concat())
    })
}

/// Two words written as one: the end says what somebody is, the beginning what of. The longest end counts, and where
/// nothing is known of the beginning the end stands alone.
fn compound(lexicon: &Lexicon, word: &str) -> Option<Vec<String>> {
    if word.len() < COMPOUND_CHARS_MIN || !word.is_ascii() {
        return None;
    }
    let meaning = |part: &str| known(lexicon, part).or_else(|| inflected(lexicon, part));
    (PART_CHARS_MIN..=word.len().saturating_sub(PART_CHARS_MIN)).find_map(|at| {
        let (start, end) = word.split_at(at);
        let end = meaning(end)?;
        let start = JOINTS.iter().find_map(|joint| meaning(start.strip_suffix(joint)?));
        Some([start.unwrap_or_default(), end].concat())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        english(text.split(' ').map(str::to_owned).collect()).join(" ")
    }

    #[test]
    fn other_languages_and_forms_are_read_as_english() {
        assert_eq!(read("leiterin personal"), "head human resources");
        assert_eq!(read("directrice marketing"), "director marketing");
        assert_eq!(read("sr dir software engineering"), "senior director software engineering");
        assert_eq!(read("personal assistant"), "personal assistant");
    }

    #[test]
    fn compounds_fall_into_their_parts() {
        assert_eq!(read("marketingleiterin"), "marketing head");
        assert_eq!(read("personalreferentin"), "human resources specialist");
        assert_eq!(read("grundschullehrerin"), "teacher");
    }

    #[test]
    fn slips_of_the_finger_are_put_right() {
        assert_eq!(read("sofware enginer"), "software engineer");
    }
}
