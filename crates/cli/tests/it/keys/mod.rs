//! Keys over HTTP and on the command line: what they may do, where, until when, and what they may give.

mod refusals;
mod terms;

use crate::support::{Answer, Customer, Server};
use serde_json::Value;

#[track_caller]
fn is_made(answer: &Answer) -> Value {
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json()
}

#[track_caller]
fn make(server: &Server, customer: &Customer, body: &Value) -> Customer {
    let made = is_made(&server.call(customer, "POST", "/v1/keys", body));
    Customer { account: text(&made["id"]), key: text(&made["key"]) }
}

/// A key as the tests carry it around: its id in place of the account.
fn id(key: &Customer) -> &str {
    &key.account
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn path(key: &Customer) -> String {
    format!("/v1/keys/{}", id(key))
}

fn me(server: &Server, key: &Customer) -> Answer {
    server.get(key, "/v1/me")
}

/// The body with its request id blanked: all else must be the same.
fn masked(answer: &Answer) -> (u16, Option<String>, String) {
    let request = answer.header("x-request-id").unwrap();
    let kind = answer.header("content-type").map(str::to_owned);
    (answer.status, kind, answer.text().replace(request, "req"))
}
