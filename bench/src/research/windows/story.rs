//! What is told: for every edge of every window something of a company or a person of its own.

use super::cast::{Cast, Company};
use super::judge::Fact;
use super::moments::{Moment, around_begin, around_end, day, last_of, time};
use anyhow::Result;
use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use serde_json::{Value, json};
use std::collections::BTreeSet;

type Times = BTreeSet<DateTime<Utc>>;

/// The title of jobs that are asked for, and one of a company that also has another.
pub const TRADE: &str = "Glassblower";
const TRADE_TOO: &str = "Senior Glassblower";
/// Of jobs that are closed some time.
pub const CLOSING_TRADE: &str = "Stonemason";
/// Four that are posted now, and the one in question.
const DATA_JOBS: [&str; 4] = ["Data Engineer", "Data Analyst", "Data Scientist", "Senior Data Engineer"];
const FIFTH_DATA_JOB: &str = "Senior Data Analyst";
/// Whatever zone a time is written in, it is the same time.
const ZONES_SECONDS: [i32; 4] = [0, 19_800, -39_600, 50_400];

/// The facts, by who is to find them, and the signals that tell of them.
#[derive(Debug)]
pub struct Story {
    pub moves: Vec<Fact>,
    pub moves_at_account: Vec<Fact>,
    pub rounds: Vec<Fact>,
    pub small_rounds: Vec<Fact>,
    pub deals: Vec<Fact>,
    pub jobs: Vec<Fact>,
    pub fast_hirers: Vec<Fact>,
    /// By when they are closed.
    pub closing_jobs: Vec<Fact>,
    /// Which all the movers left.
    pub competitor: String,
    /// To which the movers at the account came.
    pub account: String,
    pub technology: String,
    pub signals: Vec<Value>,
}

impl Story {
    /// Keys of everything that was told of.
    pub fn keys(&self) -> BTreeSet<String> {
        let companies = [&self.rounds, &self.small_rounds, &self.deals, &self.jobs, &self.fast_hirers];
        let others = [&self.moves, &self.moves_at_account, &self.closing_jobs];
        companies.into_iter().chain(others).flatten().map(|fact| fact.key.clone()).collect()
    }
}

pub fn write(mut cast: Cast, moment: &Moment) -> Result<Story> {
    let now = time(moment.now)?;
    let month: Times = &around_begin(time(moment.days_30_before)?) | &around_end(now);
    let mut lately = month.clone();
    for begin in [moment.day_before, moment.days_365_before, moment.since] {
        lately.extend(around_begin(time(begin)?));
    }
    let mut months = lately.clone();
    months.extend(around_begin(day(moment.months_18_before)?));
    months.extend(around_end(last_of(day(moment.months_6_before)?)));
    let quarter: Times = &around_begin(day(moment.quarter)?) | &around_end(now);
    let news: Times = &around_begin(time(moment.days_90_before)?) | &around_end(now);
    let mut desk = Desk { signals: Vec::new(), now };
    let (competitor, elsewhere, account) = (cast.company()?, cast.company()?, cast.company()?);
    let moves = desk.moves(&mut cast, &lately, &competitor, &elsewhere)?;
    let moves_at_account = desk.moves(&mut cast, &news, &elsewhere, &account)?;
    let mut rounds = desk.rounds(&months, || cast.user())?;
    desk.let_hire(&rounds);
    let just_after = |end: DateTime<Utc>| end + TimeDelta::microseconds(1);
    desk.again(&mut rounds, time(moment.days_30_before)?, just_after(now), round);
    let months_end = last_of(day(moment.months_6_before)?);
    desk.again(&mut rounds, day(moment.months_18_before)?, just_after(months_end), round);
    let small_rounds = desk.rounds(&month, || cast.small())?;
    let acquirer = cast.company()?;
    let deals = desk.deals(&mut cast, &month, &acquirer)?;
    let mut jobs = desk.jobs(&mut cast, &lately)?;
    let job_too = |company: &Value| job(company, TRADE_TOO);
    desk.again(&mut jobs, time(moment.days_30_before)?, just_after(now), job_too);
    let fast_hirers = desk.fast_hirers(&mut cast, &quarter)?;
    let closing_jobs = desk.closing_jobs(&mut cast)?;
    Ok(Story {
        moves,
        moves_at_account,
        rounds,
        small_rounds,
        deals,
        jobs,
        fast_hirers,
        closing_jobs,
        competitor: competitor.domain,
        account: account.domain,
        technology: cast.technology,
        signals: desk.signals,
    })
}

/// Where signals are written.
struct Desk {
    signals: Vec<Value>,
    now: DateTime<Utc>,
}

impl Desk {
    fn tell(&mut self, at: DateTime<Utc>, mut signal: Value) {
        let number = self.signals.len();
        signal["id"] = json!(format!("w-{number}"));
        signal["occurredAt"] = json!(in_zone(at, ZONES_SECONDS[number % ZONES_SECONDS.len()]));
        self.signals.push(signal);
    }

    fn moves(&mut self, cast: &mut Cast, times: &Times, from: &Company, to: &Company) -> Result<Vec<Fact>> {
        let mut facts = Vec::new();
        for at in times {
            let somebody = cast.somebody()?;
            let change = json!({
                "kind": "new_company",
                "from": { "title": "Sales Manager", "company": from.named() },
                "to": { "title": "Head of Sales", "company": to.named() },
            });
            let text = "I am happy to share that I have a new job";
            self.tell(
                *at,
                json!({
                    "kind": "job-change", "company": to.named(), "person": somebody.named(), "change": change,
                    "announcement_text": text,
                }),
            );
            facts.push(Fact { key: somebody.url, at: *at });
        }
        Ok(facts)
    }

    fn rounds(&mut self, times: &Times, mut next: impl FnMut() -> Result<Company>) -> Result<Vec<Fact>> {
        let mut facts = Vec::new();
        for at in times {
            let company = next()?;
            self.tell(*at, round(&company.named()));
            facts.push(Fact { key: company.domain, at: *at });
        }
        Ok(facts)
    }

    /// Each has had a job open for long.
    fn let_hire(&mut self, facts: &[Fact]) {
        let posted_at = self.now - TimeDelta::days(700);
        for fact in facts {
            self.tell(posted_at, job(&json!({ "name": fact.key, "domain": fact.key }), "Baker"));
        }
    }

    /// The same happens just after the window to one for which it happened when it began: that one is found all the same.
    fn again(
        &mut self,
        facts: &mut Vec<Fact>,
        begin: DateTime<Utc>,
        at: DateTime<Utc>,
        signal: impl Fn(&Value) -> Value,
    ) {
        if let Some(first) = facts.iter().find(|fact| fact.at == begin).cloned() {
            self.tell(at, signal(&json!({ "name": first.key, "domain": first.key })));
            facts.push(Fact { key: first.key, at });
        }
    }

    fn deals(&mut self, cast: &mut Cast, times: &Times, acquirer: &Company) -> Result<Vec<Fact>> {
        let mut facts = Vec::new();
        for at in times {
            let target = cast.company()?;
            let deal = json!({ "acquirer": acquirer.named() });
            self.tell(*at, json!({ "kind": "acquisition", "company": target.named(), "acquisition": deal }));
            facts.push(Fact { key: target.domain, at: *at });
        }
        Ok(facts)
    }

    fn jobs(&mut self, cast: &mut Cast, times: &Times) -> Result<Vec<Fact>> {
        let mut facts = Vec::new();
        for at in times {
            let company = cast.company()?;
            self.tell(*at, job(&company.named(), TRADE));
            facts.push(Fact { key: company.domain, at: *at });
        }
        Ok(facts)
    }

    /// One job of five is at the edge, without which there are too few.
    fn fast_hirers(&mut self, cast: &mut Cast, times: &Times) -> Result<Vec<Fact>> {
        let mut facts = Vec::new();
        for at in times {
            let company = cast.company()?;
            for title in DATA_JOBS {
                self.tell(self.now, data_job(&company.named(), title));
            }
            self.tell(*at, data_job(&company.named(), FIFTH_DATA_JOB));
            facts.push(Fact { key: company.domain, at: *at });
        }
        Ok(facts)
    }

    fn closing_jobs(&mut self, cast: &mut Cast) -> Result<Vec<Fact>> {
        let mut facts = Vec::new();
        for at in around_end(self.now) {
            let company = cast.company()?;
            let mut signal = job(&company.named(), CLOSING_TRADE);
            signal["job"]["closedAt"] = json!(at.to_rfc3339());
            self.tell(self.now - TimeDelta::days(3), signal);
            facts.push(Fact { key: company.domain, at });
        }
        Ok(facts)
    }
}

fn round(company: &Value) -> Value {
    let funding = json!({ "stage": "seed", "amount": 500_000_000, "currency": "USD" });
    json!({ "kind": "funding", "company": company, "funding": funding })
}

fn job(company: &Value, title: &str) -> Value {
    json!({ "kind": "hiring", "company": company, "job": { "title": title, "applicants": 3 } })
}

fn data_job(company: &Value, title: &str) -> Value {
    let mut job = job(company, title);
    job["job"]["department"] = json!("data");
    job
}

/// The time as clocks show it there.
pub fn in_zone(at: DateTime<Utc>, seconds: i32) -> String {
    FixedOffset::east_opt(seconds)
        .map_or_else(|| at.to_rfc3339(), |zone| at.with_timezone(&zone).to_rfc3339())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_in_other_zones_and_stays_the_same() {
        let at = time("2027-03-31T12:00:00.000001Z").unwrap();
        assert_eq!(in_zone(at, 19_800), "2027-03-31T17:30:00.000001+05:30");
        assert!(ZONES_SECONDS.iter().all(|zone| in_zone(at, *zone).parse::<DateTime<Utc>>() == Ok(at)));
    }
}
