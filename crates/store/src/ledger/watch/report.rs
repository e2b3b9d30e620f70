//! What the commit that charges for a run writes: that its entries were told of.

use super::super::batch::Asked;
use super::super::op::{Deed, Op, Settled};
use super::super::webhooks::announce::announce_all;
use crate::StoreError;
use assay_domain::limits::WATCH_PUT_OFF;
use assay_domain::{AccountId, Digest, RequestId, WatchListId};
use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::PgConnection;
use std::collections::HashSet;
use uuid::Uuid;

/// What a run tells of.
#[derive(Debug, Clone)]
pub struct WatchReport {
    pub list: WatchListId,
    pub run: RequestId,
    pub told: Vec<Digest>,
    /// Those of whom nothing can be told now.
    pub put_off: Vec<Digest>,
    /// What the account's webhooks are told; none where the caller has the answer.
    pub events: &'static [&'static str],
    pub at: DateTime<Utc>,
}

/// Those of the runs of a batch that still have what they took. They are locked: nobody takes it from them before the commit.
pub async fn read_open_runs(
    connection: &mut PgConnection,
    batch: &[Asked],
) -> Result<HashSet<Uuid>, StoreError> {
    let runs = batch.iter().filter_map(|asked| match &asked.op {
        Op::Settle(settle) => settle.watch_run(),
        _ => None,
    });
    let runs: Vec<Uuid> = runs.map(RequestId::uuid).collect();
    if runs.is_empty() {
        return Ok(HashSet::new());
    }
    let open: Vec<Uuid> = sqlx::query_scalar(
        "-- all accounts: those of the batch, each by the id of its own request
         select id from watch_run where id = any($1) and state = 'open' order by id for update",
    )
    .bind(runs)
    .fetch_all(connection)
    .await?;
    Ok(open.into_iter().collect())
}

pub async fn write(
    connection: &mut PgConnection,
    deeds: &[(AccountId, Deed, Settled)],
) -> Result<(), StoreError> {
    for (account, deed, _) in deeds {
        if let Deed::ReportWatch(report) = deed {
            write_report(connection, *account, report).await?;
        }
    }
    Ok(())
}

/// The list first, as whoever changes its entries locks it first.
async fn write_report(
    connection: &mut PgConnection,
    account: AccountId,
    report: &WatchReport,
) -> Result<(), StoreError> {
    let bytes = |subjects: &[Digest]| subjects.iter().map(|it| it.as_bytes().to_vec()).collect::<Vec<_>>();
    let entries = i32::try_from(report.told.len()).unwrap_or(i32::MAX);
    sqlx::query("update watch_list set last_run_at = $3 where account_id = $1 and id = $2")
        .bind(account.uuid())
        .bind(report.list.uuid())
        .bind(report.at)
        .execute(&mut *connection)
        .await?;
    sqlx::query(
        "update watch_match set
             told_at = case when subject = any($4) then $6 end,
             run_id = case when subject = any($4) then run_id end,
             taken_until = case when subject = any($5) then $6 + make_interval(secs => $7) end
         where list_id = $1 and account_id = $2 and run_id = $3 and told_at is null",
    )
    .bind(report.list.uuid())
    .bind(account.uuid())
    .bind(report.run.uuid())
    .bind(bytes(&report.told))
    .bind(bytes(&report.put_off))
    .bind(report.at)
    .bind(WATCH_PUT_OFF.as_secs_f64())
    .execute(&mut *connection)
    .await?;
    sqlx::query("update watch_run set state = 'told', entries = $3 where account_id = $1 and id = $2")
        .bind(account.uuid())
        .bind(report.run.uuid())
        .bind(entries)
        .execute(&mut *connection)
        .await?;
    if entries > 0 {
        let results_url = format!("/v1/watch-lists/{}/results?run_id={}", report.list, report.run);
        let data = json!({
            "id": report.list.to_string(), "status": "matched", "counts": { "entries": entries }, "results_url": results_url
        });
        for event in report.events {
            announce_all(&mut *connection, account, event, &data, report.at).await?;
        }
    }
    Ok(())
}
