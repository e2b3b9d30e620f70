//! Saved ICPs: searches that are run again, and whom each has shown.

use super::Ledger;
use super::op::{Deed, Settled};
use crate::StoreError;
use assay_domain::limits::SAVED_ICPS_PER_ACCOUNT_MAX;
use assay_domain::watch::WatchKind;
use assay_domain::{AccountId, IcpId};
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
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
    pub at: DateTime<Utc>,
}

#[derive(Debug, Clone)]
pub struct IcpRow {
    pub id: IcpId,
    pub name: String,
    pub target: WatchKind,
    pub filters: Map<String, Value>,
    pub created_at: DateTime<Utc>,
    pub last_run_at: Option<DateTime<Utc>>,
    pub last_result_count: Option<u32>,
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
    pub shown: Vec<Uuid>,
    pub at: DateTime<Utc>,
}

const COLUMNS: &str = "id, account_id, name, target, filters, created_at, last_run_at, last_result_count";

impl Ledger {
    /// False where the account has as many as it may have.
    pub async fn create_icp(&self, new: &NewIcp) -> Result<bool, StoreError> {
        let made = sqlx::query(
            "insert into saved_icp (id, account_id, name, target, filters, created_at)
             select $1, $2, $3, $4, $5, $6 where (select count(*) from saved_icp where account_id = $2) < $7",
        )
        .bind(new.id.uuid())
        .bind(new.account.uuid())
        .bind(&new.name)
        .bind(new.target.number())
        .bind(Json(&new.filters))
        .bind(new.at)
        .bind(SAVED_ICPS_PER_ACCOUNT_MAX)
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
         insert into saved_icp_seen (icp_id, account_id, record_id)
         select ran.id, $1, shown.id from ran cross join unnest($3::uuid[]) as shown (id)
         on conflict do nothing",
    )
    .bind(account.uuid())
    .bind(run.icp.uuid())
    .bind(&shown)
    .bind(run.at)
    .bind(i32::try_from(shown.len()).unwrap_or(i32::MAX))
    .execute(connection)
    .await?;
    Ok(())
}

fn read(row: &PgRow) -> Result<IcpRow, StoreError> {
    let target: i16 = row.try_get("target")?;
    let Json(filters) = row.try_get("filters")?;
    let count: Option<i32> = row.try_get("last_result_count")?;
    Ok(IcpRow {
        id: IcpId::from_uuid(row.try_get("id")?),
        name: row.try_get("name")?,
        target: WatchKind::from_number(target)
            .ok_or_else(|| StoreError::Corrupt(format!("there is no kind of search {target}")))?,
        filters,
        created_at: row.try_get("created_at")?,
        last_run_at: row.try_get("last_run_at")?,
        last_result_count: count.map(i32::unsigned_abs),
    })
}
