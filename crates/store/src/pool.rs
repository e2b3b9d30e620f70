//! One PostgreSQL database: its connections and its schema.

use crate::StoreError;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use std::str::FromStr;
use std::time::Duration;

/// How a database is reached.
#[derive(Debug, Clone)]
pub struct Database {
    pub url: String,
    pub connections_max: u32,
    /// How long a caller waits for a free connection before the answer is "not available".
    pub acquire_timeout: Duration,
}

impl Database {
    pub fn at(url: &str) -> Self {
        Self { url: url.to_owned(), connections_max: 16, acquire_timeout: Duration::from_secs(2) }
    }

    pub(crate) async fn connect(&self, application: &str) -> Result<PgPool, StoreError> {
        let options = PgConnectOptions::from_str(&self.url)?
            .application_name(application)
            // A transaction whose process was stopped must not hold locks for ever.
            .options([("idle_in_transaction_session_timeout", "30s"), ("statement_timeout", "60s")]);
        let pool = PgPoolOptions::new()
            .max_connections(self.connections_max)
            .acquire_timeout(self.acquire_timeout)
            .test_before_acquire(false)
            .connect_with(options)
            .await?;
        Ok(pool)
    }
}

/// The newest version in `migrator` and the newest applied to the database, `None` for an empty one.
pub(crate) async fn schema_versions(
    pool: &PgPool,
    migrator: &Migrator,
) -> Result<(i64, Option<i64>), StoreError> {
    let wanted = migrator.iter().map(|migration| migration.version).max().unwrap_or(0);
    let exists: bool =
        sqlx::query_scalar("select to_regclass('_sqlx_migrations') is not null").fetch_one(pool).await?;
    if !exists {
        return Ok((wanted, None));
    }
    let applied =
        sqlx::query_scalar("select max(version) from _sqlx_migrations where success").fetch_one(pool).await?;
    Ok((wanted, applied))
}
