//! The saved ICPs of one account: searches it runs again.

use crate::fault::{Code, Fault};
use assay_domain::limits::SAVED_ICPS_PER_ACCOUNT_MAX;
use assay_domain::watch::WatchKind;
use assay_domain::{AccountId, IcpId};
use assay_store::Ledger;
pub use assay_store::ledger::icps::{IcpCursor, IcpRow};
use assay_store::ledger::icps::{IcpRun, NewIcp};
use assay_store::ledger::op::Deed;
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use std::collections::HashSet;
use uuid::Uuid;

/// A view bound to one account.
#[derive(Debug)]
pub struct AccountIcps<'a> {
    ledger: &'a Ledger,
    account: AccountId,
}

/// A search to be saved.
#[derive(Debug)]
pub struct IcpTerms {
    pub name: String,
    pub target: WatchKind,
    pub filters: Map<String, Value>,
}

impl<'a> AccountIcps<'a> {
    pub(crate) fn new(ledger: &'a Ledger, account: AccountId) -> Self {
        Self { ledger, account }
    }

    pub async fn create(&self, terms: IcpTerms, now: DateTime<Utc>) -> Result<IcpRow, Fault> {
        let IcpTerms { name, target, filters } = terms;
        let new = NewIcp { id: IcpId::mint(now), account: self.account, name, target, filters, at: now };
        if self.ledger.create_icp(&new).await? {
            return self.find(new.id).await;
        }
        let message = format!("an account has at most {SAVED_ICPS_PER_ACCOUNT_MAX} saved ICPs");
        Err(Fault::field("/name", "too_many_icps", message, "delete one that is no longer used"))
    }

    /// One of this account. Another account's is as absent as one that never was.
    pub async fn find(&self, id: IcpId) -> Result<IcpRow, Fault> {
        self.ledger.icp(self.account, id).await?.ok_or_else(absent)
    }

    pub async fn page(&self, after: Option<IcpCursor>, limit: u32) -> Result<Vec<IcpRow>, Fault> {
        Ok(self.ledger.icps(self.account, after, limit).await?)
    }

    pub async fn delete(&self, id: IcpId) -> Result<(), Fault> {
        if self.ledger.delete_icp(self.account, id).await? { Ok(()) } else { Err(absent()) }
    }

    /// Which of these it has shown before.
    pub async fn seen(&self, id: IcpId, records: &[Uuid]) -> Result<HashSet<Uuid>, Fault> {
        Ok(self.ledger.seen_by_icp(self.account, id, records).await?)
    }
}

/// What becomes true when a run is charged for: that it has shown these.
pub(crate) fn shown_by(icp: IcpId, shown: Vec<Uuid>, at: DateTime<Utc>) -> Deed {
    Deed::RanIcp(Box::new(IcpRun { icp, shown, at }))
}

fn absent() -> Fault {
    Fault::new(Code::NotFound, "the account has no such saved ICP")
}
