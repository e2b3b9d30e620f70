//! A flood of sandbox calls, at a named rate, while somebody else measures.

use super::caller::Caller;
use crate::bar::renice_this_thread;
use anyhow::Context;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

/// Calls a second of an address that has used up its day.
pub const EXHAUSTED_RATE: usize = 1_000;
/// Calls a second of addresses nobody has seen before: each is a row of the counter.
pub const FRESH_RATE: usize = 200;
const EXHAUSTED: &str = "198.51.100.250";
const CONNECTIONS: usize = 8;
const TICK: Duration = Duration::from_millis(10);
const TICKS_A_SECOND: usize = 100;

/// What the flood came to.
#[derive(Debug, Default)]
pub struct Tally {
    pub exhausted: AtomicUsize,
    pub fresh: AtomicUsize,
    /// Neither served nor told that the day is used up.
    pub odd: AtomicUsize,
}

/// The running flood, on a thread and a runtime of its own: what is measured must not wait behind it.
#[derive(Debug)]
pub struct Flood {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<anyhow::Result<()>>>,
}

/// Numbers addresses over all floods of a run, so that a fresh one is fresh.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// Uses up the day of the flood's one address.
pub async fn exhaust(server: SocketAddr) -> anyhow::Result<()> {
    let mut caller = Caller::new(server);
    for _ in 0..1_000 {
        if caller.call(Some(EXHAUSTED)).await?.is_used_up() {
            return Ok(());
        }
    }
    anyhow::bail!("an address was never used up")
}

impl Flood {
    pub fn start(server: SocketAddr, tally: &Arc<Tally>) -> anyhow::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, tally) = (Arc::clone(&stop), Arc::clone(tally));
        let thread = std::thread::Builder::new().name("flood".into()).spawn(move || {
            // Whoever floods brings processors of their own, and takes none of the ledger's.
            renice_this_thread(15)?;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(pour(server, stopped, tally))
        })?;
        Ok(Self { stop, thread: Some(thread) })
    }

    pub fn stop(mut self) -> anyhow::Result<()> {
        self.stop.store(true, Ordering::Relaxed);
        let thread = self.thread.take().context("a flood is stopped once")?;
        thread.join().map_err(|_| anyhow::anyhow!("the flood panicked"))?
    }
}

async fn pour(server: SocketAddr, stop: Arc<AtomicBool>, tally: Arc<Tally>) -> anyhow::Result<()> {
    let mut hoses = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let (stop, tally) = (Arc::clone(&stop), Arc::clone(&tally));
        hoses.spawn(async move { pour_one(server, &stop, &tally).await });
    }
    while let Some(hose) = hoses.join_next().await {
        hose??;
    }
    Ok(())
}

/// One connection's share of both rates. A call that comes late is not made up for: the flood never grows beyond its name.
async fn pour_one(server: SocketAddr, stop: &AtomicBool, tally: &Tally) -> anyhow::Result<()> {
    let mut caller = Caller::new(server);
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let (mut exhausted_due, mut fresh_due) = (0, 0);
    while !stop.load(Ordering::Relaxed) {
        ticks.tick().await;
        exhausted_due += EXHAUSTED_RATE;
        fresh_due += FRESH_RATE;
        while exhausted_due >= CONNECTIONS * TICKS_A_SECOND {
            exhausted_due -= CONNECTIONS * TICKS_A_SECOND;
            let answer = caller.call(Some(EXHAUSTED)).await?;
            count(&tally.exhausted, answer.is_used_up(), &tally.odd);
        }
        while fresh_due >= CONNECTIONS * TICKS_A_SECOND {
            fresh_due -= CONNECTIONS * TICKS_A_SECOND;
            let [_, a, b, c] = NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes();
            let answer = caller.call(Some(&format!("100.{a}.{b}.{c}"))).await?;
            count(&tally.fresh, answer.is_served(), &tally.odd);
        }
    }
    Ok(())
}

fn count(wanted: &AtomicUsize, fits: bool, odd: &AtomicUsize) {
    (if fits { wanted } else { odd }).fetch_add(1, Ordering::Relaxed);
}
