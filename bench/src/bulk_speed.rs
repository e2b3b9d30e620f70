//! The bar `bulk-speed`: twenty jobs of 500 items at once against as many single calls as 64 connections can make, on the
//! same server in one run; and how soon after its submission a job is taken up by another process.
//!
//! The machine is noisy, so both take turns, and what counts is the median of the ratios of the rounds.

use crate::bar::{Verdict, grouped, median, progress};
use crate::billed::load::{self, Pace};
use crate::billed::targets::Targets;
use crate::bulk::{self, Order};
use crate::open_loop::percentile;
use crate::overload::roomy_postgres;
use crate::rig::{BOTH, Rig, RigOptions, Server};
use anyhow::{Context, Result, ensure};
use assay_domain::limits::BULK_ITEMS_MAX;
use assay_store::Ledger;
use assay_testkit::Stopwatch;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

const CONNECTIONS: usize = 64;
/// Of the single calls: enough that no rate limit is met.
const PAYERS: usize = 1_000;
const JOBS: usize = 20;
const SMALL: usize = 10;
const LOOK: Duration = Duration::from_millis(5);
const FINISHED_WAIT: Duration = Duration::from_secs(120);
const READ_BACK: usize = 2;

/// The bars.
const TIMES_LEAST: f64 = 3.0;
const START_MAX: Duration = Duration::from_millis(50);
/// The short form runs on small data beside other work: it only has to show that nothing is broken by a factor.
const TIMES_LEAST_SHORT: f64 = 2.0;

/// How large a run is.
struct Size {
    people: u64,
    calls: usize,
    rounds: usize,
    seconds: u64,
    /// Times twenty jobs in a round.
    batches: usize,
    starts: usize,
}

const FULL: Size = Size { people: 50_000, calls: 400_000, rounds: 5, seconds: 10, batches: 5, starts: 50 };
const SHORT: Size = Size { people: 20_000, calls: 100_000, rounds: 3, seconds: 3, batches: 2, starts: 20 };

struct Scene {
    rig: Rig,
    ledger: Ledger,
    targets: Arc<Targets>,
    /// In no order, so that neighbours in a job are no neighbours in the database.
    people: Vec<u64>,
    /// How many people each account has asked for.
    next: usize,
}

pub async fn run(short: bool) -> Result<Verdict> {
    let size = if short { SHORT } else { FULL };
    let rig = Rig::start(RigOptions {
        failpoints: false,
        accounts: JOBS,
        people: size.people,
        postgres: roomy_postgres(),
        one_database: true,
    })?;
    let ledger = rig.ledger().await?;
    progress(format!("making {PAYERS} accounts and drawing {} calls", size.calls));
    let targets = Arc::new(Targets::make(&rig, &ledger, PAYERS, size.calls).await?);
    rig.postgres.psql(BOTH, "vacuum analyze")?;
    let mut people: Vec<u64> = (0..size.people).collect();
    people.shuffle(&mut ChaCha8Rng::seed_from_u64(11));
    let mut scene = Scene { rig, ledger, targets, people, next: 0 };
    let times = scene.rounds(&size).await?;
    let starts = scene.starts(size.starts).await?;
    let sound = scene.rig.audit().await?;
    for violation in &sound {
        progress(format!("VIOLATION: {violation}"));
    }
    let least = if short { TIMES_LEAST_SHORT } else { TIMES_LEAST };
    let (ratio, start) = (median(times), percentile(starts.clone(), 50));
    let passed = sound.is_empty() && ratio >= least && start <= START_MAX;
    let figure = format!(
        "bulk-speed: {JOBS} jobs of {BULK_ITEMS_MAX} answer {ratio:.2} x as many items a second as {CONNECTIONS} connections \
         make calls (bar {least}), the median of {} rounds; submitted to taken up by another process {:.1} ms at p50 (bar {} \
         ms), {:.1} ms at p99",
        size.rounds,
        milliseconds(start),
        START_MAX.as_millis(),
        milliseconds(percentile(starts, 99))
    );
    Ok(Verdict { figure, passed })
}

impl Scene {
    /// The ratio of every round.
    async fn rounds(&mut self, size: &Size) -> Result<Vec<f64>> {
        let server = self.rig.serve(&[])?;
        progress("warming up");
        load::run(server.address, &self.targets, CONNECTIONS, Pace::Closed, 3).await?;
        self.jobs(&server).await?;
        let mut ratios = Vec::new();
        for round in 1..=size.rounds {
            // Each goes first as often as the other.
            let (calls, items) = if round % 2 == 0 {
                let items = self.items_per_second(&server, size).await?;
                (self.calls_per_second(&server, size).await?, items)
            } else {
                let calls = self.calls_per_second(&server, size).await?;
                (calls, self.items_per_second(&server, size).await?)
            };
            progress(format!(
                "round {round}: {calls:.0} calls/s, {items:.0} items/s, {:.2} x",
                items / calls
            ));
            ratios.push(items / calls);
        }
        server.stop()?;
        Ok(ratios)
    }

    async fn calls_per_second(&self, server: &Server, size: &Size) -> Result<f64> {
        self.rig.postgres.psql("postgres", "checkpoint")?;
        let load = load::run(server.address, &self.targets, CONNECTIONS, Pace::Closed, size.seconds).await?;
        Ok(load.per_second)
    }

    async fn items_per_second(&mut self, server: &Server, size: &Size) -> Result<f64> {
        self.rig.postgres.psql("postgres", "checkpoint")?;
        let mut took = Duration::ZERO;
        for _ in 0..size.batches {
            took += self.jobs(server).await?;
        }
        let items = u32::try_from(size.batches * JOBS * BULK_ITEMS_MAX)?;
        Ok(f64::from(items) / took.as_secs_f64())
    }

    /// Submits twenty jobs at once, one of each account, and says how long it took until the last was finished.
    async fn jobs(&mut self, server: &Server) -> Result<Duration> {
        let orders = (0..JOBS).map(|account| self.order(account)).collect::<Result<Vec<_>>>()?;
        self.next += BULK_ITEMS_MAX;
        let bodies: Vec<String> = orders.iter().map(Order::body).collect();
        let accounts: Vec<Uuid> = self.rig.accounts.iter().map(|account| account.id.uuid()).collect();
        let watch = Stopwatch::start();
        let submits = bodies.iter().zip(&self.rig.accounts).map(|(body, account)| {
            let mut client = server.client();
            async move { bulk::submit(&mut client, account, body).await }
        });
        let ids = futures_util::future::try_join_all(submits).await?;
        let finished = bulk::wait_finished(&self.ledger, &accounts, LOOK, FINISHED_WAIT).await?;
        let took = watch.elapsed();
        ensure!(finished, "twenty jobs were not finished within {FINISHED_WAIT:?}");
        self.check(server, &orders, &ids).await?;
        Ok(took)
    }

    /// People the account has not found before, unless the world is used up.
    fn order(&self, account: usize) -> Result<Order> {
        let first = account * self.people.len() / JOBS + self.next;
        self.draw(account, first, BULK_ITEMS_MAX)
    }

    fn draw(&self, account: usize, first: usize, count: usize) -> Result<Order> {
        let people: Vec<u64> = self.people.iter().cycle().skip(first).take(count).copied().collect();
        Order::known(&self.rig, account, &people).context("a person without an address")
    }

    /// Speed is worth nothing without the answers: all counts, and some jobs item by item.
    async fn check(&self, server: &Server, orders: &[Order], ids: &[String]) -> Result<()> {
        let mut client = server.client();
        for (number, (order, id)) in orders.iter().zip(ids).enumerate() {
            let account = &self.rig.accounts[order.account];
            let view = bulk::read_job(&mut client, account, id).await?;
            ensure!(
                view.status == "completed" && view.counts.resolved == BULK_ITEMS_MAX,
                "a job of known people came to {view:?}"
            );
            if number < READ_BACK {
                let results = bulk::read_results(&mut client, account, id).await?;
                let mut complaints = crate::bar::Complaints::default();
                bulk::compare(order, &view, &results, &mut complaints);
                ensure!(complaints.is_empty(), "a job has {} wrong items", complaints.count());
            }
        }
        Ok(())
    }

    /// From a small job's making to its start, where one process takes it in and another one takes it up.
    async fn starts(&self, count: usize) -> Result<Vec<Duration>> {
        let (api, worker) = (self.rig.serve_roles("api", &[])?, self.rig.serve_roles("worker", &[])?);
        let account = &self.rig.accounts[0];
        let mut client = api.client();
        for number in 0..count {
            // A worker looks at fixed times; a job that always came just before would show nothing.
            tokio::time::sleep(Duration::from_millis(rand::random_range(100..300))).await;
            let order = self.draw(0, number * SMALL, SMALL)?;
            bulk::submit(&mut client, account, &order.body()).await?;
            let ended = bulk::wait_finished(&self.ledger, &[account.id.uuid()], LOOK, FINISHED_WAIT).await?;
            ensure!(ended, "a small job was not finished");
        }
        let waits: Vec<f64> = sqlx::query_scalar(
            "select extract(epoch from started_at - created_at)::float8 from bulk_job
             where account_id = $1 and total = $2 order by created_at",
        )
        .bind(account.id.uuid())
        .bind(i32::try_from(SMALL)?)
        .fetch_all(self.ledger.pool())
        .await?;
        ensure!(waits.len() == count, "{} of {count} small jobs were started", waits.len());
        progress(format!("{} small jobs were taken up one after the other", grouped(count)));
        api.stop()?;
        worker.stop()?;
        // The clocks of the service and of PostgreSQL are the same here.
        Ok(waits.into_iter().map(|seconds| Duration::from_secs_f64(seconds.max(0.0))).collect())
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
