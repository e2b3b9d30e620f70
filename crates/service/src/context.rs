//! What an endpoint may use while it runs: the engine, its own account's memory, the time, and how much it may find.

use crate::memory::AccountMemory;
use assay_engine::Engine;
use chrono::{DateTime, Utc};

/// The surroundings of one run.
#[derive(Debug, Clone)]
pub struct Context {
    pub engine: Engine,
    pub memory: AccountMemory,
    pub now: DateTime<Utc>,
    /// How many units the caller can pay for: more are not worth finding.
    pub units_affordable: u32,
}
