//! Twilio Lookup: what kind of line a number is, and whose network it is on.

use crate::reading::{Piece, line_type, open, parse};
use crate::{Answer, AskedFor, Credentials, HttpAnswer, HttpQuestion, Line, Price, Question, Reading};
use crate::{Vendor, VendorFacts};
use assay_domain::Lookup;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// By the list. An operator sets their own.
const LOOKUPS: &[AskedFor] = &[AskedFor { lookup: Lookup::Line, price: Price::PerCall(8_000) }];

static FACTS: VendorFacts =
    VendorFacts::subscription("twilio", "https://lookups.twilio.com", "twilio-terms", LOOKUPS);

/// Their number for what does not exist, here a telephone number.
const NOT_FOUND: u32 = 20_404;

/// Its key is the account's SID and a token with a colon between them.
#[derive(Debug)]
pub(super) struct Twilio;

impl Vendor for Twilio {
    fn facts(&self) -> &VendorFacts {
        &FACTS
    }

    fn request(&self, question: &Question, key: &Credentials) -> Option<HttpQuestion> {
        if question.lookup != Lookup::Line {
            return None;
        }
        let number = question.subject.phone.as_ref()?.as_str().trim_start_matches('+');
        let request = HttpQuestion::get(format!("/v2/PhoneNumbers/%2B{number}"))
            .query("Fields", Some("line_type_intelligence"))
            .header("Authorization", format!("Basic {}", STANDARD.encode(key.expose())));
        Some(request)
    }

    fn read(&self, _question: &Question, response: &HttpAnswer<'_>) -> Reading {
        if response.status.as_u16() == 404 {
            // Only their own word is a miss, not the 404 of something in between.
            let body = parse(response).unwrap_or_default();
            let code = Piece::new(&body, response.hosts).at("code").whole::<u32>();
            return if code == Some(NOT_FOUND) { Reading::Miss } else { Reading::Refused };
        }
        let body = match open(response) {
            Ok(body) => body,
            Err(reading) => return reading,
        };
        let body = Piece::new(&body, response.hosts);
        let line = body.at("line_type_intelligence");
        let (valid, kind) = (body.at("valid").flag(), line.at("type").text());
        match (valid, kind) {
            (None, _) => Reading::Failed("unreadable"),
            // A number that can be in use, and nothing known of its line.
            (Some(true), None) => Reading::Miss,
            (Some(valid), kind) => {
                let line = Line {
                    valid: Some(valid),
                    kind: line_type(kind.unwrap_or_default()),
                    carrier: line.at("carrier_name").owned(),
                    country: body.at("country_code").country(),
                };
                Reading::hit(Answer { line: Some(line), ..Answer::default() })
            }
        }
    }
}
