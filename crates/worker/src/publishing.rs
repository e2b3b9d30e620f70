//! Snapshots of a node's index for nodes that are new: whichever node looks first when the newest has grown old makes the next.

use crate::chore::{Chore, start_chore};
use assay_domain::Clock;
use assay_domain::limits::{INDEX_SNAPSHOT_EVERY, INDEX_SNAPSHOT_LOOK};
use assay_replica::{Replica, ReplicaError};
use assay_store::StoreError;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;

#[derive(Clone)]
struct Publishing {
    replica: Arc<Replica>,
    clock: Clock,
}

/// Beside following, so that nothing is found later because a snapshot is on its way.
pub fn publish_index(
    replica: Arc<Replica>,
    clock: Clock,
    shutdown: &watch::Receiver<bool>,
) -> JoinHandle<()> {
    start_chore(Publishing { replica, clock }, shutdown.clone())
}

impl Chore for Publishing {
    const NAME: &'static str = "publishing";

    async fn turn(&self) -> Result<Duration, StoreError> {
        match self.replica.publish(INDEX_SNAPSHOT_EVERY, self.clock.now()).await {
            Ok(Some(snapshot)) => {
                tracing::info!(seq = snapshot.manifest.seq, "a snapshot of the index is made");
            }
            Ok(None) => {}
            Err(ReplicaError::Store(error)) => return Err(error),
            Err(error) => tracing::error!(%error, "no snapshot of the index can be made"),
        }
        Ok(INDEX_SNAPSHOT_LOOK)
    }
}
