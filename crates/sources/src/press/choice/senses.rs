//! What a word tells of a round or a purchase, in any of its forms: one sense has many words in each language.

use crate::press::table::lines;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The words of a language with their senses, and the beginnings and ends of words.
#[derive(Debug, Default)]
struct Senses {
    whole: HashMap<&'static str, Vec<&'static str>>,
    begins: Vec<(&'static str, &'static str)>,
    ends: Vec<(&'static str, &'static str)>,
}

static SENSES: LazyLock<HashMap<&'static str, Senses>> = LazyLock::new(|| {
    let mut found: HashMap<&'static str, Senses> = HashMap::new();
    let files = [include_str!("senses.txt"), include_str!("concepts.txt")];
    for (name, words) in files.into_iter().flat_map(lines) {
        let Some((code, sense)) = name.split_once(' ') else { continue };
        let of_language = found.entry(code).or_default();
        for word in words {
            match (word.strip_prefix('*'), word.strip_suffix('*')) {
                (Some(end), _) => of_language.ends.push((end, sense)),
                (None, Some(begin)) => of_language.begins.push((begin, sense)),
                (None, None) => of_language.whole.entry(word).or_default().push(sense),
            }
        }
    }
    found
});

/// The senses of a word in lower case.
pub(super) fn of_word(code: &str, word: &str) -> Vec<&'static str> {
    let Some(senses) = SENSES.get(code) else { return Vec::new() };
    let whole = senses.whole.get(word).into_iter().flatten().copied();
    let begins = senses.begins.iter().filter(|(begin, _)| word.starts_with(begin)).map(|(_, sense)| *sense);
    let ends = senses.ends.iter().filter(|(end, _)| word.ends_with(end)).map(|(_, sense)| *sense);
    whole.chain(begins).chain(ends).collect()
}
