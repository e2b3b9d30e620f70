//! Looking at the queue: what an operator lists, retries and cancels, and how deep and old it is.

use super::{Jobs, Queue};
use crate::StoreError;
use assay_domain::limits::{JOB_SWEEP_BATCH, JOBS_FAILED_KEPT_DAYS};
use assay_domain::{AccountId, JobId};
use chrono::{DateTime, Utc};
use sqlx::Row;
use sqlx::postgres::PgRow;
use uuid::Uuid;

/// Which jobs are meant; none means any.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    pub queue: Option<Queue>,
    pub state: Option<String>,
    pub account: Option<AccountId>,
}

/// A job as an operator sees it.
#[derive(Debug, Clone)]
pub struct JobRow {
    pub id: JobId,
    pub queue: String,
    pub account: Option<AccountId>,
    pub state: String,
    pub attempt: i32,
    pub attempts_max: i32,
    pub run_at: DateTime<Utc>,
    pub lease_until: Option<DateTime<Utc>>,
    pub trouble: Option<String>,
    pub created_at: DateTime<Utc>,
}

/// How much of a state a queue has, and how long the oldest of it has been there.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueDepth {
    pub queue: String,
    pub state: String,
    pub jobs: i64,
    pub oldest_seconds: f64,
}

impl Jobs {
    /// Oldest first.
    pub async fn list(&self, filter: &JobFilter, limit: u32) -> Result<Vec<JobRow>, StoreError> {
        let rows = sqlx::query(
            "-- all accounts: for the operator
             select id, queue, account_id, state, attempt, attempts_max, run_at, lease_until, trouble, created_at
             from job where ($1::text is null or queue = $1) and ($2::text is null or state = $2)
                 and ($3::uuid is null or account_id = $3)
             order by created_at, id limit $4",
        )
        .bind(filter.queue.map(Queue::as_str))
        .bind(&filter.state)
        .bind(filter.account.map(AccountId::uuid))
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(read_row).collect()
    }

    /// Lets a job that failed, or that waits for its next try, run now. False: there is no such job.
    pub async fn retry(&self, job: JobId) -> Result<bool, StoreError> {
        let done = sqlx::query(
            "update job set state = 'delayed', run_at = now(), trouble = null,
                 attempts_max = attempts_max + case when state = 'failed' then attempt else 0 end
             where id = $1 and state in ('failed', 'delayed')",
        )
        .bind(job.uuid())
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Takes a job out of its queue. One that runs is lost to its worker, whose work then does not count. False: there is
    /// no such job.
    pub async fn cancel(&self, job: JobId) -> Result<bool, StoreError> {
        let done = sqlx::query("delete from job where id = $1").bind(job.uuid()).execute(&self.pool).await?;
        Ok(done.rows_affected() > 0)
    }

    pub async fn depths(&self) -> Result<Vec<QueueDepth>, StoreError> {
        let rows: Vec<(String, String, i64, f64)> = sqlx::query_as(
            "-- all accounts: a metric
             select queue, state, count(*),
                 coalesce(extract(epoch from now() - min(greatest(run_at, created_at))), 0)::float8
             from job group by queue, state",
        )
        .fetch_all(&self.pool)
        .await?;
        let depth = |(queue, state, jobs, oldest_seconds)| QueueDepth { queue, state, jobs, oldest_seconds };
        Ok(rows.into_iter().map(depth).collect())
    }

    /// Forgets shares that are behind the clock, which is as good as never having been there, and failures nobody came for.
    pub async fn sweep(&self, queue: Queue) -> Result<u64, StoreError> {
        let shares = sqlx::query(queue.sql(
            "delete from job_share where (queue, share) in (
                 select queue, share from job_share where queue = $1 and last_turn < (select last_value from CLOCK)
                 limit $2 for update skip locked)",
        ))
        .bind(queue.as_str())
        .bind(JOB_SWEEP_BATCH)
        .execute(&self.pool)
        .await?;
        let failed = sqlx::query(
            "-- all accounts: housekeeping
             delete from job where id in (
                 select id from job where queue = $1 and state = 'failed'
                     and created_at < now() - make_interval(days => $3) limit $2)",
        )
        .bind(queue.as_str())
        .bind(JOB_SWEEP_BATCH)
        .bind(JOBS_FAILED_KEPT_DAYS)
        .execute(&self.pool)
        .await?;
        Ok(shares.rows_affected() + failed.rows_affected())
    }
}

fn read_row(row: &PgRow) -> Result<JobRow, StoreError> {
    let account: Option<Uuid> = row.try_get("account_id")?;
    Ok(JobRow {
        id: JobId::from_uuid(row.try_get("id")?),
        queue: row.try_get("queue")?,
        account: account.map(AccountId::from_uuid),
        state: row.try_get("state")?,
        attempt: row.try_get("attempt")?,
        attempts_max: row.try_get("attempts_max")?,
        run_at: row.try_get("run_at")?,
        lease_until: row.try_get("lease_until")?,
        trouble: row.try_get("trouble")?,
        created_at: row.try_get("created_at")?,
    })
}
