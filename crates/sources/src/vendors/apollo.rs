//! Apollo: everything of a person.

use crate::reading::{Piece, business, email_status, job, open, person, place};
use crate::{Answer, AskedFor, Credentials, HttpAnswer, HttpQuestion, PersonSaid, Price, Question, Reading};
use crate::{Subject, Vendor, VendorFacts};
use assay_domain::Lookup;
use http::Method;

/// By the list: a credit each, about 2.5 cents. An operator sets their own.
const LOOKUPS: &[AskedFor] = &[AskedFor { lookup: Lookup::Person, price: Price::PerHit(25_000) }];

static FACTS: VendorFacts =
    VendorFacts::subscription("apollo", "https://api.apollo.io", "apollo-terms", LOOKUPS);

#[derive(Debug)]
pub(super) struct Apollo;

impl Vendor for Apollo {
    fn facts(&self) -> &VendorFacts {
        &FACTS
    }

    fn request(&self, question: &Question, key: &Credentials) -> Option<HttpQuestion> {
        let Subject { name, domain, company_name, network_url, email, .. } = &question.subject;
        let employed = name.is_some() && (domain.is_some() || company_name.is_some());
        if question.lookup != Lookup::Person || !(employed || network_url.is_some() || email.is_some()) {
            return None;
        }
        // They take a POST whose parameters stand in the query.
        let request = HttpQuestion { method: Method::POST, ..HttpQuestion::get("/api/v1/people/match") };
        let request = request
            .query("name", name.as_ref().map(|name| name.full()))
            .query("domain", domain.as_ref().map(|domain| domain.as_str()))
            .query("organization_name", company_name.as_deref())
            .query("linkedin_url", network_url.as_ref().map(|url| url.as_str()))
            .query("email", email.as_ref().map(|email| email.as_str()))
            .query("reveal_personal_emails", Some("false"))
            .header("x-api-key", key.expose());
        Some(request)
    }

    fn read(&self, _question: &Question, response: &HttpAnswer<'_>) -> Reading {
        let body = match open(response) {
            Ok(body) => body,
            Err(reading) => return reading,
        };
        // Nobody is told by a null; where the name is not even said, it is not their answer.
        let Some(found) = body.get("person") else { return Reading::Failed("unreadable") };
        if found.is_null() {
            return Reading::Miss;
        }
        read_person(Piece::new(found, response.hosts)).map_or(Reading::Failed("unreadable"), Reading::hit)
    }
}

/// What stands before the @ of an address they do not show.
const LOCKED: &str = "email_not_unlocked";

const JOB: [&str; 6] = ["organization_name", "", "", "title", "start_date", "end_date"];

fn read_person(found: Piece<'_>) -> Option<Answer> {
    let mut facts = person(found.at("name"), found.at("first_name"), found.at("last_name"))?;
    facts.headline = found.either(&["headline", "title"]).owned();
    facts.network_url = found.at("linkedin_url").page();
    facts.location = place(found, ["city", "state", "country"]);
    let mut jobs: Vec<_> = found.at("employment_history").items().map(|item| job(item, JOB)).collect();
    // Only the company worked for now is told with its site.
    let firm = found.at("organization");
    let current =
        jobs.iter_mut().find(|job| job.ended_on.is_none() && job.company_name == firm.at("name").owned());
    if let Some(current) = current {
        current.company_domain = firm.either(&["primary_domain", "website_url"]).domain();
        current.company_url = firm.at("linkedin_url").page();
    }
    let status = found.at("email_status").text().and_then(email_status);
    let email = found.at("email").email().filter(|address| address.local() != LOCKED);
    let email = email.map(|address| business(address, status));
    Some(Answer {
        emails: email.into_iter().collect(),
        person: Some(PersonSaid { reference: found.at("id").owned(), facts, jobs }),
        ..Answer::default()
    })
}
