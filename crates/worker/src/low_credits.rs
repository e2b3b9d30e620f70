//! Tells accounts whose credits became low, where they want to be told.

use crate::chore::Chore;
use assay_domain::limits::{LOW_CREDITS_BATCH, LOW_CREDITS_EVERY};
use assay_store::{Ledger, StoreError};
use std::time::Duration;

#[derive(Clone)]
pub(crate) struct LowCredits {
    ledger: Ledger,
}

impl LowCredits {
    pub(crate) fn new(ledger: Ledger) -> Self {
        Self { ledger }
    }
}

impl Chore for LowCredits {
    const NAME: &'static str = "low_credits";

    async fn turn(&self) -> Result<Duration, StoreError> {
        let told = self.ledger.announce_low_credits().await?;
        let more = i64::try_from(told).is_ok_and(|told| told >= LOW_CREDITS_BATCH);
        Ok(if more { Duration::ZERO } else { LOW_CREDITS_EVERY })
    }
}
