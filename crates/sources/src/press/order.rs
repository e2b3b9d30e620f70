//! Purchases in languages whose verb comes second, before who buys, or last, after what is bought.

use super::bought::is_company;
use super::deal::{Deal, by_whom};
use super::language::{Hit, find, is_in};
use super::scene::Scene;
use super::share::is_minority;

/// `Für 64 Millionen Euro kauft A die Kette B`: the verb comes second, and the buyer after it.
pub(super) fn inverted(scene: &Scene<'_>, from: usize, hit: Hit) -> Option<Deal> {
    let is_verb = scene.tokens().get(hit.from).is_some_and(|token| !token.is_capital());
    if !(is_verb && matches!(scene.language.code, "de" | "nl" | "sv"))
        || scene.subject(from, hit.from).is_some()
    {
        return None;
    }
    let acquirer = scene.object(hit.to, scene.tokens().len())?;
    let target = scene.object(acquirer.to, scene.tokens().len())?;
    Some(Deal { acquirer: Some(acquirer), target: Some(target), at: hit.from, ..Deal::default() })
}

/// `A hat B übernommen`, `B wurde von A übernommen`: what is bought stands between the helper and the verb.
pub(super) fn purchase_before(scene: &Scene<'_>, from: usize, hit: Hit) -> Option<Deal> {
    let tokens = scene.tokens();
    let language = scene.language;
    let mut helpers =
        (from..hit.from).filter(|at| tokens.get(*at).is_some_and(|token| is_in(token, language.helpers)));
    let helper = helpers.next_back().unwrap_or(from);
    let by = by_whom(scene, language.by, from, hit.from);
    let passive = find(tokens, language.passive, from, tokens.len()).is_some();
    if let (Some(acquirer), true) = (by, passive) {
        let target = scene
            .subject(from, helper)
            .or_else(|| scene.object(helper, hit.from))
            .filter(|target| *target != acquirer);
        return Some(Deal {
            acquirer: Some(acquirer),
            target,
            at: hit.from,
            minority: is_minority(scene, helper),
            ..Deal::default()
        });
    }
    let acquirer = scene.subject(from, helper);
    // `Zum 1. Januar hat A die Kette B gekauft`: the buyer comes after the helper, and before what is bought.
    let inverted = scene.object(helper + 1, hit.from).filter(|_| acquirer.is_none());
    let inverted = inverted.filter(|first| scene.object(first.to, hit.from).is_some());
    let object_from = inverted.map_or(helper + 1, |first| first.to);
    let acquirer = acquirer.or(inverted);
    let target = scene
        .object(object_from, hit.from)
        .filter(|target| Some(*target) != acquirer && is_company(scene, object_from, *target));
    let found =
        Deal { acquirer, target, at: hit.from, minority: is_minority(scene, helper), ..Deal::default() };
    (found.acquirer.is_some() || found.target.is_some()).then_some(found)
}
