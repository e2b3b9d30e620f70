//! The pace of an operator of mail servers, shared by all processes. The rules are the caller's: here is the row they change,
//! one caller at a time.

use super::Graph;
use crate::StoreError;
use crate::pool::begin_with;
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgRow};
use uuid::Uuid;

/// All that is kept of an operator. Times are milliseconds of the epoch, by the database's clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorRow {
    pub per_minute: i32,
    pub due_at: i64,
    pub next_at: i64,
    pub resting_until: i64,
    pub complaints: i32,
    pub good_run: i32,
    pub booked_until: i64,
    pub open: Vec<OpenConnection>,
}

/// A connection somebody has, which counts no longer than this if they never say that it is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenConnection {
    pub id: Uuid,
    pub until: i64,
}

impl Graph {
    /// Reads an operator's row (or takes `fresh` for one nobody has asked yet), lets `decide` change it, and stores it if it did.
    /// Nobody else decides meanwhile, in whichever process. `decide` is told the time.
    ///
    /// What a power cut takes back of the last moments is a question or two too many, so the commit does not wait for the disk.
    pub async fn at_operator<T>(
        &self,
        name: &str,
        fresh: OperatorRow,
        decide: impl FnOnce(&mut OperatorRow, i64) -> T + Send,
    ) -> Result<T, StoreError> {
        // One message for both: this is done several times for each question.
        let mut transaction = begin_with(&self.pool, "begin; set local synchronous_commit = off").await?;
        let (before, now) = match lock(&mut transaction, name).await? {
            Some(known) => known,
            None => {
                insert(&mut transaction, name, &fresh).await?;
                let gone = || StoreError::Corrupt("an operator's row vanished".to_owned());
                lock(&mut transaction, name).await?.ok_or_else(gone)?
            }
        };
        let mut after = before.clone();
        let decided = decide(&mut after, now);
        if after != before {
            update(&mut transaction, name, &after).await?;
        }
        transaction.commit().await?;
        Ok(decided)
    }
}

/// The time is read after the lock was had: whoever waited for it is not early.
async fn lock(connection: &mut PgConnection, name: &str) -> Result<Option<(OperatorRow, i64)>, StoreError> {
    let row = sqlx::query(
        "with locked as materialized (select * from mail_operator where name = $1 for update)
         select per_minute, due_at, next_at, resting_until, complaints, good_run, booked_until,
             open_ids, open_until, (extract(epoch from clock_timestamp()) * 1000)::bigint
         from locked",
    )
    .bind(name)
    .fetch_optional(connection)
    .await?;
    row.as_ref().map(read).transpose()
}

fn read(row: &PgRow) -> Result<(OperatorRow, i64), StoreError> {
    let ids: Vec<Uuid> = row.try_get(7)?;
    let until: Vec<i64> = row.try_get(8)?;
    let open = ids.into_iter().zip(until).map(|(id, until)| OpenConnection { id, until }).collect();
    let kept = OperatorRow {
        per_minute: row.try_get(0)?,
        due_at: row.try_get(1)?,
        next_at: row.try_get(2)?,
        resting_until: row.try_get(3)?,
        complaints: row.try_get(4)?,
        good_run: row.try_get(5)?,
        booked_until: row.try_get(6)?,
        open,
    };
    Ok((kept, row.try_get(9)?))
}

const INSERT: &str = "insert into mail_operator
    (name, per_minute, due_at, next_at, resting_until, complaints, good_run, booked_until, open_ids, open_until)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (name) do nothing";

const UPDATE: &str =
    "update mail_operator set per_minute = $2, due_at = $3, next_at = $4, resting_until = $5,
    complaints = $6, good_run = $7, booked_until = $8, open_ids = $9, open_until = $10 where name = $1";

async fn insert(connection: &mut PgConnection, name: &str, row: &OperatorRow) -> Result<(), StoreError> {
    write(connection, INSERT, name, row).await
}

async fn update(connection: &mut PgConnection, name: &str, row: &OperatorRow) -> Result<(), StoreError> {
    write(connection, UPDATE, name, row).await
}

async fn write(
    connection: &mut PgConnection,
    statement: &'static str,
    name: &str,
    row: &OperatorRow,
) -> Result<(), StoreError> {
    sqlx::query(statement)
        .bind(name)
        .bind(row.per_minute)
        .bind(row.due_at)
        .bind(row.next_at)
        .bind(row.resting_until)
        .bind(row.complaints)
        .bind(row.good_run)
        .bind(row.booked_until)
        .bind(row.open.iter().map(|connection| connection.id).collect::<Vec<_>>())
        .bind(row.open.iter().map(|connection| connection.until).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}
