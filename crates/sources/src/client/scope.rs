//! What is remembered of one vendor's key, and turns at it.

use super::asked::NotAsked;
use super::breaker::{Admission, Breaker};
use super::resets::{Resets, Rest};
use super::uptime::Uptime;
use crate::Reading;
use assay_domain::clock::Stopwatch;
use assay_domain::token_bucket::TokenBucket;
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[derive(Debug, Default)]
pub(super) struct Scope(Mutex<State>);

#[derive(Debug)]
struct State {
    breaker: Breaker,
    resets: Resets,
    pace: TokenBucket,
}

impl Default for State {
    fn default() -> Self {
        Self {
            breaker: Breaker::default(),
            resets: Resets::default(),
            pace: TokenBucket::full(DateTime::UNIX_EPOCH),
        }
    }
}

impl Scope {
    /// A turn at the vendor, or why there is none.
    pub(super) fn turn(self: &Arc<Self>, uptime: &Uptime, per_minute: Option<u32>) -> Result<Turn, NotAsked> {
        let now = uptime.now();
        let mut state = self.lock();
        if let Some((why, left)) = state.resets.left(now) {
            return Err(NotAsked::Resting { why, left });
        }
        if let Some(left) = state.breaker.refusal(now) {
            return Err(NotAsked::BreakerOpen { left });
        }
        if let Some(per_minute) = per_minute {
            let allowance = state.pace.take(instant(now), per_minute);
            if !allowance.allowed {
                let left = Duration::from_secs(u64::from(allowance.reset_seconds));
                return Err(NotAsked::Resting { why: Rest::Paced, left });
            }
        }
        let admission = state.breaker.admit(now).map_err(|left| NotAsked::BreakerOpen { left })?;
        drop(state);
        Ok(Turn {
            scope: Arc::clone(self),
            uptime: uptime.clone(),
            watch: Stopwatch::start(),
            patience: Duration::MAX,
            admission: Some(admission),
        })
    }

    /// Remembers when the vendor said to come back. Why, if that was news.
    pub(super) fn learn(&self, reading: &Reading, now: Duration) -> Option<Rest> {
        self.lock().resets.learn(reading, now)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.lock().breaker.is_closed()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One try that was let through. Dropped without an end when its caller goes away.
#[derive(Debug)]
pub(super) struct Turn {
    scope: Arc<Scope>,
    uptime: Uptime,
    watch: Stopwatch,
    /// How long the vendor has to be waited for before that speaks against it.
    patience: Duration,
    admission: Option<Admission>,
}

impl Turn {
    pub(super) fn is_probe(&self) -> bool {
        self.admission.as_ref().is_some_and(Admission::is_probe)
    }

    pub(super) fn be_patient(&mut self, patience: Duration) {
        self.patience = patience;
    }

    pub(super) fn succeeded(self) {
        self.end(false);
    }

    pub(super) fn failed(self) {
        self.end(true);
    }

    fn end(mut self, failed: bool) {
        if let Some(admission) = self.admission.take() {
            let now = self.uptime.now();
            self.scope.lock().breaker.report(&admission, now, failed);
        }
    }
}

/// Whoever gives up early says nothing of the vendor; whoever waited in vain does.
impl Drop for Turn {
    fn drop(&mut self) {
        let Some(admission) = self.admission.take() else { return };
        let now = self.uptime.now();
        let mut state = self.scope.lock();
        if self.watch.elapsed() >= self.patience {
            state.breaker.report(&admission, now, true);
        } else {
            state.breaker.forget(&admission);
        }
    }
}

/// A bucket wants a time of day; any will do that goes on evenly.
fn instant(now: Duration) -> DateTime<Utc> {
    let passed = TimeDelta::from_std(now).unwrap_or(TimeDelta::zero());
    DateTime::UNIX_EPOCH.checked_add_signed(passed).unwrap_or(DateTime::UNIX_EPOCH)
}
