//! The client's own time: how long it has run, on a clock that never goes back. A test may let time pass at once.

use assay_domain::clock::Stopwatch;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Clones share what was skipped.
#[derive(Debug, Clone)]
pub struct Uptime {
    watch: Stopwatch,
    skipped_ms: Arc<AtomicU64>,
}

impl Uptime {
    pub fn start() -> Self {
        Self { watch: Stopwatch::start(), skipped_ms: Arc::default() }
    }

    pub fn now(&self) -> Duration {
        self.watch.elapsed().saturating_add(Duration::from_millis(self.skipped_ms.load(Ordering::Relaxed)))
    }

    /// For tests: breakers and rests believe that so much time has passed. Waiting for answers goes on as before.
    pub fn skip(&self, time: Duration) {
        let time_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.skipped_ms.fetch_add(time_ms, Ordering::Relaxed);
    }
}

impl Default for Uptime {
    fn default() -> Self {
        Self::start()
    }
}
