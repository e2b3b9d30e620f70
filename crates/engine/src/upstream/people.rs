//! A person the graph does not know, from a vendor that does. What it says becomes a record of its own source, with its rights,
//! and the person is read from the graph as any other.

use super::cascade::{Said, Trail};
use super::kept::{Keeping, Memory, Remembered};
use crate::import::{CompanyRecord, PersonRecord, RecordJob, SourceRights};
use crate::{Engine, EngineError, Found, PersonQuery};
use assay_domain::clock::Stopwatch;
use assay_domain::company::CompanyFacts;
use assay_domain::{AccountId, Lookup, Person};
use assay_sources::{JobSaid, PersonSaid, Question, Subject};
use chrono::{DateTime, Utc};

/// What came of asking for a person or a company.
#[derive(Debug)]
pub struct RecordSearch<T> {
    pub found: Option<Found<T>>,
    /// Whether the account's own key was paid for it.
    pub is_own_key: bool,
    pub trail: Trail,
}

impl<T> Default for RecordSearch<T> {
    fn default() -> Self {
        Self { found: None, is_own_key: false, trail: Trail::default() }
    }
}

impl Engine {
    /// Asks vendors for somebody the graph does not know. Nothing where there is nobody to ask.
    pub async fn ask_for_person(
        &self,
        query: &PersonQuery,
        asker: AccountId,
        now: DateTime<Utc>,
    ) -> Result<RecordSearch<Person>, EngineError> {
        let mut search = RecordSearch::default();
        let Some(upstreams) = &self.upstreams else { return Ok(search) };
        let subject = subject_of(query);
        let about = self.about(&subject);
        let question = self.person_key(query);
        let asked = Remembered { lookup: Lookup::Person, question, about: &about, asker, now };
        // A find is in the graph: only a miss is remembered here.
        match upstreams.recall::<serde_json::Value>(&asked, None).await? {
            Memory::Suppressed | Memory::Missed => return Ok(search),
            Memory::Found { .. } | Memory::Nothing => {}
        }
        let segment = segment_of(&subject);
        let question = Question { lookup: Lookup::Person, subject };
        let mut cascade = upstreams.cascade(question, &segment, asker);
        while let Some(said) = cascade.next().await {
            let taken = self.take_person(query, &said, asker, now).await?;
            cascade.judge(&said, taken.is_some());
            if let Some(found) = taken {
                search.found = Some(found);
                search.is_own_key = said.is_own_key;
                break;
            }
        }
        search.trail = cascade.finish();
        if search.found.is_none() {
            upstreams.remember_miss(&asked, &search.trail).await?;
        }
        Ok(search)
    }

    /// Puts what was said into the graph and reads the person from it. Nobody where it may not be kept, where they were erased,
    /// or where what was said is not enough to tell who it is about.
    async fn take_person(
        &self,
        query: &PersonQuery,
        said: &Said,
        asker: AccountId,
        now: DateTime<Utc>,
    ) -> Result<Option<Found<Person>>, EngineError> {
        let keeping = said.keeping(asker);
        let Some(person) = said.answer.whole_person() else { return Ok(None) };
        if keeping == Keeping::Never {
            return Ok(None);
        }
        let watch = Stopwatch::start();
        let record = record_of(person, query, keeping, now);
        let ways = ways_to(&record);
        let source = self.declare_source(&source_name(said, keeping), &rights_of(said, keeping)).await?;
        if let Some(employer) = employer_of(&record) {
            self.import_one_company(&source, employer, now).await?;
        }
        let reading = self.record_reader(&source).read(record);
        self.import_one_person(&source, reading, now).await?;
        tracing::debug!(took = ?watch.elapsed(), "a vendor's person was taken in");
        for way in std::iter::once(query).chain(&ways) {
            if let Some(found) = self.resolve_person(way, asker).await? {
                let confidence =
                    said.answer.confidence.map_or(found.confidence, |it| it.min(found.confidence));
                return Ok(Some(Found { confidence, matched_on: self.matched_on(query), ..found }));
            }
        }
        Ok(None)
    }
}

/// One source for each vendor, and one for each account whose answers are its own.
pub(super) fn source_name(said: &Said, keeping: Keeping) -> String {
    match keeping.owner() {
        Some(account) => format!("{}@{account}", said.provider.name),
        None => said.provider.name.to_string(),
    }
}

pub(super) fn rights_of(said: &Said, keeping: Keeping) -> SourceRights {
    let rights = &said.provider.vendor.facts().rights;
    SourceRights {
        licence: rights.licence.to_string(),
        storable: rights.storable,
        retention_days: rights.retention_days,
        owner: keeping.owner(),
    }
}

fn subject_of(query: &PersonQuery) -> Subject {
    let mut subject = Subject::default();
    match query.clone() {
        PersonQuery::NetworkUrl(url) => subject.network_url = Some(url),
        PersonQuery::Email(email) => subject.email = Some(email),
        PersonQuery::Phone(phone) => subject.phone = Some(phone),
        PersonQuery::NameAtDomain(name, domain) => {
            subject.name = Some(name);
            subject.domain = Some(domain);
        }
        PersonQuery::NameAtCompany(name, company) => {
            subject.name = Some(name);
            subject.company_name = Some(company);
        }
    }
    subject
}

/// By what somebody is asked for, and where: vendors differ in both.
fn segment_of(subject: &Subject) -> String {
    let ending = |domain: &str| domain.rsplit('.').next().unwrap_or("-").to_owned();
    let (by, place) = match subject {
        Subject { email: Some(email), .. } => ("email", ending(email.domain().as_str())),
        Subject { phone: Some(phone), .. } => ("phone", phone.country().unwrap_or_default()),
        Subject { network_url: Some(_), .. } => ("url", String::new()),
        Subject { domain: Some(domain), .. } => ("name", ending(domain.as_str())),
        _ => ("name", String::new()),
    };
    format!("{by}/{place}")
}

fn record_of(said: PersonSaid, query: &PersonQuery, keeping: Keeping, now: DateTime<Utc>) -> PersonRecord {
    let PersonSaid { reference, mut facts, jobs } = said;
    // What a customer sends never enters the shared graph; in their own part it helps to find the person again.
    if keeping.owner().is_some()
        && let PersonQuery::NetworkUrl(url) = query
    {
        facts.network_url.get_or_insert_with(|| url.clone());
    }
    let by_url = || facts.network_url.as_ref().map(|url| format!("url-{}", url.as_str()));
    let by_email = || facts.emails.first().map(|known| format!("email-{}", known.address.as_str()));
    let by_name = || format!("name-{}", facts.full_name);
    let reference = reference.or_else(by_url).or_else(by_email).unwrap_or_else(by_name);
    let jobs = jobs.into_iter().map(job_of).collect();
    PersonRecord { reference, facts, jobs, observed_on: now.date_naive() }
}

fn job_of(said: JobSaid) -> RecordJob {
    let JobSaid { company_name, company_domain, company_url, title, started_on, ended_on } = said;
    RecordJob { company_id: None, company_name, company_domain, company_url, title, started_on, ended_on }
}

/// The company of the job they have now, as far as the vendor tells: without it they could not be found by name and domain.
fn employer_of(record: &PersonRecord) -> Option<CompanyRecord> {
    let job = record.jobs.iter().find(|job| job.ended_on.is_none())?;
    let (name, domain) = (job.company_name.clone()?, job.company_domain.clone()?);
    let reference = format!("domain-{}", domain.as_str());
    let facts = CompanyFacts {
        domain: Some(domain),
        network_url: job.company_url.clone(),
        ..CompanyFacts::named(name)
    };
    Some(CompanyRecord { reference, facts, observed_on: record.observed_on })
}

/// By what the person can be asked for once the record is in.
fn ways_to(record: &PersonRecord) -> Vec<PersonQuery> {
    let url = record.facts.network_url.clone().map(PersonQuery::NetworkUrl);
    let email = record.facts.emails.first().map(|known| PersonQuery::Email(known.address.clone()));
    let phone = record.facts.phones.first().map(|known| PersonQuery::Phone(known.number.clone()));
    url.into_iter().chain(email).chain(phone).collect()
}
