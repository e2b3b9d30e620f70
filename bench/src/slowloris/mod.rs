//! The `slowloris` bar: thousands of connections that ask nothing, or ask as slowly as they can, must not be noticed by those
//! who call, and must be closed when their time is over.
//!
//! Calls at a fixed rate are timed with and without the flood, in turns, because the machine is noisy; what counts is the
//! median of the ratios.

mod flood;

use crate::bar::{Complaints, Verdict, progress};
use crate::billed::load::{self, Pace};
use crate::billed::targets::Targets;
use crate::open_loop::{self, Schedule};
use crate::overload::process::Process;
use crate::overload::roomy_postgres;
use crate::rig::{Rig, RigOptions, Server};
use anyhow::Result;
use assay_domain::limits::{BODY_READ_DEADLINE, CONNECTION_IDLE_MAX, HEADER_READ_DEADLINE, WRITE_STALL_MAX};
use flood::{Ends, Flood, Kind};
use std::sync::Arc;
use std::time::Duration;

const P99_RATIO_MAX: f64 = 1.5;
/// Of the closed loop's rate: about a third of what the service can carry.
const RATE_SHARE: f64 = 0.25;
/// The service is told of a connection's beginning and end a moment after the client.
const SETTLE: Duration = Duration::from_millis(500);
/// How much later than its deadline a connection may be closed.
const GRACE: Duration = Duration::from_secs(3);

struct Size {
    idle: usize,
    slow_heads: usize,
    slow_readers: usize,
    slow_bodies: usize,
    rounds: usize,
    seconds: u64,
    /// Whether to wait until the idle ones are closed too.
    to_the_end: bool,
}

const FULL: Size = Size {
    idle: 5_000,
    slow_heads: 500,
    slow_readers: 100,
    slow_bodies: 100,
    rounds: 7,
    seconds: 6,
    to_the_end: true,
};

const SHORT: Size = Size {
    idle: 1_000,
    slow_heads: 100,
    slow_readers: 0,
    slow_bodies: 0,
    rounds: 3,
    seconds: 2,
    to_the_end: false,
};

pub async fn run(short: bool) -> Result<Verdict> {
    let size = if short { SHORT } else { FULL };
    let rig = Rig::start(RigOptions {
        failpoints: false,
        accounts: 0,
        people: 2_000,
        postgres: roomy_postgres(),
        one_database: true,
    })?;
    let targets = Arc::new(Targets::make(&rig, &rig.ledger().await?, 100, 20_000).await?);
    let server = rig.serve(&[])?;
    let closed = load::run(server.address, &targets, 32, Pace::Closed, size.seconds).await?;
    let per_second = closed.per_second * RATE_SHARE;
    progress(format!("closed loop: {:.0} calls/s; calls are timed at {per_second:.0}/s", closed.per_second));
    let process = Process(server.pid());
    // First of all, because memory that was used once is not given back.
    let (silent, used) = connection_memory(&server, size.idle).await?;
    progress(format!(
        "an idle connection takes {silent} B of memory before its first call, {used} B after it"
    ));
    let mut complaints = Complaints::default();
    let mut ratios = Vec::new();
    for round in 1..=size.rounds {
        let alone = time_calls(&server, &targets, per_second, size.seconds).await?;
        let before = process.rss()?;
        let flood = open(&server, &size).await?;
        let grown = process.rss()?.saturating_sub(before);
        let files = process.open_files()?;
        let beside = time_calls(&server, &targets, per_second, size.seconds).await?;
        ratios.push(beside.as_secs_f64() / alone.as_secs_f64());
        progress(format!(
            "round {round}: p99 {alone:?} alone, {beside:?} beside {} connections, {files} files open, {} KiB more memory",
            flood.len(),
            grown / 1024
        ));
        if round == size.rounds {
            let last = if size.to_the_end { CONNECTION_IDLE_MAX } else { HEADER_READ_DEADLINE };
            check_ends(&flood.watch_until(last + GRACE).await, &size, &mut complaints);
        }
    }
    ratios.sort_by(f64::total_cmp);
    let ratio = ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN);
    let figure = format!(
        "slowloris: p99 {ratio:.2} x beside {} idle and {} slow connections (bar {P99_RATIO_MAX}), medians of {} rounds; {} \
         not closed in time (bar 0); {} B an idle connection",
        size.idle,
        size.slow_heads + size.slow_readers + size.slow_bodies,
        size.rounds,
        complaints.count(),
        silent
    );
    Ok(Verdict { figure, passed: ratio <= P99_RATIO_MAX && complaints.is_empty() })
}

async fn time_calls(
    server: &Server,
    targets: &Arc<Targets>,
    per_second: f64,
    seconds: u64,
) -> Result<Duration> {
    let length = Duration::from_secs(seconds);
    let schedule = Schedule { address: server.address, connections: 200, per_second, length };
    let volley = open_loop::run(schedule, targets).await?;
    Ok(volley.p99(Duration::ZERO, length))
}

async fn open(server: &Server, size: &Size) -> Result<Flood> {
    let kinds = [
        (Kind::Idle, size.idle),
        (Kind::SlowHead, size.slow_heads),
        (Kind::SlowReader, size.slow_readers),
        (Kind::SlowBody, size.slow_bodies),
    ];
    Flood::open(server.address, &kinds).await
}

/// Each connection must have been closed at its deadline: not before it, and not long after.
fn check_ends(ends: &Ends, size: &Size, complaints: &mut Complaints) {
    let mut check = |kind: Kind, count: usize, deadline: Duration| {
        let closed = ends.of(kind);
        let (first, last) =
            (closed.first().copied().unwrap_or_default(), closed.last().copied().unwrap_or_default());
        progress(format!("{kind:?}: {} of {count} closed, after {first:?} to {last:?}", closed.len()));
        for _ in closed.len()..count {
            complaints.add(format!("a connection of kind {kind:?} was never closed"));
        }
        let early = deadline.saturating_sub(Duration::from_secs(1));
        for after in closed.iter().filter(|after| **after < early || **after > deadline + GRACE) {
            complaints.add(format!("a connection of kind {kind:?} was closed after {after:?}"));
        }
    };
    check(Kind::SlowHead, size.slow_heads, HEADER_READ_DEADLINE);
    check(Kind::SlowBody, size.slow_bodies, BODY_READ_DEADLINE);
    check(Kind::SlowReader, size.slow_readers, WRITE_STALL_MAX);
    if size.to_the_end {
        check(Kind::Idle, size.idle, CONNECTION_IDLE_MAX);
    }
}

/// Memory of the service for one connection, in bytes: before anything is asked on it, and after a call.
async fn connection_memory(server: &Server, count: usize) -> Result<(u64, u64)> {
    let process = Process(server.pid());
    let connections = u64::try_from(count)?;
    let before = process.rss()?;
    let each = || anyhow::Ok(process.rss()?.saturating_sub(before) / connections);
    let mut flood = Flood::open(server.address, &[(Kind::Idle, count)]).await?;
    tokio::time::sleep(SETTLE).await;
    let silent = each()?;
    flood.ask_once().await?;
    tokio::time::sleep(SETTLE).await;
    Ok((silent, each()?))
}
