//! Sending on request: a test message, and messages that were sent before.

use super::super::Ledger;
use super::super::history::first_id_at;
use super::announce::{announce, sending};
use super::deliveries::{COLUMNS, DeliveryRow, read_delivery};
use crate::StoreError;
use crate::pool::begin;
use crate::queue::{NewJob, Queue, put};
use assay_domain::limits::WEBHOOK_REDELIVER_MAX;
use assay_domain::{AccountId, DeliveryId, JobId, WebhookId};
use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

/// What became of a wish to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Again<T> {
    Sending(T),
    /// The endpoint is disabled: nothing is sent to it.
    Disabled,
    /// The account has no such endpoint, or no such message.
    Absent,
}

/// The messages of an endpoint that were announced from `since` on and before `until`.
#[derive(Debug, Clone, Copy)]
pub struct TimeRange {
    pub since: DateTime<Utc>,
    pub until: DateTime<Utc>,
    /// Those that were delivered too, not only those that were not.
    pub delivered: bool,
}

/// Messages that are being sent again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Redelivered {
    pub count: usize,
    /// When there are more than one call sends: where the next one has to begin.
    pub next_since: Option<DateTime<Utc>>,
}

impl Ledger {
    /// Sends an endpoint a message that means nothing.
    pub async fn test_webhook(
        &self,
        account: AccountId,
        webhook: WebhookId,
        (event, data): (&str, &Value),
    ) -> Result<Again<DeliveryRow>, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        match lock_endpoint(&mut transaction, account, webhook).await? {
            Again::Sending(()) => {}
            Again::Disabled => return Ok(Again::Disabled),
            Again::Absent => return Ok(Again::Absent),
        }
        let sent = announce(&mut transaction, account, webhook, event, data, self.clock.now()).await?;
        transaction.commit().await?;
        self.jobs().ring(Queue::Webhook);
        let Some(id) = sent else { return Ok(Again::Disabled) };
        Ok(self.delivery(account, id).await?.map_or(Again::Absent, Again::Sending))
    }

    /// Sends a message again, under its own id, whatever became of it.
    pub async fn redeliver(
        &self,
        account: AccountId,
        delivery: DeliveryId,
    ) -> Result<Again<DeliveryRow>, StoreError> {
        let Some(known) = self.delivery(account, delivery).await? else { return Ok(Again::Absent) };
        let mut transaction = begin(&self.pool).await?;
        match lock_endpoint(&mut transaction, account, known.webhook).await? {
            Again::Sending(()) => {}
            Again::Disabled => return Ok(Again::Disabled),
            Again::Absent => return Ok(Again::Absent),
        }
        let now = self.clock.now();
        let job = JobId::mint(now);
        if begin_again(&mut transaction, account, &[(delivery, job)], now).await? == 0 {
            return Ok(Again::Absent);
        }
        let jobs = [sending(job, account, delivery)];
        put(&mut transaction, Queue::Webhook, known.webhook.uuid(), &jobs).await?;
        transaction.commit().await?;
        self.jobs().ring(Queue::Webhook);
        Ok(self.delivery(account, delivery).await?.map_or(Again::Absent, Again::Sending))
    }

    /// Sends the messages of a time again, oldest first, each under its own id. Those on their way are left to it.
    pub async fn redeliver_range(
        &self,
        account: AccountId,
        webhook: WebhookId,
        range: TimeRange,
    ) -> Result<Again<Redelivered>, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        match lock_endpoint(&mut transaction, account, webhook).await? {
            Again::Sending(()) => {}
            Again::Disabled => return Ok(Again::Disabled),
            Again::Absent => return Ok(Again::Absent),
        }
        let (found, next_since) = in_range(&mut transaction, account, webhook, range).await?;
        let now = self.clock.now();
        let pairs: Vec<(DeliveryId, JobId)> = found.iter().map(|id| (*id, JobId::mint(now))).collect();
        begin_again(&mut transaction, account, &pairs, now).await?;
        let jobs: Vec<NewJob> = pairs.iter().map(|(id, job)| sending(*job, account, *id)).collect();
        put(&mut transaction, Queue::Webhook, webhook.uuid(), &jobs).await?;
        transaction.commit().await?;
        self.jobs().ring(Queue::Webhook);
        Ok(Again::Sending(Redelivered { count: found.len(), next_since }))
    }
}

/// Whoever disables the endpoint waits until what is sent again is committed, and then cancels it.
async fn lock_endpoint(
    connection: &mut PgConnection,
    account: AccountId,
    webhook: WebhookId,
) -> Result<Again<()>, StoreError> {
    let enabled: Option<bool> = sqlx::query_scalar(
        "select disabled_at is null from webhook_endpoint where id = $1 and account_id = $2 for no key update",
    )
    .bind(webhook.uuid())
    .bind(account.uuid())
    .fetch_optional(connection)
    .await?;
    Ok(match enabled {
        Some(true) => Again::Sending(()),
        Some(false) => Again::Disabled,
        None => Again::Absent,
    })
}

/// The oldest messages of a range, locked, and the time of the first one beyond them. An id begins with its time.
async fn in_range(
    connection: &mut PgConnection,
    account: AccountId,
    webhook: WebhookId,
    range: TimeRange,
) -> Result<(Vec<DeliveryId>, Option<DateTime<Utc>>), StoreError> {
    let sql = format!(
        "select {COLUMNS} from webhook_delivery
         where account_id = $1 and endpoint_id = $2 and id >= $3 and id < $4
             and (state in ('failed', 'canceled') or state = 'delivered' and $5)
         order by id limit $6 for update"
    );
    let rows = sqlx::query(AssertSqlSafe(sql))
        .bind(account.uuid())
        .bind(webhook.uuid())
        .bind(first_id_at(range.since))
        .bind(first_id_at(range.until))
        .bind(range.delivered)
        .bind(WEBHOOK_REDELIVER_MAX + 1)
        .fetch_all(connection)
        .await?;
    let mut rows = rows.iter().map(read_delivery).collect::<Result<Vec<_>, _>>()?;
    let most = usize::try_from(WEBHOOK_REDELIVER_MAX).unwrap_or(usize::MAX);
    let beyond = rows.get(most).map(|row| row.created_at);
    rows.truncate(most);
    Ok((rows.into_iter().map(|row| row.id).collect(), beyond))
}

/// From the start: as many tries as a new message has. Jobs that were to send it before are put aside.
async fn begin_again(
    connection: &mut PgConnection,
    account: AccountId,
    deliveries: &[(DeliveryId, JobId)],
    now: DateTime<Utc>,
) -> Result<u64, StoreError> {
    let done = sqlx::query(
        "update webhook_delivery d set state = 'pending', job_id = n.job_id, tries = 0, next_at = $4, finished_at = null
         from unnest($2::uuid[], $3::uuid[]) as n(id, job_id) where d.account_id = $1 and d.id = n.id",
    )
    .bind(account.uuid())
    .bind(deliveries.iter().map(|(id, _)| id.uuid()).collect::<Vec<Uuid>>())
    .bind(deliveries.iter().map(|(_, job)| job.uuid()).collect::<Vec<Uuid>>())
    .bind(now)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}
