//! The saved ICPs of one account: searches it runs again.

use crate::context::Context;
use crate::fault::{Code, Fault};
use assay_domain::limits::SAVED_ICPS_PER_ACCOUNT_MAX;
use assay_domain::watch::WatchKind;
use assay_domain::{AccountId, IcpId, RequestId};
use assay_store::Ledger;
use assay_store::ledger::KeyRecord;
pub use assay_store::ledger::icps::{IcpCursor, IcpRow, ShownRecord};
use assay_store::ledger::icps::{IcpRun, IcpSchedule, NewIcp};
use assay_store::ledger::op::Deed;
use assay_store::ledger::watch::Schedule;
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use std::collections::HashSet;
use uuid::Uuid;

/// A view of the saved ICPs of the calling key's account.
#[derive(Debug)]
pub struct AccountIcps<'a> {
    ledger: &'a Ledger,
    caller: &'a KeyRecord,
}

/// A search to be saved.
#[derive(Debug)]
pub struct IcpTerms {
    pub name: String,
    pub target: WatchKind,
    pub filters: Map<String, Value>,
    pub schedule: Option<Schedule>,
}

impl<'a> AccountIcps<'a> {
    pub(crate) fn new(ledger: &'a Ledger, caller: &'a KeyRecord) -> Self {
        Self { ledger, caller }
    }

    fn account(&self) -> AccountId {
        self.caller.account
    }

    pub async fn create(&self, terms: IcpTerms, now: DateTime<Utc>) -> Result<IcpRow, Fault> {
        let IcpTerms { name, target, filters, schedule } = terms;
        // Scheduled runs count in the history and the cap of whoever asks for them.
        let schedule = schedule.map(|every| IcpSchedule::from(now, every, self.caller.line.clone()));
        let (id, account) = (IcpId::mint(now), self.account());
        let new = NewIcp { id, account, name, target, filters, schedule, at: now };
        if self.ledger.create_icp(&new).await? {
            return self.find(new.id).await;
        }
        let message = format!("an account has at most {SAVED_ICPS_PER_ACCOUNT_MAX} saved ICPs");
        Err(Fault::field("/name", "too_many_icps", message, "delete one that is no longer used"))
    }

    /// One of this account. Another account's is as absent as one that never was.
    pub async fn find(&self, id: IcpId) -> Result<IcpRow, Fault> {
        self.ledger.icp(self.account(), id).await?.ok_or_else(absent)
    }

    pub async fn page(&self, after: Option<IcpCursor>, limit: u32) -> Result<Vec<IcpRow>, Fault> {
        Ok(self.ledger.icps(self.account(), after, limit).await?)
    }

    pub async fn delete(&self, id: IcpId) -> Result<(), Fault> {
        if self.ledger.delete_icp(self.account(), id).await? { Ok(()) } else { Err(absent()) }
    }

    /// Which of these it has shown before.
    pub async fn seen(&self, id: IcpId, records: &[Uuid]) -> Result<HashSet<Uuid>, Fault> {
        Ok(self.ledger.seen_by_icp(self.account(), id, records).await?)
    }

    /// What it has shown, the newest first.
    pub async fn shown(
        &self,
        id: IcpId,
        run: Option<RequestId>,
        after: Option<ShownRecord>,
        limit: u32,
    ) -> Result<Vec<ShownRecord>, Fault> {
        Ok(self.ledger.shown_by_icp(self.account(), id, run, after, limit).await?)
    }
}

/// What becomes true when a run is charged for: that it has shown these.
pub(crate) fn shown_by(context: &Context, icp: IcpId, shown: Vec<Uuid>) -> Deed {
    let Context { request: run, unattended: announced, now: at, .. } = *context;
    Deed::RanIcp(Box::new(IcpRun { icp, run, shown, announced, at }))
}

fn absent() -> Fault {
    Fault::new(Code::NotFound, "the account has no such saved ICP")
}
