//! History: what an account asked, what it cost and how long it took, newest first.

use super::Ledger;
use crate::StoreError;
use crate::pool::begin;
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
    /// What they charged, in millionths of a US dollar.
    pub upstream_micros: i64,
    pub key_id: String,
    /// What the account calls the key today; nothing for a key that is gone.
    pub key_name: Option<String>,
}

/// Sums over everything the filter names, not only the page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryTotals {
    pub requests: i64,
    pub credits: Credits,
    pub cache_hits: i64,
    pub p50_ms: i64,
    pub p95_ms: i64,
}

#[derive(Debug, Clone)]
pub struct HistoryPage {
    pub rows: Vec<HistoryRow>,
    /// Where the next page starts, if there is one.
    pub next: Option<RequestId>,
}

/// The calls of one account that took the same number of milliseconds.
#[derive(Debug, sqlx::FromRow)]
struct Alike {
    latency_ms: i64,
    requests: i64,
    credits: i64,
    cache_hits: i64,
}

const FILTER: &str = "id >= $2 and id < $3 and ($4::text is null or endpoint = $4)
    and ($5::smallint is null or status = $5) and ($6::text is null or key_id = $6)";

/// The index has the rows in order. A planner that takes the account for a small one would collect and sort all that is
/// left of it for every page: minutes instead of seconds for an export of a million rows.
const IN_ORDER: &str = "set local enable_sort = off; set local enable_bitmapscan = off";

impl Ledger {
    /// One page, newest first; `after` is the id the last page ended with.
    pub async fn history(
        &self,
        account: AccountId,
        filter: &HistoryFilter,
        after: Option<RequestId>,
        limit: u32,
    ) -> Result<HistoryPage, StoreError> {
        let (from, to) = bounds(filter);
        let until = after.map_or(to, |after| after.uuid().min(to));
        let page_sql = format!(
            "select h.*, k.name as key_name from (
                 select id, at, endpoint, status, found, credits, balance_after, latency_us, cached, cache_age_seconds,
                        providers, upstream_micros, key_id
                 from history where account_id = $1 and {FILTER} order by id desc limit $7) h
             left join api_key k on k.account_id = $1 and k.id = h.key_id
             order by h.id desc"
        );
        let mut transaction = begin(&self.pool).await?;
        sqlx::raw_sql(IN_ORDER).execute(&mut *transaction).await?;
        let rows = sqlx::query(sqlx::AssertSqlSafe(page_sql))
            .bind(account.uuid())
            .bind(from)
            .bind(until)
            .bind(&filter.endpoint)
            .bind(status(filter))
            .bind(&filter.key_id)
            .bind(i64::from(limit) + 1)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        let mut rows = rows.iter().map(read_row).collect::<Result<Vec<_>, _>>()?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().map(|row| row.id).filter(|_| more);
        Ok(HistoryPage { rows, next })
    }

    /// Sums over the whole filter. The calls are counted by their milliseconds, which the database does in one pass and
    /// on several cores; sorting them all for the percentiles took three times as long.
    pub async fn history_totals(
        &self,
        account: AccountId,
        filter: &HistoryFilter,
    ) -> Result<HistoryTotals, StoreError> {
        let (from, to) = bounds(filter);
        let sql = format!(
            "select latency_us / 1000 as latency_ms, count(*) as requests, sum(credits)::bigint as credits,
                    count(*) filter (where cached) as cache_hits
             from history where account_id = $1 and {FILTER} group by latency_us / 1000"
        );
        let mut counts: Vec<Alike> = sqlx::query_as(sqlx::AssertSqlSafe(sql))
            .bind(account.uuid())
            .bind(from)
            .bind(to)
            .bind(&filter.endpoint)
            .bind(status(filter))
            .bind(&filter.key_id)
            .fetch_all(&self.pool)
            .await?;
        counts.sort_unstable_by_key(|alike| alike.latency_ms);
        let requests = counts.iter().map(|alike| alike.requests).sum();
        Ok(HistoryTotals {
            requests,
            credits: Credits::from_thousandths(counts.iter().map(|alike| alike.credits).sum()),
            cache_hits: counts.iter().map(|alike| alike.cache_hits).sum(),
            p50_ms: percentile(&counts, requests, 50),
            p95_ms: percentile(&counts, requests, 95),
        })
    }
}

/// The smallest latency that at least `percent` of the calls do not exceed; the counts are in order.
fn percentile(counts: &[Alike], requests: i64, percent: i64) -> i64 {
    let wanted = (requests.saturating_mul(percent).saturating_add(99) / 100).max(1);
    let mut seen = 0;
    let reached = counts.iter().find(|alike| {
        seen += alike.requests;
        seen >= wanted
    });
    reached.map_or(0, |alike| alike.latency_ms)
}

/// The id is a UUIDv7: bounds on time are bounds on it, and they choose the partitions.
fn bounds(filter: &HistoryFilter) -> (Uuid, Uuid) {
    (filter.from.map_or(Uuid::nil(), first_id_at), filter.to.map_or(Uuid::max(), first_id_at))
}

fn status(filter: &HistoryFilter) -> Option<i16> {
    filter.status.map(|status| i16::try_from(status).unwrap_or(i16::MAX))
}

/// The smallest id a call at `at` can have.
pub(super) fn first_id_at(at: DateTime<Utc>) -> Uuid {
    let millis = u128::try_from(at.timestamp_millis()).unwrap_or(0);
    // A UUIDv7 has 48 bits for the time; what lies beyond them lies beyond every id.
    Uuid::from_u128(millis.min((1 << 48) - 1) << 80)
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
        upstream_micros: row.try_get("upstream_micros")?,
        key_id: row.try_get("key_id")?,
        key_name: row.try_get("key_name")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(latency_ms: i64, requests: i64) -> Alike {
        Alike { latency_ms, requests, credits: 0, cache_hits: 0 }
    }

    #[test]
    fn a_percentile_is_a_latency_that_happened() {
        let of = |counts: &[Alike], percent| {
            percentile(counts, counts.iter().map(|alike| alike.requests).sum(), percent)
        };
        assert_eq!(of(&[], 50), 0);
        assert_eq!((of(&[alike(7, 1)], 50), of(&[alike(7, 1)], 95)), (7, 7));
        let counts = [alike(1, 50), alike(2, 45), alike(900, 5)];
        assert_eq!((of(&counts, 50), of(&counts, 95), of(&counts, 96)), (1, 2, 900));
        assert_eq!(of(&[alike(1, 1), alike(2, 1), alike(3, 1)], 50), 2);
    }
}
