//! Mail: addresses that are asked for again, old verdicts that are forgotten, and whether we are on a blocklist ourselves.

use crate::chore::Chore;
use crate::queue::{Ended, Handler};
use assay_domain::Clock;
use assay_domain::limits::{
    MAIL_BLOCKLIST_EVERY, MAIL_CATCH_ALL_LIFETIME, MAIL_RETRIES_PER_NODE_MAX, MAIL_RETRIES_PER_OPERATOR_MAX,
    MAIL_SWEEP_BATCH, MAIL_SWEEP_EVERY, MAIL_VERDICT_LIFETIME, UPSTREAM_FIND_LIFETIME,
    UPSTREAM_MISS_LIFETIME, UPSTREAM_SWEEP_BATCH,
};
use assay_engine::EngineError;
use assay_engine::mail::{Mailroom, RetryEnd};
use assay_mailbox::Listing;
use assay_store::queue::{Claimed, Queue};
use assay_store::{Graph, Jobs, StoreError};
use std::time::Duration;

/// Between the steps of a large sweep.
const STEP_PAUSE: Duration = Duration::from_millis(200);

#[derive(Clone)]
pub(crate) struct Retrying {
    mailroom: Mailroom,
    jobs: Jobs,
    clock: Clock,
}

impl Retrying {
    pub(crate) fn new(mailroom: Mailroom, jobs: Jobs, clock: Clock) -> Self {
        Self { mailroom, jobs, clock }
    }
}

impl Handler for Retrying {
    const QUEUE: Queue = Queue::Mail;
    const AT_ONCE: usize = MAIL_RETRIES_PER_NODE_MAX;
    const AT_ONCE_PER_SHARE: usize = MAIL_RETRIES_PER_OPERATOR_MAX;

    async fn run(&self, job: Claimed) -> Result<Ended, StoreError> {
        let end = match self.mailroom.retry(&job.payload, self.clock.now()).await {
            Ok(end) => end,
            Err(EngineError::Store(error)) => return Err(error),
        };
        Ok(match end {
            RetryEnd::Done => {
                self.jobs.done(job.lease).await?;
                Ended::Settled
            }
            RetryEnd::Again(delay) => {
                Ended::Again { delay, counts: false, trouble: "the mail server put us off" }
            }
            RetryEnd::Unreadable => Ended::Failed { trouble: "the address cannot be opened" },
        })
    }
}

#[derive(Clone)]
pub(crate) struct VerdictSweeping {
    graph: Graph,
    clock: Clock,
}

impl VerdictSweeping {
    pub(crate) fn new(graph: Graph, clock: Clock) -> Self {
        Self { graph, clock }
    }
}

impl Chore for VerdictSweeping {
    const NAME: &'static str = "verdict_sweeping";

    async fn turn(&self) -> Result<Duration, StoreError> {
        let now = self.clock.now();
        let swept =
            self.graph.forget_verdicts(now - MAIL_VERDICT_LIFETIME, now - MAIL_CATCH_ALL_LIFETIME).await?;
        metrics::counter!("assay_sweep_verdicts_deleted_total").increment(swept);
        let answers =
            self.graph.forget_answers(now - UPSTREAM_FIND_LIFETIME, now - UPSTREAM_MISS_LIFETIME).await?;
        metrics::counter!("assay_sweep_answers_deleted_total").increment(answers);
        let is_more = i64::try_from(swept.max(answers))
            .is_ok_and(|deleted| deleted >= MAIL_SWEEP_BATCH.min(UPSTREAM_SWEEP_BATCH));
        Ok(if is_more { STEP_PAUSE } else { MAIL_SWEEP_EVERY })
    }
}

/// Tells operators when the address we ask from is refused by many.
#[derive(Clone)]
pub(crate) struct Reputation {
    mailroom: Mailroom,
}

impl Reputation {
    pub(crate) fn new(mailroom: Mailroom) -> Self {
        Self { mailroom }
    }
}

impl Chore for Reputation {
    const NAME: &'static str = "reputation";

    async fn turn(&self) -> Result<Duration, StoreError> {
        for (zone, listing) in self.mailroom.own_listings().await {
            let is_listed = matches!(listing, Listing::Listed { .. });
            let gauge = metrics::gauge!("assay_mail_source_listed", "list" => zone.clone());
            gauge.set(if is_listed { 1.0 } else { 0.0 });
            match listing {
                Listing::Clear => {}
                Listing::Listed { codes, reason } => {
                    tracing::error!(
                        zone,
                        ?codes,
                        reason,
                        "the address that mail servers are asked from is listed"
                    );
                }
                Listing::Unknown(why) => tracing::warn!(zone, %why, "a blocklist could not be asked"),
            }
        }
        Ok(MAIL_BLOCKLIST_EVERY)
    }
}
