//! The endpoints of an account: made, read, changed, rotated and deleted. Their secrets come and go sealed.

use super::super::Ledger;
use crate::StoreError;
use crate::pool::begin;
use assay_domain::limits::WEBHOOKS_PER_ACCOUNT_MAX;
use assay_domain::{AccountId, Sealed, WebhookId};
use chrono::{DateTime, Utc};
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgConnection, Row};
use uuid::Uuid;

/// What the owner says about an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookTerms {
    pub url: String,
    pub description: String,
    /// What it wants to be told; empty: everything.
    pub events: Vec<String>,
}

/// An endpoint to be stored.
#[derive(Debug, Clone)]
pub struct NewWebhook {
    pub id: WebhookId,
    pub account: AccountId,
    pub terms: WebhookTerms,
    pub secret: Sealed,
    pub at: DateTime<Utc>,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookMade {
    Made,
    /// The account has as many as it may have.
    TooMany,
    /// The account has one at this URL already, which is meant instead.
    Known(WebhookId),
}

/// Why nothing is sent to an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisabledReason {
    ByRequest,
    /// It answered 410.
    Gone,
    /// Nothing but failures for too long.
    Failing,
}

impl DisabledReason {
    pub const ALL: [Self; 3] = [Self::ByRequest, Self::Gone, Self::Failing];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ByRequest => "by_request",
            Self::Gone => "gone",
            Self::Failing => "failing",
        }
    }

    pub(super) fn named(name: &str) -> Result<Self, StoreError> {
        let known = Self::ALL.into_iter().find(|reason| reason.as_str() == name);
        known.ok_or_else(|| StoreError::Corrupt("why a webhook is disabled".into()))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disabled {
    pub at: DateTime<Utc>,
    pub reason: DisabledReason,
}

/// An endpoint as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRow {
    pub id: WebhookId,
    pub terms: WebhookTerms,
    pub disabled: Option<Disabled>,
    /// The first failure that no success came after.
    pub failing_since: Option<DateTime<Utc>>,
    /// Until when the secret before the last rotation signs too.
    pub previous_until: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

impl WebhookRow {
    pub fn cursor(&self) -> WebhookCursor {
        WebhookCursor { created_at: self.created_at, id: self.id }
    }
}

/// Where a page ended.
#[derive(Debug, Clone, Copy)]
pub struct WebhookCursor {
    pub created_at: DateTime<Utc>,
    pub id: WebhookId,
}

/// What is to be different; none stays as it is.
#[derive(Debug, Clone, Default)]
pub struct WebhookChange {
    pub url: Option<String>,
    pub description: Option<String>,
    pub events: Option<Vec<String>>,
    pub enabled: Option<bool>,
}

const COLUMNS: &str = "id, url, description, events, disabled_at, disabled_reason, failing_since,
    case when previous_until > now() then previous_until end as previous_until, created_at, updated_at";

impl Ledger {
    pub async fn create_webhook(&self, new: &NewWebhook) -> Result<WebhookMade, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        lock_account(&mut transaction, new.account).await?;
        let made = insert(&mut transaction, new).await?;
        transaction.commit().await?;
        Ok(made)
    }

    /// Stores an endpoint, unless the account has an enabled one at its URL.
    pub async fn create_webhook_at(&self, new: &NewWebhook) -> Result<WebhookMade, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        lock_account(&mut transaction, new.account).await?;
        let known: Option<Uuid> = sqlx::query_scalar(
            "select id from webhook_endpoint
             where account_id = $1 and url = $2 and disabled_at is null order by created_at, id limit 1",
        )
        .bind(new.account.uuid())
        .bind(&new.terms.url)
        .fetch_optional(&mut *transaction)
        .await?;
        let made = match known {
            Some(id) => WebhookMade::Known(WebhookId::from_uuid(id)),
            None => insert(&mut transaction, new).await?,
        };
        transaction.commit().await?;
        Ok(made)
    }

    pub async fn webhook(&self, account: AccountId, id: WebhookId) -> Result<Option<WebhookRow>, StoreError> {
        let sql = format!("select {COLUMNS} from webhook_endpoint where id = $1 and account_id = $2");
        let row = sqlx::query(AssertSqlSafe(sql))
            .bind(id.uuid())
            .bind(account.uuid())
            .fetch_optional(&self.pool)
            .await?;
        row.as_ref().map(read_webhook).transpose()
    }

    /// Newest first.
    pub async fn webhooks(
        &self,
        account: AccountId,
        after: Option<WebhookCursor>,
        limit: u32,
    ) -> Result<Vec<WebhookRow>, StoreError> {
        let sql = format!(
            "select {COLUMNS} from webhook_endpoint
             where account_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2, $3))
             order by created_at desc, id desc limit $4"
        );
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(account.uuid())
            .bind(after.map(|cursor| cursor.created_at))
            .bind(after.map(|cursor| cursor.id.uuid()))
            .bind(i64::from(limit))
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(read_webhook).collect()
    }

    /// Changes what is given. Disabling cancels what is still to be sent; enabling, and another URL, forget its failures.
    /// None: the account has no such endpoint.
    pub async fn change_webhook(
        &self,
        account: AccountId,
        id: WebhookId,
        change: &WebhookChange,
    ) -> Result<Option<WebhookRow>, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        let sql = format!(
            "update webhook_endpoint set url = coalesce($3, url), description = coalesce($4, description),
                 events = coalesce($5, events), updated_at = now(),
                 failing_since = case when $6 or $3 <> url then null else failing_since end,
                 disabled_at = case when $6 then null when not $6 then coalesce(disabled_at, now()) else disabled_at end,
                 disabled_reason = case when $6 then null when not $6 then coalesce(disabled_reason, $7)
                     else disabled_reason end
             where id = $1 and account_id = $2 returning {COLUMNS}"
        );
        let row = sqlx::query(AssertSqlSafe(sql))
            .bind(id.uuid())
            .bind(account.uuid())
            .bind(&change.url)
            .bind(&change.description)
            .bind(&change.events)
            .bind(change.enabled)
            .bind(DisabledReason::ByRequest.as_str())
            .fetch_optional(&mut *transaction)
            .await?;
        if row.is_some() && change.enabled == Some(false) {
            cancel_pending(&mut transaction, account, id).await?;
        }
        transaction.commit().await?;
        row.as_ref().map(read_webhook).transpose()
    }

    /// Gives an endpoint a new secret; the one it had signs beside it until `until`. None: there is no such endpoint.
    pub async fn rotate_webhook(
        &self,
        account: AccountId,
        id: WebhookId,
        secret: &Sealed,
        until: DateTime<Utc>,
    ) -> Result<Option<WebhookRow>, StoreError> {
        let sql = format!(
            "update webhook_endpoint set secret = $3, updated_at = now(),
                 previous_secret = case when $4 > now() then secret end,
                 previous_until = case when $4 > now() then $4 end
             where id = $1 and account_id = $2 returning {COLUMNS}"
        );
        let row = sqlx::query(AssertSqlSafe(sql))
            .bind(id.uuid())
            .bind(account.uuid())
            .bind(secret.as_bytes())
            .bind(until)
            .fetch_optional(&self.pool)
            .await?;
        row.as_ref().map(read_webhook).transpose()
    }

    /// False: there is no such endpoint. What was still to be sent to it is not sent: see [`Ledger::begin_attempt`].
    pub async fn delete_webhook(&self, account: AccountId, id: WebhookId) -> Result<bool, StoreError> {
        let done = sqlx::query("delete from webhook_endpoint where id = $1 and account_id = $2")
            .bind(id.uuid())
            .bind(account.uuid())
            .execute(&self.pool)
            .await?;
        Ok(done.rows_affected() > 0)
    }
}

/// Two callers who make endpoints for one account wait for each other, so that they can be counted.
async fn lock_account(connection: &mut PgConnection, account: AccountId) -> Result<(), StoreError> {
    sqlx::query("select id from account where id = $1 for no key update")
        .bind(account.uuid())
        .execute(connection)
        .await?;
    Ok(())
}

async fn insert(connection: &mut PgConnection, new: &NewWebhook) -> Result<WebhookMade, StoreError> {
    let made = sqlx::query(
        "insert into webhook_endpoint (id, account_id, url, description, events, secret, created_at, updated_at)
         select $1, $2, $3, $4, $5, $6, $7, $7
         where $8 > (select count(*) from webhook_endpoint where account_id = $2)",
    )
    .bind(new.id.uuid())
    .bind(new.account.uuid())
    .bind(&new.terms.url)
    .bind(&new.terms.description)
    .bind(&new.terms.events)
    .bind(new.secret.as_bytes())
    .bind(new.at)
    .bind(WEBHOOKS_PER_ACCOUNT_MAX)
    .execute(connection)
    .await?;
    Ok(if made.rows_affected() > 0 { WebhookMade::Made } else { WebhookMade::TooMany })
}

/// The endpoint's row must be locked. The jobs stay in the queue until it is their turn, and then do nothing.
pub(super) async fn cancel_pending(
    connection: &mut PgConnection,
    account: AccountId,
    id: WebhookId,
) -> Result<(), StoreError> {
    sqlx::query(
        "update webhook_delivery set state = 'canceled', next_at = null, finished_at = now()
         where account_id = $1 and endpoint_id = $2 and state = 'pending'",
    )
    .bind(account.uuid())
    .bind(id.uuid())
    .execute(connection)
    .await?;
    Ok(())
}

fn read_webhook(row: &PgRow) -> Result<WebhookRow, StoreError> {
    let disabled_at: Option<DateTime<Utc>> = row.try_get("disabled_at")?;
    let reason: Option<&str> = row.try_get("disabled_reason")?;
    let disabled = match (disabled_at, reason) {
        (Some(at), Some(reason)) => Some(Disabled { at, reason: DisabledReason::named(reason)? }),
        _ => None,
    };
    Ok(WebhookRow {
        id: WebhookId::from_uuid(row.try_get("id")?),
        terms: WebhookTerms {
            url: row.try_get("url")?,
            description: row.try_get("description")?,
            events: row.try_get("events")?,
        },
        disabled,
        failing_since: row.try_get("failing_since")?,
        previous_until: row.try_get("previous_until")?,
        created_at: row.try_get("created_at")?,
        updated_at: row.try_get("updated_at")?,
    })
}
