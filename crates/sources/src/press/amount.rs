//! Which of the sums of a release is the one that was raised or paid.

use super::deal::names_earlier_year;
use super::funding::speaks_of_round;
use super::language::{any_at, is_in};
use super::money::Sum;
use super::scene::Scene;
use super::stage::stage;
use super::text::Token;
use crate::money::{Money, decimals};
use assay_domain::taxonomy::FundingStage;

/// What a sum is, by the words around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Plain,
    /// Everything so far: only when nothing else is told.
    Total,
    /// What it is all worth: a price when a company is sold, nothing when it raises.
    Value,
    Apart,
}

/// A sum that is paid later, if at all.
const LATER: &[&str] = &[
    "earn-out",
    "earnout",
    "earn-outs",
    "in earn-outs",
    "in earn-out",
    "of earn-out",
    "in milestones",
    "in milestone",
    "in contingent",
    "in deferred",
    "contingent",
    "deferred",
    "milestone",
    "bonus",
    "break fee",
    "termination fee",
    "als earn-out",
    "de complément",
    "de earn-out",
    "di earn-out",
    "aan earn-out",
    "i tilläggsköpeskilling",
];
/// Before a value that is another sum than the one before it.
const AT: &[&str] = &["at", "bei", "zu", "à", "con", "a", "tegen", "op", "com", "till"];
const BEFORE_WORDS: usize = 7;
const AFTER_WORDS: usize = 6;
/// How far a sum may stand from the purchase when it is the only one.
const ALONE_SENTENCES: usize = 4;
/// Less than this is what one share costs.
const SHARE_PRICE_MAX: i64 = 1_000;
/// The exact figure of a body may differ so much from the rounded one of a headline.
const ROUNDED_PERCENT: i64 = 10;
const ROUGH_PERCENT: i64 = 30;

fn role(scene: &Scene<'_>, sum: &Sum, price: bool, year: i32) -> Role {
    let language = scene.language;
    let (before, after) = (scene.before(sum.from, BEFORE_WORDS), scene.after(sum.to, AFTER_WORDS));
    let near_after = after.get(..after.len().min(3)).unwrap_or_default();
    let apart = is_of_aside(scene, sum)
        || scene.says(since_verb(scene, before), language.figures)
        || scene.says(near_after, language.figures)
        || scene.says(after, language.each)
        || scene.says(before, language.pasts)
        || names_earlier_year(before, year)
        || names_earlier_year(after, year)
        || price && any_at(after, 0, LATER).is_some()
        || price && is_of_size(scene, sum)
        || price && is_lent(scene, before, near_after)
        || price && (scene.says(before, language.extras) || any_at(after, 0, language.more).is_some());
    if apart {
        return Role::Apart;
    }
    // `raises $155m at flat valuation`: the other sum, or none, is the value.
    let is_parted = near_after.first().is_some_and(|token| is_in(token, AT));
    // `$1.9 billion in total equity value`.
    let named = after.get(..after.len().min(if price { 5 } else { 3 })).unwrap_or_default();
    if scene.says(before, language.values) || !is_parted && scene.says(named, language.values) {
        return Role::Value;
    }
    let last = before.last().into_iter().chain(before.iter().rev().nth(1));
    if scene.says(before, language.grows) && last.into_iter().any(|token| is_in(token, language.up_to)) {
        return Role::Total;
    }
    // `total consideration of` is no sum of several prices.
    let is_price = price && scene.says(before, language.paying.prices);
    let is_total = scene.says(before, language.totals) && !is_price;
    if is_total || scene.says(near_after, language.totals) { Role::Total } else { Role::Plain }
}

/// `the $9bn industrial distributor`: how large somebody is.
fn is_of_size(scene: &Scene<'_>, sum: &Sum) -> bool {
    const NOUN_WORDS: usize = 3;
    let tokens = scene.tokens();
    let last = sum.from.checked_sub(1).and_then(|at| tokens.get(at));
    let is_article = last.is_some_and(|last| is_in(last, &["the", "a"]));
    let after = scene.after(sum.to, NOUN_WORDS);
    scene.language.is_english() && is_article && after.iter().any(|token| is_in(token, scene.language.kinds))
}

/// `a £60 million banking facility`: what is borrowed to pay with. `$340 million including debt` is a price.
fn is_lent(scene: &Scene<'_>, before: &[Token<'_>], after: &[Token<'_>]) -> bool {
    const LAST_WORDS: usize = 3;
    let last = before.get(before.len().saturating_sub(LAST_WORDS)..).unwrap_or_default();
    let debts = scene.language.stages.iter().filter(|(_, stage)| *stage == FundingStage::Debt);
    let lent = |part: &[Token<'_>]| {
        debts.clone().any(|(phrase, _)| {
            (0..part.len()).any(|at| any_at(part, at, &[phrase]).is_some_and(|hit| hit.to > at))
        })
    };
    let is_counted = scene.says(after, scene.language.extras);
    lent(last) || lent(after) && !is_counted
}

/// The words after the last verb of raising: `Payments` of `Payments unicorn Tollgate raises` tells nothing of the sum.
fn since_verb<'a, 'b>(scene: &Scene<'_>, before: &'a [Token<'b>]) -> &'a [Token<'b>] {
    let verbs = [scene.language.raises, scene.language.invests];
    let is_verb = |at: &usize| verbs.iter().any(|words| any_at(before, *at, words).is_some());
    let last = (0..before.len()).rev().find(is_verb).map_or(0, |at| at + 1);
    before.get(last..).unwrap_or_default()
}

/// `led by A, which oversees $38 billion, put`: a sum of a clause that only describes somebody, and tells no event.
fn is_of_aside(scene: &Scene<'_>, sum: &Sum) -> bool {
    const ASIDE_WORDS: usize = 8;
    let (tokens, language) = (scene.tokens(), scene.language);
    let events =
        [language.raises, language.invests, language.buys, language.bought, language.sells, language.sold];
    let clause = scene.before(sum.from, ASIDE_WORDS);
    let start = sum.from - clause.len();
    let after_comma = start.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|it| it.is_mark(","));
    let is_event = |at: usize| events.iter().any(|words| any_at(tokens, at, words).is_some());
    // `A, die 425.000 euro betaalt`: the verb may come last.
    let after = scene.after(sum.to, 3);
    let is_price = clause.iter().chain(after).any(|token| is_in(token, language.paying.prices));
    // The name before the comma is whom the clause describes; a round that it describes is another matter.
    let of_name = start.checked_sub(1).is_some_and(|comma| scene.runs.iter().any(|run| run.to == comma));
    after_comma
        && of_name
        && clause.first().is_some_and(super::sense::is_relative)
        && !(start..sum.from).any(is_event)
        && !(sum.to..sum.to + after.len()).any(is_event)
        && !is_price
}

fn of_role<'a>(
    scene: &'a Scene<'_>,
    price: bool,
    year: i32,
    wanted: Role,
) -> impl Iterator<Item = Money> + 'a {
    scene.sums.iter().filter(move |sum| role(scene, sum, price, year) == wanted).map(|sum| sum.money)
}

/// The sums of a passage that may be those of a round.
pub(super) fn plain_sums<'a>(scene: &'a Scene<'_>, year: i32) -> impl Iterator<Item = &'a Sum> {
    scene.sums.iter().filter(move |sum| role(scene, sum, false, year) == Role::Plain)
}

/// The sum that was raised.
pub(super) fn raised(title: &Scene<'_>, told: &[&Scene<'_>], year: i32) -> Option<Money> {
    let headline = of_role(title, false, year, Role::Plain).find(is_whole);
    let lead = told.first().into_iter().flat_map(|scene| of_role(scene, false, year, Role::Plain));
    let others = told
        .iter()
        .skip(1)
        .filter(|scene| scene.has(scene.language.raises) || speaks_of_round(scene) || is_answer(scene));
    let sums = lead.chain(others.flat_map(|scene| of_role(scene, false, year, Role::Plain))).filter(is_whole);
    let sums = sums.collect::<Vec<_>>();
    let total = || {
        std::iter::once(title)
            .chain(told.iter().copied().take(2))
            .flat_map(|scene| of_role(scene, false, year, Role::Total))
            .next()
    };
    let proceeds = || {
        let scenes = told.iter().filter(|scene| scene.has(scene.language.paying.proceeds));
        scenes.flat_map(|scene| of_role(scene, false, year, Role::Plain)).next()
    };
    let alone = || {
        let near = std::iter::once(title).chain(told.iter().copied().take(ALONE_SENTENCES));
        only(near.flat_map(|scene| of_role(scene, false, year, Role::Plain)).filter(is_whole))
    };
    exact(headline, &sums, rounding(title)).or_else(proceeds).or_else(total).or_else(alone)
}

/// More than a share costs.
fn is_whole(sum: &Money) -> bool {
    sum.amount / 10_i64.pow(decimals(sum.currency)) >= SHARE_PRICE_MAX
}

/// `How much? $72 million.`: a sentence that is hardly more than a sum.
fn is_answer(scene: &Scene<'_>) -> bool {
    scene.sums.first().is_some_and(|sum| {
        let last = sum.from.checked_sub(1).and_then(|at| scene.tokens().get(at));
        // `Total amount: ¥1.2 billion.`
        sum.from <= 2 || sum.from <= 5 && last.is_some_and(|last| last.is_mark(":"))
    })
}

/// The price that was paid.
pub(super) fn paid(title: &Scene<'_>, told: &[&Scene<'_>], year: i32) -> Option<Money> {
    let headline = of_role(title, true, year, Role::Plain)
        .find(is_whole)
        .or_else(|| of_role(title, true, year, Role::Value).find(is_whole));
    let mut sums = Vec::new();
    let mut totals = Vec::new();
    for (at, scene) in told.iter().enumerate() {
        // What the company bought had raised before is no price.
        let of_round = stage(scene)
            .is_some_and(|stage| !matches!(stage, FundingStage::Debt | FundingStage::PrivateEquity));
        let is_told = at == 0
            || (scene.has(scene.language.paying.prices) || is_answer(scene))
                && (!of_round || names_price(scene));
        if is_told {
            // `which burned $410 million, goes to A for $23 million`.
            sums.extend(scene.sums.iter().filter(|sum| is_paid(scene, sum, year)).map(|sum| sum.money));
            sums.extend(of_role(scene, true, year, Role::Plain));
            sums.extend(of_role(scene, true, year, Role::Value));
            totals.extend(of_role(scene, true, year, Role::Total));
        }
    }
    // What one share costs is no price of them all.
    sums.retain(is_whole);
    exact(headline, &sums, rounding(title)).or_else(|| totals.first().copied()).or_else(|| {
        // What was raised before is no price.
        let near = told.iter().take(ALONE_SENTENCES).filter(|scene| stage(scene).is_none());
        near.flat_map(|scene| of_role(scene, true, year, Role::Plain)).find(is_whole)
    })
}

/// Right after the `for` of a price.
fn is_paid(scene: &Scene<'_>, sum: &Sum, year: i32) -> bool {
    let last = sum.from.checked_sub(1).and_then(|at| scene.tokens().get(at));
    last.is_some_and(|last| is_in(last, scene.language.paying.pays_for))
        && role(scene, sum, true, year) == Role::Plain
}

/// The sum that nothing is said of, when there is no other.
fn only(mut sums: impl Iterator<Item = Money>) -> Option<Money> {
    let first = sums.next()?;
    sums.all(|other| other == first).then_some(first)
}

/// `Der Kaufpreis beträgt 146 Mio.`: the price right before the first sum.
fn names_price(scene: &Scene<'_>) -> bool {
    let sum = scene.sums.first();
    sum.is_some_and(|sum| scene.says(scene.before(sum.from, 4), scene.language.paying.prices))
}

/// How far a headline may round: `more than` and the like say that it does.
fn rounding(title: &Scene<'_>) -> i64 {
    if title.has(title.language.roughly) { ROUGH_PERCENT } else { ROUNDED_PERCENT }
}

/// The sum of the body that the headline rounds; without a headline the first.
fn exact(headline: Option<Money>, sums: &[Money], percent: i64) -> Option<Money> {
    let Some(headline) = headline else { return sums.first().copied() };
    let fits = |sum: &&Money| {
        sum.currency == headline.currency
            && (sum.amount - headline.amount).unsigned_abs()
                <= (headline.amount / 100).saturating_mul(percent).unsigned_abs()
    };
    // `60 million kroner` of the headline are Norwegian ones when the body says so.
    let units = |sum: &Money| sum.amount / 10_i64.pow(decimals(sum.currency));
    let same = |sum: &&Money| units(sum) == units(&headline) && is_kin(sum.currency, headline.currency);
    Some(sums.iter().find(fits).or_else(|| sums.iter().find(same)).copied().unwrap_or(headline))
}

/// Whether two currencies are called alike.
fn is_kin(one: &str, two: &str) -> bool {
    const KIN: &[&[&str]] = &[
        &["USD", "CAD", "AUD", "NZD", "SGD", "HKD", "TWD"],
        &["SEK", "NOK", "DKK", "ISK"],
        &["MXN", "ARS", "CLP", "COP"],
    ];
    KIN.iter().any(|kin| kin.contains(&one) && kin.contains(&two))
}
