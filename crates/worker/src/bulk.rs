//! Bulk jobs: the workers that answer their slices, and the chore that looks after the jobs themselves.

use crate::chore::Chore;
use crate::queue::{Ended, Handler};
use assay_domain::Clock;
use assay_domain::limits::{BULK_CARE_EVERY, BULK_SLICES_PER_ACCOUNT_MAX, BULK_SLICES_PER_NODE_MAX};
use assay_service::{BulkDesk, SliceEnd};
use assay_store::queue::{Claimed, Queue};
use assay_store::{Ledger, StoreError};
use std::time::Duration;

#[derive(Clone)]
pub(crate) struct Slices {
    desk: BulkDesk,
}

impl Slices {
    pub(crate) fn new(desk: BulkDesk) -> Self {
        Self { desk }
    }
}

impl Handler for Slices {
    const QUEUE: Queue = Queue::Bulk;
    const AT_ONCE: usize = BULK_SLICES_PER_NODE_MAX;
    const AT_ONCE_PER_SHARE: usize = BULK_SLICES_PER_ACCOUNT_MAX;

    async fn run(&self, job: Claimed) -> Result<Ended, StoreError> {
        Ok(match self.desk.answer(&job).await? {
            SliceEnd::Settled => Ended::Settled,
            SliceEnd::Again { delay, counts, trouble } => Ended::Again { delay, counts, trouble },
        })
    }
}

/// Wakes paused jobs whose account has credits again, gives up on those nobody topped up for, and forgets old ones.
#[derive(Clone)]
pub(crate) struct BulkCare {
    ledger: Ledger,
    clock: Clock,
}

impl BulkCare {
    pub(crate) fn new(ledger: Ledger, clock: Clock) -> Self {
        Self { ledger, clock }
    }
}

impl Chore for BulkCare {
    const NAME: &'static str = "bulk-care";

    async fn turn(&self) -> Result<Duration, StoreError> {
        self.ledger.resume_bulks(assay_service::BULK_PRICE).await?;
        let now = self.clock.now();
        self.ledger.cancel_paused_bulks(now).await?;
        self.ledger.forget_bulks(now).await?;
        Ok(BULK_CARE_EVERY)
    }
}
