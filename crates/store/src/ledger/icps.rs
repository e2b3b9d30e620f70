//! Saved ICPs: searches that are run again, and whom each has shown.

use super::Ledger;
use super::op::{Deed, Settled};
use super::watch::{Schedule, next_run, read_schedule};
use super::webhooks::announce::announce_all;
use crate::StoreError;
use assay_domain::limits::SAVED_ICPS_PER_ACCOUNT_MAX;
use assay_domain::watch::WatchKind;
use assay_domain::{AccountId, IcpId, KeyId, RequestId};
use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use sqlx::{AssertSqlSafe, PgConnection, Row};
use std::collections::HashSet;
use uuid::Uuid;

#[derive(Debug, Clone)]
pub struct NewIcp {
    pub id: IcpId,
    pub account: AccountId,
    pub name: String,
    pub target: WatchKind,
    /// As a search takes them.
    pub filters: Map<String, Value>,
    pub schedule: Option<IcpSchedule>,
    pub at: DateTime<Utc>,
}

/// When one runs without anybody asking, and whose history and cap that counts in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IcpSchedule {
    pub every: Schedule,
    pub line: KeyId,
    pub next_run_at: DateTime<Utc>,
}

impl IcpSchedule {
    pub fn from(at: DateTime<Utc>, every: Schedule, line: KeyId) -> Self {
        Self { every, line, next_run_at: next_run(at, every) }
    }
}

#[derive(Debug, Clone)]
pub struct IcpRow {
    pub id: IcpId,
    pub account: AccountId,
    pub name: String,
    pub target: WatchKind,
    pub filters: Map<String, Value>,
    pub created_at: DateTime<Utc>,
    pub last_run_at: Option<DateTime<Utc>>,
    pub last_result_count: Option<u32>,
    pub schedule: Option<IcpSchedule>,
}

/// Where a list of them goes on.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub struct IcpCursor {
    pub at: DateTime<Utc>,
    pub id: Uuid,
}

/// What a run has shown.
#[derive(Debug, Clone)]
pub struct IcpRun {
    pub icp: IcpId,
    pub run: RequestId,
    pub shown: Vec<Uuid>,
    /// Whether the account's webhooks are told: nobody waits for the answer.
    pub announced: bool,
    pub at: DateTime<Utc>,
}

/// Somebody or something that a run has shown, and where a list of them goes on.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub struct ShownRecord {
    pub at: DateTime<Utc>,
    pub id: Uuid,
}

const NEW_RESULTS: &str = "saved_icp.new_results";
const COLUMNS: &str =
    "id, account_id, name, target, filters, created_at, last_run_at, last_result_count, line_id,
    every_hours, max_credits, next_run_at";

impl Ledger {
    /// False where the account has as many as it may have.
    pub async fn create_icp(&self, new: &NewIcp) -> Result<bool, StoreError> {
        let schedule = new.schedule.as_ref();
        let made = sqlx::query(
            "insert into saved_icp (id, account_id, name, target, filters, created_at, line_id, every_hours, max_credits,
                 next_run_at)
             select $1, $2, $3, $4, $5, $6, $8, $9, $10, $11
             where (select count(*) from saved_icp where account_id = $2) < $7",
        )
        .bind(new.id.uuid())
        .bind(new.account.uuid())
        .bind(&new.name)
        .bind(new.target.number())
        .bind(Json(&new.filters))
        .bind(new.at)
        .bind(SAVED_ICPS_PER_ACCOUNT_MAX)
        .bind(schedule.map(|schedule| schedule.line.as_str()))
        .bind(schedule.map(|schedule| schedule.every.hours()))
        .bind(schedule.map(|schedule| schedule.every.max_credits.thousandths()))
        .bind(schedule.map(|schedule| schedule.next_run_at))
        .execute(&self.pool)
        .await?;
        Ok(made.rows_affected() == 1)
    }

    pub async fn icp(&self, account: AccountId, id: IcpId) -> Result<Option<IcpRow>, StoreError> {
        let sql = format!("select {COLUMNS} from saved_icp where account_id = $1 and id = $2");
        let row = sqlx::query(AssertSqlSafe(sql)).bind(account.uuid()).bind(id.uuid());
        row.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// Newest first.
    pub async fn icps(
        &self,
        account: AccountId,
        after: Option<IcpCursor>,
        limit: u32,
    ) -> Result<Vec<IcpRow>, StoreError> {
        let sql = format!(
            "select {COLUMNS} from saved_icp
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

    /// Whether there was one.
    pub async fn delete_icp(&self, account: AccountId, id: IcpId) -> Result<bool, StoreError> {
        let gone = sqlx::query("delete from saved_icp where account_id = $1 and id = $2")
            .bind(account.uuid())
            .bind(id.uuid())
            .execute(&self.pool)
            .await?;
        Ok(gone.rows_affected() > 0)
    }

    /// Which of these it has shown before.
    pub async fn seen_by_icp(
        &self,
        account: AccountId,
        id: IcpId,
        records: &[Uuid],
    ) -> Result<HashSet<Uuid>, StoreError> {
        let seen: Vec<Uuid> = sqlx::query_scalar(
            "select record_id from saved_icp_seen where icp_id = $1 and account_id = $2 and record_id = any($3)",
        )
        .bind(id.uuid())
        .bind(account.uuid())
        .bind(records)
        .fetch_all(&self.pool)
        .await?;
        Ok(seen.into_iter().collect())
    }

    /// What it has shown, or what one run of it was the first to show; the newest first.
    pub async fn shown_by_icp(
        &self,
        account: AccountId,
        id: IcpId,
        run: Option<RequestId>,
        after: Option<ShownRecord>,
        limit: u32,
    ) -> Result<Vec<ShownRecord>, StoreError> {
        let rows = sqlx::query_as::<_, (DateTime<Utc>, Uuid)>(
            "select shown_at, record_id from saved_icp_seen
             where account_id = $1 and icp_id = $2 and ($3::uuid is null or run_id = $3)
                 and ($4::timestamptz is null or (shown_at, record_id) < ($4, $5))
             order by shown_at desc, record_id desc limit $6",
        )
        .bind(account.uuid())
        .bind(id.uuid())
        .bind(run.map(RequestId::uuid))
        .bind(after.map(|after| after.at))
        .bind(after.map(|after| after.id))
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|(at, id)| ShownRecord { at, id }).collect())
    }

    /// Those whose scheduled run is due, each given to one node for as long as the lease.
    pub async fn due_icps(
        &self,
        now: DateTime<Utc>,
        lease: std::time::Duration,
        limit: i64,
    ) -> Result<Vec<IcpRow>, StoreError> {
        let sql = format!(
            "-- all accounts: whoever's schedule is due
             update saved_icp set leased_until = $1 + make_interval(secs => $2) where id in (
                 select id from saved_icp where next_run_at <= $1 and (leased_until is null or leased_until <= $1)
                 order by next_run_at limit $3 for update skip locked)
             returning {COLUMNS}"
        );
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(now).bind(lease.as_secs_f64()).bind(limit);
        rows.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// When one that was just run by schedule is due again.
    pub async fn schedule_icp(&self, icp: &IcpRow, now: DateTime<Utc>) -> Result<(), StoreError> {
        let Some(IcpSchedule { every, next_run_at, .. }) = &icp.schedule else { return Ok(()) };
        sqlx::query(
            "update saved_icp set next_run_at = $3, leased_until = null
             where account_id = $1 and id = $2 and next_run_at = $4",
        )
        .bind(icp.account.uuid())
        .bind(icp.id.uuid())
        .bind(next_run(now, *every))
        .bind(next_run_at)
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}

/// What the commits that charge for runs write of them.
pub(super) async fn write(
    connection: &mut PgConnection,
    deeds: &[(AccountId, Deed, Settled)],
) -> Result<(), StoreError> {
    for (account, deed, _) in deeds {
        if let Deed::RanIcp(run) = deed {
            write_run(connection, *account, run).await?;
        }
    }
    Ok(())
}

async fn write_run(
    connection: &mut PgConnection,
    account: AccountId,
    run: &IcpRun,
) -> Result<(), StoreError> {
    let mut shown = run.shown.clone();
    // Two runs at once take these rows in one order.
    shown.sort_unstable();
    sqlx::query(
        "with ran as (
             update saved_icp set last_run_at = $4, last_result_count = $5 where account_id = $1 and id = $2 returning id
         )
         insert into saved_icp_seen (icp_id, account_id, record_id, run_id, shown_at)
         select ran.id, $1, shown.id, $6, $4 from ran cross join unnest($3::uuid[]) as shown (id)
         on conflict (icp_id, record_id) do nothing",
    )
    .bind(account.uuid())
    .bind(run.icp.uuid())
    .bind(&shown)
    .bind(run.at)
    .bind(i32::try_from(shown.len()).unwrap_or(i32::MAX))
    .bind(run.run.uuid())
    .execute(&mut *connection)
    .await?;
    if run.announced && !shown.is_empty() {
        let results_url = format!("/v1/saved-icps/{}/results?run_id={}", run.icp, run.run);
        let data = json!({
            "id": run.icp.to_string(), "status": "new_results", "counts": { "results": shown.len() },
            "results_url": results_url
        });
        announce_all(connection, account, NEW_RESULTS, &data, run.at).await?;
    }
    Ok(())
}

fn read(row: &PgRow) -> Result<IcpRow, StoreError> {
    let target: i16 = row.try_get("target")?;
    let Json(filters) = row.try_get("filters")?;
    let count: Option<i32> = row.try_get("last_result_count")?;
    let (line, next): (Option<String>, _) = (row.try_get("line_id")?, row.try_get("next_run_at")?);
    let schedule = read_schedule(row)?.zip(line).zip(next);
    Ok(IcpRow {
        id: IcpId::from_uuid(row.try_get("id")?),
        account: AccountId::from_uuid(row.try_get("account_id")?),
        name: row.try_get("name")?,
        target: WatchKind::from_number(target)
            .ok_or_else(|| StoreError::Corrupt(format!("there is no kind of search {target}")))?,
        filters,
        created_at: row.try_get("created_at")?,
        last_run_at: row.try_get("last_run_at")?,
        last_result_count: count.map(i32::unsigned_abs),
        schedule: schedule.map(|((every, line), next_run_at)| IcpSchedule {
            every,
            line: KeyId::new(&line),
            next_run_at,
        }),
    })
}
