//! Limits of history and its export.

use std::time::Duration;

/// Months of partitions made ahead of time, so that a stopped worker cannot stop a paid call.
pub const HISTORY_MONTHS_AHEAD: i32 = 3;
/// Months dropped in one turn, and how long each may wait for a lock; what is left is dropped in the next turn.
pub const HISTORY_DROPS_MAX: i64 = 120;
pub const HISTORY_DROP_LOCK_WAIT: Duration = Duration::from_secs(5);
/// Rows an export reads at once: one short query, and as much as it ever keeps in memory.
pub const EXPORT_PAGE_ROWS: u32 = 2_000;
/// Exports running at once; without it, slow readers could fill the memory with pages they have not read.
pub const EXPORTS_PER_ACCOUNT_MAX: usize = 2;
pub const EXPORTS_PER_NODE_MAX: usize = 32;
