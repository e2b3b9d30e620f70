//! Suppressions: who was erased and must not come back.
//!
//! What always holds once an erasure is through: nobody in the graph has a suppressed identifier. Erasing runs alone
//! among the writers (one advisory lock, which writers share), so no import can slip a person in between the look and the
//! entry. Reads therefore need no look of their own.

use super::Graph;
use super::entity_rows::StoredJob;
use crate::StoreError;
use assay_domain::person::{Employment, PersonFacts};
use assay_domain::suppression::{SuppressedKind, SuppressionReason};
use assay_domain::{Digest, PersonId, Sealed, SuppressionId};
use chrono::{DateTime, Utc};
use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{Row, types::Json};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use uuid::Uuid;

mod erase;
mod erasures;
mod order;

pub use erasures::Erasure;
pub use order::{PlacedSuppression, SuppressionMark};

/// Of the advisory lock between those who erase and those who write. Any number; it must only never change.
const LOCK: i64 = 0x6173_7361_795f_7372;

/// Something that must not be in the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSuppression {
    pub digest: Digest,
    pub kind: SuppressedKind,
    pub list_hash: Option<Sealed>,
}

impl NewSuppression {
    /// Of one record, whatever identifies it.
    pub fn of_person(id: PersonId) -> Self {
        let digest = Digest::from_bytes(id.uuid().into_bytes());
        Self { digest, kind: SuppressedKind::Person, list_hash: None }
    }
}

/// The sealed list hashes of a person's addresses and numbers, by their digests. The graph has no key to make them with.
pub type SealHashes = Arc<dyn Fn(&PersonFacts) -> Vec<(Digest, Sealed)> + Send + Sync>;

/// The match keys of a person. The graph has no key to make them with either.
pub type MatchKeysOf = Arc<dyn Fn(&PersonFacts, &[Employment]) -> Vec<i64> + Send + Sync>;

/// What is to be suppressed, and why.
#[derive(Clone)]
pub struct SuppressWish {
    pub entries: Vec<NewSuppression>,
    pub reason: SuppressionReason,
    pub at: DateTime<Utc>,
    pub seal_hashes: SealHashes,
    pub match_keys: MatchKeysOf,
}

impl fmt::Debug for SuppressWish {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "SuppressWish({} entries)", self.entries.len())
    }
}

/// What came of it.
#[derive(Debug, Clone, Default)]
pub struct Suppressed {
    /// The entries asked for and those of the people erased, the first `SUPPRESSIONS_TOLD_MAX` of them.
    pub rows: Vec<Suppression>,
    pub added: u64,
    /// Entries that were there before.
    pub known: u64,
    pub people_erased: u64,
    /// To be finished on the ledger's side.
    pub erasures: Vec<Erasure>,
    /// More people are behind the entries than one transaction erases: ask again.
    pub more: bool,
}

/// A stored suppression. The identifier is not in it: nobody can tell it any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    pub id: SuppressionId,
    pub digest: Digest,
    pub kind: SuppressedKind,
    pub reason: SuppressionReason,
    pub created_at: DateTime<Utc>,
    pub list_hash: Option<Sealed>,
}

impl Graph {
    /// One page, newest first; `after` is the id the last page ended with.
    pub async fn suppressions(
        &self,
        after: Option<SuppressionId>,
        limit: u32,
    ) -> Result<Vec<Suppression>, StoreError> {
        let rows = sqlx::query(
            "select id, digest, kind, reason, created_at, list_hash from suppression
             where id < $1 order by id desc limit $2",
        )
        .bind(after.map_or(Uuid::max(), SuppressionId::uuid))
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(read_suppression).collect()
    }

    /// Lifts one; whoever it kept out may be imported again. False when there is none.
    pub async fn lift_suppression(&self, id: SuppressionId) -> Result<bool, StoreError> {
        let lifted =
            sqlx::query("delete from suppression where id = $1").bind(id.uuid()).execute(&self.pool).await?;
        Ok(lifted.rows_affected() > 0)
    }
}

/// Of `id, digest, kind, reason, created_at, list_hash`.
pub(crate) fn read_suppression(row: &PgRow) -> Result<Suppression, StoreError> {
    let kind: i16 = row.try_get(2)?;
    let kind = u8::try_from(kind).ok().and_then(SuppressedKind::from_byte);
    let reason: &str = row.try_get(3)?;
    let unknown = |what: &str| StoreError::Corrupt(format!("a suppression has an unknown {what}"));
    Ok(Suppression {
        id: SuppressionId::from_uuid(row.try_get(0)?),
        digest: Digest::from_bytes(row.try_get(1)?),
        kind: kind.ok_or_else(|| unknown("kind"))?,
        reason: SuppressionReason::parse(reason).ok_or_else(|| unknown("reason"))?,
        created_at: row.try_get(4)?,
        list_hash: row.try_get::<Option<Vec<u8>>, _>(5)?.map(Sealed::from_bytes),
    })
}

/// For a writer: until it commits nobody is erased, and whoever was erased before is suppressed for it to see. A
/// statement of its own, because a statement sees what was there when it began to wait.
pub(super) async fn hold_off_erasing(connection: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query("select pg_advisory_xact_lock_shared($1)").bind(LOCK).execute(connection).await?;
    Ok(())
}

/// Which of these are suppressed. Asks for nothing more while nobody is.
pub(super) async fn suppressed_among(
    connection: &mut PgConnection,
    digests: &[Digest],
) -> Result<HashSet<Digest>, StoreError> {
    let any: bool =
        sqlx::query_scalar("select exists (select from suppression)").fetch_one(&mut *connection).await?;
    if !any {
        return Ok(HashSet::new());
    }
    let keys: Vec<&[u8]> = digests.iter().map(|digest| digest.as_bytes().as_slice()).collect();
    let rows: Vec<[u8; 16]> = sqlx::query_scalar("select digest from suppression where digest = any($1)")
        .bind(keys)
        .fetch_all(connection)
        .await?;
    Ok(rows.into_iter().map(Digest::from_bytes).collect())
}

/// The digest that stands for a record itself.
pub(super) fn digest_of(person: Uuid) -> Digest {
    Digest::from_bytes(person.into_bytes())
}

/// A person's facts if they still read; erasing must not fail on a record that is broken.
fn facts_of(row: &PgRow, column: usize) -> Option<PersonFacts> {
    row.try_get::<Json<PersonFacts>, _>(column).ok().map(|Json(facts)| facts)
}

/// A person's employments if they still read.
fn experience_of(row: &PgRow, column: usize) -> Vec<Employment> {
    let jobs = row.try_get::<Json<Vec<StoredJob<'_>>>, _>(column);
    jobs.map(|Json(jobs)| jobs.into_iter().map(Employment::from).collect()).unwrap_or_default()
}

type ListHashes = HashMap<Digest, Sealed>;
