//! The person record as the graph keeps it. What users see is made from it on the service floor.

use crate::taxonomy::{Department, EmailStatus, Industry, Seniority};
use crate::{AccountId, CompanyId, Domain, Email, NetworkUrl, PersonId, Phone, Provenance};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A person: the stored facts, the employments and where all of it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Person {
    pub id: PersonId,
    /// Grows by one with each write of the record.
    pub version: i64,
    pub facts: PersonFacts,
    /// Newest first. The current ones have no `ended_on`.
    pub experience: Vec<Employment>,
    /// The company of the current employment, as far as the graph knows it.
    pub company: Option<Employer>,
    pub provenance: Provenance,
    pub refreshed_at: DateTime<Utc>,
    /// The only account that may see it; none when everybody may.
    pub owner: Option<AccountId>,
}

/// What is stored of a person beside employments.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct PersonFacts {
    pub full_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
    /// Best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub emails: Vec<KnownEmail>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phones: Vec<KnownPhone>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_url: Option<NetworkUrl>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub education: Vec<Education>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// ISO 639-1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub certifications: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_job_change_on: Option<NaiveDate>,
}

/// Debug output may reach a log, and every fact here is personal.
impl fmt::Debug for PersonFacts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("PersonFacts(…)")
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownEmail {
    pub address: Email,
    pub kind: EmailKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<EmailStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmailKind {
    Business,
    Personal,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownPhone {
    pub number: Phone,
    pub line: LineType,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineType {
    Mobile,
    Landline,
    Voip,
    Unknown,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// ISO 3166-1 alpha-2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Education {
    pub school: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degree: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_year: Option<i32>,
}

/// One job a person had or has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Employment {
    pub company_id: Option<CompanyId>,
    pub company_name: String,
    pub title: String,
    pub seniority: Option<Seniority>,
    pub department: Option<Department>,
    pub started_on: Option<NaiveDate>,
    pub ended_on: Option<NaiveDate>,
}

/// What a person's record shows of the company they work for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Employer {
    pub id: CompanyId,
    pub name: String,
    pub domain: Option<Domain>,
    pub network_url: Option<NetworkUrl>,
    pub employee_count: Option<u32>,
    pub industry: Option<Industry>,
}

impl Person {
    /// The job held now: the newest without an end.
    pub fn current(&self) -> Option<&Employment> {
        self.experience.iter().find(|job| job.ended_on.is_none())
    }
}
