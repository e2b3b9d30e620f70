//! The bar `cold-start`: how long a new node takes until it answers, from a snapshot and from the tables, and what the
//! others notice of it.
//!
//! All nodes share this machine's processors, which they would not elsewhere: the new one runs at the lowest priority, so
//! that what the others notice is what it takes from the database and the disk. The world is made up.

use super::big_rig;
use crate::bar::{Verdict, grouped, median, number_in, progress};
use crate::billed::load::{self, Pace};
use crate::billed::targets::Targets;
use crate::rig::{Folder, Rig, Server, people_with_room};
use anyhow::{Context, Result, ensure};
use assay_domain::clock::Stopwatch;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const PEOPLE: u64 = 10_000_000;
const PEOPLE_SHORT: u64 = 20_000;
/// The bars.
const BY_SNAPSHOT_MAX: Duration = Duration::from_mins(3);
const FROM_TABLES_MAX: Duration = Duration::from_mins(15);
const OTHERS_MAX: f64 = 1.2;
/// With indexes and a snapshot of them beside the tables.
const PERSON_BYTES: u64 = 4_500;
const OTHER_PEOPLE: &str = "ASSAY_BAR_PEOPLE";
/// What the others are asked meanwhile.
const ACCOUNTS: usize = 100;
const CALLS: usize = 200_000;
const CALLS_A_SECOND: f64 = 100.0;
const CONNECTIONS: usize = 16;
/// The 99th percentile is of so long at a time; of many such, the middle one counts.
const WINDOW_SECONDS: u64 = 5;
const QUIET_WINDOWS: usize = 6;
const SNAPSHOT_WITHIN: Duration = Duration::from_mins(20);

/// A start, and the 99th percentile of the others' calls meanwhile.
struct Start {
    took: Duration,
    others_ms: f64,
}

pub async fn run(short: bool) -> Result<Verdict> {
    progress("the world is made up: these are regression figures, not claims about real data");
    let wanted = number_in(OTHER_PEOPLE)?.unwrap_or(if short { PEOPLE_SHORT } else { PEOPLE });
    let people = people_with_room(wanted, PERSON_BYTES)?;
    ensure!(people > 0, "the disk is full");
    let rig = big_rig(people, 0)?;
    let targets = Arc::new(Targets::make(&rig, &rig.ledger().await?, ACCOUNTS, CALLS).await?);
    let folder = Folder::make("cold-start")?;
    let snapshots = folder.path.join("snapshots");
    let shared = snapshots.display().to_string();
    let own = folder.path.join("first").display().to_string();
    let watch = Stopwatch::start();
    let first = rig.serve(&[("ASSAY_INDEX_FOLDER", &own), ("ASSAY_INDEX_SNAPSHOTS", &shared)])?;
    progress(format!("the first node is ready after {:.0} s", watch.elapsed().as_secs_f64()));
    wait_snapshot(&snapshots).await?;
    progress(format!("its snapshot is there after {:.0} s", watch.elapsed().as_secs_f64()));
    let others = Others { first: &first, targets: &targets };
    let quiet_ms = others.quiet().await?;
    let by_snapshot = others.beside(&rig, &[("ASSAY_INDEX_SNAPSHOTS", &shared)]).await?;
    std::fs::remove_dir_all(&snapshots)?;
    let from_tables = others.beside(&rig, &[]).await?;
    // A machine that became slower meanwhile was not slowed by the new node.
    let quiet_ms = f64::midpoint(quiet_ms, others.quiet().await?);
    let (by, from) = (by_snapshot.others_ms / quiet_ms, from_tables.others_ms / quiet_ms);
    let figure = format!(
        "cold-start: {} people: ready by snapshot after {:.0} s (bar {} s), from the tables after {:.0} s (bar {} s); the others' \
         p99 {quiet_ms:.1} ms, {by:.2} x and {from:.2} x of it meanwhile (bar {OTHERS_MAX})",
        grouped(usize::try_from(people)?),
        by_snapshot.took.as_secs_f64(),
        BY_SNAPSHOT_MAX.as_secs(),
        from_tables.took.as_secs_f64(),
        FROM_TABLES_MAX.as_secs(),
    );
    let in_time = by_snapshot.took <= BY_SNAPSHOT_MAX && from_tables.took <= FROM_TABLES_MAX;
    Ok(Verdict { figure, passed: in_time && by <= OTHERS_MAX && from <= OTHERS_MAX })
}

/// A snapshot is whole when its list of files is there.
async fn wait_snapshot(folder: &Path) -> Result<()> {
    let watch = Stopwatch::start();
    loop {
        let mut entries = std::fs::read_dir(folder).context("the node keeps no snapshots")?.flatten();
        if entries.any(|entry| entry.path().join("manifest.json").is_file()) {
            return Ok(());
        }
        ensure!(watch.elapsed() < SNAPSHOT_WITHIN, "no snapshot after {SNAPSHOT_WITHIN:?}");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Who is there already, and the calls they answer.
struct Others<'a> {
    first: &'a Server,
    targets: &'a Arc<Targets>,
}

impl Others<'_> {
    async fn window(&self) -> Result<f64> {
        let pace = Pace::Open { per_second: CALLS_A_SECOND };
        let load = load::run(self.first.address, self.targets, CONNECTIONS, pace, WINDOW_SECONDS).await?;
        Ok(load.p99.as_secs_f64() * 1e3)
    }

    async fn quiet(&self) -> Result<f64> {
        let mut windows = Vec::new();
        for _ in 0..QUIET_WINDOWS {
            windows.push(self.window().await?);
        }
        Ok(median(windows))
    }

    /// Starts a new node with an index folder of its own, and stops it again.
    async fn beside(&self, rig: &Rig, settings: &[(&str, &str)]) -> Result<Start> {
        let watch = Stopwatch::start();
        let (windows, took, new) = std::thread::scope(|scope| {
            let starting = scope
                .spawn(|| rig.serve_at_the_lowest_priority(settings).map(|server| (server, watch.elapsed())));
            let mut windows = Vec::new();
            tokio::task::block_in_place(|| {
                while !starting.is_finished() || windows.is_empty() {
                    windows.push(tokio::runtime::Handle::current().block_on(self.window())?);
                }
                anyhow::Ok(())
            })?;
            let (server, took) =
                starting.join().map_err(|_| anyhow::anyhow!("the new node's thread broke"))??;
            anyhow::Ok((windows, took, server))
        })?;
        new.stop()?;
        let others_ms = median(windows);
        progress(format!("ready after {:.0} s, the others' p99 {others_ms:.1} ms", took.as_secs_f64()));
        Ok(Start { took, others_ms })
    }
}
