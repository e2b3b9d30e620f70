//! History: what an account asked, what it cost and how long it took, newest first.

use super::Ledger;
use crate::StoreError;
use assay_domain::{AccountId, Credits, RequestId};
use chrono::{DateTime, Utc};
use sqlx::Row;
use sqlx::postgres::PgRow;
use uuid::Uuid;

/// Which calls to show.
#[derive(Debug, Clone, Default)]
pub struct HistoryFilter {
    pub from: Option<DateTime<Utc>>,
    /// Exclusive.
    pub to: Option<DateTime<Utc>>,
    pub endpoint: Option<String>,
    pub status: Option<u16>,
    pub key_id: Option<String>,
}

#[derive(Debug, Clone)]
pub struct HistoryRow {
    pub id: RequestId,
    pub at: DateTime<Utc>,
    pub endpoint: String,
    pub status: i16,
    pub found: bool,
    pub credits: Credits,
    pub balance_after: Credits,
    pub latency_us: i64,
    pub cached: bool,
    pub cache_age_seconds: Option<i64>,
    pub providers: Vec<String>,
    pub key_id: String,
}

/// Sums over everything the filter names, not only the page.
#[derive(Debug, Clone, Default)]
pub struct HistoryTotals {
    pub requests: i64,
    pub credits: Credits,
    pub cache_hits: i64,
    pub p50_us: i64,
    pub p95_us: i64,
}

#[derive(Debug, Clone)]
pub struct HistoryPage {
    pub rows: Vec<HistoryRow>,
    /// Where the next page starts, if there is one.
    pub next: Option<RequestId>,
    pub totals: HistoryTotals,
}

const FILTER: &str = "id >= $2 and id < $3 and ($4::text is null or endpoint = $4)
    and ($5::smallint is null or status = $5) and ($6::text is null or key_id = $6)";

impl Ledger {
    /// One page, newest first; `after` is the id the last page ended with.
    pub async fn history(
        &self,
        account: AccountId,
        filter: &HistoryFilter,
        after: Option<RequestId>,
        limit: u32,
    ) -> Result<HistoryPage, StoreError> {
        // The id is a UUIDv7: bounds on time are bounds on it, and they choose the partitions.
        let from = filter.from.map_or(Uuid::nil(), first_id_at);
        let to = filter.to.map_or(Uuid::max(), first_id_at);
        let until = after.map_or(to, |after| after.uuid().min(to));
        let status = filter.status.map(|status| i16::try_from(status).unwrap_or(i16::MAX));
        let page_sql = format!(
            "select id, at, endpoint, status, found, credits, balance_after, latency_us, cached, cache_age_seconds,
                    providers, key_id
             from history where account_id = $1 and {FILTER} order by id desc limit $7"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(page_sql))
            .bind(account.uuid())
            .bind(from)
            .bind(until)
            .bind(&filter.endpoint)
            .bind(status)
            .bind(&filter.key_id)
            .bind(i64::from(limit) + 1)
            .fetch_all(&self.pool)
            .await?;
        let mut rows = rows.iter().map(read_row).collect::<Result<Vec<_>, _>>()?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().map(|row| row.id).filter(|_| more);
        let totals_sql = format!(
            "select count(*), coalesce(sum(credits), 0)::bigint, count(*) filter (where cached),
                    coalesce(percentile_disc(0.5) within group (order by latency_us), 0),
                    coalesce(percentile_disc(0.95) within group (order by latency_us), 0)
             from history where account_id = $1 and {FILTER}"
        );
        let (requests, credits, cache_hits, p50_us, p95_us): (i64, i64, i64, i64, i64) =
            sqlx::query_as(sqlx::AssertSqlSafe(totals_sql))
                .bind(account.uuid())
                .bind(from)
                .bind(to)
                .bind(&filter.endpoint)
                .bind(status)
                .bind(&filter.key_id)
                .fetch_one(&self.pool)
                .await?;
        let credits = Credits::from_thousandths(credits);
        let totals = HistoryTotals { requests, credits, cache_hits, p50_us, p95_us };
        Ok(HistoryPage { rows, next, totals })
    }
}

/// The smallest id a call at `at` can have.
fn first_id_at(at: DateTime<Utc>) -> Uuid {
    let millis = u128::try_from(at.timestamp_millis()).unwrap_or(0);
    Uuid::from_u128(millis << 80)
}

fn read_row(row: &PgRow) -> Result<HistoryRow, StoreError> {
    Ok(HistoryRow {
        id: RequestId::from_uuid(row.try_get("id")?),
        at: row.try_get("at")?,
        endpoint: row.try_get("endpoint")?,
        status: row.try_get("status")?,
        found: row.try_get("found")?,
        credits: Credits::from_thousandths(row.try_get("credits")?),
        balance_after: Credits::from_thousandths(row.try_get("balance_after")?),
        latency_us: row.try_get("latency_us")?,
        cached: row.try_get("cached")?,
        cache_age_seconds: row.try_get("cache_age_seconds")?,
        providers: row.try_get("providers")?,
        key_id: row.try_get("key_id")?,
    })
}
