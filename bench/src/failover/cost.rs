//! What the synchronous standby costs: the same calls with it and without, by turns.

use super::cluster::Cluster;
use crate::bar::{median, progress};
use crate::billed::targets::Targets;
use crate::open_loop::{self, Schedule};
use crate::rig::Rig;
use anyhow::{Result, ensure};
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

const PAYERS: usize = 20;
const CALLS: usize = 4_000;
const PER_SECOND: f64 = 40.0;
const CONNECTIONS: usize = 64;

/// Milliseconds at the median and at the 99th percentile, one pair for each turn.
#[derive(Debug, Default)]
struct Times {
    p50: Vec<f64>,
    p99: Vec<f64>,
}

/// Medians over the turns.
#[derive(Debug)]
pub struct Cost {
    with: (f64, f64),
    without: (f64, f64),
}

impl fmt::Display for Cost {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((with_p50, with_p99), (p50, p99)) = (self.with, self.without);
        write!(
            out,
            "a paid call takes x{:.2} at p50 ({p50:.1} to {with_p50:.1} ms) and x{:.2} at p99 ({p99:.1} to {with_p99:.1} ms) with \
             the synchronous standby",
            with_p50 / p50,
            with_p99 / p99
        )
    }
}

/// Leaves the cluster with its synchronous standby.
pub async fn measure(
    cluster: &Cluster,
    rig: &Rig,
    address: SocketAddr,
    turns: usize,
    length: Duration,
) -> Result<Cost> {
    let ledger = rig.ledger().await?;
    let targets = Arc::new(Targets::make(rig, &ledger, PAYERS, CALLS).await?);
    // Opens the connections, so that no turn pays for it.
    fire(address, &targets, length / 4).await?;
    let (mut with, mut without) = (Times::default(), Times::default());
    for turn in 1..=turns {
        with.add(fire(address, &targets, length).await?);
        tokio::task::block_in_place(|| cluster.set_synchronous(false))?;
        without.add(fire(address, &targets, length).await?);
        tokio::task::block_in_place(|| cluster.set_synchronous(true))?;
        let last = |times: &[f64]| times.last().copied().unwrap_or_default();
        progress(format!(
            "turn {turn}: p50 and p99 with the synchronous standby {:.1} and {:.1} ms, without {:.1} and {:.1} ms",
            last(&with.p50),
            last(&with.p99),
            last(&without.p50),
            last(&without.p99)
        ));
    }
    Ok(Cost { with: with.medians(), without: without.medians() })
}

async fn fire(address: SocketAddr, targets: &Arc<Targets>, length: Duration) -> Result<(f64, f64)> {
    let schedule = Schedule { address, connections: CONNECTIONS, per_second: PER_SECOND, length };
    let volley = open_loop::run(schedule, targets).await?;
    ensure!(volley.count(200) == volley.shots.len(), "calls failed while nothing was wrong");
    let at = |percent| volley.latency_percentile(percent).as_secs_f64() * 1e3;
    Ok((at(50), at(99)))
}

impl Times {
    fn add(&mut self, (p50, p99): (f64, f64)) {
        self.p50.push(p50);
        self.p99.push(p99);
    }

    fn medians(self) -> (f64, f64) {
        (median(self.p50), median(self.p99))
    }
}
