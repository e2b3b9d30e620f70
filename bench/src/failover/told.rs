//! Signals told while the primary is lost, and whether everybody who polls or listens saw each of them once.

use crate::bar::Complaints;
use crate::rig::Rig;
use crate::signals::freshness::observers::{Observers, Seen};
use crate::signals::freshness::tell;
use anyhow::{Context, Result};
use assay_domain::clock::Stopwatch;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;

const WRITERS: usize = 4;
const PAUSE: Duration = Duration::from_millis(400);
/// What has not come by then is missing.
const GIVEN_UP_AFTER: Duration = Duration::from_secs(60);

pub struct Told {
    stop: Arc<AtomicBool>,
    next: Arc<AtomicUsize>,
    writers: JoinSet<Result<()>>,
    observers: Observers,
}

/// How many there were, and how many watched.
#[derive(Debug, Clone, Copy)]
pub struct Count {
    pub told: usize,
    pub observers: usize,
}

impl Told {
    /// The account that watches is not the one that tells: both would be held to one rate.
    pub fn start(rig: &Rig, nodes: [SocketAddr; 2], watcher: usize, teller: usize) -> Result<Self> {
        let clock = Stopwatch::start();
        let account = |number: usize| rig.accounts.get(number).context("too few accounts");
        let observers = Observers::start(nodes, &account(watcher)?.api_key, clock);
        let teller = account(teller)?.id.to_string();
        let key = rig.cli(&["key", "create", "--account", &teller, "--scopes", "operator"])?;
        let (stop, next) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let mut writers = JoinSet::new();
        for _ in 0..WRITERS {
            let (key, stop, next) = (key.trim().to_owned(), Arc::clone(&stop), Arc::clone(&next));
            writers.spawn(async move {
                while !stop.load(Ordering::SeqCst) {
                    tell(nodes, &key, clock, next.fetch_add(1, Ordering::SeqCst)).await?;
                    tokio::time::sleep(PAUSE).await;
                }
                Ok(())
            });
        }
        Ok(Self { stop, next, writers, observers })
    }

    /// Lets everybody see what was told, and complains of what was skipped or came twice.
    pub async fn end(mut self, complaints: &mut Complaints) -> Result<Count> {
        self.stop.store(true, Ordering::SeqCst);
        while let Some(writer) = self.writers.join_next().await {
            writer??;
        }
        let told = self.next.load(Ordering::SeqCst);
        self.observers.wait_for(&vec![Duration::ZERO; told], &[], GIVEN_UP_AFTER).await;
        let seen = self.observers.end().await;
        let watched: Vec<&Seen> = seen.iter().filter(|observer| observer.kinds.contains(&"form")).collect();
        for observer in &watched {
            for number in 0..told {
                match observer.rounds.get(&number).map_or(0, Vec::len) {
                    1 => {}
                    0 => complaints.add(format!("{} did not see signal {number}", observer.name)),
                    times => complaints.add(format!("{} saw signal {number} {times} times", observer.name)),
                }
            }
        }
        Ok(Count { told, observers: watched.len() })
    }
}
