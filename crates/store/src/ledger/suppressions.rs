//! The ledger's copy of what the graph keeps out. It follows the graph, and outlives it: a graph that was restored from a backup is told
//! from here whom to erase again.

use super::Ledger;
use crate::StoreError;
use crate::graph::{Suppression, SuppressionMark, read_suppression};
use crate::pool::begin;
use assay_domain::identity::IdentityKind;
use assay_domain::suppression::SuppressedKind;
use assay_domain::{Digest, PersonId, SuppressionId};
use sqlx::postgres::PgConnection;
use std::collections::HashSet;
use uuid::Uuid;

/// What watch lists name people by.
const PROFILE: SuppressedKind = SuppressedKind::Identity(IdentityKind::PersonUrl);

/// How far the copy has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyState {
    /// The last suppression that was copied; none when it is unknown what either side lacks.
    pub mark: Option<SuppressionMark>,
    /// How often the ledger was told of suppressions by others than the graph.
    pub learned: i64,
}

impl CopyState {
    #[must_use]
    pub fn at(self, mark: Option<SuppressionMark>) -> Self {
        Self { mark, ..self }
    }
}

impl Ledger {
    pub async fn suppression_copy_state(&self) -> Result<CopyState, StoreError> {
        let (seq, id, learned): (Option<i64>, Option<Uuid>, i64) =
            sqlx::query_as("select seq, id, learned from suppression_mark").fetch_one(&self.pool).await?;
        let mark = seq.zip(id).map(|(seq, id)| SuppressionMark { seq, id: SuppressionId::from_uuid(id) });
        Ok(CopyState { mark, learned })
    }

    /// One page of the copies, in the order of their digests.
    pub async fn suppression_copies(
        &self,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<Suppression>, StoreError> {
        let after = after.map_or(Vec::new(), |digest| digest.as_bytes().to_vec());
        let rows = sqlx::query(
            "select id, digest, kind, reason, created_at, list_hash from suppression_copy
             where digest > $1 order by digest limit $2",
        )
        .bind(after)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(read_suppression).collect()
    }

    /// Which of these have a copy.
    pub async fn suppressions_copied(&self, digests: &[Digest]) -> Result<HashSet<Digest>, StoreError> {
        let keys: Vec<&[u8]> = digests.iter().map(|digest| digest.as_bytes().as_slice()).collect();
        let rows: Vec<[u8; 16]> =
            sqlx::query_scalar("select digest from suppression_copy where digest = any($1)")
                .bind(keys)
                .fetch_all(&self.pool)
                .await?;
        Ok(rows.into_iter().map(Digest::from_bytes).collect())
    }

    /// Keeps copies and moves the mark, in one commit and only if all is as the caller saw it: copies beyond the mark would not be missed
    /// in a graph that was restored to it.
    pub async fn copy_suppressions(
        &self,
        rows: &[&Suppression],
        seen: CopyState,
        to: Option<SuppressionMark>,
    ) -> Result<bool, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        let moved = sqlx::query(
            "update suppression_mark set seq = $4, id = $5
             where seq is not distinct from $1 and id is not distinct from $2 and learned = $3",
        )
        .bind(seen.mark.map(|mark| mark.seq))
        .bind(seen.mark.map(|mark| mark.id.uuid()))
        .bind(seen.learned)
        .bind(to.map(|mark| mark.seq))
        .bind(to.map(|mark| mark.id.uuid()))
        .execute(&mut *transaction)
        .await?;
        if moved.rows_affected() == 0 {
            return Ok(false);
        }
        insert(&mut transaction, rows).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Forgets whom they are of, but for those who are forgotten already.
    pub async fn forget_suppressed(
        &self,
        rows: &[&Suppression],
        forgotten: &HashSet<PersonId>,
    ) -> Result<(), StoreError> {
        let people = rows.iter().filter(|row| row.kind == SuppressedKind::Person);
        let people = people.map(|row| PersonId::from_uuid(Uuid::from_bytes(*row.digest.as_bytes())));
        let people: Vec<PersonId> = people.filter(|person| !forgotten.contains(person)).collect();
        let profiles = rows.iter().filter(|row| row.kind == PROFILE);
        let profiles: Vec<Digest> = profiles.map(|row| row.digest).collect();
        if !people.is_empty() || !profiles.is_empty() {
            self.forget_people(&people, &profiles).await?;
        }
        Ok(())
    }

    /// Keeps suppressions that neither side may know, as after a restore. What the graph lacks is found by comparing all; the people
    /// are forgotten here first, because whoever has a copy is taken for forgotten.
    pub async fn learn_suppressions(&self, rows: &[&Suppression]) -> Result<(), StoreError> {
        self.forget_suppressed(rows, &HashSet::new()).await?;
        let mut transaction = begin(&self.pool).await?;
        sqlx::query("update suppression_mark set seq = null, id = null, learned = learned + 1")
            .execute(&mut *transaction)
            .await?;
        insert(&mut transaction, rows).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Drops the copy of a suppression that is lifted.
    pub async fn drop_suppression_copy(&self, digest: Digest) -> Result<(), StoreError> {
        let drop = sqlx::query("delete from suppression_copy where digest = $1");
        drop.bind(digest.as_bytes().as_slice()).execute(&self.pool).await?;
        Ok(())
    }
}

async fn insert(connection: &mut PgConnection, rows: &[&Suppression]) -> Result<(), StoreError> {
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "insert into suppression_copy (digest, id, kind, list_hash, reason, created_at)
         select * from unnest($1::bytea[], $2::uuid[], $3::smallint[], $4::bytea[], $5::text[], $6::timestamptz[])
         on conflict (digest) do nothing",
    )
    .bind(rows.iter().map(|row| row.digest.as_bytes().as_slice()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.id.uuid()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| i16::from(row.kind.byte())).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.list_hash.as_ref().map(|hash| hash.as_bytes())).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.reason.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.created_at).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}
