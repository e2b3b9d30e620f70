//! One try to deliver a message: what it needs, and what came of it. Both are fenced by the job's lease.

use super::super::Ledger;
use super::endpoints::{DisabledReason, cancel_pending};
use crate::StoreError;
use crate::pool::begin;
use crate::queue::{Lease, done};
use assay_domain::limits::{WEBHOOK_ATTEMPTS_KEPT_MAX, WEBHOOK_EXCERPT_BYTES_MAX};
use assay_domain::{AccountId, DeliveryId, Sealed, WebhookId};
use chrono::{DateTime, Utc};
use sqlx::{PgConnection, Row};
use std::time::Duration;

/// All that sending a message needs.
#[derive(Debug, Clone)]
pub struct Parcel {
    pub delivery: DeliveryId,
    pub webhook: WebhookId,
    pub url: String,
    pub body: String,
    /// How often it was tried since it was put into the queue.
    pub tries: u32,
    /// Whether the endpoint's last answers were failures.
    pub failing: bool,
    /// The newest first.
    pub secrets: Vec<Sealed>,
}

/// What is to happen after a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// It was delivered.
    Done,
    Again(Duration),
    /// It failed, and was the last one.
    GiveUp,
    /// The endpoint does not want to be told anything any more.
    Gone,
}

/// How a try ended.
#[derive(Debug, Clone)]
pub struct AttemptEnd {
    pub at: DateTime<Utc>,
    pub status: Option<u16>,
    pub verdict: &'static str,
    pub took: Duration,
    pub excerpt: String,
    pub then: Then,
    /// An endpoint with nothing but failures for this long is disabled.
    pub patience: Duration,
}

/// What was written about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noted {
    Written,
    /// And the endpoint was disabled by it.
    Disabled(DisabledReason),
    /// Nothing: somebody else has the job.
    Lost,
}

impl Ledger {
    /// What is to be sent. None: nothing, because the message was delivered or canceled, another job sends it, or its
    /// endpoint is disabled or gone; then the job is ended.
    pub async fn begin_attempt(
        &self,
        account: AccountId,
        delivery: DeliveryId,
        lease: Lease,
    ) -> Result<Option<Parcel>, StoreError> {
        let row = sqlx::query(
            "select d.body, d.tries, e.id, e.url, e.failing_since is not null as failing, e.secret,
                 case when e.previous_until > now() then e.previous_secret end as previous
             from webhook_delivery d
             join webhook_endpoint e on e.id = d.endpoint_id and e.account_id = d.account_id
             where d.id = $1 and d.account_id = $2 and d.job_id = $3 and d.state = 'pending' and e.disabled_at is null",
        )
        .bind(delivery.uuid())
        .bind(account.uuid())
        .bind(lease.job.uuid())
        .fetch_optional(&self.pool)
        .await?;
        let Some(row) = row else {
            self.put_aside(account, delivery, lease).await?;
            return Ok(None);
        };
        let tries: i16 = row.try_get("tries")?;
        let previous: Option<Vec<u8>> = row.try_get("previous")?;
        let secrets = [Some(row.try_get("secret")?), previous];
        Ok(Some(Parcel {
            delivery,
            webhook: WebhookId::from_uuid(row.try_get("id")?),
            url: row.try_get("url")?,
            body: row.try_get("body")?,
            tries: u32::try_from(tries).unwrap_or(0),
            failing: row.try_get("failing")?,
            secrets: secrets.into_iter().flatten().map(Sealed::from_bytes).collect(),
        }))
    }

    /// Ends a job that has nothing to send. A message that only it would have sent is canceled.
    async fn put_aside(
        &self,
        account: AccountId,
        delivery: DeliveryId,
        lease: Lease,
    ) -> Result<(), StoreError> {
        let mut transaction = begin(&self.pool).await?;
        if !done(&mut transaction, lease).await? {
            return Ok(());
        }
        sqlx::query(
            "update webhook_delivery set state = 'canceled', next_at = null, finished_at = now()
             where id = $1 and account_id = $2 and job_id = $3 and state = 'pending'",
        )
        .bind(delivery.uuid())
        .bind(account.uuid())
        .bind(lease.job.uuid())
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Writes down how a try ended, and ends its job or puts it back for the next one, in one commit.
    pub async fn finish_attempt(
        &self,
        account: AccountId,
        parcel: &Parcel,
        lease: Lease,
        end: &AttemptEnd,
    ) -> Result<Noted, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        if !is_held(&mut transaction, account, lease).await? {
            return Ok(Noted::Lost);
        }
        let disabled = note_health(&mut transaction, account, parcel, end).await?;
        let goes_on = write_attempt(&mut transaction, account, parcel.delivery, lease, end).await?;
        if disabled.is_some() {
            cancel_pending(&mut transaction, account, parcel.webhook).await?;
        }
        match end.then {
            Then::Again(delay) if goes_on && disabled.is_none() => {
                put_back(&mut transaction, account, lease, delay, end.verdict).await?;
            }
            _ => {
                done(&mut transaction, lease).await?;
            }
        }
        transaction.commit().await?;
        Ok(disabled.map_or(Noted::Written, Noted::Disabled))
    }
}

/// Locks the job, if it still is ours.
async fn is_held(
    connection: &mut PgConnection,
    account: AccountId,
    lease: Lease,
) -> Result<bool, StoreError> {
    let held = sqlx::query(
        "select id from job where id = $1 and attempt = $2 and account_id = $3 and lease_until is not null for update",
    )
    .bind(lease.job.uuid())
    .bind(lease.attempt)
    .bind(account.uuid())
    .fetch_optional(connection)
    .await?;
    Ok(held.is_some())
}

/// Remembers since when an endpoint fails, and disables it when that is too long or when it says so itself. Nothing is
/// written, and nobody waits, while an endpoint goes on as it was.
async fn note_health(
    connection: &mut PgConnection,
    account: AccountId,
    parcel: &Parcel,
    end: &AttemptEnd,
) -> Result<Option<DisabledReason>, StoreError> {
    if end.then == Then::Done {
        if parcel.failing {
            sqlx::query(
                "update webhook_endpoint set failing_since = null
                 where id = $1 and account_id = $2 and failing_since is not null",
            )
            .bind(parcel.webhook.uuid())
            .bind(account.uuid())
            .execute(connection)
            .await?;
        }
        return Ok(None);
    }
    let gone = end.then == Then::Gone;
    let reason = if gone { DisabledReason::Gone } else { DisabledReason::Failing };
    let disabled: Option<bool> = sqlx::query_scalar(
        "update webhook_endpoint set failing_since = coalesce(failing_since, now()),
             disabled_at = case when $3 or failing_since < now() - make_interval(secs => $4) then now() end,
             disabled_reason = case when $3 or failing_since < now() - make_interval(secs => $4) then $5 end
         where id = $1 and account_id = $2 and disabled_at is null
             and ($3 or failing_since is null or failing_since < now() - make_interval(secs => $4))
         returning disabled_at is not null",
    )
    .bind(parcel.webhook.uuid())
    .bind(account.uuid())
    .bind(gone)
    .bind(end.patience.as_secs_f64())
    .bind(reason.as_str())
    .fetch_optional(connection)
    .await?;
    Ok((disabled == Some(true)).then_some(reason))
}

/// Says whether this job is still the one that goes on with the message.
async fn write_attempt(
    connection: &mut PgConnection,
    account: AccountId,
    delivery: DeliveryId,
    lease: Lease,
    end: &AttemptEnd,
) -> Result<bool, StoreError> {
    let delay = match end.then {
        Then::Again(delay) => Some(delay.as_secs_f64()),
        Then::Done | Then::GiveUp | Then::Gone => None,
    };
    // What was delivered is delivered, also when it was canceled or sent again meanwhile. A failure only counts while
    // this job is the one that goes on.
    let goes_on: Option<bool> = sqlx::query_scalar(
        "with tried as (
             update webhook_delivery set attempts = attempts + 1, tries = tries + 1, last_status = $4,
                 state = case when $5 then 'delivered' when state = 'pending' and job_id = $3 and $6::float8 is null
                     then 'failed' else state end,
                 next_at = case when $5 then null when state = 'pending' and job_id = $3
                     then now() + make_interval(secs => $6) else next_at end,
                 finished_at = case when $5 or state = 'pending' and job_id = $3 and $6::float8 is null
                     then now() else finished_at end
             where id = $1 and account_id = $2
             returning id, account_id, attempts, state = 'pending' and job_id = $3 as goes_on
         ), told as (
             insert into webhook_attempt (delivery_id, account_id, number, at, status, verdict, took_ms, excerpt)
             select id, account_id, attempts, $7, $4, $8, $9, $10 from tried
         ), forgotten as (
             delete from webhook_attempt a using tried
             where a.delivery_id = tried.id and a.account_id = tried.account_id and a.number <= tried.attempts - $11
         )
         select goes_on from tried",
    )
    .bind(delivery.uuid())
    .bind(account.uuid())
    .bind(lease.job.uuid())
    .bind(end.status.and_then(|status| i16::try_from(status).ok()))
    .bind(end.then == Then::Done)
    .bind(delay)
    .bind(end.at)
    .bind(end.verdict)
    .bind(i32::try_from(end.took.as_millis()).unwrap_or(i32::MAX))
    .bind(excerpt(&end.excerpt))
    .bind(i32::try_from(WEBHOOK_ATTEMPTS_KEPT_MAX).unwrap_or(i32::MAX))
    .fetch_optional(connection)
    .await?;
    Ok(goes_on == Some(true))
}

/// Puts the job back. That a receiver failed is not the job's fault: only lost workers bring it nearer to its last attempt.
async fn put_back(
    connection: &mut PgConnection,
    account: AccountId,
    lease: Lease,
    delay: Duration,
    verdict: &str,
) -> Result<(), StoreError> {
    sqlx::query(
        "update job set state = 'delayed', run_at = now() + make_interval(secs => $4), lease_until = null,
             node_id = null, trouble = $5, attempts_max = attempts_max + 1
         where id = $1 and attempt = $2 and account_id = $3 and lease_until is not null",
    )
    .bind(lease.job.uuid())
    .bind(lease.attempt)
    .bind(account.uuid())
    .bind(delay.as_secs_f64())
    .bind(verdict)
    .execute(connection)
    .await?;
    Ok(())
}

/// What a stranger's server said: short, and without what a terminal or the database would stumble over.
fn excerpt(said: &str) -> String {
    let plain = said.chars().map(|it| if it.is_control() && it != '\n' { ' ' } else { it });
    let mut kept = String::new();
    for letter in plain {
        if kept.len() + letter.len_utf8() > WEBHOOK_EXCERPT_BYTES_MAX {
            break;
        }
        kept.push(letter);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_short_and_plain() {
        assert_eq!(excerpt("a\0b\u{1b}[31m\nc\r"), "a b [31m\nc ");
        let long = "é".repeat(WEBHOOK_EXCERPT_BYTES_MAX);
        assert_eq!(excerpt(&long).len(), WEBHOOK_EXCERPT_BYTES_MAX);
        let odd = format!("x{long}");
        assert_eq!(excerpt(&odd).len(), WEBHOOK_EXCERPT_BYTES_MAX - 1);
    }
}
