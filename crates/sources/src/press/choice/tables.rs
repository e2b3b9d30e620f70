//! Which tables of its language a word is in, found by the first words of their phrases.

use crate::press::language::{Language, Words, all};
use crate::press::phrase::phrase_at;
use crate::press::roles::phrases;
use crate::press::text::Token;
use std::collections::HashMap;
use std::sync::LazyLock;

type Phrase = (&'static str, &'static str);

/// The phrases of a language with the tables they are of.
#[derive(Debug, Default)]
struct Index {
    by_word: HashMap<&'static str, Vec<Phrase>>,
    /// Those that begin with the end of a word.
    by_end: Vec<Phrase>,
}

static INDEXES: LazyLock<HashMap<&'static str, Index>> = LazyLock::new(|| {
    let of = |language: &'static Language| (language.code, index(language));
    all().iter().map(of).collect()
});

fn index(language: &'static Language) -> Index {
    let mut index = Index::default();
    let mut add = |(name, words): (&'static str, Words)| {
        for phrase in words {
            let first = phrase.split(' ').next().unwrap_or_default();
            if first.starts_with('~') {
                index.by_end.push((name, phrase));
            } else {
                index.by_word.entry(first).or_default().push((name, phrase));
            }
        }
    };
    language.tables().into_iter().chain(phrases(language.code)).for_each(&mut add);
    index
}

/// For each word the tables of the phrases it is part of.
pub(super) fn of_tokens(code: &str, tokens: &[Token<'_>]) -> Vec<Vec<&'static str>> {
    let mut found = vec![Vec::new(); tokens.len()];
    let Some(index) = INDEXES.get(code) else { return found };
    for (at, token) in tokens.iter().enumerate() {
        let begins = index.by_word.get(token.lower.as_str()).into_iter().flatten();
        for (name, phrase) in begins.chain(&index.by_end) {
            let end = phrase_at(tokens, at, phrase).unwrap_or(at);
            found.iter_mut().take(end).skip(at).for_each(|it: &mut Vec<&'static str>| it.push(*name));
        }
    }
    found
}
