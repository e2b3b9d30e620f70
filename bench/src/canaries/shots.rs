//! What is sent: every canary in every place of every row, where it belongs and where it does not.

use super::wire::{Parts, Shot};
use assay_domain::limits::BODY_BYTES_MAX;
use assay_service::Entry;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Fields that somebody may send to any row, known to it or not.
const FIELDS: &[&str] = &["email", "phone", "networkUrl", "fullName", "q", "limit", "cursor"];
/// Headers that proxies and clients fill with all kinds of things.
const HEADERS: &[&str] = &[
    "content-type",
    "accept",
    "cookie",
    "expect",
    "forwarded",
    "if-none-match",
    "origin",
    "referer",
    "sandbox-outcome",
    "user-agent",
    "x-forwarded-for",
    "x-real-ip",
    "x-request-id",
];

pub struct Keys {
    /// May do everything, running the installation included.
    pub live: String,
    /// Answers from the sandbox.
    pub test: String,
}

/// All that one canary is sent as to one row.
pub fn shots(entry: &Entry, canary: &str, keys: &Keys) -> Vec<Shot> {
    let aim = Aim { entry, canary, encoded: encode(canary), keys };
    let mut shots = if entry.spec.verb.has_body() { aim.bodies() } else { aim.queries() };
    shots.extend(aim.heads());
    shots.extend(aim.places());
    shots.extend(aim.no_http());
    shots
}

struct Aim<'a> {
    entry: &'a Entry,
    canary: &'a str,
    encoded: String,
    keys: &'a Keys,
}

impl<'a> Aim<'a> {
    /// The row's path; ids are the canary.
    fn path(&self) -> String {
        let part = |part: &'a str| if part.starts_with('{') { self.encoded.clone() } else { part.to_owned() };
        self.entry.spec.path.split('/').map(part).collect::<Vec<_>>().join("/")
    }

    fn parts(&self) -> Parts<'a> {
        let method = self.entry.spec.verb.as_str();
        Parts { method, target: self.path(), key: Some(&self.keys.live), ..Parts::default() }
    }

    fn fields(&self) -> BTreeSet<String> {
        let (example, _) = (self.entry.example)();
        let own = example.as_object().into_iter().flat_map(|fields| fields.keys().cloned());
        own.chain(FIELDS.iter().map(|field| (*field).to_owned())).collect()
    }

    fn json(&self, what: &'static str, body: &Value) -> Shot {
        self.raw(what, body.to_string().into_bytes())
    }

    fn raw(&self, what: &'static str, body: Vec<u8>) -> Shot {
        Parts { body, ..self.parts() }.shot(what)
    }

    fn bodies(&self) -> Vec<Shot> {
        let canary = self.canary;
        let mut shots = Vec::new();
        for field in self.fields() {
            shots.push(self.json("a field", &json!({ &field: canary })));
            shots.push(self.json("a field that is no text", &json!({ &field: [canary] })));
            shots.push(self.json("a field that is an object", &json!({ &field: { canary: canary } })));
        }
        shots.push(self.json("an unknown field", &json!({ canary: 1 })));
        shots.push(self.json("an object", &json!({ "email": { "email": { canary: [canary] } } })));
        shots.push(self.json("a text", &json!(canary)));
        shots.push(self.json("a list", &json!([canary, { canary: canary }])));
        shots
            .push(self.json("a list of entries", &json!({ "hashes": [{ "list": canary, "hash": canary }] })));
        shots.push(
            self.json("wrong options", &json!({ "email": canary, "max_credits": canary, "explain": canary })),
        );
        for (start, end) in
            [("{\"email\": \"", ""), ("{\"email\": \"", "\""), ("", ""), ("{", ":1}"), ("\u{0}", "")]
        {
            shots.push(self.raw("broken JSON", format!("{start}{canary}{end}").into_bytes()));
        }
        let mut wrong_text = json!({ "email": canary }).to_string().into_bytes();
        wrong_text.insert(12, 0xff);
        shots.push(self.raw("no UTF-8", wrong_text));
        shots.push(self.raw("too large", canary.as_bytes().repeat(BODY_BYTES_MAX / canary.len() + 1)));
        for query in [format!("dry_run={}", self.encoded), format!("{0}=1&email={0}", self.encoded)] {
            let target = format!("{}?{query}", self.path());
            let body = json!({ "email": canary }).to_string().into_bytes();
            shots.push(Parts { target, body, ..self.parts() }.shot("a query beside a body"));
        }
        shots
    }

    fn queries(&self) -> Vec<Shot> {
        let mut queries: Vec<String> =
            self.fields().iter().map(|field| format!("{field}={}", self.encoded)).collect();
        queries.push(format!("{0}={0}", self.encoded));
        queries.push(format!("email={0}&email={0}", self.encoded));
        queries.push(format!("from={0}&to={0}&status={0}&key_id={0}", self.encoded));
        let shot = |query: String| {
            let target = format!("{}?{query}", self.path());
            Parts { target, ..self.parts() }.shot("a query")
        };
        queries.into_iter().map(shot).collect()
    }

    /// Headers: the key itself, the client's own key for the call, and all the others.
    fn heads(&self) -> Vec<Shot> {
        let canary = self.canary;
        let body = || {
            let body = json!({ "email": canary }).to_string().into_bytes();
            if self.entry.spec.verb.has_body() { body } else { Vec::new() }
        };
        let with = |what, name: &'static str, value: String| {
            Parts { headers: vec![(name, value)], body: body(), ..self.parts() }.shot(what)
        };
        let mut shots = vec![
            Parts { key: None, body: body(), ..self.parts() }.shot("no key"),
            Parts { key: Some(canary), body: body(), ..self.parts() }.shot("a key that is none"),
            Parts { key: Some(&self.keys.test), body: body(), ..self.parts() }.shot("a test key"),
            with("an idempotency key", "idempotency-key", format!("k-{canary}")),
            with("an idempotency key that is none", "idempotency-key", format!("{canary}\u{e9}").repeat(9)),
        ];
        let other = json!({ "phone": canary, "networkUrl": canary }).to_string().into_bytes();
        let reused = vec![("idempotency-key", format!("k-{canary}"))];
        shots.push(Parts { headers: reused, body: other, ..self.parts() }.shot("an idempotency key again"));
        for value in
            [canary.to_owned(), format!("Basic {}", STANDARD.encode(canary)), format!("bearer  {canary} x")]
        {
            let headers = vec![("authorization", value)];
            shots.push(Parts { key: None, headers, body: body(), ..self.parts() }.shot("no bearer"));
        }
        let mut changed = self.keys.live.clone();
        changed.replace_range(30..31, "_");
        shots.push(Parts { key: Some(&changed), ..self.parts() }.shot("a mistyped key"));
        shots.extend(HEADERS.iter().map(|name| with("a header", name, canary.to_owned())));
        shots
    }

    /// Paths that lead nowhere, methods that are not taken, and the sandbox.
    fn places(&self) -> Vec<Shot> {
        let (path, encoded) = (self.path(), &self.encoded);
        let to = |what, method: &'a str, target: String| Parts { method, target, ..self.parts() }.shot(what);
        let sandbox = path.replacen("/v1", "/v1/sandbox", 1);
        let body = json!({ "email": self.canary }).to_string().into_bytes();
        vec![
            to("a path below", "GET", format!("{path}/{encoded}")),
            to("a path beside", "GET", format!("/v1/{encoded}?{encoded}")),
            to("another method", "PUT", format!("{path}?email={encoded}")),
            to("a page", "GET", format!("/docs/{encoded}")),
            Parts { target: sandbox, key: None, body, ..self.parts() }.shot("the sandbox"),
        ]
    }

    /// What is hardly HTTP any more.
    fn no_http(&self) -> Vec<Shot> {
        let (path, canary) = (self.path(), self.canary);
        let shot = |text: String| Shot { what: "hardly HTTP", bytes: text.into_bytes(), broken_off: true };
        vec![
            shot(format!("GET {path}?{canary} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")),
            shot(format!("{canary} {path} HTTP/1.1\r\nhost: x\r\n\r\n")),
            shot(format!("GET {path} HTTP/{canary}\r\n\r\n")),
            shot(format!("GET {path} HTTP/1.1\r\n{canary}\r\n\r\n")),
            shot(format!(
                "POST {path} HTTP/1.1\r\nhost: {canary}\r\ncontent-length: {canary}\r\n\r\n{canary}"
            )),
            shot(format!(
                "POST {path} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n{canary}\r\n"
            )),
            shot(format!("GET {path} HTTP/1.1\r\nhost: x\r\nx-long: {}\r\n\r\n", canary.repeat(30_000))),
        ]
    }
}

fn encode(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}
