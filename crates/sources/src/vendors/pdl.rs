//! People Data Labs: everything of a person, and everything of a company.

use crate::reading::{
    Piece, company_kind, confidence_of_percent, job, line_type, open, parse, person, place,
};
use crate::{Answer, AskedFor, Credentials, FoundEmail, FoundPhone, HttpAnswer, HttpQuestion, PersonSaid};
use crate::{Price, Question, Reading, Subject, Vendor, VendorFacts};
use assay_domain::Lookup;
use assay_domain::company::CompanyFacts;
use assay_domain::person::{Education, EmailKind};
use assay_domain::taxonomy::Industry;

/// By the list of the smallest plan; a match is charged, a miss is not. An operator sets their own.
const LOOKUPS: &[AskedFor] = &[
    AskedFor { lookup: Lookup::Person, price: Price::PerHit(280_000) },
    AskedFor { lookup: Lookup::Company, price: Price::PerHit(100_000) },
];

static FACTS: VendorFacts =
    VendorFacts::subscription("pdl", "https://api.peopledatalabs.com", "pdl-terms", LOOKUPS);

#[derive(Debug)]
pub(super) struct Pdl;

impl Vendor for Pdl {
    fn facts(&self) -> &VendorFacts {
        &FACTS
    }

    fn request(&self, question: &Question, key: &Credentials) -> Option<HttpQuestion> {
        let subject = &question.subject;
        let Subject { name, domain, company_name, network_url, email, phone, .. } = subject;
        let page = network_url.as_ref().map(|url| url.as_str());
        let site = domain.as_ref().map(|domain| domain.as_str());
        let request = match question.lookup {
            Lookup::Person => {
                let employer = site.or(company_name.as_deref());
                let named = name.is_some() && employer.is_some();
                if !named && page.is_none() && email.is_none() && phone.is_none() {
                    return None;
                }
                HttpQuestion::get("/v5/person/enrich")
                    .query("name", name.as_ref().map(|name| name.full()))
                    .query("company", employer)
                    .query("profile", page)
                    .query("email", email.as_ref().map(|email| email.as_str()))
                    .query("phone", phone.as_ref().map(|phone| phone.as_str()))
            }
            Lookup::Company => {
                site.or(page).or(company_name.as_deref())?;
                HttpQuestion::get("/v5/company/enrich")
                    .query("website", site)
                    .query("profile", page)
                    .query("name", company_name.as_deref())
            }
            _ => return None,
        };
        Some(request.header("X-Api-Key", key.expose()))
    }

    fn read(&self, question: &Question, response: &HttpAnswer<'_>) -> Reading {
        if response.status.as_u16() == 404 {
            // Only their own 404 is a miss, not that of something in between.
            let body = parse(response).unwrap_or_default();
            let said = Piece::new(&body, response.hosts).at("status").whole::<u16>();
            return if said == Some(404) { Reading::Miss } else { Reading::Refused };
        }
        let body = match open(response) {
            Ok(body) => body,
            Err(reading) => return reading,
        };
        let body = Piece::new(&body, response.hosts);
        let read = match question.lookup {
            Lookup::Person => read_person(body.at("data")),
            Lookup::Company => read_company(body),
            _ => return Reading::Refused,
        };
        let Some(mut answer) = read else { return Reading::Failed("unreadable") };
        // Likelihood is told from 1 to 10.
        answer.confidence =
            body.at("likelihood").whole::<i64>().and_then(|it| confidence_of_percent(it.checked_mul(10)?));
        Reading::hit(answer)
    }
}

const JOB: [&str; 6] =
    ["company.name", "company.website", "company.linkedin_url", "title.name", "start_date", "end_date"];

fn read_person(data: Piece<'_>) -> Option<Answer> {
    let mut facts = person(data.at("full_name"), data.at("first_name"), data.at("last_name"))?;
    facts.headline = data.either(&["headline", "job_title"]).owned();
    facts.network_url = data.at("linkedin_url").page();
    facts.location = place(data, ["location_locality", "location_region", "location_country"]);
    facts.skills = data.at("skills").texts();
    facts.education = data.at("education").items().filter_map(school).collect();
    let email = |kind| move |address| FoundEmail { address, kind, status: None, confidence: None };
    let work = data.at("work_email").email().map(email(EmailKind::Business));
    let personal =
        data.at("personal_emails").items().filter_map(|it| it.email().map(email(EmailKind::Personal)));
    let phone =
        data.at("mobile_phone").phone().map(|number| FoundPhone { number, line: line_type("mobile") });
    let jobs = data.at("experience").items().map(|item| job(item, JOB)).collect();
    Some(Answer {
        emails: work.into_iter().chain(personal).collect(),
        phones: phone.into_iter().collect(),
        person: Some(PersonSaid { reference: data.at("id").owned(), facts, jobs }),
        ..Answer::default()
    })
}

fn school(item: Piece<'_>) -> Option<Education> {
    let first = |name| item.at(name).items().find_map(Piece::owned);
    let ended_year = item.at("end_date").date().map(|date| chrono::Datelike::year(&date));
    Some(Education {
        school: item.at("school.name").owned()?,
        degree: first("degrees"),
        field: first("majors"),
        ended_year,
    })
}

fn read_company(data: Piece<'_>) -> Option<Answer> {
    let mut facts = CompanyFacts::named(data.either(&["display_name", "name"]).owned()?);
    facts.domain = data.at("website").domain();
    facts.network_url = data.at("linkedin_url").page();
    facts.description = data.at("summary").owned();
    facts.industry = data.at("industry").text().and_then(|text| Industry::parse(text).ok());
    facts.keywords = data.at("tags").texts();
    facts.employee_count = data.at("employee_count").whole();
    facts.founded_year = data.at("founded").whole();
    facts.kind = data.at("type").text().and_then(company_kind);
    facts.headquarters = place(data, ["location.locality", "location.region", "location.country"]);
    Some(Answer { company: Some(facts), ..Answer::default() })
}
