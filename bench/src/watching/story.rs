//! What happens, and to whom: signals made up one after the other, each with what lists are to tell of it.

use super::cast::{Cast, FAMOUS, NOBODIES};
use crate::signals::teller::tell_either;
use anyhow::{Result, ensure};
use assay_domain::clock::Stopwatch;
use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

const SEED: u64 = 4_711;
const SOURCE: &str = "bar";
/// A batch of signals is told so often.
const EVERY: Duration = Duration::from_millis(100);
const BATCHES_A_SECOND: usize = 10;
/// More are not on their way at once: a machine that cannot keep up falls behind, and its pace shows it.
const ON_THEIR_WAY_MAX: usize = 30;
/// Of a thousand: how many are about the famous, and about nobody there is a record of.
const OF_FAMOUS: u32 = 5;
const OF_NOBODY: u32 = 15;
/// What is amended was told at least so many postings before.
const AMENDED_AFTER: usize = 40;
/// How much is said of somebody, in turn: with the second it is a spike, and it stays one.
const ENGAGEMENT: [u32; 3] = [2, 4, 9];

/// When it happened, and so whether anybody is told who began to watch later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// Before the lists were made, within the days they look back, or before those.
    Before,
    Now,
}

/// A signal that was told to a node.
#[derive(Debug)]
pub(super) struct Event {
    /// By which it is known again in an answer: no two happened in the same microsecond.
    pub at: i64,
    /// To whom, and what: what lists are to tell. Nothing where nobody is told.
    pub told: Vec<(usize, &'static str)>,
}

#[derive(Debug)]
pub(super) struct Story {
    cast: Arc<Cast>,
    random: ChaCha8Rng,
    begin: DateTime<Utc>,
    count: usize,
    /// How often somebody moved: each time to another company.
    moves: HashMap<usize, usize>,
    /// Companies that have neither raised money nor been part of a purchase.
    fresh: Vec<usize>,
    engagements: usize,
    /// How many people are talked about.
    engaged: usize,
    postings: VecDeque<Value>,
    pub events: Vec<Event>,
}

impl Story {
    pub(super) fn new(cast: Arc<Cast>, engaged: usize, now: DateTime<Utc>) -> Self {
        Self {
            random: ChaCha8Rng::seed_from_u64(SEED),
            begin: now.trunc_subsecs(0),
            count: 0,
            moves: HashMap::new(),
            fresh: cast.unlike.clone(),
            engagements: 0,
            engaged,
            postings: VecDeque::new(),
            events: Vec::new(),
            cast,
        }
    }

    /// Tells so many signals a second to two nodes, whichever is there; how many came to pass a second.
    pub(super) async fn tell(
        &mut self,
        nodes: [SocketAddr; 2],
        operator: &str,
        era: Era,
        (seconds, a_second): (usize, usize),
    ) -> Result<f64> {
        let (mut telling, mut due) = (JoinSet::new(), tokio::time::interval(EVERY));
        let clock = Stopwatch::start();
        for batch in 0..seconds * BATCHES_A_SECOND {
            due.tick().await;
            let signals: Vec<Value> = (0..a_second / BATCHES_A_SECOND).map(|_| self.next(era)).collect();
            let operator = operator.to_owned();
            telling.spawn(async move {
                tell_either(nodes, batch, &operator, (SOURCE, &signals), clock).await.map(drop)
            });
            while telling.len() >= ON_THEIR_WAY_MAX
                && let Some(told) = telling.join_next().await
            {
                told??;
            }
        }
        while let Some(told) = telling.join_next().await {
            told??;
        }
        ensure!(!self.events.is_empty(), "nothing was told");
        Ok(f64::from(u32::try_from(seconds * a_second)?) / clock.elapsed().as_secs_f64())
    }

    fn next(&mut self, era: Era) -> Value {
        let number = self.count;
        self.count += 1;
        let day = match era {
            Era::Now => 0,
            Era::Before if number.is_multiple_of(2) => 2,
            Era::Before => 40,
        };
        let at = self.begin - TimeDelta::days(day) - TimeDelta::hours(1)
            + TimeDelta::milliseconds(i64::try_from(number).unwrap_or(i64::MAX));
        let (mut signal, told) = match number % 20 {
            0..=8 => self.moved(number, "new_company"),
            9 | 10 => self.moved(number, "promotion"),
            11 if era == Era::Now => self.engaged(),
            17 => self.raised().unwrap_or_else(|| self.posted(number)),
            18 => self.bought().unwrap_or_else(|| self.posted(number)),
            19 if self.postings.len() > AMENDED_AFTER => return self.amended(number),
            _ => self.posted(number),
        };
        signal["id"] = json!(format!("told-{number}"));
        signal["occurredAt"] = json!(at);
        if signal["kind"] == "hiring" {
            self.postings.push_back(signal.clone());
        }
        let told = if day > 30 { Vec::new() } else { told };
        self.events.push(Event { at: at.timestamp_micros(), told });
        signal
    }

    /// Most are about any of those there are records of.
    fn draw(&mut self, all: Range<usize>) -> usize {
        let (famous, nobody) = (all.start + FAMOUS, all.end - NOBODIES);
        match self.random.random_range(0..1_000) {
            place if place < OF_FAMOUS => self.random.random_range(all.start..famous),
            place if place < OF_FAMOUS + OF_NOBODY => self.random.random_range(nobody..all.end),
            _ => self.random.random_range(famous..nobody),
        }
    }

    fn moved(&mut self, number: usize, kind: &str) -> (Value, Vec<(usize, &'static str)>) {
        let person = self.draw(self.cast.people.clone());
        let moves = self.moves.entry(person).or_default();
        // To the same company again would be the same move.
        if *moves >= self.cast.unlike.len() {
            return self.posted(number);
        }
        let to = self.cast.unlike[(person + *moves) % self.cast.unlike.len()];
        *moves += 1;
        let from = self.draw(self.cast.companies.clone());
        let from = if kind == "promotion" { to } else { from };
        let signal = json!({
            "kind": "job-change", "company": self.company(to), "person": self.person(person),
            "change": {
                "kind": kind, "from": { "title": "Analyst", "company": self.company(from) },
                "to": { "title": "Head of Sales", "company": self.company(to) },
            },
        });
        (signal, vec![(person, if kind == "promotion" { "title_change" } else { "job_change" })])
    }

    fn engaged(&mut self) -> (Value, Vec<(usize, &'static str)>) {
        let turn = self.engagements;
        self.engagements += 1;
        let person = self.cast.people.start + FAMOUS + turn % self.engaged;
        let count = ENGAGEMENT.get(turn / self.engaged).copied().unwrap_or(1);
        let company = self.draw(self.cast.companies.clone());
        let signal = json!({
            "kind": "engagement", "company": self.company(company), "person": self.person(person),
            "engagement": { "count": count },
        });
        let is_spike = turn / self.engaged == 1;
        (signal, if is_spike { vec![(person, "engagement_spike")] } else { Vec::new() })
    }

    fn posted(&mut self, number: usize) -> (Value, Vec<(usize, &'static str)>) {
        let company = self.draw(self.cast.companies.clone());
        let title = format!("Engineer for product {number}");
        let signal = json!({ "kind": "hiring", "company": self.company(company), "job": { "title": title } });
        (signal, vec![(company, "hiring")])
    }

    fn raised(&mut self) -> Option<(Value, Vec<(usize, &'static str)>)> {
        let company = self.fresh.pop()?;
        let funding = json!({ "stage": "seed", "amount": 100_000_000, "currency": "USD" });
        let signal = json!({ "kind": "funding", "company": self.company(company), "funding": funding });
        Some((signal, vec![(company, "funding")]))
    }

    /// It happens to both sides.
    fn bought(&mut self) -> Option<(Value, Vec<(usize, &'static str)>)> {
        let (target, acquirer) = (self.fresh.pop()?, self.fresh.pop()?);
        let signal = json!({
            "kind": "acquisition", "company": self.company(target),
            "acquisition": { "acquirer": self.company(acquirer) },
        });
        Some((signal, vec![(target, "acquisition"), (acquirer, "acquisition")]))
    }

    /// Said again, and a little different: nothing new happened.
    fn amended(&mut self, number: usize) -> Value {
        let mut signal = self.postings.pop_front().unwrap_or_default();
        signal["job"]["applicants"] = json!(number);
        signal
    }

    fn company(&self, number: usize) -> Value {
        let subject = &self.cast.subjects[number];
        json!({ "name": subject.name, "domain": subject.entry })
    }

    fn person(&self, number: usize) -> Value {
        let subject = &self.cast.subjects[number];
        json!({ "fullName": subject.name, "networkUrl": subject.entry })
    }
}
