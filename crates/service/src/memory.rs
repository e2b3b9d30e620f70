//! An account's own memory, read only: what it has, what it asked, whom it found. Nothing of another account is
//! reachable from here.

use crate::fault::{Code, Fault};
use assay_domain::{AccountId, KeyId, RequestId};
use assay_store::Ledger;
pub use assay_store::ledger::{HistoryFilter, HistoryRow, ResolvedCursor, ResolvedPerson};
use assay_store::ledger::{HistoryPage, KeyRecord, Overview};
use std::sync::Arc;

/// A view of the ledger that is bound to one account.
#[derive(Debug, Clone)]
pub struct AccountMemory {
    ledger: Ledger,
    key: Arc<KeyRecord>,
}

impl AccountMemory {
    pub(crate) fn new(ledger: Ledger, key: Arc<KeyRecord>) -> Self {
        Self { ledger, key }
    }

    pub fn account(&self) -> AccountId {
        self.key.account
    }

    /// The key this call was made with.
    pub fn key(&self) -> &KeyRecord {
        &self.key
    }

    pub async fn overview(&self) -> Result<Overview, Fault> {
        let overview = self.ledger.overview(self.account()).await?;
        overview.ok_or_else(|| Fault::new(Code::Internal, "the account's balance is missing"))
    }

    /// What the key of this call spent and holds this month; only counted for capped keys.
    pub async fn key_spend(&self) -> Result<assay_domain::Credits, Fault> {
        let key: &KeyId = &self.key.id;
        Ok(self.ledger.key_spend(self.account(), key).await?)
    }

    pub async fn history(
        &self,
        filter: &HistoryFilter,
        after: Option<RequestId>,
        limit: u32,
    ) -> Result<HistoryPage, Fault> {
        Ok(self.ledger.history(self.account(), filter, after, limit).await?)
    }

    pub async fn resolved_people(
        &self,
        after: Option<ResolvedCursor>,
        limit: u32,
    ) -> Result<Vec<ResolvedPerson>, Fault> {
        Ok(self.ledger.resolved_people(self.account(), after, limit).await?)
    }
}
