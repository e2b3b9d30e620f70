//! What is not news: told of an earlier year, or denied.

use super::language::{Hit, Words, any_at, is_in};
use super::scene::Scene;
use super::table::{is_one_of, lines};
use super::text::Token;
use std::sync::LazyLock;

/// By language, what a headline says that tells no news.
static UNREAL: LazyLock<Vec<(&'static str, Words)>> = LazyLock::new(|| {
    let lines = lines(include_str!("languages/unreal.txt"));
    lines.into_iter().map(|(code, phrases)| (code, &*phrases.leak())).collect()
});

/// A headline that looks back, denies, only asks or searches.
pub(super) fn is_unreal(title: &Scene<'_>) -> bool {
    says_unreal(title, title.language.code)
}

/// A sentence that undoes a deal.
pub(super) fn is_undone(scene: &Scene<'_>) -> bool {
    says_unreal(scene, &format!("{} body", scene.language.code))
}

fn says_unreal(scene: &Scene<'_>, name: &str) -> bool {
    let phrases = UNREAL.iter().find(|(known, _)| *known == name).map(|(_, phrases)| *phrases);
    phrases.is_some_and(|phrases| scene.find_said(phrases, 0, scene.tokens().len()).is_some())
}

/// Before the year in which a company began.
const FOUNDED: &str = "founded established gegründet gegründete gegründeten fondée fondé créée créé fundada fundado fondata \
    nata opgericht opgerichte grundat grundades since seit depuis desde dal sinds sedan criada creada launched started";

const NOT: &[&str] = &["not", "nicht", "pas", "niet", "não", "inte", "never", "nie", "won't", "won'"];
const NOT_WORDS: usize = 3;

/// `A will not buy B after all`.
pub(super) fn is_denied(scene: &Scene<'_>) -> bool {
    let tokens = scene.tokens();
    let is_not = |at: usize| tokens.get(at).is_some_and(|token| is_in(token, NOT) || token.is_mark(",;:"));
    (0..tokens.len()).any(|at| {
        let is_verb = tokens.get(at).is_some_and(|token| !token.is_capital())
            && any_at(tokens, at, scene.language.buys).is_some()
            && any_at(tokens, at, scene.language.deals).is_none();
        let last = (at.saturating_sub(NOT_WORDS)..at).rev().find(|at| is_not(*at));
        is_verb && last.and_then(|at| tokens.get(at)).is_some_and(|token| is_in(token, NOT))
    })
}

/// An earlier year right after a verb, or a word for the past before it.
pub(super) fn is_past(scene: &Scene<'_>, hit: Hit, year: i32) -> bool {
    let before = scene.before(hit.from, 5);
    let after = scene.after(hit.to, 12);
    scene.says(before, scene.language.pasts) && !scene.says(before, scene.language.past.announced)
        || scene.says(after, scene.language.past.ago)
        || names_earlier_year(after, year)
        || names_earlier_year(before, year)
}

pub(super) fn names_earlier_year(tokens: &[Token<'_>], year: i32) -> bool {
    let founded =
        |at: usize| tokens.iter().take(at).rev().take(2).any(|token| is_one_of(&token.lower, FOUNDED));
    tokens.iter().enumerate().filter(|(at, _)| !founded(*at)).any(|(_, token)| {
        let named = token.text.parse::<i32>().ok().filter(|_| token.text.len() == 4);
        named.is_some_and(|named| (1900..year).contains(&named))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_phrases_for_what_is_no_news() {
        for code in ["en", "de", "fr", "es", "it", "nl", "pt", "sv"] {
            let body = format!("{code} body");
            for name in [code, body.as_str()] {
                assert!(
                    UNREAL.iter().any(|(known, phrases)| *known == name && !phrases.is_empty()),
                    "{name}"
                );
            }
        }
        assert_eq!(UNREAL.len(), 16);
    }
}
