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
        let options = Box::new(pool.connect_options().as_ref().clone());
        Self { source: Source::Own { options, patience }, held: None }
    }

    /// The same with the longest time for a statement: for writes, which are finished even when nobody waits any more.
    pub(crate) fn beside_unhurried(pool: &Pool, patience: Duration) -> Self {
        let options = pool.connect_options().as_ref().clone();
        let options = Box::new(options.options([statement_timeout(CALL_DEADLINE)]));
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
