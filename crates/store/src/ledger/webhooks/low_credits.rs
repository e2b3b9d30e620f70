//! Telling accounts that their credits are low: once each time they become so.

use super::super::Ledger;
use super::announce::announce_all;
use crate::StoreError;
use crate::pool::begin;
use crate::queue::Queue;
use assay_domain::limits::LOW_CREDITS_BATCH;
use assay_domain::{AccountId, Credits};
use chrono::{DateTime, Utc};
use serde_json::json;
use uuid::Uuid;

const EVENT: &str = "credits.low";

impl Ledger {
    /// Tells whoever was not told yet, and says how many accounts that were.
    pub async fn announce_low_credits(&self) -> Result<u64, StoreError> {
        let untold: Vec<Uuid> = sqlx::query_scalar(
            "-- all accounts: whoever's credits became low
             select account_id from balance where low_since is not null and low_told is distinct from low_since limit $1",
        )
        .bind(LOW_CREDITS_BATCH)
        .fetch_all(&self.pool)
        .await?;
        let mut told = 0;
        for account in untold {
            told += u64::from(self.announce_low(AccountId::from_uuid(account)).await?);
        }
        if told > 0 {
            self.jobs().ring(Queue::Webhook);
        }
        Ok(told)
    }

    /// The balance stays locked while its account is told, so that two nodes do not tell it twice.
    async fn announce_low(&self, account: AccountId) -> Result<bool, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        let low: Option<(i64, i64, DateTime<Utc>)> = sqlx::query_as(
            "update balance set low_told = low_since
             where account_id = $1 and low_since is not null and low_told is distinct from low_since
             returning available, low_mark, low_since",
        )
        .bind(account.uuid())
        .fetch_optional(&mut *transaction)
        .await?;
        let Some((available, low_mark, since)) = low else { return Ok(false) };
        let data = json!({
            "available": Credits::from_thousandths(available), "low_mark": Credits::from_thousandths(low_mark),
            "low_since": since
        });
        announce_all(&mut transaction, account, EVENT, &data, self.clock.now()).await?;
        transaction.commit().await?;
        Ok(true)
    }
}
