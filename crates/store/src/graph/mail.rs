//! What mail servers said of addresses, and which domains take mail for everybody. Addresses are digests here.

use super::Graph;
use super::suppression::hold_off_erasing;
use crate::StoreError;
use crate::pool::begin;
use assay_domain::Digest;
use assay_domain::limits::MAIL_SWEEP_BATCH;
use chrono::{DateTime, Utc};
use sqlx::Row;

/// What is kept of a verdict: what follows from its reason or from the address itself is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptVerdict {
    pub reason: String,
    pub mx_found: Option<bool>,
    pub provider: Option<String>,
    pub free_provider: bool,
    pub catch_all: Option<bool>,
    pub asked_at: DateTime<Utc>,
    /// When it is asked again, if it was put off.
    pub retry_at: Option<DateTime<Utc>>,
    /// How often a server put it off.
    pub put_off: i16,
}

/// What is known of an address before anybody is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownMailbox {
    /// Whoever it belongs to does not want to be found.
    pub suppressed: bool,
    pub verdict: Option<KeptVerdict>,
    /// Whether its domain takes everything, and since when that is known.
    pub catch_all: Option<(bool, DateTime<Utc>)>,
}

impl Graph {
    pub async fn known_mailbox(&self, digest: Digest, host: &str) -> Result<KnownMailbox, StoreError> {
        let row = sqlx::query(
            "select exists (select from suppression where digest = $1),
                 v.reason, v.mx_found, v.provider, v.free_provider, v.catch_all, v.asked_at, v.retry_at,
                 v.put_off, d.catch_all, d.asked_at
             from (select) as always
             left join mail_verdict v on v.digest = $1
             left join mail_domain d on d.host = $2",
        )
        .bind(digest.as_bytes().as_slice())
        .bind(host)
        .fetch_one(&self.pool)
        .await?;
        let reason: Option<String> = row.try_get(1)?;
        let verdict = match reason {
            None => None,
            Some(reason) => Some(KeptVerdict {
                reason,
                mx_found: row.try_get(2)?,
                provider: row.try_get(3)?,
                free_provider: row.try_get(4)?,
                catch_all: row.try_get(5)?,
                asked_at: row.try_get(6)?,
                retry_at: row.try_get(7)?,
                put_off: row.try_get(8)?,
            }),
        };
        let catch_all: Option<bool> = row.try_get(9)?;
        let catch_all = match catch_all {
            Some(known) => Some((known, row.try_get(10)?)),
            None => None,
        };
        Ok(KnownMailbox { suppressed: row.try_get(0)?, verdict, catch_all })
    }

    /// Keeps a verdict, and what was learnt of its domain on the way. Of whoever was erased meanwhile nothing is kept. An older
    /// verdict never replaces a newer one.
    pub async fn keep_verdict(
        &self,
        digest: Digest,
        verdict: &KeptVerdict,
        learnt: Option<(&str, bool)>,
    ) -> Result<(), StoreError> {
        let mut transaction = begin(&self.pool).await?;
        hold_off_erasing(&mut transaction).await?;
        sqlx::query(
            "insert into mail_verdict as kept
                 (digest, reason, mx_found, provider, free_provider, catch_all, asked_at, retry_at, put_off)
             select $1, $2, $3, $4, $5, $6, $7, $8, $9
             where not exists (select from suppression where digest = $1)
             on conflict (digest) do update set
                 reason = excluded.reason, mx_found = excluded.mx_found, provider = excluded.provider,
                 free_provider = excluded.free_provider, catch_all = excluded.catch_all,
                 asked_at = excluded.asked_at, retry_at = excluded.retry_at, put_off = excluded.put_off
             where kept.asked_at <= excluded.asked_at",
        )
        .bind(digest.as_bytes().as_slice())
        .bind(&verdict.reason)
        .bind(verdict.mx_found)
        .bind(&verdict.provider)
        .bind(verdict.free_provider)
        .bind(verdict.catch_all)
        .bind(verdict.asked_at)
        .bind(verdict.retry_at)
        .bind(verdict.put_off)
        .execute(&mut *transaction)
        .await?;
        if let Some((host, catch_all)) = learnt {
            sqlx::query(
                "insert into mail_domain as known (host, catch_all, asked_at) values ($1, $2, $3)
                 on conflict (host) do update set catch_all = excluded.catch_all, asked_at = excluded.asked_at
                 where known.asked_at <= excluded.asked_at",
            )
            .bind(host)
            .bind(catch_all)
            .bind(verdict.asked_at)
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Forgets verdicts and domains that were asked before these times, one batch of each, and operators that nobody has asked
    /// since the first of them. Says how many went.
    pub async fn forget_verdicts(
        &self,
        verdicts_before: DateTime<Utc>,
        domains_before: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        let verdicts = sqlx::query(
            "delete from mail_verdict where digest in
                 (select digest from mail_verdict where asked_at < $1 order by asked_at limit $2)",
        )
        .bind(verdicts_before)
        .bind(MAIL_SWEEP_BATCH)
        .execute(&self.pool)
        .await?;
        let domains = sqlx::query(
            "delete from mail_domain where host in
                 (select host from mail_domain where asked_at < $1 order by asked_at limit $2)",
        )
        .bind(domains_before)
        .bind(MAIL_SWEEP_BATCH)
        .execute(&self.pool)
        .await?;
        // Small rows, one for each operator: all are looked at.
        let operators = sqlx::query("delete from mail_operator where greatest(next_at, resting_until) < $1")
            .bind(verdicts_before.timestamp_millis())
            .execute(&self.pool)
            .await?;
        Ok(verdicts.rows_affected() + domains.rows_affected() + operators.rows_affected())
    }
}
