//! The headers answers carry.

use serde_json::{Map, Value, json};

/// A header of the table: its name, what it says, its schema, and whether every answer that lists it carries it.
struct Header {
    name: &'static str,
    text: &'static str,
    schema: fn() -> Value,
    always: bool,
}

const fn header(name: &'static str, always: bool, schema: fn() -> Value, text: &'static str) -> Header {
    Header { name, text, schema, always }
}

const HEADERS: &[Header] = &[
    header("X-Request-Id", true, request_id, "Names this call, also in history."),
    header("X-Credits-Charged", true, amount, "Credits charged for this call."),
    header("X-Credits-Remaining", false, amount, "Credits left."),
    header("Server-Timing", true, text, "How long the parts of the call took, in milliseconds."),
    header("RateLimit-Policy", true, text, "The account's request quota and its window in seconds."),
    header("RateLimit", true, text, "What is left of the quota, and seconds until it is whole again."),
    header(
        "Idempotent-Replayed",
        false,
        || json!({ "type": "string", "const": "true" }),
        "This is the answer of an earlier call with the same Idempotency-Key.",
    ),
    header("X-Sandbox-Remaining", true, count, "Sandbox calls this address has left today (UTC)."),
    header("Content-Disposition", false, text, "The name a browser saves the answer under."),
    header("Retry-After", true, count, "Seconds to wait before the call is sent again."),
    header("WWW-Authenticate", true, text, "How to authenticate, and what was wrong with the key."),
];

/// What every answer carries, failed ones included.
pub(super) const EVERY: &[&str] = &["X-Request-Id", "X-Credits-Charged", "Server-Timing"];
/// What is added to an answer of an authenticated call.
pub(super) const AUTHENTICATED: &[&str] = &["X-Credits-Remaining", "RateLimit-Policy", "RateLimit"];

fn text() -> Value {
    json!({ "type": "string" })
}

fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn amount() -> Value {
    json!({ "type": "number", "minimum": 0 })
}

fn request_id() -> Value {
    json!({ "type": "string", "pattern": "^req_[0-9a-f]{32}$" })
}

pub(super) fn components() -> Value {
    let component = |header: &Header| {
        let schema = (header.schema)();
        let body = json!({ "description": header.text, "required": header.always, "schema": schema });
        (header.name.to_owned(), body)
    };
    Value::Object(HEADERS.iter().map(component).collect())
}

/// References to headers, as a response lists them.
pub(super) fn references<'a>(names: impl IntoIterator<Item = &'a &'a str>) -> Value {
    let reference =
        |name: &&str| ((*name).to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }));
    Value::Object(names.into_iter().map(reference).collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_of_headers_names_rows_of_the_table() {
        for name in EVERY.iter().chain(AUTHENTICATED) {
            assert!(HEADERS.iter().any(|header| header.name == *name), "{name}");
        }
    }
}
