//! The lists themselves: made, read, changed and deleted.

use super::super::Ledger;
use super::entries::{EntryWrite, insert};
use crate::StoreError;
use crate::pool::begin;
use assay_domain::limits::WATCH_LISTS_PER_ACCOUNT_MAX;
use assay_domain::watch::{Track, WatchKind};
use assay_domain::{AccountId, Credits, KeyId, WatchListId};
use chrono::{DateTime, Utc};
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Row};
use uuid::Uuid;

/// Runs without anybody asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    pub every_hours: u32,
    /// The most one of them may cost.
    pub max_credits: Credits,
}

impl Schedule {
    /// As it is stored.
    pub(in crate::ledger) fn hours(self) -> i32 {
        i32::try_from(self.every_hours).unwrap_or(i32::MAX)
    }
}

/// Whose history and whose cap scheduled runs count in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleOwner {
    pub key: KeyId,
    pub line: KeyId,
    pub monthly_cap: Option<Credits>,
}

#[derive(Debug, Clone)]
pub struct NewWatchList {
    pub id: WatchListId,
    pub account: AccountId,
    pub owner: ScheduleOwner,
    pub name: String,
    pub kind: WatchKind,
    pub track: Track,
    pub schedule: Option<Schedule>,
    pub at: DateTime<Utc>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListMade {
    Made,
    /// The account has as many as it may have.
    TooMany,
}

/// What is to be otherwise.
#[derive(Debug, Clone, Default)]
pub struct ListChange {
    pub name: Option<String>,
    pub track: Option<Track>,
    /// The inner one is none where there shall be no schedule any more.
    pub schedule: Option<Option<Schedule>>,
}

#[derive(Debug, Clone)]
pub struct WatchListRow {
    pub id: WatchListId,
    pub account: AccountId,
    pub owner: ScheduleOwner,
    pub name: String,
    pub kind: WatchKind,
    pub track: Track,
    pub entry_count: u32,
    pub schedule: Option<Schedule>,
    pub next_run_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub last_run_at: Option<DateTime<Utc>>,
}

/// Where a list of lists goes on.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub struct WatchListCursor {
    pub at: DateTime<Utc>,
    pub id: Uuid,
}

const COLUMNS: &str =
    "id, account_id, key_id, line_id, monthly_cap, name, kind, track, entry_count, every_hours,
    max_credits, next_run_at, created_at, last_run_at";

impl Ledger {
    /// With its first entries.
    pub async fn create_watch_list(
        &self,
        new: &NewWatchList,
        entries: &[EntryWrite],
    ) -> Result<ListMade, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        let made = sqlx::query(
            "insert into watch_list (id, account_id, key_id, line_id, monthly_cap, name, kind, track, every_hours,
                 max_credits, next_run_at, created_at)
             select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12
             where (select count(*) from watch_list where account_id = $2) < $13",
        )
        .bind(new.id.uuid())
        .bind(new.account.uuid())
        .bind(new.owner.key.as_str())
        .bind(new.owner.line.as_str())
        .bind(new.owner.monthly_cap.map(Credits::thousandths))
        .bind(&new.name)
        .bind(new.kind.number())
        .bind(new.track.bits())
        .bind(new.schedule.map(Schedule::hours))
        .bind(new.schedule.map(|schedule| schedule.max_credits.thousandths()))
        .bind(new.schedule.map(|schedule| next_run(new.at, schedule)))
        .bind(new.at)
        .bind(WATCH_LISTS_PER_ACCOUNT_MAX)
        .execute(&mut *transaction)
        .await?;
        if made.rows_affected() == 0 {
            return Ok(ListMade::TooMany);
        }
        insert(&mut transaction, new.account, new.id, entries).await?;
        transaction.commit().await?;
        Ok(ListMade::Made)
    }

    pub async fn watch_list(
        &self,
        account: AccountId,
        id: WatchListId,
    ) -> Result<Option<WatchListRow>, StoreError> {
        let sql = format!("select {COLUMNS} from watch_list where account_id = $1 and id = $2");
        let row = sqlx::query(AssertSqlSafe(sql)).bind(account.uuid()).bind(id.uuid());
        row.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// Newest first.
    pub async fn watch_lists(
        &self,
        account: AccountId,
        after: Option<WatchListCursor>,
        limit: u32,
    ) -> Result<Vec<WatchListRow>, StoreError> {
        let sql = format!(
            "select {COLUMNS} from watch_list
             where account_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2, $3))
             order by created_at desc, id desc limit $4"
        );
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(account.uuid())
            .bind(after.map(|after| after.at))
            .bind(after.map(|after| after.id))
            .bind(i64::from(limit));
        rows.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// Whatever is tracked anew is looked back for by the next run. A schedule counts for whoever sets it.
    pub async fn change_watch_list(
        &self,
        account: AccountId,
        id: WatchListId,
        change: &ListChange,
        owner: &ScheduleOwner,
        now: DateTime<Utc>,
    ) -> Result<Option<WatchListRow>, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        let sql = format!("select {COLUMNS} from watch_list where account_id = $1 and id = $2 for update");
        let row = sqlx::query(AssertSqlSafe(sql)).bind(account.uuid()).bind(id.uuid());
        let Some(row) = row.fetch_optional(&mut *transaction).await? else { return Ok(None) };
        let mut list = read(&row)?;
        let tracked = list.track;
        list.name = change.name.clone().unwrap_or(list.name);
        list.track = change.track.unwrap_or(list.track);
        if let Some(schedule) = change.schedule {
            list.schedule = schedule;
            list.next_run_at = schedule.map(|schedule| next_run(now, schedule));
            list.owner = owner.clone();
        }
        sqlx::query(
            "update watch_list set name = $3, track = $4, every_hours = $5, max_credits = $6, next_run_at = $7,
                 key_id = $8, line_id = $9, monthly_cap = $10
             where account_id = $1 and id = $2",
        )
        .bind(account.uuid())
        .bind(id.uuid())
        .bind(&list.name)
        .bind(list.track.bits())
        .bind(list.schedule.map(Schedule::hours))
        .bind(list.schedule.map(|schedule| schedule.max_credits.thousandths()))
        .bind(list.next_run_at)
        .bind(list.owner.key.as_str())
        .bind(list.owner.line.as_str())
        .bind(list.owner.monthly_cap.map(Credits::thousandths))
        .execute(&mut *transaction)
        .await?;
        if list.track.iter().any(|transition| !tracked.has(transition)) {
            sqlx::query(
                "update watch_entry set looked_back = false where account_id = $1 and list_id = $2 and looked_back",
            )
            .bind(account.uuid())
            .bind(id.uuid())
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await?;
        Ok(Some(list))
    }

    /// Whether there was one.
    pub async fn delete_watch_list(&self, account: AccountId, id: WatchListId) -> Result<bool, StoreError> {
        let gone = sqlx::query("delete from watch_list where account_id = $1 and id = $2")
            .bind(account.uuid())
            .bind(id.uuid())
            .execute(&self.pool)
            .await?;
        Ok(gone.rows_affected() > 0)
    }

    /// Lists whose scheduled run is due, each given to one node: the next run is put off by `lease` until this one sets it.
    pub async fn due_watch_lists(
        &self,
        now: DateTime<Utc>,
        lease: std::time::Duration,
        limit: i64,
    ) -> Result<Vec<WatchListRow>, StoreError> {
        let sql = format!(
            "-- all accounts: whoever's schedule is due
             update watch_list set next_run_at = $1 + make_interval(secs => $2) where id in (
                 select id from watch_list where next_run_at <= $1 order by next_run_at limit $3 for update skip locked)
             returning {COLUMNS}"
        );
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(now).bind(lease.as_secs_f64()).bind(limit);
        rows.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// When a list that was just run by schedule is due again; nothing where the schedule is gone.
    pub async fn schedule_watch_list(
        &self,
        list: &WatchListRow,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let Some(schedule) = list.schedule else { return Ok(()) };
        sqlx::query(
            "update watch_list set next_run_at = $3
             where account_id = $1 and id = $2 and next_run_at is not null and every_hours = $4",
        )
        .bind(list.account.uuid())
        .bind(list.id.uuid())
        .bind(next_run(now, schedule))
        .bind(schedule.hours())
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}

/// Of a row that may have one.
pub(in crate::ledger) fn read_schedule(row: &PgRow) -> Result<Option<Schedule>, StoreError> {
    let every: Option<i32> = row.try_get("every_hours")?;
    let max_credits: Option<i64> = row.try_get("max_credits")?;
    Ok(every.zip(max_credits).map(|(every, most)| Schedule {
        every_hours: every.unsigned_abs(),
        max_credits: Credits::from_thousandths(most),
    }))
}

pub(in crate::ledger) fn next_run(now: DateTime<Utc>, schedule: Schedule) -> DateTime<Utc> {
    now + chrono::TimeDelta::hours(schedule.every_hours.into())
}

fn read(row: &PgRow) -> Result<WatchListRow, StoreError> {
    let kind: i16 = row.try_get("kind")?;
    let cap: Option<i64> = row.try_get("monthly_cap")?;
    Ok(WatchListRow {
        id: WatchListId::from_uuid(row.try_get("id")?),
        account: AccountId::from_uuid(row.try_get("account_id")?),
        owner: ScheduleOwner {
            key: KeyId::new(row.try_get("key_id")?),
            line: KeyId::new(row.try_get("line_id")?),
            monthly_cap: cap.map(Credits::from_thousandths),
        },
        name: row.try_get("name")?,
        kind: WatchKind::from_number(kind)
            .ok_or_else(|| StoreError::Corrupt(format!("there is no kind of list {kind}")))?,
        track: Track::from_bits(row.try_get("track")?),
        entry_count: row.try_get::<i32, _>("entry_count")?.unsigned_abs(),
        schedule: read_schedule(row)?,
        next_run_at: row.try_get("next_run_at")?,
        created_at: row.try_get("created_at")?,
        last_run_at: row.try_get("last_run_at")?,
    })
}
