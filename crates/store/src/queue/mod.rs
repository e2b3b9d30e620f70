//! The queue: work that is done later, once, by whichever node takes it first.
//!
//! A job is put into the queue by the transaction that makes it necessary, and taken out by the transaction that does it
//! ([`done`]), so neither can be lost or doubled. In between it is claimed under a lease that its worker renews; the number
//! of the attempt fences off a worker that lost its lease and does not know.

mod claim;
mod look;
mod place;
mod presence;
mod put;

pub use claim::{ClaimWish, Claimed, Lease};
pub use look::{JobFilter, JobRow, QueueDepth};
pub use place::{Place, Taken};
pub use presence::Presence;
pub use put::{NewJob, put, share_of};

use crate::StoreError;
use crate::lending::Pool;
use crate::pool::begin;
use sqlx::{AssertSqlSafe, PgConnection};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// The queues. Each has turns, workers and limits of its own, so that none waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Queue {
    /// Slices of bulk jobs; an account is a share.
    Bulk,
    /// Deliveries of webhooks; an endpoint is a share.
    Webhook,
    /// Addresses whose mail servers put us off; an operator of servers is a share.
    Mail,
    /// Public sources of signals; a host is a share.
    Feed,
    /// The installation's own recurring work.
    Chore,
}

impl Queue {
    pub const ALL: [Self; 5] = [Self::Bulk, Self::Webhook, Self::Mail, Self::Feed, Self::Chore];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bulk => "bulk",
            Self::Webhook => "webhook",
            Self::Mail => "mail",
            Self::Feed => "feed",
            Self::Chore => "chore",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|queue| queue.as_str() == name)
    }

    /// The sequence that tells how far the queue has come.
    const fn clock(self) -> &'static str {
        match self {
            Self::Bulk => "job_clock_bulk",
            Self::Webhook => "job_clock_webhook",
            Self::Mail => "job_clock_mail",
            Self::Feed => "job_clock_feed",
            Self::Chore => "job_clock_chore",
        }
    }

    /// The sequence that tells when lost jobs were last looked for.
    const fn look(self) -> &'static str {
        match self {
            Self::Bulk => "job_look_bulk",
            Self::Webhook => "job_look_webhook",
            Self::Mail => "job_look_mail",
            Self::Feed => "job_look_feed",
            Self::Chore => "job_look_chore",
        }
    }

    /// A statement with this queue's sequences in place of `CLOCK` and `LOOK`, and the lock of the row's node in place of
    /// `NODE_LOCK`. Parameter 1 is always the queue's name.
    fn sql(self, template: &str) -> AssertSqlSafe<String> {
        let own = template.replace("CLOCK", self.clock()).replace("LOOK", self.look());
        AssertSqlSafe(own.replace("NODE_LOCK", presence::NODE_LOCK))
    }

    const fn index(self) -> usize {
        match self {
            Self::Bulk => 0,
            Self::Webhook => 1,
            Self::Mail => 2,
            Self::Feed => 3,
            Self::Chore => 4,
        }
    }
}

/// The jobs of the ledger's database, and a bell for the workers of this process.
#[derive(Debug, Clone)]
pub struct Jobs {
    pool: Pool,
    bells: Arc<[Notify; Queue::ALL.len()]>,
}

impl Jobs {
    pub(crate) fn new(pool: Pool) -> Self {
        Self { pool, bells: Arc::default() }
    }

    /// Says that something was put into a queue. Workers of this process look at once; those of others at their next look.
    pub fn ring(&self, queue: Queue) {
        if let Some(bell) = self.bells.get(queue.index()) {
            bell.notify_one();
        }
    }

    /// Waits for the bell, or for as long as `patience`.
    pub async fn bell(&self, queue: Queue, patience: Duration) {
        let Some(bell) = self.bells.get(queue.index()) else { return };
        // Not having been rung is no error: it is looked all the same.
        drop(tokio::time::timeout(patience, bell.notified()).await);
    }

    /// Puts jobs into a queue by themselves, outside any other transaction.
    pub async fn put(&self, queue: Queue, share: uuid::Uuid, jobs: &[NewJob]) -> Result<u64, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        let new = put(&mut transaction, queue, share, jobs).await?;
        transaction.commit().await?;
        self.ring(queue);
        Ok(new)
    }

    /// Ends a job that has nothing to commit beside it. False: the lease was lost, and somebody else has the job.
    pub async fn done(&self, lease: Lease) -> Result<bool, StoreError> {
        let mut connection = self.pool.acquire().await?;
        done(&mut connection, lease).await
    }
}

/// Ends a job in the transaction that did its work. One that recurs is put back for its next time. False: the lease was
/// lost, and the transaction must be rolled back.
///
/// A running job is asked for as one that has a lease, which is the same: asked for by its state, PostgreSQL may look for it
/// in the index of all that run instead of by its id.
pub async fn done(connection: &mut PgConnection, lease: Lease) -> Result<bool, StoreError> {
    let ended = sqlx::query(
        "with gone as (
             delete from job where id = $1 and attempt = $2 and lease_until is not null and every is null returning id
         ), next as (
             update job set state = 'delayed', attempt = 0, lease_until = null, node_id = null, trouble = null,
                 run_at = greatest(run_at + every, now())
             where id = $1 and attempt = $2 and lease_until is not null and every is not null returning id
         )
         select id from gone union all select id from next",
    )
    .bind(lease.job.uuid())
    .bind(lease.attempt)
    .fetch_all(connection)
    .await?;
    Ok(!ended.is_empty())
}
