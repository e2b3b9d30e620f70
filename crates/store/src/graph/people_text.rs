//! People as the text that is kept of them, for whoever only passes it on: nothing in it is read but who employs them.
//!
//! Their employers are read by themselves, so that who wants to know no more than whether somebody is there need not wait for them.

use super::Graph;
use super::entity_rows::{EMPLOYER, PERSON, owner};
use super::merges::{Entities, EntityQuery};
use super::read::readable;
use crate::StoreError;
use assay_domain::{AccountId, CompanyId, PersonId};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde::de::IgnoredAny;
use sqlx::Row;
use sqlx::postgres::PgRow;
use std::collections::HashMap;
use std::fmt;
use uuid::Uuid;

/// A person's row. The texts are the JSON of what their names say, as the domain writes it, and of the jobs as the store does.
#[derive(Clone)]
pub struct PersonText {
    pub id: PersonId,
    pub refreshed_at: DateTime<Utc>,
    /// The only account that may see it; none when everybody may.
    pub owner: Option<AccountId>,
    pub facts: Box<str>,
    pub provenance: Box<str>,
    pub experience: Box<str>,
}

/// What a person's record shows of a company.
#[derive(Clone)]
pub struct EmployerText {
    pub id: CompanyId,
    pub card: Box<str>,
}

/// Debug output may reach a log, and every text is of a person.
impl fmt::Debug for PersonText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "PersonText({:?}, …)", self.id)
    }
}

impl fmt::Debug for EmployerText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "EmployerText({:?}, …)", self.id)
    }
}

const PERSON_TEXT: EntityQuery<PersonText> = EntityQuery { statement: PERSON.statement, decode: person };
const EMPLOYER_TEXT: EntityQuery<EmployerText> =
    EntityQuery { statement: EMPLOYER.statement, decode: employer };

impl Graph {
    /// What [`Graph::people_by_ids`] reads, as it is kept, without their employers.
    pub async fn people_texts_by_ids(&self, ids: &[PersonId]) -> Result<Vec<PersonText>, StoreError> {
        let ids: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
        let mut connection = self.pool.lend().await?;
        let people = Entities::read(&mut connection, &PERSON_TEXT, ids.clone()).await?;
        connection.give_back();
        Ok(readable(people, ids))
    }

    /// The companies with these ids as people's records show them, merges followed, under the ids asked for.
    pub async fn employer_texts_by_ids(
        &self,
        ids: &[CompanyId],
    ) -> Result<HashMap<CompanyId, EmployerText>, StoreError> {
        let mut asked: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
        asked.sort_unstable();
        asked.dedup();
        if asked.is_empty() {
            return Ok(HashMap::new());
        }
        let mut connection = self.pool.lend().await?;
        let employers = Entities::read(&mut connection, &EMPLOYER_TEXT, asked.clone()).await?;
        connection.give_back();
        let found = asked.into_iter().filter_map(|id| {
            let employer = employers.get(id)?.as_ref().ok()?;
            Some((CompanyId::from_uuid(id), employer.clone()))
        });
        Ok(found.collect())
    }
}

impl PersonText {
    /// The company of the current employment. None, too, if the jobs cannot be read: whoever tells them finds that out.
    pub fn works_at(&self) -> Option<CompanyId> {
        let jobs: Vec<Job> = serde_json::from_str(&self.experience).ok()?;
        jobs.into_iter().find(|job| job.ended_on.is_none())?.company_id
    }
}

/// Of a job no more than tells whether it is the current one.
#[derive(Deserialize)]
struct Job {
    #[serde(rename = "c", default)]
    company_id: Option<CompanyId>,
    #[serde(rename = "z", default)]
    ended_on: Option<IgnoredAny>,
}

fn person(id: Uuid, row: &PgRow) -> Result<PersonText, StoreError> {
    Ok(PersonText {
        id: PersonId::from_uuid(id),
        refreshed_at: row.try_get(3)?,
        facts: text(row, 4)?,
        provenance: text(row, 5)?,
        experience: text(row, 6)?,
        owner: owner(row, 7)?,
    })
}

fn employer(id: Uuid, row: &PgRow) -> Result<EmployerText, StoreError> {
    Ok(EmployerText { id: CompanyId::from_uuid(id), card: text(row, 2)? })
}

/// The driver knows the type as JSON, and would read it.
fn text(row: &PgRow, column: usize) -> Result<Box<str>, StoreError> {
    Ok(row.try_get_unchecked::<&str, _>(column)?.into())
}
