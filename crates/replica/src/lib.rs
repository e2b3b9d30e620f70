//! Floor 3, beside the engine: the index of a node. Filled from the graph's tables, then kept up with its change log.

mod build;
pub mod describe;
mod error;
mod follow;
mod indexes;
mod kept;
mod reading;
mod replica;
mod snapshots;

pub use error::ReplicaError;
pub use indexes::Indexes;
pub use reading::{Side, Unreadable};
pub use replica::{Replica, Turn};
pub use snapshots::{Manifest, Snapshot, Snapshots};
