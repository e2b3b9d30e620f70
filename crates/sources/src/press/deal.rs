//! Who buys whom, as one passage tells it.

use super::bought::{is_company, is_of_things, is_within, starts_named};
use super::buyout::{buyout, is_buyout};
use super::currency::number_word;
use super::funding::{ourselves, says_we};
use super::language::{Hit, any_at, find, is_in};
use super::name::Run;
use super::offer::offer;
use super::order::{inverted, purchase_before};
pub(super) use super::past::{is_denied, is_past, is_undone, is_unreal, names_earlier_year};
use super::sale::sale;
use super::scene::Scene;
use super::share::{is_minority, names_share};
use super::table::is_one_of;
use super::text::Kind;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Deal {
    pub acquirer: Option<Run>,
    pub target: Option<Run>,
    /// The part of a company that is bought, when it is described and not named.
    pub unit: Option<Run>,
    /// Where the verb stands.
    pub at: usize,
    /// A stake that gives no control: money for a company, not its sale.
    pub minority: bool,
}

impl Deal {
    pub fn is_whole(&self) -> bool {
        self.acquirer.is_some() && self.target.is_some()
    }

    /// Whether it names who buys, and what: a company, or a part of one.
    pub fn is_told(&self) -> bool {
        self.acquirer.is_some() && (self.target.is_some() || self.unit.is_some())
    }
}

const OTHERS_WORDS: usize = 8;
/// How far after `bought` the `by` may come.
const PASSIVE_WORDS: usize = 8;
/// `A names a chief after B acquisition` is about the chief.
const AFTER: &[&str] = &["after", "following", "since", "post", "despite", "amid"];

/// The first purchase that names both sides, else the first that names one.
pub(super) fn deal(scene: &Scene<'_>, year: i32) -> Option<Deal> {
    *scene.deal.get_or_init(|| tell(scene, year))
}

fn tell(scene: &Scene<'_>, year: i32) -> Option<Deal> {
    if is_buyout(scene) {
        return buyout(scene);
    }
    let start = client_start(scene);
    let mut partial: Option<Deal> = None;
    for at in start..scene.tokens().len() {
        let Some(found) = deal_at(scene, start, at, year) else { continue };
        if found.is_whole() {
            return Some(found);
        }
        partial = partial.or(Some(found));
    }
    partial
}

/// Where a lawyer's or banker's client is named; the sentence then tells what the client did.
pub(super) fn client_start(scene: &Scene<'_>) -> usize {
    let language = scene.language;
    let Some(hit) = scene.find(language.advises, 0) else { return 0 };
    // `funds advised by A` are no clients.
    if scene.tokens().get(hit.to).is_some_and(|next| is_in(next, language.by)) && !language.verb_last {
        return 0;
    }
    let named_after = scene.runs.iter().any(|run| run.from >= hit.to);
    if named_after || !language.verb_last {
        return if named_after { hit.to } else { 0 };
    }
    find(scene.tokens(), language.helpers, 0, hit.from).map_or(0, |helper| helper.to)
}

fn deal_at(scene: &Scene<'_>, start: usize, at: usize, year: i32) -> Option<Deal> {
    let language = scene.language;
    let tokens = scene.tokens();
    if scene.run_at(at).is_some() {
        return None;
    }
    let from = scene.clause_start(at).max(start);
    if scene.is_contract(at) {
        return None;
    }
    if let Some(found) = offer(scene, from, at, year) {
        return Some(found);
    }
    if let Some(found) = told_buyer(scene, at).or_else(|| passed(scene, from, at, year)) {
        return Some(found);
    }
    if let Some(found) = payment(scene, from, at, year) {
        return Some(found);
    }
    let bought = any_at(tokens, at, language.bought).or_else(|| any_at(tokens, at, language.sold));
    if let Some(hit) = bought {
        let found = Deal {
            target: scene.subject(from, hit.from),
            acquirer: scene.object(hit.to, tokens.len()),
            at,
            ..Deal::default()
        };
        return is_news(scene, hit, year).then_some(found).filter(|found| found.acquirer.is_some());
    }
    if is_counted(scene, at) {
        return None;
    }
    if let Some(hit) = any_at(tokens, at, language.sells) {
        return sale(scene, from, hit).filter(|_| is_news(scene, hit, year));
    }
    let takes = any_at(tokens, at, language.takes).filter(|hit| names_share(scene, *hit));
    let hit = any_at(tokens, at, language.buys).or(takes)?;
    is_news(scene, hit, year).then(|| purchase(scene, from, hit)).flatten()
}

/// `buys six turboprops from A`, `has sold 220 patents to A`: what is counted is no company.
pub(super) fn is_counted(scene: &Scene<'_>, at: usize) -> bool {
    const WORDS: usize = 4;
    let tokens = scene.tokens();
    let tables = [scene.language.buys, scene.language.sells];
    let Some(to) = tables.iter().filter_map(|words| any_at(tokens, at, words)).map(|hit| hit.to).max() else {
        return false;
    };
    let Some(count) = tokens.get(to) else { return false };
    let is_number = count.kind == Kind::Number || number_word(&count.lower).is_some() && !count.is_capital();
    let is_share = scene.share_at(to).is_some()
        || scene.is_sum(to)
        || scene.sums.iter().any(|sum| sum.from <= to && to < sum.to);
    let named = scene.runs.iter().any(|run| (to..to + WORDS).contains(&run.from));
    scene.language.is_english()
        && is_number
        && !is_share
        && !named
        && find(tokens, scene.language.shares, to, to + 5).is_none()
}

/// `is` in all languages; a colon does as well.
const COPULAS: &[&str] =
    &["is", "ist", "est", "es", "è", "é", "är", "are", "was", "sind", "son", "sono", "zijn", "heißt", "will"];

/// `The buyer is A`, `Neuer Eigentümer der Kette B ist A`.
fn told_buyer(scene: &Scene<'_>, at: usize) -> Option<Deal> {
    let tokens = scene.tokens();
    let hit = any_at(tokens, at, scene.language.labels[0])?;
    // `The buyer, A of Zurich, paid`.
    let parted = tokens.get(hit.to).is_some_and(|token| token.is_mark(","));
    if let Some(acquirer) = scene.run_at(hit.to + 1).filter(|_| parted) {
        return Some(Deal { acquirer: Some(acquirer), at, ..Deal::default() });
    }
    let copula = (hit.to..hit.to + PASSIVE_WORDS)
        .find(|at| tokens.get(*at).is_some_and(|token| is_in(token, COPULAS) || token.is_mark(":")))?;
    let target = scene.runs.iter().copied().rfind(|run| run.from >= hit.to && run.to <= copula);
    if target.is_none() && copula > hit.to {
        return None;
    }
    let acquirer = scene.object(copula + 1, tokens.len()).filter(|run| run.from <= copula + 6)?;
    let negated = tokens.get(copula + 1).is_some_and(|next| is_in(next, scene.language.modals));
    (!negated).then_some(Deal { acquirer: Some(acquirer), target, at, ..Deal::default() })
}

/// `A is to pay $5 million for B`.
fn payment(scene: &Scene<'_>, from: usize, at: usize, year: i32) -> Option<Deal> {
    let tokens = scene.tokens();
    let hit = any_at(tokens, at, scene.language.paying.pays).filter(|hit| is_news(scene, *hit, year))?;
    let sum = scene.sums.iter().find(|sum| sum.from >= hit.to && sum.from <= hit.to + 4)?;
    let price_for = find(tokens, scene.language.paying.pays_for, sum.to, sum.to + 8)?;
    let target =
        scene.object(price_for.to, tokens.len()).filter(|run| is_company(scene, price_for.to, *run))?;
    let acquirer = scene.subject(from, hit.from).filter(|acquirer| *acquirer != target)?;
    Some(Deal {
        acquirer: Some(acquirer),
        target: Some(target),
        at,
        minority: is_minority(scene, sum.to),
        ..Deal::default()
    })
}

const OF: &str = "of van von vom der des de du d' di del della do da av till";

/// `B changes hands`: who is sold, and not to whom.
fn passed(scene: &Scene<'_>, from: usize, at: usize, year: i32) -> Option<Deal> {
    let phrases =
        scene.language.passes.iter().copied().filter(|phrase| phrase.contains(' ')).collect::<Vec<_>>();
    let hit = any_at(scene.tokens(), at, &phrases).filter(|hit| is_news(scene, *hit, year))?;
    // `A is the new owner of B` is the other way round.
    if scene
        .tokens()
        .get(hit.to)
        .is_some_and(|next| is_one_of(&next.lower, OF) || is_in(next, scene.language.to))
    {
        return None;
    }
    let after = || {
        let into = scene.tokens().get(hit.to).filter(|next| is_in(next, scene.language.into))?;
        scene.object(hit.to + 1, scene.tokens().len()).filter(|_| !into.text.is_empty())
    };
    let by = by_whom(scene, scene.language.by, hit.to, scene.tokens().len());
    let target = scene.subject(from, hit.from).or_else(after)?;
    Some(Deal { target: Some(target), acquirer: by.filter(|by| *by != target), at, ..Deal::default() })
}

/// Not a plan, not a look back, and nothing else that is acquired: rights, land, customers.
fn is_news(scene: &Scene<'_>, hit: Hit, year: i32) -> bool {
    !scene.is_other(hit.to, hit.to + OTHERS_WORDS) && !scene.is_modal(hit.from) && !is_past(scene, hit, year)
}

/// `With the purchase of B, A gains its first depots`.
fn after_opening(scene: &Scene<'_>, hit: Hit, target: Run) -> Option<Run> {
    const OPENINGS: &str = "with through by mit durch avec par con tras met door com med genom";
    let tokens = scene.tokens();
    let opens = tokens.first().is_some_and(|first| is_one_of(&first.lower, OPENINGS)) && hit.from <= 3;
    let comma = (target.to..tokens.len()).find(|at| tokens.get(*at).is_some_and(|it| it.is_mark(",")))?;
    scene.run_at(comma + 1).filter(|_| opens)
}

fn purchase(scene: &Scene<'_>, from: usize, hit: Hit) -> Option<Deal> {
    let tokens = scene.tokens();
    let language = scene.language;
    if let Some(found) = compound(scene, from, hit) {
        return Some(found);
    }
    if let Some(target) = bought_headline(scene, from, hit) {
        return Some(Deal { target: Some(target), at: hit.from, ..Deal::default() });
    }
    let named_after = scene.object(hit.to, tokens.len()).is_some() || scene.unit(hit.to).is_some();
    if language.verb_last && !named_after {
        return purchase_before(scene, from, hit);
    }
    let unit = scene.unit(hit.to).filter(|unit| !starts_named(scene, *unit) && !is_of_things(scene, *unit));
    // A name after a unit is whose it was: `the dyes business of B`.
    let target = scene.object(hit.to, tokens.len()).filter(|target| is_company(scene, hit.to, *target));
    let target = target.filter(|target| !is_within(scene, unit, *target));
    if let Some(found) = inverted(scene, from, hit) {
        return Some(found);
    }
    let by_near = by_whom(scene, scene.language.by_noun, hit.to, tokens.len())
        .filter(|by| by.from <= hit.to + PASSIVE_WORDS && target.is_none() && unit.is_none());
    if let Some(acquirer) = by_near {
        // `B bought out of receivership by A`.
        let target = scene.subject(from, hit.from).filter(|target| *target != acquirer);
        return Some(Deal { acquirer: Some(acquirer), target, at: hit.from, ..Deal::default() });
    }
    let by =
        target.or(unit).and_then(|target| by_whom(scene, scene.language.by_noun, target.to, tokens.len()));
    // `in May we moved to Ghent, in August we acquired`.
    let subject = || {
        let described = antecedent(scene, hit);
        if described.is_some() || is_of_thing(scene, hit) {
            described
        } else if says_we(scene, hit) {
            ourselves(scene, hit)
        } else {
            permitted(scene, hit).or_else(|| scene.subject(from, hit.from))
        }
    };
    let acquirer = by.or_else(subject).or_else(|| after_opening(scene, hit, target?));
    let acquirer = acquirer.filter(|acquirer| Some(*acquirer) != target);
    let found = Deal { acquirer, target, unit, at: hit.from, minority: is_minority(scene, hit.to) };
    (found.acquirer.is_some() || found.target.is_some()).then_some(found)
}

/// `clearance for A to acquire B`.
fn permitted(scene: &Scene<'_>, hit: Hit) -> Option<Run> {
    let to = hit.from.checked_sub(1).filter(|at| scene.is(*at, &["to"]))?;
    let acts = scene.runs.iter().copied().find(|run| run.to == to && run.from > 0)?;
    scene.is(acts.from - 1, &["for"]).then_some(acts)
}

/// `a new owner in A, which bought out B`.
fn antecedent(scene: &Scene<'_>, hit: Hit) -> Option<Run> {
    let last = hit.from.checked_sub(1).and_then(|at| scene.tokens().get(at))?;
    let comma = hit.from.checked_sub(2)?;
    let parted = scene.tokens().get(comma).is_some_and(|token| token.is_mark(","));
    scene
        .runs
        .iter()
        .copied()
        .find(|run| run.to == comma)
        .filter(|_| parted && is_in(last, &["which", "who"]))
}

/// `the money buys it a year`: what stands right before the verb is no company.
fn is_of_thing(scene: &Scene<'_>, hit: Hit) -> bool {
    const THINGS: &[&str] =
        &["money", "cash", "funds", "proceeds", "deal", "sum", "capital", "investment", "that", "this"];
    let last = hit.from.checked_sub(1).and_then(|at| scene.tokens().get(at));
    scene.language.is_english() && last.is_some_and(|last| is_in(last, THINGS))
}

/// `B snapped up, app to go dark`: a participle without helper and object is passive.
fn bought_headline(scene: &Scene<'_>, from: usize, hit: Hit) -> Option<Run> {
    const PARTICIPLES: &[&str] =
        &["acquired", "bought", "snapped up", "scooped up", "bought out", "taken over", "purchased"];
    let tokens = scene.tokens();
    let verb = find(tokens, PARTICIPLES, hit.from, hit.from + 1).filter(|_| scene.language.is_english())?;
    let ends = tokens
        .get(verb.to)
        .is_none_or(|next| next.is_mark(",;.!:") || is_in(next, &["for", "as", "in", "after"]));
    let helped = tokens.get(hit.from.saturating_sub(4)..hit.from).unwrap_or_default();
    let helped = helped
        .iter()
        .any(|token| is_in(token, &["has", "have", "had", "it", "they", "we", "which", "who", "that"]));
    scene.subject(from, hit.from).filter(|_| ends && !helped && scene.object(verb.to, verb.to + 6).is_none())
}

/// `A enters frozen pizza with B purchase`.
fn compound(scene: &Scene<'_>, from: usize, hit: Hit) -> Option<Deal> {
    any_at(scene.tokens(), hit.from, scene.language.deals)?;
    let target = scene.runs.iter().copied().find(|run| run.to == hit.from && run.from > from)?;
    let last = target.from.checked_sub(1).and_then(|at| scene.tokens().get(at));
    if last.is_some_and(|last| is_in(last, AFTER)) {
        return None;
    }
    let acquirer = scene.subject(from, target.from)?;
    Some(Deal { acquirer: Some(acquirer), target: Some(target), at: hit.from, ..Deal::default() })
}

/// The name after `by`.
pub(super) fn by_whom(scene: &Scene<'_>, words: &[&str], from: usize, until: usize) -> Option<Run> {
    let tokens = scene.tokens();
    let by = (from..until).find(|at| tokens.get(*at).is_some_and(|token| is_in(token, words)))?;
    let is_place = |run: &Run| {
        let last = run.from.checked_sub(1).filter(|at| *at > by).and_then(|at| tokens.get(at));
        last.is_some_and(|last| is_in(last, scene.language.inside))
    };
    scene.object(by + 1, until).filter(|run| run.from <= by + 6 && !is_place(run))
}
