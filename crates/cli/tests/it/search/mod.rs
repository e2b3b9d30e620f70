//! Search over HTTP: who is found, on which page, for how much, and who is not.

mod filters;
mod pages;
mod rights;
mod told;

use crate::support::{Customer, Server};
use serde_json::{Value, json};

pub const PEOPLE: &str = "/v1/search/people";
pub const COMPANIES: &str = "/v1/search/companies";

/// The body with another field.
pub fn with(body: &Value, field: &str, value: impl Into<Value>) -> Value {
    let mut body = body.clone();
    body[field] = value.into();
    body
}

pub fn ids(answer: &Value) -> Vec<String> {
    let rows = answer["results"].as_array().unwrap();
    rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

/// All pages of a search, asked of the servers in turn; what each page says of the whole is the same on all of them.
pub fn walk(servers: &[&Server], customer: &Customer, path: &str, body: &Value) -> (Vec<String>, u64) {
    let (mut found, mut cursor, mut total) = (Vec::new(), Value::Null, None);
    for server in servers.iter().cycle() {
        let page = server.call(customer, "POST", path, &with(body, "cursor", cursor)).is_ok();
        assert_eq!(page["total_relation"], "eq");
        assert_eq!(*total.get_or_insert(page["total"].clone()), page["total"]);
        found.extend(ids(&page));
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    (found, total.unwrap().as_u64().unwrap())
}

/// Credits left, told by a call that is free.
pub fn balance(server: &Server, customer: &Customer) -> f64 {
    server.get(customer, "/v1/me").is_ok()["cost"]["balance_remaining"].as_f64().unwrap()
}

/// Waits for something that becomes true by itself.
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..600 {
        if is_so() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("{what}: not within 30 seconds");
}

pub fn everybody() -> Value {
    json!({ "limit": 100 })
}
