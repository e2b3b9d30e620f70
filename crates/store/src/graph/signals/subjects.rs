//! The signals of somebody, or of a company: each is found by an index, so what a question costs is a matter of how many are asked
//! for, not of how much has happened.

use super::feed::{COLUMNS, FeedRow, read};
use super::number;
use crate::StoreError;
use crate::graph::Graph;
use assay_domain::{Digest, SignalId, SignalKind};
use chrono::{DateTime, Utc};
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Row};
use uuid::Uuid;

/// The signals that name somebody of `$1`, each with whom. One look by the index for each: whether two arrays overlap is found by comparing
/// all with all wherever plans expect many, and they always do.
const NAMED: &str = "select wanted.digest, signal.id from unnest($1::bytea[]) as wanted (digest)
    join signal on signal.subjects @> array[wanted.digest] and signal.subjects <> '{}'";

impl Graph {
    /// What happened to these people since then, of these kinds, each with whom it happened to; oldest first.
    pub async fn signals_of_people(
        &self,
        people: &[Digest],
        kinds: &[SignalKind],
        since: DateTime<Utc>,
    ) -> Result<Vec<(Digest, FeedRow)>, StoreError> {
        let digests: Vec<&[u8]> = people.iter().map(|digest| digest.as_bytes().as_slice()).collect();
        let query = sqlx::query(AssertSqlSafe(format!(
            "with named as materialized ({NAMED})
             select {COLUMNS}, named.digest from signal_feed f join named on named.id = f.signal_id
             where f.signal_id = any(array(select id from named)) and f.kind = any($2) and f.occurred_at >= $3
             order by f.occurred_at, f.signal_id"
        )));
        let rows = query.bind(digests).bind(numbers(kinds)).bind(since).fetch_all(&self.pool).await?;
        rows.iter()
            .map(|row| {
                let digest = Digest::from_slice(row.try_get("digest")?);
                let digest = digest.ok_or_else(|| StoreError::Corrupt("the digest of a signal".into()))?;
                Ok((digest, read(row)?))
            })
            .collect()
    }

    /// What happened to the companies with these domains since then, of these kinds, on either side of a deal; oldest first.
    pub async fn signals_of_companies(
        &self,
        domains: &[String],
        kinds: &[SignalKind],
        since: DateTime<Utc>,
    ) -> Result<Vec<(String, FeedRow)>, StoreError> {
        let query = sqlx::query(AssertSqlSafe(format!(
            "select {COLUMNS}, f.watched from (
                 select signal_feed.*, domain as watched from signal_feed
                 where domain = any($1) and kind = any($2) and occurred_at >= $3
                 union all
                 select signal_feed.*, other_domain as watched from signal_feed
                 where other_domain = any($1) and domain is distinct from other_domain and kind = any($2)
                     and occurred_at >= $3
             ) as f order by f.occurred_at, f.signal_id"
        )));
        let rows = query.bind(domains).bind(numbers(kinds)).bind(since).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok((row.try_get("watched")?, read(row)?))).collect()
    }

    /// The signals with these ids that are still there, in no order.
    pub async fn signals_by_ids(&self, ids: &[SignalId]) -> Result<Vec<FeedRow>, StoreError> {
        let ids: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
        let query = sqlx::query(AssertSqlSafe(format!(
            "select {COLUMNS} from signal_feed f where f.signal_id = any($1)"
        )));
        query.bind(ids).fetch_all(&self.pool).await?.iter().map(read).collect()
    }
}

/// Erasing takes every signal that names somebody, with all that was said of it.
pub(in crate::graph) async fn forget(
    connection: &mut PgConnection,
    subjects: &[&[u8]],
) -> Result<(), StoreError> {
    let delete =
        format!("delete from signal where id = any(array(select id from ({NAMED}) as named)) returning id");
    let gone: Vec<Uuid> =
        sqlx::query_scalar(AssertSqlSafe(delete)).bind(subjects).fetch_all(&mut *connection).await?;
    if gone.is_empty() {
        return Ok(());
    }
    for statement in [
        "with gone as (delete from signal_notice where signal_id = any($1) returning source, reference)
         delete from signal_unmatched u using gone where u.source = gone.source and u.reference = gone.reference",
        "delete from signal_key where signal_id = any($1)",
        "delete from signal_feed where signal_id = any($1)",
    ] {
        sqlx::query(statement).bind(&gone).execute(&mut *connection).await?;
    }
    Ok(())
}

fn numbers(kinds: &[SignalKind]) -> Vec<i16> {
    kinds.iter().copied().map(number).collect()
}
