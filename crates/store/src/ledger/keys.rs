//! API keys: what a request proves itself with. Only a keyed hash of the secret is stored.

use super::Ledger;
use super::accounts::read_plan;
use crate::StoreError;
use crate::pool::begin;
use assay_domain::{AccountId, Credits, IpRange, KeyId, Plan, limits};
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgConnection, Row};

/// What a key is called, what it may do and until when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyTerms {
    pub name: String,
    pub live: bool,
    pub scopes: Vec<String>,
    /// Where calls may come from; empty means from anywhere.
    pub ip_allow: Vec<IpRange>,
    pub monthly_cap: Option<Credits>,
    pub requests_per_minute: Option<u32>,
    pub expires_at: Option<DateTime<Utc>>,
}

/// A key to be stored.
#[derive(Debug, Clone)]
pub struct NewKey {
    pub id: KeyId,
    pub account: AccountId,
    pub secret_hash: [u8; 32],
    pub terms: KeyTerms,
}

/// A key with all that deciding about a call needs of its account.
#[derive(Debug, Clone)]
pub struct KeyRecord {
    pub id: KeyId,
    /// The first key of those that were rotated into this one: what the monthly cap is counted by.
    pub line: KeyId,
    /// How often the key's terms were changed.
    pub revision: i32,
    pub account: AccountId,
    pub name: String,
    pub live: bool,
    pub secret_hash: Vec<u8>,
    pub scopes: Vec<String>,
    pub ip_allow: Vec<IpRange>,
    pub monthly_cap: Option<Credits>,
    /// The plan's rate, or the key's own where it is lower.
    pub requests_per_minute: u32,
    /// What the account's plan allows all its keys together.
    pub plan_requests_per_minute: u32,
    /// What this key may take of it, if it has a rate of its own.
    pub key_requests_per_minute: Option<u32>,
    pub created_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
    pub last_used_at: Option<DateTime<Utc>>,
    pub plan: Plan,
    pub trial_ends_at: Option<DateTime<Utc>>,
}

impl KeyRecord {
    pub fn terms(&self) -> KeyTerms {
        KeyTerms {
            name: self.name.clone(),
            live: self.live,
            scopes: self.scopes.clone(),
            ip_allow: self.ip_allow.clone(),
            monthly_cap: self.monthly_cap,
            requests_per_minute: self.key_requests_per_minute,
            expires_at: self.expires_at,
        }
    }

    pub fn state(&self, now: DateTime<Utc>) -> &'static str {
        match (self.revoked_at, self.expires_at) {
            (Some(_), _) => "revoked",
            (None, Some(end)) if end <= now => "expired",
            _ => "active",
        }
    }

    pub fn cursor(&self) -> KeyCursor {
        KeyCursor { created_at: self.created_at, id: self.id.clone() }
    }
}

/// A key as its owner sees it.
#[derive(Debug, Clone)]
pub struct ListedKey {
    pub record: KeyRecord,
    /// What its line spent and holds this month; only counted while it has a cap.
    pub spent_this_month: Option<Credits>,
}

/// Where a page ended.
#[derive(Debug, Clone)]
pub struct KeyCursor {
    pub created_at: DateTime<Utc>,
    pub id: KeyId,
}

/// How a change of keys ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyWrite {
    Done,
    /// The account, or the line of a rotated key, has as many live keys as it may have.
    TooMany,
    /// The key is no longer as it was read: look again.
    Changed,
}

const SELECT_KEY: &str =
    "select k.id, coalesce(k.line_id, k.id) as line, k.revision, k.account_id, k.name, k.mode,
        k.secret_hash, k.scopes, k.ip_allow, k.monthly_cap, k.requests_per_minute as key_rate,
        p.requests_per_minute as plan_rate, k.created_at, k.expires_at, k.revoked_at, k.last_used_at, a.plan,
        a.trial_ends_at, s.spent + s.held as spent
    from api_key k join account a on a.id = k.account_id join plan p on p.name = a.plan
    left join key_spend s on s.account_id = k.account_id and s.key_id = coalesce(k.line_id, k.id)
        and s.month = date_trunc('month', now() at time zone 'utc')::date";

impl Ledger {
    /// Stores a key, unless the account has too many live ones.
    pub async fn create_key(&self, key: &NewKey) -> Result<KeyWrite, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        lock_keys(&mut transaction, key.account).await?;
        let lines: i64 = sqlx::query_scalar(
            "select count(distinct coalesce(line_id, id)) from api_key
             where account_id = $1 and revoked_at is null and (expires_at is null or expires_at > now())",
        )
        .bind(key.account.uuid())
        .fetch_one(&mut *transaction)
        .await?;
        if lines >= limits::KEYS_PER_ACCOUNT_MAX {
            return Ok(KeyWrite::TooMany);
        }
        insert_key(&mut transaction, key, None).await?;
        drop_oldest_dead(&mut transaction, key.account).await?;
        transaction.commit().await?;
        Ok(KeyWrite::Done)
    }

    /// Finds a key by the id inside it, revoked and expired ones too: the caller says which it was.
    pub async fn find_key(&self, id: &KeyId) -> Result<Option<KeyRecord>, StoreError> {
        let sql = format!("{SELECT_KEY} where k.id = $1");
        let row = sqlx::query(AssertSqlSafe(sql)).bind(id.as_str()).fetch_optional(&self.pool).await?;
        row.map(|row| read_key(&row)).transpose()
    }

    /// What a key was last rotated into, if it is good now.
    pub async fn newest_key_of(
        &self,
        account: AccountId,
        line: &KeyId,
    ) -> Result<Option<KeyRecord>, StoreError> {
        let sql = format!(
            "{SELECT_KEY} where k.account_id = $1 and coalesce(k.line_id, k.id) = $2 and k.revoked_at is null
             and (k.expires_at is null or k.expires_at > $3) order by k.created_at desc, k.id desc limit 1"
        );
        let row =
            sqlx::query(AssertSqlSafe(sql)).bind(account.uuid()).bind(line.as_str()).bind(self.clock.now());
        row.fetch_optional(&self.pool).await?.map(|row| read_key(&row)).transpose()
    }

    /// One key of an account.
    pub async fn key(&self, account: AccountId, id: &KeyId) -> Result<Option<ListedKey>, StoreError> {
        let sql = format!("{SELECT_KEY} where k.id = $1 and k.account_id = $2");
        let row = sqlx::query(AssertSqlSafe(sql))
            .bind(id.as_str())
            .bind(account.uuid())
            .fetch_optional(&self.pool)
            .await?;
        row.map(|row| read_listed(&row)).transpose()
    }

    /// The keys of an account, newest first.
    pub async fn list_keys(
        &self,
        account: AccountId,
        after: Option<&KeyCursor>,
        limit: u32,
    ) -> Result<Vec<ListedKey>, StoreError> {
        let sql = format!(
            "{SELECT_KEY} where k.account_id = $1 and ($2::timestamptz is null or (k.created_at, k.id) < ($2, $3))
             order by k.created_at desc, k.id desc limit $4"
        );
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(account.uuid())
            .bind(after.map(|cursor| cursor.created_at))
            .bind(after.map(|cursor| cursor.id.as_str()))
            .bind(i64::from(limit))
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(read_listed).collect()
    }

    /// Grows whenever a key, an account's plan or a plan changes.
    pub async fn key_epoch(&self) -> Result<i64, StoreError> {
        Ok(sqlx::query_scalar("select epoch from key_epoch").fetch_one(&self.pool).await?)
    }

    /// Gives a key new terms, if it still is as it was read. Its mode is part of the key itself and stays.
    pub async fn change_key(&self, before: &KeyRecord, terms: &KeyTerms) -> Result<KeyWrite, StoreError> {
        let done = sqlx::query(
            "update api_key set name = $4, scopes = $5, ip_allow = $6, monthly_cap = $7, requests_per_minute = $8,
                 expires_at = $9, revision = revision + 1
             where id = $1 and account_id = $2 and revision = $3 and revoked_at is null",
        )
        .bind(before.id.as_str())
        .bind(before.account.uuid())
        .bind(before.revision)
        .bind(&terms.name)
        .bind(&terms.scopes)
        .bind(texts(&terms.ip_allow))
        .bind(terms.monthly_cap.map(Credits::thousandths))
        .bind(terms.requests_per_minute.map(rate))
        .bind(terms.expires_at)
        .execute(&self.pool)
        .await?;
        Ok(if done.rows_affected() > 0 { KeyWrite::Done } else { KeyWrite::Changed })
    }

    /// Stores the successor of a key, which itself ends at `ends_at` if not before.
    pub async fn rotate_key(
        &self,
        before: &KeyRecord,
        successor: &NewKey,
        ends_at: DateTime<Utc>,
    ) -> Result<KeyWrite, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        lock_keys(&mut transaction, before.account).await?;
        let line: i64 = sqlx::query_scalar(
            "select count(*) from api_key
             where account_id = $1 and (id = $2 or line_id = $2) and revoked_at is null
                 and (expires_at is null or expires_at > now())",
        )
        .bind(before.account.uuid())
        .bind(before.line.as_str())
        .fetch_one(&mut *transaction)
        .await?;
        if line >= limits::KEYS_PER_LINE_MAX {
            return Ok(KeyWrite::TooMany);
        }
        let ended = sqlx::query(
            "update api_key set expires_at = least(expires_at, $4), revision = revision + 1
             where id = $1 and account_id = $2 and revision = $3 and revoked_at is null",
        )
        .bind(before.id.as_str())
        .bind(before.account.uuid())
        .bind(before.revision)
        .bind(ends_at)
        .execute(&mut *transaction)
        .await?;
        if ended.rows_affected() == 0 {
            return Ok(KeyWrite::Changed);
        }
        insert_key(&mut transaction, successor, Some(&before.line)).await?;
        drop_oldest_dead(&mut transaction, before.account).await?;
        transaction.commit().await?;
        Ok(KeyWrite::Done)
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

    /// What the line of a capped key spent and holds this month.
    pub async fn key_spend(&self, account: AccountId, line: &KeyId) -> Result<Credits, StoreError> {
        let used: Option<i64> = sqlx::query_scalar(
            "select spent + held from key_spend
             where account_id = $1 and key_id = $2 and month = date_trunc('month', now() at time zone 'utc')::date",
        )
        .bind(account.uuid())
        .bind(line.as_str())
        .fetch_optional(&self.pool)
        .await?;
        Ok(Credits::from_thousandths(used.unwrap_or(0)))
    }

    /// Notes that a key is in use, to the minute: enough for a person, and rare enough to cost nothing.
    pub async fn touch_key(&self, key: &KeyRecord) -> Result<(), StoreError> {
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

/// Two callers who make keys for one account wait for each other, so that its keys can be counted.
async fn lock_keys(connection: &mut PgConnection, account: AccountId) -> Result<(), StoreError> {
    sqlx::query("select id from account where id = $1 for no key update")
        .bind(account.uuid())
        .execute(connection)
        .await?;
    Ok(())
}

async fn insert_key(
    connection: &mut PgConnection,
    key: &NewKey,
    line: Option<&KeyId>,
) -> Result<(), StoreError> {
    let terms = &key.terms;
    sqlx::query(
        "insert into api_key (id, account_id, name, mode, secret_hash, scopes, ip_allow, monthly_cap,
             requests_per_minute, expires_at, line_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(key.id.as_str())
    .bind(key.account.uuid())
    .bind(&terms.name)
    .bind(if terms.live { "live" } else { "test" })
    .bind(&key.secret_hash[..])
    .bind(&terms.scopes)
    .bind(texts(&terms.ip_allow))
    .bind(terms.monthly_cap.map(Credits::thousandths))
    .bind(terms.requests_per_minute.map(rate))
    .bind(terms.expires_at)
    .bind(line.map(KeyId::as_str))
    .execute(connection)
    .await?;
    Ok(())
}

async fn drop_oldest_dead(connection: &mut PgConnection, account: AccountId) -> Result<(), StoreError> {
    sqlx::query(
        "delete from api_key where account_id = $1 and id in (
             select id from api_key where account_id = $1 and (revoked_at is not null or expires_at <= now())
             order by least(revoked_at, expires_at) desc offset $2)",
    )
    .bind(account.uuid())
    .bind(limits::KEYS_DEAD_KEPT_MAX)
    .execute(connection)
    .await?;
    Ok(())
}

fn texts(ranges: &[IpRange]) -> Vec<String> {
    ranges.iter().map(IpRange::to_string).collect()
}

fn rate(per_minute: u32) -> i32 {
    i32::try_from(per_minute).unwrap_or(i32::MAX)
}

fn read_listed(row: &PgRow) -> Result<ListedKey, StoreError> {
    let record = read_key(row)?;
    let spent: Option<i64> = row.try_get("spent")?;
    let spent_this_month = record.monthly_cap.map(|_| Credits::from_thousandths(spent.unwrap_or(0)));
    Ok(ListedKey { record, spent_this_month })
}

fn read_key(row: &PgRow) -> Result<KeyRecord, StoreError> {
    let mode: &str = row.try_get("mode")?;
    let plan_rate: i32 = row.try_get("plan_rate")?;
    let key_rate: Option<i32> = row.try_get("key_rate")?;
    let plan_requests_per_minute = u32::try_from(plan_rate).unwrap_or(1);
    let key_requests_per_minute = key_rate.and_then(|rate| u32::try_from(rate).ok());
    let cap: Option<i64> = row.try_get("monthly_cap")?;
    let ranges: Vec<String> = row.try_get("ip_allow")?;
    let ranges: Result<Vec<IpRange>, _> = ranges.iter().map(|range| range.parse()).collect();
    Ok(KeyRecord {
        id: KeyId::new(row.try_get("id")?),
        line: KeyId::new(row.try_get("line")?),
        revision: row.try_get("revision")?,
        account: AccountId::from_uuid(row.try_get("account_id")?),
        name: row.try_get("name")?,
        live: mode == "live",
        secret_hash: row.try_get("secret_hash")?,
        scopes: row.try_get("scopes")?,
        ip_allow: ranges.map_err(|_| StoreError::Corrupt("a key's address range".into()))?,
        monthly_cap: cap.map(Credits::from_thousandths),
        requests_per_minute: key_requests_per_minute
            .map_or(plan_requests_per_minute, |rate| rate.min(plan_requests_per_minute)),
        plan_requests_per_minute,
        key_requests_per_minute,
        created_at: row.try_get("created_at")?,
        expires_at: row.try_get("expires_at")?,
        revoked_at: row.try_get("revoked_at")?,
        last_used_at: row.try_get("last_used_at")?,
        plan: read_plan(row.try_get("plan")?)?,
        trial_ends_at: row.try_get("trial_ends_at")?,
    })
}
