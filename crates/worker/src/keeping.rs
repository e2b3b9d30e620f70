//! Keeping a node's index for a machine that fails: what it then goes on from is as old as this is long ago.

use crate::chore::{Chore, start_chore};
use assay_domain::Clock;
use assay_domain::limits::INDEX_KEEP_EVERY;
use assay_replica::{Replica, ReplicaError};
use assay_store::StoreError;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;

#[derive(Clone)]
struct Keeping {
    replica: Arc<Replica>,
    clock: Clock,
}

/// Beside following, as a snapshot is made.
pub fn keep_index(replica: Arc<Replica>, clock: Clock, shutdown: &watch::Receiver<bool>) -> JoinHandle<()> {
    start_chore(Keeping { replica, clock }, shutdown.clone())
}

impl Chore for Keeping {
    const NAME: &'static str = "keeping";

    async fn turn(&self) -> Result<Duration, StoreError> {
        match self.replica.keep(self.clock.now()).await {
            Ok(_) => {}
            Err(ReplicaError::Store(error)) => return Err(error),
            Err(error) => tracing::error!(%error, "the index cannot be kept"),
        }
        Ok(INDEX_KEEP_EVERY)
    }
}
