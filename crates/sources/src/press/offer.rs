//! Purchases that a noun tells, as notices of markets do: `recommended cash offer by A for the share capital of B`.

use super::bought::is_company;
use super::deal::{Deal, is_past};
use super::language::{any_at, is_in};
use super::name::{Run, is_legal_form};
use super::scene::Scene;
use super::sense::is_relative;

/// How far the last of the sides may be from the noun.
const WORDS_MAX: usize = 34;

/// What the preposition before a name makes of whoever is called so.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Target,
    Acquirer,
    Seller,
}

/// The purchase that the noun here tells, when both of its sides are named.
pub(super) fn offer(scene: &Scene<'_>, from: usize, at: usize, year: i32) -> Option<Deal> {
    let language = scene.language;
    let sale = any_at(scene.tokens(), at, language.pacts.sales);
    let hit = sale.or_else(|| any_at(scene.tokens(), at, language.pacts.offers))?;
    if is_past(scene, hit, year) || scene.is_modal(hit.from) || scene.is_named(at) {
        return None;
    }
    let (acquirer, target) = sides(scene, hit.to, sale.is_some());
    let target = target?;
    let other = |run: &Run| *run != target && !is_alias(scene, *run, target);
    let acts = || scene.subject(from, hit.from).filter(|run| is_firm(scene, *run) && other(run));
    let found = acquirer.filter(other);
    let told = || if sale.is_some() { None } else { acts().or_else(|| only_other(scene, hit.from, target)) };
    let acquirer = found.or_else(told)?;
    let formed = scene.tokens().get(target.from..target.to).unwrap_or_default().iter().any(is_legal_form);
    (formed || is_company(scene, hit.to, target)).then_some(Deal {
        acquirer: Some(acquirer),
        target: Some(target),
        at,
        ..Deal::default()
    })
}

/// The names after the noun, each by the last preposition before it. Of a sale `by` tells who sells, and `to` who buys.
fn sides(scene: &Scene<'_>, from: usize, sells: bool) -> (Option<Run>, Option<Run>) {
    let (language, tokens) = (scene.language, scene.tokens());
    let (mut acquirer, mut target, mut side) = (None, None, Side::Target);
    let mut at = from;
    while at < tokens.len().min(from + WORDS_MAX) {
        let Some(token) = tokens.get(at) else { break };
        if let Some(run) = scene.run_at(at) {
            let slot = if side == Side::Acquirer { &mut acquirer } else { &mut target };
            let fits = is_firm(scene, run) || run.to - run.from > 1;
            if side != Side::Seller && slot.is_none() && fits {
                *slot = Some(run);
            }
            side = if fits { Side::Target } else { side };
            at = after_asides(scene, run.to);
            continue;
        }
        let is_by = is_in(token, language.by_noun) || is_in(token, language.by) && target.is_some();
        let is_from = is_in(token, FROM) || target.is_some() && is_in(token, language.from);
        let is_to = sells && target.is_some() && is_in(token, language.to);
        side = match (is_to, is_by, is_from) {
            (true, ..) => Side::Acquirer,
            (_, true, _) if !sells => Side::Acquirer,
            (_, true, _) | (.., true) => Side::Seller,
            // `cession par A de son activité à B`.
            _ if side == Side::Seller && target.is_none() && is_in(token, language.joints) => Side::Target,
            _ => side,
        };
        let goes_on = tokens.get(at + 1).is_some_and(|next| is_in(next, language.by_noun));
        let ends = token.is_mark(":;.!?") || token.is_mark(",") && !goes_on || is_relative(token);
        let acts = is_in(token, language.helpers)
            && !is_in(token, language.articles)
            && !is_in(token, language.stops);
        if ends && at > from || acquirer.is_some() && target.is_some() || acts {
            break;
        }
        at += 1;
    }
    (acquirer, target)
}

/// Before whoever gives something away, wherever it stands.
const FROM: &[&str] = &["from", "från", "auprès", "uit"];

/// Behind `, Inc.` and `(NYSE: GLS) ("Glass")` after a name.
fn after_asides(scene: &Scene<'_>, from: usize) -> usize {
    let mut at = from;
    loop {
        let next = scene.skip_aside(scene.skip_legal_form(at));
        if next == at {
            return at;
        }
        at = next;
    }
}

/// Whether it is surely a company: with a legal form, or in the headline, or with a defined name or ticker behind it.
fn is_firm(scene: &Scene<'_>, run: Run) -> bool {
    let tokens = scene.tokens();
    let is_formed = |run: Run| {
        let formed = tokens.get(run.from..run.to + 1).unwrap_or_default().iter().any(is_legal_form);
        formed || tokens.get(run.to).is_some_and(|next| next.is_mark("("))
    };
    scene.is_headed(run) || scene.runs.iter().any(|other| is_alias(scene, *other, run) && is_formed(*other))
}

fn is_alias(scene: &Scene<'_>, one: Run, two: Run) -> bool {
    let word = |run: Run| scene.tokens().get(run.from).map(|token| token.lower.as_str());
    word(one) == word(two)
}

/// `The boards of A and B announce an offer for the share capital of B`.
fn only_other(scene: &Scene<'_>, until: usize, target: Run) -> Option<Run> {
    let before = scene.runs.iter().filter(|run| run.to <= until && is_firm(scene, **run));
    let mut others = before.filter(|run| !is_alias(scene, **run, target));
    let first = others.next().copied()?;
    others.all(|run| is_alias(scene, *run, first)).then_some(first)
}
