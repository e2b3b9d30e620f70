//! What bounds the reading of public sources of signals.

use std::time::Duration;

/// What is read of a page that must be whole: a board of thousands of jobs with their texts has some 20 MB.
pub const FEED_PAGE_BYTES_MAX: usize = 32 * 1024 * 1024;
/// What is read of a filing with all its exhibits. The report itself comes first and rarely has more than 300 KB.
pub const FEED_FILING_BYTES_MAX: usize = 1024 * 1024;
/// Entries of a feed that are looked at; the largest feeds known have some hundred.
pub const FEED_ENTRIES_MAX: usize = 1_000;
/// Jobs of one board. Beyond it nothing is said of what is closed, since not all that is open was seen.
pub const FEED_POSTINGS_MAX: usize = 10_000;
/// Places of one job; some are listed for every town of a country.
pub const FEED_PLACES_MAX: usize = 50;
/// Notices read from one filing; a report on officers names a handful of people.
pub const FEED_FILING_NOTICES_MAX: usize = 20;
/// How far back a list that goes on over several pages is followed in one look.
pub const FEED_OLDER_PAGES_MAX: u32 = 5;
/// Elements within elements, and elements in all: a page of nothing but opening tags must not eat the memory.
pub const FEED_XML_DEPTH_MAX: usize = 64;
pub const FEED_XML_ELEMENTS_MAX: usize = 200_000;
/// Names, titles, references, and the text of a press release: what is longer is cut.
pub const FEED_LINE_BYTES_MAX: usize = 512;
pub const FEED_RELEASE_BYTES_MAX: usize = 64 * 1024;
/// How often the sources are looked at if nothing else is said. What is told within minutes of its filing is asked for twice a
/// minute, by which a host that says "nothing new" is hardly troubled; boards change by the day.
pub const FEED_EDGAR_EVERY: Duration = Duration::from_secs(30);
pub const FEED_PRESS_EVERY: Duration = Duration::from_secs(45);
pub const FEED_BOARD_EVERY: Duration = Duration::from_hours(6);
/// What an operator may choose.
pub const FEED_EVERY_MIN: Duration = Duration::from_secs(5);
pub const FEED_EVERY_MAX: Duration = Duration::from_hours(24 * 7);
/// EDGAR shuts out who asks more than ten times a second, over all their machines; half of that leaves room for others.
pub const FEED_EDGAR_REQUESTS_PER_SECOND: u32 = 5;
/// What a page may take from the question to its last byte, and how often it may lead elsewhere.
pub const FEED_PAGE_DEADLINE: Duration = Duration::from_secs(60);
pub const FEED_REDIRECTS_MAX: usize = 4;
/// Pages of one look: what is left is read at the next.
pub const FEED_PAGES_PER_LOOK_MAX: usize = 1_000;
/// A page that cannot be read is asked for at so many looks, and then let be.
pub const FEED_UNREADABLE_MAX: i16 = 5;
/// How many looks what is open may be missing from the list before it is taken for closed: lists have gaps for an hour.
pub const FEED_LOOKS_MISSED_MAX: i16 = 2;
/// A host that fails is asked again after the usual time, then twice as long each time, up to this.
pub const FEED_BACKOFF_MAX: Duration = Duration::from_hours(1);
/// A host that says when it wants to be asked again is believed up to this.
pub const FEED_RETRY_AFTER_MAX: Duration = Duration::from_hours(24);
/// Without a word of when: how long a host that refuses is left alone.
pub const FEED_REFUSED_REST: Duration = Duration::from_mins(10);
/// Hosts that a node asks at once.
pub const FEED_HOSTS_PER_NODE_MAX: usize = 32;
/// How often it is looked whether a host of ours lacks a job, and whether anything of a host is due.
pub const FEED_CARE_EVERY: Duration = Duration::from_secs(10);
pub const FEED_IDLE_MAX: Duration = Duration::from_secs(5);
/// How long a host is worked for before others get their turn.
pub const FEED_TURN_MAX: Duration = Duration::from_mins(2);
/// How long it is remembered what was listed; and how many are forgotten at once, and how often.
pub const FEED_ITEM_LIFETIME: Duration = Duration::from_hours(24 * 90);
pub const FEED_ITEMS_SWEPT: i64 = 5_000;
pub const FEED_SWEEP_EVERY: Duration = Duration::from_hours(1);

/// Signals that may be the event a notice tells of: the newest so many are compared.
pub const SIGNAL_CANDIDATES_MAX: i64 = 64;
/// Signals that are looked at for one page of the feed. Where fewer than a page are found among them, the page is short and the
/// next one goes on from there.
pub const SIGNAL_SCAN_MAX: i64 = 10_000;
/// Companies that one question to the feed may name: each is looked up on both sides of a deal.
pub const FEED_DOMAINS_MAX: usize = 10;
/// What a source may be called.
pub const SIGNAL_SOURCE_CHARS_MAX: usize = 100;
/// Notices of one call that are taken in at once.
pub const SIGNALS_TAKEN_AT_ONCE: usize = 8;
/// Notices of one call, and signals of one page of the feed.
pub const SIGNALS_PER_CALL_MAX: usize = 1_000;
/// A line of a file of signals.
pub const SIGNAL_LINE_BYTES_MAX: usize = 256 * 1024;
/// What somebody wrote of their change of jobs.
pub const ANNOUNCEMENT_CHARS_MAX: usize = 5_000;
/// How long it is believed that the feed stands where it stood. What came since is shown all the same.
pub const FEED_HEAD_KEPT: Duration = Duration::from_millis(100);
/// Signals that are read at once to be passed on to streams, and how often it is looked for more.
pub const SIGNAL_TAIL_ROWS: i64 = 500;
pub const SIGNAL_TAIL_EVERY: Duration = Duration::from_millis(250);
/// Signals a stream may be behind before it reads what it missed from the database.
pub const SIGNAL_TAIL_BEHIND_MAX: usize = 1_024;
/// Streams of one account and of one node; and how long one lives before its client has to come again.
pub const SIGNAL_STREAMS_PER_ACCOUNT_MAX: usize = 1_000;
pub const SIGNAL_STREAMS_PER_NODE_MAX: usize = 10_000;
pub const SIGNAL_STREAM_LIFETIME: Duration = Duration::from_hours(1);
/// A stream on which nothing happens says so this often.
pub const SIGNAL_STREAM_QUIET: Duration = Duration::from_secs(15);
/// How far the clocks of nodes and databases may be apart where a time is looked for in the log.
pub const SIGNAL_CLOCKS_APART: Duration = Duration::from_mins(5);
/// Lines of the change log that are followed at once for what the graph learns, and how often it is looked for more.
pub const SIGNAL_FOLLOW_ROWS: i64 = 1_000;
pub const SIGNAL_FOLLOW_EVERY: Duration = Duration::from_secs(1);
/// Notices that are taken in again when companies become known: of one turn.
pub const SIGNAL_UNMATCHED_MAX: i64 = 1_000;
/// How long a node that follows the log is waited for before another does.
pub const FOLLOWER_LEASE: Duration = Duration::from_secs(15);
/// Investors of a round that are given.
pub const SIGNAL_INVESTORS_MAX: usize = 50;
/// The largest sum of a round or a deal, in minor units of its currency.
pub const AMOUNT_MAX: i64 = 1_000_000_000_000_000;
/// How far a question for what happened lately goes back, and how far if it does not say.
pub const WINDOW_DAYS_MAX: u32 = 365;
pub const WINDOW_DAYS_DEFAULT: u32 = 30;
/// Signals read at once by such a question, how often at most, and how many of them are completed at once: where fewer than a page
/// have all that is promised, the page is short and the next one goes on from there.
pub const RECENT_ROWS_MIN: u32 = 16;
pub const RECENT_READS_MAX: u32 = 20;
pub const RECENT_COMPLETED_AT_ONCE: usize = 16;
/// Few applicants are fewer than 25; the index of such jobs has the same number.
pub const APPLICANTS_FEW_MAX: i32 = 24;
