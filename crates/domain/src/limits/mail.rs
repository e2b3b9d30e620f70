//! What bounds questions to mail servers and to DNS.

use std::time::Duration;

/// One address, from its first look-up to its verdict, whatever the servers do.
pub const MAIL_DEADLINE: Duration = Duration::from_secs(45);
/// Until the connection stands and the server has greeted.
pub const MAIL_GREETING_DEADLINE: Duration = Duration::from_secs(20);
/// Until a command is answered.
pub const MAIL_COMMAND_DEADLINE: Duration = Duration::from_secs(15);
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
/// An operator that complained of us is left alone this long, then twice as long each time, and at most so long.
pub const MAIL_OPERATOR_REST: Duration = Duration::from_secs(15 * 60);
pub const MAIL_OPERATOR_REST_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// After a deferral, when the same question is asked again from the same address.
pub const MAIL_RETRY_AFTER: [Duration; 3] =
    [Duration::from_secs(60), Duration::from_secs(330), Duration::from_secs(15 * 60)];
/// How long it is believed that a domain takes everything, or does not.
pub const MAIL_CATCH_ALL_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a verdict is served; and how old one may be that a finder shows.
pub const MAIL_VERDICT_LIFETIME: Duration = Duration::from_secs(90 * 24 * 60 * 60);
pub const MAIL_VERDICT_FRESH: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How long it is believed that nothing is to be found.
pub const MAIL_MISS_LIFETIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Addresses that are asked for in search of one person's.
pub const FINDER_PROBES_MAX: usize = 5;
/// Addresses that are thought of.
pub const FINDER_CANDIDATES_MAX: usize = 32;
/// Known addresses of a domain from which its pattern is learnt.
pub const FINDER_EXAMPLES_MAX: usize = 200;
