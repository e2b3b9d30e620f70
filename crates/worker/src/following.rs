//! Keeping a node's index up with the graph's change log, and filling it where there is none.

use crate::chore::{Chore, start_chore};
use assay_domain::limits::{INDEX_FOLLOW_IDLE, INDEX_RETRY};
use assay_replica::{Replica, ReplicaError, Turn};
use assay_store::StoreError;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;

#[derive(Clone)]
struct Following {
    replica: Arc<Replica>,
}

/// Every node that answers searches follows, whether or not it does other work.
pub fn follow_index(replica: Arc<Replica>, shutdown: &watch::Receiver<bool>) -> JoinHandle<()> {
    start_chore(Following { replica }, shutdown.clone())
}

impl Chore for Following {
    const NAME: &'static str = "following";

    async fn turn(&self) -> Result<Duration, StoreError> {
        match self.replica.turn().await {
            Ok(Turn::Built) => {
                tracing::info!("the index is filled");
                Ok(Duration::ZERO)
            }
            Ok(Turn::Fetched) => {
                tracing::info!("the index begins with a snapshot");
                Ok(Duration::ZERO)
            }
            Ok(Turn::Followed { changes, lagging }) => {
                metrics::counter!("assay_index_changes_total")
                    .increment(u64::try_from(changes).unwrap_or_default());
                Ok(if lagging { Duration::ZERO } else { INDEX_FOLLOW_IDLE })
            }
            Err(ReplicaError::Store(error)) => Err(error),
            Err(error) => {
                tracing::error!(%error, "the index cannot be kept up");
                Ok(INDEX_RETRY)
            }
        }
    }
}
