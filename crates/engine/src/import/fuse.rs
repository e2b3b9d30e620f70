//! What a person's record shows, made of all that sources say: which value wins is written in docs/import.md.
//!
//! The same records make the same person, whatever the order in which they came.

use super::employers::Meant;
use super::record::{PersonRecord, RecordJob};
use assay_domain::limits::EXPERIENCE_MAX;
use assay_domain::name::{fold_company, fold_text};
use assay_domain::person::{EmailKind, Employment, KnownEmail, PersonFacts};
use assay_domain::provenance::Attribution;
use assay_domain::taxonomy::EmailStatus;
use assay_domain::title::read_title;
use assay_domain::{AccountId, CompanyId, Domain, Provenance};
use assay_store::graph::Rights;
use chrono::{Days, NaiveDate};
use std::collections::BTreeMap;

/// More values of one kind help nobody.
const LIST_MAX: usize = 20;

/// One record, who says it, and since when.
#[derive(Debug, Clone)]
pub(super) struct Testimony {
    pub(super) source: String,
    pub(super) record: PersonRecord,
    pub(super) first_seen: NaiveDate,
    pub(super) last_seen: NaiveDate,
    pub(super) retention_days: Option<u32>,
    /// How sure it is that the record is about this person.
    pub(super) confidence_percent: u8,
    /// The company of each job, as far as it is known which.
    pub(super) companies: Vec<Meant>,
}

/// A company of the graph, as much of it as a person's record needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KnownCompany {
    pub(super) id: CompanyId,
    pub(super) name: String,
    pub(super) domain: Option<Domain>,
}

/// A person as their record will be.
#[derive(Debug, Clone)]
pub(super) struct Fused {
    pub(super) facts: PersonFacts,
    pub(super) experience: Vec<Employment>,
    /// Of the current job: the site the company has, or the record names.
    pub(super) employer_domain: Option<Domain>,
    pub(super) provenance: Provenance,
    pub(super) rights: Rights,
}

/// None without a record that has a name.
pub(super) fn fuse<'a>(
    testimonies: impl Iterator<Item = &'a Testimony>,
    owner: Option<AccountId>,
) -> Option<Fused> {
    let mut ordered: Vec<&Testimony> = testimonies.collect();
    ordered.sort_by(|one, other| {
        let newest_first = other.record.observed_on.cmp(&one.record.observed_on);
        newest_first
            .then_with(|| (&one.source, &one.record.reference).cmp(&(&other.source, &other.record.reference)))
    });
    let named = best_named(&ordered)?;
    let (experience, employer_domain) = fuse_jobs(&ordered);
    let mut facts = PersonFacts {
        full_name: named.full_name.clone(),
        first_name: named.first_name.clone(),
        last_name: named.last_name.clone(),
        headline: first(&ordered, |facts| facts.headline.clone()),
        emails: best_first(union(&ordered, |facts| &facts.emails, |email| email.address.as_str().to_owned())),
        phones: union(&ordered, |facts| &facts.phones, |phone| phone.number.as_str().to_owned()),
        network_url: first(&ordered, |facts| facts.network_url.clone()),
        location: first(&ordered, |facts| facts.location.clone()),
        education: union(&ordered, |facts| &facts.education, |school| fold_text(&school.school)),
        skills: union(&ordered, |facts| &facts.skills, |skill| fold_text(skill)),
        languages: union(&ordered, |facts| &facts.languages, Clone::clone),
        certifications: union(&ordered, |facts| &facts.certifications, |name| fold_text(name)),
        last_job_change_on: None,
    };
    let current = experience.iter().find(|job| job.ended_on.is_none());
    facts.last_job_change_on = current.and_then(|job| job.started_on);
    let expires = ordered.iter().filter_map(|said| expires_on(said)).min();
    let provenance = provenance(&ordered, &facts);
    Some(Fused {
        facts,
        experience,
        employer_domain,
        provenance,
        rights: Rights { owner, expires_on: expires },
    })
}

/// The last day on which a record may be shown.
pub(super) fn expires_on(testimony: &Testimony) -> Option<NaiveDate> {
    testimony.last_seen.checked_add_days(Days::new(u64::from(testimony.retention_days?)))
}

/// A name in two parts beats one in one, a name written out beats an initial; then the newest.
fn best_named<'a>(ordered: &[&'a Testimony]) -> Option<&'a PersonFacts> {
    let rank = |facts: &PersonFacts| {
        let written_out = |part: &Option<String>| part.as_ref().is_some_and(|part| part.chars().count() > 2);
        u8::from(written_out(&facts.last_name)) + u8::from(written_out(&facts.first_name))
    };
    let named = ordered.iter().map(|said| &said.record.facts).filter(|facts| !facts.full_name.is_empty());
    named
        .enumerate()
        .max_by_key(|(place, facts)| (rank(facts), std::cmp::Reverse(*place)))
        .map(|(_, facts)| facts)
}

fn first<T>(ordered: &[&Testimony], value: impl Fn(&PersonFacts) -> Option<T>) -> Option<T> {
    ordered.iter().find_map(|said| value(&said.record.facts))
}

/// All values, those of the newest record first, each once.
fn union<T: Clone>(
    ordered: &[&Testimony],
    values: impl Fn(&PersonFacts) -> &Vec<T>,
    same: impl Fn(&T) -> String,
) -> Vec<T> {
    let mut seen = Vec::new();
    let mut all = Vec::new();
    for value in ordered.iter().flat_map(|said| values(&said.record.facts)) {
        let key = same(value);
        if all.len() < LIST_MAX && !seen.contains(&key) {
            seen.push(key);
            all.push(value.clone());
        }
    }
    all
}

/// A job on its way into the record.
struct Draft {
    company: Option<KnownCompany>,
    name: String,
    domain: Option<Domain>,
    title: Option<String>,
    started_on: Option<NaiveDate>,
    ended_on: Option<NaiveDate>,
    /// Which testimony told of it first.
    said_by: usize,
}

fn fuse_jobs(ordered: &[&Testimony]) -> (Vec<Employment>, Option<Domain>) {
    let mut drafts: Vec<Draft> = Vec::new();
    for (place, said) in ordered.iter().enumerate() {
        for (at, job) in said.record.jobs.iter().enumerate() {
            let company = said.companies.get(at).and_then(|meant| meant.company.as_ref());
            add_job(&mut drafts, draft(job, company, place));
        }
    }
    end_what_is_over(&mut drafts, ordered);
    drafts.sort_by_key(|job| {
        (job.ended_on.is_some(), std::cmp::Reverse((job.ended_on, job.started_on)), job.said_by)
    });
    drafts.truncate(EXPERIENCE_MAX);
    let domain = drafts.first().filter(|job| job.ended_on.is_none()).and_then(|job| job.domain.clone());
    (drafts.into_iter().map(employment).collect(), domain)
}

fn draft(job: &RecordJob, company: Option<&KnownCompany>, said_by: usize) -> Draft {
    let known = company.map(|company| company.name.clone());
    let named = || {
        job.company_name.clone().or_else(|| job.company_domain.as_ref().map(|site| site.as_str().to_owned()))
    };
    Draft {
        company: company.cloned(),
        name: known.or_else(named).unwrap_or_default(),
        domain: company.and_then(|company| company.domain.clone()).or_else(|| job.company_domain.clone()),
        title: job.title.clone(),
        started_on: job.started_on,
        ended_on: job.ended_on,
        said_by,
    }
}

/// Two records tell of one job when the company is one and neither title nor beginning speaks against it.
fn add_job(drafts: &mut Vec<Draft>, job: Draft) {
    if job.name.is_empty() && job.title.is_none() {
        return;
    }
    let same_company = |held: &Draft| match (&held.company, &job.company) {
        (Some(one), Some(other)) => one.id == other.id,
        _ => fold_company(&held.name) == fold_company(&job.name),
    };
    let agree = |held: &Draft| {
        let titles = match (&held.title, &job.title) {
            (Some(one), Some(other)) => fold_text(one) == fold_text(other),
            _ => true,
        };
        let beginnings =
            held.started_on.is_none() || job.started_on.is_none() || held.started_on == job.started_on;
        (titles && beginnings) || (held.started_on.is_some() && held.started_on == job.started_on)
    };
    match drafts.iter_mut().find(|held| held.said_by != job.said_by && same_company(held) && agree(held)) {
        Some(held) => {
            held.company = held.company.take().or(job.company);
            held.domain = held.domain.take().or(job.domain);
            held.title = held.title.take().or(job.title);
            held.started_on = held.started_on.or(job.started_on);
            held.ended_on = held.ended_on.or(job.ended_on);
        }
        None => drafts.push(job),
    }
}

/// A job that only an older record calls the present one ended when the newer one began, or was first seen.
fn end_what_is_over(drafts: &mut [Draft], ordered: &[&Testimony]) {
    let present = drafts.iter().filter(|job| job.ended_on.is_none()).min_by_key(|job| job.said_by);
    let Some((newest, began)) = present.map(|job| (job.said_by, job.started_on)) else { return };
    let Some(newest_seen) = ordered.get(newest).map(|said| said.record.observed_on) else { return };
    for job in drafts.iter_mut().filter(|job| job.ended_on.is_none() && job.said_by != newest) {
        let over = began.unwrap_or(newest_seen);
        job.ended_on = Some(job.started_on.map_or(over, |start| over.max(start)));
    }
}

fn employment(job: Draft) -> Employment {
    let reading = job.title.as_deref().map(read_title);
    Employment {
        company_id: job.company.map(|company| company.id),
        company_name: job.name,
        title: job.title.unwrap_or_default(),
        seniority: reading.as_ref().map(|reading| reading.seniority),
        department: reading.as_ref().map(|reading| reading.department),
        started_on: job.started_on,
        ended_on: job.ended_on,
    }
}

/// Who said which field: whoever has a value that the record shows.
fn provenance(ordered: &[&Testimony], facts: &PersonFacts) -> Provenance {
    let mut by_source: BTreeMap<&str, Attribution> = BTreeMap::new();
    for said in ordered {
        let entry = by_source.entry(&said.source).or_insert_with(|| Attribution {
            provider: said.source.clone(),
            url: None,
            fields: Vec::new(),
            first_seen: said.first_seen,
            last_seen: said.last_seen,
            confidence_percent: said.confidence_percent,
        });
        entry.first_seen = entry.first_seen.min(said.first_seen);
        entry.last_seen = entry.last_seen.max(said.last_seen);
        entry.confidence_percent = entry.confidence_percent.max(said.confidence_percent);
        for field in fields_said(&said.record, facts) {
            if !entry.fields.iter().any(|known| known == field) {
                entry.fields.push(field.to_owned());
            }
        }
    }
    let mut all: Vec<Attribution> = by_source.into_values().collect();
    if let [only] = all.as_mut_slice() {
        // One source speaks for the whole record.
        only.fields.clear();
    }
    Provenance(all)
}

/// Addresses at work before private ones, those known to take mail before others; else as they came.
fn best_first(mut emails: Vec<KnownEmail>) -> Vec<KnownEmail> {
    emails.sort_by_key(|email| (email.kind != EmailKind::Business, email.status != Some(EmailStatus::Valid)));
    emails
}

fn fields_said(record: &PersonRecord, shown: &PersonFacts) -> Vec<&'static str> {
    let said = &record.facts;
    let best_email = shown.emails.first().map(|email| &email.address);
    let best_phone = shown.phones.first().map(|phone| &phone.number);
    let has_title = record.jobs.first().is_some_and(|job| job.title.is_some());
    let all = [
        ("fullName", said.full_name == shown.full_name),
        ("headline", said.headline.is_some() && said.headline == shown.headline),
        ("title", has_title),
        ("email", best_email.is_some_and(|best| said.emails.iter().any(|email| email.address == *best))),
        ("phone", best_phone.is_some_and(|best| said.phones.iter().any(|phone| phone.number == *best))),
        ("networkUrl", said.network_url.is_some() && said.network_url == shown.network_url),
        ("location", said.location.is_some() && said.location == shown.location),
        ("company", !record.jobs.is_empty()),
        ("experience", !record.jobs.is_empty()),
        ("education", !said.education.is_empty()),
        ("skills", !said.skills.is_empty()),
        ("languages", !said.languages.is_empty()),
        ("certifications", !said.certifications.is_empty()),
    ];
    all.into_iter().filter_map(|(field, is_said)| is_said.then_some(field)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::Email;

    #[test]
    fn an_address_at_work_that_takes_mail_is_the_first() {
        let email = |address: &str, kind, status| KnownEmail {
            address: Email::parse(address).unwrap(),
            kind,
            status,
            verified_at: None,
        };
        let (work, private, valid) = (EmailKind::Business, EmailKind::Personal, Some(EmailStatus::Valid));
        let sorted = best_first(vec![
            email("private@gmail.com", private, valid),
            email("old@acme.example", work, None),
            email("new@acme.example", work, None),
            email("jane@acme.example", work, valid),
        ]);
        let addresses: Vec<&str> = sorted.iter().map(|email| email.address.as_str()).collect();
        assert_eq!(
            addresses,
            ["jane@acme.example", "old@acme.example", "new@acme.example", "private@gmail.com"]
        );
    }
}
