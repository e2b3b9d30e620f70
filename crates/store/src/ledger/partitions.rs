//! History's months: made ahead of time, and dropped as a whole once they are older than the operator keeps them.

use super::Ledger;
use super::history::first_id_at;
use crate::StoreError;
use assay_domain::limits;
use chrono::{DateTime, Utc};
use sqlx::{Connection, PgConnection};

/// Whoever holds it drops months. Any number will do as long as nothing else takes it: "history" in hexadecimal.
const DROPPING: i64 = 0x0068_6973_746f_7279;

/// A month's table that is to go.
#[derive(Debug, sqlx::FromRow)]
struct OldMonth {
    table_name: String,
    attached: bool,
    /// An earlier try was broken off after it had begun.
    detaching: bool,
}

impl Ledger {
    /// Makes the history partitions of this month and the months ahead.
    pub async fn make_partitions(&self) -> Result<(), StoreError> {
        sqlx::query(
            "select make_history_partition((current_date + make_interval(months => n))::date)
             from generate_series(0, $1) n",
        )
        .bind(limits::HISTORY_MONTHS_AHEAD)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Drops the months that ended more than `keep_months` calendar months ago; 0 keeps everything. Says how many it
    /// dropped. Postings and balances do not change.
    pub async fn drop_old_history(&self, keep_months: u32) -> Result<u64, StoreError> {
        let Ok(months) = i32::try_from(keep_months) else { return Ok(0) };
        if months == 0 {
            return Ok(0);
        }
        let kept_from: DateTime<Utc> = sqlx::query_scalar(
            "select (date_trunc('month', now() at time zone 'utc') - make_interval(months => $1)) at time zone 'utc'",
        )
        .bind(months)
        .fetch_one(&self.pool)
        .await?;
        let mut old = self.old_months(kept_from).await?;
        if old.is_empty() {
            return Ok(0);
        }
        // A connection of its own, closed at the end: the lock and the setting below end with it, whatever happens.
        let mut connection = self.pool.acquire().await?.detach();
        if !take_turn(&mut connection).await? {
            return Ok(0);
        }
        // Read again: another node may have dropped some before it let go of the lock.
        old = self.old_months(kept_from).await?;
        // First of all, so that an audit never misses calls that are half gone.
        sqlx::query("update ledger_meta set history_from = greatest(history_from, $1)")
            .bind(first_id_at(kept_from))
            .execute(&mut connection)
            .await?;
        let mut dropped = 0;
        for month in &old {
            drop_month(&mut connection, month).await?;
            dropped += 1;
        }
        connection.close().await?;
        Ok(dropped)
    }

    /// By name, because a month whose detaching was broken off may not be a partition any more.
    async fn old_months(&self, kept_from: DateTime<Utc>) -> Result<Vec<OldMonth>, StoreError> {
        let old = sqlx::query_as(
            "select c.relname::text as table_name, i.inhrelid is not null as attached,
                    coalesce(i.inhdetachpending, false) as detaching
             from pg_class c left join pg_inherits i on i.inhrelid = c.oid and i.inhparent = 'history'::regclass
             where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
                 and c.relname ~ '^history_[0-9]{4}_[0-9]{2}$' and c.relname < $1
             order by c.relname limit $2",
        )
        .bind(kept_from.format("history_%Y_%m").to_string())
        .bind(limits::HISTORY_DROPS_MAX)
        .fetch_all(&self.pool)
        .await?;
        Ok(old)
    }
}

/// Whether this connection is the one that drops, and ready not to wait long for any lock.
async fn take_turn(connection: &mut PgConnection) -> Result<bool, StoreError> {
    let ours: bool = sqlx::query_scalar("select pg_try_advisory_lock($1)")
        .bind(DROPPING)
        .fetch_one(&mut *connection)
        .await?;
    // The pool's own limit may be too short: it is the operator's deadline for a call.
    sqlx::query("select set_config('lock_timeout', $1, false), set_config('statement_timeout', $2, false)")
        .bind(format!("{}ms", limits::HISTORY_DROP_LOCK_WAIT.as_millis()))
        .bind(format!("{}ms", limits::CALL_DEADLINE.as_millis()))
        .execute(connection)
        .await?;
    Ok(ours)
}

/// Detached without stopping the calls that are being booked, then dropped. The name holds letters, digits and
/// underscores only.
async fn drop_month(connection: &mut PgConnection, month: &OldMonth) -> Result<(), StoreError> {
    let name = &month.table_name;
    if month.attached {
        let how = if month.detaching { "finalize" } else { "concurrently" };
        let detach = format!("alter table history detach partition {name} {how}");
        sqlx::raw_sql(sqlx::AssertSqlSafe(detach)).execute(&mut *connection).await?;
    }
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!("drop table if exists {name}"))).execute(connection).await?;
    tracing::info!(table = name, "a month of history was dropped");
    Ok(())
}
