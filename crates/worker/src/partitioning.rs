//! Makes history's next months ahead of time, since a call whose month has no partition could not be settled, and drops
//! the months that are older than the operator keeps them.

use crate::chore::Chore;
use assay_domain::limits::PARTITION_EVERY;
use assay_store::{Ledger, StoreError};
use std::time::Duration;

#[derive(Clone)]
pub(crate) struct Partitioning {
    ledger: Ledger,
    keep_months: u32,
}

impl Partitioning {
    pub(crate) fn new(ledger: Ledger, keep_months: u32) -> Self {
        Self { ledger, keep_months }
    }
}

impl Chore for Partitioning {
    const NAME: &'static str = "partitioning";

    async fn turn(&self) -> Result<Duration, StoreError> {
        self.ledger.make_partitions().await?;
        match self.ledger.drop_old_history(self.keep_months).await {
            Ok(dropped) => metrics::counter!("assay_history_months_dropped_total").increment(dropped),
            // Somebody reads the month right now. There is no hurry: it goes in the next turn.
            Err(error) => {
                tracing::warn!(%error, "an old month of history could not be dropped yet");
                metrics::counter!("assay_chore_errors_total", "chore" => Self::NAME).increment(1);
            }
        }
        Ok(PARTITION_EVERY)
    }
}
