//! Putting jobs into a queue, and the turns they get.

use super::Queue;
use crate::StoreError;
use assay_domain::{AccountId, JobId};
use chrono::{DateTime, Utc};
use serde_json::Value;
use sha2::{Digest, Sha256};
use sqlx::PgConnection;
use std::time::Duration;
use uuid::Uuid;

/// The share of whatever has a name and no id.
pub fn share_of(name: &str) -> Uuid {
    let hash: [u8; 32] = Sha256::digest(name.as_bytes()).into();
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ..] = hash;
    Uuid::from_bytes([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p])
}

/// A job to be put into a queue.
#[derive(Debug, Clone)]
pub struct NewJob {
    pub id: JobId,
    pub account: Option<AccountId>,
    /// Where the queue has a job with this key already, nothing is put.
    pub key: Option<String>,
    /// Not before; none: now.
    pub run_at: Option<DateTime<Utc>>,
    /// For a job that recurs: from one run to the next.
    pub every: Option<Duration>,
    pub attempts_max: u32,
    pub payload: Value,
}

/// The share's turns follow its last one, or the queue's clock when it had nothing waiting.
const PUT: &str = "with turns as (
    insert into job_share as s (queue, share, last_turn)
    values ($1, $2, (select last_value from CLOCK) + cardinality($3::uuid[]))
    on conflict (queue, share) do update
        set last_turn = greatest(s.last_turn, (select last_value from CLOCK)) + cardinality($3::uuid[])
    returning last_turn - cardinality($3::uuid[]) as before
)
insert into job (id, queue, share, account_id, unique_key, state, turn, run_at, attempts_max, every, payload)
select n.id, $1, $2, n.account_id, n.unique_key,
    case when n.run_at > now() then 'delayed' else 'waiting' end, turns.before + n.ordinal,
    coalesce(n.run_at, now()), n.attempts_max, make_interval(secs => n.every), n.payload
from turns, unnest($3::uuid[], $4::uuid[], $5::text[], $6::timestamptz[], $7::integer[], $8::float8[], $9::jsonb[])
    with ordinality as n(id, account_id, unique_key, run_at, attempts_max, every, payload, ordinal)
on conflict (queue, unique_key) where unique_key is not null do nothing";

/// Puts jobs into a queue, in the caller's transaction, and says how many are new. Ring the bell after its commit.
pub async fn put(
    connection: &mut PgConnection,
    queue: Queue,
    share: Uuid,
    jobs: &[NewJob],
) -> Result<u64, StoreError> {
    if jobs.is_empty() {
        return Ok(0);
    }
    let done = sqlx::query(queue.sql(PUT))
        .bind(queue.as_str())
        .bind(share)
        .bind(jobs.iter().map(|job| job.id.uuid()).collect::<Vec<_>>())
        .bind(jobs.iter().map(|job| job.account.map(AccountId::uuid)).collect::<Vec<_>>())
        .bind(jobs.iter().map(|job| job.key.clone()).collect::<Vec<_>>())
        .bind(jobs.iter().map(|job| job.run_at).collect::<Vec<_>>())
        .bind(jobs.iter().map(|job| i32::try_from(job.attempts_max).unwrap_or(i32::MAX)).collect::<Vec<_>>())
        .bind(jobs.iter().map(|job| job.every.map(|every| every.as_secs_f64())).collect::<Vec<_>>())
        .bind(jobs.iter().map(|job| job.payload.clone()).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(done.rows_affected())
}
