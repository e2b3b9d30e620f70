//! Connections of one database, lent to whoever has a statement.
//!
//! The driver's pool asks a connection that comes back whether it is well, which is a round trip after every statement, and lends out
//! the one that has rested longest, so that no backend keeps its plans and caches warm. Whose statements ran to their end
//! knows that it is well. Such a connection rests here instead, and the last to come is the first to go. What ended in
//! any other way, and what begins a transaction, goes back the driver's way.

use assay_domain::clock::Stopwatch;
use assay_domain::limits::{LENT_LIFETIME, LENT_TRUST};
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{TryFutureExt, TryStreamExt};
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgQueryResult, PgRow, PgStatement, PgTypeInfo};
use sqlx::{Describe, Either, Error, Execute, Executor, Postgres, SqlStr};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Clones share the connections.
#[derive(Debug, Clone)]
pub(crate) struct Pool(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    driver: PgPool,
    resting: Mutex<Resting>,
}

#[derive(Debug, Default)]
struct Resting {
    /// The last that came back is the last here.
    connections: Vec<Rested>,
    /// How many wait for the driver. It does not see what rests here, so nothing may rest while they wait.
    waiting: usize,
}

#[derive(Debug)]
struct Rested {
    connection: PoolConnection<Postgres>,
    /// Since it was last in the driver's hands, which may have found it too old.
    lent: Stopwatch,
    since: Stopwatch,
}

/// A connection in somebody's hands. Dropped, it is looked at before anybody else gets it.
#[derive(Debug)]
pub(crate) struct Lent {
    pool: Pool,
    connection: PoolConnection<Postgres>,
    lent: Stopwatch,
}

/// Somebody who waits for the driver, until this is dropped.
struct Waiting(Pool);

impl Pool {
    pub(crate) fn over(driver: PgPool) -> Self {
        Self(Arc::new(Shared { driver, resting: Mutex::default() }))
    }

    /// The pool beneath. Whoever takes connections from it does not see those that rest here.
    pub(crate) fn driver(&self) -> &PgPool {
        &self.0.driver
    }

    pub(crate) fn connect_options(&self) -> Arc<PgConnectOptions> {
        self.0.driver.connect_options()
    }

    /// A connection that goes back the driver's way.
    pub(crate) async fn acquire(&self) -> Result<PoolConnection<Postgres>, Error> {
        Ok(self.lend().await?.connection)
    }

    /// A connection for statements outside transactions, to be given back after the last.
    pub(crate) async fn lend(&self) -> Result<Lent, Error> {
        let waiting = match self.take() {
            Ok(Rested { connection, lent, .. }) => return Ok(Lent { pool: self.clone(), connection, lent }),
            Err(waiting) => waiting,
        };
        let connection = self.0.driver.acquire().await?;
        drop(waiting);
        Ok(Lent { pool: self.clone(), connection, lent: Stopwatch::start() })
    }

    /// The warmest that rests, or a place among those who wait. Where the warmest is cold all are, and the driver looks at them.
    fn take(&self) -> Result<Rested, Waiting> {
        let mut resting = self.resting();
        if let Some(warmest) = resting.connections.pop_if(|it| it.since.elapsed() <= LENT_TRUST) {
            return Ok(warmest);
        }
        resting.waiting += 1;
        let cold = std::mem::take(&mut resting.connections);
        drop(resting);
        drop(cold);
        Err(Waiting(self.clone()))
    }

    fn keep(&self, connection: PoolConnection<Postgres>, lent: Stopwatch) {
        let mut resting = self.resting();
        let mut unwanted = Vec::new();
        if resting.connections.first().is_some_and(|it| it.since.elapsed() > LENT_TRUST) {
            unwanted.push(resting.connections.remove(0).connection);
        }
        if resting.waiting == 0 && lent.elapsed() <= LENT_LIFETIME {
            resting.connections.push(Rested { connection, lent, since: Stopwatch::start() });
        } else {
            unwanted.push(connection);
        }
        drop(resting);
        drop(unwanted);
    }

    fn resting(&self) -> MutexGuard<'_, Resting> {
        self.0.resting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All that a statement answers, read to its end.
    async fn run<'q, E>(self, query: E) -> Result<Vec<Either<PgQueryResult, PgRow>>, Error>
    where
        E: 'q + Execute<'q, Postgres>,
    {
        let mut lent = self.lend().await?;
        let steps = lent.fetch_many(query).try_collect().await?;
        lent.give_back();
        Ok(steps)
    }
}

impl Drop for Shared {
    /// There may be no runtime any more on which the driver could take them back: they are closed.
    fn drop(&mut self) {
        let resting = self.resting.get_mut().unwrap_or_else(PoisonError::into_inner);
        for rested in resting.connections.drain(..) {
            drop(rested.connection.leak());
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.resting().waiting -= 1;
    }
}

impl Lent {
    /// To be called when every statement ran to its end.
    pub(crate) fn give_back(self) {
        let Self { pool, connection, lent } = self;
        pool.keep(connection, lent);
    }
}

impl Deref for Lent {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.connection
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.connection
    }
}

/// One statement on a connection of its own. What it answers is read to its end before any of it is told.
impl<'p> Executor<'p> for &'_ Pool {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, Error>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let steps = self.clone().run(query);
        Box::pin(steps.map_ok(|steps| stream::iter(steps.into_iter().map(Ok))).try_flatten_stream())
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<PgRow>, Error>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let steps = self.clone().run(query);
        Box::pin(async move { Ok(steps.await?.into_iter().find_map(Either::right)) })
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, Result<PgStatement, Error>>
    where
        'p: 'e,
    {
        let pool = self.clone();
        Box::pin(async move { pool.acquire().await?.prepare_with(sql, parameters).await })
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<Postgres>, Error>>
    where
        'p: 'e,
    {
        let pool = self.clone();
        Box::pin(async move { pool.acquire().await?.describe(sql).await })
    }
}

#[cfg(test)]
mod tests {
    use super::Pool;
    use crate::Database;
    use assay_testkit::TestDatabase;
    use futures_util::future::join_all;
    use std::collections::HashSet;
    use std::time::Duration;

    async fn empty() -> TestDatabase {
        TestDatabase::from_template("empty", "", async |_| Ok(())).await.unwrap()
    }

    /// Two connections, as few as a pool may have.
    async fn pool_of_two(database: &TestDatabase) -> Pool {
        let few = Database { connections_max: 2, ..Database::at(&database.url()) };
        few.connect("assay-test").await.unwrap()
    }

    async fn backend(pool: &Pool) -> i32 {
        sqlx::query_scalar("select pg_backend_pid()").fetch_one(pool).await.unwrap()
    }

    #[tokio::test]
    async fn one_statement_after_the_other_stays_with_one_backend() {
        let database = empty().await;
        let pool = pool_of_two(&database).await;
        let both = join_all([pool.lend(), pool.lend()]).await;
        both.into_iter().for_each(|lent| lent.unwrap().give_back());
        let first = backend(&pool).await;
        for _ in 0..20 {
            assert_eq!(backend(&pool).await, first);
        }
    }

    #[tokio::test]
    async fn nobody_waits_for_what_rests_however_they_come() {
        let database = empty().await;
        let pool = pool_of_two(&database).await;
        for round in 0..20 {
            let statements = (0..12).map(|number| {
                let pool = &pool;
                async move {
                    match number % 3 {
                        0 => drop(pool.acquire().await.unwrap()),
                        1 => pool.lend().await.unwrap().give_back(),
                        _ => {
                            let asked = round * 100 + number;
                            let told: i32 =
                                sqlx::query_scalar("select $1").bind(asked).fetch_one(pool).await.unwrap();
                            assert_eq!(told, asked);
                        }
                    }
                    backend(pool).await
                }
            });
            let all = tokio::time::timeout(Duration::from_secs(20), join_all(statements)).await.unwrap();
            assert!(all.into_iter().collect::<HashSet<_>>().len() <= 2);
        }
    }

    #[tokio::test]
    async fn what_was_broken_off_or_refused_disturbs_nobody_after_it() {
        let database = empty().await;
        let pool = pool_of_two(&database).await;
        for number in 0..10 {
            let long = sqlx::query_scalar::<_, i32>("select -1 from pg_sleep(0.2)").fetch_one(&pool);
            assert!(tokio::time::timeout(Duration::from_millis(5), long).await.is_err());
            let refused = sqlx::query_scalar::<_, i32>("select 1 / (1 - $1)").bind(1).fetch_one(&pool).await;
            assert!(refused.is_err());
            let told: Vec<i32> = sqlx::query_scalar("select generate_series($1, $1 + 2)")
                .bind(number)
                .fetch_all(&pool)
                .await
                .unwrap();
            assert_eq!(told, [number, number + 1, number + 2]);
        }
    }

    #[test]
    fn it_may_outlive_its_runtime() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let (pool, database) = runtime.block_on(async {
            let database = empty().await;
            let pool = pool_of_two(&database).await;
            backend(&pool).await;
            (pool, database)
        });
        drop(runtime);
        drop(pool);
        drop(database);
    }
}
