//! Watch lists: whom accounts watch, what the feed says happened to them, and what of it was told.
//!
//! What happened is found once for all lists, by its digest, as the feed grows: the work is that of what changed, however long the
//! lists are. A run takes what it is about to tell under a lease, and what it took is told in the commit that charges for it.

mod entries;
mod lists;
mod matches;
mod report;

pub use entries::{EntriesChanged, EntryRow, EntryWrite};
pub use lists::{ListChange, ListMade, NewWatchList, Schedule, ScheduleOwner, WatchListCursor, WatchListRow};
pub(super) use lists::{next_run, read_schedule};
pub use matches::{MatchCursor, TakenMatch, ToldMatch};
pub use report::WatchReport;
pub(super) use report::{read_open_runs, write};
