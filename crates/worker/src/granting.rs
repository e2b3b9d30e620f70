//! The monthly grants' loop: every account with a paid plan gets its credits once a calendar month.

use crate::chore::Chore;
use assay_domain::limits::GRANT_EVERY;
use assay_store::{Ledger, StoreError};
use std::time::Duration;

#[derive(Clone)]
pub(crate) struct Granting {
    ledger: Ledger,
}

impl Granting {
    pub(crate) fn new(ledger: Ledger) -> Self {
        Self { ledger }
    }
}

impl Chore for Granting {
    const NAME: &'static str = "granting";

    async fn turn(&self) -> Result<Duration, StoreError> {
        let done = self.ledger.grant_month().await?;
        metrics::counter!("assay_month_grants_total").increment(done.granted);
        metrics::counter!("assay_month_grants_refused_total").increment(done.refused);
        Ok(GRANT_EVERY)
    }
}
