//! Floor 2: PostgreSQL, and the only SQL. The ledger side holds money and memory, the graph side people and companies.

pub mod crash;
mod error;
pub mod graph;
pub mod lane;
pub mod ledger;
mod lending;
mod line;
pub mod parallel;
mod pool;
mod primary;
pub mod queue;
mod relay;
mod sandbox;
mod site;
pub mod task;

pub use error::StoreError;
pub use graph::Graph;
pub use ledger::Ledger;
pub use pool::Database;
pub use primary::server_urls;
pub use queue::Jobs;
pub use sandbox::SandboxCounter;
pub use site::{HeldSnapshot, Site};
