//! Bare engine (b): the service's own statements in the service's own batches, straight at PostgreSQL, without HTTP.

use super::load::Load;
use super::targets::Targets;
use anyhow::{Result, ensure};
use assay_domain::clock::Stopwatch;
use assay_domain::{Clock, Credits, RequestId};
use assay_store::ledger::op::{Answer, Op, Record, Settle};
use assay_store::{Graph, Ledger};
use std::sync::Arc;
use std::time::Duration;

/// As many callers as the service has connections, each reading a person and settling the call.
pub async fn run(
    graph: &Graph,
    ledger: &Ledger,
    targets: &Arc<Targets>,
    callers: usize,
    seconds: u64,
) -> Result<Load> {
    let end = Duration::from_secs(seconds);
    let watch = Stopwatch::start();
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..callers {
        let (graph, ledger, targets) = (graph.clone(), ledger.clone(), Arc::clone(targets));
        running.spawn(async move {
            let mut latencies = Vec::new();
            while watch.elapsed() < end {
                let one = Stopwatch::start();
                call(&graph, &ledger, &targets).await?;
                latencies.push(one.elapsed());
            }
            anyhow::Ok(latencies)
        });
    }
    let mut latencies = Vec::new();
    for outcome in running.join_all().await {
        latencies.extend(outcome?);
    }
    Ok(Load::of(latencies, watch.elapsed()))
}

async fn call(graph: &Graph, ledger: &Ledger, targets: &Targets) -> Result<()> {
    let target = targets.draw();
    let payer = &targets.payers[target.payer];
    let at = Clock::system().now();
    let watch = Stopwatch::start();
    let people = graph.people_by_digest(target.digest).await?;
    ensure!(people.first().is_some_and(|person| person.id == target.person), "the wrong person was read");
    let settle = Settle {
        request: RequestId::mint(at),
        hold: None,
        charge: Credits::whole(1),
        cap: None,
        record: Record {
            in_history: true,
            key: payer.key.clone(),
            at,
            endpoint: "enrich",
            status: 200,
            found: true,
            latency: watch.elapsed(),
            cached: false,
            cache_age_seconds: None,
            providers: vec!["graph".into()],
            upstream_micros: 0,
            subjects: vec![target.person.uuid()],
        },
        people: vec![target.person],
        reply: None,
        deed: None,
    };
    let answer = ledger.ask(payer.account, Op::Settle(Box::new(settle))).await?;
    ensure!(matches!(answer, Answer::Settled(_)), "a call was not settled: {answer:?}");
    Ok(())
}
