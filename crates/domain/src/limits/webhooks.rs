//! What bounds messages to webhooks.

use std::time::Duration;

/// One attempt, from looking up the name to the last byte of the answer that is read; and, out of that, until the
/// connection stands and is encrypted. A receiver that never answers must not keep a sender.
pub const WEBHOOK_DEADLINE: Duration = Duration::from_secs(15);
pub const WEBHOOK_CONNECT_DEADLINE: Duration = Duration::from_secs(5);
/// What is read of an answer: enough that an ordinary one is read to its end. The rest stays unread.
pub const WEBHOOK_ANSWER_BYTES_MAX: usize = 64 * 1024;
/// Line and headers of an answer together.
pub const WEBHOOK_HEAD_BYTES_MAX: usize = 32 * 1024;
/// What is kept of an answer for the delivery log.
pub const WEBHOOK_EXCERPT_BYTES_MAX: usize = 1024;
/// Addresses of one name that are tried; a name may have thousands.
pub const WEBHOOK_ADDRESSES_MAX: usize = 8;
/// Names looked up at once. Each holds a thread until the system's resolver gives up, however soon the caller did.
pub const WEBHOOK_LOOKUPS_MAX: usize = 64;
pub const WEBHOOK_SECRET_BYTES_MIN: usize = 24;
pub const WEBHOOK_SECRET_BYTES_MAX: usize = 64;
/// Signatures of one delivery that are looked at.
pub const WEBHOOK_SIGNATURES_MAX: usize = 16;
/// How far the time of a signature may be from the receiver's; older deliveries may be repeated by a stranger.
pub const WEBHOOK_TOLERANCE: Duration = Duration::from_secs(5 * 60);
/// The delays between attempts, each from the failure before it. After the last one the delivery is given up.
pub const WEBHOOK_DELAYS: &[Duration] = &[
    Duration::from_secs(5),
    Duration::from_secs(5 * 60),
    Duration::from_secs(30 * 60),
    Duration::from_secs(2 * 3_600),
    Duration::from_secs(5 * 3_600),
    Duration::from_secs(10 * 3_600),
    Duration::from_secs(14 * 3_600),
    Duration::from_secs(20 * 3_600),
    Duration::from_secs(24 * 3_600),
];
/// How far a delay is moved at random, so that what failed together does not come back together.
pub const WEBHOOK_JITTER_PERCENT: u64 = 20;
/// A receiver that is too busy, or too slow to answer, is left alone at least this long.
pub const WEBHOOK_PATIENCE_MIN: Duration = Duration::from_secs(60);
/// A longer `Retry-After` is read as this; no delay ever gets as long.
pub const WEBHOOK_RETRY_AFTER_MAX: Duration = Duration::from_secs(48 * 3_600);
/// Endpoints one account may have: one event may have to be told to all of them.
pub const WEBHOOKS_PER_ACCOUNT_MAX: i64 = 20;
pub const WEBHOOK_DESCRIPTION_CHARS_MAX: usize = 200;
pub const WEBHOOK_EVENTS_MAX: usize = 20;
pub const WEBHOOK_OVERLAP_HOURS_DEFAULT: u32 = 24;
pub const WEBHOOK_OVERLAP_HOURS_MAX: u32 = 168;
/// A message has ids and counts in it; receivers are told to expect no more than this.
pub const WEBHOOK_BODY_BYTES_MAX: usize = 20_000;
/// Deliveries being sent at once by one node, and to one endpoint: one that hangs must leave the others their places.
pub const WEBHOOKS_AT_ONCE: usize = 64;
pub const WEBHOOKS_AT_ONCE_PER_ENDPOINT: usize = 4;
/// Workers that may be lost on one delivery before it is left to the operator.
pub const WEBHOOK_WORKERS_LOST_MAX: u32 = 20;
/// An endpoint with nothing but failures for this long is disabled.
pub const WEBHOOK_FAILING_MAX: Duration = Duration::from_secs(5 * 24 * 3_600);
/// Messages one call sends again.
pub const WEBHOOK_REDELIVER_MAX: i64 = 1_000;
/// Attempts of one message that are kept; it can be sent again without end.
pub const WEBHOOK_ATTEMPTS_KEPT_MAX: u32 = 30;
/// How long messages are kept; and those that are on their way, which they should not be for so long.
pub const WEBHOOK_KEPT_DAYS: i64 = 30;
pub const WEBHOOK_PENDING_KEPT_DAYS: i64 = 60;
pub const WEBHOOK_SWEEP_BATCH: i64 = 1_000;
pub const WEBHOOK_SWEEP_EVERY: Duration = Duration::from_secs(60);
/// By this much at most time may be made to run faster for a test.
pub const WEBHOOK_TIME_SCALE_MAX: u32 = 1_000_000;
