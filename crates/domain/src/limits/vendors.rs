//! Limits of what is asked of vendors.

use std::time::Duration;

/// How many charged questions the order of vendors remembers, of one segment and of all segments of a lookup. Fewer follow a
/// vendor that changes sooner, more tell two alike apart.
pub const ORDER_MEMORY_SEGMENT: f64 = 30.0;
pub const ORDER_MEMORY_LOOKUP: f64 = 100.0;

/// Vendors that may be set up, and keys to them, those of accounts included.
pub const PROVIDERS_MAX: i64 = 200;
pub const PROVIDER_KEYS_MAX: i64 = 10_000;
/// How soon a node notices what is set about vendors, and tells the others what it has learnt of them.
pub const PROVIDERS_EVERY: Duration = Duration::from_secs(2);
/// Kept answers that are forgotten at once.
pub const UPSTREAM_SWEEP_BATCH: i64 = 5_000;
/// How long what vendors found is kept, and that they found nothing.
pub const UPSTREAM_FIND_LIFETIME: Duration = Duration::from_hours(365 * 24);
pub const UPSTREAM_MISS_LIFETIME: Duration = Duration::from_hours(7 * 24);
/// Segments whose vendors a node remembers; the rest are learnt anew when they come up.
pub const VENDOR_TALLIES_MAX: usize = 20_000;
/// One call to all its vendors together.
pub const UPSTREAM_DEADLINE: Duration = Duration::from_secs(20);
