//! The bar `enrich-scale`: what a paid lookup costs does not grow with the number of people.
//!
//! A world of one size and one ten times as large, each under PostgreSQL with an eighth of its size for memory, by turns.
//! People are asked for by address, everybody at most once, and what a call costs in processor time, in pages visited and in
//! pages that were not in PostgreSQL's own memory is told per call. The world is made up: these are regression figures.

mod cage;

use crate::bar::{Verdict, grouped, median, progress};
use crate::billed::load::{self, Pace};
use crate::billed::meters::Meters;
use crate::billed::targets::Targets;
use crate::rig::{Folder, Rig, RigOptions, Server};
use crate::world::{LOAD_SETTINGS, PERSON_BYTES_MAX, people_that_fit};
use anyhow::{Context, Result, ensure};
use assay_testkit::{PostgresOptions, Stopwatch};
use cage::Cage;
use std::sync::Arc;
use std::time::Duration;

const ACCOUNTS: usize = 100;
const CONNECTIONS: usize = 16;
/// The bar: of the smaller world's cost.
const GROWTH_MAX: f64 = 1.5;
/// How much of the data may be in memory.
const MEMORY_SHARE: u64 = 8;
/// With less, PostgreSQL and its connections do not run at all.
const MEMORY_LEAST: u64 = 128 << 20;

const SETTLED_WITHIN: Duration = Duration::from_mins(30);

struct Size {
    small: u64,
    large: u64,
    warm_seconds: u64,
    seconds: u64,
    rounds: usize,
    calls: usize,
}

const FULL: Size =
    Size { small: 1_000_000, large: 10_000_000, warm_seconds: 20, seconds: 10, rounds: 3, calls: 400_000 };
const SHORT: Size =
    Size { small: 10_000, large: 100_000, warm_seconds: 3, seconds: 3, rounds: 5, calls: 60_000 };

/// What one call cost.
#[derive(Debug, Clone, Copy)]
struct Cost {
    cpu_ms: f64,
    visited: f64,
    read: f64,
}

/// A world that is loaded and shut in with the memory for an eighth of it.
struct Scene {
    rig: Rig,
    targets: Arc<Targets>,
    /// One index for all servers of this size: filling it anew would be counted as the cost of calls.
    index: Folder,
    /// Whether the memory is an eighth of the data, as it is when the data is large enough.
    is_tight: bool,
    /// Dropped last: whoever is in it goes first.
    _cage: Cage,
}

pub async fn run(short: bool) -> Result<Verdict> {
    progress("the world is made up: these are regression figures, not claims about real data");
    let size = if short { SHORT } else { FULL };
    // Both are there at once.
    let room = people_that_fit(&std::env::temp_dir(), PERSON_BYTES_MAX)?.saturating_sub(size.small);
    let large = size.large.min(room);
    ensure!(large > size.small, "the disk has no room for more than {} people", size.small);
    let few = Scene::set(size.small, &size).await?;
    let many = Scene::set(large, &size).await?;
    // By turns: a machine that becomes slower does so for both.
    let mut pairs = Vec::new();
    for _ in 0..size.rounds {
        pairs.push((few.measure(size.seconds).await?, many.measure(size.seconds).await?));
    }
    let growth = |cost: fn(&Cost) -> f64| median(pairs.iter().map(|(few, many)| cost(many) / cost(few)));
    let typical = |cost: fn(&Cost) -> f64| median(pairs.iter().map(|(_, many)| cost(many)));
    // Whatever else the machine does only ever adds to a call's processor time: the least disturbed rounds are compared.
    let least = |times: Vec<f64>| times.into_iter().fold(f64::INFINITY, f64::min);
    let cpu = least(pairs.iter().map(|(_, many)| many.cpu_ms).collect())
        / least(pairs.iter().map(|(few, _)| few.cpu_ms).collect());
    let visited = growth(|cost| cost.visited);
    // Where the smaller world fits into memory, what is read from outside says nothing.
    let tight = few.is_tight && many.is_tight;
    let read = tight.then(|| growth(|cost| cost.read));
    let told = |people: u64| usize::try_from(people).map(grouped);
    let figure = format!(
        "enrich-scale: a paid call with {} people against one with {}: processor time {cpu:.2} x ({:.0} us), pages visited \
         {visited:.2} x ({:.1}), pages read {} ({:.2}); bar {GROWTH_MAX} x; medians of {} rounds, of processor time the least; memory \
         {} (made-up world: a regression figure)",
        told(large)?,
        told(size.small)?,
        typical(|cost| cost.cpu_ms) * 1_000.0,
        typical(|cost| cost.visited),
        read.map_or("not compared".to_owned(), |read| format!("{read:.2} x")),
        typical(|cost| cost.read),
        size.rounds,
        if tight { "an eighth of the data" } else { "more than an eighth of so little data" },
    );
    let passed = [Some(cpu), Some(visited), read].into_iter().flatten().all(|growth| growth <= GROWTH_MAX);
    Ok(Verdict { figure, passed })
}

impl Scene {
    async fn set(people: u64, size: &Size) -> Result<Self> {
        let mut rig = Rig::start(RigOptions {
            failpoints: false,
            accounts: 0,
            people,
            postgres: PostgresOptions::with_settings(&LOAD_SETTINGS),
            one_database: false,
        })?;
        let targets = Arc::new(Targets::make(&rig, &rig.ledger().await?, ACCOUNTS, size.calls).await?);
        let index = Folder::make("enrich-scale")?;
        settle(&rig, &index).await?;
        let bytes: u64 = rig
            .postgres
            .psql(rig.graph_name(), "select pg_database_size(current_database())")?
            .trim()
            .parse()?;
        let memory = (bytes / MEMORY_SHARE).max(MEMORY_LEAST);
        // Durable again, as calls are paid for; and a quarter of the memory its own, as its documentation advises.
        for setting in [
            "fsync = on".to_owned(),
            "full_page_writes = on".to_owned(),
            format!("shared_buffers = '{}MB'", (memory / 4) >> 20),
        ] {
            rig.postgres.psql("postgres", &format!("alter system set {setting}"))?;
        }
        let cage = Cage::make(memory)?;
        cage.shut_in(&mut rig.postgres)?;
        progress(format!("{} people: {} MB of data, {} MB of memory", people, bytes >> 20, memory >> 20));
        let scene = Self { rig, targets, index, is_tight: memory > MEMORY_LEAST, _cage: cage };
        scene.measure(size.warm_seconds).await?;
        Ok(scene)
    }

    async fn measure(&self, seconds: u64) -> Result<Cost> {
        let rig = &self.rig;
        // PostgreSQL's counts are complete when those who counted are gone: before and after the server's life.
        let pages_before = Pages::read(rig)?;
        let server = serve(rig, &self.index)?;
        let before = Meters::read(&rig.postgres, Some(server.pid()))?;
        let load = load::run(server.address, &self.targets, CONNECTIONS, Pace::Closed, seconds).await?;
        let spent = Meters::read(&rig.postgres, Some(server.pid()))?.per_call(before, load.calls);
        server.stop()?;
        let pages = Pages::read(rig)?;
        let calls = number(load.calls);
        let cost = Cost {
            cpu_ms: spent.service_ms + spent.postgres_ms,
            visited: (pages.visited - pages_before.visited) / calls,
            read: (pages.read - pages_before.read) / calls,
        };
        progress(format!(
            "{} people: {} calls, {:.0}/s, p99 {:?}; {cost:?} a call",
            rig.world().people_count(),
            load.calls,
            load.per_second,
            load.p99
        ));
        Ok(cost)
    }
}

fn serve(rig: &Rig, index: &Folder) -> Result<Server> {
    rig.serve(&[("ASSAY_INDEX_FOLDER", &index.path.display().to_string())])
}

/// Waits until the service has moved all that the load left for it: else that would be counted as the cost of calls.
async fn settle(rig: &Rig, index: &Folder) -> Result<()> {
    let server = serve(rig, index)?;
    let watch = Stopwatch::start();
    while rig.postgres.psql(rig.graph_name(), "select exists (select from change_inbox)")?.trim() == "t" {
        ensure!(watch.elapsed() < SETTLED_WITHIN, "the change log is not done after {SETTLED_WITHIN:?}");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    server.stop()?;
    rig.postgres.psql(rig.graph_name(), "vacuum analyze").map(drop)
}

/// What PostgreSQL counted since it was started.
struct Pages {
    visited: f64,
    read: f64,
}

impl Pages {
    fn read(rig: &Rig) -> Result<Self> {
        let row = rig.postgres.psql(
            "postgres",
            "select sum(blks_hit + blks_read) || ' ' || sum(blks_read) from pg_stat_database where datname like 'bar%'",
        )?;
        let (visited, read) = row.trim().split_once(' ').context("no counts of pages")?;
        Ok(Self { visited: visited.parse()?, read: read.parse()? })
    }
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
