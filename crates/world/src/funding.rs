//! The funding rounds of a company.

use assay_domain::company::{CompanyKind, Round};
use assay_domain::taxonomy::FundingStage;
use chrono::Datelike;

use crate::calendar::{Month, days_before};
use crate::dice::{Aspect, Dice};
use crate::firm::{Base, Firm};

/// The stages in the order companies go through them, with usual amounts in thousand dollars.
const STAGES: [(FundingStage, u64, u64); 7] = [
    (FundingStage::PreSeed, 200, 900),
    (FundingStage::Seed, 900, 4_000),
    (FundingStage::SeriesA, 5_000, 16_000),
    (FundingStage::SeriesB, 15_000, 40_000),
    (FundingStage::SeriesC, 35_000, 90_000),
    (FundingStage::SeriesD, 70_000, 160_000),
    (FundingStage::SeriesE, 120_000, 300_000),
];

/// Older companies grew without the stages that this table knows.
const FUNDED_AGE_YEARS_MOST: i32 = 16;

/// Oldest first.
pub(crate) fn rounds(base: &Base, firm: &Firm<'_>, kind: CompanyKind, employees: u64) -> Vec<Round> {
    let mut dice = base.dice(Aspect::CompanyFunding, firm.index);
    if !draws_investors(base, firm, kind, &mut dice) {
        return Vec::new();
    }
    let reached: usize = match employees {
        0..=8 => 1,
        9..=25 => 2,
        26..=80 => 3,
        81..=220 => 4,
        221..=600 => 5,
        601..=1_500 => 6,
        _ => 7,
    };
    let mut rounds = Vec::new();
    let mut month = Month::january(firm.founded_year).forward(dice.between(4, 16));
    for (stage, least, most) in STAGES.iter().take(reached) {
        let announced_on = days_before(month.forward(1).first_day(), dice.between(2, 26));
        if announced_on >= base.as_of {
            break;
        }
        // Not every company goes through the first stage in public.
        if *stage != FundingStage::PreSeed || reached == 1 || dice.percent(50) {
            rounds.push(round(base, firm, *stage, dice.lean(*least, *most), announced_on, &mut dice));
        }
        month = month.forward(dice.between(11, 26));
    }
    rounds
}

/// Whether a company has investors, without the rounds.
pub(crate) fn is_funded(base: &Base, firm: &Firm<'_>, kind: CompanyKind) -> bool {
    draws_investors(base, firm, kind, &mut base.dice(Aspect::CompanyFunding, firm.index))
}

fn draws_investors(base: &Base, firm: &Firm<'_>, kind: CompanyKind, dice: &mut Dice) -> bool {
    let age = base.as_of.year().saturating_sub(firm.founded_year);
    let eligible = matches!(kind, CompanyKind::Private | CompanyKind::Public) && age <= FUNDED_AGE_YEARS_MOST;
    eligible && dice.percent(firm.sector.funded_percent)
}

fn round(
    base: &Base,
    firm: &Firm<'_>,
    stage: FundingStage,
    thousand_dollars: u64,
    announced_on: chrono::NaiveDate,
    dice: &mut Dice,
) -> Round {
    let count = dice.between(1, 4);
    let investors: Vec<String> =
        base.tables.investors.draw_some(dice, count).map(|name| (*name).to_owned()).collect();
    let disclosed = dice.percent(88);
    Round {
        stage,
        amount: disclosed.then(|| minor_units(thousand_dollars, firm.country.currency)).flatten(),
        currency: disclosed.then(|| firm.country.currency.to_owned()),
        announced_on,
        lead_investors: investors.iter().take(1).cloned().collect(),
        investors,
    }
}

/// The amount in the smallest unit of a currency, at a rough rate, rounded as press releases do.
pub(crate) fn minor_units(thousand_dollars: u64, currency: &str) -> Option<i64> {
    let (units_per_dollar_percent, minor_per_unit) = match currency {
        "GBP" => (80, 100),
        "EUR" => (92, 100),
        "INR" => (8_300, 100),
        "BRL" => (500, 100),
        "JPY" => (15_000, 1),
        "PLN" => (400, 100),
        _ => (100, 100),
    };
    let thousands = thousand_dollars * units_per_dollar_percent / 100;
    let step = match thousands {
        0..=2_000 => 50,
        2_001..=20_000 => 100,
        20_001..=100_000 => 1_000,
        _ => 10_000,
    };
    i64::try_from(thousands / step * step * 1_000 * minor_per_unit).ok()
}
