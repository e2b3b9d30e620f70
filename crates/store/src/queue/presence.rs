//! Showing that a node lives: it holds a lock on a connection of its own, which ends with the process.
//!
//! So the work of a node that was killed is taken over within moments, while one that is only slow keeps its whole lease. If
//! a machine disappears without a word, its connection lingers and the lease decides.

use super::Jobs;
use crate::StoreError;
use crate::line::open;
use sqlx::{AssertSqlSafe, PgConnection};
use std::time::Duration;
use uuid::Uuid;

/// The number of a node's lock, as an expression over `node_id`. The seed keeps it apart from other locks by numbers.
pub(super) const NODE_LOCK: &str = "hashtextextended(node_id::text, 6150)";

/// How long to try to reach the database.
const PATIENCE: Duration = Duration::from_secs(2);

/// A node that is there for the others, for as long as this lives and is not told otherwise.
#[derive(Debug)]
pub struct Presence {
    connection: PgConnection,
}

impl Jobs {
    /// Takes the node's lock.
    pub async fn attend(&self, node: Uuid) -> Result<Presence, StoreError> {
        let mut connection = open(&self.pool.connect_options(), PATIENCE).await?;
        // Others have it for the length of a statement at most, when they look.
        let sql = format!("select pg_advisory_lock({NODE_LOCK}) from (select $1::uuid as node_id) me");
        sqlx::query(AssertSqlSafe(sql)).bind(node).execute(&mut connection).await?;
        Ok(Presence { connection })
    }
}

impl Presence {
    /// Fails when the lock may be lost.
    pub async fn check(&mut self) -> Result<(), StoreError> {
        sqlx::query("select").execute(&mut self.connection).await?;
        Ok(())
    }
}
