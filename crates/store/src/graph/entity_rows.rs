//! The graph's rows as the domain's records.

use super::merges::EntityQuery;
use crate::StoreError;
use assay_domain::company::CompanyFacts;
use assay_domain::person::{Employer, Employment};
use assay_domain::taxonomy::{Department, Industry, Seniority};
use assay_domain::{AccountId, Company, CompanyId, Domain, NetworkUrl, Person, PersonId, Provenance};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use sqlx::Row;
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use std::borrow::Cow;
use uuid::Uuid;

pub(super) const PERSON: EntityQuery<Person> = EntityQuery {
    statement: "select id, merged_into, version, refreshed_at, facts, provenance, experience, owner_id
         from person where id = any($1) and (expires_on is null or expires_on >= current_date)",
    decode: person,
};

/// The next people by id, without where each value comes from: that is the largest part of a record, and who reads everybody
/// does not ask.
pub(super) const PEOPLE_AFTER: &str =
    "select id, version, refreshed_at, facts, experience, owner_id from person
     where id > $1 and merged_into is null and (expires_on is null or expires_on >= current_date)
     order by id limit $2";

/// That somebody is there, and how fresh what is known of them is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sighting {
    pub id: PersonId,
    pub refreshed_at: DateTime<Utc>,
    /// The only account that may see them; none when everybody may.
    pub owner: Option<AccountId>,
}

impl From<&Person> for Sighting {
    fn from(person: &Person) -> Self {
        Self { id: person.id, refreshed_at: person.refreshed_at, owner: person.owner }
    }
}

pub(super) const SIGHTING: EntityQuery<Sighting> = EntityQuery {
    statement: "select id, merged_into, refreshed_at, owner_id from person
         where id = any($1) and (expires_on is null or expires_on >= current_date)",
    decode: |id, row| {
        Ok(Sighting { id: PersonId::from_uuid(id), refreshed_at: row.try_get(2)?, owner: owner(row, 3)? })
    },
};

pub(super) const COMPANY: EntityQuery<Company> = EntityQuery {
    statement: "select id, merged_into, version, refreshed_at, facts, provenance, owner_id from company
         where id = any($1) and (expires_on is null or expires_on >= current_date)",
    decode: company,
};

pub(super) const EMPLOYER: EntityQuery<Employer> = EntityQuery {
    statement: "select id, merged_into, card from company where id = any($1)",
    decode: employer,
};

/// The part of a company's facts that a person's record shows: a company's card.
#[derive(Serialize, Deserialize)]
pub(super) struct EmployerFacts {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    domain: Option<Domain>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    network_url: Option<NetworkUrl>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    employee_count: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    industry: Option<Industry>,
}

impl EmployerFacts {
    pub(super) fn of(facts: &CompanyFacts) -> Self {
        Self {
            name: facts.name.clone(),
            domain: facts.domain.clone(),
            network_url: facts.network_url.clone(),
            employee_count: facts.employee_count,
            industry: facts.industry,
        }
    }
}

/// One job of a person's stored experience. The names are short because every person has several.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredJob<'a> {
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    company_id: Option<CompanyId>,
    #[serde(rename = "n", borrow)]
    company_name: Cow<'a, str>,
    #[serde(rename = "t", borrow)]
    title: Cow<'a, str>,
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    seniority: Option<Seniority>,
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    department: Option<Department>,
    #[serde(rename = "a", default, skip_serializing_if = "Option::is_none")]
    started_on: Option<NaiveDate>,
    #[serde(rename = "z", default, skip_serializing_if = "Option::is_none")]
    ended_on: Option<NaiveDate>,
}

impl<'a> StoredJob<'a> {
    pub(super) fn of(job: &'a Employment) -> Self {
        Self {
            company_id: job.company_id,
            company_name: Cow::Borrowed(&job.company_name),
            title: Cow::Borrowed(&job.title),
            seniority: job.seniority,
            department: job.department,
            started_on: job.started_on,
            ended_on: job.ended_on,
        }
    }
}

impl From<StoredJob<'_>> for Employment {
    fn from(job: StoredJob<'_>) -> Self {
        Self {
            company_id: job.company_id,
            company_name: job.company_name.into_owned(),
            title: job.title.into_owned(),
            seniority: job.seniority,
            department: job.department,
            started_on: job.started_on,
            ended_on: job.ended_on,
        }
    }
}

/// The company is read after this.
fn person(id: Uuid, row: &PgRow) -> Result<Person, StoreError> {
    let (Json(facts), Json(provenance)) = (row.try_get(4)?, row.try_get(5)?);
    Ok(Person {
        id: PersonId::from_uuid(id),
        version: row.try_get(2)?,
        facts,
        experience: experience(row, 6)?,
        company: None,
        provenance,
        refreshed_at: row.try_get(3)?,
        owner: owner(row, 7)?,
    })
}

/// One of [`PEOPLE_AFTER`].
pub(super) fn unsourced_person(row: &PgRow) -> Result<Person, StoreError> {
    let Json(facts) = row.try_get(3)?;
    Ok(Person {
        id: PersonId::from_uuid(row.try_get(0)?),
        version: row.try_get(1)?,
        facts,
        experience: experience(row, 4)?,
        company: None,
        provenance: Provenance::default(),
        refreshed_at: row.try_get(2)?,
        owner: owner(row, 5)?,
    })
}

fn experience(row: &PgRow, column: usize) -> Result<Vec<Employment>, StoreError> {
    let Json(jobs): Json<Vec<StoredJob<'_>>> = row.try_get(column)?;
    Ok(jobs.into_iter().map(Employment::from).collect())
}

/// Whose the row is, when it is one account's alone.
pub(super) fn owner(row: &PgRow, column: usize) -> Result<Option<AccountId>, StoreError> {
    Ok(row.try_get::<Option<Uuid>, _>(column)?.map(AccountId::from_uuid))
}

fn company(id: Uuid, row: &PgRow) -> Result<Company, StoreError> {
    let (facts, provenance): (Json<CompanyFacts>, Json<Provenance>) = (row.try_get(4)?, row.try_get(5)?);
    Ok(Company {
        id: CompanyId::from_uuid(id),
        version: row.try_get(2)?,
        facts: facts.0,
        provenance: provenance.0,
        refreshed_at: row.try_get(3)?,
        owner: owner(row, 6)?,
    })
}

fn employer(id: Uuid, row: &PgRow) -> Result<Employer, StoreError> {
    let Json(facts): Json<EmployerFacts> = row.try_get(2)?;
    Ok(Employer {
        id: CompanyId::from_uuid(id),
        name: facts.name,
        domain: facts.domain,
        network_url: facts.network_url,
        employee_count: facts.employee_count,
        industry: facts.industry,
    })
}
