//! Whether any key changed: what a node remembers of keys is good for one epoch of the ledger.

use assay_domain::clock::Stopwatch;
use assay_domain::limits;
use assay_store::{Ledger, StoreError, task};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// The ledger's epoch as this node last saw it. A watcher looks every second.
#[derive(Debug)]
pub struct KeyEpoch {
    ledger: Ledger,
    seen: AtomicI64,
    /// Milliseconds since the start at which the last look began that was answered.
    looked_at: AtomicU64,
    started: Stopwatch,
}

impl KeyEpoch {
    /// Watches until the last handle is gone.
    pub fn watch(ledger: Ledger) -> Arc<Self> {
        let (seen, looked_at) = (AtomicI64::new(0), AtomicU64::new(0));
        let epoch = Arc::new(Self { ledger, seen, looked_at, started: Stopwatch::start() });
        let watched = Arc::downgrade(&epoch);
        task::spawn("watch-keys", async move {
            while let Some(epoch) = watched.upgrade() {
                if let Err(error) = epoch.look().await {
                    tracing::warn!(%error, "cannot see whether keys changed; they are read for every call");
                }
                drop(epoch);
                tokio::time::sleep(limits::KEY_EPOCH_EVERY).await;
            }
        });
        epoch
    }

    /// Looks now: for the node that changed a key itself, and need not wait for its watcher.
    pub async fn look(&self) -> Result<(), StoreError> {
        let asked_at = self.milliseconds();
        let epoch = self.ledger.key_epoch().await?;
        self.seen.fetch_max(epoch, Ordering::AcqRel);
        self.looked_at.fetch_max(asked_at, Ordering::AcqRel);
        Ok(())
    }

    /// The epoch, unless the last look is so old that nothing remembered may be believed.
    pub fn current(&self) -> Option<i64> {
        let age = self.milliseconds().saturating_sub(self.looked_at.load(Ordering::Acquire));
        let in_touch = u128::from(age) <= limits::KEY_EPOCH_AGE_MAX.as_millis();
        in_touch.then(|| self.seen.load(Ordering::Acquire))
    }

    fn milliseconds(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
