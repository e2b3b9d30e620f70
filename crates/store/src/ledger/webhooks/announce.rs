//! Telling an endpoint something, in the transaction in which it becomes true.

use super::super::Ledger;
use crate::StoreError;
use crate::pool::begin;
use crate::queue::{NewJob, Queue, put};
use assay_domain::limits::{WEBHOOK_BODY_BYTES_MAX, WEBHOOK_WORKERS_LOST_MAX, WEBHOOKS_PER_ACCOUNT_MAX};
use assay_domain::{AccountId, DeliveryId, JobId, WebhookId};
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

impl Ledger {
    /// Tells every endpoint of an account that wants to hear of this event, and says how many: for what becomes true
    /// without anything else being written.
    pub async fn announce(&self, account: AccountId, event: &str, data: &Value) -> Result<u64, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        let told = announce_all(&mut transaction, account, event, data, self.clock.now()).await?;
        transaction.commit().await?;
        if told > 0 {
            self.jobs().ring(Queue::Webhook);
        }
        Ok(told)
    }
}

/// Tells one endpoint, in the caller's transaction, whatever it subscribes to: it was named for this. None: it is disabled
/// or gone. Only rows of its own and the endpoint's share of the queue are locked. Ring the bell of [`Queue::Webhook`] after
/// the commit.
pub(crate) async fn announce(
    connection: &mut PgConnection,
    account: AccountId,
    to: WebhookId,
    event: &str,
    data: &Value,
    at: DateTime<Utc>,
) -> Result<Option<DeliveryId>, StoreError> {
    let known: Option<Uuid> = sqlx::query_scalar(
        "select id from webhook_endpoint where id = $1 and account_id = $2 and disabled_at is null",
    )
    .bind(to.uuid())
    .bind(account.uuid())
    .fetch_optional(&mut *connection)
    .await?;
    if known.is_none() {
        return Ok(None);
    }
    let Some(body) = body(event, data, at) else { return Ok(None) };
    write(connection, (account, to), (event, &body), at).await.map(Some)
}

/// Tells every endpoint of an account that wants to hear of this event, in the caller's transaction, and says how many.
pub(crate) async fn announce_all(
    connection: &mut PgConnection,
    account: AccountId,
    event: &str,
    data: &Value,
    at: DateTime<Utc>,
) -> Result<u64, StoreError> {
    // In one order: two who announce to the same endpoints take the shares of the queue one after the other.
    let endpoints: Vec<Uuid> = sqlx::query_scalar(
        "select id from webhook_endpoint
         where account_id = $1 and disabled_at is null and (events = '{}' or $2 = any(events)) order by id limit $3",
    )
    .bind(account.uuid())
    .bind(event)
    .bind(WEBHOOKS_PER_ACCOUNT_MAX)
    .fetch_all(&mut *connection)
    .await?;
    let Some(body) = body(event, data, at).filter(|_| !endpoints.is_empty()) else { return Ok(0) };
    let mut told = 0;
    for endpoint in endpoints {
        write(connection, (account, WebhookId::from_uuid(endpoint)), (event, &body), at).await?;
        told += 1;
    }
    Ok(told)
}

async fn write(
    connection: &mut PgConnection,
    (account, to): (AccountId, WebhookId),
    (event, body): (&str, &str),
    at: DateTime<Utc>,
) -> Result<DeliveryId, StoreError> {
    let (delivery, job) = (DeliveryId::mint(at), JobId::mint(at));
    sqlx::query(
        "insert into webhook_delivery
             (id, account_id, endpoint_id, event, body, state, job_id, next_at, created_at)
         values ($1, $2, $3, $4, $5, 'pending', $6, $7, $7)",
    )
    .bind(delivery.uuid())
    .bind(account.uuid())
    .bind(to.uuid())
    .bind(event)
    .bind(body)
    .bind(job.uuid())
    .bind(at)
    .execute(&mut *connection)
    .await?;
    put(connection, Queue::Webhook, to.uuid(), &[sending(job, account, delivery)]).await?;
    Ok(delivery)
}

/// The job that sends a message.
pub(super) fn sending(job: JobId, account: AccountId, delivery: DeliveryId) -> NewJob {
    NewJob {
        id: job,
        account: Some(account),
        key: None,
        run_at: None,
        every: None,
        attempts_max: WEBHOOK_WORKERS_LOST_MAX,
        payload: json!({ "delivery": delivery.uuid() }),
    }
}

/// The bytes that are sent. What is too long is not: receivers may refuse it, and nothing of ours ever is.
fn body(event: &str, data: &Value, at: DateTime<Utc>) -> Option<String> {
    let timestamp = at.to_rfc3339_opts(SecondsFormat::Millis, true);
    let body = json!({ "type": event, "timestamp": timestamp, "data": data }).to_string();
    if body.len() > WEBHOOK_BODY_BYTES_MAX {
        tracing::error!(event, bytes = body.len(), "a message to a webhook is too long and was not sent");
        return None;
    }
    Some(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_what_when_and_which_and_has_a_bound() {
        let at = DateTime::from_timestamp_millis(1_793_527_200_040).unwrap();
        let written = body("bulk.completed", &json!({"id": "blk_1"}), at).unwrap();
        assert_eq!(
            written,
            r#"{"type":"bulk.completed","timestamp":"2026-11-01T10:00:00.040Z","data":{"id":"blk_1"}}"#
        );
        let frame = body("x", &json!(""), at).unwrap().len();
        let of = |bytes: usize| body("x", &json!("y".repeat(bytes)), at);
        assert_eq!(of(WEBHOOK_BODY_BYTES_MAX - frame).unwrap().len(), WEBHOOK_BODY_BYTES_MAX);
        assert_eq!(of(WEBHOOK_BODY_BYTES_MAX - frame + 1), None);
    }
}
