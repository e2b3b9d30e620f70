//! The change log: the sequencer that puts changes in one order, and the reader that follows it.
//!
//! A writer's inbox rows become visible when it commits, which need not be in the order of their ids. The sequencer
//! moves whatever it can see and counts `seq` itself, so nothing is skipped and `seq` has no holes. The versions of
//! one entity stay in order, because a writer holds the entity's row until it commits.

use super::{Graph, signals};
use crate::StoreError;
use crate::lending::Pool;
use crate::pool::begin;
use assay_domain::limits::{SEQUENCER_BATCH, SEQUENCER_LEASE};
use chrono::{DateTime, Utc};
use sqlx::postgres::PgConnection;
use uuid::Uuid;

/// What a line of the log is about. The numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntityKind {
    Person,
    Company,
    Signal,
}

impl EntityKind {
    pub(super) const fn number(self) -> i16 {
        match self {
            Self::Person => 1,
            Self::Company => 2,
            Self::Signal => 3,
        }
    }

    fn from_number(number: i16) -> Result<Self, StoreError> {
        [Self::Person, Self::Company, Self::Signal]
            .into_iter()
            .find(|kind| kind.number() == number)
            .ok_or_else(|| StoreError::Corrupt(format!("there is no entity kind {number}")))
    }
}

/// What came of one turn of the sequencer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// `lagging` means that a full batch was moved and more may wait.
    Sequenced { moved: u64, lagging: bool },
    /// Another node is the sequencer.
    NotLeader,
}

/// One line of the log: this entity now has this version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    pub seq: i64,
    pub kind: EntityKind,
    pub entity_id: Uuid,
    pub version: i64,
    /// When the writer's transaction began.
    pub at: DateTime<Utc>,
}

/// Where the log stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogHead {
    pub epoch: Uuid,
    pub seq: i64,
}

/// A page of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    pub epoch: Uuid,
    /// In the order of `seq`, without holes.
    pub rows: Vec<Change>,
    pub head: i64,
}

/// What a follower gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Followed {
    Changes(Changes),
    /// The cursor is of another log: the follower must start anew from a full read.
    EpochChanged(LogHead),
}

/// What a look at the lease says, before anything is written.
enum Lead {
    Held,
    /// Free, expired, or ours but to be renewed soon.
    ToTake,
    Another,
}

impl Graph {
    /// One turn: takes or renews the lease, then moves at most `SEQUENCER_BATCH` changes. An idle turn only reads.
    pub async fn sequence(&self, holder: Uuid) -> Result<Turn, StoreError> {
        match look(&self.pool, holder).await? {
            Lead::Another => return Ok(Turn::NotLeader),
            Lead::ToTake if !take_lease(&self.pool, holder).await? => return Ok(Turn::NotLeader),
            Lead::ToTake => settle_in(&self.pool).await?,
            Lead::Held => {}
        }
        if !self.has_unsequenced().await? {
            return Ok(Turn::Sequenced { moved: 0, lagging: false });
        }
        let mut transaction = begin(&self.pool).await?;
        let Some(head) = lock_head(&mut transaction, holder).await? else { return Ok(Turn::NotLeader) };
        let moved = move_changes(&mut transaction, head).await?;
        transaction.commit().await?;
        Ok(Turn::Sequenced { moved: u64::try_from(moved).unwrap_or(0), lagging: moved >= SEQUENCER_BATCH })
    }

    /// Whether changes are committed that have no number yet.
    pub async fn has_unsequenced(&self) -> Result<bool, StoreError> {
        let waiting = sqlx::query_scalar("select exists (select from change_inbox order by id limit 1)");
        Ok(waiting.fetch_one(&self.pool).await?)
    }

    /// Whether more changes wait for their numbers than are given at once, as after a load.
    pub async fn is_numbering_behind(&self) -> Result<bool, StoreError> {
        let behind =
            sqlx::query_scalar("select exists (select from change_inbox order by id offset $1 limit 1)");
        Ok(behind.bind(SEQUENCER_BATCH).fetch_one(&self.pool).await?)
    }

    /// Gives the lease back, so that another node need not wait for its end. Does nothing when it is not ours.
    pub async fn stop_sequencing(&self, holder: Uuid) -> Result<(), StoreError> {
        sqlx::query("update lease set until = now() where name = 'sequencer' and holder = $1")
            .bind(holder)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// The changes after a cursor, at most `limit` (and never more than `SEQUENCER_BATCH`).
    pub async fn changes_after(&self, epoch: Uuid, seq: i64, limit: i64) -> Result<Followed, StoreError> {
        let head = self.log_head().await?;
        // A cursor beyond the head comes from a log that was restored to an earlier state.
        if head.epoch != epoch || seq > head.seq {
            return Ok(Followed::EpochChanged(head));
        }
        let rows: Vec<(i64, i16, Uuid, i64, DateTime<Utc>)> = sqlx::query_as(
            "select seq, entity_kind, entity_id, version, at from change_log where seq > $1 order by seq limit $2",
        )
        .bind(seq)
        .bind(limit.clamp(0, SEQUENCER_BATCH))
        .fetch_all(&self.pool)
        .await?;
        let rows = rows.into_iter().map(|(seq, kind, entity_id, version, at)| {
            Ok(Change { seq, kind: EntityKind::from_number(kind)?, entity_id, version, at })
        });
        let rows: Vec<Change> = rows.collect::<Result<_, StoreError>>()?;
        let last = rows.last().map_or(head.seq, |change| change.seq);
        Ok(Followed::Changes(Changes { epoch, rows, head: head.seq.max(last) }))
    }

    pub async fn log_head(&self) -> Result<LogHead, StoreError> {
        let (epoch, seq) = sqlx::query_as("select log_epoch, seq from graph_meta cross join change_log_head")
            .fetch_one(&self.pool)
            .await?;
        Ok(LogHead { epoch, seq })
    }

    /// Begins a new log where this database is now: for whoever restored it and knows. Nobody has to notice it later.
    pub async fn begin_new_log(&self) -> Result<Uuid, StoreError> {
        settle_in(&self.pool).await?;
        self.mint_epoch().await
    }

    /// Makes every cursor given out so far invalid. A restore is noticed without it (see `settle_in`), but for one of a whole
    /// server's files.
    pub async fn mint_epoch(&self) -> Result<Uuid, StoreError> {
        let epoch =
            sqlx::query_scalar("update graph_meta set log_epoch = gen_random_uuid() returning log_epoch");
        Ok(epoch.fetch_one(&self.pool).await?)
    }
}

/// All times are the database's: nodes' clocks differ.
async fn look(pool: &Pool, holder: Uuid) -> Result<Lead, StoreError> {
    let lease: Option<(bool, bool, bool)> = sqlx::query_as(
        "select holder = $1, until > now(), until > now() + make_interval(secs => $2)
         from lease where name = 'sequencer'",
    )
    .bind(holder)
    .bind((SEQUENCER_LEASE / 2).as_secs_f64())
    .fetch_optional(pool)
    .await?;
    Ok(match lease {
        Some((true, _, true)) => Lead::Held,
        Some((false, true, _)) => Lead::Another,
        _ => Lead::ToTake,
    })
}

async fn take_lease(pool: &Pool, holder: Uuid) -> Result<bool, StoreError> {
    let taken = sqlx::query(
        "insert into lease as held (name, holder, fence, until)
         values ('sequencer', $1, 1, now() + make_interval(secs => $2))
         on conflict (name) do update
         set holder = excluded.holder, until = excluded.until,
             fence = held.fence + (held.holder <> excluded.holder)::int
         where held.holder = excluded.holder or held.until <= now()",
    )
    .bind(holder)
    .bind(SEQUENCER_LEASE.as_secs_f64())
    .execute(pool)
    .await?;
    Ok(taken.rows_affected() == 1)
}

/// A database that was restored from a dump, or copied, begins a new log before anything is added to it: entries of the old
/// one are missing in it, and new ones would have their numbers.
async fn settle_in(pool: &Pool) -> Result<(), StoreError> {
    let moved = sqlx::query(
        "with here as (
             select system_identifier || '/' || (select oid from pg_database where datname = current_database()) as home
             from pg_control_system()
         )
         update graph_meta set home = here.home,
             log_epoch = case when graph_meta.home is null then log_epoch else gen_random_uuid() end
         from here where graph_meta.home is distinct from here.home",
    )
    .execute(pool)
    .await?;
    if moved.rows_affected() > 0 {
        tracing::info!("the change log has a new home");
    }
    Ok(())
}

/// Locks the head of the log and only then asks whether the lease is still ours: whoever slept through the end of
/// its lease finds that out here. Even if it did not, the lock makes the next holder wait and then read what this
/// one left.
async fn lock_head(connection: &mut PgConnection, holder: Uuid) -> Result<Option<i64>, StoreError> {
    let head: i64 =
        sqlx::query_scalar("select seq from change_log_head for update").fetch_one(&mut *connection).await?;
    let ours: bool = sqlx::query_scalar(
        "select exists (select from lease
                        where name = 'sequencer' and holder = $1 and until > clock_timestamp())",
    )
    .bind(holder)
    .fetch_one(connection)
    .await?;
    Ok(ours.then_some(head))
}

async fn move_changes(connection: &mut PgConnection, head: i64) -> Result<i64, StoreError> {
    let (moved, signals): (i64, i64) = sqlx::query_as(
        "with moved as (
             delete from change_inbox where id = any (array (select id from change_inbox order by id limit $1))
             returning id, entity_kind, entity_id, version, at
         ), logged as (
             insert into change_log (seq, entity_kind, entity_id, version, at)
             select $2 + row_number() over (order by id), entity_kind, entity_id, version, at from moved
             returning entity_kind
         )
         select count(*), count(*) filter (where entity_kind = $3) from logged",
    )
    .bind(SEQUENCER_BATCH)
    .bind(head)
    .bind(EntityKind::Signal.number())
    .fetch_one(&mut *connection)
    .await?;
    sqlx::query("update change_log_head set seq = seq + $1").bind(moved).execute(&mut *connection).await?;
    if signals > 0 {
        signals::place(connection, head).await?;
    }
    Ok(moved)
}
