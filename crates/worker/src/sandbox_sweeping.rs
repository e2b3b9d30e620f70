//! Forgets who used the sandbox on past days.

use crate::chore::Chore;
use assay_domain::limits::{SANDBOX_SWEEP_BATCH, SANDBOX_SWEEP_EVERY};
use assay_store::{Ledger, StoreError};
use std::time::Duration;

/// Between the steps of a large day, so that money is not made to wait for it.
const STEP_PAUSE: Duration = Duration::from_millis(200);

#[derive(Clone)]
pub(crate) struct SandboxSweeping {
    ledger: Ledger,
}

impl SandboxSweeping {
    pub(crate) fn new(ledger: Ledger) -> Self {
        Self { ledger }
    }
}

impl Chore for SandboxSweeping {
    const NAME: &'static str = "sandbox_sweeping";

    async fn turn(&self) -> Result<Duration, StoreError> {
        let forgotten = self.ledger.sweep_sandbox().await?;
        metrics::counter!("assay_sweep_sandbox_clients_total").increment(forgotten);
        let more = i64::try_from(forgotten).is_ok_and(|forgotten| forgotten >= SANDBOX_SWEEP_BATCH);
        Ok(if more { STEP_PAUSE } else { SANDBOX_SWEEP_EVERY })
    }
}
