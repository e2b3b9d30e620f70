//! Fuzz target: any bytes as the answer of a vendor, built in or from a file, alone or spliced into a documented answer.
//! Nothing of it panics, and nothing that failed or cannot be read says anything of a person.
#![no_main]

use assay_domain::{Domain, Email, NetworkHosts, NetworkUrl, PersonName, Phone};
use assay_sources::DeclarativeVendor;
use assay_sources::{Answer, Credentials, HttpAnswer, Question, Reading, Subject, Vendor, vendors};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode};
use libfuzzer_sys::{Corpus, fuzz_target};
use serde_json::Value;
use std::path::Path;
use std::sync::{Arc, LazyLock};

const EXAMPLE: &str = include_str!("../../docs/providers/example.toml");
const STATUSES: &[u16] = &[
    200, 200, 200, 200, 201, 202, 203, 204, 222, 301, 400, 401, 402, 403, 404, 404, 408, 409, 420, 422, 423,
    429, 451, 500, 502, 503, 504, 599,
];

/// A vendor and the bodies of its fixtures.
struct Known {
    vendor: Arc<dyn Vendor>,
    bodies: Vec<Value>,
}

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let declared = DeclarativeVendor::parse(EXAMPLE).expect("the shipped example is sound");
    let all = vendors::all().into_iter().chain([Arc::new(declared) as Arc<dyn Vendor>]);
    all.map(|vendor| Known { bodies: bodies(&vendor.facts().name), vendor }).collect()
});

static SUBJECT: LazyLock<Subject> = LazyLock::new(|| Subject {
    name: PersonName::from_parts("Jane", "Doe").ok(),
    domain: Domain::parse("acme.example").ok(),
    company_name: Some("Acme".to_owned()),
    network_url: NetworkUrl::parse("https://network.example/in/jane-doe", &NetworkHosts::default()).ok(),
    email: Email::parse("jane.doe@acme.example").ok(),
    phone: Phone::parse("+12025550123").ok(),
    country: Some("US".to_owned()),
});

fn bodies(vendor: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/sources/fixtures").join(vendor);
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("fixtures").map(|file| file.expect("a file").path()).collect();
    paths.sort();
    let body = |path| {
        let mut fixture: Value = serde_json::from_slice(&std::fs::read(path).expect("text")).expect("JSON");
        fixture["body"].take()
    };
    paths.into_iter().map(body).collect()
}

fuzz_target!(|data: &[u8]| -> Corpus {
    let [vendor, lookup, status, way, fixture, at, rest @ ..] = data else { return Corpus::Reject };
    let pick = |byte: &u8, count: usize| usize::from(*byte) % count;
    let known = &KNOWN[pick(vendor, KNOWN.len())];
    let lookups = &known.vendor.facts().lookups;
    let question = Question { lookup: lookups[pick(lookup, lookups.len())].lookup, subject: SUBJECT.clone() };
    let body = &known.bodies[pick(fixture, known.bodies.len())];
    let body = match way % 3 {
        0 => rest.to_vec(),
        1 => spliced(body, usize::from(*at), rest),
        _ => replaced(body, usize::from(*at), rest),
    };
    let status = StatusCode::from_u16(STATUSES[pick(status, STATUSES.len())]).expect("a status");
    see(known.vendor.as_ref(), &question, status, body.into(), rest);
    Corpus::Keep
});

fn see(vendor: &dyn Vendor, question: &Question, status: StatusCode, body: Bytes, rest: &[u8]) {
    let mut headers = HeaderMap::new();
    if let Ok(value) = HeaderValue::from_bytes(rest) {
        headers.insert("retry-after", value);
    }
    let hosts = NetworkHosts::default();
    let response = HttpAnswer { status, headers: &headers, body: &body, hosts: &hosts };
    let reading = vendor.read(question, &response);
    assert_eq!(vendor.read(question, &response), reading, "the same is read in two ways");
    let says_something = matches!(reading, Reading::Hit(_) | Reading::Miss);
    let failed = status.is_server_error() || status.is_redirection() || status.as_u16() == 408;
    assert!(!(failed && says_something), "a failure says {}", reading.as_str());
    let readable = serde_json::from_slice::<Value>(&body).is_ok();
    assert!(readable || !says_something, "what cannot be read says {}", reading.as_str());
    if let Reading::Hit(answer) = &reading {
        assert!(status.is_success(), "{status} is no hit");
        see_sound(answer);
    }
    let shown =
        format!("{reading:?} {response:?} {:?}", vendor.request(question, &Credentials::new("kk-secret-kk")));
    assert!(!shown.contains("kk-secret-kk"), "a key shows");
}

/// What is in an answer can be stored and sent.
fn see_sound(answer: &Answer) {
    assert!(!answer.is_empty(), "a hit has something");
    for found in &answer.emails {
        assert_eq!(Email::parse(found.address.as_str()).as_ref(), Ok(&found.address));
    }
    for found in &answer.phones {
        assert_eq!(Phone::parse(found.number.as_str()).as_ref(), Ok(&found.number));
    }
    if let Some(person) = &answer.person {
        assert!(!person.facts.full_name.trim().is_empty());
        assert!(person.jobs.len() <= 100 && person.facts.skills.len() <= 100);
    }
    assert!(answer.company.as_ref().is_none_or(|company| !company.name.trim().is_empty()));
}

/// The text of a fixture with some bytes put in the place of others.
fn spliced(body: &Value, at: usize, rest: &[u8]) -> Vec<u8> {
    let mut text = body.to_string().into_bytes();
    let from = (at * 3) % (text.len() + 1);
    let to = (from + rest.len()).min(text.len());
    text.splice(from..to, rest.iter().copied());
    text
}

/// A fixture with one of its values replaced by another, of whatever type.
fn replaced(body: &Value, at: usize, rest: &[u8]) -> Vec<u8> {
    let mut body = body.clone();
    let mut left = at;
    let value = serde_json::from_slice(rest).unwrap_or_else(|_| String::from_utf8_lossy(rest).into());
    replace(&mut body, &mut left, &value);
    body.to_string().into_bytes()
}

fn replace(place: &mut Value, left: &mut usize, value: &Value) -> bool {
    if *left == 0 {
        *place = value.clone();
        return true;
    }
    *left -= 1;
    match place {
        Value::Array(items) => items.iter_mut().any(|item| replace(item, left, value)),
        Value::Object(fields) => fields.iter_mut().any(|(_, field)| replace(field, left, value)),
        _ => false,
    }
}
