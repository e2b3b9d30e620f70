//! Companies that raised money: which rounds are meant, and the company behind one, told once.

use super::account::domains_of;
use super::recent::{FirstAsked, WalkWish, is_told_at_newer};
use super::window::Window;
use crate::context::Context;
use crate::fault::Fault;
use crate::search::firm::FirmFilters;
use crate::search::values::{FilterValue, OneValue, Values};
use assay_domain::company::Round;
use assay_domain::limits::ROUNDS_READ_MAX;
use assay_domain::signal::Content;
use assay_domain::taxonomy::FundingStage;
use assay_domain::{Company, Signal, SignalKind};
use assay_engine::signals::{Moment, RecentFilter};
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use std::cmp::Reverse;

/// What amounts are in where nobody says otherwise.
const CURRENCY: &str = "USD";
/// Accounts of one round are no further apart.
const ONE_ROUND_DAYS: i64 = 45;

/// A currency's code.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Currency(String);

impl FilterValue for Currency {
    fn read(text: &str) -> Result<Self, String> {
        let fits = text.len() == 3 && text.chars().all(|letter| letter.is_ascii_uppercase());
        fits.then(|| Self(text.to_owned()))
            .ok_or_else(|| "invalid code, expected three capital letters".to_owned())
    }

    fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[A-Z]{3}$" })
    }
}

/// The least amount that is meant, and what it is in.
pub fn least(min_amount: Option<i64>, currency: Option<&OneValue<Currency>>) -> Option<(i64, String)> {
    let code = currency.map_or(CURRENCY, |OneValue(Currency(code))| code);
    min_amount.map(|amount| (amount, code.to_owned()))
}

/// Which rounds are meant.
#[derive(Debug, Default)]
pub struct RoundFilter {
    stages: Vec<FundingStage>,
    least: Option<(i64, String)>,
}

impl RoundFilter {
    pub fn new(
        stages: Option<&Values<FundingStage>>,
        min_amount: Option<i64>,
        currency: Option<&OneValue<Currency>>,
    ) -> Self {
        let stages = stages.into_iter().flat_map(Values::iter).copied().collect();
        Self { stages, least: least(min_amount, currency) }
    }

    pub fn takes(&self, round: &Round) -> bool {
        let has_stage = self.stages.is_empty() || self.stages.contains(&round.stage);
        let has_amount = self.least.as_ref().is_none_or(|(least, currency)| {
            round.currency.as_ref() == Some(currency) && round.amount.is_some_and(|amount| amount >= *least)
        });
        has_stage && has_amount
    }
}

/// Which companies that raised money are meant.
#[derive(Debug)]
pub struct FundedSieve {
    rounds: RoundFilter,
    firm: FirmFilters,
    window: Window,
    /// What happened after the first page was asked for is on none.
    first_asked: FirstAsked,
}

impl FundedSieve {
    pub fn new(rounds: RoundFilter, firm: FirmFilters, window: Window, wish: &WalkWish) -> Self {
        Self { rounds, firm, window, first_asked: wish.first_asked() }
    }
}

/// Rounds of the window of this call.
pub fn rounds_of(context: &Context, wish: &WalkWish) -> RecentFilter {
    RecentFilter { since: wish.since(context), ..RecentFilter::all(SignalKind::Funding) }
}

/// Every round of a company that its record or the feed tells of, the newest first; one that both tell of is told once.
pub async fn all_rounds(context: &Context, company: &Company) -> Result<Vec<Round>, Fault> {
    let mut rounds = company.facts.funding_rounds.clone();
    let filter = RecentFilter { domains: domains_of(company), ..RecentFilter::all(SignalKind::Funding) };
    if !filter.domains.is_empty() {
        let before = Moment::after(context.now);
        let told = context.engine.recent_signals(&filter, i64::MAX, before, ROUNDS_READ_MAX).await?;
        for (_, signal) in told.signals {
            if let Content::Funding(round) = signal.content
                && rounds.iter().all(|known| !is_same(known, &round))
            {
                rounds.push(round);
            }
        }
    }
    rounds.sort_by_key(|round| Reverse(round.announced_on));
    Ok(rounds)
}

/// Two accounts of one round differ in the day, and one of them may not know the stage or the amount.
fn is_same(one: &Round, other: &Round) -> bool {
    let days = one.announced_on.signed_duration_since(other.announced_on).num_days().abs();
    let has_amount = one.amount.is_some() && (one.amount, &one.currency) == (other.amount, &other.currency);
    days <= ONE_ROUND_DAYS && (one.stage == other.stage || has_amount)
}

/// The company that raised money, and the round. One that raised twice is told at the newer round that is meant.
pub async fn funded(
    context: &Context,
    sieve: &FundedSieve,
    signal: &Signal,
) -> Result<Option<(Company, Round)>, Fault> {
    let Content::Funding(round) = &signal.content else { return Ok(None) };
    if !sieve.rounds.takes(round) {
        return Ok(None);
    }
    let company = context.engine.company_behind(&signal.company, context.memory.account()).await?;
    let Some(company) = company.filter(|company| sieve.firm.fit(&company.facts)) else { return Ok(None) };
    let is_meant =
        |content: &Content| matches!(content, Content::Funding(round) if sieve.rounds.takes(round));
    let until = sieve.window.end(sieve.first_asked.at(context));
    let is_told = is_told_at_newer(context, &company, signal, until, is_meant).await?;
    Ok((!is_told).then(|| (company, round.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveDate;

    #[test]
    fn two_accounts_of_one_round_are_one() {
        let round = |stage, amount: Option<i64>, month, day| Round {
            stage,
            amount,
            currency: amount.map(|_| "USD".to_owned()),
            announced_on: NaiveDate::from_ymd_opt(2026, month, day).unwrap(),
            investors: Vec::new(),
            lead_investors: Vec::new(),
        };
        let told = round(FundingStage::SeriesA, Some(12), 3, 1);
        assert!(is_same(&told, &round(FundingStage::SeriesA, None, 4, 10)));
        assert!(is_same(&told, &round(FundingStage::Other, Some(12), 2, 20)));
        assert!(!is_same(&told, &round(FundingStage::SeriesB, Some(13), 3, 1)));
        assert!(!is_same(&told, &round(FundingStage::SeriesA, Some(12), 9, 1)));
        assert!(!is_same(&round(FundingStage::Seed, None, 3, 1), &round(FundingStage::Other, None, 3, 1)));
    }
}
