//! What the graph learns becomes signals: one node at a time follows the change log for it.

use crate::chore::Chore;
use assay_domain::Clock;
use assay_domain::limits::{FOLLOWER_LEASE, SIGNAL_FOLLOW_EVERY};
use assay_engine::signals::Learning;
use assay_engine::{Engine, EngineError};
use assay_store::StoreError;
use std::time::Duration;
use uuid::Uuid;

#[derive(Clone)]
pub(crate) struct LearningSignals {
    engine: Engine,
    clock: Clock,
    node: Uuid,
}

impl LearningSignals {
    pub(crate) fn new(engine: Engine, clock: Clock, node: Uuid) -> Self {
        Self { engine, clock, node }
    }
}

impl Chore for LearningSignals {
    const NAME: &'static str = "learning_signals";

    async fn turn(&self) -> Result<Duration, StoreError> {
        match self.engine.learn_signals(self.node, self.clock.now()).await {
            Ok(Learning::More) => Ok(Duration::ZERO),
            Ok(Learning::UpToDate) => Ok(SIGNAL_FOLLOW_EVERY),
            Ok(Learning::Another) => Ok(FOLLOWER_LEASE / 3),
            Err(EngineError::Store(error)) => Err(error),
        }
    }
}
