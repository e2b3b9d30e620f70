//! The sweeper's loop: what has run out in the ledger is ended.

use crate::chore::Chore;
use assay_domain::limits::SWEEP_EVERY;
use assay_store::{Ledger, StoreError};
use std::time::Duration;

#[derive(Clone)]
pub(crate) struct Sweeping {
    ledger: Ledger,
}

impl Sweeping {
    pub(crate) fn new(ledger: Ledger) -> Self {
        Self { ledger }
    }
}

impl Chore for Sweeping {
    const NAME: &'static str = "sweeping";

    async fn turn(&self) -> Result<Duration, StoreError> {
        let swept = self.ledger.sweep().await?;
        metrics::counter!("assay_sweep_holds_released_total").increment(swept.holds_released);
        metrics::counter!("assay_sweep_lots_expired_total").increment(swept.lots_expired);
        metrics::counter!("assay_sweep_replies_deleted_total").increment(swept.replies_deleted);
        Ok(SWEEP_EVERY)
    }
}
