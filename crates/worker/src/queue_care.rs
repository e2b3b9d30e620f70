//! Looks at the queue itself: how deep and how old it is, and what nobody needs any more.

use crate::chore::Chore;
use assay_domain::limits::JOB_SWEEP_EVERY;
use assay_store::queue::{Queue, QueueDepth};
use assay_store::{Jobs, StoreError};
use std::time::Duration;

/// A minute would hide what grows in seconds.
const MEASURE_EVERY: Duration = Duration::from_secs(5);
const STATES: [&str; 4] = ["waiting", "delayed", "running", "failed"];

#[derive(Clone)]
pub(crate) struct QueueCare {
    jobs: Jobs,
}

impl QueueCare {
    pub(crate) fn new(jobs: Jobs) -> Self {
        Self { jobs }
    }
}

impl Chore for QueueCare {
    const NAME: &'static str = "queue-care";

    async fn turn(&self) -> Result<Duration, StoreError> {
        let depths = self.jobs.depths().await?;
        for queue in Queue::ALL {
            for state in STATES {
                let found = depths.iter().find(|depth| depth.queue == queue.as_str() && depth.state == state);
                show(queue.as_str(), state, found);
            }
        }
        Ok(MEASURE_EVERY)
    }
}

#[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "a gauge is a float")]
fn show(queue: &'static str, state: &'static str, found: Option<&QueueDepth>) {
    let jobs = found.map_or(0.0, |depth| depth.jobs as f64);
    metrics::gauge!("assay_queue_depth", "queue" => queue, "state" => state).set(jobs);
    let age = found.map_or(0.0, |depth| depth.oldest_seconds.max(0.0));
    metrics::gauge!("assay_queue_oldest_seconds", "queue" => queue, "state" => state).set(age);
}

/// Forgets shares that are as good as new, and failures nobody came for.
#[derive(Clone)]
pub(crate) struct QueueSweep {
    jobs: Jobs,
}

impl QueueSweep {
    pub(crate) fn new(jobs: Jobs) -> Self {
        Self { jobs }
    }
}

impl Chore for QueueSweep {
    const NAME: &'static str = "queue-sweep";

    async fn turn(&self) -> Result<Duration, StoreError> {
        for queue in Queue::ALL {
            self.jobs.sweep(queue).await?;
        }
        Ok(JOB_SWEEP_EVERY)
    }
}
