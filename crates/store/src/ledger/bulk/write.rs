//! What a charge's commit writes of bulk jobs.
//!
//! Jobs of the queue are always locked before the bulk job: whoever took them in another order would wait for a slice that
//! waits for them. A slice is written only by whoever has locked its job.

use super::super::op::{Deed, Settled};
use super::answer::write_answers;
use super::{AnsweredSlice, NewBulk};
use crate::StoreError;
use crate::queue::{NewJob, Queue, put};
use assay_domain::limits::{BULK_ATTEMPTS_MAX, BULK_KEPT_DAYS};
use assay_domain::{AccountId, BulkId, Credits, JobId, WebhookId};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use sqlx::{PgConnection, Row};
use uuid::Uuid;

pub async fn write(
    connection: &mut PgConnection,
    deeds: &[(AccountId, Deed, Settled)],
) -> Result<(), StoreError> {
    let mut answers = Vec::new();
    for (account, deed, settled) in deeds {
        match deed {
            Deed::SubmitBulk(bulk) => submit(connection, *account, bulk).await?,
            Deed::AnswerSlice(slice) => answers.push((*account, &**slice, *settled)),
            Deed::ReportWatch(_) | Deed::RanIcp(_) => {}
        }
    }
    write_answers(connection, &answers).await
}

/// Jobs whose first slice is held for run.
pub async fn start(connection: &mut PgConnection, bulks: &[(AccountId, BulkId)]) -> Result<(), StoreError> {
    if bulks.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "update bulk_job b set status = 'running', paused_at = null,
             started_at = coalesce(b.started_at, statement_timestamp())
         from (select distinct * from unnest($1::uuid[], $2::uuid[]) as s(id, account_id)) s
         where b.id = s.id and b.account_id = s.account_id
             and b.status in ('queued', 'paused_insufficient_credits')",
    )
    .bind(bulks.iter().map(|(_, bulk)| bulk.uuid()).collect::<Vec<_>>())
    .bind(bulks.iter().map(|(account, _)| account.uuid()).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

async fn submit(connection: &mut PgConnection, account: AccountId, bulk: &NewBulk) -> Result<(), StoreError> {
    let counts = bulk.counts;
    let new = sqlx::query(
        "insert into bulk_job (id, account_id, key_id, line_id, monthly_cap, status, total, pending, invalid,
             max_credits, metadata, webhook_id, created_at, expires_at)
         values ($1, $2, $3, $4, $5, 'queued', $6, $7, $8, $9, $10, $11, $12, $12 + make_interval(days => $13))
         on conflict (id) do nothing",
    )
    .bind(bulk.id.uuid())
    .bind(account.uuid())
    .bind(bulk.key.as_str())
    .bind(bulk.line.as_str())
    .bind(bulk.monthly_cap.map(Credits::thousandths))
    .bind(counts.total())
    .bind(counts.pending)
    .bind(counts.invalid)
    .bind(bulk.max_credits.map(Credits::thousandths))
    .bind(&bulk.metadata)
    .bind(bulk.webhook.map(WebhookId::uuid))
    .bind(bulk.at)
    .bind(BULK_KEPT_DAYS)
    .execute(&mut *connection)
    .await?;
    if new.rows_affected() == 0 {
        // An attempt whose fate was unknown has written all of it.
        return Ok(());
    }
    let numbers: Vec<i16> = (0..).take(bulk.slices.len()).collect();
    sqlx::query(
        "insert into bulk_slice (bulk_id, account_id, number, content, job_id)
         select $1, $2, s.number, s.content, s.job_id
         from unnest($3::smallint[], $4::bytea[], $5::uuid[]) as s(number, content, job_id)",
    )
    .bind(bulk.id.uuid())
    .bind(account.uuid())
    .bind(&numbers)
    .bind(bulk.slices.iter().map(|slice| slice.content.as_slice()).collect::<Vec<_>>())
    .bind(bulk.slices.iter().map(|slice| slice.job.map(JobId::uuid)).collect::<Vec<_>>())
    .execute(&mut *connection)
    .await?;
    let jobs = bulk.slices.iter().zip(numbers).filter_map(|(slice, number)| Some((slice.job?, number)));
    let mut jobs: Vec<NewJob> = jobs.map(|(job, number)| slice_job(job, account, bulk.id, number)).collect();
    if bulk.max_credits.is_some() {
        // One slice after the other: only then is it known how much of the bound is left.
        jobs.truncate(1);
    }
    put(connection, Queue::Bulk, account.uuid(), &jobs).await?;
    end(connection, account, bulk.id, bulk.at, false).await
}

fn slice_job(id: JobId, account: AccountId, bulk: BulkId, number: i16) -> NewJob {
    NewJob {
        id,
        account: Some(account),
        key: None,
        run_at: None,
        every: None,
        attempts_max: BULK_ATTEMPTS_MAX,
        payload: json!({ "bulk": bulk.uuid(), "slice": number }),
    }
}

/// A job with a bound of its own does its slices one after the other.
pub(super) async fn put_next(
    connection: &mut PgConnection,
    account: AccountId,
    slice: &AnsweredSlice,
) -> Result<(), StoreError> {
    let next: Option<(Uuid, i16)> = sqlx::query_as(
        "select job_id, number from bulk_slice
         where bulk_id = $1 and account_id = $2 and number > $3 and job_id is not null order by number limit 1",
    )
    .bind(slice.bulk.uuid())
    .bind(account.uuid())
    .bind(slice.number)
    .fetch_optional(&mut *connection)
    .await?;
    let Some((job, number)) = next else { return Ok(()) };
    let job = slice_job(JobId::from_uuid(job), account, slice.bulk, number);
    put(connection, Queue::Bulk, account.uuid(), &[job]).await?;
    Ok(())
}

/// What is pending will not be done. The slices keep it as it is: in a job that is over, pending reads as skipped.
pub(super) async fn skip_rest(
    connection: &mut PgConnection,
    account: AccountId,
    bulk: BulkId,
) -> Result<(), StoreError> {
    sqlx::query(
        "update bulk_job set skipped = skipped + pending, pending = 0 where id = $1 and account_id = $2",
    )
    .bind(bulk.uuid())
    .bind(account.uuid())
    .execute(connection)
    .await?;
    Ok(())
}

/// Ends a job that has nothing pending and has not ended before, and tells whoever wanted to be told.
pub(super) async fn end(
    connection: &mut PgConnection,
    account: AccountId,
    bulk: BulkId,
    at: DateTime<Utc>,
    canceled: bool,
) -> Result<(), StoreError> {
    let over = sqlx::query(
        "update bulk_job set finished_at = $3, expires_at = $3 + make_interval(days => $4), status = case
             when $5 then 'canceled'
             when failed = total then 'failed'
             when invalid + failed + skipped > 0 then 'completed_with_errors' else 'completed' end
         where id = $1 and account_id = $2 and pending = 0 and finished_at is null
         returning webhook_id, status, total, pending, resolved, not_found, invalid, failed, skipped",
    )
    .bind(bulk.uuid())
    .bind(account.uuid())
    .bind(at)
    .bind(BULK_KEPT_DAYS)
    .bind(canceled)
    .fetch_optional(&mut *connection)
    .await?;
    let Some(over) = over else { return Ok(()) };
    let webhook: Option<Uuid> = over.try_get("webhook_id")?;
    let Some(webhook) = webhook.map(WebhookId::from_uuid) else { return Ok(()) };
    let status: &str = over.try_get("status")?;
    let event = if status == "failed" { "bulk.failed" } else { "bulk.completed" };
    let mut counts = serde_json::Map::new();
    for name in ["total", "pending", "resolved", "not_found", "invalid", "failed", "skipped"] {
        counts.insert(name.into(), json!(over.try_get::<i32, _>(name)?));
    }
    let results_url = format!("/v1/bulk/{bulk}");
    let data =
        json!({ "id": bulk.to_string(), "status": status, "counts": counts, "results_url": results_url });
    tell(connection, account, bulk, webhook, (event, &data), at).await
}

async fn tell(
    connection: &mut PgConnection,
    account: AccountId,
    bulk: BulkId,
    webhook: WebhookId,
    (event, data): (&str, &Value),
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    let delivery =
        super::super::webhooks::announce(&mut *connection, account, webhook, event, data, at).await?;
    sqlx::query("update bulk_job set delivery_id = $3 where id = $1 and account_id = $2")
        .bind(bulk.uuid())
        .bind(account.uuid())
        .bind(delivery.map(assay_domain::DeliveryId::uuid))
        .execute(connection)
        .await?;
    Ok(())
}
