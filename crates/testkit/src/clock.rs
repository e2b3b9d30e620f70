//! The only place of the test kit that reads the clock: deadlines for waiting, a stopwatch for reports.

use std::time::{Duration, Instant};

/// How often a wait looks again.
pub(crate) const POLL: Duration = Duration::from_millis(10);

#[expect(clippy::disallowed_methods, reason = "waiting for real processes needs the real clock")]
fn now() -> Instant {
    Instant::now()
}

/// A moment after which waiting is given up.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    started: Instant,
    allowed: Duration,
}

impl Deadline {
    #[must_use]
    pub fn after(allowed: Duration) -> Self {
        Self { started: now(), allowed }
    }

    #[must_use]
    pub fn passed(&self) -> bool {
        self.started.elapsed() >= self.allowed
    }
}

/// Measures how long a step took.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    started: Instant,
}

impl Stopwatch {
    #[must_use]
    pub fn start() -> Self {
        Self { started: now() }
    }

    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}
