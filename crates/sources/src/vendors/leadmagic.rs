//! LeadMagic: addresses at work and at home, a mobile number, and whether an address works.

use crate::reading::{Piece, business, email_status, line_type, open, parse};
use crate::{
    Answer, AskedFor, Credentials, FoundEmail, FoundPhone, HttpAnswer, HttpQuestion, Price, Question,
};
use crate::{Reading, Vendor, VendorFacts, VerdictSaid};
use assay_domain::Lookup;
use assay_domain::person::EmailKind;
use assay_domain::taxonomy::EmailStatus;
use serde_json::json;

/// By the list: credits at about 2.4 cents; 1, 2, 5 and a quarter of one. An operator sets their own.
const LOOKUPS: &[AskedFor] = &[
    AskedFor { lookup: Lookup::WorkEmail, price: Price::PerHit(24_000) },
    AskedFor { lookup: Lookup::PersonalEmail, price: Price::PerHit(48_000) },
    AskedFor { lookup: Lookup::Phone, price: Price::PerHit(120_000) },
    AskedFor { lookup: Lookup::Verify, price: Price::PerHit(6_000) },
];

static FACTS: VendorFacts =
    VendorFacts::subscription("leadmagic", "https://api.leadmagic.io", "leadmagic-terms", LOOKUPS);

#[derive(Debug)]
pub(super) struct Leadmagic;

impl Vendor for Leadmagic {
    fn facts(&self) -> &VendorFacts {
        &FACTS
    }

    fn request(&self, question: &Question, key: &Credentials) -> Option<HttpQuestion> {
        let subject = &question.subject;
        let page = subject.network_url.as_ref().map(|url| json!({ "profile_url": url.as_str() }));
        let email = subject.email.as_ref().map(|email| email.as_str());
        let request = match question.lookup {
            Lookup::WorkEmail => {
                let name = subject.name.as_ref()?;
                let (first, last) = name.first().zip(name.last())?;
                let body = match (&subject.domain, &subject.company_name) {
                    (Some(domain), _) => {
                        json!({ "first_name": first, "last_name": last, "domain": domain.as_str() })
                    }
                    (None, Some(company)) => {
                        json!({ "first_name": first, "last_name": last, "company_name": company })
                    }
                    (None, None) => return None,
                };
                HttpQuestion::post("/v1/people/email-finder", body)
            }
            Lookup::PersonalEmail => HttpQuestion::post("/v1/people/personal-email-finder", page?),
            Lookup::Phone => {
                let body = page.or_else(|| email.map(|email| json!({ "work_email": email })))?;
                HttpQuestion::post("/v1/people/mobile-finder", body)
            }
            Lookup::Verify => HttpQuestion::post("/v1/people/email-validation", json!({ "email": email? })),
            _ => return None,
        };
        Some(request.header("X-API-Key", key.expose()))
    }

    fn read(&self, question: &Question, response: &HttpAnswer<'_>) -> Reading {
        let by_profile = matches!(question.lookup, Lookup::PersonalEmail | Lookup::Phone);
        if response.status.as_u16() == 404 && by_profile {
            // A profile they do not have; it comes with a message, as all of theirs does.
            let body = parse(response).unwrap_or_default();
            return if body.get("message").is_some() { Reading::Miss } else { Reading::Refused };
        }
        let body = match open(response) {
            Ok(body) => body,
            Err(reading) => return reading,
        };
        // Every answer of theirs says what it cost, be it nothing, or has a message.
        let is_theirs = body.get("credits_consumed").is_some() || body.get("message").is_some();
        if !is_theirs {
            return Reading::Failed("unreadable");
        }
        let body = Piece::new(&body, response.hosts);
        let mut answer = match question.lookup {
            Lookup::WorkEmail => read_email(body),
            Lookup::PersonalEmail => read_personal(body),
            Lookup::Phone => read_mobile(body),
            Lookup::Verify => read_verdict(body),
            _ => return Reading::Refused,
        };
        if answer.is_empty() {
            return Reading::Miss;
        }
        answer.charged_thousandths = body.at("credits_consumed").thousandths();
        Reading::hit(answer)
    }
}

/// Their documents are not of one mind on what it is called.
fn status(body: Piece<'_>) -> Option<EmailStatus> {
    body.either(&["email_status", "status"]).text().and_then(email_status)
}

fn read_email(body: Piece<'_>) -> Answer {
    let found = body.at("email").email().map(|address| business(address, status(body)));
    Answer { emails: found.into_iter().collect(), ..Answer::default() }
}

fn read_personal(body: Piece<'_>) -> Answer {
    let first = body.either(&["personal_email", "first_personal_email"]).email();
    let others = body.at("personal_emails").items().filter_map(Piece::email);
    let others = others.filter(|address| Some(address) != first.as_ref());
    let found = first.clone().into_iter().chain(others);
    let personal =
        |address| FoundEmail { address, kind: EmailKind::Personal, status: None, confidence: None };
    Answer { emails: found.map(personal).collect(), ..Answer::default() }
}

fn read_mobile(body: Piece<'_>) -> Answer {
    let found =
        body.at("mobile_number").phone().map(|number| FoundPhone { number, line: line_type("mobile") });
    Answer { phones: found.into_iter().collect(), ..Answer::default() }
}

fn read_verdict(body: Piece<'_>) -> Answer {
    let told = status(body).filter(|status| *status != EmailStatus::Unknown);
    let verdict = told.map(|status| VerdictSaid {
        status,
        catch_all: body.at("is_domain_catch_all").flag(),
        mx_found: body.at("mx_record").text().map(|_| true),
        mailbox_exists: None,
        disposable: None,
    });
    Answer { verdict, ..Answer::default() }
}
