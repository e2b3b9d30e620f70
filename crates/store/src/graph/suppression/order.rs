//! Suppressions in the order in which they were made: for the ledger, which keeps a copy, and for a graph that lost some of them.

use super::erase::Made;
use super::{Graph, SuppressWish, Suppressed, Suppression, read_suppression};
use crate::StoreError;
use assay_domain::{Digest, SuppressionId};
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgRow};
use std::collections::HashSet;
use uuid::Uuid;

/// A place in the order, and who stands there. Whoever was restored to an earlier state gives the place to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SuppressionMark {
    pub seq: i64,
    pub id: SuppressionId,
}

/// A suppression and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedSuppression {
    pub seq: i64,
    pub suppression: Suppression,
}

impl PlacedSuppression {
    pub fn mark(&self) -> SuppressionMark {
        SuppressionMark { seq: self.seq, id: self.suppression.id }
    }
}

impl Graph {
    /// Those from a place on, itself included.
    pub async fn suppressions_from(
        &self,
        seq: i64,
        limit: usize,
    ) -> Result<Vec<PlacedSuppression>, StoreError> {
        let rows = sqlx::query(
            "select id, digest, kind, reason, created_at, list_hash, seq from suppression
             where seq >= $1 order by seq limit $2",
        )
        .bind(seq)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(read_placed).collect()
    }

    /// One of them, and the mark of the one made before it.
    pub async fn suppression_and_before(
        &self,
        id: SuppressionId,
    ) -> Result<Option<(PlacedSuppression, Option<SuppressionMark>)>, StoreError> {
        let rows = sqlx::query(
            "select id, digest, kind, reason, created_at, list_hash, seq from suppression
             where seq <= (select seq from suppression where id = $1) order by seq desc limit 2",
        )
        .bind(id.uuid())
        .fetch_all(&self.pool)
        .await?;
        let mut rows = rows.iter().map(read_placed);
        let Some(asked) = rows.next().transpose()? else { return Ok(None) };
        Ok(Some((asked, rows.next().transpose()?.map(|before| before.mark()))))
    }

    /// Which of these are suppressed.
    pub async fn suppressed_of(&self, digests: &[Digest]) -> Result<HashSet<Digest>, StoreError> {
        super::suppressed_among(&mut *self.pool.acquire().await?, digests).await
    }

    /// Which of these lead to somebody. None does that is suppressed, once an erasure is through.
    pub async fn digests_in_use(&self, digests: &[Digest]) -> Result<HashSet<Digest>, StoreError> {
        let keys: Vec<&[u8]> = digests.iter().map(|digest| digest.as_bytes().as_slice()).collect();
        let ids: Vec<Uuid> = digests.iter().map(|digest| Uuid::from_bytes(*digest.as_bytes())).collect();
        let rows: Vec<[u8; 16]> = sqlx::query_scalar(
            "select digest from identity where digest = any($1)
             union select uuid_send(id) from person where id = any($2)",
        )
        .bind(keys)
        .bind(ids)
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(Digest::from_bytes).collect())
    }

    /// Suppresses what was suppressed before and is not here any more. It keeps its id, its reason and its time.
    pub async fn suppress_again(
        &self,
        wish: &SuppressWish,
        made: &[Suppression],
    ) -> Result<Suppressed, StoreError> {
        self.suppress_made(wish, Made::Before(made)).await
    }
}

fn read_placed(row: &PgRow) -> Result<PlacedSuppression, StoreError> {
    Ok(PlacedSuppression { seq: row.try_get(6)?, suppression: read_suppression(row)? })
}

/// Gives those that were just put in the look they had before.
pub(super) async fn keep_origin(
    connection: &mut PgConnection,
    made: &[Suppression],
    added: &HashSet<Digest>,
) -> Result<(), StoreError> {
    let kept: Vec<&Suppression> = made.iter().filter(|row| added.contains(&row.digest)).collect();
    sqlx::query(
        "update suppression set id = kept.id, reason = kept.reason, created_at = kept.created_at
         from unnest($1::bytea[], $2::uuid[], $3::text[], $4::timestamptz[]) as kept (digest, id, reason, created_at)
         where suppression.digest = kept.digest",
    )
    .bind(kept.iter().map(|row| row.digest.as_bytes().as_slice()).collect::<Vec<_>>())
    .bind(kept.iter().map(|row| row.id.uuid()).collect::<Vec<_>>())
    .bind(kept.iter().map(|row| row.reason.as_str()).collect::<Vec<_>>())
    .bind(kept.iter().map(|row| row.created_at).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}
