//! API keys: what a request proves itself with. Only a keyed hash of the secret is stored.

use super::Ledger;
use super::accounts::read_plan;
use crate::StoreError;
use assay_domain::{AccountId, Credits, KeyId, Plan};
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::Row;
use sqlx::postgres::PgRow;

/// A key to be stored.
#[derive(Debug, Clone)]
pub struct NewKey {
    pub id: KeyId,
    pub account: AccountId,
    pub name: String,
    pub live: bool,
    pub secret_hash: [u8; 32],
    pub scopes: Vec<String>,
    pub expires_at: Option<DateTime<Utc>>,
    pub monthly_cap: Option<Credits>,
}

/// A key with all that deciding about a call needs of its account.
#[derive(Debug, Clone)]
pub struct KeyRecord {
    pub id: KeyId,
    pub account: AccountId,
    pub name: String,
    pub live: bool,
    pub secret_hash: Vec<u8>,
    pub scopes: Vec<String>,
    pub ip_allow: Vec<String>,
    pub monthly_cap: Option<Credits>,
    /// The plan's rate, or the key's own where it is lower.
    pub requests_per_minute: u32,
    pub created_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
    pub last_used_at: Option<DateTime<Utc>>,
    pub plan: Plan,
    pub trial_ends_at: Option<DateTime<Utc>>,
}

const SELECT_KEY: &str = "select k.id, k.account_id, k.name, k.mode, k.secret_hash, k.scopes, k.ip_allow, k.monthly_cap,
        least(k.requests_per_minute, p.requests_per_minute) as requests_per_minute, k.created_at, k.expires_at,
        k.revoked_at, k.last_used_at, a.plan, a.trial_ends_at
    from api_key k join account a on a.id = k.account_id join plan p on p.name = a.plan
    where k.id = coalesce($1, k.id) and k.account_id = coalesce($2, k.account_id)
    order by k.created_at, k.id";

impl Ledger {
    pub async fn create_key(&self, key: &NewKey) -> Result<(), StoreError> {
        sqlx::query(
            "insert into api_key (id, account_id, name, mode, secret_hash, scopes, expires_at, monthly_cap)
             values ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind(key.id.as_str())
        .bind(key.account.uuid())
        .bind(&key.name)
        .bind(if key.live { "live" } else { "test" })
        .bind(&key.secret_hash[..])
        .bind(&key.scopes)
        .bind(key.expires_at)
        .bind(key.monthly_cap.map(Credits::thousandths))
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Finds a key by the id inside it, revoked and expired ones too: the caller says which it was.
    pub async fn find_key(&self, id: &KeyId) -> Result<Option<KeyRecord>, StoreError> {
        let row = sqlx::query(SELECT_KEY)
            .bind(id.as_str())
            .bind(None::<uuid::Uuid>)
            .fetch_optional(&self.pool)
            .await?;
        let Some(key) = row.map(|row| read_key(&row)).transpose()? else { return Ok(None) };
        self.touch_key(&key).await?;
        Ok(Some(key))
    }

    /// Grows whenever a key, an account's plan or a plan changes.
    pub async fn key_epoch(&self) -> Result<i64, StoreError> {
        Ok(sqlx::query_scalar("select epoch from key_epoch").fetch_one(&self.pool).await?)
    }

    pub async fn list_keys(&self, account: AccountId) -> Result<Vec<KeyRecord>, StoreError> {
        let rows =
            sqlx::query(SELECT_KEY).bind(None::<&str>).bind(account.uuid()).fetch_all(&self.pool).await?;
        rows.iter().map(read_key).collect()
    }

    /// Revokes a key; says whether there was one to revoke.
    pub async fn revoke_key(&self, account: Option<AccountId>, id: &KeyId) -> Result<bool, StoreError> {
        let done = sqlx::query(
            "update api_key set revoked_at = now()
             where id = $1 and account_id = coalesce($2, account_id) and revoked_at is null",
        )
        .bind(id.as_str())
        .bind(account.map(AccountId::uuid))
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// What a capped key spent and holds this month.
    pub async fn key_spend(&self, account: AccountId, key: &KeyId) -> Result<Credits, StoreError> {
        let used: Option<i64> = sqlx::query_scalar(
            "select spent + held from key_spend
             where account_id = $1 and key_id = $2 and month = date_trunc('month', now() at time zone 'utc')::date",
        )
        .bind(account.uuid())
        .bind(key.as_str())
        .fetch_optional(&self.pool)
        .await?;
        Ok(Credits::from_thousandths(used.unwrap_or(0)))
    }

    /// Notes that a key is in use, to the minute: enough for a person, and rare enough to cost nothing.
    async fn touch_key(&self, key: &KeyRecord) -> Result<(), StoreError> {
        let stale = |at: DateTime<Utc>| self.clock.now() - at > TimeDelta::minutes(1);
        if key.last_used_at.is_some_and(|at| !stale(at)) {
            return Ok(());
        }
        sqlx::query("update api_key set last_used_at = now() where id = $1 and account_id = $2")
            .bind(key.id.as_str())
            .bind(key.account.uuid())
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}

fn read_key(row: &PgRow) -> Result<KeyRecord, StoreError> {
    let mode: &str = row.try_get("mode")?;
    let requests_per_minute: i32 = row.try_get("requests_per_minute")?;
    let cap: Option<i64> = row.try_get("monthly_cap")?;
    Ok(KeyRecord {
        id: KeyId::new(row.try_get("id")?),
        account: AccountId::from_uuid(row.try_get("account_id")?),
        name: row.try_get("name")?,
        live: mode == "live",
        secret_hash: row.try_get("secret_hash")?,
        scopes: row.try_get("scopes")?,
        ip_allow: row.try_get("ip_allow")?,
        monthly_cap: cap.map(Credits::from_thousandths),
        requests_per_minute: u32::try_from(requests_per_minute).unwrap_or(1),
        created_at: row.try_get("created_at")?,
        expires_at: row.try_get("expires_at")?,
        revoked_at: row.try_get("revoked_at")?,
        last_used_at: row.try_get("last_used_at")?,
        plan: read_plan(row.try_get("plan")?)?,
        trial_ends_at: row.try_get("trial_ends_at")?,
    })
}
