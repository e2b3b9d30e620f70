//! What is bought: a company, a part of one, or a thing.

use super::language::{any_at, find, is_in};
use super::name::Run;
use super::scene::Scene;

/// How far what a name is said to be may reach.
const OTHERS_WORDS: usize = 8;

/// Whether a company is bought, and not a house in a town.
pub(super) fn is_company(scene: &Scene<'_>, from: usize, target: Run) -> bool {
    let language = scene.language;
    let of_share = find(scene.tokens(), language.shares, from, target.from).is_some()
        || scene.share(from, target.from).is_some();
    let last = target.from.checked_sub(1).filter(|at| *at >= from).and_then(|at| scene.tokens().get(at));
    let is_place = last.is_some_and(|last| is_in(last, language.inside));
    let is_thing = scene.find_said(language.things, from, target.from).is_some();
    // `kauft der Gründerfamilie Rüegsegger sämtliche Aktien ab`: whoever sells.
    let of_family = last.is_some_and(|last| last.lower.ends_with("familie"));
    let is_street =
        scene.tokens().get(target.to - 1).is_some_and(|it| is_in(it, &["street", "avenue", "road"]));
    !of_family
        && !is_street
        && !is_common(scene, target)
        && !is_called_thing(scene, target)
        && (of_share || !is_place && !is_thing)
}

/// `1440 Larkspur, a 24-story office tower`: what the name is said to be is a thing.
pub(super) fn is_called_thing(scene: &Scene<'_>, target: Run) -> bool {
    let language = scene.language;
    let tokens = scene.tokens();
    let parted = tokens.get(target.to).is_some_and(|token| token.is_mark(","));
    // `Damián Ruiz, delantero del Racing`.
    let is_thing = tokens.get(target.to + 1).is_some_and(|token| is_in(token, language.things));
    if parted && is_thing {
        return true;
    }
    let article = tokens.get(target.to + 1).is_some_and(|token| is_in(token, language.articles));
    let after = scene.after(target.to + 2, OTHERS_WORDS);
    let end = after.iter().position(|token| is_in(token, language.stops)).unwrap_or(after.len());
    let head = end.checked_sub(1).and_then(|at| after.get(at));
    parted && article && head.is_some_and(|head| is_in(head, language.things) && !is_in(head, language.kinds))
}

/// A word for a round, a thing or a part of a company, which only looks like a name: `Kreditlinie`.
fn is_common(scene: &Scene<'_>, run: Run) -> bool {
    let tables = [scene.language.rounds, scene.language.units, scene.language.shares, scene.language.things];
    let is_word = |at: usize| tables.iter().any(|words| any_at(scene.tokens(), at, words).is_some());
    run.to - run.from == 1 && (is_word(run.from) || is_after_adjective(scene, run))
}

/// `kauft ehemalige Kaserne`: where nouns have capitals, one after an adjective is no name.
fn is_after_adjective(scene: &Scene<'_>, run: Run) -> bool {
    let language = scene.language;
    let last = run.from.checked_sub(1).and_then(|at| scene.tokens().get(at));
    language.has_capital_nouns()
        && last.is_some_and(|last| {
            let tables = [language.articles, language.stops, language.helpers, language.buys, language.sells];
            let is_other = tables.iter().any(|words| is_in(last, words));
            let ends = ["e", "en", "er", "es"].iter().any(|ending| last.lower.ends_with(ending));
            last.text.len() > 4 && !last.is_capital() && ends && !is_other
        })
}

/// `a portfolio of 14 warehouses` is no part of a company.
pub(super) fn is_of_things(scene: &Scene<'_>, unit: Run) -> bool {
    let lone = unit.to - unit.from == 1;
    lone || find(scene.tokens(), scene.language.things, unit.from, unit.to + 5).is_some()
}

/// A unit that is written as a name is found as one.
pub(super) fn starts_named(scene: &Scene<'_>, unit: Run) -> bool {
    scene.runs.iter().any(|run| run.from < unit.to && run.from <= unit.from + 1 && run.to > unit.from)
}

/// Whether the name is only whose the unit was: `colorants de Teintalys`, but not `podcast arm Earshot`.
pub(super) fn is_within(scene: &Scene<'_>, unit: Option<Run>, target: Run) -> bool {
    let last = target.from.checked_sub(1).and_then(|at| scene.tokens().get(at));
    let owned =
        last.is_some_and(|last| is_in(last, scene.language.stops) || is_in(last, scene.language.articles));
    owned && unit.is_some_and(|unit| unit.from < target.from && target.from < unit.to)
}
