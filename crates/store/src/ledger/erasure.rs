//! Forgetting people on the ledger's side: replies that carry them, and who resolved them. History keeps its ids, which
//! lead nowhere any more, and every credit stays where it is.

use super::Ledger;
use crate::StoreError;
use assay_domain::PersonId;
use assay_domain::limits::FORGET_ROWS_MAX;
use uuid::Uuid;

/// How many rows were forgotten.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Forgotten {
    pub replies: u64,
    pub resolved: u64,
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

impl Ledger {
    /// Forgets these people. Doing it again does no harm.
    pub async fn forget_people(&self, people: &[PersonId]) -> Result<Forgotten, StoreError> {
        let ids: Vec<Uuid> = people.iter().map(|person| person.uuid()).collect();
        Ok(Forgotten {
            replies: self.forget_rows(REPLIES, &ids).await?,
            resolved: self.forget_rows(RESOLVED, &ids).await?,
        })
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
