//! Watch lists: whom an account watches, and what is told of them. An endpoint sees its own account's lists here.

mod desk;
mod entry;
mod matching;
mod run;

pub use desk::ListDesk;
pub use entry::ListKeys;
pub(crate) use entry::{read_entries, shown};
pub(crate) use run::{Run, WatchHit, show};

use crate::fault::{Code, Fault};
use assay_domain::limits::{WATCH_ENTRIES_PER_LIST_MAX, WATCH_LISTS_PER_ACCOUNT_MAX};
use assay_domain::watch::{Track, WatchKind};
use assay_domain::{AccountId, RequestId, WatchListId};
use assay_engine::Engine;
use assay_engine::signals::Watched;
use assay_store::Ledger;
use assay_store::ledger::KeyRecord;
use assay_store::ledger::watch::{
    EntriesChanged, EntryWrite, ListMade, NewWatchList, ScheduleOwner, ToldMatch,
};
pub(crate) use assay_store::ledger::watch::{
    ListChange, MatchCursor, Schedule, WatchListCursor, WatchListRow,
};
use chrono::{DateTime, Utc};
use std::time::Duration;

/// A view of the watch lists of the calling key's account.
#[derive(Debug)]
pub struct AccountLists<'a> {
    ledger: &'a Ledger,
    keys: &'a ListKeys,
    caller: &'a KeyRecord,
    /// As long as credits are held for a call, what it took is its own.
    run_lease: Duration,
}

/// A list to be made.
#[derive(Debug)]
pub struct ListTerms {
    pub name: String,
    pub kind: WatchKind,
    pub track: Track,
    pub schedule: Option<Schedule>,
}

impl<'a> AccountLists<'a> {
    pub(crate) fn new(
        ledger: &'a Ledger,
        keys: &'a ListKeys,
        caller: &'a KeyRecord,
        run_lease: Duration,
    ) -> Self {
        Self { ledger, keys, caller, run_lease }
    }

    fn account(&self) -> AccountId {
        self.caller.account
    }

    /// Whose history and cap scheduled runs count in: the caller's.
    fn owner(&self) -> ScheduleOwner {
        let KeyRecord { id, line, monthly_cap, .. } = self.caller;
        ScheduleOwner { key: id.clone(), line: line.clone(), monthly_cap: *monthly_cap }
    }

    pub(crate) async fn create(
        &self,
        engine: &Engine,
        terms: ListTerms,
        entries: &[Watched],
        now: DateTime<Utc>,
    ) -> Result<WatchListRow, Fault> {
        let id = WatchListId::mint(now);
        let ListTerms { name, kind, track, schedule } = terms;
        let (account, owner) = (self.account(), self.owner());
        let new = NewWatchList { id, account, owner, name, kind, track, schedule, at: now };
        match self.ledger.create_watch_list(&new, &self.sealed(engine, id, entries)?).await? {
            ListMade::Made => self.find(id).await,
            ListMade::TooMany => Err(too_many_lists()),
        }
    }

    /// A list of this account. Another account's is as absent as one that never was.
    pub(crate) async fn find(&self, id: WatchListId) -> Result<WatchListRow, Fault> {
        self.ledger.watch_list(self.account(), id).await?.ok_or_else(absent)
    }

    pub(crate) async fn page(
        &self,
        after: Option<WatchListCursor>,
        limit: u32,
    ) -> Result<Vec<WatchListRow>, Fault> {
        Ok(self.ledger.watch_lists(self.account(), after, limit).await?)
    }

    pub(crate) async fn change(
        &self,
        id: WatchListId,
        change: &ListChange,
        now: DateTime<Utc>,
    ) -> Result<WatchListRow, Fault> {
        let changed = self.ledger.change_watch_list(self.account(), id, change, &self.owner(), now).await?;
        changed.ok_or_else(absent)
    }

    pub(crate) async fn delete(&self, id: WatchListId) -> Result<(), Fault> {
        if self.ledger.delete_watch_list(self.account(), id).await? { Ok(()) } else { Err(absent()) }
    }

    /// How many were new, and how many there are now.
    pub(crate) async fn add(
        &self,
        engine: &Engine,
        id: WatchListId,
        entries: &[Watched],
    ) -> Result<(u32, u32), Fault> {
        let entries = self.sealed(engine, id, entries)?;
        changed(self.ledger.add_watch_entries(self.account(), id, &entries).await?)
    }

    fn sealed(
        &self,
        engine: &Engine,
        id: WatchListId,
        entries: &[Watched],
    ) -> Result<Vec<EntryWrite>, Fault> {
        let seal = |watched: &Watched| {
            let subject = engine.watch_digest(watched);
            let named = self.keys.seal((self.account(), id), subject, &shown(watched))?;
            Ok(EntryWrite { subject, named })
        };
        entries.iter().map(seal).collect()
    }

    /// How many were there, and how many are left.
    pub(crate) async fn remove(
        &self,
        engine: &Engine,
        id: WatchListId,
        entries: &[Watched],
    ) -> Result<(u32, u32), Fault> {
        let subjects: Vec<_> = entries.iter().map(|watched| engine.watch_digest(watched)).collect();
        changed(self.ledger.remove_watch_entries(self.account(), id, &subjects).await?)
    }

    pub(crate) async fn told(
        &self,
        id: WatchListId,
        run: Option<RequestId>,
        after: Option<MatchCursor>,
        limit: u32,
    ) -> Result<Vec<ToldMatch>, Fault> {
        Ok(self.ledger.told_matches(self.account(), id, run, after, limit).await?)
    }

    pub(crate) fn run<'r>(&'r self, engine: &'r Engine, list: &'r WatchListRow) -> Run<'r> {
        Run { ledger: self.ledger, engine, keys: self.keys, list, lease: self.run_lease }
    }
}

fn changed(changed: EntriesChanged) -> Result<(u32, u32), Fault> {
    match changed {
        EntriesChanged::Changed { by, count } => Ok((by, count)),
        EntriesChanged::Absent => Err(absent()),
        EntriesChanged::TooMany => {
            let message = format!("a list holds at most {WATCH_ENTRIES_PER_LIST_MAX} entries");
            Err(Fault::field("/entries", "too_many_entries", message, "remove entries, or make another list"))
        }
    }
}

fn absent() -> Fault {
    Fault::new(Code::NotFound, "the account has no such watch list")
}

fn too_many_lists() -> Fault {
    let message = format!("an account has at most {WATCH_LISTS_PER_ACCOUNT_MAX} watch lists");
    Fault::field("/name", "too_many_lists", message, "delete a list that is no longer used")
}
