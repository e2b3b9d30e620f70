//! How nodes tell each other what they admitted of each request rate, in two tables that forget after a minute.

use super::Ledger;
use crate::StoreError;
use crate::line::Line;
use assay_domain::rate::{Heard, Told, WINDOW_SECONDS};
use assay_domain::{AccountId, KeyId, RequestId, limits};
use sqlx::Row;
use sqlx::postgres::types::PgInterval;
use sqlx::postgres::{PgConnection, PgRow};
use std::time::Duration;
use uuid::Uuid;

/// Whose rate it is: an account's, or that of one of its keys which has a rate of its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WindowId {
    pub account: AccountId,
    pub key: Option<KeyId>,
}

impl WindowId {
    fn key_text(&self) -> &str {
        self.key.as_ref().map_or("", KeyId::as_str)
    }
}

/// This process among the nodes. A process that starts again is another node. It has one connection of its own, so that
/// it never waits for calls, nor calls for it.
#[derive(Debug)]
pub struct RateNode {
    id: Uuid,
    line: Line,
}

impl RateNode {
    pub fn new(ledger: &Ledger) -> Self {
        // Any new id will do.
        let id = RequestId::mint(ledger.clock.now()).uuid();
        Self { id, line: Line::beside(&ledger.pool, limits::RATE_EXCHANGE_BUDGET) }
    }

    pub fn id(&self) -> Uuid {
        self.id
    }

    /// Says that this node is there; answers how many others are.
    pub async fn beat(&mut self) -> Result<u32, StoreError> {
        let id = self.id;
        self.within_budget(async |connection| {
            let others: i64 = sqlx::query_scalar(
                "with beat as (
                     insert into rate_node (node_id, seen_at) values ($1, now())
                     on conflict (node_id) do update set seen_at = excluded.seen_at)
                 select count(*) from rate_node where node_id <> $1 and seen_at > now() - $2::interval",
            )
            .bind(id)
            .bind(interval(limits::RATE_NODE_AGE_MAX))
            .fetch_one(connection)
            .await?;
            Ok(u32::try_from(others).unwrap_or(u32::MAX))
        })
        .await
    }

    /// Tells the other nodes of these windows, and only then looks what they told: of two nodes that do so at the same
    /// time, at least one sees the other.
    pub async fn exchange(
        &mut self,
        told: &[(WindowId, Told)],
    ) -> Result<Vec<(WindowId, Heard)>, StoreError> {
        let id = self.id;
        self.within_budget(async |connection| {
            tell(connection, id, told).await?;
            hear(connection, id, told).await
        })
        .await
    }

    /// Removes what dead nodes left.
    pub async fn sweep(&mut self) -> Result<(), StoreError> {
        self.within_budget(async |connection| {
            sqlx::query(
                "delete from rate_window where (account_id, key_id, node_id) in (
                     select account_id, key_id, node_id from rate_window where told_at < now() - $1::interval
                     limit $2 for update skip locked)",
            )
            .bind(interval(lifetime()))
            .bind(limits::RATE_SWEEP_BATCH)
            .execute(&mut *connection)
            .await?;
            sqlx::query("delete from rate_node where seen_at < now() - $1::interval")
                .bind(interval(lifetime()))
                .execute(connection)
                .await?;
            Ok(())
        })
        .await
    }

    /// Runs statements for at most the budget. After a failure nobody knows what the connection is doing.
    async fn within_budget<T>(
        &mut self,
        run: impl AsyncFnOnce(&mut PgConnection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let line = &mut self.line;
        let ran =
            tokio::time::timeout(limits::RATE_EXCHANGE_BUDGET, async { run(line.connection().await?).await });
        let ended = ran.await.unwrap_or_else(|_| Err(sqlx::Error::PoolTimedOut.into()));
        if ended.is_err() {
            self.line.hang_up();
        }
        ended
    }
}

async fn tell(
    connection: &mut PgConnection,
    node: Uuid,
    told: &[(WindowId, Told)],
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into rate_window (account_id, key_id, node_id, newest, counts, claims, told_at)
         select account_id, key_id, $1, newest, counts, claims, now()
         from unnest($2::uuid[], $3::text[], $4::bigint[], $5::bytea[], $6::integer[])
             as t(account_id, key_id, newest, counts, claims)
         on conflict (account_id, key_id, node_id) do update set
             newest = excluded.newest, counts = excluded.counts, claims = excluded.claims, told_at = excluded.told_at",
    )
    .bind(node)
    .bind(accounts(told))
    .bind(keys(told))
    .bind(told.iter().map(|(_, told)| told.newest).collect::<Vec<_>>())
    .bind(told.iter().map(|(_, told)| &*told.counts).collect::<Vec<_>>())
    .bind(told.iter().map(|(_, told)| i32::try_from(told.claims).unwrap_or(i32::MAX)).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

async fn hear(
    connection: &mut PgConnection,
    node: Uuid,
    told: &[(WindowId, Told)],
) -> Result<Vec<(WindowId, Heard)>, StoreError> {
    let rows = sqlx::query(
        "select w.account_id, w.key_id, w.node_id, w.newest, w.counts, w.claims,
                (extract(epoch from now() - w.told_at) * 1000)::bigint as age_ms
         from unnest($2::uuid[], $3::text[]) as t(account_id, key_id)
         join rate_window w on w.account_id = t.account_id and w.key_id = t.key_id
         where w.node_id <> $1 and w.told_at > now() - $4::interval",
    )
    .bind(node)
    .bind(accounts(told))
    .bind(keys(told))
    .bind(interval(lifetime()))
    .fetch_all(connection)
    .await?;
    rows.iter().map(read).collect()
}

fn read(row: &PgRow) -> Result<(WindowId, Heard), StoreError> {
    let key: &str = row.try_get("key_id")?;
    let id = WindowId {
        account: AccountId::from_uuid(row.try_get("account_id")?),
        key: (!key.is_empty()).then(|| KeyId::new(key)),
    };
    let claims: i32 = row.try_get("claims")?;
    let told = Told {
        newest: row.try_get("newest")?,
        counts: row.try_get("counts")?,
        claims: u32::try_from(claims).unwrap_or(0),
    };
    // Two statements may begin in another order than they were sent.
    let age_ms: i64 = row.try_get("age_ms")?;
    Ok((id, Heard { node: row.try_get("node_id")?, told, age_ms: age_ms.max(0) }))
}

fn accounts(told: &[(WindowId, Told)]) -> Vec<Uuid> {
    told.iter().map(|(id, _)| id.account.uuid()).collect()
}

fn keys(told: &[(WindowId, Told)]) -> Vec<&str> {
    told.iter().map(|(id, _)| id.key_text()).collect()
}

/// After this, all that was told is over: the minute itself, the slot it ends in, and what was claimed late in it.
fn lifetime() -> Duration {
    let claim = Duration::from_millis(u64::try_from(limits::RATE_CLAIM_MS).unwrap_or(0));
    Duration::from_secs(u64::from(WINDOW_SECONDS) + 1) + claim
}

fn interval(length: Duration) -> PgInterval {
    PgInterval { months: 0, days: 0, microseconds: i64::try_from(length.as_micros()).unwrap_or(i64::MAX) }
}
