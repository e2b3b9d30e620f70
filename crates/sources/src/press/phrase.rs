//! Phrases of the tables, found in the tokens of a passage.

use super::text::Token;

/// Where a phrase was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub from: usize,
    pub to: usize,
}

const GAP_WORDS_MAX: usize = 14;

pub(super) fn is_in(token: &Token<'_>, words: &[&str]) -> bool {
    words.contains(&token.lower.as_str())
}

/// Where the phrase ends that begins at this token.
pub(super) fn phrase_at(tokens: &[Token<'_>], at: usize, phrase: &str) -> Option<usize> {
    let mut place = at;
    let mut words = phrase.split(' ');
    while let Some(word) = words.next() {
        if word == "*" {
            let next = words.next()?;
            let gap = tokens.iter().skip(place).take(GAP_WORDS_MAX);
            let mut rest = gap.take_while(|token| !token.is_mark(";:"));
            return rest.any(|token| is_word(token, next)).then_some(place);
        }
        if !tokens.get(place).is_some_and(|token| is_word(token, word)) {
            return None;
        }
        place += 1;
    }
    Some(place)
}

fn is_word(token: &Token<'_>, word: &str) -> bool {
    match word.strip_prefix('~') {
        Some(ending) => token.lower.ends_with(ending),
        None => token.lower == word,
    }
}

/// The longest of the phrases that begins at this token.
pub(super) fn any_at(tokens: &[Token<'_>], at: usize, phrases: &[&str]) -> Option<Hit> {
    // Most phrases begin with another word: that is seen at once by its first letter and where it ends.
    let word = tokens.get(at)?.lower.as_bytes();
    let may_begin = |phrase: &&&str| {
        let phrase = phrase.as_bytes();
        let ends = phrase.len() >= word.len() && matches!(phrase.get(word.len()), None | Some(b' '));
        ends && phrase.first() == word.first() || phrase.first() == Some(&b'~')
    };
    let ends = phrases.iter().filter(may_begin).filter_map(|phrase| phrase_at(tokens, at, phrase));
    ends.max().filter(|to| *to > at).map(|to| Hit { from: at, to })
}

/// The first of the phrases in a part of a passage.
pub(super) fn find(tokens: &[Token<'_>], phrases: &[&str], from: usize, until: usize) -> Option<Hit> {
    (from..until.min(tokens.len())).find_map(|at| any_at(tokens, at, phrases))
}

pub(super) fn has(tokens: &[Token<'_>], phrases: &[&str]) -> bool {
    find(tokens, phrases, 0, tokens.len()).is_some()
}

#[cfg(test)]
mod tests {
    use super::super::text::Passage;
    use super::*;

    #[test]
    fn phrases_have_gaps_and_endings() {
        let passage = Passage::new("Hij haalt 75 miljoen op voor een klimaatfonds");
        let tokens = &passage.tokens;
        assert_eq!(find(tokens, &["haalt * op"], 0, 8), Some(Hit { from: 1, to: 2 }));
        assert_eq!(find(tokens, &["haalt * af"], 0, 8), None);
        assert_eq!(find(tokens, &["~fonds"], 0, 8), Some(Hit { from: 7, to: 8 }));
        assert_eq!(find(tokens, &["haalt", "haalt 75"], 0, 8), Some(Hit { from: 1, to: 3 }));
    }
}
