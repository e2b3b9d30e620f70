//! What the filter of a declaration made, as an answer. The fields are those of docs/providers.md.

use crate::reading::{Piece, company_kind, email_status, job, line_type, person, place};
use crate::{Answer, FoundEmail, FoundPhone, Line, PersonSaid, VerdictSaid};
use assay_domain::Lookup;
use assay_domain::company::CompanyFacts;
use assay_domain::person::EmailKind;
use assay_domain::taxonomy::Industry;

pub(super) fn read(lookup: Lookup, made: Piece<'_>) -> Answer {
    let status = made.at("email_status").text().and_then(email_status);
    let email = |field, kind, status| {
        let found = made.at(field).email();
        found.map(|address| FoundEmail { address, kind, status, confidence: None })
    };
    let work = email("email", EmailKind::Business, status);
    let status = made.at("personal_email_status").text().and_then(email_status);
    let personal = email("personal_email", EmailKind::Personal, status);
    let line = line_type(made.at("line_type").text().unwrap_or_default());
    Answer {
        emails: work.into_iter().chain(personal).collect(),
        phones: made.at("phone").phone().map(|number| FoundPhone { number, line }).into_iter().collect(),
        verdict: read_verdict(made.at("verdict")),
        person: read_person(made.at("person")),
        company: read_company(made.at("company")),
        line: (lookup == Lookup::Line).then(|| read_line(made)).flatten(),
        confidence: made.at("confidence").share(),
        charged_thousandths: made.at("charged").thousandths(),
    }
}

fn read_line(made: Piece<'_>) -> Option<Line> {
    let (kind, valid) = (made.at("line_type").text(), made.at("valid").flag());
    let is_told = kind.is_some() || valid == Some(false);
    is_told.then(|| Line {
        valid,
        kind: line_type(kind.unwrap_or_default()),
        carrier: made.at("carrier").owned(),
        country: made.at("country").country(),
    })
}

fn read_verdict(made: Piece<'_>) -> Option<VerdictSaid> {
    Some(VerdictSaid {
        status: made.at("status").text().and_then(email_status)?,
        catch_all: made.at("catch_all").flag(),
        mx_found: made.at("mx_found").flag(),
        mailbox_exists: made.at("mailbox_exists").flag(),
        disposable: made.at("disposable").flag(),
    })
}

const JOB: [&str; 6] = ["company_name", "company_domain", "company_url", "title", "started_on", "ended_on"];
const PLACE: [&str; 3] = ["city", "region", "country"];

fn read_person(made: Piece<'_>) -> Option<PersonSaid> {
    let mut facts = person(made.at("full_name"), made.at("first_name"), made.at("last_name"))?;
    facts.headline = made.at("headline").owned();
    facts.network_url = made.at("network_url").page();
    facts.location = place(made, PLACE);
    facts.skills = made.at("skills").texts();
    let jobs = made.at("jobs").items().map(|item| job(item, JOB)).collect();
    Some(PersonSaid { reference: made.at("id").owned(), facts, jobs })
}

fn read_company(made: Piece<'_>) -> Option<CompanyFacts> {
    let mut facts = CompanyFacts::named(made.at("name").owned()?);
    facts.legal_name = made.at("legal_name").owned();
    facts.domain = made.at("domain").domain();
    facts.network_url = made.at("network_url").page();
    facts.description = made.at("description").owned();
    facts.industry = made.at("industry").text().and_then(|text| Industry::parse(text).ok());
    facts.keywords = made.at("keywords").texts();
    facts.employee_count = made.at("employee_count").whole();
    facts.founded_year = made.at("founded_year").whole();
    facts.kind = made.at("kind").text().and_then(company_kind);
    facts.headquarters = place(made, PLACE);
    Some(facts)
}
