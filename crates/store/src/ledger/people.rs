//! The people an account ever resolved: ids and times, newest first. Who they are is read from the graph.

use super::Ledger;
use crate::StoreError;
use assay_domain::{AccountId, PersonId};
use chrono::{DateTime, Utc};
use uuid::Uuid;

#[derive(Debug, Clone)]
pub struct ResolvedPerson {
    pub person: PersonId,
    pub first_at: DateTime<Utc>,
    pub last_at: DateTime<Utc>,
    pub endpoints: Vec<String>,
}

/// Where a page ended.
#[derive(Debug, Clone, Copy)]
pub struct ResolvedCursor {
    pub first_at: DateTime<Utc>,
    pub person: PersonId,
}

type Row = (Uuid, DateTime<Utc>, DateTime<Utc>, Vec<String>);

impl ResolvedPerson {
    pub fn cursor(&self) -> ResolvedCursor {
        ResolvedCursor { first_at: self.first_at, person: self.person }
    }
}

impl Ledger {
    pub async fn resolved_people(
        &self,
        account: AccountId,
        after: Option<ResolvedCursor>,
        limit: u32,
    ) -> Result<Vec<ResolvedPerson>, StoreError> {
        let rows: Vec<Row> = sqlx::query_as(
            "select person_id, first_at, last_at, endpoints from resolved_person
             where account_id = $1 and ($2::timestamptz is null or (first_at, person_id) < ($2, $3))
             order by first_at desc, person_id desc limit $4",
        )
        .bind(account.uuid())
        .bind(after.map(|cursor| cursor.first_at))
        .bind(after.map(|cursor| cursor.person.uuid()))
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        let read = |(id, first_at, last_at, endpoints)| ResolvedPerson {
            person: PersonId::from_uuid(id),
            first_at,
            last_at,
            endpoints,
        };
        Ok(rows.into_iter().map(read).collect())
    }
}
