//! One turn of an import: what is known is read, decided on elsewhere, and written, all in one transaction.
//!
//! Imports take turns (one advisory lock): two that made the same person at once would make two of them. Until a turn ends
//! nobody is erased either.

use super::Graph;
use super::entity_rows::{COMPANY, EMPLOYER, PERSON};
use super::match_keys;
use super::merges::Entities;
use super::sources::{self, RecordKind, Source};
use super::suppression::hold_off_erasing;
use super::write::{GraphBatch, Others, PreparedBatch, Written};
use crate::pool::begin;
use crate::{StoreError, crash};
use assay_domain::limits::WRITE_BATCH_MAX;
use assay_domain::person::Employer;
use assay_domain::{AccountId, Company, Digest, Person};
use chrono::NaiveDate;
use sqlx::Transaction;
use sqlx::postgres::{PgConnection, Postgres};
use std::collections::{HashMap, HashSet};
use std::fmt;
use uuid::Uuid;

mod change;
mod record;

pub use change::{EmploymentChange, EmploymentChangeKind, Merge, WorkSide};
pub use record::{HeldRecord, RecordKey, RecordWrite};

/// Of the advisory lock between imports. Any number; it must only never change.
const LOCK: i64 = 0x6173_7361_795f_696d;

/// A turn looks for a few thousand rows by their keys, and the statements of the first one are kept for all that follow. It
/// runs over tables that are nearly empty, and a plan that is best for these reads the whole table for each turn later on.
const BY_INDEX: &str =
    "select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
            set_config('enable_mergejoin', 'off', true)";

/// How far a run is once this turn is committed.
pub struct ImportProgress {
    pub run: Uuid,
    pub position: String,
    /// What came of the run so far, in the importer's own words, once it is known how many this turn leaves out as
    /// suppressed.
    pub counts: Box<dyn Fn(u64) -> String + Send + Sync>,
}

impl fmt::Debug for ImportProgress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ImportProgress({} at {})", self.run, self.position)
    }
}

/// What a turn writes.
#[derive(Debug, Default)]
pub struct ImportWrite {
    /// The people and companies that are made of the records now.
    pub batch: GraphBatch,
    /// Records that are new, say something else, or belong to somebody else now.
    pub records: Vec<RecordWrite>,
    /// Records that were seen again just as they were, and when.
    pub seen_again: Vec<(RecordKey, NaiveDate)>,
    pub removed: Vec<RecordKey>,
    pub merges: Vec<Merge>,
    /// People and companies of whom nothing is left, with the match keys they had.
    pub gone: Vec<(RecordKind, Uuid, Vec<i64>)>,
    pub changes: Vec<EmploymentChange>,
    pub progress: Option<ImportProgress>,
}

/// A turn: reads and then one write.
pub struct ImportTurn {
    transaction: Transaction<'static, Postgres>,
}

impl fmt::Debug for ImportTurn {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ImportTurn")
    }
}

impl Graph {
    /// Waits until no other import is in the middle of one.
    pub async fn import_turn(&self) -> Result<ImportTurn, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        sqlx::query(BY_INDEX).execute(&mut *transaction).await?;
        wait_for_turn(&mut transaction).await?;
        hold_off_erasing(&mut transaction).await?;
        Ok(ImportTurn { transaction })
    }
}

/// Until this transaction ends no other import has a turn.
pub(super) async fn wait_for_turn(connection: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query("select pg_advisory_xact_lock($1)").bind(LOCK).execute(connection).await?;
    Ok(())
}

impl ImportTurn {
    /// The records of one source with these references.
    pub async fn records(
        &mut self,
        source: i16,
        kind: RecordKind,
        references: &[&str],
    ) -> Result<Vec<HeldRecord>, StoreError> {
        record::read_by_reference(&mut self.transaction, source, kind, references).await
    }

    /// All records of these people or companies.
    pub async fn records_of(&mut self, entities: &[Uuid]) -> Result<Vec<HeldRecord>, StoreError> {
        record::read_by_entity(&mut self.transaction, entities).await
    }

    /// Which of these people or companies a source has a record of.
    pub async fn told_of(&mut self, source: i16, entities: &[Uuid]) -> Result<HashSet<Uuid>, StoreError> {
        record::read_told_of(&mut self.transaction, source, entities).await
    }

    /// Up to so many records of a source, in the order of their references: to work through it piece by piece.
    pub async fn some_records(&mut self, source: i16, most: i64) -> Result<Vec<HeldRecord>, StoreError> {
        record::read_some(&mut self.transaction, source, most).await
    }

    /// People or companies whose record may no longer be shown as it is.
    pub async fn expired(&mut self, kind: RecordKind, most: i64) -> Result<Vec<Uuid>, StoreError> {
        let statement = match kind {
            RecordKind::Person => {
                "select id from person where expires_on < current_date order by expires_on limit $1"
            }
            RecordKind::Company => {
                "select id from company where expires_on < current_date order by expires_on limit $1"
            }
        };
        Ok(sqlx::query_scalar(statement).bind(most).fetch_all(&mut *self.transaction).await?)
    }

    /// The source of this name; a new one when there is none.
    pub async fn ensure_source(
        &mut self,
        name: &str,
        licence: &str,
        owner: Option<AccountId>,
    ) -> Result<Source, StoreError> {
        sources::ensure(&mut self.transaction, name, licence, owner).await
    }

    /// Who has these identifiers, at most `each_max` of one.
    pub async fn owners(
        &mut self,
        digests: &[Digest],
        each_max: i64,
    ) -> Result<Vec<(Digest, Uuid)>, StoreError> {
        if digests.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<&[u8]> = digests.iter().map(|digest| digest.as_bytes().as_slice()).collect();
        let rows: Vec<([u8; 16], Uuid)> = sqlx::query_as(
            "select asked.digest, owner.entity_id from unnest($1::bytea[]) as asked (digest)
             cross join lateral (select entity_id from identity where identity.digest = asked.digest
                                 order by entity_id limit $2) as owner",
        )
        .bind(keys)
        .bind(each_max)
        .fetch_all(&mut *self.transaction)
        .await?;
        Ok(rows.into_iter().map(|(digest, entity)| (Digest::from_bytes(digest), entity)).collect())
    }

    /// Who is met under these keys, at most `each_max` under one.
    pub async fn met(&mut self, keys: &[i64], each_max: i64) -> Result<Vec<(i64, Uuid)>, StoreError> {
        match_keys::read(&mut self.transaction, keys, each_max).await
    }

    /// The people these ids stand for now, by the id asked for.
    pub async fn people(&mut self, ids: &[Uuid]) -> Result<HashMap<Uuid, Person>, StoreError> {
        let found = Entities::read(&mut self.transaction, &PERSON, ids.to_vec()).await?;
        Ok(by_asked(&found, ids))
    }

    /// What people's records show of these companies, by the id asked for.
    pub async fn employers(&mut self, ids: &[Uuid]) -> Result<HashMap<Uuid, Employer>, StoreError> {
        let found = Entities::read(&mut self.transaction, &EMPLOYER, ids.to_vec()).await?;
        Ok(by_asked(&found, ids))
    }

    /// The companies these ids stand for now, by the id asked for.
    pub async fn companies(&mut self, ids: &[Uuid]) -> Result<HashMap<Uuid, Company>, StoreError> {
        let found = Entities::read(&mut self.transaction, &COMPANY, ids.to_vec()).await?;
        Ok(by_asked(&found, ids))
    }

    /// Somebody who was taken for another is themselves again, once they are written.
    pub async fn unmerge(&mut self, id: Uuid) -> Result<(), StoreError> {
        sqlx::query("update person set merged_into = null where id = $1")
            .bind(id)
            .execute(&mut *self.transaction)
            .await?;
        Ok(())
    }

    /// Writes all of it and ends the turn. Gives also who was left out as suppressed: their records are not kept.
    pub async fn commit(mut self, write: ImportWrite) -> Result<(Written, HashSet<Uuid>), StoreError> {
        if write.batch.companies.len().saturating_add(write.batch.people.len()) > WRITE_BATCH_MAX {
            return Err(StoreError::Overloaded);
        }
        let connection = &mut *self.transaction;
        change::merge(connection, &write.merges).await?;
        let written = PreparedBatch::prepare_at_once(write.batch)?.write(connection, Others::Wait).await?;
        record::write(connection, &write.records, &written.left_out).await?;
        record::see_again(connection, &write.seen_again).await?;
        record::remove(connection, &write.removed).await?;
        change::remove_entities(connection, &write.gone).await?;
        change::write_changes(connection, &write.changes, &written.versions).await?;
        if let Some(progress) = &write.progress {
            save_progress(connection, progress, written.counts.suppressed).await?;
        }
        crash::point("import-before-commit").await;
        self.transaction.commit().await?;
        Ok((written.counts, written.left_out))
    }
}

fn by_asked<T: Clone>(found: &Entities<T>, ids: &[Uuid]) -> HashMap<Uuid, T> {
    let known = |id: &Uuid| Some((*id, found.get(*id)?.as_ref().ok()?.clone()));
    ids.iter().filter_map(known).collect()
}

async fn save_progress(
    connection: &mut PgConnection,
    progress: &ImportProgress,
    suppressed: u64,
) -> Result<(), StoreError> {
    sqlx::query("update import_run set position = $2, counts = $3::json where id = $1")
        .bind(progress.run)
        .bind(&progress.position)
        .bind((progress.counts)(suppressed))
        .execute(connection)
        .await?;
    Ok(())
}
