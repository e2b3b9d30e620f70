//! Prospeo: an address at work and a mobile number, by profile or by name and company.

use crate::reading::{Piece, business, email_status, line_type, open, parse, refusal, retry_after};
use crate::{Answer, AskedFor, Credentials, FoundPhone, HttpAnswer, HttpQuestion, Price, Question, Reading};
use crate::{Subject, Vendor, VendorFacts};
use assay_domain::Lookup;
use http::StatusCode;
use serde_json::{Map, json};

/// By the list: a credit for an address, ten with a mobile number, at about 4 cents. An operator sets their own.
const LOOKUPS: &[AskedFor] = &[
    AskedFor { lookup: Lookup::WorkEmail, price: Price::PerHit(39_000) },
    AskedFor { lookup: Lookup::Phone, price: Price::PerHit(390_000) },
];

static FACTS: VendorFacts =
    VendorFacts::subscription("prospeo", "https://api.prospeo.io", "prospeo-terms", LOOKUPS);

#[derive(Debug)]
pub(super) struct Prospeo;

impl Vendor for Prospeo {
    fn facts(&self) -> &VendorFacts {
        &FACTS
    }

    fn request(&self, question: &Question, key: &Credentials) -> Option<HttpQuestion> {
        let Subject { name, domain, company_name, network_url, email, .. } = &question.subject;
        let employed = name.is_some() && (domain.is_some() || company_name.is_some());
        if !(employed || network_url.is_some() || email.is_some()) {
            return None;
        }
        let known = [
            ("linkedin_url", network_url.as_ref().map(|url| url.as_str())),
            ("email", email.as_ref().map(|email| email.as_str())),
            ("full_name", name.as_ref().map(|name| name.full())),
            ("company_name", company_name.as_deref()),
            ("company_website", domain.as_ref().map(|domain| domain.as_str())),
        ];
        let known = known.into_iter().filter_map(|(field, value)| Some((field.to_owned(), value?.into())));
        let data: Map<_, _> = known.collect();
        let body = match question.lookup {
            Lookup::WorkEmail => json!({ "data": data }),
            Lookup::Phone => json!({ "data": data, "enrich_mobile": true }),
            _ => return None,
        };
        Some(HttpQuestion::post("/enrich-person", body).header("X-KEY", key.expose()))
    }

    fn read(&self, question: &Question, response: &HttpAnswer<'_>) -> Reading {
        // Their code says more than their status, which is 400 for most; but a server in trouble is not asked for it.
        if response.status.is_client_error() && response.status != StatusCode::REQUEST_TIMEOUT {
            let body = parse(response).unwrap_or_default();
            let code = Piece::new(&body, response.hosts).at("error_code").text();
            let told = code.and_then(|code| of_code(code, response));
            return told.or_else(|| refusal(response)).unwrap_or(Reading::Refused);
        }
        let body = match open(response) {
            Ok(body) => body,
            Err(reading) => return reading,
        };
        let body = Piece::new(&body, response.hosts);
        if let Some(code) = body.at("error_code").text() {
            return of_code(code, response).unwrap_or(Reading::Failed("unknown_code"));
        }
        let person = body.at("person");
        if !person.is_there() {
            return Reading::Failed("unreadable");
        }
        let answer = match question.lookup {
            Lookup::WorkEmail => read_email(person.at("email")),
            _ => read_mobile(person.at("mobile")),
        };
        if answer.is_empty() { Reading::Miss } else { Reading::hit(answer) }
    }
}

fn of_code(code: &str, response: &HttpAnswer<'_>) -> Option<Reading> {
    Some(match code {
        "NO_MATCH" | "NO_RESULTS" => Reading::Miss,
        "INSUFFICIENT_CREDITS" => Reading::QuotaExhausted,
        "RATE_LIMITED" => Reading::RateLimited(retry_after(response.headers)),
        "INVALID_API_KEY" | "ACCOUNT_RESTRICTED" => Reading::Unauthorized,
        "INVALID_DATAPOINTS" | "INVALID_REQUEST" | "INVALID_FILTERS" => Reading::Refused,
        "INTERNAL_ERROR" => Reading::Failed("their_failure"),
        _ => return None,
    })
}

fn read_email(email: Piece<'_>) -> Answer {
    let status = email.at("status").text().and_then(email_status);
    let found = email.at("email").email().map(|address| business(address, status));
    Answer { emails: found.into_iter().collect(), ..Answer::default() }
}

fn read_mobile(mobile: Piece<'_>) -> Answer {
    let number = mobile.either(&["mobile_international", "mobile"]).phone();
    let found = number.map(|number| FoundPhone { number, line: line_type("mobile") });
    Answer { phones: found.into_iter().collect(), ..Answer::default() }
}
