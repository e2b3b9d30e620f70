//! Limits of watch lists and saved ICPs.

use std::time::Duration;

/// Lists an account may have, and what each may hold.
pub const WATCH_LISTS_PER_ACCOUNT_MAX: i64 = 1_000;
pub const WATCH_ENTRIES_PER_CALL_MAX: usize = 5_000;
pub const WATCH_ENTRIES_PER_LIST_MAX: i64 = 50_000;
pub const LIST_NAME_CHARS_MAX: usize = 200;
/// Entries one run tells of: the most, and what is meant where nothing is said.
pub const WATCH_RUN_ENTRIES_MAX: u32 = 1_000;
pub const WATCH_RUN_ENTRIES_DEFAULT: u32 = 100;
/// Signals shown of one entry; of the others only their number is told.
pub const WATCH_SIGNALS_SHOWN_MAX: usize = 20;
/// How far the first run looks back.
pub const WATCH_LOOK_BACK_DAYS: i64 = 30;
/// Entries looked back for at once: a run that cannot look back for all of them in its time goes on in the next one.
pub const WATCH_LOOK_BACK_BATCH: i64 = 1_000;
/// What happened longer ago is no news, however late it is told; what was told is remembered for longer than that.
pub const WATCH_NEWS_DAYS: i64 = 365;
pub const WATCH_REMEMBERED_DAYS: i32 = 400;
/// Changes of the feed matched at once, and how long the matcher rests without news.
pub const WATCH_MATCH_BATCH: i64 = 1_000;
pub const WATCH_MATCH_IDLE: Duration = Duration::from_millis(500);
/// Batches a run matches itself before it tells what there is.
pub const WATCH_CATCH_UP_MAX: u32 = 50;
/// Who is not known now may be known tomorrow.
pub const WATCH_PUT_OFF: Duration = Duration::from_secs(24 * 60 * 60);
/// Hours between scheduled runs.
pub const SCHEDULE_HOURS_MAX: u32 = 24 * 90;
/// How often due schedules are looked for, how many at once, and how often old memories are swept.
pub const SCHEDULE_LOOK_EVERY: Duration = Duration::from_secs(2);
pub const SCHEDULES_AT_ONCE: i64 = 16;
/// A scheduled run that cannot be paid for, or fails, is tried again at its next time; whoever dies over one is followed after this.
pub const SCHEDULE_LEASE: Duration = Duration::from_secs(300);
pub const WATCH_SWEEP_EVERY: Duration = Duration::from_secs(600);
pub const WATCH_SWEEP_BATCH: i64 = 5_000;
/// Contacts one call compares with the feed.
pub const CONTACTS_MAX: usize = 500;
/// Saved ICPs an account may have, and rows that are looked through for those not shown before.
pub const SAVED_ICPS_PER_ACCOUNT_MAX: i64 = 1_000;
pub const ICP_PAGES_LOOKED_THROUGH_MAX: u32 = 20;
