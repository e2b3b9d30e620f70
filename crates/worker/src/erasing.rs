//! Finishes erasures: those a crash left between the graph and the ledger, and each once more when calls that ran at
//! the time have ended. And keeps both sides knowing the same suppressions, also when one of them was restored under this node.

use crate::chore::Chore;
use assay_domain::limits::{ERASING_BATCH, ERASING_EVERY};
use assay_engine::{Engine, EngineError};
use assay_store::StoreError;
use std::time::Duration;

#[derive(Clone)]
pub(crate) struct Erasing {
    engine: Engine,
}

impl Erasing {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine }
    }

    async fn finish(&self) -> Result<usize, EngineError> {
        self.engine.settle_suppressions().await?;
        self.engine.finish_erasures().await
    }
}

impl Chore for Erasing {
    const NAME: &'static str = "erasing";

    async fn turn(&self) -> Result<Duration, StoreError> {
        let done = match self.finish().await {
            Ok(done) => done,
            Err(EngineError::Store(error)) => return Err(error),
        };
        metrics::counter!("assay_erasures_finished_total").increment(u64::try_from(done).unwrap_or(0));
        let full = i64::try_from(done).unwrap_or(i64::MAX) >= ERASING_BATCH;
        Ok(if full { Duration::ZERO } else { ERASING_EVERY })
    }
}
