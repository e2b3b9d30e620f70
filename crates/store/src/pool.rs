//! One PostgreSQL database: its connections and its schema.

use crate::lending::Pool;
use crate::relay::reach;
use crate::{StoreError, task};
use assay_domain::limits::{CALL_DEADLINE, LENT_TRUST};
use sqlx::migrate::Migrator;
use sqlx::postgres::PgPoolOptions;
use sqlx::{Connection, Postgres, SqlSafeStr, SqlStr, Transaction};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// A pool of one could not serve a caller that needs a second connection while it holds the first.
const POOL_CONNECTIONS_LEAST: u32 = 2;

/// How a database is reached.
#[derive(Debug, Clone)]
pub struct Database {
    /// May name several servers, of which the one that takes writes is meant.
    pub url: String,
    pub connections_max: u32,
    /// How long a caller waits for a free connection before the answer is "not available".
    pub acquire_timeout: Duration,
    /// How long one statement may run; a batch of the ledger's lanes always has the longest time.
    pub statement_timeout: Duration,
}

impl Database {
    pub fn at(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            connections_max: 16,
            acquire_timeout: Duration::from_secs(2),
            statement_timeout: CALL_DEADLINE,
        }
    }

    /// What is left for a pool when `lines` connections are kept apart from it.
    pub(crate) fn beside(&self, lines: usize) -> Self {
        let lines = u32::try_from(lines).unwrap_or(u32::MAX);
        let connections_max = self.connections_max.saturating_sub(lines).max(POOL_CONNECTIONS_LEAST);
        Self { connections_max, ..self.clone() }
    }

    pub(crate) async fn connect(&self, application: &str) -> Result<Pool, StoreError> {
        let (options, relay) = reach(&self.url)?;
        // The pool keeps it, and with it all connections that are reached the same way.
        let relay = Arc::new(relay);
        let options = options
            .application_name(application)
            // A transaction whose process was stopped must not hold locks for ever.
            .options([("idle_in_transaction_session_timeout", "30s")])
            .options([statement_timeout(self.statement_timeout)])
            // Compiling took longer than adding up a million calls of history; nothing else is long enough for it.
            .options([("jit", "off")])
            // Every call finds its rows by an index. A plan is kept for as long as its connection lasts, and one that was
            // made while a table was nearly empty would read all of it.
            .options([("enable_seqscan", "off")]);
        let pool = PgPoolOptions::new()
            .max_connections(self.connections_max)
            .acquire_timeout(self.acquire_timeout)
            .test_before_acquire(false)
            .before_acquire(move |connection, past| {
                let _kept = &relay;
                Box::pin(async move {
                    if past.idle_for > LENT_TRUST {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
            .connect_with(options)
            .await?;
        Ok(Pool::over(pool))
    }
}

/// A transaction on a connection of the pool. Whoever wants it may go away while it begins, as a call does whose deadline passes. The
/// driver then lends the connection out with the transaction open, and what its next borrower writes outside of one is never
/// committed. So it is begun by somebody who stays, and ended where nobody wants it any more.
pub(crate) async fn begin(pool: &Pool) -> Result<Transaction<'static, Postgres>, sqlx::Error> {
    begin_by(pool, None).await
}

/// The same by a statement of its own.
pub(crate) async fn begin_with(
    pool: &Pool,
    statement: &'static str,
) -> Result<Transaction<'static, Postgres>, sqlx::Error> {
    begin_by(pool, Some(statement.into_sql_str())).await
}

async fn begin_by(
    pool: &Pool,
    statement: Option<SqlStr>,
) -> Result<Transaction<'static, Postgres>, sqlx::Error> {
    let connection = pool.acquire().await?;
    let (begun, wanted) = oneshot::channel();
    task::spawn("begin", async move {
        // What nobody takes comes back, is dropped, and so rolled back.
        drop(begun.send(Transaction::begin(connection, statement).await));
    });
    wanted.await.unwrap_or(Err(sqlx::Error::WorkerCrashed))
}

pub(crate) fn statement_timeout(limit: Duration) -> (&'static str, String) {
    ("statement_timeout", format!("{}ms", limit.as_millis()))
}

pub(crate) fn newest_version(migrator: &Migrator) -> i64 {
    migrator.iter().map(|migration| migration.version).max().unwrap_or(0)
}

/// The newest version in `migrator` and the newest applied to the database, `None` for an empty one.
pub(crate) async fn schema_versions(
    pool: &Pool,
    migrator: &Migrator,
) -> Result<(i64, Option<i64>), StoreError> {
    let wanted = newest_version(migrator);
    let exists: bool =
        sqlx::query_scalar("select to_regclass('_sqlx_migrations') is not null").fetch_one(pool).await?;
    if !exists {
        return Ok((wanted, None));
    }
    let applied =
        sqlx::query_scalar("select max(version) from _sqlx_migrations where success").fetch_one(pool).await?;
    Ok((wanted, applied))
}
