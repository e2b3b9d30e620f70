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
const PER_SECOND: f64 = 20.0;
const CONNECTIONS: usize = 64;

/// Milliseconds at the median and at the 99th percentile.
type Times = (f64, f64);

/// What was measured with the standby and without, turn by turn.
#[derive(Debug, Default)]
pub struct Cost {
    turns: Vec<(Times, Times)>,
}

impl Cost {
    /// The middle one over the turns. What disturbs the machine for longer than a turn is in both of its halves, so that ratios are
    /// taken within a turn.
    fn middle(&self, of_turn: impl Fn(Times, Times) -> f64) -> f64 {
        median(self.turns.iter().map(|(with, without)| of_turn(*with, *without)))
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "with the synchronous standby a paid call takes x{:.2} at p50 ({:.1} instead of {:.1} ms) and x{:.2} at p99 ({:.1} instead of \
             {:.1} ms)",
            self.middle(|with, without| with.0 / without.0),
            self.middle(|with, _| with.0),
            self.middle(|_, without| without.0),
            self.middle(|with, without| with.1 / without.1),
            self.middle(|with, _| with.1),
            self.middle(|_, without| without.1),
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
    let mut cost = Cost::default();
    for turn in 1..=turns {
        let with = fire(address, &targets, length).await?;
        tokio::task::block_in_place(|| cluster.set_synchronous(false))?;
        let without = fire(address, &targets, length).await?;
        tokio::task::block_in_place(|| cluster.set_synchronous(true))?;
        progress(format!(
            "turn {turn}: p50 and p99 with the synchronous standby {:.1} and {:.1} ms, without {:.1} and {:.1} ms",
            with.0, with.1, without.0, without.1
        ));
        cost.turns.push((with, without));
    }
    Ok(cost)
}

async fn fire(address: SocketAddr, targets: &Arc<Targets>, length: Duration) -> Result<Times> {
    let schedule = Schedule { address, connections: CONNECTIONS, per_second: PER_SECOND, length };
    let volley = open_loop::run(schedule, targets).await?;
    ensure!(volley.count(200) == volley.shots.len(), "calls failed while nothing was wrong");
    let at = |percent| volley.latency_percentile(percent).as_secs_f64() * 1e3;
    Ok((at(50), at(99)))
}
