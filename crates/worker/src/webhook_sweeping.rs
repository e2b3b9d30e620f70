//! Forgets messages to webhooks whose time is over, and secrets that sign no more.

use crate::chore::Chore;
use assay_domain::limits::{WEBHOOK_SWEEP_BATCH, WEBHOOK_SWEEP_EVERY};
use assay_store::{Ledger, StoreError};
use std::time::Duration;

/// Between the steps of a large sweep, so that money is not made to wait for it.
const STEP_PAUSE: Duration = Duration::from_millis(200);

#[derive(Clone)]
pub(crate) struct WebhookSweeping {
    ledger: Ledger,
}

impl WebhookSweeping {
    pub(crate) fn new(ledger: Ledger) -> Self {
        Self { ledger }
    }
}

impl Chore for WebhookSweeping {
    const NAME: &'static str = "webhook_sweeping";

    async fn turn(&self) -> Result<Duration, StoreError> {
        let swept = self.ledger.sweep_webhooks().await?;
        metrics::counter!("assay_sweep_deliveries_deleted_total").increment(swept.deliveries);
        let more = i64::try_from(swept.deliveries).is_ok_and(|deleted| deleted >= WEBHOOK_SWEEP_BATCH);
        Ok(if more { STEP_PAUSE } else { WEBHOOK_SWEEP_EVERY })
    }
}
