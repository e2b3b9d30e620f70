//! The `billed` bar: the whole paid call over HTTP against two bare engines that do the same work, in one run.
//!
//! The machine is noisy, so engines take turns, and what counts is the median of the ratios of the rounds.

mod bare_batched;
mod bare_pgbench;
pub mod load;
pub mod meters;
pub mod targets;

use crate::bar::{Verdict, median, progress};
use crate::rig::{BOTH, Rig, RigOptions};
use anyhow::Result;
use assay_store::{Database, Graph};
use assay_testkit::PostgresOptions;
use load::Pace;
use meters::{Meters, PerCall};
use std::sync::Arc;
use std::time::Duration;
use targets::Targets;

const CONNECTIONS: usize = 64;
const ACCOUNTS: usize = 1_000;

/// Reads everything a call reads into memory, as it would be on a server that has run for a while.
const WARM: &str = "create extension pg_prewarm;
    select sum(pg_prewarm(oid::regclass)) from pg_class
    where relkind in ('r', 'i') and relnamespace in ('graph'::regnamespace, 'ledger'::regnamespace)";

/// How large a run is.
struct Size {
    people: u64,
    calls: usize,
    rounds: usize,
    seconds: u64,
}

/// One round: every engine once, on the same data, one after the other.
struct Round {
    /// The service's calls per second over pgbench's, and over the batched engine's.
    over_pgbench: f64,
    over_batched: f64,
    /// The service's p99 at pgbench's rate over pgbench's own.
    p99_over_pgbench: f64,
    lines: Vec<String>,
}

pub async fn run(short: bool) -> Result<Verdict> {
    let size = if short {
        Size { people: 20_000, calls: 20_000, rounds: 3, seconds: 5 }
    } else {
        Size { people: 1_000_000, calls: 1_000_000, rounds: 5, seconds: 15 }
    };
    let postgres = PostgresOptions::with_settings(&[
        ("shared_buffers", "6GB"),
        ("max_wal_size", "8GB"),
        ("checkpoint_timeout", "30min"),
    ]);
    let rig = Rig::start(RigOptions {
        failpoints: false,
        accounts: 0,
        people: size.people,
        postgres,
        one_database: true,
    })?;
    let ledger = rig.ledger().await?;
    let graph = Graph::connect(&Database::at(&rig.graph_url())).await?;
    progress(format!("making {ACCOUNTS} accounts and drawing {} calls", size.calls));
    let targets = Arc::new(Targets::make(&rig, &ledger, ACCOUNTS, size.calls).await?);
    bare_pgbench::prepare(&rig, &targets, ledger.pool()).await?;
    rig.postgres.psql(BOTH, "vacuum analyze")?;
    rig.postgres.psql(BOTH, WARM)?;
    let server = rig.serve(&[])?;
    progress("warming up");
    wait_for_sequencer(&rig).await?;
    load::run(server.address, &targets, CONNECTIONS, Pace::Closed, 3).await?;
    bare_pgbench::run(&rig, &targets, CONNECTIONS, 2)?;
    if let Ok(engine) = std::env::var("BILLED_ONLY") {
        return one_engine(&engine, &rig, &server, (&graph, &ledger), &targets, size.seconds).await;
    }
    let mut rounds = Vec::new();
    for number in 1..=size.rounds {
        let round = one_round(&rig, &server, (&graph, &ledger), &targets, size.seconds).await?;
        for line in &round.lines {
            progress(format!("round {number}: {line}"));
        }
        rounds.push(round);
    }
    let violations = ledger.audit().await?;
    for violation in &violations {
        progress(format!("VIOLATION: {violation:?}"));
    }
    Ok(verdict(&rounds, short, violations.is_empty()))
}

/// The load wrote a million changes; the service puts them in order first, which is not what is measured.
async fn wait_for_sequencer(rig: &Rig) -> Result<()> {
    while rig.postgres.psql(BOTH, "select exists (select from graph.change_inbox)")?.trim() != "f" {
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    rig.postgres.psql(BOTH, "vacuum analyze graph.change_inbox; vacuum analyze graph.change_log")?;
    Ok(())
}

/// One engine alone, six times: for a profiler, which needs to know what it looks at.
async fn one_engine(
    engine: &str,
    rig: &Rig,
    server: &crate::rig::Server,
    (graph, ledger): (&Graph, &assay_store::Ledger),
    targets: &Arc<Targets>,
    seconds: u64,
) -> Result<Verdict> {
    progress(format!("only {engine}; the service is process {}", server.pid()));
    for _ in 0..6 {
        let before = Meters::read(&rig.postgres, Some(server.pid()))?;
        let load = match engine {
            "service" => load::run(server.address, targets, CONNECTIONS, Pace::Closed, seconds).await?,
            "batched" => bare_batched::run(graph, ledger, targets, CONNECTIONS, seconds).await?,
            "pgbench" => bare_pgbench::run(rig, targets, CONNECTIONS, seconds)?,
            other => anyhow::bail!("there is no engine {other}: service, batched or pgbench"),
        };
        let cost = Meters::read(&rig.postgres, Some(server.pid()))?.per_call(before, load.calls);
        progress(line(engine, load.per_second, (load.p50, load.p99), cost));
    }
    Ok(Verdict { figure: format!("billed: only {engine} was run, for a profiler"), passed: false })
}

async fn one_round(
    rig: &Rig,
    server: &crate::rig::Server,
    (graph, ledger): (&Graph, &assay_store::Ledger),
    targets: &Arc<Targets>,
    seconds: u64,
) -> Result<Round> {
    // Every engine starts behind a checkpoint of its own, so that none pays for pages another one touched.
    let settle_down = || rig.postgres.psql("postgres", "checkpoint");
    settle_down()?;
    let before = Meters::read(&rig.postgres, None)?;
    let pgbench = bare_pgbench::run(rig, targets, CONNECTIONS, seconds)?;
    let pgbench_cost = Meters::read(&rig.postgres, None)?.per_call(before, pgbench.calls);
    settle_down()?;
    let before = Meters::read(&rig.postgres, Some(server.pid()))?;
    let service = load::run(server.address, targets, CONNECTIONS, Pace::Closed, seconds).await?;
    let service_cost = Meters::read(&rig.postgres, Some(server.pid()))?.per_call(before, service.calls);
    settle_down()?;
    let before = Meters::read(&rig.postgres, None)?;
    let batched = bare_batched::run(graph, ledger, targets, CONNECTIONS, seconds).await?;
    let batched_cost = Meters::read(&rig.postgres, None)?.per_call(before, batched.calls);
    settle_down()?;
    let pace = Pace::Open { per_second: pgbench.per_second };
    let paced = load::run(server.address, targets, CONNECTIONS, pace, seconds).await?;
    let lines = vec![
        line("pgbench", pgbench.per_second, (pgbench.p50, pgbench.p99), pgbench_cost),
        line("service", service.per_second, (service.p50, service.p99), service_cost),
        line("batched", batched.per_second, (batched.p50, batched.p99), batched_cost),
        format!(
            "service at pgbench's rate: {:.0}/s, p50 {:?}, p99 {:?}",
            paced.per_second, paced.p50, paced.p99
        ),
    ];
    Ok(Round {
        over_pgbench: service.per_second / pgbench.per_second,
        over_batched: service.per_second / batched.per_second,
        p99_over_pgbench: paced.p99.as_secs_f64() / pgbench.p99.as_secs_f64(),
        lines,
    })
}

fn line(engine: &str, per_second: f64, (p50, p99): (Duration, Duration), cost: PerCall) -> String {
    format!(
        "{engine}: {per_second:.0} calls/s, p50 {p50:?}, p99 {p99:?}; a call costs {:.3} ms CPU of the service, {:.3} ms of \
         PostgreSQL, {:.0} B of WAL, {:.3} syncs",
        cost.service_ms, cost.postgres_ms, cost.wal_bytes, cost.syncs
    )
}

/// At least 2.0 of (a) and 0.6 of (b), at most 1.0 of (a)'s p99. The short form runs on small data beside other work:
/// it only has to show that nothing is broken by a factor, with (a) at least matched.
fn verdict(rounds: &[Round], short: bool, sound: bool) -> Verdict {
    let over_pgbench = median(rounds.iter().map(|round| round.over_pgbench));
    let over_batched = median(rounds.iter().map(|round| round.over_batched));
    let p99 = median(rounds.iter().map(|round| round.p99_over_pgbench));
    let (least_pgbench, least_batched, most_p99) = if short { (1.0, 0.4, 2.0) } else { (2.0, 0.6, 1.0) };
    let passed = sound && over_pgbench >= least_pgbench && over_batched >= least_batched && p99 <= most_p99;
    let figure = format!(
        "billed: {over_pgbench:.2} x pgbench's calls/s (bar {least_pgbench}), {p99:.2} x its p99 at its rate (bar {most_p99}), \
         {over_batched:.2} x the batched engine's calls/s (bar {least_batched}); medians of {} rounds",
        rounds.len()
    );
    Verdict { figure, passed }
}

/// Of sorted latencies.
fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    sorted
        .get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1)))
        .copied()
        .unwrap_or_default()
}
