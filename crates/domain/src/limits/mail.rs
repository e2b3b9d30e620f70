//! What bounds questions to mail servers and to DNS.

use std::time::Duration;

/// One address, from its first look-up to its verdict, whatever the servers do.
pub const MAIL_DEADLINE: Duration = Duration::from_secs(45);
/// How long before that servers are given up. When thousands are given up at once, each waits for its turn to be judged.
pub const MAIL_VERDICT_MARGIN: Duration = Duration::from_secs(1);
/// Until the connection stands and the server has greeted.
pub const MAIL_GREETING_DEADLINE: Duration = Duration::from_secs(20);
/// Until a command is answered.
pub const MAIL_COMMAND_DEADLINE: Duration = Duration::from_secs(15);
/// How long a server is listened to after all has been said; it is told that we go out of courtesy, and to see that its last
/// reply answers the last question.
pub const MAIL_FAREWELL_DEADLINE: Duration = Duration::from_secs(2);
/// A text that is asked about may be so long, whether or not it is an address.
pub const EMAIL_TEXT_CHARS_MAX: usize = 512;
/// A text longer than this is not an address with a slip in it.
pub const MAIL_MENDED_BYTES_MAX: usize = 512;
/// A reply line by RFC 5321 has 512 octets; servers that explain themselves write more.
pub const MAIL_REPLY_LINE_BYTES_MAX: usize = 2 * 1024;
pub const MAIL_REPLY_LINES_MAX: usize = 64;
/// What is kept of a reply's text.
pub const MAIL_REPLY_TEXT_CHARS_MAX: usize = 400;
/// Hosts of one domain that are tried, in order of preference.
pub const MAIL_HOSTS_MAX: usize = 4;
/// Addresses of one host that are tried.
pub const MAIL_HOST_ADDRESSES_MAX: usize = 2;
/// Recipients named in one session; servers hang up on those who ask for many.
pub const MAIL_RECIPIENTS_MAX: usize = 5;
/// A DNS question, its repetitions together.
pub const DNS_DEADLINE: Duration = Duration::from_secs(8);
/// Names remembered, and at most for how long.
pub const DNS_ANSWERS_KEPT: u64 = 50_000;
pub const DNS_ANSWER_LIFETIME_MAX: Duration = Duration::from_secs(60 * 60);
/// TXT records of one name that are read, and how much of one.
pub const DNS_TEXTS_MAX: usize = 32;
pub const DNS_TEXT_BYTES_MAX: usize = 4 * 1024;
/// Connections to one operator of mail servers at once, from all processes together.
pub const MAIL_OPERATOR_CONNECTIONS_MAX: usize = 2;
/// Questions to an operator nobody has learnt more of, a minute.
pub const MAIL_OPERATOR_PROBES_PER_MINUTE: u32 = 6;
/// How far learning goes where nobody has configured more; and how much may be configured: beyond, rounding a distance to whole
/// milliseconds would cost more than a twentieth of the rate.
pub const MAIL_OPERATOR_LEARNT_PER_MINUTE_MAX: u32 = 60;
pub const MAIL_OPERATOR_PER_MINUTE_MAX: u32 = 3_000;
/// Good answers in a row that earn one more question a minute, and let one complaint be forgotten.
pub const MAIL_OPERATOR_GOOD_RUN: u32 = 100;
/// An operator that complained of us is left alone this long, then twice as long each time, and at most so long.
pub const MAIL_OPERATOR_REST: Duration = Duration::from_secs(15 * 60);
pub const MAIL_OPERATOR_REST_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// A verdict is served for so long; to whoever looks for an address one must be newer; that an address does not exist is
/// believed for so long when one is looked for.
pub const MAIL_VERDICT_LIFETIME: Duration = Duration::from_hours(90 * 24);
pub const MAIL_VERDICT_FRESH: Duration = Duration::from_hours(30 * 24);
pub const MAIL_MISS_LIFETIME: Duration = Duration::from_hours(7 * 24);
/// What could not be told is not asked again for so long.
pub const MAIL_UNKNOWN_LIFETIME: Duration = Duration::from_mins(15);
/// Whether a domain takes everything is asked again after so long.
pub const MAIL_CATCH_ALL_LIFETIME: Duration = Duration::from_hours(24);
/// An address that was put off is asked for again after so long each time: greylists wait 5 minutes, most of them.
pub const MAIL_RETRY_AFTER: [Duration; 3] =
    [Duration::from_secs(60), Duration::from_secs(330), Duration::from_secs(900)];
/// The soonest and the latest that an address is asked for again which our own pace put off.
pub const MAIL_PACED_AGAIN_MIN: Duration = Duration::from_secs(5);
pub const MAIL_PACED_AGAIN_MAX: Duration = Duration::from_hours(24);
/// How long a call waits for its turn at an operator before it is answered without; and an address from the queue, where nobody
/// waits for the answer: longer, so that calls that come all the time cannot keep it from its turn.
pub const MAIL_TURN_WAIT_MAX: Duration = Duration::from_secs(15);
pub const MAIL_QUEUE_TURN_WAIT_MAX: Duration = Duration::from_secs(30);
/// A connection counts for so long if its process never says that it is closed.
pub const MAIL_CONNECTION_LEASE: Duration = Duration::from_secs(60);
/// Addresses that are asked for again at once, on one node and of one operator. Most of them wait for their turn, which costs
/// little; with fewer, operators that keep them waiting would hold up the others.
pub const MAIL_RETRIES_PER_NODE_MAX: usize = 1_000;
pub const MAIL_RETRIES_PER_OPERATOR_MAX: usize = 4;
/// Old verdicts are forgotten in batches of so many, and looked for so often.
pub const MAIL_SWEEP_BATCH: i64 = 5_000;
pub const MAIL_SWEEP_EVERY: Duration = Duration::from_hours(1);
/// How much the waits before an address is asked for again may be divided by, for tests.
pub const MAIL_TIME_SCALE_MAX: u32 = 10_000;
/// Where mail servers listen.
pub const SMTP_PORT: u16 = 25;
/// How often we look whether our own address stands on a blocklist.
pub const MAIL_BLOCKLIST_EVERY: Duration = Duration::from_hours(1);
/// Addresses that are asked for in search of one person's.
pub const FINDER_PROBES_MAX: usize = 5;
/// Addresses that are thought of.
pub const FINDER_CANDIDATES_MAX: usize = 32;
/// Addresses somebody was listed with that are tried.
pub const FINDER_KNOWN_MAX: usize = 3;
/// Colleagues who are read to learn how a company writes its addresses.
pub const FINDER_EXAMPLES_READ_MAX: usize = 100;
/// Known addresses of a domain from which its pattern is learnt.
pub const FINDER_EXAMPLES_MAX: usize = 200;
