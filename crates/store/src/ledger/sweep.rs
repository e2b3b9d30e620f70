//! The sweeper: ends holds and lots whose time is over, and forgets old replies.

use super::batch::{self, Asked};
use super::op::{Answer, Op};
use super::{Ledger, StoreError};
use assay_domain::{AccountId, HoldId, limits};
use uuid::Uuid;

/// What one sweep did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    pub holds_released: u64,
    pub lots_expired: u64,
    pub replies_deleted: u64,
}

impl Ledger {
    /// One bounded sweep. Any number of nodes may sweep at once: each end is decided under the account's lock.
    pub async fn sweep(&self) -> Result<Swept, StoreError> {
        Ok(Swept {
            holds_released: self.sweep_holds().await?,
            lots_expired: self.sweep_lots().await?,
            replies_deleted: self.sweep_replies().await?,
        })
    }

    async fn sweep_holds(&self) -> Result<u64, StoreError> {
        let over: Vec<(Uuid, Uuid)> = sqlx::query_as(
            "select account_id, id from hold where state = 'open' and expires_at <= now() order by expires_at limit $1",
        )
        .bind(limits::HOLD_SWEEP_BATCH)
        .fetch_all(&self.pool)
        .await?;
        let asked = over.into_iter().map(|(account, hold)| {
            Asked::new(AccountId::from_uuid(account), Op::ExpireHold(HoldId::from_uuid(hold)))
        });
        self.sweep_each(asked.collect()).await
    }

    async fn sweep_lots(&self) -> Result<u64, StoreError> {
        let over: Vec<(Uuid,)> = sqlx::query_as(
            "select account_id from balance where next_expiry <= now() order by next_expiry limit $1",
        )
        .bind(limits::HOLD_SWEEP_BATCH)
        .fetch_all(&self.pool)
        .await?;
        let asked =
            over.into_iter().map(|(account,)| Asked::new(AccountId::from_uuid(account), Op::ExpireLots));
        self.sweep_each(asked.collect()).await
    }

    async fn sweep_each(&self, asked: Vec<Asked>) -> Result<u64, StoreError> {
        let mut done = 0;
        for chunk in asked.chunks(limits::LEDGER_BATCH_MAX) {
            for answer in batch::answer(&self.pool, chunk.to_vec()).await {
                match answer? {
                    Answer::Released { amount, .. } | Answer::Expired { amount, .. }
                        if amount.is_positive() =>
                    {
                        done += 1;
                    }
                    _ => {}
                }
            }
        }
        Ok(done)
    }

    async fn sweep_replies(&self) -> Result<u64, StoreError> {
        let done = sqlx::query(
            "-- all accounts: a reply's age does not depend on whose it is
             delete from reply where (account_id, key) in (
                 select account_id, key from reply
                 where created_at < now() - make_interval(hours => $1) limit $2 for update skip locked)",
        )
        .bind(limits::REPLY_LIFETIME_HOURS)
        .bind(limits::REPLY_SWEEP_BATCH)
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected())
    }
}
