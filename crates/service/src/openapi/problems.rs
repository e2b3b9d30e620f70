//! The answers of failed calls, one a status, read from the table of faults.

use super::headers;
use super::schemas::Schemas;
use crate::fault::{FAULTS, FaultRow};
use crate::problem::Problem;
use crate::spec::{Group, Spec, Verb};
use serde_json::{Map, Value, json};

/// What a row can answer beside its answer.
pub(super) fn statuses(spec: &Spec, takes_cursor: bool) -> Vec<u16> {
    let mut statuses = vec![401, 403, 408, 422, 429, 500, 503, 504];
    if spec.verb.has_body() {
        statuses.extend([400, 413, 415]);
    }
    if spec.verb == Verb::Post {
        statuses.push(409);
    }
    if !spec.price.is_free() {
        statuses.push(402);
    }
    // Pages of the index and of the feed, which can be rebuilt and restored.
    if takes_cursor && (spec.group.is_recorded() || spec.group == Group::Signals) {
        statuses.push(410);
    }
    if spec.asks_vendors() {
        statuses.push(502);
    }
    if spec.path.contains('{') {
        statuses.push(404);
    }
    known(statuses)
}

/// What a row's twin can answer: no key, but every outcome a client may ask for.
pub(super) fn twin_statuses(spec: &Spec) -> Vec<u16> {
    let mut statuses = vec![408, 422, 429, 500, 503];
    if !spec.price.is_free() {
        statuses.push(402);
    }
    if spec.group.is_recorded() {
        statuses.push(502);
    }
    if spec.verb.has_body() {
        statuses.extend([400, 413, 415]);
    }
    if spec.path.contains('{') {
        statuses.push(404);
    }
    known(statuses)
}

/// In order, and only those that the table of faults has.
fn known(mut statuses: Vec<u16>) -> Vec<u16> {
    statuses.retain(|status| FAULTS.iter().any(|row| row.status == *status));
    statuses.sort_unstable();
    statuses
}

pub(super) fn references(statuses: &[u16]) -> Map<String, Value> {
    let reference = |status: &u16| {
        (status.to_string(), json!({ "$ref": format!("#/components/responses/Problem{status}") }))
    };
    statuses.iter().map(reference).collect()
}

pub(super) fn components(schemas: &mut Schemas) -> Value {
    let problem = schemas.of_answer::<Problem<'_>>();
    let mut responses = Map::new();
    for row in FAULTS {
        let status = row.status;
        let rows: Vec<&FaultRow> = FAULTS.iter().filter(|other| other.status == status).collect();
        let codes: Vec<&str> = rows.iter().map(|row| row.name).collect();
        let titles: Vec<&str> = rows.iter().map(|row| row.title).collect();
        let narrowed = json!({ "properties": { "status": { "const": status }, "code": { "enum": codes } } });
        let examples: Map<String, Value> =
            rows.iter().map(|row| (row.name.to_owned(), json!({ "value": example(row) }))).collect();
        let content = json!({ "schema": { "allOf": [problem, narrowed] }, "examples": examples });
        let body = json!({
            "description": format!("{} ({})", titles.join("; or "), codes.join(", ")),
            "headers": headers::references(headers::EVERY.iter().chain(balance(&rows)).chain(extra_headers(status))),
            "content": { "application/problem+json": content }
        });
        responses.insert(format!("Problem{status}"), body);
    }
    Value::Object(responses)
}

fn balance(rows: &[&FaultRow]) -> &'static [&'static str] {
    if rows.iter().any(|row| row.code.tells_balance()) { &["X-Credits-Remaining"] } else { &[] }
}

/// What a client needs to go on from this status.
fn extra_headers(status: u16) -> &'static [&'static str] {
    match status {
        401 => &["WWW-Authenticate"],
        429 | 503 => &["Retry-After"],
        _ => &[],
    }
}

fn example(row: &FaultRow) -> Value {
    json!({
        "type": format!("/docs/errors/{}", row.name), "title": row.title, "status": row.status, "detail": row.title,
        "code": row.name, "request_id": "req_0197f7a05c3a7d12a4b1c2d3e4f50618", "retryable": row.retryable,
        "errors": [], "fix": row.fix, "cost": { "credits": 0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CATALOG;

    #[test]
    fn whoever_asks_vendors_may_be_told_that_none_answered() {
        let says_so = |name: &str| {
            let entry = CATALOG.iter().find(|entry| entry.spec.name == name).unwrap();
            statuses(&entry.spec, false).contains(&502)
        };
        for name in ["enrich", "companies", "reverse-email", "reverse-phone", "find-phone", "verify-email"] {
            assert!(says_so(name), "{name}");
        }
        for name in ["ad-audience", "search-people", "suggest"] {
            assert!(!says_so(name), "{name}");
        }
    }
}
