//! What three kinds of source say of one event, each in its own way.
//!
//! Written down from what such sources are, before any rule was fitted to it, and not from what the rules can tell:
//!
//! - **A filing.** In the United States a form D: it has the day of the first sale, which is mostly some weeks before anybody hears
//!   of the round and in some cases months, the sum sold by then to the cent and in dollars, the legal name in whatever capitals,
//!   the country, and no stage. Some have no sale yet and are dated by their filing. A seventh is amended, under the same
//!   reference; a few amendments correct the day of the first sale and are another paper by all one can tell. Elsewhere it is the register
//!   of companies: dated when a clerk got to it, weeks after, and with nominal capital, which is no sum of a round, in
//!   most cases. Loans of banks are seldom filed. A purchase is filed (8-K, item 2.01) when it is completed.
//! - **A press release.** On the day, or some days later by another wire; the name that the company is called by; the stage as it is told,
//!   if it is; a rounded sum in its own currency or in dollars, at times with an earlier closing or with all that was ever
//!   raised; investors.
//! - **A row of a database.** Known by the address on the web, which may be all there is of the company; the day as it was,
//!   or only the month, or the day of the article somebody read, or a wrong month, or now and then a wrong year; mostly a stage, at times the
//!   neighbouring one; a sum in dollars or as it was told, or none.

use super::money::{self, Habits, Sum, exact, in_dollars, sold, told};
use super::spelling::{in_database, in_filing, in_release};
use super::truth::{Event, Firm, Truth, chance, dice, later_by};
use assay_domain::company::Round;
use assay_domain::signal::{Content, Deal, Party};
use assay_domain::taxonomy::FundingStage;
use assay_domain::{Confidence, Notice};
use chrono::{DateTime, Datelike, NaiveDate, TimeDelta, Utc};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;

pub const FILINGS: &str = "filings";
pub const WIRE: &str = "rss/wire";
pub const DATABASE: &str = "rows";

const RELEASE_SUMS: Habits =
    Habits { silent: 10, dollars: 20, with_earlier: 5, all_so_far: 2, two_digits: 65 };
const ROW_SUMS: Habits = Habits { silent: 12, dollars: 60, with_earlier: 4, all_so_far: 1, two_digits: 40 };

/// What a source says, and of which event.
#[derive(Debug, Clone)]
pub struct Said {
    pub event: usize,
    pub source: &'static str,
    pub notice: Notice,
}

/// All that all sources say of all that happened. A paper that is amended is there twice, under one reference.
pub fn say(truth: &Truth, seed: u64) -> Vec<Said> {
    let mut speaker = Speaker { firms: &truth.firms, papers: HashSet::new(), said: Vec::new() };
    for (event, what) in truth.events.iter().enumerate() {
        let mut dice = dice(seed ^ 0xd1e5, u64::try_from(event).unwrap_or(0));
        match what {
            Event::Round { firm, round, raised } => {
                speaker.file_round(event, *firm, round, &mut dice);
                speaker.release_round(event, *firm, (round, *raised), &mut dice);
                speaker.enter_round(event, *firm, (round, *raised), &mut dice);
            }
            Event::Deal { acquirer, target, price, on } => {
                let sides = (&truth.firms[*acquirer], &truth.firms[*target]);
                speaker.file_deal(event, sides, (price, *on), &mut dice);
                speaker.release_deal(event, sides, (price, *on), &mut dice);
                speaker.enter_deal(event, sides, (price, *on), &mut dice);
            }
        }
    }
    speaker.said
}

struct Speaker<'a> {
    firms: &'a [Firm],
    /// References of filings that there are.
    papers: HashSet<String>,
    said: Vec<Said>,
}

impl Speaker<'_> {
    fn add(&mut self, event: usize, source: &'static str, notice: Notice) {
        self.said.push(Said { event, source, notice });
    }

    fn file_round(&mut self, event: usize, number: usize, round: &Round, dice: &mut ChaCha8Rng) {
        if round.stage == FundingStage::Debt && !chance(dice, 30) {
            return;
        }
        let firms = self.firms;
        let firm = &firms[number];
        let sum = round.amount.zip(round.currency.clone());
        let is_form_d = firm.country == "US";
        let (at, amount) = if is_form_d {
            let sold = sum.map(|sum| in_dollars(&sum, dice)).map(|(sum, code)| (sold(sum, dice), code));
            (first_sale(round.announced_on, dice), sold)
        } else {
            let entered = later_by(round.announced_on, dice.random_range(3..60));
            (midnight(entered), sum.filter(|_| chance(dice, 25)).map(|(sum, code)| (exact(sum, dice), code)))
        };
        let party = in_filing(firm, firms, dice);
        let reference = self.paper(format!("{number}/{}", at.date_naive()));
        let paper = |reference: String, at: DateTime<Utc>, amount: Option<Sum>| Notice {
            confidence: Confidence::percent(95),
            ..round_notice(reference, at, party.clone(), (FundingStage::Other, amount, &[]))
        };
        self.add(event, FILINGS, paper(reference.clone(), at, amount.clone()));
        if is_form_d && chance(dice, 14) {
            let more = dice.random_range(100..140);
            let amount = amount.map(|(sum, code)| (sum / 100 * more, code));
            let corrected = chance(dice, 10);
            let at = if corrected { at - TimeDelta::days(dice.random_range(1..15)) } else { at };
            let reference =
                if corrected { self.paper(format!("{number}/{}", at.date_naive())) } else { reference };
            self.add(event, FILINGS, paper(reference, at, amount));
        }
    }

    fn release_round(
        &mut self,
        event: usize,
        firm: usize,
        (round, raised): (&Round, Option<i64>),
        dice: &mut ChaCha8Rng,
    ) {
        let stage = match dice.random_range(0..100) {
            0..13 => FundingStage::Other,
            13..15 => beside(round.stage, dice),
            _ => round.stage,
        };
        let sum = round.amount.zip(round.currency.clone());
        let sum = sum.and_then(|sum| told(&sum, raised, &RELEASE_SUMS, dice));
        let party = in_release(&self.firms[firm], dice);
        let at = published(round.announced_on, dice);
        let reference = format!("release-{event}");
        let notice = round_notice(reference, at, party, (stage, sum, &round.investors));
        self.add(event, WIRE, Notice { confidence: Confidence::percent(80), ..notice });
    }

    fn enter_round(
        &mut self,
        event: usize,
        firm: usize,
        (round, raised): (&Round, Option<i64>),
        dice: &mut ChaCha8Rng,
    ) {
        let stage = match dice.random_range(0..100) {
            0..6 => FundingStage::Other,
            6..9 => beside(round.stage, dice),
            _ => round.stage,
        };
        let sum = round.amount.zip(round.currency.clone());
        let sum = sum.and_then(|sum| told(&sum, raised, &ROW_SUMS, dice));
        let party = in_database(&self.firms[firm], dice);
        let at = entered(round.announced_on, dice);
        let notice = round_notice(format!("row-{event}"), at, party, (stage, sum, &round.investors));
        self.add(event, DATABASE, Notice { confidence: Confidence::percent(85), ..notice });
    }

    /// When it was completed, which may be long after.
    fn file_deal(
        &mut self,
        event: usize,
        (acquirer, target): (&Firm, &Firm),
        (price, on): (&Option<Sum>, NaiveDate),
        dice: &mut ChaCha8Rng,
    ) {
        let days = match dice.random_range(0..100) {
            0..35 => dice.random_range(0..6),
            35..75 => dice.random_range(6..61),
            75..95 => dice.random_range(61..151),
            _ => dice.random_range(151..240),
        };
        let price = price.clone().filter(|_| chance(dice, 60)).map(|(sum, code)| (exact(sum, dice), code));
        let (acquirer, target) = (in_filing(acquirer, self.firms, dice), in_filing(target, self.firms, dice));
        let at = midnight(later_by(on, days));
        self.add(event, FILINGS, deal_notice(format!("deal-{event}"), at, (acquirer, target), price));
    }

    fn release_deal(
        &mut self,
        event: usize,
        (acquirer, target): (&Firm, &Firm),
        (price, on): (&Option<Sum>, NaiveDate),
        dice: &mut ChaCha8Rng,
    ) {
        let price = price.clone().and_then(|sum| told(&sum, None, &RELEASE_SUMS, dice));
        let sides = (in_release(acquirer, dice), in_release(target, dice));
        let at = published(on, dice);
        self.add(event, WIRE, deal_notice(format!("deal-{event}"), at, sides, price));
    }

    fn enter_deal(
        &mut self,
        event: usize,
        (acquirer, target): (&Firm, &Firm),
        (price, on): (&Option<Sum>, NaiveDate),
        dice: &mut ChaCha8Rng,
    ) {
        let price = price.clone().and_then(|sum| told(&sum, None, &ROW_SUMS, dice));
        let sides = (in_database(acquirer, dice), in_database(target, dice));
        let at = entered(on, dice);
        self.add(event, DATABASE, deal_notice(format!("deal-{event}"), at, sides, price));
    }

    /// A reference that no other paper has.
    fn paper(&mut self, wanted: String) -> String {
        let mut reference = wanted;
        while !self.papers.insert(reference.clone()) {
            reference.push('+');
        }
        reference
    }
}

fn midnight(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(chrono::NaiveTime::MIN).and_utc()
}

/// Of a form D: the day of the first sale, or of the filing where nothing is sold yet.
fn first_sale(announced: NaiveDate, dice: &mut ChaCha8Rng) -> DateTime<Utc> {
    let before = match dice.random_range(0..100) {
        // Told of when it is signed, paid some days later.
        0..6 => -dice.random_range(1..11),
        6..40 => dice.random_range(0..6),
        40..80 => dice.random_range(6..31),
        80..95 => dice.random_range(31..61),
        _ => dice.random_range(61..121),
    };
    let sale = midnight(later_by(announced, -before));
    if chance(dice, 8) {
        return sale
            + TimeDelta::days(dice.random_range(1..16))
            + TimeDelta::minutes(dice.random_range(0..1_400));
    }
    sale
}

fn published(announced: NaiveDate, dice: &mut ChaCha8Rng) -> DateTime<Utc> {
    let days = if chance(dice, 12) { dice.random_range(1..5) } else { 0 };
    midnight(later_by(announced, days)) + TimeDelta::minutes(dice.random_range(300..1_400))
}

/// The day a row has.
fn entered(announced: NaiveDate, dice: &mut ChaCha8Rng) -> DateTime<Utc> {
    let day = match dice.random_range(0..1_000) {
        0..550 => announced,
        550..800 => announced.with_day(1).unwrap_or(announced),
        800..940 => later_by(announced, dice.random_range(0..15) - 4),
        940..995 => {
            let days = if chance(dice, 50) { 30 } else { -30 };
            later_by(announced, days)
        }
        _ => later_by(announced, if chance(dice, 50) { 365 } else { -365 }),
    };
    midnight(day)
}

/// One stage up or down: where one source sees a large seed another sees a small series A.
fn beside(stage: FundingStage, dice: &mut ChaCha8Rng) -> FundingStage {
    let at = FundingStage::ALL.iter().position(|known| *known == stage).unwrap_or(0);
    let at = if chance(dice, 50) { at + 1 } else { at.saturating_sub(1) };
    let is_series = |stage: &FundingStage| {
        !matches!(
            stage,
            FundingStage::PrivateEquity | FundingStage::Debt | FundingStage::Grant | FundingStage::Ipo
        )
    };
    FundingStage::ALL.get(at).copied().filter(is_series).unwrap_or(FundingStage::Other)
}

fn round_notice(
    reference: String,
    occurred_at: DateTime<Utc>,
    company: Party,
    (stage, sum, investors): (FundingStage, Option<Sum>, &[String]),
) -> Notice {
    let (amount, currency) = sum.map_or((None, None), |(amount, code)| (Some(amount), Some(code)));
    Notice {
        reference,
        url: None,
        occurred_at,
        company,
        person: None,
        confidence: Confidence::percent(80),
        content: Content::Funding(Round {
            stage,
            amount,
            currency,
            announced_on: occurred_at.date_naive(),
            investors: investors.to_vec(),
            lead_investors: Vec::new(),
        }),
    }
}

fn deal_notice(
    reference: String,
    occurred_at: DateTime<Utc>,
    (acquirer, target): (Party, Party),
    sum: Option<money::Sum>,
) -> Notice {
    let (price, currency) = sum.map_or((None, None), |(price, code)| (Some(price), Some(code)));
    Notice {
        reference,
        url: None,
        occurred_at,
        company: target.clone(),
        person: None,
        confidence: Confidence::percent(85),
        content: Content::Acquisition(Deal {
            acquirer,
            target,
            price,
            currency,
            announced_on: occurred_at.date_naive(),
        }),
    }
}
