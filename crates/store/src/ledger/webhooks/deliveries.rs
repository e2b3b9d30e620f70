//! The delivery log: what an endpoint was told, and how each try went.

use super::super::Ledger;
use crate::StoreError;
use assay_domain::limits::WEBHOOK_ATTEMPTS_KEPT_MAX;
use assay_domain::{AccountId, DeliveryId, WebhookId};
use chrono::{DateTime, Utc};
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Row};
use std::time::Duration;
use uuid::Uuid;

/// Where a message stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// It is being sent, or waits for its next try.
    Pending,
    Delivered,
    /// Every try failed.
    Failed,
    /// The endpoint was disabled or deleted before it could be delivered.
    Canceled,
}

impl DeliveryState {
    pub const ALL: [Self; 4] = [Self::Pending, Self::Delivered, Self::Failed, Self::Canceled];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
        }
    }

    fn named(name: &str) -> Result<Self, StoreError> {
        let known = Self::ALL.into_iter().find(|state| state.as_str() == name);
        known.ok_or_else(|| StoreError::Corrupt("the state of a delivery".into()))
    }
}

/// A message to an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryRow {
    pub id: DeliveryId,
    pub webhook: WebhookId,
    pub event: String,
    /// The bytes that are sent, a JSON object.
    pub body: String,
    pub state: DeliveryState,
    /// How often it was tried.
    pub attempts: u32,
    pub next_at: Option<DateTime<Utc>>,
    /// What the last try was answered.
    pub last_status: Option<u16>,
    pub created_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
}

/// One try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRow {
    pub delivery: DeliveryId,
    pub number: u32,
    pub at: DateTime<Utc>,
    /// None when no answer came.
    pub status: Option<u16>,
    pub verdict: String,
    pub took: Duration,
    /// The beginning of what was answered.
    pub excerpt: String,
}

pub(super) const COLUMNS: &str =
    "id, endpoint_id, event, body, state, attempts, next_at, last_status, created_at,
    finished_at";

impl Ledger {
    pub async fn delivery(
        &self,
        account: AccountId,
        id: DeliveryId,
    ) -> Result<Option<DeliveryRow>, StoreError> {
        let sql = format!("select {COLUMNS} from webhook_delivery where id = $1 and account_id = $2");
        let row = sqlx::query(AssertSqlSafe(sql))
            .bind(id.uuid())
            .bind(account.uuid())
            .fetch_optional(&self.pool)
            .await?;
        row.as_ref().map(read_delivery).transpose()
    }

    /// The messages to an endpoint, newest first.
    pub async fn deliveries(
        &self,
        account: AccountId,
        webhook: WebhookId,
        state: Option<DeliveryState>,
        after: Option<DeliveryId>,
        limit: u32,
    ) -> Result<Vec<DeliveryRow>, StoreError> {
        let sql = format!(
            "select {COLUMNS} from webhook_delivery
             where account_id = $1 and endpoint_id = $2 and ($3::text is null or state = $3)
                 and ($4::uuid is null or id < $4)
             order by id desc limit $5"
        );
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(account.uuid())
            .bind(webhook.uuid())
            .bind(state.map(DeliveryState::as_str))
            .bind(after.map(DeliveryId::uuid))
            .bind(i64::from(limit))
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(read_delivery).collect()
    }

    /// The tries of these messages, first to last.
    pub async fn attempts(
        &self,
        account: AccountId,
        deliveries: &[DeliveryId],
    ) -> Result<Vec<AttemptRow>, StoreError> {
        let rows = sqlx::query(
            "select delivery_id, number, at, status, verdict, took_ms, excerpt from webhook_attempt
             where account_id = $1 and delivery_id = any($2) order by delivery_id, number limit $3",
        )
        .bind(account.uuid())
        .bind(deliveries.iter().map(|id| id.uuid()).collect::<Vec<Uuid>>())
        .bind(i64::try_from(deliveries.len()).unwrap_or(0).saturating_mul(WEBHOOK_ATTEMPTS_KEPT_MAX.into()))
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(read_attempt).collect()
    }
}

pub(super) fn read_delivery(row: &PgRow) -> Result<DeliveryRow, StoreError> {
    let attempts: i32 = row.try_get("attempts")?;
    Ok(DeliveryRow {
        id: DeliveryId::from_uuid(row.try_get("id")?),
        webhook: WebhookId::from_uuid(row.try_get("endpoint_id")?),
        event: row.try_get("event")?,
        body: row.try_get("body")?,
        state: DeliveryState::named(row.try_get("state")?)?,
        attempts: u32::try_from(attempts).unwrap_or(0),
        next_at: row.try_get("next_at")?,
        last_status: read_status(row, "last_status")?,
        created_at: row.try_get("created_at")?,
        finished_at: row.try_get("finished_at")?,
    })
}

fn read_attempt(row: &PgRow) -> Result<AttemptRow, StoreError> {
    let number: i32 = row.try_get("number")?;
    let took_ms: i32 = row.try_get("took_ms")?;
    Ok(AttemptRow {
        delivery: DeliveryId::from_uuid(row.try_get("delivery_id")?),
        number: u32::try_from(number).unwrap_or(0),
        at: row.try_get("at")?,
        status: read_status(row, "status")?,
        verdict: row.try_get("verdict")?,
        took: Duration::from_millis(u64::try_from(took_ms).unwrap_or(0)),
        excerpt: row.try_get("excerpt")?,
    })
}

fn read_status(row: &PgRow, column: &str) -> Result<Option<u16>, StoreError> {
    let status: Option<i16> = row.try_get(column)?;
    Ok(status.and_then(|status| u16::try_from(status).ok()))
}
