//! What a source says of one person or company, and what a run of an import is.

use assay_domain::company::CompanyFacts;
use assay_domain::person::{EmailKind, PersonFacts};
use assay_domain::{CompanyId, Domain, NetworkUrl};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// A source's word on one person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PersonRecord {
    /// The source's own id of the person: the same in every file of the source.
    #[serde(skip)]
    pub reference: String,
    #[serde(rename = "f")]
    pub facts: PersonFacts,
    /// Newest first.
    #[serde(rename = "j", default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<RecordJob>,
    /// When the source saw it like this.
    #[serde(rename = "o")]
    pub observed_on: NaiveDate,
}

impl PersonRecord {
    /// Where no job says at which company: the one whose site an address at work is at.
    pub(super) fn job_by_address(&self) -> Option<RecordJob> {
        if self.jobs.iter().any(RecordJob::is_placed) {
            return None;
        }
        let at_work = self.facts.emails.iter().find(|email| email.kind == EmailKind::Business)?;
        let company_domain = Some(at_work.address.domain().clone());
        Some(RecordJob { company_domain, ..RecordJob::default() })
    }
}

impl RecordJob {
    fn is_placed(&self) -> bool {
        let Self { company_id, company_name, company_domain, company_url, .. } = self;
        company_id.is_some() || company_name.is_some() || company_domain.is_some() || company_url.is_some()
    }
}

/// A job as a source tells of it. What it is called and where is all there may be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordJob {
    /// The company itself, where it is known already: of records made from a person who was here before any source.
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    pub company_id: Option<CompanyId>,
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    pub company_name: Option<String>,
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    pub company_domain: Option<Domain>,
    #[serde(rename = "u", default, skip_serializing_if = "Option::is_none")]
    pub company_url: Option<NetworkUrl>,
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(rename = "a", default, skip_serializing_if = "Option::is_none")]
    pub started_on: Option<NaiveDate>,
    #[serde(rename = "z", default, skip_serializing_if = "Option::is_none")]
    pub ended_on: Option<NaiveDate>,
}

/// A source's word on one company.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompanyRecord {
    #[serde(skip)]
    pub reference: String,
    #[serde(rename = "f")]
    pub facts: CompanyFacts,
    #[serde(rename = "o")]
    pub observed_on: NaiveDate,
}

/// What came of some records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Imported {
    /// People or companies nobody knew before.
    pub new: u64,
    /// Records that were added to somebody known.
    pub linked: u64,
    /// Records that say something else than the last time.
    pub changed: u64,
    /// Records seen before, just as they are.
    pub unchanged: u64,
    /// People who turned out to be one with another.
    pub merged: u64,
    /// Records of people who must not be here.
    pub suppressed: u64,
    pub job_changes: u64,
    pub promotions: u64,
    pub departures: u64,
    /// Rows of the file that could not be read.
    pub rejected: u64,
}

impl Imported {
    pub fn add(&mut self, more: Self) {
        self.new += more.new;
        self.linked += more.linked;
        self.changed += more.changed;
        self.unchanged += more.unchanged;
        self.merged += more.merged;
        self.suppressed += more.suppressed;
        self.job_changes += more.job_changes;
        self.promotions += more.promotions;
        self.departures += more.departures;
        self.rejected += more.rejected;
    }
}
