//! Sources: who delivers records, what may be done with them, and how far each import is.

use super::Graph;
use super::import::wait_for_turn;
use crate::StoreError;
use crate::pool::begin;
use assay_domain::AccountId;
use chrono::{DateTime, Utc};
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgRow};
use uuid::Uuid;

/// What a record is about. The numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordKind {
    Person,
    Company,
}

impl RecordKind {
    pub(super) const fn number(self) -> i16 {
        match self {
            Self::Person => 1,
            Self::Company => 2,
        }
    }
}

/// What may be done with what a source says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceRights {
    pub licence: String,
    /// Whether it may be kept at all.
    pub storable: bool,
    /// For how long after the source last showed it; for ever when none.
    pub retention_days: Option<u32>,
    /// The only account that may see it; none when all may.
    pub owner: Option<AccountId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub id: i16,
    pub name: String,
    pub rights: SourceRights,
}

/// How many records a source has here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceCounts {
    pub people: u64,
    pub companies: u64,
}

/// A file to import, as far as it matters for going on with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportFile {
    pub kind: RecordKind,
    pub fingerprint: [u8; 32],
    pub mapping: String,
}

/// One import, begun or done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRun {
    pub id: Uuid,
    /// Where the last commit ended, in the reader's own words; empty at the start.
    pub position: String,
    /// What came of it so far, in the importer's own words.
    pub counts: String,
    pub started_at: DateTime<Utc>,
}

/// Whether a run that is looked for is through.
#[derive(Debug, Clone, Copy)]
enum Ended {
    Yes,
    No,
}

impl Graph {
    /// Makes a source, or gives one that is there new rights. Whose it is never changes: what is one account's alone must
    /// not become everybody's by a word.
    pub async fn declare_source(&self, name: &str, rights: &SourceRights) -> Result<Source, StoreError> {
        let row = sqlx::query(
            "insert into source as held (name, licence, storable, retention_days, owner_id) values ($1, $2, $3, $4, $5)
             on conflict (name) do update
             set licence = excluded.licence, storable = excluded.storable, retention_days = excluded.retention_days
             where held.owner_id is not distinct from excluded.owner_id
             returning id, name, licence, storable, retention_days, owner_id",
        )
        .bind(name)
        .bind(&rights.licence)
        .bind(rights.storable)
        .bind(rights.retention_days.map(|days| i32::try_from(days).unwrap_or(i32::MAX)))
        .bind(rights.owner.map(AccountId::uuid))
        .fetch_optional(&self.pool)
        .await?;
        let other_owner =
            || StoreError::Schema(format!("the source {name} belongs to another account, or to all"));
        read_source(&row.ok_or_else(other_owner)?)
    }

    pub async fn source(&self, name: &str) -> Result<Option<Source>, StoreError> {
        let all = self.all_sources().await?;
        Ok(all.into_iter().find(|source| source.name == name))
    }

    /// All of them, without counting; there are few.
    pub async fn all_sources(&self) -> Result<Vec<Source>, StoreError> {
        let rows = sqlx::query(
            "select id, name, licence, storable, retention_days, owner_id from source order by name",
        )
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(read_source).collect()
    }

    /// How many records a source has.
    pub async fn count_records(&self, source: &Source) -> Result<SourceCounts, StoreError> {
        let (people, companies): (i64, i64) = sqlx::query_as(
            "select (select count(*) from source_record where source_id = $1 and kind = 1),
                    (select count(*) from source_record where source_id = $1 and kind = 2)",
        )
        .bind(source.id)
        .fetch_one(&self.pool)
        .await?;
        let count = |rows: i64| u64::try_from(rows).unwrap_or(0);
        Ok(SourceCounts { people: count(people), companies: count(companies) })
    }

    /// Removes the source itself, once none of its records is left.
    pub async fn forget_source(&self, source: &Source) -> Result<(), StoreError> {
        for statement in ["delete from import_run where source_id = $1", "delete from source where id = $1"] {
            sqlx::query(statement).bind(source.id).execute(&self.pool).await?;
        }
        Ok(())
    }

    /// The unfinished run of this very file, or a new one. Waits until no import is in the middle of a turn: the last one of a
    /// program that was killed may still be at its commit, and this run goes on after it.
    pub async fn begin_import(
        &self,
        source: &Source,
        file: &ImportFile,
        (id, at): (Uuid, DateTime<Utc>),
    ) -> Result<ImportRun, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        wait_for_turn(&mut transaction).await?;
        if let Some(run) = last_run(&mut transaction, source, file, Ended::No).await? {
            return Ok(run);
        }
        sqlx::query(
            "insert into import_run (id, source_id, kind, fingerprint, mapping, started_at) values ($1, $2, $3, $4, $5, $6)",
        )
        .bind(id)
        .bind(source.id)
        .bind(file.kind.number())
        .bind(file.fingerprint.as_slice())
        .bind(&file.mapping)
        .bind(at)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(ImportRun { id, position: String::new(), counts: "{}".to_owned(), started_at: at })
    }

    /// The last run of this very file, if it is through.
    pub async fn finished_import(
        &self,
        source: &Source,
        file: &ImportFile,
    ) -> Result<Option<ImportRun>, StoreError> {
        let mut connection = self.pool.acquire().await?;
        last_run(&mut connection, source, file, Ended::Yes).await
    }

    pub async fn finish_import(&self, run: Uuid) -> Result<(), StoreError> {
        sqlx::query("update import_run set finished_at = coalesce(finished_at, now()) where id = $1")
            .bind(run)
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}

async fn last_run(
    connection: &mut PgConnection,
    source: &Source,
    file: &ImportFile,
    ended: Ended,
) -> Result<Option<ImportRun>, StoreError> {
    let found: Option<(Uuid, String, String, DateTime<Utc>)> = sqlx::query_as(
        "select id, position, counts::text, started_at from import_run
         where source_id = $1 and kind = $2 and fingerprint = $3 and mapping = $4 and (finished_at is not null) = $5
         order by started_at desc limit 1",
    )
    .bind(source.id)
    .bind(file.kind.number())
    .bind(file.fingerprint.as_slice())
    .bind(&file.mapping)
    .bind(matches!(ended, Ended::Yes))
    .fetch_optional(connection)
    .await?;
    Ok(found.map(|(id, position, counts, started_at)| ImportRun { id, position, counts, started_at }))
}

/// Inside a transaction that writes records of it.
pub(super) async fn ensure(
    connection: &mut PgConnection,
    name: &str,
    licence: &str,
    owner: Option<AccountId>,
) -> Result<Source, StoreError> {
    let row = sqlx::query(
        "insert into source (name, licence, owner_id) values ($1, $2, $3)
         on conflict (name) do update set name = excluded.name
         returning id, name, licence, storable, retention_days, owner_id",
    )
    .bind(name)
    .bind(licence)
    .bind(owner.map(AccountId::uuid))
    .fetch_one(connection)
    .await?;
    read_source(&row)
}

fn read_source(row: &PgRow) -> Result<Source, StoreError> {
    Ok(Source {
        id: row.try_get(0)?,
        name: row.try_get(1)?,
        rights: SourceRights {
            licence: row.try_get(2)?,
            storable: row.try_get(3)?,
            retention_days: row.try_get::<Option<i32>, _>(4)?.and_then(|days| u32::try_from(days).ok()),
            owner: row.try_get::<Option<Uuid>, _>(5)?.map(AccountId::from_uuid),
        },
    })
}
