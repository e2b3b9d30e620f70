//! What is asked of whom: every endpoint that can show a person, by everything the person can be asked for by.

use super::cast::Somebody;
use crate::canaries::wire::{Parts, Told, send};
use anyhow::Result;
use serde_json::{Value, json};
use std::net::SocketAddr;

/// One call.
#[derive(Debug, Clone)]
pub struct Ask {
    pub method: &'static str,
    pub path: String,
    pub body: Option<Value>,
    /// What of a person is sent with it, and so may come back.
    pub sent: Vec<String>,
}

impl Ask {
    pub fn post(path: impl Into<String>, body: Value) -> Self {
        let sent = texts(&body);
        Self { method: "POST", path: path.into(), body: Some(body), sent }
    }

    pub fn get(path: impl Into<String>) -> Self {
        Self { method: "GET", path: path.into(), body: None, sent: Vec::new() }
    }

    /// Without the query and the ids in it: which endpoint it is.
    pub fn place(&self) -> String {
        let path = self.path.split('?').next().unwrap_or_default();
        let part = |part: &str| if part.contains('_') { "{id}".to_owned() } else { part.to_owned() };
        path.split('/').map(part).collect::<Vec<_>>().join("/")
    }
}

/// All texts of a body.
fn texts(body: &Value) -> Vec<String> {
    match body {
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// Whoever calls with a key.
#[derive(Debug, Clone)]
pub struct Caller {
    pub node: SocketAddr,
    pub key: String,
}

impl Caller {
    pub fn ask(&self, ask: &Ask) -> Result<Told> {
        self.ask_as(ask, None)
    }

    pub fn ask_as(&self, ask: &Ask, idempotency_key: Option<&str>) -> Result<Told> {
        let body = ask.body.as_ref().map(|body| body.to_string().into_bytes()).unwrap_or_default();
        let headers = idempotency_key.map(|key| ("idempotency-key", key.to_owned())).into_iter().collect();
        let parts =
            Parts { method: ask.method, target: ask.path.clone(), key: Some(&self.key), headers, body };
        send(self.node, &parts.shot("a call of the erased"))
    }

    /// The answer to a call that has to succeed.
    pub fn answer(&self, ask: &Ask) -> Result<Value> {
        let told = self.ask(ask)?;
        anyhow::ensure!(
            told.is_answer(),
            "{} {}: {} {}",
            ask.method,
            ask.path,
            told.status,
            String::from_utf8_lossy(told.body())
        );
        Ok(serde_json::from_slice(told.body())?)
    }

    pub fn post(&self, path: &str, body: Value) -> Result<Value> {
        self.answer(&Ask::post(path, body))
    }

    /// Every page of a list.
    pub fn pages(&self, path: &str) -> Result<Vec<Told>> {
        let (mut pages, mut cursor) = (Vec::new(), String::new());
        loop {
            let told = self.ask(&Ask::get(format!("{path}{cursor}")))?;
            let page: Value = serde_json::from_slice(told.body()).unwrap_or_default();
            pages.push(told);
            let empty = page["results"].as_array().is_none_or(Vec::is_empty);
            let Some(next) = page["next_cursor"].as_str().filter(|_| !empty) else { return Ok(pages) };
            cursor = format!("&cursor={next}");
        }
    }
}

/// The content of an answer that came in chunks.
pub fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    while let Some(end) = body.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&body[..end]).ok().and_then(|hex| usize::from_str_radix(hex, 16).ok());
        let Some(chunk) = size.and_then(|size| body.get(end + 2..end + 2 + size)).filter(|it| !it.is_empty())
        else {
            break;
        };
        content.extend_from_slice(chunk);
        body = body.get(end + 4 + chunk.len()..).unwrap_or_default();
    }
    content
}

/// Everything somebody can be asked for by.
pub fn of_person(somebody: &Somebody) -> Vec<Ask> {
    let Somebody { first_name, last_name, email, phone, url, domain, company, .. } = somebody;
    let named = json!({ "fullName": somebody.full_name(), "company_domain": domain });
    let by_page = json!({ "kind": "network", "networkUrl": url });
    let by_name = json!({ "kind": "name", "firstName": first_name, "lastName": last_name, "domain": domain });
    let telephone = json!({ "firstName": first_name, "lastName": last_name, "domain": domain });
    let page = json!({ "networkUrl": url });
    vec![
        Ask::post("/v1/enrich", json!({ "email": email })),
        Ask::post("/v1/enrich", json!({ "email": somebody.personal_email })),
        Ask::post("/v1/enrich", json!({ "phone": phone })),
        Ask::post("/v1/enrich", page.clone()),
        Ask::post("/v1/enrich", named),
        Ask::post("/v1/enrich", json!({ "fullName": somebody.full_name(), "company_name": company })),
        Ask::post("/v1/verify-email", json!({ "email": email })),
        Ask::post("/v1/reverse-email", json!({ "email": email })),
        Ask::post("/v1/reverse-phone", json!({ "phone": phone })),
        Ask::post("/v1/find-email", by_page.clone()),
        Ask::post("/v1/find-email", by_name.clone()),
        Ask::post("/v1/find-personal-email", by_page),
        Ask::post("/v1/find-personal-email", by_name),
        Ask::post("/v1/find-phone", telephone),
        Ask::post("/v1/multi-source-phone", page.clone()),
        Ask::post("/v1/prospect-package", page.clone()),
        Ask::post("/v1/find-similar-people", json!({ "networkUrl": url, "limit": 5 })),
        Ask::post("/v1/bundles/recruiter-pack", page.clone()),
        Ask::post("/v1/bundles/relationship-graph", page),
        Ask::post("/v1/search/people", json!({ "keywords": somebody.word, "limit": 5 })),
        Ask::post("/v1/search/people", json!({ "skills": somebody.word, "limit": 5 })),
        Ask::get(format!("/v1/suggest?field=skills&text={}", &somebody.word[..8])),
    ]
}

/// Contacts compared with the feed, many at once.
pub fn of_contacts(people: &[&Somebody]) -> Vec<Ask> {
    let contacts: Vec<Value> = people
        .iter()
        .flat_map(|one| [json!({ "networkUrl": one.url }), json!({ "email": one.email })])
        .collect();
    let parts = contacts.chunks(400);
    parts
        .flat_map(|part| {
            ["/v1/champion-just-moved", "/v1/silent-promoter-radar", "/v1/quiet-power-users"]
                .map(|path| Ask::post(path, json!({ "contacts": part })))
        })
        .collect()
}

/// What shows people of a company.
pub fn of_company(domain: &str) -> Vec<Ask> {
    let at = |more: Value| {
        let mut body = json!({ "company_domain": domain });
        if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
            body.extend(more);
        }
        body
    };
    let asks = vec![
        Ask::post("/v1/search/people", at(json!({ "limit": 50 }))),
        Ask::post("/v1/find-decision-maker", at(json!({ "role": "CEO" }))),
        Ask::post("/v1/buying-committee", at(json!({ "deal_type": "exec", "max_per_role": 3 }))),
        Ask::post("/v1/bundles/sales-deck", at(json!({ "target_role": "VP of Sales" }))),
        Ask::post("/v1/bundles/founder-research", at(json!({}))),
        Ask::post("/v1/bundles/competitive-intel", at(json!({}))),
        Ask::post("/v1/companies", json!({ "domain": domain })),
        Ask::post("/v1/job-change-radar", json!({ "limit": 100 })),
        Ask::post("/v1/congrats-trigger", json!({ "limit": 100 })),
    ];
    // A company is nobody's secret, and no person is named by what is sent here.
    asks.into_iter().map(|ask| Ask { sent: Vec::new(), ..ask }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_in_chunks_is_put_together() {
        assert_eq!(unchunked(b"5\r\nab\r\nc\r\n3\r\ndef\r\n0\r\n\r\n"), b"ab\r\ncdef");
        assert_eq!(unchunked(b"0\r\n\r\n"), b"");
    }

    #[test]
    fn what_was_sent_is_known_and_an_endpoint_by_its_path() {
        let ask = Ask::post("/v1/watch-lists/wl_1/run?x=1", json!({ "a": ["b", { "c": "d" }], "n": 1 }));
        assert_eq!(
            (ask.sent.as_slice(), ask.place().as_str()),
            (&["b".to_owned(), "d".to_owned()][..], "/v1/watch-lists/{id}/run")
        );
    }
}
