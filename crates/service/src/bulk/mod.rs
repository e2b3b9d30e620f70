//! Bulk jobs: many lookups in one call, answered later. An endpoint sees its own account's jobs here.

mod item;
mod results;
mod slice;
mod submit;

pub use item::BulkKeys;
pub(crate) use item::Unreadable;
pub(crate) use results::{ItemView, ItemWord};
pub use slice::{BulkDesk, SliceEnd};
pub(crate) use submit::{Asked, Terms};

use crate::endpoints;
use crate::fault::{Code, Fault};
use assay_domain::{AccountId, BulkId, Credits};
use assay_store::Ledger;
use assay_store::ledger::KeyRecord;
pub(crate) use assay_store::ledger::bulk::{BulkCounts, BulkCursor, BulkRow, BulkStatus};
use chrono::{DateTime, Utc};

/// What a resolved item costs.
pub const BULK_PRICE: Credits = endpoints::bulk::PRICE.unit();

/// A view of the bulk jobs of the calling key's account.
#[derive(Debug)]
pub struct AccountBulks<'a> {
    ledger: &'a Ledger,
    keys: &'a BulkKeys,
    caller: &'a KeyRecord,
}

impl<'a> AccountBulks<'a> {
    pub(crate) fn new(ledger: &'a Ledger, keys: &'a BulkKeys, caller: &'a KeyRecord) -> Self {
        Self { ledger, keys, caller }
    }

    fn account(&self) -> AccountId {
        self.caller.account
    }

    /// A job of this account. Another account's job is as absent as one that never was.
    pub(crate) async fn find(&self, id: &str) -> Result<BulkRow, Fault> {
        let absent = || Fault::new(Code::NotFound, "the account has no bulk job with this id");
        let id: BulkId = id.parse().map_err(|_| absent())?;
        self.ledger.bulk(self.account(), id).await?.ok_or_else(absent)
    }

    pub(crate) async fn list(
        &self,
        status: Option<BulkStatus>,
        after: Option<BulkCursor>,
        limit: u32,
    ) -> Result<Vec<BulkRow>, Fault> {
        Ok(self.ledger.bulks(self.account(), status, after, limit).await?)
    }

    /// Cancels a job that is not over, and reads it again.
    pub(crate) async fn cancel(&self, id: &str, now: DateTime<Utc>) -> Result<BulkRow, Fault> {
        let row = self.find(id).await?;
        self.ledger.cancel_bulk(self.account(), row.id, now).await?;
        self.find(id).await
    }

    /// Where the message about a job's end stands, and how often it was tried.
    pub(crate) async fn delivery(&self, row: &BulkRow) -> Result<Option<(&'static str, u32)>, Fault> {
        let Some(id) = row.delivery else { return Ok(None) };
        let delivery = self.ledger.delivery(self.account(), id).await?;
        Ok(delivery.map(|delivery| (delivery.state.as_str(), delivery.attempts)))
    }

    /// The client's own words about a job.
    pub(crate) fn metadata(
        &self,
        row: &BulkRow,
    ) -> Result<Option<serde_json::Map<String, serde_json::Value>>, Fault> {
        let open = |sealed| self.keys.open_metadata((row.account, row.id), sealed);
        row.metadata.as_deref().map(open).transpose().map_err(Fault::from)
    }
}

impl From<Unreadable> for Fault {
    fn from(error: Unreadable) -> Self {
        tracing::error!(%error, "a bulk job cannot be read");
        Self::new(Code::Internal, "the failure was recorded")
    }
}
