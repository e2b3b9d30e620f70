//! Findymail: an address by name or profile, a number by profile, whether an address works, and who is behind one.

use crate::reading::{Piece, business, job, line_type, open, parse, person, place};
use crate::{
    Answer, AskedFor, Credentials, FoundPhone, HttpAnswer, HttpQuestion, PersonSaid, Price, Question,
};
use crate::{Reading, Vendor, VendorFacts, VerdictSaid};
use assay_domain::Lookup;
use assay_domain::taxonomy::EmailStatus;
use serde_json::json;

/// By the list: 1,000 credits for 49 dollars; a number costs ten. An operator sets their own.
const LOOKUPS: &[AskedFor] = &[
    AskedFor { lookup: Lookup::WorkEmail, price: Price::PerHit(49_000) },
    AskedFor { lookup: Lookup::Phone, price: Price::PerHit(490_000) },
    AskedFor { lookup: Lookup::Verify, price: Price::PerCall(49_000) },
    AskedFor { lookup: Lookup::Person, price: Price::PerHit(98_000) },
];

static FACTS: VendorFacts =
    VendorFacts::subscription("findymail", "https://app.findymail.com", "findymail-terms", LOOKUPS);

#[derive(Debug)]
pub(super) struct Findymail;

impl Vendor for Findymail {
    fn facts(&self) -> &VendorFacts {
        &FACTS
    }

    fn request(&self, question: &Question, key: &Credentials) -> Option<HttpQuestion> {
        let subject = &question.subject;
        let page = subject.network_url.as_ref().map(|url| json!({ "linkedin_url": url.as_str() }));
        let email = subject.email.as_ref().map(|email| email.as_str());
        let request = match question.lookup {
            Lookup::WorkEmail => match (&subject.name, &subject.domain) {
                (Some(name), Some(domain)) => {
                    let body = json!({ "name": name.full(), "domain": domain.as_str() });
                    HttpQuestion::post("/api/search/name", body)
                }
                _ => HttpQuestion::post("/api/search/business-profile", page?),
            },
            Lookup::Phone => HttpQuestion::post("/api/search/phone", page?),
            Lookup::Verify => HttpQuestion::post("/api/verify", json!({ "email": email? })),
            Lookup::Person => {
                let body = json!({ "email": email?, "with_profile": true });
                HttpQuestion::post("/api/search/reverse-email", body)
            }
            _ => return None,
        };
        // Without the second one a wrong key is answered with the page to log in at.
        let bearer = format!("Bearer {}", key.expose());
        Some(request.header("Authorization", bearer).header("Accept", "application/json"))
    }

    fn read(&self, question: &Question, response: &HttpAnswer<'_>) -> Reading {
        match response.status.as_u16() {
            404 => return read_404(response),
            // A subscription that is paused.
            423 => return Reading::QuotaExhausted,
            _ => {}
        }
        let body = match open(response) {
            Ok(body) => body,
            Err(reading) => return reading,
        };
        // The field that tells a hit from a miss stands there in either case; else it is not their answer.
        let telling: &[&str] = match question.lookup {
            Lookup::WorkEmail => &["contact"],
            Lookup::Phone => &["phone"],
            Lookup::Verify => &["verified"],
            _ => &["linkedin_url", "fullName"],
        };
        if telling.iter().all(|field| body.get(field).is_none()) {
            return Reading::Failed("unreadable");
        }
        let body = Piece::new(&body, response.hosts);
        let answer = match question.lookup {
            Lookup::WorkEmail => read_contact(body.at("contact")),
            Lookup::Phone => read_phone(body),
            Lookup::Verify => read_verdict(body),
            _ => read_person(body),
        };
        if answer.is_empty() { Reading::Miss } else { Reading::hit(answer) }
    }
}

/// Nobody found, unless it is the address that was not found: then the message names the route.
fn read_404(response: &HttpAnswer<'_>) -> Reading {
    let body = parse(response).unwrap_or_default();
    let said = Piece::new(&body, response.hosts).either(&["error", "message"]).text();
    if said.is_some_and(|said| !said.contains("route")) { Reading::Miss } else { Reading::Refused }
}

/// They give only addresses they have verified.
fn read_contact(contact: Piece<'_>) -> Answer {
    let found = contact.at("email").email().map(|address| business(address, Some(EmailStatus::Valid)));
    Answer { emails: found.into_iter().collect(), ..Answer::default() }
}

fn read_phone(body: Piece<'_>) -> Answer {
    let line = line_type(body.at("line_type").text().unwrap_or("mobile"));
    let found = body.at("phone").phone().map(|number| FoundPhone { number, line });
    Answer { phones: found.into_iter().collect(), ..Answer::default() }
}

fn read_verdict(body: Piece<'_>) -> Answer {
    let verdict = body.at("verified").flag().map(|works| VerdictSaid {
        status: if works { EmailStatus::Valid } else { EmailStatus::Invalid },
        catch_all: None,
        mx_found: None,
        mailbox_exists: Some(works),
        disposable: None,
    });
    Answer { verdict, ..Answer::default() }
}

const JOB: [&str; 6] =
    ["companyName", "companyWebsite", "companyLinkedinUrl", "title", "startDate", "endDate"];

fn read_person(body: Piece<'_>) -> Answer {
    let Some(mut facts) = person(body.at("fullName"), body.at("firstName"), body.at("lastName")) else {
        return Answer::default();
    };
    facts.headline = body.either(&["headline", "jobTitle"]).owned();
    facts.network_url = body.at("linkedin_url").page();
    facts.skills = body.at("skills").texts();
    facts.location = place(body, ["city", "region", "country"]);
    let jobs = body.at("jobs").items().map(|item| job(item, JOB)).collect();
    Answer { person: Some(PersonSaid { reference: None, facts, jobs }), ..Answer::default() }
}
