//! Calls at a steady rate, whatever became of those before, and what came of each.

use crate::http_client::{Client, Exchange, Post};
use crate::rig::{Account, Rig, Server};
use anyhow::{Context, Result};
use assay_testkit::Stopwatch;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::JoinSet;

/// A connection that rests longer is not used again.
const IDLE_MAX: Duration = Duration::from_secs(5);

/// Who can answer a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The graph; no vendor is asked.
    Graph,
    /// The vendor that is asked first.
    Before,
    /// The vendor that will fail; two others are asked too.
    Faulty,
    /// The one asked after it.
    Behind,
    /// The vendor that will fail, and nobody else is asked.
    Only,
    /// Nobody, and only that vendor is asked.
    Unknown,
}

impl Kind {
    /// In this proportion, again and again.
    const MIX: [Self; 10] = [
        Self::Graph,
        Self::Before,
        Self::Only,
        Self::Graph,
        Self::Before,
        Self::Faulty,
        Self::Graph,
        Self::Before,
        Self::Behind,
        Self::Unknown,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Before => "before",
            Self::Faulty => "faulty",
            Self::Behind => "behind",
            Self::Only => "only",
            Self::Unknown => "unknown",
        }
    }

    pub const fn wants_faulty(self) -> bool {
        !matches!(self, Self::Graph | Self::Before)
    }

    /// By the price list, in thousandths of a credit.
    pub const fn price(self) -> i64 {
        match self {
            Self::Graph => 1_000,
            Self::Before | Self::Faulty | Self::Behind => 12_000,
            Self::Only | Self::Unknown => 2_000,
        }
    }
}

/// One call, told when it was due.
#[derive(Debug, Clone)]
pub struct Call {
    pub kind: Kind,
    pub number: usize,
    pub due: Duration,
    pub took: Duration,
    pub status: u16,
    pub found: bool,
    /// In thousandths of a credit.
    pub price: i64,
    /// Of a refusal.
    pub code: String,
}

/// Everything a caller needs. Clones share connections and the clock.
#[derive(Debug, Clone)]
pub struct Callers {
    address: SocketAddr,
    accounts: Arc<Vec<Account>>,
    emails: Arc<Vec<String>>,
    /// Connections, and since when nobody uses them.
    idle: Arc<Mutex<Vec<(Client, Duration)>>>,
    pub watch: Stopwatch,
}

impl Callers {
    pub fn new(rig: &Rig, server: &Server) -> Self {
        let known = (0..rig.world().people_count()).filter_map(|index| rig.known(index));
        Self {
            address: server.address,
            accounts: Arc::new(rig.accounts.clone()),
            emails: Arc::new(known.map(|known| known.email).collect()),
            idle: Arc::default(),
            watch: Stopwatch::start(),
        }
    }

    /// Calls until told to stop, and returns when the last is answered.
    pub async fn drive(self, per_second: u32, stop: Arc<AtomicBool>) -> Result<Vec<Call>> {
        let start = self.watch.elapsed();
        let mut calling = JoinSet::new();
        for number in 0_u32.. {
            let due = start + Duration::from_secs(1) * number / per_second;
            tokio::time::sleep(due.saturating_sub(self.watch.elapsed())).await;
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let number = usize::try_from(number)?;
            calling.spawn(self.clone().call(Kind::MIX[number % Kind::MIX.len()], number, due));
        }
        calling.join_all().await.into_iter().collect()
    }

    /// The one used last, unless the node may be about to close it for want of use.
    fn connection(&self) -> Client {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.watch.elapsed();
        idle.retain(|(_, since)| now.saturating_sub(*since) < IDLE_MAX);
        idle.pop().map_or_else(|| Client::new(self.address), |(client, _)| client)
    }

    /// One call, counted from when it was due.
    pub async fn call(self, kind: Kind, number: usize, due: Duration) -> Result<Call> {
        let (path, body) = self.question(kind, number);
        let body = body.to_string();
        let api_key = &self.accounts[number % self.accounts.len()].api_key;
        let post = Post { path, api_key, idempotency_key: None, body: body.as_bytes() };
        let mut client = self.connection();
        let Exchange::Whole(reply) = client.post(&post).await else {
            anyhow::bail!("a call was not answered");
        };
        let took = self.watch.elapsed().saturating_sub(due);
        let price = reply.cost().map_or(0, |cost| cost.credits.thousandths());
        let answer: Value = serde_json::from_slice(reply.body).context("an answer that is no JSON")?;
        let call = Call {
            kind,
            number,
            due,
            took,
            status: reply.status,
            found: answer["found"] == Value::Bool(true),
            price,
            code: answer["code"].as_str().or_else(|| answer["type"].as_str()).unwrap_or_default().to_owned(),
        };
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push((client, self.watch.elapsed()));
        Ok(call)
    }

    fn question(&self, kind: Kind, number: usize) -> (&'static str, Value) {
        let domain = domain_of(kind, number);
        match kind {
            Kind::Graph => ("/v1/enrich", json!({ "email": self.emails[number % self.emails.len()] })),
            Kind::Before | Kind::Faulty | Kind::Behind => {
                ("/v1/find-phone", json!({ "firstName": "Vesna", "lastName": "Quill", "domain": domain }))
            }
            Kind::Only | Kind::Unknown => (
                "/v1/find-personal-email",
                json!({ "kind": "name", "firstName": "Vesna", "lastName": "Quill", "domain": domain }),
            ),
        }
    }
}

/// Nobody is asked for twice, so that nothing is answered from what is kept.
pub fn domain_of(kind: Kind, number: usize) -> String {
    format!("{}-{number}.example", kind.word())
}
