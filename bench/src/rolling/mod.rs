//! The bar `rolling`: two nodes behind a load balancer are restarted one after the other, under load, and no caller notices.
//!
//! Calls and bulk jobs go to both nodes over connections that are kept. A node is taken out when its `/readyz` says so or
//! nobody listens any more, and taken in again when it is ready. Nothing that was sent is sent a second time: what got no
//! whole answer has failed.

pub mod balancer;
mod callers;

use crate::bar::{Complaints, Verdict, grouped, progress};
use crate::billed::targets::Targets;
use crate::rig::{Rig, RigOptions, Server};
use anyhow::{Context, Result};
use assay_store::Ledger;
use assay_testkit::{PostgresOptions, Stopwatch};
use balancer::{Balancer, Tally};
use callers::{Callers, SUBMITTERS};
use std::sync::Arc;
use std::time::Duration;

const NODES: usize = 2;
const PEOPLE: u64 = 5_000;
/// Of the single calls: enough that no rate limit is met.
const PAYERS: usize = 200;
const STEADY: Duration = Duration::from_secs(3);
const RESTARTS: usize = 3;
const ROLES: [&str; 3] = ["serve", "--roles", "api,worker"];
/// As it comes; the rig's other servers stop without it.
const NOTICE: [(&str, &str); 1] = [("ASSAY_SERVER_STOP_NOTICE_SECONDS", "2")];
/// A run with fewer calls would not have met the moments that matter.
const CALLS_LEAST: usize = 500;

pub async fn run(short: bool) -> Result<Verdict> {
    let rig = Rig::start(RigOptions {
        failpoints: false,
        accounts: SUBMITTERS,
        people: PEOPLE,
        postgres: PostgresOptions::default(),
        one_database: false,
    })?;
    let ledger = rig.ledger().await?;
    let targets = Arc::new(Targets::make(&rig, &ledger, PAYERS, usize::try_from(PEOPLE)?).await?);
    let mut nodes = (0..NODES)
        .map(|_| rig.serve_roles("api,worker", &NOTICE).map(Some))
        .collect::<Result<Vec<Option<Server>>>>()?;
    let addresses: Vec<_> =
        nodes.iter().flatten().map(|server| (server.address, server.operations)).collect();
    let balancer = Arc::new(Balancer::new(&addresses));
    let watching = balancer::Watching::start(&balancer);
    let callers = Callers::start(&rig, &targets, &balancer)?;
    tokio::time::sleep(STEADY).await;
    let mut restarts = 0;
    for restart in 0..if short { 1 } else { RESTARTS } {
        for (number, place) in nodes.iter_mut().enumerate() {
            let before = balancer.tally();
            let node = place.take().context("a node is missing")?;
            let watch = Stopwatch::start();
            tokio::task::spawn_blocking(move || node.stop()).await??;
            let stopped = watch.elapsed();
            restarts += 1;
            let again = tokio::task::block_in_place(|| rig.serve_at(addresses[number], &ROLES, &NOTICE))?;
            *place = Some(again);
            tokio::time::sleep(STEADY).await;
            let told = balancer.tally().since(&before);
            progress(format!(
                "restart {} of node {}: stopped within {stopped:.1?}; {told}",
                restart + 1,
                number + 1
            ));
        }
    }
    let submitted = callers.finish().await?;
    drop(watching);
    let mut complaints = Complaints::default();
    for complaint in balancer.complaints() {
        complaints.add(complaint);
    }
    check_jobs(&ledger, submitted, &mut complaints).await?;
    nodes.into_iter().flatten().try_for_each(Server::stop)?;
    for violation in rig.audit().await? {
        complaints.add(violation);
    }
    Ok(verdict(&balancer.tally(), restarts, submitted, &complaints))
}

fn verdict(tally: &Tally, restarts: usize, submitted: usize, complaints: &Complaints) -> Verdict {
    let figure = format!(
        "rolling: {restarts} restarts of {NODES} nodes under load, {} requests, {} failed ({} sent and lost, {} half answered, \
         {} server errors, {} answered by nobody); {submitted} bulk jobs complete; {} connections closed with notice, {} without; \
         {} violations",
        grouped(tally.requests),
        tally.failed(),
        tally.lost,
        tally.half,
        tally.errors,
        tally.unanswered,
        tally.announced,
        tally.closed,
        complaints.count()
    );
    let enough =
        tally.requests >= CALLS_LEAST && submitted > 0 && tally.by_node.iter().all(|calls| *calls > 0);
    Verdict { figure, passed: tally.failed() == 0 && complaints.is_empty() && enough }
}

/// Every job that was submitted has come to its end, with every item found.
async fn check_jobs(ledger: &Ledger, submitted: usize, complaints: &mut Complaints) -> Result<()> {
    let (jobs, complete): (i64, i64) = sqlx::query_as(
        "select count(*), count(*) filter (where status = 'completed' and resolved = total) from bulk_job",
    )
    .fetch_one(ledger.pool())
    .await?;
    let (jobs, complete) = (usize::try_from(jobs)?, usize::try_from(complete)?);
    if jobs < submitted || complete != jobs {
        complaints.add(format!("{submitted} jobs were submitted, {jobs} are there, {complete} are complete"));
    }
    Ok(())
}
