//! What is not news: told of an earlier year, or denied.

use super::language::{Hit, any_at, is_in};
use super::scene::Scene;
use super::table::is_one_of;
use super::text::Token;

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
