//! Companies that were bought by larger ones.

use chrono::{Datelike, NaiveDate};

use crate::calendar::{Month, days_before};
use crate::dice::{Aspect, Dice};
use crate::firm::{Base, Firm};
use crate::funding::minor_units;
use crate::pulse::pulse;
use crate::roster::is_local;

/// A company that was bought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acquisition {
    /// The index of the company that bought.
    pub acquirer: u64,
    /// The index of the company that was bought.
    pub target: u64,
    /// Nothing when it was not disclosed.
    pub price: Option<Price>,
    pub announced_on: NaiveDate,
}

/// An amount in minor units of its currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price {
    pub minor_units: i64,
    /// ISO 4217.
    pub currency: &'static str,
}

/// Who bought whom, by the order of the bought.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Takeover {
    acquirer: u32,
    target: u32,
}

/// Of the companies that could be bought.
const BOUGHT_PERCENT: u64 = 6;
const BUYER_PEOPLE_MIN: u64 = 80;
const TARGET_PEOPLE_MIN: u64 = 3;
/// A buyer is at least so many times as large.
const BUYER_TIMES: u64 = 3;
const TRIES: u64 = 40;
const DAYS_MOST: u64 = 1_800;

/// All takeovers. Asks each company once, and only those that were bought look for a buyer.
pub(crate) fn takeovers(base: &Base) -> Vec<Takeover> {
    let companies = 0..base.roster.companies();
    let large = |company: &u64| base.roster.people_at(*company) >= BUYER_PEOPLE_MIN;
    let buyers: Vec<u32> =
        companies.clone().filter(large).filter_map(|company| u32::try_from(company).ok()).collect();
    companies.filter_map(|target| takeover(base, &buyers, target)).collect()
}

fn takeover(base: &Base, buyers: &[u32], target: u64) -> Option<Takeover> {
    let mut dice = base.dice(Aspect::CompanyAcquisition, target);
    let people = base.roster.people_at(target);
    if !dice.percent(BOUGHT_PERCENT) || people < TARGET_PEOPLE_MIN || is_local(base.seed, target) {
        return None;
    }
    let target = base.firm(target);
    if !is_sold(&target) {
        return None;
    }
    let draw = |dice: &mut Dice| {
        let at = dice.below(u64::try_from(buyers.len()).ok()?);
        buyers.get(usize::try_from(at).ok()?).copied()
    };
    let mut second_best = None;
    for _ in 0..TRIES {
        let acquirer = draw(&mut dice)?;
        if base.roster.people_at(u64::from(acquirer)) < people.saturating_mul(BUYER_TIMES) {
            continue;
        }
        let buyer = base.firm(u64::from(acquirer));
        if buyer.index == target.index || !is_sold(&buyer) {
            continue;
        }
        let takeover = Takeover { acquirer, target: u32::try_from(target.index).ok()? };
        // Most buy what they know.
        if buyer.segment.number == target.segment.number || buyer.branch.sector == target.branch.sector {
            return Some(takeover);
        }
        second_best = second_best.or(Some(takeover));
    }
    second_best
}

/// Authorities, schools, charities and law firms are not bought and buy nothing.
fn is_sold(firm: &Firm<'_>) -> bool {
    let law = firm.branch.industry.is_some_and(|industry| industry.as_str() == "Law Practice");
    !law && !matches!(firm.sector.name, "public" | "education")
}

pub(crate) fn acquisition(base: &Base, takeover: Takeover) -> Acquisition {
    let (acquirer, target) = (base.firm(u64::from(takeover.acquirer)), base.firm(u64::from(takeover.target)));
    let mut dice = base.dice(Aspect::AcquisitionFacts, target.index);
    let disclosed = dice.percent(45);
    // One to five times the yearly revenue, as usual in the trade and not by the rule of a model.
    let thousands = pulse(base, &target).revenue_thousand * dice.between(10, 50) / 10;
    let price = minor_units(thousands, acquirer.country.currency)
        .filter(|minor_units| disclosed && *minor_units > 0)
        .map(|minor_units| Price { minor_units, currency: acquirer.country.currency });
    let later = acquirer.founded_year.max(target.founded_year).saturating_add(1).min(base.as_of.year());
    let earliest = Month::january(later).first_day().min(days_before(base.as_of, 1));
    Acquisition {
        acquirer: acquirer.index,
        target: target.index,
        price,
        announced_on: days_before(base.as_of, dice.lean(1, DAYS_MOST)).max(earliest),
    }
}
