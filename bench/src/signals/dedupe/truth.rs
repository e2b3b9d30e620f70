//! What really happened in the made-up world: rounds and purchases, and whose they are.
//!
//! The world has the rounds that follow each other by years. Added to them is what makes rounds hard to tell apart: extensions
//! of a round and loans beside it, notes before the next, and companies that have the name of another one.

use super::money::in_dollars;
use anyhow::{Context, Result};
use assay_domain::company::Round;
use assay_domain::taxonomy::FundingStage;
use assay_domain::{CompanyId, Domain};
use assay_store::graph::{CompanyWrite, MatchKeys, Rights};
use assay_world::{SyntheticCompany, World};
use chrono::{Days, NaiveDate};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use uuid::Uuid;

/// Seeds and first series are often extended, some months later and by less.
const EXTENDED_PERCENT: u32 = 12;
/// From the second series on a bank lends beside, or soon after.
const LENT_PERCENT: u32 = 10;
/// A note in advance of the next round.
const BRIDGED_PERCENT: u32 = 4;
/// Of companies with investors: those whose name another one has, elsewhere.
const NAMESAKE_PERCENT: u32 = 3;
/// Of all companies, how many the graph knows.
const KNOWN_PERCENT: u32 = 50;

/// A company, as it is.
#[derive(Debug, Clone)]
pub struct Firm {
    pub record: SyntheticCompany,
    pub name: String,
    pub legal_name: String,
    pub domain: Domain,
    pub country: String,
    pub is_known: bool,
}

#[derive(Debug, Clone)]
pub enum Event {
    Round {
        firm: usize,
        round: Round,
        /// What the company had raised with this one, for whoever tells that sum instead.
        raised: Option<i64>,
    },
    Deal {
        acquirer: usize,
        target: usize,
        price: Option<(i64, String)>,
        on: NaiveDate,
    },
}

#[derive(Debug)]
pub struct Truth {
    pub firms: Vec<Firm>,
    pub events: Vec<Event>,
}

pub fn dice(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut dice = ChaCha8Rng::seed_from_u64(seed);
    dice.set_stream(stream);
    dice
}

pub fn chance(dice: &mut ChaCha8Rng, percent: u32) -> bool {
    dice.random_ratio(percent, 100)
}

/// A part of an amount in per cent, in whole thousands of its currency.
pub fn part(amount: i64, percent: i64) -> i64 {
    (amount / 100 * percent) / 100_000 * 100_000
}

impl Truth {
    pub fn draw(world: &World, seed: u64) -> Result<Self> {
        let mut truth = Self { firms: Vec::new(), events: Vec::new() };
        for index in 0..world.company_count() {
            let mut dice = dice(seed, index);
            truth.add_firm(world.company(index), &mut dice)?;
        }
        for index in 0..truth.firms.len() {
            let mut dice = dice(seed ^ 0x5eed, u64::try_from(index).unwrap_or(0));
            let rounds = truth.firms[index].record.facts.funding_rounds.clone();
            truth.add_rounds(index, &with_neighbours(&rounds, &mut dice));
            if !rounds.is_empty() && chance(&mut dice, NAMESAKE_PERCENT) {
                truth.add_namesake(index, &rounds, &mut dice);
            }
        }
        for index in 0..world.acquisition_count() {
            truth.events.extend(world.acquisition(index).and_then(|deal| {
                Some(Event::Deal {
                    acquirer: usize::try_from(deal.acquirer).ok()?,
                    target: usize::try_from(deal.target).ok()?,
                    price: deal.price.map(|price| (price.minor_units, price.currency.to_owned())),
                    on: deal.announced_on,
                })
            }));
        }
        Ok(truth)
    }

    pub fn rounds(&self) -> usize {
        self.events.iter().filter(|event| matches!(event, Event::Round { .. })).count()
    }

    fn add_firm(&mut self, record: SyntheticCompany, dice: &mut ChaCha8Rng) -> Result<()> {
        let facts = &record.facts;
        let place = facts.headquarters.clone().unwrap_or_default();
        let country = place.country.unwrap_or_else(|| "US".to_owned());
        let domain = facts.domain.clone().context("a company of the world has no domain")?;
        self.firms.push(Firm {
            name: facts.name.clone(),
            legal_name: facts.legal_name.clone().unwrap_or_else(|| facts.name.clone()),
            domain,
            country,
            is_known: chance(dice, KNOWN_PERCENT),
            record,
        });
        Ok(())
    }

    fn add_rounds(&mut self, firm: usize, rounds: &[Round]) {
        let mut raised = 0;
        for round in rounds {
            raised += round.amount.unwrap_or(0);
            let raised = round.amount.map(|_| raised);
            self.events.push(Event::Round { firm, round: round.clone(), raised });
        }
    }

    /// In another country, and about as old: what is in fashion is founded, and financed, at the same time.
    fn add_namesake(&mut self, of: usize, rounds: &[Round], dice: &mut ChaCha8Rng) {
        let original = self.firms[of].clone();
        let elsewhere = ["US", "GB", "DE", "FR"].iter().find(|code| **code != original.country);
        let country = elsewhere.map_or("US", |code| *code).to_owned();
        let form = match country.as_str() {
            "GB" => "Ltd",
            "DE" => "GmbH",
            "FR" => "SAS",
            _ => "Inc.",
        };
        let label = original.domain.as_str().trim_end_matches(".example").to_owned();
        let label = match dice.random_range(0..3) {
            0 => format!("get{label}"),
            1 => format!("{label}{}", country.to_lowercase()),
            _ => format!("{label}-app"),
        };
        let Ok(domain) = Domain::parse(&format!("{label}.example")) else { return };
        let mut record = original.record.clone();
        record.id = CompanyId::from_uuid(Uuid::from_u128(dice.random()));
        record.facts.domain = Some(domain.clone());
        record.facts.network_url = None;
        record.facts.legal_name = Some(format!("{} {form}", original.name));
        if let Some(place) = &mut record.facts.headquarters {
            (place.country, place.city, place.region) = (Some(country.clone()), None, None);
        }
        let currency = currency_of(&country).to_owned();
        let later = dice.random_range(0..800_i64) - 400;
        let times = dice.random_range(30..300);
        let mut rates = dice.clone();
        let mut move_round = |round: &Round| {
            let sum = round.amount.zip(round.currency.clone()).map(|sum| in_dollars(&sum, &mut rates));
            Round {
                amount: sum.map(|(amount, _)| part(amount, times)),
                currency: round.currency.as_ref().map(|_| currency.clone()),
                announced_on: later_by(round.announced_on, later),
                ..round.clone()
            }
        };
        let most = dice.random_range(1..=3);
        let rounds: Vec<Round> = rounds.iter().take(most).map(&mut move_round).collect();
        self.firms.push(Firm {
            name: original.name.clone(),
            legal_name: format!("{} {form}", original.name),
            domain,
            country,
            is_known: chance(dice, KNOWN_PERCENT),
            record,
        });
        self.add_rounds(self.firms.len() - 1, &rounds);
    }
}

/// The rounds of a company with what comes between them, oldest first.
fn with_neighbours(rounds: &[Round], dice: &mut ChaCha8Rng) -> Vec<Round> {
    let mut all = Vec::new();
    for (at, round) in rounds.iter().enumerate() {
        let next = rounds.get(at + 1).map(|next| next.announced_on);
        all.push(round.clone());
        let less = |stage: FundingStage, percent: i64, days: u64| Round {
            stage,
            amount: round.amount.map(|amount| part(amount, percent)),
            announced_on: round.announced_on + Days::new(days),
            investors: round.investors.iter().take(1).cloned().collect(),
            lead_investors: Vec::new(),
            ..round.clone()
        };
        let is_early = matches!(round.stage, FundingStage::Seed | FundingStage::SeriesA);
        let is_late = matches!(
            round.stage,
            FundingStage::SeriesB | FundingStage::SeriesC | FundingStage::SeriesD | FundingStage::SeriesE
        );
        if is_early && chance(dice, EXTENDED_PERCENT) {
            let more = less(round.stage, dice.random_range(20..60), dice.random_range(80..300));
            all.extend(Some(more).filter(|more| next.is_none_or(|next| more.announced_on < next)));
        }
        if is_late && chance(dice, LENT_PERCENT) {
            all.push(less(FundingStage::Debt, dice.random_range(15..45), dice.random_range(0..120)));
        }
        if let Some(next) = next.filter(|_| chance(dice, BRIDGED_PERCENT)) {
            let days = dice.random_range(70..200);
            let mut note = less(FundingStage::Other, dice.random_range(10..40), 0);
            note.announced_on = next - Days::new(days);
            all.extend(Some(note).filter(|note| note.announced_on > round.announced_on + Days::new(60)));
        }
    }
    all.sort_by_key(|round| round.announced_on);
    all
}

pub fn later_by(day: NaiveDate, days: i64) -> NaiveDate {
    day + chrono::TimeDelta::days(days)
}

fn currency_of(country: &str) -> &'static str {
    match country {
        "GB" => "GBP",
        "DE" | "FR" | "ES" | "NL" => "EUR",
        "IN" => "INR",
        "BR" => "BRL",
        "JP" => "JPY",
        "PL" => "PLN",
        _ => "USD",
    }
}

/// As the graph has it.
pub fn company_write(key: &assay_domain::IdentityKey, firm: &Firm) -> CompanyWrite {
    let company = firm.record.clone();
    CompanyWrite {
        identities: assay_engine::identities::of_company(key, &company.facts),
        match_keys: MatchKeys {
            held: assay_engine::identities::keys_of_company(key, &company.facts),
            dropped: Vec::new(),
        },
        rights: Rights::default(),
        id: company.id,
        facts: company.facts,
        provenance: company.provenance,
        refreshed_at: company.refreshed_at,
    }
}
