//! How much of a company is bought: control of it, or a stake that gives none.

use super::language::{Hit, find, is_in};
use super::scene::Scene;

const NEAR_WORDS: usize = 8;
const MINORITY_PERCENT_MAX: u32 = 50;

pub(super) fn names_share(scene: &Scene<'_>, hit: Hit) -> bool {
    let near = hit.to + NEAR_WORDS;
    let control = find(scene.tokens(), scene.language.majority, hit.to, near).is_some();
    let minority = find(scene.tokens(), scene.language.minority, hit.to, near).is_some();
    control || minority || scene.share(hit.to, scene.tokens().len()).is_some()
}

/// `A buys a further 22 % of B, lifting its stake to 62 %`.
fn reaches_control(scene: &Scene<'_>, from: usize) -> bool {
    let tokens = scene.tokens();
    (from..tokens.len()).any(|at| {
        let is_up_to = tokens.get(at).is_some_and(|token| is_in(token, scene.language.up_to));
        let near = at + 1..(at + 4).min(tokens.len());
        is_up_to
            && near.into_iter().any(|at| scene.share_at(at).is_some_and(|share| share > MINORITY_PERCENT_MAX))
    })
}

pub(super) fn is_minority(scene: &Scene<'_>, from: usize) -> bool {
    let near = from + NEAR_WORDS;
    let tokens = scene.tokens();
    if find(tokens, scene.language.majority, from, near).is_some() || reaches_control(scene, from) {
        return false;
    }
    let share = scene.share(from, tokens.len()).filter(|_| !scene.has(scene.language.rest));
    find(tokens, scene.language.minority, from, near).is_some()
        || share.is_some_and(|share| share < MINORITY_PERCENT_MAX)
}
