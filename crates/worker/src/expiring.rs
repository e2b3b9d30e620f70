//! Letting go of records whose source allows no longer to keep them.

use crate::chore::Chore;
use assay_domain::Clock;
use assay_domain::limits::EXPIRE_RECORDS_EVERY;
use assay_engine::{Engine, EngineError};
use assay_store::StoreError;
use std::time::Duration;

/// When more may wait.
const AGAIN: Duration = Duration::from_millis(100);

#[derive(Clone)]
pub(crate) struct Expiring {
    engine: Engine,
    clock: Clock,
}

impl Expiring {
    pub(crate) fn new(engine: Engine, clock: Clock) -> Self {
        Self { engine, clock }
    }
}

impl Chore for Expiring {
    const NAME: &'static str = "expiring";

    async fn turn(&self) -> Result<Duration, StoreError> {
        let EngineError::Store(failed) = match self.engine.expire_records_step(self.clock.now()).await {
            Ok(0) => return Ok(EXPIRE_RECORDS_EVERY),
            Ok(renewed) => {
                metrics::counter!("assay_records_expired_total").increment(renewed);
                return Ok(AGAIN);
            }
            Err(error) => error,
        };
        Err(failed)
    }
}
