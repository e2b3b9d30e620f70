//! Every limit of the service, named, in one place.

use std::time::Duration;

mod buckets;
mod feeds;
mod history;
mod index;
mod lists;
mod mail;
mod press;
mod research;
mod sources;
mod vendors;
mod webhooks;

pub use buckets::*;
pub use feeds::*;
pub use history::*;
pub use index::*;
pub use lists::*;
pub use mail::*;
pub use press::*;
pub use research::*;
pub use sources::*;
pub use vendors::*;
pub use webhooks::*;

// Requests.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;
/// Of those calls that take long lists.
pub const LIST_BODY_BYTES_MAX: usize = 8 * 1024 * 1024;
pub const PAGE_ROWS_DEFAULT: u32 = 25;
pub const PAGE_ROWS_MAX: u32 = 100;
pub const CURSOR_CHARS_MAX: usize = 512;
pub const NAME_CHARS_MAX: usize = 200;
pub const URL_CHARS_MAX: usize = 2_048;
pub const EMAIL_CHARS_MAX: usize = 254;
pub const PHONE_CHARS_MAX: usize = 32;
pub const DOMAIN_CHARS_MAX: usize = 253;
pub const QUERY_TEXT_CHARS_MAX: usize = 200;
pub const ID_CHARS_MAX: usize = 64;
/// A call may take this long from its first byte to its commit; longer answers 504 and costs nothing.
pub const CALL_DEADLINE: Duration = Duration::from_secs(60);
pub const HEADER_READ_DEADLINE: Duration = Duration::from_secs(10);
/// Line and headers of a request together; more, or more than 100 headers, answers 431.
pub const HEAD_BYTES_MAX: usize = 32 * 1024;
/// What is read ahead of a connection, and so how far a client may run ahead of the answers it has not read.
pub const READ_AHEAD_BYTES_MAX: usize = 64 * 1024;
/// A body must be there after this long, plus a second for every so many bytes of it; else 408.
pub const BODY_READ_DEADLINE: Duration = Duration::from_secs(10);
pub const BODY_BYTES_PER_SECOND_MIN: usize = 16 * 1024;
/// How much of a body that nobody wants is still read, so that a client that reads only after it has written everything
/// sees the refusal instead of a broken connection.
pub const BODY_DISCARD_BYTES_MAX: usize = 2 * LIST_BODY_BYTES_MAX;
/// An answer of which the client takes nothing for this long is given up.
pub const WRITE_STALL_MAX: Duration = Duration::from_secs(20);
/// A connection on which nothing is asked is closed after this long.
pub const CONNECTION_IDLE_MAX: Duration = Duration::from_secs(75);
/// Open connections of the API and of the operations port. At the limit, one that is idle makes room for a new one.
pub const CONNECTIONS_MAX: usize = 10_000;
pub const OPERATIONS_CONNECTIONS_MAX: usize = 256;
/// Connections that wait to be accepted, as far as the system allows: a burst of them that meets a pause of the machine. A
/// client beyond it believes to be connected, is never accepted, and hears nothing.
pub const CONNECTIONS_BACKLOG: i32 = 4_096;
/// A connection may have to make room after this long without a byte; below it, a stream may only be catching its breath.
pub const CONNECTION_REST_MIN: Duration = Duration::from_secs(1);
/// How many connections are looked at to find the one that rests longest.
pub const CONNECTIONS_LOOKED_AT: usize = 64;
/// Files a process needs beside its connections to clients: databases, logs, listeners.
pub const OPEN_FILES_KEPT: usize = 512;
/// Calls being worked on at once, for each processor and at least. With more at work their answers come in larger bursts,
/// and refusals wait behind those.
pub const CALLS_ACTIVE_PER_CORE: usize = 24;
pub const CALLS_ACTIVE_LEAST: usize = 48;
/// For each call at work so many wait at the door, so that a moment's pause of the machine makes nobody be refused: with 48 at
/// work and 4,000 calls a second, one of 80 ms.
pub const CALLS_WAITING_PER_ACTIVE: usize = 6;
/// Whoever waited longer to be let in is refused: nothing moves. Under a flood nobody waits so long, because only so many wait;
/// it is the longest pause of a disk or a machine that callers are not told of.
pub const CALL_ADMISSION_WAIT_MAX: Duration = Duration::from_secs(2);
pub const SHUTDOWN_DRAIN: Duration = Duration::from_secs(25);
/// For so long a node that is told to stop still takes calls while it says that it is leaving; and at most.
pub const STOP_NOTICE: Duration = Duration::from_secs(2);
pub const STOP_NOTICE_SECONDS_MAX: u32 = 60;

// Connections to the databases.
/// A connection that rested longer is looked at before it is lent out: the database may have been started again.
pub const LENT_TRUST: Duration = Duration::from_secs(1);
/// After so long a connection that never rested goes back to the driver, which closes those that are too old.
pub const LENT_LIFETIME: Duration = Duration::from_secs(60);
/// A lane's own connection is opened anew after this long in all, and after this long without use: backends give their
/// memory back, and a firewall in between may have forgotten the connection.
pub const LINE_LIFETIME: Duration = Duration::from_secs(30 * 60);
pub const LINE_IDLE_MAX: Duration = Duration::from_secs(5 * 60);
/// One batch over such a connection. Longer than PostgreSQL lets a statement run: it only ends what no answer will come to.
pub const LINE_ANSWER_MAX: Duration = Duration::from_secs(90);
/// Where several servers are named, each is asked this often whether it takes writes, and has so long to answer. Together they
/// bound how long a new primary goes unnoticed.
pub const PRIMARY_LOOK_EVERY: Duration = Duration::from_secs(1);
pub const PRIMARY_LOOK_MAX: Duration = Duration::from_secs(1);
/// One try to connect to it, and the pause before the next. Whoever waits for the connection gives up by itself.
pub const PRIMARY_CONNECT_MAX: Duration = Duration::from_secs(2);
pub const PRIMARY_RETRY_EVERY: Duration = Duration::from_millis(100);

// Money.
pub const HOLD_SWEEP_BATCH: i64 = 500;
/// How long a hold outlives the deadline of the call that took it.
pub const HOLD_GRACE: Duration = Duration::from_secs(60);
/// Live lots of one account; a top-up beyond it is refused rather than slowing every charge.
pub const LOTS_PER_ACCOUNT_MAX: usize = 200;
pub const LEDGER_BATCH_MAX: usize = 128;
/// Accounts whose books each lane remembers: about half a kilobyte each.
pub const LEDGER_REMEMBERED_MAX: usize = 4_096;
/// Larger batches have accounts that another one needs at once: they are locked first, while that one's commit is on its way.
pub const LEDGER_REMEMBERED_BATCH_MAX: usize = 8;
/// A charge that was begun while its answer is put together locks the account's balance for no longer than this; an answer that takes
/// longer is charged for when it is there.
pub const LEDGER_AHEAD_MAX: Duration = Duration::from_millis(20);
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
/// Lines of live keys one account may have; a rotated key and its successor are one line.
pub const KEYS_PER_ACCOUNT_MAX: i64 = 100;
/// Live keys of one line: what is rotated again and again before its overlaps end.
pub const KEYS_PER_LINE_MAX: i64 = 3;
/// Dead keys that stay listed; the oldest go when a new key is made, so that making and revoking fills no table.
pub const KEYS_DEAD_KEPT_MAX: i64 = 400;
pub const KEY_NAME_CHARS_MAX: usize = 100;
pub const KEY_ID_CHARS_MAX: usize = 64;
pub const KEY_SCOPES_MAX: usize = 20;
/// Every call compares its address with all of them.
pub const KEY_IP_RANGES_MAX: usize = 50;
pub const KEY_REQUESTS_PER_MINUTE_MAX: u32 = 1_000_000;
pub const KEY_LIFETIME_DAYS_MAX: u32 = 3_650;
pub const KEY_OVERLAP_HOURS_DEFAULT: u32 = 24;
pub const KEY_OVERLAP_HOURS_MAX: u32 = 168;
/// Tries to change a key that others change at the same time.
pub const KEY_CHANGE_TRIES_MAX: u32 = 5;
/// Keys refused from one address on one node before unknown ones are no longer looked up for it.
pub const FAILED_AUTH_PER_MINUTE: u32 = 100;
/// Addresses counted one by one; beyond it, new ones share one count.
pub const FAILED_AUTH_ADDRESSES_MAX: usize = 50_000;
/// Keys a node remembers to have been good, so that a noisy neighbour behind the same address does not lock them out.
pub const GOOD_KEYS_MAX: u64 = 100_000;
pub const GOOD_KEY_IDLE: Duration = Duration::from_secs(24 * 3_600);
pub const TRIAL_DAYS: i64 = 7;
pub const ACCOUNT_LIST_DEFAULT: u32 = 100;
pub const ACCOUNT_LIST_MAX: u32 = 1_000;
/// A new account's credits count as low below this part of what its plan gives.
pub const LOW_MARK_PERCENT: i64 = 10;
/// Accounts looked at by one query for this month's credits.
pub const GRANT_BATCH: i64 = 500;

// Request rates.
/// Windows a node remembers; beyond it, those with the least in them are forgotten.
pub const RATE_WINDOWS_MAX: usize = 100_000;
/// What all nodes together may admit above a quota, because they tell each other only after a few requests.
pub const RATE_OVERSHOOT_PERCENT: u64 = 8;
/// A window that refuses calls looks this often for news. A window in use looks every second, and refuses no call on a
/// view that is older.
pub const RATE_VIEW_REFRESH_MS: i64 = 200;
pub const RATE_VIEW_AGE_MAX_MS: i64 = 1_000;
/// How long after it was told a node may still use a claim to admit waiting calls.
pub const RATE_CLAIM_MS: i64 = 1_000;
/// Clocks of nodes may differ by this without being corrected for; more than an exchange can take on both sides.
pub const RATE_SKEW_MS_MAX: i64 = 3_000;
/// Nodes one window hears of.
pub const RATE_NODES_MAX: usize = 64;
/// How often a node says that it is there, and how long it is believed.
pub const RATE_BEAT_EVERY: Duration = Duration::from_millis(1_000);
pub const RATE_NODE_AGE_MAX: Duration = Duration::from_secs(10);
pub const RATE_SWEEP_EVERY: Duration = Duration::from_secs(60);
pub const RATE_SWEEP_BATCH: i64 = 10_000;
/// The pause between two exchanges of one node: what arrives meanwhile shares the next one.
pub const RATE_EXCHANGE_PAUSE: Duration = Duration::from_millis(10);
/// An exchange that takes longer has failed: the node goes on with what it knows.
pub const RATE_EXCHANGE_BUDGET: Duration = Duration::from_millis(500);
pub const RATE_EXCHANGE_WINDOWS_MAX: usize = 1_000;
/// Calls waiting for an exchange; one more is refused.
pub const RATE_WAITING_MAX: usize = 10_000;
/// A waiting call that heard nothing for this long is decided by what the node knows. Longer than the claim of a node
/// that died may stand in its way.
pub const RATE_WAIT_MAX: Duration = Duration::from_millis(2_500);

// Graph.
pub const LOOKUP_BATCH_MAX: usize = 128;
pub const LOOKUP_QUEUE_MAX: usize = 8_192;
/// Rows one identity may point at before the answer is called ambiguous without reading them all.
pub const CANDIDATES_MAX: i64 = 8;
/// Who is looked at because they may be written down in another way: under one key, and in all.
pub const MATCHES_MAX: i64 = 48;
pub const MATCHES_READ_MAX: usize = 256;
pub const EXPERIENCE_MAX: usize = 50;
/// Records whose source allows no longer to keep them are not shown from that day on; so often they are let go of.
pub const EXPIRE_RECORDS_EVERY: Duration = Duration::from_secs(60 * 60);
pub const PEOPLE_SCAN_MAX: usize = 5_000;
pub const PEOPLE_SCAN_PAGE: u32 = 500;
pub const WRITE_BATCH_MAX: usize = 5_000;
pub const SEQUENCER_BATCH: i64 = 5_000;
pub const SEQUENCER_IDLE: Duration = Duration::from_millis(50);
/// For so long at most nothing new is seen after the node that orders the log was killed. Renewed at half of it.
pub const SEQUENCER_LEASE: Duration = Duration::from_secs(3);

// Privacy.
/// A field's name longer than any of ours is not repeated in an error: a key or an address may have got there.
pub const FIELD_NAME_TOLD_CHARS_MAX: usize = 30;
/// Entries one call, or one batch of an imported list, may name. All of them fit into one body.
pub const SUPPRESSIONS_PER_CALL_MAX: usize = 10_000;
/// Suppressions an answer lists one by one; beyond it only their number is told.
pub const SUPPRESSIONS_TOLD_MAX: usize = 100;
/// People one transaction erases: no import can write while it runs.
pub const ERASE_PEOPLE_MAX: i64 = 2_000;
/// How often it is tried to make both sides know the same suppressions: each time another node got ahead of this one.
pub const SETTLE_ATTEMPTS_MAX: u32 = 8;
/// Rows one statement of the ledger forgets.
pub const FORGET_ROWS_MAX: i64 = 5_000;
/// Erasures one turn of the worker finishes.
pub const ERASING_BATCH: i64 = 1_000;
pub const ERASING_EVERY: Duration = Duration::from_secs(1);
/// A call that read a person before they were erased may store its answer after. It has certainly ended by then: the
/// ledger is asked once more to forget.
pub const ERASING_AGAIN_AFTER: Duration = Duration::from_secs(600);
pub const SECRET_NAME_CHARS_MAX: usize = 100;
pub const SECRETS_PER_OWNER_MAX: i64 = 1_000;
/// Refused lines of an imported list that are told one by one.
pub const LIST_REJECTS_TOLD_MAX: usize = 20;

// Sandbox.
/// Calls an address may make in a day (UTC) unless the operator says otherwise.
pub const SANDBOX_DAILY_LIMIT: u32 = 50;
/// Connections of the counter, apart from the ledger's own: no sandbox call may wait in front of a paid one.
pub const SANDBOX_CONNECTIONS: u32 = 2;
pub const SANDBOX_BATCH_MAX: usize = 256;
pub const SANDBOX_QUEUE_MAX: usize = 4_096;
/// The counter sends no more than one batch in this time: its share of the ledger's database is bounded, whatever floods.
pub const SANDBOX_BATCH_EVERY: Duration = Duration::from_millis(10);
/// Addresses known to have used up their day, which need no counter any more. One forgotten too early costs one read.
pub const SANDBOX_EXHAUSTED_MAX: u64 = 100_000;
/// How long `Sandbox-Outcome: slow` waits, and how many calls may wait at once.
pub const SANDBOX_SLOW: Duration = Duration::from_secs(3);
pub const SANDBOX_SLEEPERS_MAX: usize = 256;
pub const SANDBOX_SWEEP_EVERY: Duration = Duration::from_secs(60);
pub const SANDBOX_SWEEP_BATCH: i64 = 2_000;
/// A day's counts are kept this long after its end: a node whose clock is behind still counts on it.
pub const SANDBOX_SWEEP_GRACE: Duration = Duration::from_secs(3_600);
/// Proxies between a client and this node that are followed back; more is somebody's forgery.
pub const FORWARDED_HOPS_MAX: usize = 16;

// Workers.
pub const SWEEP_EVERY: Duration = Duration::from_secs(1);
pub const PARTITION_EVERY: Duration = Duration::from_secs(3_600);
pub const GRANT_EVERY: Duration = Duration::from_secs(3_600);
/// How often it is looked for accounts whose credits became low, and how many are told at once.
pub const LOW_CREDITS_EVERY: Duration = Duration::from_secs(5);
pub const LOW_CREDITS_BATCH: i64 = 100;

// The queue.
/// A worker renews its lease; a job whose lease ended may be taken by another. Together with how often that is looked for
/// it bounds how long the work of a dead node lies.
pub const JOB_LEASE: Duration = Duration::from_secs(12);
pub const JOB_HEARTBEAT: Duration = Duration::from_secs(3);
/// A node whose process has ended is missed at once; what it renewed within this time is left alone all the same, for one
/// that only lost its connection and is back in a moment. And how often a node looks whether it is still there for others.
pub const JOB_ABSENCE: Duration = Duration::from_secs(2);
pub const NODE_CHECK_EVERY: Duration = Duration::from_secs(1);
/// How often a worker looks for jobs that another process put there, and for jobs whose time has come or whose worker is
/// gone. The first is what a job waits at most when nothing else is waiting, unless the queue is quiet.
pub const JOB_LOOK_EVERY: Duration = Duration::from_millis(20);
/// Where nothing was found for so long, it looks less often. Jobs of its own process are told to it at once all the same.
pub const JOB_QUIET_AFTER: Duration = Duration::from_secs(1);
pub const JOB_LOOK_WHEN_QUIET_EVERY: Duration = Duration::from_millis(50);
/// After the first of its jobs has ended a busy worker waits so long for others before it claims.
pub const JOB_GATHER: Duration = Duration::from_millis(2);
pub const JOB_CARE_EVERY: Duration = Duration::from_millis(500);
/// How often, of all nodes together, jobs of nodes that are gone are looked for.
pub const JOB_LOST_EVERY: Duration = Duration::from_secs(1);
/// A job may be committed with a turn that was passed over meanwhile. Claimers look back so far at every care, and at
/// everything every so often.
pub const JOB_LATE: Duration = Duration::from_secs(2);
pub const JOB_LOOK_BACK_EVERY: Duration = Duration::from_secs(10);
/// Jobs taken by one claim: a worker that takes too many keeps them from others.
pub const JOB_CLAIM_MAX: usize = 16;
/// Jobs made claimable by one statement.
pub const JOB_DUE_BATCH: i64 = 500;
pub const JOB_SWEEP_BATCH: i64 = 500;
pub const JOB_SWEEP_EVERY: Duration = Duration::from_secs(60);
pub const JOBS_FAILED_KEPT_DAYS: i32 = 30;
pub const JOB_LIST_DEFAULT: u32 = 100;
pub const JOB_LIST_MAX: u32 = 1_000;

// Bulk jobs.
pub const BULK_ITEMS_MAX: usize = 500;
/// Items that are held for, looked up and settled together.
pub const BULK_SLICE_ITEMS: usize = 50;
pub const BULK_ITEM_ID_CHARS_MAX: usize = 200;
pub const BULK_METADATA_BYTES_MAX: usize = 16 * 1024;
/// Reasons told for one refused call.
pub const BULK_ERRORS_MAX: usize = 100;
/// Slices worked on at once, by a node and for one account.
pub const BULK_SLICES_PER_NODE_MAX: usize = 16;
pub const BULK_SLICES_PER_ACCOUNT_MAX: usize = 8;
/// After so many tries what is left of a slice has failed. A worker that was killed counts as one, because a slice may be
/// what kills it; so there are enough that nodes which die for other reasons fail nobody's list.
pub const BULK_ATTEMPTS_MAX: u32 = 20;
pub const BULK_RETRY_DELAY: Duration = Duration::from_secs(1);
/// A key at its cap: the month may end, or the cap be raised.
pub const BULK_CAP_RETRY: Duration = Duration::from_secs(60);
pub const BULK_SLICE_DEADLINE: Duration = Duration::from_secs(120);
/// Longer than a slice may take. What a dead worker held is given back by the next one, and by nobody else after this.
pub const BULK_HOLD_LIFETIME: Duration = Duration::from_secs(150);
pub const BULK_KEPT_DAYS: i32 = 30;
pub const BULK_PAUSED_DAYS_MAX: i32 = 7;
pub const BULK_CARE_EVERY: Duration = Duration::from_secs(1);
pub const BULK_CARE_BATCH: i64 = 500;
/// How often a stream of progress looks, and after how many looks without news it says that it lives.
pub const BULK_EVENTS_EVERY: Duration = Duration::from_millis(250);
pub const BULK_EVENTS_QUIET_LOOKS: u32 = 60;

// Search.
/// Values one filter may name: each is looked up in every part of the index.
pub const FILTER_VALUES_MAX: usize = 100;
/// A total is counted to here; beyond it only that there are more is told, unless an exact count is asked for.
pub const SEARCH_COUNTED_MAX: u64 = 10_000;
/// How often a page is filled up again when rows of it were erased a moment ago; after that it is shorter.
pub const SEARCH_REFILLS_MAX: usize = 4;
/// Words of a list of ours that are looked through for a suggestion; more than the longest list has.
pub const SUGGESTIONS_CLOSED_MAX: usize = 200;

// Similarity.
/// Companies that others may be like, in one question.
pub const ALIKE_SOURCES_MAX: usize = 5;
/// Entries of an index read for one question: what many have tells little, and reading it takes as long as they are many.
pub const ALIKE_POSTINGS_MAX: u64 = 2_000_000;
/// Candidates whose records are read: for each result asked for, and at least. The index weighs roughly, records exactly.
pub const ALIKE_CANDIDATES_PER_RESULT: usize = 4;
pub const ALIKE_CANDIDATES_LEAST: usize = 100;
/// Words of one description that are compared; a longer one says nothing more of what a company does.
pub const ALIKE_WORDS_MAX: usize = 100;
/// Values that one reason names.
pub const ALIKE_VALUES_TOLD_MAX: usize = 10;

/// Numbers and addresses of one answer that are looked at.
pub const PHONES_JUDGED_MAX: usize = 3;
pub const EMAILS_JUDGED_MAX: usize = 3;

/// Addresses of one list for an ad platform.
pub const AD_AUDIENCE_EMAILS_MAX: usize = 10_000;
