//! Whether the old primary still takes writes: it is asked to, over and over, on connections of the bar's own.

use anyhow::{Context, Result};
use assay_testkit::{Postgres, psql};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

const WRITERS: usize = 2;
const PAUSE: Duration = Duration::from_millis(300);
/// Connections of the product that do its work; those that only look are not among them.
const WORKING: &str = "application_name in ('assay-ledger', 'assay-graph', 'assay-sandbox')";

pub fn prepare(primary: &Postgres) -> Result<()> {
    primary.psql("postgres", "create table fence (at timestamptz not null default now())").map(drop)
}

pub struct Fence {
    stop: Arc<AtomicBool>,
    tried: Arc<AtomicUsize>,
    taken: Arc<AtomicUsize>,
    writers: Vec<JoinHandle<()>>,
}

/// What came of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fenced {
    pub tried: usize,
    /// Writes that were acknowledged.
    pub taken: usize,
}

impl Fence {
    /// From now on nobody may write there.
    pub fn watch(old: &Postgres) -> Self {
        let (stop, tried, taken) = (Arc::default(), Arc::default(), Arc::default());
        let writer = |_| {
            let (url, stop) = (old.url("postgres"), Arc::<AtomicBool>::clone(&stop));
            let (tried, taken) = (Arc::<AtomicUsize>::clone(&tried), Arc::<AtomicUsize>::clone(&taken));
            std::thread::spawn(move || {
                while !stop.load(Ordering::SeqCst) {
                    let written = psql(&url, "insert into fence default values").is_ok();
                    tried.fetch_add(1, Ordering::SeqCst);
                    taken.fetch_add(usize::from(written), Ordering::SeqCst);
                    std::thread::sleep(PAUSE);
                }
            })
        };
        let writers = (0..WRITERS).map(writer).collect();
        Self { stop, tried, taken, writers }
    }

    pub fn end(self) -> Result<Fenced> {
        self.stop.store(true, Ordering::SeqCst);
        for writer in self.writers {
            writer.join().ok().context("a writer panicked")?;
        }
        Ok(Fenced { tried: self.tried.load(Ordering::SeqCst), taken: self.taken.load(Ordering::SeqCst) })
    }
}

/// The server's own time, to ask later who came after it.
pub fn moment(server: &Postgres) -> Result<String> {
    server.psql("postgres", "select clock_timestamp()")
}

/// Connections at work there that were opened after that moment.
pub fn workers_since(server: &Postgres, moment: &str) -> Result<usize> {
    let sql = format!("select count(*) from pg_stat_activity where {WORKING} and backend_start > '{moment}'");
    Ok(server.psql("postgres", &sql)?.parse()?)
}
