//! How long money waits: a steady stream of charges on the ledger, measured with and without a flood beside it.

use anyhow::{Context, ensure};
use assay_domain::{AccountId, Clock, Credits, KeyId, RequestId};
use assay_store::ledger::op::{Answer, Op, Record, Settle};
use assay_store::{Database, Ledger};
use chrono::Utc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};

/// Charges a second: a steady trickle, so that each one's time is the database's and not that of a queue.
pub const RATE: u32 = 100;

/// Measures on a thread and a runtime of its own with a ledger of its own: nothing here waits behind the flood's client.
#[derive(Debug)]
pub struct Money {
    ask: mpsc::Sender<Duration>,
    told: mpsc::Receiver<anyhow::Result<Vec<Duration>>>,
}

impl Money {
    pub fn start(ledger_url: String, account: AccountId) -> anyhow::Result<Self> {
        let (ask, asked) = mpsc::channel(1);
        let (tell, told) = mpsc::channel(1);
        std::thread::Builder::new().name("money".into()).spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(answer(&ledger_url, account, asked, tell))
        })?;
        Ok(Self { ask, told })
    }

    /// The 99th percentile of the charges of one round.
    pub async fn round(&mut self, length: Duration) -> anyhow::Result<Duration> {
        self.ask.send(length).await.context("the measuring thread ended")?;
        let mut took = self.told.recv().await.context("the measuring thread ended")??;
        took.sort_unstable();
        percentile(&took, 99).context("a round without a charge")
    }
}

async fn answer(
    ledger_url: &str,
    account: AccountId,
    mut asked: mpsc::Receiver<Duration>,
    tell: mpsc::Sender<anyhow::Result<Vec<Duration>>>,
) -> anyhow::Result<()> {
    let database = Database { connections_max: 2, ..Database::at(ledger_url) };
    let ledger = Ledger::connect(&database, Clock::system()).await?;
    while let Some(length) = asked.recv().await {
        tell.send(measure(&ledger, account, length).await).await?;
    }
    Ok(())
}

async fn measure(ledger: &Ledger, account: AccountId, length: Duration) -> anyhow::Result<Vec<Duration>> {
    let mut took = Vec::new();
    let mut ticks = interval(Duration::from_secs(1) / RATE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let started = Instant::now();
    while started.elapsed() < length {
        ticks.tick().await;
        let op = Op::Settle(Box::new(charge()));
        let asked = Instant::now();
        let answer = ledger.ask(account, op).await?;
        took.push(asked.elapsed());
        ensure!(matches!(answer, Answer::Settled(_)), "a charge was refused: {answer:?}");
    }
    Ok(took)
}

/// What a paid call does to the ledger: a thousandth of a credit, its posting and its row of history, in one commit.
fn charge() -> Settle {
    let at = Utc::now();
    Settle {
        request: RequestId::mint(at),
        hold: None,
        charge: Credits::from_thousandths(1),
        cap: None,
        record: Record {
            in_history: true,
            key: KeyId::new("bar"),
            at,
            endpoint: "enrich",
            status: 200,
            found: true,
            latency: Duration::from_millis(1),
            cached: false,
            cache_age_seconds: None,
            providers: vec!["graph".into()],
            upstream_micros: 0,
            subjects: Vec::new(),
        },
        people: Vec::new(),
        reply: None,
        deed: None,
    }
}

pub fn percentile(sorted: &[Duration], percent: usize) -> Option<Duration> {
    let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(at).copied()
}

pub fn median(mut values: Vec<Duration>) -> Option<Duration> {
    values.sort_unstable();
    percentile(&values, 50)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let values: Vec<Duration> = (1..=200).map(Duration::from_millis).collect();
        assert_eq!(percentile(&values, 99), Some(Duration::from_millis(198)));
        assert_eq!(percentile(&values[..1], 99), Some(Duration::from_millis(1)));
        assert_eq!(percentile(&[], 99), None);
        assert_eq!(
            median(vec![Duration::from_millis(9), Duration::from_millis(1), Duration::from_millis(5)]),
            Some(Duration::from_millis(5))
        );
    }
}
