//! What happens to bulk jobs beside being answered: pausing, resuming, canceling, and going away.

use super::super::Ledger;
use super::BulkStatus;
use super::write::{end, skip_rest};
use crate::StoreError;
use crate::pool::begin;
use crate::queue::{Lease, Queue};
use assay_domain::limits::{BULK_CARE_BATCH, BULK_PAUSED_DAYS_MAX};
use assay_domain::{AccountId, BulkId, Credits};
use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use std::time::Duration;
use uuid::Uuid;

impl Ledger {
    /// Puts a slice away until there are credits again, or until `again` has passed. False: the lease was lost.
    pub async fn pause_bulk(
        &self,
        account: AccountId,
        bulk: BulkId,
        lease: Lease,
        again: Option<Duration>,
    ) -> Result<bool, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        let put_away = sqlx::query(
            "update job set state = 'delayed', lease_until = null, node_id = null, attempts_max = attempts_max + 1,
                 trouble = 'the account has no credits left',
                 run_at = coalesce(now() + make_interval(secs => $4), 'infinity')
             where id = $1 and attempt = $2 and account_id = $3 and lease_until is not null",
        )
        .bind(lease.job.uuid())
        .bind(lease.attempt)
        .bind(account.uuid())
        .bind(again.map(|again| again.as_secs_f64()))
        .execute(&mut *transaction)
        .await?;
        if put_away.rows_affected() == 0 {
            return Ok(false);
        }
        sqlx::query(
            "update bulk_job set status = 'paused_insufficient_credits', paused_at = coalesce(paused_at, now())
             where id = $1 and account_id = $2 and finished_at is null",
        )
        .bind(bulk.uuid())
        .bind(account.uuid())
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Wakes what waits for credits of accounts that have at least `least`, and says how many. Slices are looked for, not paused jobs: one
    /// may be put away just when another one of its job goes on.
    pub async fn resume_bulks(&self, least: Credits) -> Result<u64, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        let woken = sqlx::query(
            "-- all accounts: whoever was given credits
             update job set run_at = now() where state = 'delayed' and run_at = 'infinity' and id in (
                 select j.id from job j join balance a on a.account_id = j.account_id
                 where j.queue = $3 and j.state = 'delayed' and j.run_at = 'infinity' and a.available >= $1
                 order by j.id limit $2)",
        )
        .bind(least.thousandths())
        .bind(BULK_CARE_BATCH)
        .bind(Queue::Bulk.as_str())
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        if woken.rows_affected() > 0 {
            self.jobs().ring(Queue::Bulk);
        }
        Ok(woken.rows_affected())
    }

    /// Cancels a job; what it has answered stays, and stays paid. None: there is no such job.
    pub async fn cancel_bulk(
        &self,
        account: AccountId,
        bulk: BulkId,
        at: DateTime<Utc>,
    ) -> Result<Option<BulkStatus>, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        let status = cancel(&mut transaction, account, bulk, at).await?;
        transaction.commit().await?;
        Ok(status)
    }

    /// Cancels what has been paused for too long, and says how many.
    pub async fn cancel_paused_bulks(&self, at: DateTime<Utc>) -> Result<u64, StoreError> {
        let old: Vec<(Uuid, Uuid)> = sqlx::query_as(
            "-- all accounts: whoever did not come back
             select account_id, id from bulk_job where status = 'paused_insufficient_credits'
                 and paused_at < $1 - make_interval(days => $2) order by paused_at limit $3",
        )
        .bind(at)
        .bind(BULK_PAUSED_DAYS_MAX)
        .bind(BULK_CARE_BATCH)
        .fetch_all(&self.pool)
        .await?;
        let mut canceled = 0;
        for (account, bulk) in old {
            let (account, bulk) = (AccountId::from_uuid(account), BulkId::from_uuid(bulk));
            canceled += u64::from(self.cancel_bulk(account, bulk, at).await?.is_some());
        }
        Ok(canceled)
    }

    /// Forgets jobs whose time is over, and says how many.
    pub async fn forget_bulks(&self, at: DateTime<Utc>) -> Result<u64, StoreError> {
        let gone = sqlx::query(
            "-- all accounts: housekeeping
             delete from bulk_job where id in (
                 select id from bulk_job where expires_at < $1 and finished_at is not null order by expires_at limit $2)",
        )
        .bind(at)
        .bind(BULK_CARE_BATCH)
        .execute(&self.pool)
        .await?;
        Ok(gone.rows_affected())
    }
}

/// Takes the slices out of the queue first: one that is being answered right now is either committed before, or refused
/// after because its job is gone.
async fn cancel(
    connection: &mut PgConnection,
    account: AccountId,
    bulk: BulkId,
    at: DateTime<Utc>,
) -> Result<Option<BulkStatus>, StoreError> {
    sqlx::query(
        "delete from job where account_id = $2 and id in (
             select job_id from bulk_slice where bulk_id = $1 and account_id = $2 and job_id is not null)",
    )
    .bind(bulk.uuid())
    .bind(account.uuid())
    .execute(&mut *connection)
    .await?;
    let status: Option<String> =
        sqlx::query_scalar("select status from bulk_job where id = $1 and account_id = $2 for update")
            .bind(bulk.uuid())
            .bind(account.uuid())
            .fetch_optional(&mut *connection)
            .await?;
    let Some(status) = status else { return Ok(None) };
    let status = BulkStatus::named(&status).ok_or_else(|| StoreError::Corrupt("bulk status".into()))?;
    if status.is_final() {
        return Ok(Some(status));
    }
    skip_rest(connection, account, bulk).await?;
    end(connection, account, bulk, at, true).await?;
    Ok(Some(BulkStatus::Canceled))
}
