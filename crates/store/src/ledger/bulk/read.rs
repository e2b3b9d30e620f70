//! Reading bulk jobs and their slices.

use super::super::Ledger;
use super::{BulkCounts, BulkStatus};
use crate::StoreError;
use assay_domain::{AccountId, BulkId, Credits, DeliveryId, KeyId, WebhookId};
use chrono::{DateTime, Utc};
use sqlx::Row;
use sqlx::postgres::PgRow;
use uuid::Uuid;

/// A bulk job.
#[derive(Debug, Clone)]
pub struct BulkRow {
    pub id: BulkId,
    pub account: AccountId,
    pub key: KeyId,
    pub line: KeyId,
    pub monthly_cap: Option<Credits>,
    pub status: BulkStatus,
    pub counts: BulkCounts,
    pub charged: Credits,
    pub max_credits: Option<Credits>,
    /// Sealed.
    pub metadata: Option<Vec<u8>>,
    pub webhook: Option<WebhookId>,
    pub delivery: Option<DeliveryId>,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
    pub expires_at: DateTime<Utc>,
}

/// A slice as it is stored.
#[derive(Debug, Clone)]
pub struct SliceRow {
    pub number: i16,
    /// Sealed.
    pub content: Vec<u8>,
}

/// Where a list of bulk jobs goes on.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub struct BulkCursor {
    pub created_at: DateTime<Utc>,
    pub id: Uuid,
}

const COLUMNS: &str = "id, account_id, key_id, line_id, monthly_cap, status, pending, resolved, not_found, invalid, failed,
    skipped, charged, max_credits, metadata, webhook_id, delivery_id, created_at, started_at, finished_at, expires_at";

impl Ledger {
    pub async fn bulk(&self, account: AccountId, id: BulkId) -> Result<Option<BulkRow>, StoreError> {
        let sql = format!("select {COLUMNS} from bulk_job where account_id = $1 and id = $2");
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(account.uuid())
            .bind(id.uuid())
            .fetch_optional(&self.pool)
            .await?;
        row.as_ref().map(read_bulk).transpose()
    }

    /// A job together with one of its slices.
    pub async fn bulk_with_slice(
        &self,
        account: AccountId,
        id: BulkId,
        number: i16,
    ) -> Result<Option<(BulkRow, SliceRow)>, StoreError> {
        let sql = format!(
            "select {COLUMNS}, content from bulk_job
             join (select bulk_id as id, account_id, number, content from bulk_slice) slice using (id, account_id)
             where account_id = $1 and id = $2 and number = $3"
        );
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(account.uuid())
            .bind(id.uuid())
            .bind(number)
            .fetch_optional(&self.pool)
            .await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some((read_bulk(&row)?, SliceRow { number, content: row.try_get("content")? })))
    }

    /// Newest first.
    pub async fn bulks(
        &self,
        account: AccountId,
        status: Option<BulkStatus>,
        after: Option<BulkCursor>,
        limit: u32,
    ) -> Result<Vec<BulkRow>, StoreError> {
        let sql = format!(
            "select {COLUMNS} from bulk_job where account_id = $1 and ($2::text is null or status = $2)
                 and ($3::timestamptz is null or (created_at, id) < ($3, $4))
             order by created_at desc, id desc limit $5"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(account.uuid())
            .bind(status.map(BulkStatus::as_str))
            .bind(after.map(|after| after.created_at))
            .bind(after.map(|after| after.id))
            .bind(i64::from(limit))
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(read_bulk).collect()
    }

    /// Slices of a job, by number; those that do not exist are left out.
    pub async fn bulk_slices(
        &self,
        account: AccountId,
        id: BulkId,
        numbers: &[i16],
    ) -> Result<Vec<SliceRow>, StoreError> {
        let rows: Vec<(i16, Vec<u8>)> = sqlx::query_as(
            "select number, content from bulk_slice where account_id = $1 and bulk_id = $2 and number = any($3)
             order by number",
        )
        .bind(account.uuid())
        .bind(id.uuid())
        .bind(numbers)
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|(number, content)| SliceRow { number, content }).collect())
    }
}

fn read_bulk(row: &PgRow) -> Result<BulkRow, StoreError> {
    let status: &str = row.try_get("status")?;
    let credits = |name: &str| -> Result<Option<Credits>, StoreError> {
        Ok(row.try_get::<Option<i64>, _>(name)?.map(Credits::from_thousandths))
    };
    Ok(BulkRow {
        id: BulkId::from_uuid(row.try_get("id")?),
        account: AccountId::from_uuid(row.try_get("account_id")?),
        key: KeyId::new(row.try_get("key_id")?),
        line: KeyId::new(row.try_get("line_id")?),
        monthly_cap: credits("monthly_cap")?,
        status: BulkStatus::named(status)
            .ok_or_else(|| StoreError::Corrupt(format!("bulk status {status}")))?,
        counts: BulkCounts {
            pending: row.try_get("pending")?,
            resolved: row.try_get("resolved")?,
            not_found: row.try_get("not_found")?,
            invalid: row.try_get("invalid")?,
            failed: row.try_get("failed")?,
            skipped: row.try_get("skipped")?,
        },
        charged: credits("charged")?.unwrap_or_default(),
        max_credits: credits("max_credits")?,
        metadata: row.try_get("metadata")?,
        webhook: row.try_get::<Option<Uuid>, _>("webhook_id")?.map(WebhookId::from_uuid),
        delivery: row.try_get::<Option<Uuid>, _>("delivery_id")?.map(DeliveryId::from_uuid),
        created_at: row.try_get("created_at")?,
        started_at: row.try_get("started_at")?,
        finished_at: row.try_get("finished_at")?,
        expires_at: row.try_get("expires_at")?,
    })
}
