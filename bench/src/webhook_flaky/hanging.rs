//! How long messages take from the call that causes them to their receiver, alone and beside an endpoint that hangs.

use super::flaky::tell_all;
use super::receiver::{Manner, Receiver};
use super::{Hook, Size, serve};
use crate::bar::{grouped, progress, quantile};
use crate::rig::{Account, Rig, Server};
use anyhow::bail;
use assay_store::Ledger;
use assay_testkit::Stopwatch;
use std::time::{Duration, Instant};

const HOOKS: usize = 8;
/// Messages a second, and the callers that send them.
const RATE: u32 = 40;
const CALLERS: usize = 8;
const PATIENCE: Duration = Duration::from_secs(120);

/// What 99 of 100 messages did not exceed: medians of the rounds, and of their ratios.
#[derive(Debug)]
pub struct Waits {
    pub alone: Duration,
    pub beside: Duration,
    pub ratio: f64,
    pub messages: usize,
    /// The most messages under way to the hanging endpoint at once.
    pub at_once: usize,
}

/// The rounds alternate, so that what else the machine does falls on both alike.
pub async fn run(
    rig: &Rig,
    ledger: &Ledger,
    (fine, hanging): (&Account, &Account),
    size: Size,
) -> anyhow::Result<Waits> {
    let receiver = Receiver::start(|path, _, _| match path {
        "/hanging" => Manner::Hang,
        _ => Manner::Take,
    })
    .await?;
    let server = serve(rig, receiver.address, 1)?;
    let mut client = server.client();
    let mut hooks = Vec::new();
    for number in 0..HOOKS {
        let path = format!("/fine/{number}");
        hooks.push(Hook::make(&mut client, fine, receiver.address, &path).await?);
    }
    // The first messages find connections that are not open yet.
    fire(&server, &receiver, &hooks, size.measured / 4).await?;
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for round in 0..size.rounds {
        alone.push(fire(&server, &receiver, &hooks, size.measured).await?);
        let hook = Hook::make(&mut client, hanging, receiver.address, "/hanging").await?;
        progress(format!("round {}: {} messages for one that hangs", round + 1, grouped(size.backlog)));
        tell_all(&server, std::slice::from_ref(&hook), size.backlog).await?;
        wait_until_it_hangs(ledger, &receiver).await?;
        beside.push(fire(&server, &receiver, &hooks, size.measured).await?);
        let waiting = jobs(ledger).await?;
        if waiting == 0 {
            bail!("nothing waited for the hanging endpoint any more: nothing was measured");
        }
        forget(rig, ledger, &receiver, &hook).await?;
    }
    let at_once = receiver.most_hanging();
    server.stop()?;
    let messages = alone.iter().chain(&beside).map(Vec::len).sum();
    let (mut alone, mut beside) = (p99s("alone", alone), p99s("beside one that hangs", beside));
    let ratio =
        |(alone, beside): (&Duration, &Duration)| beside.as_secs_f64() / alone.as_secs_f64().max(1e-6);
    let mut ratios: Vec<f64> = alone.iter().zip(&beside).map(ratio).collect();
    ratios.sort_by(f64::total_cmp);
    alone.sort_unstable();
    beside.sort_unstable();
    let middle = |count: usize| count.saturating_sub(1) / 2;
    Ok(Waits {
        messages,
        ratio: ratios.get(ratios.len() / 2).copied().unwrap_or(f64::INFINITY),
        alone: alone.get(middle(alone.len())).copied().unwrap_or_default(),
        beside: beside.get(middle(beside.len())).copied().unwrap_or_default(),
        at_once,
    })
}

/// The p99 of each round.
fn p99s(name: &str, rounds: Vec<Vec<Duration>>) -> Vec<Duration> {
    let p99s = rounds.into_iter().map(|mut waits| {
        waits.sort_unstable();
        let shown =
            [500, 900, 990, 1_000].map(|part| format!("{:.1}", quantile(&waits, part).as_secs_f64() * 1e3));
        progress(format!("{name}: p50, p90, p99, most {} ms of {}", shown.join(", "), waits.len()));
        quantile(&waits, 990)
    });
    p99s.collect()
}

/// Sends messages at a steady rate, and says how long each took to its receiver.
async fn fire(
    server: &Server,
    receiver: &Receiver,
    hooks: &[Hook],
    length: Duration,
) -> anyhow::Result<Vec<Duration>> {
    let count = usize::try_from(length.as_millis() * u128::from(RATE) / 1_000)?;
    let began = Instant::now();
    let callers = (0..CALLERS).map(|caller| async move {
        let mut client = server.client();
        let mut sent = Vec::new();
        for number in (caller..count).step_by(CALLERS) {
            let due = began + Duration::from_secs(1) * u32::try_from(number)? / RATE;
            tokio::time::sleep_until(due.into()).await;
            let at = Instant::now();
            match hooks[number % hooks.len()].tell(&mut client).await? {
                Some(id) => sent.push((id, at)),
                None => bail!("a webhook whose receiver is fine was disabled"),
            }
        }
        Ok(sent)
    });
    let sent = futures_util::future::try_join_all(callers).await?.concat();
    let watch = Stopwatch::start();
    loop {
        let seen = receiver.first_seen();
        let waits: Vec<Duration> =
            sent.iter().filter_map(|(id, at)| Some(seen.get(id)?.saturating_duration_since(*at))).collect();
        if waits.len() == sent.len() {
            return Ok(waits);
        }
        if watch.elapsed() > PATIENCE {
            bail!("{} of {} messages did not arrive", sent.len() - waits.len(), sent.len());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A few messages hang, and the others wait for them.
async fn wait_until_it_hangs(ledger: &Ledger, receiver: &Receiver) -> anyhow::Result<()> {
    let watch = Stopwatch::start();
    while !receiver.arrivals().iter().any(|arrival| arrival.path == "/hanging") || jobs(ledger).await? == 0 {
        if watch.elapsed() > PATIENCE {
            bail!("nothing arrived at the hanging endpoint");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

async fn jobs(ledger: &Ledger) -> anyhow::Result<i64> {
    let waiting = "select count(*) from job where queue = 'webhook' and state in ('waiting', 'running')";
    Ok(sqlx::query_scalar(waiting).fetch_one(ledger.pool()).await?)
}

/// Ends the hanging webhook, and waits until nothing is left of it.
async fn forget(rig: &Rig, ledger: &Ledger, receiver: &Receiver, hook: &Hook) -> anyhow::Result<()> {
    let id: String = hook.id.chars().filter(char::is_ascii_alphanumeric).skip(3).collect();
    let gone = format!("delete from webhook_endpoint where replace(id::text, '-', '') = '{id}'");
    assay_testkit::psql(&rig.ledger_url(), &gone)?;
    let watch = Stopwatch::start();
    while jobs(ledger).await? > 0 {
        receiver.release();
        if watch.elapsed() > PATIENCE {
            bail!("the messages of a deleted webhook stay in the queue");
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}
