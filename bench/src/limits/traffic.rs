//! One account's traffic: nine tenths on one node and the rest over the others, about three times what it may send.

use super::fields::Fields;
use super::send;
use crate::rig::{Account, Server};
use assay_testkit::Stopwatch;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::Barrier;

const MINUTE: Duration = Duration::from_secs(60);
const OVERLOAD: u32 = 3;
const SENDERS_BUSY: usize = 24;
const SENDERS_QUIET: usize = 4;

/// A kind of traffic.
#[derive(Debug)]
pub struct Case {
    pub plan: &'static str,
    pub per_minute: u32,
    /// Whether a minute's worth of traffic is sent at once, before the stream begins.
    pub burst: bool,
    pub length: Duration,
}

/// What came of it.
#[derive(Debug)]
pub struct Seen {
    /// The most admitted in any 60 seconds, in quotas.
    pub most: f64,
    /// Of a stream, the mean of all 60 seconds that end in the run; of a burst, what the first 60 admitted.
    pub used: f64,
    pub admitted: usize,
    pub refused: usize,
    pub shed: usize,
}

/// What one sender does, and what it saw: when each admitted call was answered.
struct Sender {
    burst: Arc<AtomicU32>,
    pause: Duration,
    offset: Duration,
    admitted: Vec<Duration>,
    refused: usize,
    shed: usize,
}

pub async fn run(case: &Case, account: &Account, nodes: &[Server], fields: &Fields) -> anyhow::Result<Seen> {
    let per_second = f64::from(case.per_minute * OVERLOAD) / MINUTE.as_secs_f64();
    let quiet = nodes.len() - 1;
    let barrier = Arc::new(Barrier::new(SENDERS_BUSY + SENDERS_QUIET * quiet));
    let mut senders = Vec::new();
    for (number, node) in nodes.iter().enumerate() {
        let (count, share) =
            if number == 0 { (SENDERS_BUSY, 0.9) } else { (SENDERS_QUIET, 0.1 / f64_of(quiet)) };
        let burst = if case.burst { f64::from(case.per_minute * OVERLOAD) * share } else { 0.0 };
        let burst = Arc::new(AtomicU32::new(rounded(burst)));
        let pause = Duration::from_secs_f64(f64_of(count) / (per_second * share));
        for nth in 0..count {
            let offset = pause.mul_f64(f64_of(nth) / f64_of(count));
            let (admitted, burst) = (Vec::new(), Arc::clone(&burst));
            let sender = Sender { burst, pause, offset, admitted, refused: 0, shed: 0 };
            senders.push(send_all(sender, node, account, fields, case.length, Arc::clone(&barrier)));
        }
    }
    let ended = futures_util::future::try_join_all(senders).await?;
    let mut admitted = ended.iter().flat_map(|sender| sender.admitted.iter().copied()).collect::<Vec<_>>();
    admitted.sort_unstable();
    Ok(Seen {
        most: f64_of(most_in_a_minute(&admitted)) / f64::from(case.per_minute),
        used: mean_in_a_minute(&admitted, if case.burst { MINUTE } else { case.length })
            / f64::from(case.per_minute),
        admitted: admitted.len(),
        refused: ended.iter().map(|sender| sender.refused).sum(),
        shed: ended.iter().map(|sender| sender.shed).sum(),
    })
}

/// First the node's part of the burst, as fast as it goes; then at an even pace.
async fn send_all(
    mut sender: Sender,
    node: &Server,
    account: &Account,
    fields: &Fields,
    length: Duration,
    barrier: Arc<Barrier>,
) -> anyhow::Result<Sender> {
    let mut client = node.client();
    barrier.wait().await;
    let watch = Stopwatch::start();
    let mut due = sender.offset;
    while watch.elapsed() < length {
        let bursting =
            sender.burst.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if bursting.is_err() {
            // What the burst took of the time is not made up for.
            due = due.max(watch.elapsed().saturating_sub(sender.pause)) + sender.pause;
            tokio::time::sleep(due.saturating_sub(watch.elapsed())).await;
        }
        let answer = send(&mut client, account, fields).await?;
        match answer.status {
            200 => sender.admitted.push(watch.elapsed()),
            429 => sender.refused += 1,
            503 => sender.shed += 1,
            other => anyhow::bail!("a call was answered {other}"),
        }
    }
    Ok(sender)
}

fn most_in_a_minute(sorted: &[Duration]) -> usize {
    let mut first = 0;
    let mut most = 0;
    for (last, at) in sorted.iter().enumerate() {
        while *at - sorted[first] > MINUTE {
            first += 1;
        }
        most = most.max(last + 1 - first);
    }
    most
}

/// Over the minutes that end in the run, one every half a second.
fn mean_in_a_minute(sorted: &[Duration], length: Duration) -> f64 {
    let ends = (0..).map(|half| MINUTE + Duration::from_millis(500) * half).take_while(|end| *end <= length);
    let counts = ends.map(|end| sorted.iter().filter(|at| **at <= end && **at + MINUTE > end).count());
    let counts = counts.map(f64_of).collect::<Vec<_>>();
    counts.iter().sum::<f64>() / f64_of(counts.len())
}

fn f64_of(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

fn rounded(number: f64) -> u32 {
    number.round().to_string().parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_is_found_wherever_it_lies() {
        let at = |seconds: &[u64]| seconds.iter().map(|it| Duration::from_secs(*it)).collect::<Vec<_>>();
        assert_eq!(most_in_a_minute(&at(&[])), 0);
        assert_eq!(most_in_a_minute(&at(&[0, 60])), 2);
        assert_eq!(most_in_a_minute(&at(&[0, 61, 100, 121])), 3);
        assert!((mean_in_a_minute(&at(&[10, 20, 80]), Duration::from_secs(60)) - 2.0).abs() < 1e-9);
    }
}
