//! Public sources of signals: for every host that is asked there is one job, so that one node at a time asks it.

use crate::chore::Chore;
use crate::queue::{Ended, Handler};
use assay_domain::limits::{
    FEED_CARE_EVERY, FEED_HOSTS_PER_NODE_MAX, FEED_IDLE_MAX, FEED_ITEM_LIFETIME, FEED_ITEMS_SWEPT,
    FEED_SWEEP_EVERY,
};
use assay_domain::{Clock, JobId};
use assay_engine::EngineError;
use assay_engine::newsroom::Newsroom;
use assay_store::queue::{Claimed, NewJob, Queue, share_of};
use assay_store::{Graph, Jobs, StoreError};
use serde_json::json;
use std::time::Duration;

/// It goes on for ever, however many nodes die over it.
const ATTEMPTS_MAX: u32 = 1_000_000;
/// Between the steps of a large sweep.
const STEP_PAUSE: Duration = Duration::from_millis(200);
/// Between two looks when there is more to do than fits into a turn.
const NEXT_TURN: Duration = Duration::from_millis(100);

#[derive(Clone)]
pub(crate) struct Polling {
    newsroom: Newsroom,
    jobs: Jobs,
}

impl Polling {
    pub(crate) fn new(newsroom: Newsroom, jobs: Jobs) -> Self {
        Self { newsroom, jobs }
    }
}

impl Handler for Polling {
    const QUEUE: Queue = Queue::Feed;
    const AT_ONCE: usize = FEED_HOSTS_PER_NODE_MAX;
    const AT_ONCE_PER_SHARE: usize = 1;

    async fn run(&self, job: Claimed) -> Result<Ended, StoreError> {
        let Some(host) = job.payload.get("host").and_then(|host| host.as_str()) else {
            return Ok(Ended::Failed { trouble: "the job names no host" });
        };
        let attended = match self.newsroom.attend(host).await {
            Ok(attended) => attended,
            Err(EngineError::Store(error)) => return Err(error),
        };
        let done = attended.looks.saturating_sub(attended.in_vain);
        metrics::counter!("assay_feed_looks_total", "ended" => "done").increment(done);
        metrics::counter!("assay_feed_looks_total", "ended" => "in_vain").increment(attended.in_vain);
        let Some(rest) = attended.rest else {
            self.jobs.done(job.lease).await?;
            return Ok(Ended::Settled);
        };
        let delay = rest.clamp(NEXT_TURN, FEED_IDLE_MAX);
        Ok(Ended::Again { delay, counts: false, trouble: "waits for its next look" })
    }
}

/// Sees to it that every host has its job.
#[derive(Clone)]
pub(crate) struct FeedCare {
    graph: Graph,
    jobs: Jobs,
    clock: Clock,
}

impl FeedCare {
    pub(crate) fn new(graph: Graph, jobs: Jobs, clock: Clock) -> Self {
        Self { graph, jobs, clock }
    }
}

impl Chore for FeedCare {
    const NAME: &'static str = "feed_care";

    async fn turn(&self) -> Result<Duration, StoreError> {
        for host in self.graph.feed_hosts().await? {
            let job = NewJob {
                id: JobId::mint(self.clock.now()),
                account: None,
                key: Some(host.clone()),
                run_at: None,
                every: None,
                attempts_max: ATTEMPTS_MAX,
                payload: json!({ "host": host }),
            };
            self.jobs.put(Queue::Feed, share_of(&host), &[job]).await?;
        }
        Ok(FEED_CARE_EVERY)
    }
}

/// Forgets what feeds listed long ago.
#[derive(Clone)]
pub(crate) struct FeedSweeping {
    graph: Graph,
    clock: Clock,
}

impl FeedSweeping {
    pub(crate) fn new(graph: Graph, clock: Clock) -> Self {
        Self { graph, clock }
    }
}

impl Chore for FeedSweeping {
    const NAME: &'static str = "feed_sweeping";

    async fn turn(&self) -> Result<Duration, StoreError> {
        let swept = self.graph.forget_items(self.clock.now() - FEED_ITEM_LIFETIME).await?;
        metrics::counter!("assay_sweep_feed_items_deleted_total").increment(swept);
        let is_more = i64::try_from(swept).is_ok_and(|deleted| deleted >= FEED_ITEMS_SWEPT);
        Ok(if is_more { STEP_PAUSE } else { FEED_SWEEP_EVERY })
    }
}
