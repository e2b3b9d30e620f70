//! Forgetting people on the ledger's side: replies that carry them, who resolved them, whom saved ICPs have shown, and what
//! watch lists have of them. History keeps its ids, which lead nowhere any more, and every credit stays where it is.

use super::Ledger;
use crate::StoreError;
use crate::pool::begin;
use assay_domain::limits::FORGET_ROWS_MAX;
use assay_domain::{Digest, PersonId};
use sqlx::PgConnection;
use uuid::Uuid;

/// How many rows were forgotten.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Forgotten {
    pub replies: u64,
    pub resolved: u64,
    /// That a saved ICP has shown them.
    pub shown: u64,
    /// Entries of watch lists.
    pub watched: u64,
}

/// A request whose reply is gone runs again, and finds nobody. One that runs now has no reply yet.
const REPLIES: &str = "-- all accounts: whoever asked for an erased person must not be told about them again
    delete from reply where (account_id, key) in (
        select account_id, key from reply
        where subjects && $1 and subjects <> '{}' and state = 'done'
        order by account_id, key limit $2 for update)";

/// In the order in which charges lock these rows, so that neither waits for the other for ever.
const RESOLVED: &str = "-- all accounts: whoever resolved an erased person loses them
    delete from resolved_person where (account_id, person_id) in (
        select account_id, person_id from resolved_person where person_id = any($1)
        order by account_id, person_id limit $2 for update)";

const SHOWN: &str = "-- all accounts: whoever was shown an erased person by a saved search
    delete from saved_icp_seen where (icp_id, record_id) in (
        select icp_id, record_id from saved_icp_seen where record_id = any($1)
        order by icp_id, record_id limit $2 for update)";

/// What a run has taken just now is left to the second time: of whoever is erased it tells nothing.
const MATCHES: &str = "-- all accounts: whoever was told of an erased person, or would be
    delete from watch_match where (list_id, subject, signal_id) in (
        select list_id, subject, signal_id from watch_match where subject = any($1) limit $2 for update skip locked)";

impl Ledger {
    /// Forgets these people, and whoever had one of these profiles. Doing it again does no harm.
    pub async fn forget_people(
        &self,
        people: &[PersonId],
        profiles: &[Digest],
    ) -> Result<Forgotten, StoreError> {
        let ids: Vec<Uuid> = people.iter().map(|person| person.uuid()).collect();
        Ok(Forgotten {
            replies: self.forget_rows(REPLIES, &ids).await?,
            resolved: self.forget_rows(RESOLVED, &ids).await?,
            shown: self.forget_rows(SHOWN, &ids).await?,
            watched: self.forget_watched(profiles).await?,
        })
    }

    /// What happened to them first, then their entries, some lists at a time. How many entries went.
    async fn forget_watched(&self, profiles: &[Digest]) -> Result<u64, StoreError> {
        if profiles.is_empty() {
            return Ok(0);
        }
        let profiles: Vec<&[u8]> = profiles.iter().map(|digest| digest.as_bytes().as_slice()).collect();
        loop {
            let done = sqlx::query(MATCHES).bind(&profiles).bind(FORGET_ROWS_MAX).execute(&self.pool).await?;
            if done.rows_affected() < FORGET_ROWS_MAX.unsigned_abs() {
                break;
            }
        }
        let mut forgotten = 0;
        loop {
            let mut transaction = begin(&self.pool).await?;
            let (lists, is_last) = watching(&mut transaction, &profiles).await?;
            forgotten += unwatch(&mut transaction, &lists, &profiles).await?;
            transaction.commit().await?;
            if is_last {
                return Ok(forgotten);
            }
        }
    }

    /// A batch at a time, so that no statement holds its locks for long.
    async fn forget_rows(&self, statement: &'static str, people: &[Uuid]) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        loop {
            let done = sqlx::query(statement).bind(people).bind(FORGET_ROWS_MAX).execute(&self.pool).await?;
            forgotten += done.rows_affected();
            if done.rows_affected() < FORGET_ROWS_MAX.unsigned_abs() {
                return Ok(forgotten);
            }
        }
    }
}

/// The next lists that watch one of them, locked as whoever changes entries locks them; and whether there are no more.
async fn watching(
    connection: &mut PgConnection,
    profiles: &[&[u8]],
) -> Result<(Vec<Uuid>, bool), StoreError> {
    let mut lists: Vec<Uuid> = sqlx::query_scalar(
        "-- all accounts: whoever watches an erased person
         select list_id from watch_entry where subject = any($1) order by list_id limit $2",
    )
    .bind(profiles)
    .bind(FORGET_ROWS_MAX)
    .fetch_all(&mut *connection)
    .await?;
    let is_last = i64::try_from(lists.len()).unwrap_or(i64::MAX) < FORGET_ROWS_MAX;
    lists.dedup();
    sqlx::query(
        "-- all accounts: whoever watches an erased person
         select 1 from watch_list where id = any($1) order by id for no key update",
    )
    .bind(&lists)
    .execute(connection)
    .await?;
    Ok((lists, is_last))
}

/// How many entries went.
async fn unwatch(
    connection: &mut PgConnection,
    lists: &[Uuid],
    profiles: &[&[u8]],
) -> Result<u64, StoreError> {
    if lists.is_empty() {
        return Ok(0);
    }
    let counts: Vec<i64> = sqlx::query_scalar(
        "-- all accounts: whoever watches an erased person
         with gone as (
             delete from watch_entry where list_id = any($1) and subject = any($2) returning list_id
         ), fewer as (select list_id, count(*) as by from gone group by list_id)
         update watch_list set entry_count = entry_count - fewer.by from fewer where id = fewer.list_id
         returning fewer.by",
    )
    .bind(lists)
    .bind(profiles)
    .fetch_all(connection)
    .await?;
    Ok(counts.iter().map(|count| count.unsigned_abs()).sum())
}
