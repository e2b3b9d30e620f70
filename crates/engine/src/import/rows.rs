//! Rows of a file as records of a source.

use assay_domain::company::{CompanyFacts, Technology};
use assay_domain::person::{Education, EmailKind, KnownEmail, KnownPhone, LineType, Location, PersonFacts};
use assay_domain::{Email, Phone};
use assay_intake::{CompanyRow, CountryCode, EducationRow, EmploymentRow, PersonRow};
use chrono::{Datelike, NaiveDate};
use std::cmp::Reverse;

use super::record::{CompanyRecord, PersonRecord, RecordJob};
use crate::matching::email_kind;

/// Of technologies that a file names without saying what they are for.
const CATEGORY_UNKNOWN: &str = "Other";

/// A row that does not say when it was true is taken to be true today.
pub fn person_record(mut row: PersonRow, today: NaiveDate) -> PersonRecord {
    let jobs = jobs(&mut row);
    let current = jobs.first().filter(|job| job.ended_on.is_none());
    let facts = PersonFacts {
        full_name: full_name(&row),
        first_name: row.first_name,
        last_name: row.last_name,
        headline: row.headline,
        emails: row.emails.into_iter().map(|email| known_email(email.address, email.kind)).collect(),
        phones: row.phones.into_iter().map(known_phone).collect(),
        network_url: row.network_url,
        location: location(row.city, row.region, row.country),
        education: row.education.into_iter().map(education).collect(),
        skills: row.skills,
        languages: row.languages.iter().map(|language| language.as_str().to_owned()).collect(),
        certifications: row.certifications,
        last_job_change_on: current.and_then(|job| job.started_on),
    };
    PersonRecord { reference: row.external_ref, facts, jobs, observed_on: row.observed_on.unwrap_or(today) }
}

pub fn company_record(row: CompanyRow, today: NaiveDate) -> CompanyRecord {
    let observed_on = row.observed_on.unwrap_or(today);
    let facts = CompanyFacts {
        name: company_name(&row),
        legal_name: row.legal_name,
        domain: row.domain,
        domains: row.domains,
        network_url: row.network_url,
        description: row.description,
        industry: row.industry,
        keywords: row.keywords,
        // The lower end of a range is within the band that was meant.
        employee_count: row.employee_count.map(|count| count.least),
        employee_growth_percent: None,
        revenue_range: row.revenue_range,
        founded_year: row.founded_year,
        kind: row.kind,
        headquarters: location(row.city, row.region, row.country),
        locations: Vec::new(),
        technologies: row.technologies.into_iter().map(|name| technology(name, observed_on)).collect(),
        funding_rounds: Vec::new(),
        open_roles: None,
        mail: None,
    };
    CompanyRecord { reference: row.external_ref, facts, observed_on }
}

fn full_name(row: &PersonRow) -> String {
    if let Some(name) = &row.full_name {
        return name.clone();
    }
    let parts = [&row.first_name, &row.middle_name, &row.last_name];
    parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// A company without a name is called as its site is, else as its page is.
fn company_name(row: &CompanyRow) -> String {
    let site = row.domain.as_ref().map(|domain| domain.as_str().to_owned());
    let page = || row.network_url.as_ref().map(|page| page.slug().to_owned());
    row.name.clone().or(site).or_else(page).unwrap_or_default()
}

fn known_email(address: Email, kind: Option<EmailKind>) -> KnownEmail {
    let kind = kind.unwrap_or_else(|| email_kind(&address));
    KnownEmail { address, kind, status: None, verified_at: None }
}

/// No file says what line a number is, and a number alone does not tell.
fn known_phone(number: Phone) -> KnownPhone {
    KnownPhone { number, line: LineType::Unknown }
}

fn location(city: Option<String>, region: Option<String>, country: Option<CountryCode>) -> Option<Location> {
    let country = country.map(|country| country.as_str().to_owned());
    let place = Location { city, region, country };
    (place != Location::default()).then_some(place)
}

fn education(row: EducationRow) -> Education {
    let ended_year = row.ended_on.map(|day| day.year());
    Education { school: row.school, degree: row.degree, field: row.field, ended_year }
}

fn technology(name: String, seen: NaiveDate) -> Technology {
    Technology { name, category: CATEGORY_UNKNOWN.to_owned(), first_seen: seen, last_seen: seen }
}

/// The job of the row's own columns, then the others, newest first. Files mostly have them like that; where all of them
/// say when they began, it is made sure.
fn jobs(row: &mut PersonRow) -> Vec<RecordJob> {
    let own = RecordJob {
        company_id: None,
        company_name: row.company_name.take(),
        company_domain: row.company_domain.take(),
        company_url: row.company_network_url.take(),
        title: row.title.take(),
        started_on: row.started_on,
        ended_on: row.ended_on,
    };
    let mut others: Vec<RecordJob> = std::mem::take(&mut row.employments).into_iter().map(job).collect();
    if others.iter().all(|job| job.started_on.is_some()) {
        others.sort_by_key(|job| Reverse(job.started_on));
    }
    own.is_told().then_some(own).into_iter().chain(others).collect()
}

fn job(row: EmploymentRow) -> RecordJob {
    RecordJob {
        company_id: None,
        company_name: row.company_name,
        company_domain: row.company_domain,
        company_url: None,
        title: row.title,
        started_on: row.started_on,
        ended_on: row.ended_on,
    }
}

impl RecordJob {
    /// Dates alone are no job.
    fn is_told(&self) -> bool {
        let Self { company_name, company_domain, company_url, title, .. } = self;
        company_name.is_some() || company_domain.is_some() || company_url.is_some() || title.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::{Domain, NetworkHosts, NetworkUrl};
    use assay_intake::EmailRow;

    fn day(year: i32, month: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(year, month, 1).unwrap()
    }

    fn past_job(title: &str, started_on: Option<NaiveDate>) -> EmploymentRow {
        EmploymentRow {
            title: Some(title.into()),
            company_name: Some("Northwind".into()),
            started_on,
            ended_on: Some(day(2020, 1)),
            ..EmploymentRow::default()
        }
    }

    fn titles(record: &PersonRecord) -> Vec<&str> {
        record.jobs.iter().filter_map(|job| job.title.as_deref()).collect()
    }

    #[test]
    fn a_row_becomes_a_record_with_its_current_job_first() {
        let row = PersonRow {
            external_ref: "7".into(),
            first_name: Some("Ines".into()),
            last_name: Some("Fox".into()),
            title: Some("CFO".into()),
            company_domain: Some(Domain::parse("acme.example").unwrap()),
            started_on: Some(day(2024, 3)),
            employments: vec![
                past_job("Clerk", Some(day(2010, 1))),
                past_job("Controller", Some(day(2015, 1))),
            ],
            country: CountryCode::parse("PT").ok(),
            ..PersonRow::default()
        };
        let record = person_record(row, day(2026, 11));
        assert_eq!((&*record.reference, &*record.facts.full_name), ("7", "Ines Fox"));
        assert_eq!(titles(&record), ["CFO", "Controller", "Clerk"]);
        assert_eq!(record.facts.last_job_change_on, Some(day(2024, 3)));
        assert_eq!(record.facts.location.unwrap().country.as_deref(), Some("PT"));
        assert_eq!(record.observed_on, day(2026, 11));
    }

    #[test]
    fn jobs_of_unknown_age_stay_in_the_order_of_the_file() {
        let employments = vec![past_job("Clerk", None), past_job("Controller", Some(day(2015, 1)))];
        let record = person_record(PersonRow { employments, ..PersonRow::default() }, day(2026, 11));
        assert_eq!(titles(&record), ["Clerk", "Controller"]);
        assert_eq!(record.facts.last_job_change_on, None);
        assert!(record.facts.full_name.is_empty() && record.facts.location.is_none());
    }

    #[test]
    fn an_address_of_unknown_use_is_judged_by_its_host() {
        let email = |text: &str, kind| EmailRow { address: Email::parse(text).unwrap(), kind };
        let emails = vec![
            email("ines@acme.example", None),
            email("ines@gmail.com", None),
            email("fox@gmail.com", Some(EmailKind::Business)),
        ];
        let record = person_record(PersonRow { emails, ..PersonRow::default() }, day(2026, 11));
        let kinds: Vec<EmailKind> = record.facts.emails.iter().map(|email| email.kind).collect();
        assert_eq!(kinds, [EmailKind::Business, EmailKind::Personal, EmailKind::Business]);
    }

    #[test]
    fn a_company_is_called_as_surely_as_the_row_can() {
        let hosts = NetworkHosts::default();
        let page = NetworkUrl::parse(&format!("https://{}/company/acme", hosts.canonical()), &hosts);
        let mut row = CompanyRow { network_url: page.ok(), ..CompanyRow::default() };
        let name = |row: &CompanyRow| company_record(row.clone(), day(2026, 11)).facts.name;
        assert_eq!(name(&row), "acme");
        row.domain = Domain::parse("acme.example").ok();
        assert_eq!(name(&row), "acme.example");
        row.name = Some("Acme".into());
        row.technologies = vec!["PostgreSQL".into()];
        row.observed_on = Some(day(2025, 5));
        let record = company_record(row, day(2026, 11));
        assert_eq!((&*record.facts.name, record.observed_on), ("Acme", day(2025, 5)));
        assert_eq!(record.facts.technologies[0].last_seen, day(2025, 5));
    }
}
