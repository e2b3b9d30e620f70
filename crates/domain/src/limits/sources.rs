//! What bounds questions to vendors.

use std::time::Duration;

/// One try, from looking up the name to the last byte of the answer: as long as nearly all of a vendor's answers take, between
/// these. The longer one also while too little is known of the vendor.
pub const SOURCE_DEADLINE_MIN: Duration = Duration::from_millis(500);
pub const SOURCE_DEADLINE_MAX: Duration = Duration::from_secs(10);
/// Of that, until the connection stands and is encrypted. What was not sent can be sent again.
pub const SOURCE_CONNECT_DEADLINE: Duration = Duration::from_secs(3);
/// So late after its time a question is given up only if nobody ran here meanwhile; then for so long its answer is looked for.
pub const SOURCE_OVERSLEPT: Duration = Duration::from_millis(100);
/// Whoever has less time left does not ask: an answer that comes too late may cost as much as one that is read.
pub const SOURCE_TIME_LEFT_MIN: Duration = Duration::from_millis(50);
/// A vendor that was waited for so long in vain has failed, however little time the caller had. A shorter wait says nothing of it.
pub const SOURCE_SLOW_MIN: Duration = Duration::from_secs(1);
/// Answers after which a deadline is learnt; and after which the slowest thousandth of them is worth its name.
pub const SOURCE_LATENCIES_ENOUGH: u32 = 100;
pub const SOURCE_LATENCIES_PLENTY: u32 = 1_000;
/// How fine latencies are told apart, and how often half of what is known of them is forgotten.
pub const SOURCE_LATENCY_STEP: Duration = Duration::from_millis(250);
pub const SOURCE_LATENCY_HALF_LIFE: Duration = Duration::from_mins(20);
/// What is read of an answer. The largest known, a person with all their jobs, has some 100 KB.
pub const SOURCE_ANSWER_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Tries a vendor and question.
pub const SOURCE_TRIES_MAX: u32 = 2;
/// Retries of one vendor's questions in the last seconds: so many of a hundred questions, and so many a second on top, so that
/// a few questions can be tried again at all. Without it a vendor that fails gets twice the load.
pub const SOURCE_RETRY_PERCENT: u64 = 20;
pub const SOURCE_RETRIES_PER_SECOND: u64 = 10;
/// How long the counts for retries and for the breaker are kept.
pub const SOURCE_WINDOW_SECONDS: usize = 10;
/// How long is waited before the second try; and before a vendor is asked for what it is working on.
pub const SOURCE_RETRY_WAIT: Duration = Duration::from_millis(100);
pub const SOURCE_PENDING_WAIT: Duration = Duration::from_secs(1);
/// The breaker opens when so many of a hundred tries failed, of at least so many in the window; or so many in a row.
pub const SOURCE_BREAKER_PERCENT: u64 = 50;
pub const SOURCE_BREAKER_TRIES_MIN: u64 = 20;
pub const SOURCE_BREAKER_ROW: u32 = 5;
/// For so long it stays open, then so many probes are let through, all of which must succeed.
pub const SOURCE_BREAKER_OPEN: Duration = Duration::from_secs(15);
pub const SOURCE_BREAKER_PROBES: u32 = 3;
/// So often it opens for the same time again, about three minutes, so that a short outage is not made longer by it. Then twice
/// as long each time, and at most so long.
pub const SOURCE_BREAKER_SHORT_ROUNDS: u32 = 12;
pub const SOURCE_BREAKER_OPEN_MAX: Duration = Duration::from_mins(5);
/// Questions to one vendor at once, from one node. There is no queue: the next vendor is asked instead.
pub const SOURCE_IN_FLIGHT_MAX: usize = 32;
/// How long a vendor that says "too often" is left alone when it does not say how long, and at least and at most when it does.
pub const SOURCE_RATE_LIMIT_REST: Duration = Duration::from_secs(60);
pub const SOURCE_RATE_LIMIT_REST_MIN: Duration = Duration::from_secs(1);
pub const SOURCE_RATE_LIMIT_REST_MAX: Duration = Duration::from_hours(1);
/// How long a key is not used after all it paid for is used up, and after it was not taken.
pub const SOURCE_QUOTA_REST: Duration = Duration::from_mins(15);
pub const SOURCE_UNAUTHORIZED_REST: Duration = Duration::from_mins(5);
/// Vendors, and keys of vendors, of which something is remembered. The idlest are forgotten first.
pub const SOURCE_VENDORS_KEPT: usize = 256;
pub const SOURCE_SCOPES_KEPT: usize = 10_000;
/// Addresses of one name that are tried; a name may have thousands.
pub const SOURCE_ADDRESSES_MAX: usize = 8;
/// Names looked up at once. Each holds a thread until the system's resolver gives up, however soon the caller did.
pub const SOURCE_LOOKUPS_MAX: usize = 64;
/// A connection on which nothing is asked is closed after this long: sooner than most vendors close it. A question sent at the
/// very moment they do is lost, and if it is paid for cannot be sent again.
pub const SOURCE_CONNECTION_IDLE_MAX: Duration = Duration::from_secs(20);
