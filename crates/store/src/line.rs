//! A line to PostgreSQL: one connection that its owner keeps from batch to batch.
//!
//! Whoever waits for nobody else has the warmest backend, and none is asked between batches whether it still lives. A line is opened
//! when it is needed, kept while it works, and hung up at the first sign of trouble. Statements that come one by one
//! borrow their connections instead (see [`crate::lending`]).

use crate::StoreError;
use crate::lending::Pool;
use crate::pool::statement_timeout;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{CALL_DEADLINE, LINE_IDLE_MAX, LINE_LIFETIME};
use sqlx::Connection;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{Error, Postgres};
use std::io::ErrorKind;
use std::time::Duration;

const PAUSE_FIRST: Duration = Duration::from_millis(10);
/// What goes over a line is a few statements that come again and again and find their rows by key. Left to itself PostgreSQL plans a
/// charge anew each time, since it takes lists for shorter than it would without their values; that took as long as the charge.
const PLANNED_ONCE: (&str, &str) = ("plan_cache_mode", "force_generic_plan");

/// Where a line's connection comes from.
#[derive(Debug)]
enum Source {
    Own {
        options: Box<PgConnectOptions>,
        /// How long to try before the answer is "not available".
        patience: Duration,
    },
    Pool(Pool),
}

#[derive(Debug)]
enum Held {
    Own { connection: PgConnection, opened: Stopwatch, used: Stopwatch },
    Pooled(PoolConnection<Postgres>),
}

/// One connection, or the wish for one.
#[derive(Debug)]
pub struct Line {
    source: Source,
    held: Option<Held>,
}

impl Line {
    /// A connection beside those of `pool`, reached the same way. `patience` is how long to try to open it.
    pub(crate) fn beside(pool: &Pool, patience: Duration) -> Self {
        let options = pool.connect_options().as_ref().clone();
        let options = Box::new(options.options([PLANNED_ONCE]));
        Self { source: Source::Own { options, patience }, held: None }
    }

    /// The same with the longest time for a statement: for writes, which are finished even when nobody waits any more.
    pub(crate) fn beside_unhurried(pool: &Pool, patience: Duration) -> Self {
        let options = pool.connect_options().as_ref().clone();
        let options = Box::new(options.options([PLANNED_ONCE]).options([statement_timeout(CALL_DEADLINE)]));
        Self { source: Source::Own { options, patience }, held: None }
    }

    /// A connection of the pool, for as long as this lives.
    pub(crate) fn of(pool: &Pool) -> Self {
        Self { source: Source::Pool(pool.clone()), held: None }
    }

    /// The connection, opened if it is not, or if it has been open or unused for too long.
    pub(crate) async fn connection(&mut self) -> Result<&mut PgConnection, StoreError> {
        let held = match self.held.take() {
            Some(Held::Own { opened, used, .. })
                if opened.elapsed() > LINE_LIFETIME || used.elapsed() > LINE_IDLE_MAX =>
            {
                None
            }
            held => held,
        };
        let held = match (held, &self.source) {
            (Some(held), _) => held,
            (None, Source::Own { options, patience }) => {
                let connection = open(options, *patience).await?;
                Held::Own { connection, opened: Stopwatch::start(), used: Stopwatch::start() }
            }
            (None, Source::Pool(pool)) => Held::Pooled(pool.acquire().await?),
        };
        Ok(match self.held.insert(held) {
            Held::Own { connection, used, .. } => {
                *used = Stopwatch::start();
                connection
            }
            Held::Pooled(connection) => connection,
        })
    }

    pub(crate) fn is_open(&self) -> bool {
        self.held.is_some()
    }

    /// Closes the connection, whose state nobody knows any more. The next use opens another one.
    pub(crate) fn hang_up(&mut self) {
        if let Some(Held::Pooled(mut connection)) = self.held.take() {
            connection.close_on_drop();
        }
    }
}

/// Tries for as long as `patience`, as a pool does: a server that starts, or starts again, refuses at first.
pub(crate) async fn open(options: &PgConnectOptions, patience: Duration) -> Result<PgConnection, StoreError> {
    let began = Stopwatch::start();
    let mut pause = PAUSE_FIRST;
    loop {
        let left = patience.saturating_sub(began.elapsed());
        match tokio::time::timeout(left, PgConnection::connect_with(options)).await {
            Err(_) => return Err(Error::PoolTimedOut.into()),
            Ok(Ok(connection)) => return Ok(connection),
            Ok(Err(error)) if is_passing(&error) && pause < left => {}
            Ok(Err(error)) => return Err(error.into()),
        }
        tokio::time::sleep(pause).await;
        pause = pause.saturating_mul(2).min(patience / 5);
    }
}

fn is_passing(error: &Error) -> bool {
    match error {
        Error::Io(error) => error.kind() == ErrorKind::ConnectionRefused,
        Error::Database(error) => error.is_transient_in_connect_phase(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::Line;
    use crate::Database;
    use assay_testkit::TestDatabase;
    use std::time::Duration;

    /// Of lists that are shorter than PostgreSQL takes them for: by its own choice it would plan this each time.
    const OF_SHORT_LISTS: &str = "select count(*) from unnest($1::bigint[]) as one (number)
        join unnest($2::bigint[]) as other (number) using (number)";

    #[tokio::test]
    async fn what_comes_again_and_again_is_planned_once() {
        let database = TestDatabase::from_template("empty", "", async |_| Ok(())).await.unwrap();
        let pool = Database::at(&database.url()).connect("assay-test").await.unwrap();
        let patience = Duration::from_secs(5);
        for mut line in [Line::beside(&pool, patience), Line::beside_unhurried(&pool, patience)] {
            let connection = line.connection().await.unwrap();
            for number in 0..20_i64 {
                let query = sqlx::query_scalar(OF_SHORT_LISTS).bind([number]).bind([number]);
                let count: i64 = query.fetch_one(&mut *connection).await.unwrap();
                assert_eq!(count, 1);
            }
            let plans = "select generic_plans, custom_plans from pg_prepared_statements where statement = $1";
            let planned: (i64, i64) =
                sqlx::query_as(plans).bind(OF_SHORT_LISTS).fetch_one(connection).await.unwrap();
            assert_eq!(planned, (20, 0));
        }
    }
}
