//! An account's own memory, read only: what it has, what it asked, whom it found. Nothing of another account is
//! reachable from here.

use crate::account_icps::AccountIcps;
use crate::account_keys::AccountKeys;
pub use crate::account_keys::KeyChange;
use crate::account_webhooks::AccountWebhooks;
use crate::bulk::AccountBulks;
use crate::fault::{Code, Fault};
use crate::key_desk::KeyDesk;
use crate::lists::AccountLists;
use crate::pipeline::Settings;
use assay_domain::{AccountId, RequestId};
use assay_store::Ledger;
pub use assay_store::ledger::webhooks::{
    AttemptRow, DeliveryRow, DeliveryState, TimeRange, WebhookChange, WebhookCursor, WebhookRow, WebhookTerms,
};
pub use assay_store::ledger::{HistoryFilter, HistoryRow, HistoryTotals, ResolvedCursor, ResolvedPerson};
use assay_store::ledger::{HistoryPage, KeyRecord, Overview};
pub use assay_store::ledger::{KeyCursor, KeyTerms, ListedKey};
use std::sync::Arc;

/// A view of the ledger that is bound to one account.
#[derive(Debug, Clone)]
pub struct AccountMemory {
    ledger: Ledger,
    key: Arc<KeyRecord>,
    desk: Arc<KeyDesk>,
    settings: Arc<Settings>,
}

impl AccountMemory {
    pub(crate) fn new(
        ledger: Ledger,
        key: Arc<KeyRecord>,
        desk: Arc<KeyDesk>,
        settings: Arc<Settings>,
    ) -> Self {
        Self { ledger, key, desk, settings }
    }

    pub fn account(&self) -> AccountId {
        self.key.account
    }

    /// The key this call was made with.
    pub fn key(&self) -> &KeyRecord {
        &self.key
    }

    /// The account's keys: the one part of it that calls may change.
    pub fn keys(&self) -> AccountKeys<'_> {
        AccountKeys::new(&self.desk, &self.key)
    }

    /// The account's bulk jobs.
    pub fn bulks(&self) -> AccountBulks<'_> {
        AccountBulks::new(&self.ledger, &self.settings.bulk_keys, &self.key)
    }

    /// The account's saved searches.
    pub fn icps(&self) -> AccountIcps<'_> {
        AccountIcps::new(&self.ledger, &self.key)
    }

    /// Whom the account watches.
    pub fn lists(&self) -> AccountLists<'_> {
        let Settings { list_keys, hold_lifetime, .. } = &*self.settings;
        AccountLists::new(&self.ledger, list_keys, &self.key, *hold_lifetime)
    }

    /// Where the account wants to be told what happened.
    pub fn webhooks(&self) -> AccountWebhooks<'_> {
        AccountWebhooks::new(&self.ledger, &self.settings.webhook_rules, self.account())
    }

    pub async fn overview(&self) -> Result<Overview, Fault> {
        let overview = self.ledger.overview(self.account()).await?;
        overview.ok_or_else(|| Fault::new(Code::Internal, "the account's balance is missing"))
    }

    /// What the key of this call spent and holds this month; only counted for capped keys.
    pub async fn key_spend(&self) -> Result<assay_domain::Credits, Fault> {
        Ok(self.ledger.key_spend(self.account(), &self.key.line).await?)
    }

    pub async fn history(
        &self,
        filter: &HistoryFilter,
        after: Option<RequestId>,
        limit: u32,
    ) -> Result<HistoryPage, Fault> {
        Ok(self.ledger.history(self.account(), filter, after, limit).await?)
    }

    pub async fn history_totals(&self, filter: &HistoryFilter) -> Result<HistoryTotals, Fault> {
        Ok(self.ledger.history_totals(self.account(), filter).await?)
    }

    pub async fn resolved_people(
        &self,
        after: Option<ResolvedCursor>,
        limit: u32,
    ) -> Result<Vec<ResolvedPerson>, Fault> {
        Ok(self.ledger.resolved_people(self.account(), after, limit).await?)
    }
}
