//! Makes history's next months ahead of time: a call whose month has no partition could not be settled.

use crate::chore::Chore;
use assay_domain::limits::PARTITION_EVERY;
use assay_store::{Ledger, StoreError};
use std::time::Duration;

#[derive(Clone)]
pub(crate) struct Partitioning {
    ledger: Ledger,
}

impl Partitioning {
    pub(crate) fn new(ledger: Ledger) -> Self {
        Self { ledger }
    }
}

impl Chore for Partitioning {
    const NAME: &'static str = "partitioning";

    async fn turn(&self) -> Result<Duration, StoreError> {
        self.ledger.make_partitions().await?;
        Ok(PARTITION_EVERY)
    }
}
