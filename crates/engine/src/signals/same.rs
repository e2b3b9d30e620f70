//! Whether two notices tell of one event.
//!
//! Of rounds and purchases the evidence is weighed: sources name a company in different ways, round sums or tell another part of them, and
//! date a round by its first sale, its announcement or the month somebody remembers. None of these alone decides.

use super::keys::span;
use super::money::ratio;
pub(super) use super::party::is_same_party;
use super::party::{Side, Weight, elsewhere, weigh};
use crate::likeness::{NameParts, compare_names};
use assay_domain::company::Round;
use assay_domain::signal::{Content, Deal, Move, PersonNamed, Post, Posting};
use assay_domain::taxonomy::FundingStage;
use assay_domain::{Notice, PersonName};
use assay_store::graph::{HeldNotice, HeldSignal};

/// From this weight on two notices are one event, if nothing speaks against it.
pub(super) const ONE_EVENT: Weight = 3;
/// From here down they cannot be, whatever others say of both.
pub(super) const TWO_EVENTS: Weight = -2;
const NEVER: Weight = -100;
/// As far from a whole sum as a first closing may be.
const FIRST_CLOSING: Weight = -4;
/// Neither one event nor two, whatever the days between say.
const UNDECIDED: Weight = -2;
/// What the name of the company that was bought weighs where it is surely the same.
const SURE_TARGET: Weight = 7;
/// A source that tells of an event under two references, as an amendment does that corrects what it is known by, says nearly the
/// same in both, within days.
const SAID_AGAIN: Weight = 6;
const SAID_AGAIN_DAYS: i64 = 16;

/// A notice, read once for many comparisons.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub(super) held: &'a HeldNotice,
    company: Side<'a>,
    acquirer: Option<Side<'a>>,
}

impl<'a> Reading<'a> {
    pub(super) fn of(held: &'a HeldNotice) -> Self {
        let (company, acquirer) = match &held.notice.content {
            Content::Acquisition(deal) => (&deal.target, Some(&deal.acquirer)),
            _ => (&held.notice.company, None),
        };
        Self { held, company: Side::of(company), acquirer: acquirer.map(Side::of) }
    }

    /// Whether both may be of one company, whenever.
    pub(super) fn is_of_company(&self, other: &Self) -> bool {
        weigh(&self.company, &other.company).is_some_and(|weight| weight >= TWO_EVENTS)
    }

    pub(super) fn days_from(&self, other: &Self) -> i64 {
        (self.held.notice.occurred_at - other.held.notice.occurred_at).num_hours().abs() / 24
    }
}

/// How much speaks for two notices of one kind being of one event.
pub(super) fn weigh_events(one: &Reading<'_>, other: &Reading<'_>) -> Weight {
    let days = one.days_from(other);
    if days > span(one.held.notice.content.kind()).num_days() {
        return NEVER;
    }
    let told = match (&one.held.notice.content, &other.held.notice.content) {
        (Content::Funding(a), Content::Funding(b)) => {
            let company = weigh(&one.company, &other.company);
            company.map(|company| company + weigh_stages(a, b) + weigh_amounts(a, b) + weigh_days(days))
        }
        (Content::Acquisition(a), Content::Acquisition(b)) => weigh_deals((one, a), (other, b), days),
        _ => None,
    };
    let told = told.unwrap_or(NEVER);
    let is_again = one.held.source != other.held.source || (told >= SAID_AGAIN && days <= SAID_AGAIN_DAYS);
    if is_again { told } else { told.min(TWO_EVENTS) }
}

/// Rounds are told of by a day, a month, or the day the first money came, which may be months before.
const fn weigh_days(days: i64) -> Weight {
    match days {
        ..=3 => 3,
        4..=10 => 2,
        11..=35 => 1,
        36..=65 => -1,
        66..=95 => -3,
        _ => -4,
    }
}

/// A filing knows no stage, and where one sees a large seed another sees a small series A. Loans are seldom filed.
fn weigh_stages(one: &Round, other: &Round) -> Weight {
    use FundingStage::{Debt, Grant, Ipo, Other, PrivateEquity};
    let place = |stage: FundingStage| FundingStage::ALL.iter().position(|known| *known == stage).unwrap_or(0);
    let is_series = |stage: FundingStage| !matches!(stage, Debt | Grant | Ipo | Other | PrivateEquity);
    match (one.stage, other.stage) {
        (Other, Debt | Grant) | (Debt | Grant, Other) => -2,
        (Other, _) | (_, Other) => 0,
        (one, other) if one == other => 3,
        (one, other) if is_series(one) && is_series(other) && place(one).abs_diff(place(other)) == 1 => -4,
        _ => -8,
    }
}

/// Sums are rounded, told before all is in, or with what came before; in another currency at the rate of another day.
fn weigh_amounts(one: &Round, other: &Round) -> Weight {
    let sum = |round: &Round| round.amount.map(|amount| (amount, round.currency.clone()));
    let weight = weigh_sums(sum(one), sum(other));
    // Whoever knows no stage tells what is paid, and the first closing is less than the whole.
    let is_part = |part: &Round, whole: &Round| {
        part.stage == FundingStage::Other
            && whole.stage != FundingStage::Other
            && part.currency == whole.currency
            && part.amount.zip(whole.amount).is_some_and(|(part, whole)| part < whole)
    };
    let may_be_part = is_part(one, other) || is_part(other, one);
    if may_be_part && (FIRST_CLOSING..0).contains(&weight) { 0 } else { weight }
}

fn weigh_sums(one: Option<(i64, Option<String>)>, other: Option<(i64, Option<String>)>) -> Weight {
    let Some((one, other)) = one.zip(other) else { return 0 };
    let Some((percent, is_one_currency)) = ratio((one.0, one.1.as_deref()), (other.0, other.1.as_deref()))
    else {
        return 0;
    };
    match (percent, is_one_currency) {
        (..=102, true) => 4,
        (..=106, true) => 3,
        (..=115, true) | (..=125, false) => 2,
        (..=135, true) => 1,
        (..=150, false) => 0,
        (..=170, true) => -2,
        (..=200, false) => -3,
        (..=260, true) => -4,
        _ => -6,
    }
}

/// Both sides have to be the same. A purchase is told of when it is agreed and again when it is completed.
fn weigh_deals(one: (&Reading<'_>, &Deal), other: (&Reading<'_>, &Deal), days: i64) -> Option<Weight> {
    let target = weigh(&one.0.company, &other.0.company)?;
    let acquirers = (one.0.acquirer.as_ref()?, other.0.acquirer.as_ref()?);
    let sum = |deal: &Deal| deal.price.map(|price| (price, deal.currency.clone()));
    let price = weigh_sums(sum(one.1), sum(other.1)) / 2;
    let time = match days {
        ..=10 => 2,
        11..=60 => 1,
        61..=150 => 0,
        151..=270 => -1,
        // Some have to wait for years until everybody agrees, and some write the wrong year: nobody buys the same company twice.
        _ => -4,
    };
    let sides = match weigh(acquirers.0, acquirers.1) {
        // One side that is surely the same speaks for the other only so far.
        Some(acquirer) => target.min(acquirer + 3) + acquirer.min(target + 3),
        // A company is seldom bought twice within months, and its buyer may file under a name that nobody knows: of the same
        // country, or for the same sum. Rivals that bid for it are seldom either.
        None => {
            let place = elsewhere(acquirers.0, acquirers.1);
            let is_possible = target >= SURE_TARGET && place >= 0;
            let likely = if place > 0 || price > 0 { ONE_EVENT + place } else { UNDECIDED };
            is_possible.then_some(target - SURE_TARGET + likely)?
        }
    };
    Some(sides + price + time)
}

/// Which of these is the event: the one the notice was part of before, else the nearest in time that fits in all that was said.
pub(super) fn find<'a>(
    notice: &Notice,
    own: Option<&'a HeldSignal>,
    others: &'a [HeldSignal],
) -> Option<&'a HeldSignal> {
    if own.is_some() {
        return own;
    }
    let fits = |held: &&HeldSignal| held.notices.iter().any(|said| is_same(notice, &said.notice));
    others.iter().filter(fits).min_by_key(|held| {
        let apart = held.notices.iter().map(|said| (said.notice.occurred_at - notice.occurred_at).abs());
        apart.min()
    })
}

/// Of postings and moves.
pub(super) fn is_same(one: &Notice, other: &Notice) -> bool {
    if (one.occurred_at - other.occurred_at).abs() > span(one.content.kind()) {
        return false;
    }
    match (&one.content, &other.content) {
        (Content::Hiring(a), Content::Hiring(b)) => {
            is_same_party(&one.company, &other.company) && is_same_posting(a, b)
        }
        (Content::JobChange(a), Content::JobChange(b)) => {
            let people = one.person.as_ref().zip(other.person.as_ref());
            people.is_some_and(|(one, other)| is_same_person(one, other)) && is_same_move(a, b)
        }
        _ => false,
    }
}

/// A job that is posted anew, or on another board, is the same job.
fn is_same_posting(one: &Posting, other: &Posting) -> bool {
    let fold = assay_domain::name::fold_text;
    let places_fit = one.locations.is_empty()
        || other.locations.is_empty()
        || one.locations.iter().any(|place| other.locations.iter().any(|there| there.city == place.city));
    fold(&one.title) == fold(&other.title) && places_fit
}

fn is_same_person(one: &PersonNamed, other: &PersonNamed) -> bool {
    if let Some((one, other)) = one.network_url.as_ref().zip(other.network_url.as_ref()) {
        return one == other;
    }
    let parts =
        |person: &PersonNamed| PersonName::parse(&person.full_name).ok().map(|name| NameParts::of(&name));
    let both = parts(one).zip(parts(other));
    both.is_some_and(|(one, other)| compare_names(&one, &other).is_possible())
}

/// To the same company, or from the same where nobody tells whereto.
fn is_same_move(one: &Move, other: &Move) -> bool {
    let same = |one: &Option<Post>, other: &Option<Post>| {
        let both = one.as_ref().zip(other.as_ref());
        both.map(|(one, other)| is_same_party(&one.company, &other.company))
    };
    let (to, from) = (same(&one.to, &other.to), same(&one.from, &other.from));
    to.or(from).unwrap_or(false)
}
