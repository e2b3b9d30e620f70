//! Who sells what to whom, as one passage tells it.

use super::bought::{is_company, is_within};
use super::deal::{Deal, is_counted};
use super::language::{Hit, find, is_in};
use super::name::Run;
use super::scene::Scene;
use super::share::is_minority;

/// Somebody sells something to somebody; without a thing, the one who sells is sold.
pub(super) fn sale(scene: &Scene<'_>, from: usize, hit: Hit) -> Option<Deal> {
    let tokens = scene.tokens();
    let (first, last) = if scene.language.verb_last && !scene.runs.iter().any(|run| run.from >= hit.to) {
        let helper = find(tokens, scene.language.helpers, from, hit.from)?;
        (helper.to, hit.from)
    } else {
        (hit.to, tokens.len())
    };
    // In Portuguese `a` is an article as well.
    let is_article =
        |at: &usize| scene.language.code == "pt" && tokens.get(*at).is_some_and(|it| it.lower == "a");
    let is_to = |at: &usize| {
        let is_to = tokens.get(*at).is_some_and(|token| is_in(token, scene.language.to));
        is_to && scene.object(at + 1, last).is_some_and(|run| run.from <= at + 8)
    };
    let clear = (first..last).find(|at| is_to(at) && !is_article(at));
    let Some(to) = clear.or_else(|| (first..last).find(is_to)) else {
        return sold_to_unnamed(scene, first, last, hit);
    };
    let acquirer = scene.object(to + 1, last)?;
    let unit = scene.unit(first).filter(|unit| unit.to <= to);
    let is_named = scene.runs.iter().any(|run| run.from >= first && run.to <= to);
    // `on the sale of the entire share capital to A`: then the seller, or whose shareholders sell, is sold.
    let is_thing = scene.find_said(scene.language.things, first, to).is_some() || is_counted(scene, hit.from);
    let of_shares = !is_thing && find(tokens, scene.language.shares, first, to).is_some();
    let seller = scene.subject(from, hit.from).filter(|_| {
        unit.is_none() && !is_named && (of_shares || to <= first + 1 || is_passive(scene, hit, to))
    });
    let target = scene.object(first, to).filter(|target| is_company(scene, first, *target));
    let target = target.filter(|target| !is_within(scene, unit, *target)).or(seller);
    let target = target.or_else(|| administered(scene, from, hit));
    Some(Deal { acquirer: Some(acquirer), target, unit, at: hit.from, minority: is_minority(scene, first) })
}

/// `Curator verkoopt fietskoerier B aan branchegenoot`: who buys is told later.
fn sold_to_unnamed(scene: &Scene<'_>, first: usize, last: usize, hit: Hit) -> Option<Deal> {
    let tokens = scene.tokens();
    let to = (first..last).find(|at| tokens.get(*at).is_some_and(|token| is_in(token, scene.language.to)))?;
    let buyer = find(tokens, scene.language.kinds, to + 1, to + 5)?;
    let target =
        scene.object(first, to).filter(|target| is_company(scene, first, *target) && buyer.from > to)?;
    Some(Deal { target: Some(target), at: hit.from, minority: is_minority(scene, first), ..Deal::default() })
}

/// `The shops were sold this week to A`.
fn is_passive(scene: &Scene<'_>, hit: Hit, to: usize) -> bool {
    const ADVERB_WORDS: usize = 4;
    let last = hit.from.checked_sub(1).and_then(|at| scene.tokens().get(at));
    to <= hit.to + ADVERB_WORDS && last.is_some_and(|last| is_in(last, scene.language.passive))
}

/// `The administrators of B have sold its sites to A`: they sell what is left of B.
fn administered(scene: &Scene<'_>, from: usize, hit: Hit) -> Option<Run> {
    const ADMINISTRATORS: &[&str] = &[
        "administrators of",
        "administrator of",
        "liquidators of",
        "liquidator of",
        "receivers of",
        "receiver of",
        "insolvenzverwalter der",
        "insolvenzverwalterin der",
        "insolvenzverwalter von",
        "liquidateur de",
        "administrador concursal de",
        "curator van",
        "konkursförvaltaren för",
    ];
    let whose = find(scene.tokens(), ADMINISTRATORS, from, hit.from)?;
    scene.run_at(whose.to)
}
