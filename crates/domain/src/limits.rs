//! Every limit of the service, named, in one place.

use std::time::Duration;

// Requests.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;
pub const PAGE_ROWS_DEFAULT: u32 = 25;
pub const PAGE_ROWS_MAX: u32 = 100;
pub const CURSOR_CHARS_MAX: usize = 512;
pub const NAME_CHARS_MAX: usize = 200;
pub const URL_CHARS_MAX: usize = 2_048;
pub const EMAIL_CHARS_MAX: usize = 254;
pub const PHONE_CHARS_MAX: usize = 32;
pub const DOMAIN_CHARS_MAX: usize = 253;
pub const QUERY_TEXT_CHARS_MAX: usize = 200;
/// A call may take this long from its first byte to its commit; longer answers 504 and costs nothing.
pub const CALL_DEADLINE: Duration = Duration::from_secs(60);
pub const HEADER_READ_DEADLINE: Duration = Duration::from_secs(10);
pub const SHUTDOWN_DRAIN: Duration = Duration::from_secs(25);

// Money.
pub const HOLD_SWEEP_BATCH: i64 = 500;
/// How long a hold outlives the deadline of the call that took it.
pub const HOLD_GRACE: Duration = Duration::from_secs(60);
/// Live lots of one account; a top-up beyond it is refused rather than slowing every charge.
pub const LOTS_PER_ACCOUNT_MAX: usize = 200;
pub const LEDGER_BATCH_MAX: usize = 128;
pub const LEDGER_QUEUE_MAX: usize = 8_192;
pub const LEDGER_RETRIES_MAX: u32 = 8;

// Idempotent replies.
pub const IDEMPOTENCY_KEY_CHARS_MAX: usize = 255;
pub const REPLY_LIFETIME_HOURS: i32 = 24;
pub const REPLY_SWEEP_BATCH: i64 = 1_000;
/// A running call renews its claim on the key; a claim not renewed for this long may be taken over.
pub const CLAIM_LEASE: Duration = Duration::from_secs(12);
pub const CLAIM_HEARTBEAT: Duration = Duration::from_secs(3);

// Keys and accounts.
/// How often a node looks whether any key changed; and how old that look may be before remembered keys are not believed
/// any more. Together they bound how long a revoked key lives on another node.
pub const KEY_EPOCH_EVERY: Duration = Duration::from_millis(1_000);
pub const KEY_EPOCH_AGE_MAX: Duration = Duration::from_secs(3);
pub const KEY_CACHE_LIFETIME: Duration = Duration::from_secs(60);
pub const KEY_CACHE_ENTRIES: u64 = 100_000;
pub const RATE_BUCKETS_MAX: u64 = 100_000;
pub const TRIAL_DAYS: i64 = 7;

// Graph.
pub const LOOKUP_BATCH_MAX: usize = 128;
pub const LOOKUP_QUEUE_MAX: usize = 8_192;
/// Rows one identity may point at before the answer is called ambiguous without reading them all.
pub const CANDIDATES_MAX: i64 = 8;
pub const EXPERIENCE_MAX: usize = 50;
pub const PEOPLE_SCAN_MAX: usize = 5_000;
pub const PEOPLE_SCAN_PAGE: u32 = 500;
pub const WRITE_BATCH_MAX: usize = 5_000;
pub const SEQUENCER_BATCH: i64 = 5_000;
pub const SEQUENCER_IDLE: Duration = Duration::from_millis(50);
pub const SEQUENCER_LEASE: Duration = Duration::from_secs(10);

// History.
/// Months of partitions made ahead of time, so that a stopped worker cannot stop a paid call.
pub const HISTORY_MONTHS_AHEAD: i32 = 3;

// Workers.
pub const SWEEP_EVERY: Duration = Duration::from_secs(1);
pub const PARTITION_EVERY: Duration = Duration::from_secs(3_600);
