//! The bar `queue-health`: claims stay quick while somebody keeps a snapshot open, so that nothing that was done can be
//! cleared away.
//!
//! Jobs without work are put, claimed and ended as fast as it goes, before and while a transaction stands open. Claimers
//! go by the rule of the workers: they do not look at turns that were taken before, but now and then at all of them. What
//! the same comes to without that rule is printed beside.
//!
//! Nobody waits for the disk: how fast that is would hide how fast the queue is, and the queue has the more to clear away
//! the faster it goes. What a job costs PostgreSQL is told too: on a machine that is busy with other things, that is what
//! shows whether the queue or the machine became slower.

use crate::bar::{Verdict, progress};
use crate::billed::meters::Meters;
use anyhow::{Context, Result, ensure};
use assay_domain::limits::JOB_CLAIM_MAX;
use assay_domain::{Clock, JobId};
use assay_store::queue::{NewJob, Place, Queue};
use assay_store::{Database, Jobs, Ledger};
use assay_testkit::{Postgres, PostgresOptions, Stopwatch};
use serde_json::json;
use sqlx::{Connection, PgConnection};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;
use uuid::Uuid;

const DATABASE: &str = "queue";
const QUEUE: Queue = Queue::Chore;
const CLAIMERS: usize = 4;
const SHARES: usize = 20;
/// So many jobs wait at any time, at the beginning as at the end.
const DEPTH: u64 = 2_000;
const PUT_AT_ONCE: usize = 100;
const PUT_PAUSE: Duration = Duration::from_millis(2);
const WARM_UP: Duration = Duration::from_secs(2);

/// The bar.
const RATIO_LEAST: f64 = 0.6;

/// How long a run is.
#[derive(Clone, Copy)]
struct Length {
    fresh: Duration,
    /// How long the snapshot has been open, and work gone on, before it is measured again.
    open: Duration,
    stale: Duration,
}

const FULL: Length =
    Length { fresh: Duration::from_secs(10), open: Duration::from_secs(30), stale: Duration::from_secs(10) };
const SHORT: Length =
    Length { fresh: Duration::from_secs(3), open: Duration::from_secs(10), stale: Duration::from_secs(3) };

/// Jobs a second, and what one of them costs.
struct Speed {
    per_second: f64,
    postgres_ms: f64,
}

/// Before the snapshot and while it is open.
struct Speeds {
    fresh: Speed,
    stale: Speed,
}

impl Speeds {
    fn ratio(&self) -> f64 {
        self.stale.per_second / self.fresh.per_second
    }

    fn describe(&self) -> String {
        let Self { fresh, stale } = self;
        format!(
            "{:.0} jobs/s at {:.2} ms of PostgreSQL's processor time each, then {:.0} jobs/s at {:.2} ms",
            fresh.per_second, fresh.postgres_ms, stale.per_second, stale.postgres_ms
        )
    }
}

pub async fn run(short: bool) -> Result<Verdict> {
    let length = if short { SHORT } else { FULL };
    let ruled = measure(true, length).await.context("by the workers' rule")?;
    progress(format!("by the workers' rule: {}", ruled.describe()));
    let unruled = measure(false, length).await.context("without the rule")?;
    progress(format!("looking at all turns each time: {}", unruled.describe()));
    let figure = format!(
        "queue-health: {} after {} s of an open snapshot: {:.2} of the speed is left (bar {RATIO_LEAST}), and {:.2} without \
         skipping the turns that were taken",
        ruled.describe(),
        length.open.as_secs(),
        ruled.ratio(),
        unruled.ratio()
    );
    Ok(Verdict { figure, passed: ruled.ratio() >= RATIO_LEAST })
}

/// What all who work on the queue share.
#[derive(Default)]
struct Counters {
    put: AtomicU64,
    done: AtomicU64,
    stop: AtomicBool,
}

/// A queue that is worked on.
struct Line {
    ledger: Ledger,
    counters: Arc<Counters>,
    hands: JoinSet<Result<()>>,
}

impl Line {
    async fn start(postgres: &Postgres, ruled: bool) -> Result<Self> {
        postgres.create_database(DATABASE)?;
        let database = Database::at(&postgres.url(DATABASE));
        Ledger::migrate(&database).await?;
        let ledger = Ledger::connect(&database, Clock::system()).await?;
        let counters = Arc::new(Counters::default());
        let mut hands = JoinSet::new();
        hands.spawn(put_on(ledger.jobs().clone(), Arc::clone(&counters)));
        for _ in 0..CLAIMERS {
            hands.spawn(Claimer::new(ledger.jobs().clone(), ruled, Arc::clone(&counters)).work());
        }
        Ok(Self { ledger, counters, hands })
    }

    async fn speed(&self, postgres: &Postgres, length: Duration) -> Result<Speed> {
        let (watch, before) = (Stopwatch::start(), self.done());
        let meters = Meters::read(postgres, None)?;
        tokio::time::sleep(length).await;
        let done = self.done() - before;
        let per_second = f64::from(u32::try_from(done)?) / watch.elapsed().as_secs_f64();
        let cost = Meters::read(postgres, None)?.per_call(meters, usize::try_from(done)?);
        Ok(Speed { per_second, postgres_ms: cost.postgres_ms })
    }

    fn done(&self) -> u64 {
        self.counters.done.load(Ordering::SeqCst)
    }

    /// Lets all hands finish. What was put and not done must still be there: nothing was lost, nothing done twice.
    async fn stop(mut self) -> Result<()> {
        self.counters.stop.store(true, Ordering::SeqCst);
        while let Some(ended) = self.hands.join_next().await {
            ended??;
        }
        let left: i64 = sqlx::query_scalar("select count(*) from job").fetch_one(self.ledger.pool()).await?;
        let (put, done) = (self.counters.put.load(Ordering::SeqCst), self.done());
        ensure!(put == done + u64::try_from(left)?, "{put} jobs put, {done} done, {left} left");
        self.ledger.pool().close().await;
        Ok(())
    }
}

/// On a server of its own: one that has run for a while knows more about its tables than a new one.
async fn measure(ruled: bool, length: Length) -> Result<Speeds> {
    let postgres = Postgres::start(PostgresOptions::with_settings(&[("synchronous_commit", "off")]))?;
    let line = Line::start(&postgres, ruled).await?;
    tokio::time::sleep(WARM_UP).await;
    let fresh = line.speed(&postgres, length.fresh).await?;
    let mut holder = PgConnection::connect(&postgres.url(DATABASE)).await?;
    let mut snapshot = holder.begin_with("begin isolation level repeatable read").await?;
    // A snapshot is taken by the first question.
    let seen: i64 = sqlx::query_scalar("select count(*) from job").fetch_one(&mut *snapshot).await?;
    tokio::time::sleep(length.open).await;
    let stale = line.speed(&postgres, length.stale).await?;
    let still: i64 = sqlx::query_scalar("select count(*) from job").fetch_one(&mut *snapshot).await?;
    ensure!(seen == still, "the snapshot did not last");
    snapshot.rollback().await?;
    line.stop().await?;
    Ok(Speeds { fresh, stale })
}

/// Keeps the queue as deep as it was.
async fn put_on(jobs: Jobs, counters: Arc<Counters>) -> Result<()> {
    let clock = Clock::system();
    let shares: Vec<Uuid> = (0..SHARES).map(|_| Uuid::from_bytes(rand::random())).collect();
    for share in shares.iter().cycle() {
        while counters.waiting() >= DEPTH {
            if counters.stop.load(Ordering::SeqCst) {
                return Ok(());
            }
            tokio::time::sleep(PUT_PAUSE).await;
        }
        let new = |_| NewJob {
            id: JobId::mint(clock.now()),
            account: None,
            key: None,
            run_at: None,
            every: None,
            attempts_max: 10,
            payload: json!({}),
        };
        let batch: Vec<NewJob> = (0..PUT_AT_ONCE).map(new).collect();
        counters.put.fetch_add(jobs.put(QUEUE, *share, &batch).await?, Ordering::SeqCst);
    }
    Ok(())
}

impl Counters {
    fn waiting(&self) -> u64 {
        let done = self.done.load(Ordering::SeqCst);
        self.put.load(Ordering::SeqCst).saturating_sub(done)
    }
}

/// Claims and ends jobs as a worker does, without doing anything in between.
struct Claimer {
    jobs: Jobs,
    place: Place,
    ruled: bool,
    counters: Arc<Counters>,
}

impl Claimer {
    fn new(jobs: Jobs, ruled: bool, counters: Arc<Counters>) -> Self {
        let place = Place::new(QUEUE, Uuid::from_bytes(rand::random()), None);
        Self { jobs, place, ruled, counters }
    }

    async fn work(mut self) -> Result<()> {
        while !self.counters.stop.load(Ordering::SeqCst) {
            let done = self.turn().await?;
            self.counters.done.fetch_add(done, Ordering::SeqCst);
            if done == 0 {
                tokio::time::sleep(PUT_PAUSE).await;
            }
        }
        Ok(())
    }

    async fn turn(&mut self) -> Result<u64> {
        if !self.ruled {
            self.place.look_at_all();
        }
        let claimed = self.place.claim(&self.jobs, u32::try_from(JOB_CLAIM_MAX)?, Vec::new()).await?.jobs;
        let ends = claimed.iter().map(|job| self.jobs.done(job.lease));
        let ended: Vec<bool> =
            futures_util::future::try_join_all(ends).await.context("a job could not be ended")?;
        ensure!(ended.iter().all(|ended| *ended), "a job was lost though its lease was not over");
        Ok(u64::try_from(ended.len())?)
    }
}
