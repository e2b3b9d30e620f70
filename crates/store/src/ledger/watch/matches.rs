//! What happened to those who are watched: found once for all lists, taken by one run, told once.

use super::super::Ledger;
use super::entries::digest;
use crate::StoreError;
use crate::pool::begin;
use assay_domain::limits::{
    WATCH_LOOK_BACK_DAYS, WATCH_REMEMBERED_DAYS, WATCH_SIGNALS_SHOWN_MAX, WATCH_SWEEP_BATCH,
};
use assay_domain::watch::Happening;
use assay_domain::{AccountId, Digest, RequestId, SignalId, WatchListId};
use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use std::time::Duration;
use uuid::Uuid;

/// An entry to be told of, and what happened to it.
#[derive(Debug, Clone)]
pub struct TakenMatch {
    pub subject: Digest,
    /// How often something happened.
    pub count: u32,
    /// The newest of it first.
    pub signals: Vec<SignalId>,
}

/// An entry that was told of.
#[derive(Debug, Clone)]
pub struct ToldMatch {
    pub taken: TakenMatch,
    pub cursor: MatchCursor,
}

/// Where reading what was told goes on.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub struct MatchCursor {
    pub at: DateTime<Utc>,
    pub place: i64,
}

type Taken = (Vec<u8>, i64, Vec<Uuid>);
type Told = (Vec<u8>, i64, Vec<Uuid>, DateTime<Utc>, i64);

impl Ledger {
    /// How far the feed was matched: the log it is of, and the place.
    pub async fn watch_cursor(&self) -> Result<Option<(Uuid, i64)>, StoreError> {
        Ok(sqlx::query_as("select epoch, seq from watch_cursor").fetch_optional(&self.pool).await?)
    }

    /// Keeps what happened between two places for all lists that watch for it. False where another node was there first: then
    /// nothing is kept, because it has it.
    pub async fn match_watched(
        &self,
        from: Option<(Uuid, i64)>,
        to: (Uuid, i64),
        happened: &[Happening],
    ) -> Result<bool, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        let moved = sqlx::query(
            "insert into watch_cursor as c (epoch, seq) values ($1, $2)
             on conflict (one) do update set epoch = excluded.epoch, seq = excluded.seq where (c.epoch, c.seq) = ($3, $4)",
        )
        .bind(to.0)
        .bind(to.1)
        .bind(from.map(|(epoch, _)| epoch))
        .bind(from.map(|(_, seq)| seq))
        .execute(&mut *transaction)
        .await?;
        if moved.rows_affected() == 0 {
            return Ok(false);
        }
        keep(&mut transaction, happened, None).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Keeps what happened to entries of one list before they were added, and that this was looked for.
    pub async fn look_back_for(
        &self,
        account: AccountId,
        list: WatchListId,
        entries: &[Digest],
        happened: &[Happening],
    ) -> Result<(), StoreError> {
        let entries: Vec<&[u8]> = entries.iter().map(|entry| entry.as_bytes().as_slice()).collect();
        let mut transaction = begin(&self.pool).await?;
        keep(&mut transaction, happened, Some(list)).await?;
        sqlx::query(
            "update watch_entry set looked_back = true where account_id = $1 and list_id = $2 and subject = any($3)",
        )
        .bind(account.uuid())
        .bind(list.uuid())
        .bind(entries)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Takes entries to which something happened that nobody was told of, the longest known first: for this run alone, until it
    /// told of them or its lease is over. Taken again by the same run they are the same and more.
    pub async fn take_matches(
        &self,
        account: AccountId,
        list: WatchListId,
        run: RequestId,
        limit: u32,
        lease: Duration,
    ) -> Result<Vec<TakenMatch>, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        begin_run(&mut transaction, account, list, run, lease).await?;
        let taken: Vec<Taken> = sqlx::query_as(
            "with due as (
                 select subject from watch_match
                 where list_id = $1 and account_id = $2 and told_at is null
                     and (taken_until is null or taken_until < now() or run_id = $3)
                 group by subject order by min(place) limit $4
             ), taken as (
                 update watch_match m set run_id = $3, taken_until = now() + make_interval(secs => $5)
                 from due
                 where m.list_id = $1 and m.account_id = $2 and m.subject = due.subject and m.told_at is null
                     and (m.taken_until is null or m.taken_until < now() or m.run_id = $3)
                 returning m.subject, m.signal_id, m.occurred_at, m.place
             )
             select subject, count(*), (array_agg(signal_id order by occurred_at desc, signal_id))[1:$6]
             from taken group by subject order by min(place)",
        )
        .bind(list.uuid())
        .bind(account.uuid())
        .bind(run.uuid())
        .bind(i64::from(limit))
        .bind(lease.as_secs_f64())
        .bind(shown())
        .fetch_all(&mut *transaction)
        .await?;
        transaction.commit().await?;
        taken.into_iter().map(read).collect()
    }

    /// Whether something is left that a run could take.
    pub async fn has_waiting_matches(
        &self,
        account: AccountId,
        list: WatchListId,
    ) -> Result<bool, StoreError> {
        let waiting = sqlx::query_scalar(
            "select exists (select from watch_match
                 where list_id = $1 and account_id = $2 and told_at is null and (taken_until is null or taken_until < now()))",
        );
        Ok(waiting.bind(list.uuid()).bind(account.uuid()).fetch_one(&self.pool).await?)
    }

    /// Gives back what a run has taken and will not tell.
    pub async fn let_go_of_matches(
        &self,
        account: AccountId,
        list: WatchListId,
        run: RequestId,
    ) -> Result<(), StoreError> {
        sqlx::query(
            "update watch_match set run_id = null, taken_until = null
             where list_id = $1 and account_id = $2 and run_id = $3 and told_at is null",
        )
        .bind(list.uuid())
        .bind(account.uuid())
        .bind(run.uuid())
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// What was told of a list, of one run or of all, the newest first.
    pub async fn told_matches(
        &self,
        account: AccountId,
        list: WatchListId,
        run: Option<RequestId>,
        after: Option<MatchCursor>,
        limit: u32,
    ) -> Result<Vec<ToldMatch>, StoreError> {
        let rows: Vec<Told> = sqlx::query_as(
            "select subject, count(*), (array_agg(signal_id order by occurred_at desc, signal_id))[1:$7],
                 told_at, min(place) as first
             from watch_match
             where list_id = $1 and account_id = $2 and told_at is not null and ($3::uuid is null or run_id = $3)
             group by run_id, told_at, subject
             having $4::timestamptz is null or (told_at, min(place)) < ($4, $5)
             order by told_at desc, first desc limit $6",
        )
        .bind(list.uuid())
        .bind(account.uuid())
        .bind(run.map(RequestId::uuid))
        .bind(after.map(|after| after.at))
        .bind(after.map(|after| after.place))
        .bind(i64::from(limit))
        .bind(shown())
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter()
            .map(|(subject, count, signals, at, place)| {
                Ok(ToldMatch { taken: read((subject, count, signals))?, cursor: MatchCursor { at, place } })
            })
            .collect()
    }

    /// Forgets what is too old to be found again, and runs of which nothing is left. Says how many rows went.
    pub async fn sweep_matches(&self) -> Result<u64, StoreError> {
        let matches = sqlx::query(
            "-- all accounts: what is too old to be found again
             delete from watch_match where (list_id, subject, signal_id) in (
                 select list_id, subject, signal_id from watch_match
                 where occurred_at < now() - make_interval(days => $1) order by occurred_at limit $2)",
        )
        .bind(WATCH_REMEMBERED_DAYS)
        .bind(WATCH_SWEEP_BATCH)
        .execute(&self.pool)
        .await?;
        let runs = sqlx::query(
            "-- all accounts: runs that told nothing, or too long ago
             delete from watch_run where id in (
                 select id from watch_run where state <> 'told' and until < now() - interval '1 day'
                     or started_at < now() - make_interval(days => $1) limit $2)",
        )
        .bind(WATCH_REMEMBERED_DAYS)
        .bind(WATCH_SWEEP_BATCH)
        .execute(&self.pool)
        .await?;
        Ok(matches.rows_affected() + runs.rows_affected())
    }
}

/// Runs whose time is over lose what they took, before it is taken: one that wakes up later finds itself lost and tells nothing.
async fn begin_run(
    connection: &mut PgConnection,
    account: AccountId,
    list: WatchListId,
    run: RequestId,
    lease: Duration,
) -> Result<(), StoreError> {
    sqlx::query(
        "update watch_run set state = 'lost'
         where list_id = $1 and account_id = $2 and id <> $3 and state = 'open' and until < now()",
    )
    .bind(list.uuid())
    .bind(account.uuid())
    .bind(run.uuid())
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "insert into watch_run as r (id, list_id, account_id, state, until)
         values ($3, $1, $2, 'open', now() + make_interval(secs => $4))
         on conflict (id) do update set until = excluded.until where r.account_id = $2 and r.state = 'open'",
    )
    .bind(list.uuid())
    .bind(account.uuid())
    .bind(run.uuid())
    .bind(lease.as_secs_f64())
    .execute(connection)
    .await?;
    Ok(())
}

async fn keep(
    connection: &mut PgConnection,
    happened: &[Happening],
    list: Option<WatchListId>,
) -> Result<(), StoreError> {
    if happened.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "-- all accounts: whoever watches for it
         insert into watch_match (list_id, account_id, subject, signal_id, transition, occurred_at)
         select e.list_id, e.account_id, e.subject, h.signal_id, h.transition, h.occurred_at
         from unnest($1::bytea[], $2::uuid[], $3::smallint[], $4::timestamptz[], $6::timestamptz[])
             with ordinality as h(subject, signal_id, transition, occurred_at, detected_at, place)
         join watch_entry e on e.subject = h.subject
         join watch_list l on l.id = e.list_id and l.track & h.transition <> 0
         where ($5::uuid is null or e.list_id = $5)
             and (h.detected_at >= e.added_at or h.occurred_at >= e.added_at - make_interval(days => $7))
         order by h.place
         on conflict (list_id, subject, signal_id) do nothing",
    )
    .bind(happened.iter().map(|it| it.subject.as_bytes().as_slice()).collect::<Vec<_>>())
    .bind(happened.iter().map(|it| it.signal.uuid()).collect::<Vec<_>>())
    .bind(happened.iter().map(|it| it.transition.bit()).collect::<Vec<_>>())
    .bind(happened.iter().map(|it| it.occurred_at).collect::<Vec<_>>())
    .bind(list.map(WatchListId::uuid))
    .bind(happened.iter().map(|it| it.detected_at).collect::<Vec<_>>())
    .bind(i32::try_from(WATCH_LOOK_BACK_DAYS).unwrap_or(i32::MAX))
    .execute(connection)
    .await?;
    Ok(())
}

fn shown() -> i32 {
    i32::try_from(WATCH_SIGNALS_SHOWN_MAX).unwrap_or(i32::MAX)
}

fn read((subject, count, signals): Taken) -> Result<TakenMatch, StoreError> {
    Ok(TakenMatch {
        subject: digest(&subject)?,
        count: u32::try_from(count).unwrap_or(u32::MAX),
        signals: signals.into_iter().map(SignalId::from_uuid).collect(),
    })
}
