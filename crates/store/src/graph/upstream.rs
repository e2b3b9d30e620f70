//! What vendors answered, kept so that nobody pays twice, and what is learnt of them.

use super::Graph;
use super::suppression::hold_off_erasing;
use crate::StoreError;
use crate::pool::begin;
use assay_domain::limits::{ORDER_MEMORY_LOOKUP, ORDER_MEMORY_SEGMENT, UPSTREAM_SWEEP_BATCH};
use assay_domain::{AccountId, Digest, Lookup};
use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::Row;
use sqlx::types::Json;
use uuid::Uuid;

/// What a vendor said of somebody, as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptAnswer {
    /// None for a miss.
    pub value: Option<Value>,
    pub provider: String,
    pub asked_at: DateTime<Utc>,
}

/// An answer to keep.
#[derive(Debug, Clone)]
pub struct NewAnswer<'a> {
    pub lookup: Lookup,
    pub question: Digest,
    /// The only account that may see it.
    pub owner: Option<AccountId>,
    pub value: Option<&'a Value>,
    /// Digests of what was found.
    pub subjects: &'a [Digest],
    pub provider: &'a str,
    pub asked_at: DateTime<Utc>,
}

/// What is known of a question before anybody is asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KnownAnswer {
    /// Whoever it is about does not want to be found.
    pub suppressed: bool,
    pub kept: Option<KeptAnswer>,
}

/// What was learnt of a vendor; the empty segment is all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct TallyRow {
    pub lookup: String,
    pub segment: String,
    pub vendor: String,
    pub charged: f64,
    pub verified: f64,
    pub spent: f64,
}

impl Graph {
    /// What `asker` may see of what was answered before: a find before a miss, the newest first.
    pub async fn known_answer(
        &self,
        lookup: Lookup,
        question: Digest,
        asker: AccountId,
    ) -> Result<KnownAnswer, StoreError> {
        let row = sqlx::query(
            "select exists (select from suppression where digest = $1), a.value, a.provider, a.asked_at
             from (select) as always
             left join lateral (
                 select value, provider, asked_at from upstream_answer
                 where question = $1 and lookup = $2 and owner_id in ($3, $4)
                 order by value is null, asked_at desc limit 1
             ) a on true",
        )
        .bind(question.as_bytes().as_slice())
        .bind(lookup.as_str())
        .bind(Uuid::nil())
        .bind(asker.uuid())
        .fetch_one(&self.pool)
        .await?;
        let provider: Option<String> = row.try_get(2)?;
        let kept = match provider {
            None => None,
            Some(provider) => {
                let value: Option<Json<Value>> = row.try_get(1)?;
                Some(KeptAnswer {
                    value: value.map(|Json(value)| value),
                    provider,
                    asked_at: row.try_get(3)?,
                })
            }
        };
        Ok(KnownAnswer { suppressed: row.try_get(0)?, kept })
    }

    /// Keeps an answer. Of whoever was erased meanwhile nothing is kept.
    pub async fn keep_answer(&self, answer: &NewAnswer<'_>) -> Result<(), StoreError> {
        let subjects: Vec<&[u8]> =
            answer.subjects.iter().map(|subject| subject.as_bytes().as_slice()).collect();
        let mut transaction = begin(&self.pool).await?;
        hold_off_erasing(&mut transaction).await?;
        sqlx::query(
            "insert into upstream_answer as kept (question, lookup, owner_id, value, subjects, provider, asked_at)
             select $1, $2, $3, $4, $5, $6, $7
             where not exists (select from suppression where digest = $1 or digest = any($5))
             on conflict (question, lookup, owner_id) do update set
                 value = excluded.value, subjects = excluded.subjects, provider = excluded.provider,
                 asked_at = excluded.asked_at
             where kept.asked_at <= excluded.asked_at",
        )
        .bind(answer.question.as_bytes().as_slice())
        .bind(answer.lookup.as_str())
        .bind(answer.owner.map_or(Uuid::nil(), AccountId::uuid))
        .bind(answer.value.map(Json))
        .bind(subjects)
        .bind(answer.provider)
        .bind(answer.asked_at)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Which of these must not be shown.
    pub async fn suppressed_among(&self, digests: &[Digest]) -> Result<Vec<Digest>, StoreError> {
        let digests: Vec<&[u8]> = digests.iter().map(|digest| digest.as_bytes().as_slice()).collect();
        let found: Vec<[u8; 16]> =
            sqlx::query_scalar("select digest from suppression where digest = any($1)")
                .bind(digests)
                .fetch_all(&self.pool)
                .await?;
        Ok(found.into_iter().map(Digest::from_bytes).collect())
    }

    /// Forgets finds and misses that were asked before these times, one batch of each. Says how many went.
    pub async fn forget_answers(
        &self,
        finds_before: DateTime<Utc>,
        misses_before: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        let gone = sqlx::query(
            "delete from upstream_answer where ctid = any(array(
                 select ctid from upstream_answer
                 where asked_at < $1 or (asked_at < $2 and value is null) order by asked_at limit $3))",
        )
        .bind(finds_before)
        .bind(misses_before)
        .bind(UPSTREAM_SWEEP_BATCH)
        .execute(&self.pool)
        .await?;
        Ok(gone.rows_affected())
    }

    /// What all nodes have learnt of vendors.
    pub async fn vendor_tallies(&self, limit: i64) -> Result<Vec<TallyRow>, StoreError> {
        let rows = sqlx::query(
            "select lookup, segment, vendor, charged, verified, spent from vendor_tally
             order by updated_at desc limit $1",
        )
        .bind(limit)
        .fetch_all(&self.pool)
        .await?;
        let read = |row: &sqlx::postgres::PgRow| {
            Ok::<_, StoreError>(TallyRow {
                lookup: row.try_get(0)?,
                segment: row.try_get(1)?,
                vendor: row.try_get(2)?,
                charged: row.try_get(3)?,
                verified: row.try_get(4)?,
                spent: row.try_get(5)?,
            })
        };
        rows.iter().map(read).collect()
    }

    /// Adds what one node has learnt; a row remembers no more than its share afterwards.
    pub async fn add_vendor_tallies(&self, learnt: &[TallyRow]) -> Result<(), StoreError> {
        let mut learnt: Vec<&TallyRow> = learnt.iter().collect();
        // Two nodes that learn of the same vendors must lock their rows in the same order.
        learnt.sort_by_key(|row| (&row.lookup, &row.segment, &row.vendor));
        sqlx::query(
            "insert into vendor_tally as t (lookup, segment, vendor, charged, verified, spent, updated_at)
             select u.*, now() from unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::float8[], $6::float8[]) as u
             on conflict (lookup, segment, vendor) do update set
                 (charged, verified, spent, updated_at) = (
                     select (t.charged + excluded.charged) * kept, (t.verified + excluded.verified) * kept,
                            (t.spent + excluded.spent) * kept, now()
                     from (select least(1, case t.segment when '' then $7 else $8 end / greatest(
                         t.charged + excluded.charged, t.verified + excluded.verified, 1)) as kept) as share)",
        )
        .bind(learnt.iter().map(|row| row.lookup.as_str()).collect::<Vec<_>>())
        .bind(learnt.iter().map(|row| row.segment.as_str()).collect::<Vec<_>>())
        .bind(learnt.iter().map(|row| row.vendor.as_str()).collect::<Vec<_>>())
        .bind(learnt.iter().map(|row| row.charged).collect::<Vec<_>>())
        .bind(learnt.iter().map(|row| row.verified).collect::<Vec<_>>())
        .bind(learnt.iter().map(|row| row.spent).collect::<Vec<_>>())
        .bind(ORDER_MEMORY_LOOKUP)
        .bind(ORDER_MEMORY_SEGMENT)
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}
