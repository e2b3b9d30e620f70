//! Hunter: an address by name and domain, and whether an address works.

use crate::reading::{Piece, business, email_status, open, retry_after};
use crate::{Answer, AskedFor, Credentials, HttpAnswer, HttpQuestion, Price, Question, Reading};
use crate::{Vendor, VendorFacts, VerdictSaid};
use assay_domain::Lookup;
use assay_domain::taxonomy::EmailStatus;

/// By the list: 2,000 credits for 49 dollars, a verification costs half of one. An operator sets their own.
const LOOKUPS: &[AskedFor] = &[
    AskedFor { lookup: Lookup::WorkEmail, price: Price::PerHit(24_500) },
    AskedFor { lookup: Lookup::Verify, price: Price::PerCall(12_250) },
];

static FACTS: VendorFacts =
    VendorFacts::subscription("hunter", "https://api.hunter.io", "hunter-terms", LOOKUPS);

#[derive(Debug)]
pub(super) struct Hunter;

impl Vendor for Hunter {
    fn facts(&self) -> &VendorFacts {
        &FACTS
    }

    fn request(&self, question: &Question, key: &Credentials) -> Option<HttpQuestion> {
        let subject = &question.subject;
        let request = match question.lookup {
            Lookup::WorkEmail => {
                let name = subject.name.as_ref()?;
                let parts = name.first().zip(name.last());
                let domain = subject.domain.as_ref().map(|domain| domain.as_str());
                let company = subject.company_name.as_deref().filter(|_| domain.is_none());
                domain.or(company)?;
                HttpQuestion::get("/v2/email-finder")
                    .query("domain", domain)
                    .query("company", company)
                    .query("first_name", parts.map(|(first, _)| first))
                    .query("last_name", parts.map(|(_, last)| last))
                    .query("full_name", parts.is_none().then(|| name.full()))
            }
            Lookup::Verify => {
                HttpQuestion::get("/v2/email-verifier").query("email", Some(subject.email.as_ref()?.as_str()))
            }
            _ => return None,
        };
        Some(request.header("X-API-KEY", key.expose()))
    }

    fn read(&self, question: &Question, response: &HttpAnswer<'_>) -> Reading {
        match response.status.as_u16() {
            // Theirs: 403 is the rate, 429 the quota, 222 a mail server that answered oddly and may not tomorrow.
            222 => return Reading::Failed("mail_server"),
            403 => return Reading::RateLimited(retry_after(response.headers)),
            429 => return Reading::QuotaExhausted,
            _ => {}
        }
        let body = match open(response) {
            Ok(body) => body,
            Err(reading) => return reading,
        };
        let data = Piece::new(&body, response.hosts).at("data");
        if !data.is_there() {
            return Reading::Failed("unreadable");
        }
        match question.lookup {
            Lookup::WorkEmail => read_found(data),
            Lookup::Verify => read_verdict(data),
            _ => Reading::Refused,
        }
    }
}

fn read_found(data: Piece<'_>) -> Reading {
    let Some(address) = data.at("email").email() else { return Reading::Miss };
    let status = data.at("verification.status").text().and_then(email_status);
    let mut email = business(address, status);
    email.confidence = data.at("score").percent();
    Reading::hit(Answer { emails: vec![email], ..Answer::default() })
}

fn read_verdict(data: Piece<'_>) -> Reading {
    let status = match data.at("status").text() {
        Some("webmail") if data.at("result").text() == Some("deliverable") => Some(EmailStatus::Valid),
        word => word.and_then(email_status),
    };
    match status {
        None => Reading::Failed("unreadable"),
        Some(EmailStatus::Unknown) => Reading::Miss,
        Some(status) => {
            let verdict = VerdictSaid {
                status,
                catch_all: data.at("accept_all").flag(),
                mx_found: data.at("mx_records").flag(),
                mailbox_exists: data.at("smtp_check").flag(),
                disposable: data.at("disposable").flag(),
            };
            Reading::hit(Answer { verdict: Some(verdict), ..Answer::default() })
        }
    }
}
