//! The signals of somebody, or of a company: each is found by an index, so what a question costs is a matter of how many are asked
//! for, not of how much has happened.

use super::feed::{COLUMNS, FeedRow, read};
use super::number;
use crate::StoreError;
use crate::graph::Graph;
use assay_domain::{Digest, SignalId, SignalKind};
use chrono::{DateTime, Utc};
use sqlx::{AssertSqlSafe, Row};
use uuid::Uuid;

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
            "select {COLUMNS}, named.digest from signal s
             cross join lateral unnest(s.subjects) as named (digest)
             join signal_feed f on f.signal_id = s.id
             where s.subjects && $1 and s.subjects <> '{{}}' and named.digest = any($1) and f.kind = any($2)
                 and f.occurred_at >= $3
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

fn numbers(kinds: &[SignalKind]) -> Vec<i16> {
    kinds.iter().copied().map(number).collect()
}
