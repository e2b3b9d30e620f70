//! Fixtures of vendors: a question, the request it makes, what came back, and what that means.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "fixtures of tests are as they are"
)]

use assay_domain::{Domain, Email, Lookup, NetworkHosts, NetworkUrl, PersonName, Phone};
use assay_sources::{Answer, HttpAnswer, HttpQuestion, JobSaid, Question, Reading, Subject, Vendor};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, StatusCode};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The key in the requests of fixtures.
pub const KEY: &str = "test-key";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fixture {
    #[serde(skip)]
    pub path: String,
    question: BTreeMap<String, String>,
    pub request: Option<Value>,
    status: u16,
    headers: BTreeMap<String, String>,
    /// A text is sent as it is, everything else as JSON.
    body: Value,
    pub expect: Value,
}

/// All of one vendor.
pub fn fixtures(vendor: &str) -> Vec<Fixture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(vendor);
    let files = std::fs::read_dir(&folder).unwrap_or_else(|_| panic!("{vendor} has no folder of fixtures"));
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| Fixture::load(path)).collect()
}

impl Fixture {
    pub fn load(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let fixture =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { path: path.display().to_string(), ..fixture }
    }

    pub fn lookup(&self) -> Lookup {
        Lookup::named(&self.question["lookup"]).unwrap_or_else(|| panic!("{}: no such lookup", self.path))
    }

    pub fn question(&self) -> Question {
        let mut subject = Subject::default();
        for (field, text) in &self.question {
            match field.as_str() {
                "lookup" | "last_name" => {}
                "first_name" => {
                    subject.name = Some(PersonName::from_parts(text, &self.question["last_name"]).unwrap());
                }
                "full_name" => subject.name = Some(PersonName::parse(text).unwrap()),
                "domain" => subject.domain = Some(Domain::parse(text).unwrap()),
                "company_name" => subject.company_name = Some(text.clone()),
                "network_url" => {
                    subject.network_url = Some(NetworkUrl::parse(text, &NetworkHosts::default()).unwrap());
                }
                "email" => subject.email = Some(Email::parse(text).unwrap()),
                "phone" => subject.phone = Some(Phone::parse(text).unwrap()),
                "country" => subject.country = Some(text.clone()),
                other => panic!("{}: nothing is known by `{other}`", self.path),
            }
        }
        Question { lookup: self.lookup(), subject }
    }

    pub fn body_text(&self) -> String {
        match &self.body {
            Value::String(text) => text.clone(),
            body => body.to_string(),
        }
    }

    pub fn read(&self, vendor: &dyn Vendor) -> Reading {
        self.read_with(vendor, self.status, &self.body_text())
    }

    pub fn read_with(&self, vendor: &dyn Vendor, status: u16, body: &str) -> Reading {
        let headers: HeaderMap = self
            .headers
            .iter()
            .map(|(name, value)| (name.parse::<HeaderName>().unwrap(), value.parse().unwrap()))
            .collect();
        let response = HttpAnswer {
            status: StatusCode::from_u16(status).unwrap(),
            headers: &headers,
            body: &Bytes::copy_from_slice(body.as_bytes()),
            hosts: &NetworkHosts::default(),
        };
        vendor.read(&self.question(), &response)
    }
}

/// A request as fixtures write it.
pub fn shown(request: &HttpQuestion) -> Value {
    let map = |pairs: &[(String, String)]| -> Map<String, Value> {
        pairs.iter().map(|(name, value)| (name.clone(), json!(value))).collect()
    };
    let mut shown = json!({
        "method": request.method.as_str(),
        "path": request.path,
        "query": map(&request.query),
        "headers": map(&request.headers),
    });
    if let Some(body) = &request.body {
        shown["body"] = body.clone();
    }
    shown
}

/// A reading as fixtures write it: what is not there is left out.
pub fn said(reading: &Reading) -> Value {
    let mut said = json!({ "reading": reading.as_str() });
    match reading {
        Reading::Failed(why) => said["why"] = json!(why),
        Reading::RateLimited(Some(wait)) => said["wait_seconds"] = json!(wait.as_secs()),
        Reading::Hit(answer) => tell(answer, &mut said),
        _ => {}
    }
    said
}

fn tell(answer: &Answer, said: &mut Value) {
    let Answer { emails, phones, verdict, person, company, line, confidence, charged_thousandths } = answer;
    let emails = emails.iter().map(|found| {
        let mut shown = json!({ "address": found.address, "kind": found.kind, "status": found.status });
        if let Some(confidence) = found.confidence {
            shown["confidence"] = json!(confidence.as_percent());
        }
        shown
    });
    let phones = phones.iter().map(|found| json!({ "number": found.number, "line": found.line }));
    let verdict = verdict.as_ref().map(|it| {
        without_nulls(json!({
            "status": it.status, "catch_all": it.catch_all, "mx_found": it.mx_found,
            "mailbox_exists": it.mailbox_exists, "disposable": it.disposable,
        }))
    });
    let person = person.as_ref().map(|it| {
        let jobs: Vec<Value> = it.jobs.iter().map(show_job).collect();
        without_nulls(json!({ "reference": it.reference, "facts": it.facts, "jobs": jobs }))
    });
    let line = line.as_ref().map(|it| {
        let line =
            json!({ "valid": it.valid, "kind": it.kind, "carrier": it.carrier, "country": it.country });
        without_nulls(line)
    });
    let parts = [
        ("emails", json!(emails.collect::<Vec<_>>())),
        ("phones", json!(phones.collect::<Vec<_>>())),
        ("verdict", json!(verdict)),
        ("person", json!(person)),
        ("company", json!(company)),
        ("line", json!(line)),
        ("confidence", json!(confidence.map(|it| it.as_percent()))),
        ("charged_thousandths", json!(charged_thousandths)),
    ];
    for (name, part) in parts {
        if !part.is_null() && part != json!([]) {
            said[name] = part;
        }
    }
}

fn show_job(job: &JobSaid) -> Value {
    without_nulls(json!({
        "company_name": job.company_name, "company_domain": job.company_domain, "company_url": job.company_url,
        "title": job.title, "started_on": job.started_on, "ended_on": job.ended_on,
    }))
}

fn without_nulls(mut value: Value) -> Value {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    value
}
