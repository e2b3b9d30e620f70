//! What can go wrong with a replica.

use assay_index::IndexError;
use assay_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum ReplicaError {
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the folder of the index cannot be used: {0}")]
    Folder(#[from] std::io::Error),
    #[error("the folder of the index is used by another node")]
    InUse,
    #[error("the snapshots of the index cannot be used: {0}")]
    Snapshots(#[from] object_store::Error),
    #[error("a snapshot of the index cannot be used: {0}")]
    Snapshot(&'static str),
    #[error("work on the index broke down")]
    BrokeDown,
}
