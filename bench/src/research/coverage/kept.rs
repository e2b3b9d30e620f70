//! Sections 4.8 to 4.10 of the specification, walked as a client would: what is made is found, run, paid for once, and remembered.

use super::cast::Cast;
use super::questions::{NO_PAGE, NOWHERE};
use super::rows::credits;
use super::{Caller, is_in_document};
use crate::bar::Complaints;
use crate::canaries::wire::{Parts, send};
use anyhow::{Context, Result, ensure};
use assay_testkit::Stopwatch;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

/// Section, method and path as the specification writes them, with `{id}` for `:id`.
const ROWS: &[(&str, &str, &str)] = &[
    ("4.8", "POST", "/v1/watch-lists"),
    ("4.8", "POST", "/v1/watch-lists/{id}/run"),
    ("4.8", "GET", "/v1/watch-lists"),
    ("4.8", "POST", "/v1/saved-icps"),
    ("4.8", "POST", "/v1/saved-icps/{id}/run"),
    ("4.8", "GET", "/v1/me/history"),
    ("4.8", "GET", "/v1/me/history/export"),
    ("4.8", "GET", "/v1/me/people"),
    ("4.9", "POST", "/v1/bulk/enrich"),
    ("4.9", "GET", "/v1/bulk/{id}"),
    ("4.10", "GET", "/v1/sandbox/info"),
];
const GROUPS: [&str; 8] =
    ["resolve", "find", "search", "signals", "combos", "niche_combos", "bundles", "sticky"];
const DAILY_LIMIT: u64 = 50;
const JOB_PATIENCE: Duration = Duration::from_secs(60);
const FREE: i64 = 0;

struct Walk<'a> {
    wrong: &'a mut Complaints,
    /// Everybody whom an answer has shown.
    shown: &'a mut BTreeSet<String>,
}

impl Walk<'_> {
    fn expect(&mut self, what: &str, is: &Value, should: &Value) {
        if is != should {
            self.wrong.add(format!("{what} is {is}, not {should}"));
        }
    }

    /// An answer of the status, that costs so much by its own word and by the balance.
    fn ask(
        &mut self,
        caller: &Caller,
        (method, path): (&str, &str),
        body: Option<&Value>,
        (status, price): (u16, i64),
    ) -> Result<Value> {
        let before = caller.balance()?;
        let (told, answer) = caller.ask(method, path, body)?;
        let spent = before - caller.balance()?;
        people_in(&answer, self.shown);
        let cost = credits(&answer["cost"]["credits"]);
        if told != status || spent != price || cost != Some(price) {
            self.wrong.add(format!(
                "{method} {path}: {told}, {cost:?} said and {spent} taken, not {status} and {price}"
            ));
        }
        Ok(answer)
    }
}

/// How many rows were walked.
pub fn walk(
    caller: &Caller,
    cast: &Cast,
    mut shown: BTreeSet<String>,
    wrong: &mut Complaints,
) -> Result<usize> {
    let mut walk = Walk { wrong, shown: &mut shown };
    let (_, document) = caller.ask("GET", "/openapi.json", None)?;
    for (section, method, path) in ROWS {
        if !is_in_document(&document, method, path) {
            walk.wrong.add(format!("{section} {method} {path}: it is not in the API document"));
        }
    }
    watch_lists(&mut walk, caller, cast)?;
    saved_icps(&mut walk, caller, cast)?;
    bulk(&mut walk, caller, cast)?;
    sandbox(&mut walk, caller)?;
    memory(&mut walk, caller)?;
    Ok(ROWS.len())
}

/// One entry to which something happened, one to which nothing did: two credits, and nothing the second time.
fn watch_lists(walk: &mut Walk<'_>, caller: &Caller, cast: &Cast) -> Result<()> {
    for (kind, entries) in [
        ("people", json!([cast.somebody.url, NO_PAGE])),
        ("companies", json!([cast.led.first().context("no company")?.domain, "nobody.example"])),
    ] {
        let body = json!({ "name": format!("all {kind}"), "kind": kind, "entries": entries });
        let made = walk.ask(caller, ("POST", "/v1/watch-lists"), Some(&body), (201, FREE))?;
        walk.expect("entries of a list", &made["entry_count"], &json!(2));
        let listed = walk.ask(caller, ("GET", "/v1/watch-lists"), None, (200, FREE))?;
        walk.expect("the newest list", &listed["results"][0]["id"], &made["id"]);
        let run = format!("/v1/watch-lists/{}/run", made["id"].as_str().context("a list without an id")?);
        let told = walk.ask(caller, ("POST", &run), Some(&json!({})), (200, 2_000))?;
        walk.expect("whom a run tells of", &told["results"][0]["entry"], &entries[0]);
        let again = walk.ask(caller, ("POST", &run), Some(&json!({})), (200, FREE))?;
        walk.expect("what a second run tells", &again["results"], &json!([]));
    }
    Ok(())
}

fn saved_icps(walk: &mut Walk<'_>, caller: &Caller, cast: &Cast) -> Result<()> {
    let domain = &cast.led.first().context("no company")?.domain;
    for (filters, rows) in
        [(json!({ "company_domain": domain }), 2), (json!({ "location": { "country": NOWHERE } }), 0)]
    {
        let body = json!({ "name": "kept", "target": "people", "filters": filters });
        let made = walk.ask(caller, ("POST", "/v1/saved-icps"), Some(&body), (201, FREE))?;
        let run = format!("/v1/saved-icps/{}/run", made["id"].as_str().context("an ICP without an id")?);
        let price = 1_000 + 500 * rows;
        let found = walk.ask(caller, ("POST", &run), Some(&json!({ "limit": 2 })), (200, price))?;
        walk.expect("what no run has shown", &found["new_since_last_run"], &json!(rows));
    }
    Ok(())
}

/// A credit for each that is found, when the job is over.
fn bulk(walk: &mut Walk<'_>, caller: &Caller, cast: &Cast) -> Result<()> {
    let items = json!({ "items": [{ "email": cast.somebody.email }, { "networkUrl": NO_PAGE }] });
    let before = caller.balance()?;
    let (status, job) = caller.ask("POST", "/v1/bulk/enrich", Some(&items))?;
    walk.expect("the answer to a submission", &json!(status), &json!(202));
    let path =
        format!("/v1/bulk/{}", job["id"].as_str().with_context(|| format!("a job without an id: {job}"))?);
    let watch = Stopwatch::start();
    let done = loop {
        let (_, state) = caller.ask("GET", &path, None)?;
        if state["status"] == json!("completed") {
            break state;
        }
        ensure!(watch.elapsed() < JOB_PATIENCE, "a job of two never ended: {state}");
        std::thread::sleep(Duration::from_millis(100));
    };
    people_in(&done, walk.shown);
    walk.expect("what a job took", &json!(before - caller.balance()?), &json!(1_000));
    let found: Vec<&Value> =
        done["results"].as_array().into_iter().flatten().map(|row| &row["status"]).collect();
    walk.expect("a job's results", &json!(found), &json!(["resolved", "not_found"]));
    Ok(())
}

/// Everybody a value shows, by their ids.
pub fn people_in(value: &Value, people: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            let id = fields.get("id").and_then(Value::as_str).filter(|id| id.starts_with("per_"));
            people.extend(id.map(str::to_owned));
            fields.values().for_each(|field| people_in(field, people));
        }
        Value::Array(rows) => rows.iter().for_each(|row| people_in(row, people)),
        _ => {}
    }
}

/// Whatever was asked until now is remembered, and everybody who was shown by whichever call.
fn memory(walk: &mut Walk<'_>, caller: &Caller) -> Result<()> {
    let shown = walk.shown.clone();
    let history = walk.ask(caller, ("GET", "/v1/me/history?limit=1"), None, (200, FREE))?;
    for field in ["endpoint", "credits", "latency_ms", "cache"] {
        if history["results"][0].get(field).is_none() {
            walk.wrong.add(format!("a record of the history has no {field}: {}", history["results"][0]));
        }
    }
    let (resolved, mut cursor) = (&mut BTreeSet::new(), String::new());
    loop {
        let page = format!("/v1/me/people?limit=100{cursor}");
        let page = walk.ask(caller, ("GET", &page), None, (200, FREE))?;
        people_in(&page["results"], resolved);
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    for person in shown.difference(resolved) {
        walk.wrong.add(format!("{person} was shown, and is not among those who were resolved"));
    }
    let export = Parts {
        method: "GET",
        target: "/v1/me/history/export".to_owned(),
        key: Some(&caller.key),
        ..Parts::default()
    };
    let told = send(caller.node, &export.shot("a call"))?;
    let lines = String::from_utf8_lossy(told.body()).lines().count();
    if told.status != 200 || lines < 2 {
        walk.wrong.add(format!("the export of the history: {} with {lines} lines", told.status));
    }
    Ok(())
}

fn sandbox(walk: &mut Walk<'_>, caller: &Caller) -> Result<()> {
    let (_, info) = caller.ask("GET", "/v1/sandbox/info", None)?;
    walk.expect("sandbox", &info["sandbox"], &json!(true));
    walk.expect("the daily limit", &info["daily_limit"], &json!(DAILY_LIMIT));
    for text in ["description", "note"] {
        if !info[text].is_string() {
            walk.wrong.add(format!("{text} of the sandbox is {}", info[text]));
        }
    }
    for group in GROUPS {
        if !info["endpoints"][group].is_array() {
            walk.wrong.add(format!("the sandbox has no group {group}"));
        }
    }
    Ok(())
}
