//! Claiming jobs, keeping them, and letting go of them.

use super::{Jobs, Queue};
use crate::StoreError;
use assay_domain::limits::{JOB_ABSENCE, JOB_DUE_BATCH, JOB_LEASE, JOB_LOST_EVERY};
use assay_domain::{AccountId, JobId};
use serde_json::Value;
use sqlx::Row;
use sqlx::postgres::PgRow;
use std::collections::HashSet;
use std::time::Duration;
use uuid::Uuid;

/// A job in somebody's hands. The number of the attempt is what fences others off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lease {
    pub job: JobId,
    pub attempt: i32,
}

/// A job that was claimed.
#[derive(Debug, Clone)]
pub struct Claimed {
    pub lease: Lease,
    pub share: Uuid,
    pub account: Option<AccountId>,
    pub attempts_max: i32,
    pub turn: i64,
    /// How long it could have been claimed before it was.
    pub waited: Duration,
    pub payload: Value,
}

/// What a worker can take on.
#[derive(Debug, Clone)]
pub struct ClaimWish {
    pub queue: Queue,
    pub node: Uuid,
    pub count: u32,
    /// Turns before this one are not looked at: others have taken them, and what is left of them in the index is in the
    /// way. Look at all of them (`i64::MIN`) every so often, for those that came late.
    pub from_turn: i64,
    /// Nor turns this far beyond the clock, none: all are. The next job of a share is hardly ever further ahead than the
    /// next turn, and one that has as much as it may can have very many behind it.
    pub ahead: Option<u32>,
    /// What this node has running of each share, and how much it may have of one where that is less than everything.
    pub running: Vec<(Uuid, u32)>,
    pub per_share: Option<u32>,
}

impl ClaimWish {
    /// How much a share may have, where this claim could give one more than that.
    pub(super) fn tight_share(&self) -> Option<u32> {
        let most = self.running.iter().map(|(_, count)| *count).max().unwrap_or(0);
        self.per_share.filter(|per_share| most.saturating_add(self.count) > *per_share)
    }
}

/// The first that wait, whoever's they are.
const PICK: &str = "with picked as (
    select id from job where queue = $1 and state = 'waiting' and turn >= $2
    order by turn, id limit $3 for update skip locked
)";

/// Shares that have as much running as they may are passed over; of the others a claim takes no more than they may have.
const PICK_BY_SHARE: &str = "with running as (
    select share, count from unnest($6::uuid[], $7::bigint[]) as r(share, count)
), next as (
    select id, share, turn from job
    where queue = $1 and state = 'waiting' and turn >= $2 and turn <= (select last_value from CLOCK) + $9
        and share <> all(array(select share from running where count >= $8))
    order by turn, id limit $3 * 4
), ranked as (
    select next.id, next.turn, coalesce(running.count, 0)
        + row_number() over (partition by next.share order by next.turn, next.id) as place
    from next left join running using (share)
), picked as (
    select j.id from job j join ranked on ranked.id = j.id
    where j.state = 'waiting' and ranked.place <= $8
    order by ranked.turn, j.id limit $3 for update of j skip locked
)";

const CLAIM: &str = ", claimed as (
    update job j set state = 'running', attempt = j.attempt + 1, node_id = $4,
        lease_until = now() + make_interval(secs => $5)
    from picked where j.id = picked.id
    returning j.id, j.attempt, j.share, j.account_id, j.attempts_max, j.payload, j.turn,
        extract(epoch from now() - greatest(j.run_at, j.created_at))::float8 as waited
), clock as (
    select setval('CLOCK', greatest(newest.turn, (select last_value from CLOCK)))
    from (select max(turn) as turn from claimed) newest where newest.turn is not null
)
select claimed.* from claimed, clock order by turn, id";

/// What is due goes to the front: it has waited its time already.
const DUE: &str = "update job set state = 'waiting', turn = (select last_value from CLOCK)
    where id in (select id from job where queue = $1 and state = 'delayed' and run_at <= now()
                 order by run_at limit $2 for update skip locked)";

/// Lost is what has not been renewed for a whole lease, or for a while by a node whose lock can be had: see `presence`.
/// Whoever comes first looks for all: behind an open snapshot there is much in the way.
const LOST: &str = "with first as materialized (
        select setval('LOOK', moment.ms) as moment from LOOK,
            (select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms) moment
        where last_value <= moment.ms - $5
    ), silent as materialized (
        select id, node_id, lease_until < now() as over from job
        where queue = $1 and state = 'running' and lease_until < now() + make_interval(secs => $3)
            and (select moment from first) is not null
        order by lease_until limit $2
    ), absent as materialized (
        select node_id from (select distinct node_id from silent where node_id <> $4) node
        where pg_try_advisory_xact_lock_shared(NODE_LOCK)
    )
    update job set state = 'waiting', turn = (select last_value from CLOCK), lease_until = null,
        node_id = null, trouble = 'its worker was lost'
    where id in (select job.id from job join silent using (id)
                 where job.lease_until < now() + make_interval(secs => $3)
                     and (over or job.node_id = any(array(select node_id from absent)))
                 order by job.id for update of job skip locked)";

impl Jobs {
    /// Claims jobs, in the order of their turns.
    pub async fn claim(&self, wish: &ClaimWish) -> Result<Vec<Claimed>, StoreError> {
        let tight = wish.tight_share();
        let pick = if tight.is_some() { PICK_BY_SHARE } else { PICK };
        let statement = wish.queue.sql(&format!("{pick}{CLAIM}"));
        let mut query = sqlx::query(statement)
            .bind(wish.queue.as_str())
            .bind(wish.from_turn)
            .bind(i64::from(wish.count))
            .bind(wish.node)
            .bind(JOB_LEASE.as_secs_f64());
        if let Some(per_share) = tight {
            query = query
                .bind(wish.running.iter().map(|(share, _)| *share).collect::<Vec<_>>())
                .bind(wish.running.iter().map(|(_, count)| i64::from(*count)).collect::<Vec<_>>())
                .bind(i64::from(per_share))
                .bind(wish.ahead.map_or(i64::MAX / 2, i64::from));
        }
        let rows = query.fetch_all(&self.pool).await?;
        rows.iter().map(read_claimed).collect()
    }

    /// Makes jobs whose time has come claimable.
    pub async fn wake_due(&self, queue: Queue) -> Result<u64, StoreError> {
        let moved = sqlx::query(queue.sql(DUE)).bind(queue.as_str()).bind(JOB_DUE_BATCH);
        Ok(moved.execute(&self.pool).await?.rows_affected())
    }

    /// Makes jobs whose workers are gone claimable, unless somebody has just looked for them. Whoever asks is not gone.
    pub async fn free_lost(&self, queue: Queue, asking: Uuid) -> Result<u64, StoreError> {
        let moved = sqlx::query(queue.sql(LOST))
            .bind(queue.as_str())
            .bind(JOB_DUE_BATCH)
            .bind(JOB_LEASE.saturating_sub(JOB_ABSENCE).as_secs_f64())
            .bind(asking)
            .bind(i64::try_from(JOB_LOST_EVERY.as_millis()).unwrap_or(i64::MAX));
        Ok(moved.execute(&self.pool).await?.rows_affected())
    }

    /// Renews leases, and names those that are still held. In the order in which charges lock jobs, so that neither waits
    /// for the other for ever.
    pub async fn renew(&self, leases: &[Lease]) -> Result<HashSet<Lease>, StoreError> {
        let rows: Vec<(Uuid, i32)> = sqlx::query_as(
            "with held as (
                 select j.id from job j join unnest($1::uuid[], $2::integer[]) as l(id, attempt)
                     on j.id = l.id and j.attempt = l.attempt
                 where j.lease_until is not null order by j.id for update of j
             )
             update job j set lease_until = now() + make_interval(secs => $3) from held where j.id = held.id
             returning j.id, j.attempt",
        )
        .bind(leases.iter().map(|lease| lease.job.uuid()).collect::<Vec<_>>())
        .bind(leases.iter().map(|lease| lease.attempt).collect::<Vec<_>>())
        .bind(JOB_LEASE.as_secs_f64())
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|(id, attempt)| Lease { job: JobId::from_uuid(id), attempt }).collect())
    }

    /// Puts a job back, to be tried again after `delay`. `counts` is false where the job was not at fault: then the attempt
    /// does not bring it nearer to its last one. False: the lease was lost.
    pub async fn again(
        &self,
        lease: Lease,
        delay: Duration,
        counts: bool,
        trouble: &str,
    ) -> Result<bool, StoreError> {
        let done = sqlx::query(
            "update job set state = 'delayed', run_at = now() + make_interval(secs => $3), lease_until = null,
                 node_id = null, trouble = $4, attempts_max = attempts_max + $5
             where id = $1 and attempt = $2 and lease_until is not null",
        )
        .bind(lease.job.uuid())
        .bind(lease.attempt)
        .bind(delay.as_secs_f64())
        .bind(trouble)
        .bind(i32::from(!counts))
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Keeps a job that cannot be done, for whoever looks after the installation. False: the lease was lost.
    pub async fn fail(&self, lease: Lease, trouble: &str) -> Result<bool, StoreError> {
        let done = sqlx::query(
            "update job set state = 'failed', lease_until = null, node_id = null, trouble = $3
             where id = $1 and attempt = $2 and lease_until is not null",
        )
        .bind(lease.job.uuid())
        .bind(lease.attempt)
        .bind(trouble)
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected() > 0)
    }
}

fn read_claimed(row: &PgRow) -> Result<Claimed, StoreError> {
    let account: Option<Uuid> = row.try_get("account_id")?;
    let waited: f64 = row.try_get("waited")?;
    Ok(Claimed {
        lease: Lease { job: JobId::from_uuid(row.try_get("id")?), attempt: row.try_get("attempt")? },
        share: row.try_get("share")?,
        account: account.map(AccountId::from_uuid),
        attempts_max: row.try_get("attempts_max")?,
        turn: row.try_get("turn")?,
        waited: Duration::try_from_secs_f64(waited).unwrap_or_default(),
        payload: row.try_get("payload")?,
    })
}
