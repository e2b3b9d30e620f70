//! The clock: the only place that reads the time of day, so that everything else can be told what time it is.

use chrono::{DateTime, Utc};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Answers the time. The system's in production, a fixed or moving one in tests.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>);

impl Clock {
    pub fn system() -> Self {
        #[expect(clippy::disallowed_methods, reason = "the one place that may read the clock")]
        Self(Arc::new(Utc::now))
    }

    pub fn fixed(at: DateTime<Utc>) -> Self {
        Self(Arc::new(move || at))
    }

    pub fn now(&self) -> DateTime<Utc> {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Clock")
    }
}

/// Measures how long something took, on the clock that never goes back.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(std::time::Instant);

impl Stopwatch {
    pub fn start() -> Self {
        #[expect(clippy::disallowed_methods, reason = "the one place that may read the monotonic clock")]
        Self(std::time::Instant::now())
    }

    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}
