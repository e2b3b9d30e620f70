//! Forgetting messages whose time is over, and secrets that sign no more.

use super::super::Ledger;
use super::super::history::first_id_at;
use crate::StoreError;
use assay_domain::limits::{WEBHOOK_KEPT_DAYS, WEBHOOK_PENDING_KEPT_DAYS, WEBHOOK_SWEEP_BATCH};
use chrono::TimeDelta;

/// What one sweep did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WebhooksSwept {
    pub deliveries: u64,
    pub secrets: u64,
}

impl Ledger {
    /// One bounded sweep. Any number of nodes may sweep at once.
    pub async fn sweep_webhooks(&self) -> Result<WebhooksSwept, StoreError> {
        let now = self.clock.now();
        // An id begins with its time.
        let before = |days: i64| first_id_at(now - TimeDelta::days(days));
        let deliveries = sqlx::query(
            "-- all accounts: a message's age does not depend on whose it is
             delete from webhook_delivery where id in (
                 select id from webhook_delivery where id < $1 and (state <> 'pending' or id < $2)
                 order by id limit $3 for update skip locked)",
        )
        .bind(before(WEBHOOK_KEPT_DAYS))
        .bind(before(WEBHOOK_PENDING_KEPT_DAYS))
        .bind(WEBHOOK_SWEEP_BATCH)
        .execute(&self.pool)
        .await?;
        let secrets = sqlx::query(
            "-- all accounts: a secret that signs no more is nobody's
             update webhook_endpoint set previous_secret = null, previous_until = null
             where id in (select id from webhook_endpoint where previous_until <= now() limit $1)
                 and previous_until <= now()",
        )
        .bind(WEBHOOK_SWEEP_BATCH)
        .execute(&self.pool)
        .await?;
        Ok(WebhooksSwept { deliveries: deliveries.rows_affected(), secrets: secrets.rows_affected() })
    }
}
