//! One operation: a row of the catalog as the document tells it.

use super::schemas::Schemas;
use super::{headers, problems};
use crate::endpoint::{AnswerShape, EVENT_STREAM, Entry};
use crate::input::RawInput;
use crate::spec::{Spec, Verb};
use assay_domain::{Credits, NetworkHosts, Price, limits};
use schemars::Schema;
use serde_json::{Map, Value, json};

/// What a live row tells, one record in each event.
const LIVE_EVENT: &str = "event: signal\ndata: {}\n\n";
const DRY_RUN_STATUS: u16 = 200;

pub(super) fn write(entry: &Entry, schemas: &mut Schemas) -> Value {
    let spec = &entry.spec;
    let mut operation = head(entry, spec.name, spec.group.as_str());
    operation.insert("x-price".into(), x_price(spec));
    operation.insert("x-scope".into(), json!(spec.scope.as_str()));
    operation.insert("x-plan".into(), json!(spec.plan.as_str()));
    let mut parameters = parameters(entry, schemas);
    if spec.verb == Verb::Post {
        let text =
            "Sent again with the same key and body, the call answers the same bytes and charges nothing.";
        parameters.push(idempotency_key(text));
    }
    operation.insert("parameters".into(), Value::Array(parameters));
    operation.extend(request_body(entry, schemas));
    let mut responses = Map::new();
    let names = headers::EVERY.iter().chain(headers::AUTHENTICATED).chain(answer_headers(entry));
    let mut answer = answer(entry, schemas);
    answer.insert("headers".into(), headers::references(names));
    responses.insert(spec.status.to_string(), Value::Object(answer));
    responses.extend(dry_run_apart(spec, schemas, None));
    responses.extend(problems::references(&problems::statuses(spec, Schemas::takes(entry, "cursor"))));
    operation.insert("responses".into(), Value::Object(responses));
    Value::Object(operation)
}

/// What a row and its twin share at the top.
pub(super) fn head(entry: &Entry, name: &str, tag: &str) -> Map<String, Value> {
    let spec = &entry.spec;
    let head = [
        ("operationId", json!(name)),
        ("tags", json!([tag])),
        ("summary", json!(spec.summary)),
        ("description", json!(spec.description)),
    ];
    head.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// What comes in the path and the query.
pub(super) fn parameters(entry: &Entry, schemas: &mut Schemas) -> Vec<Value> {
    let (example, _) = (entry.example)();
    let mut parameters = schemas.parameters(entry, &example);
    if entry.spec.verb.has_body() && !entry.spec.price.is_free() {
        parameters.push(json!({
            "name": "dry_run", "in": "query", "required": false,
            "description": "Validates the call and tells its highest price; free.",
            "schema": { "type": "boolean" }
        }));
    }
    parameters
}

pub(super) fn idempotency_key(text: &str) -> Value {
    // A header's outer spaces are not part of it.
    let inner = limits::IDEMPOTENCY_KEY_CHARS_MAX.saturating_sub(2);
    json!({
        "name": "Idempotency-Key", "in": "header", "required": false,
        "description": text,
        "schema": {
            "type": "string", "minLength": 1, "maxLength": limits::IDEMPOTENCY_KEY_CHARS_MAX,
            "pattern": format!("^[!-~]([ -~]{{0,{inner}}}[!-~])?$")
        }
    })
}

pub(super) fn request_body(entry: &Entry, schemas: &mut Schemas) -> Option<(String, Value)> {
    if !entry.spec.verb.has_body() {
        return None;
    }
    let (mut example, _) = (entry.example)();
    if let Some(fields) = example.as_object_mut() {
        fields.retain(|name, _| !entry.spec.path.contains(&format!("{{{name}}}")));
    }
    // An empty body is read as an empty object, so it is only required where that is not enough.
    let (schema, is_required) = schemas.body(entry);
    let content = json!({ "application/json": { "schema": schema, "example": example } });
    Some(("requestBody".into(), json!({ "required": is_required, "content": content })))
}

fn answer(entry: &Entry, schemas: &mut Schemas) -> Map<String, Value> {
    let spec = &entry.spec;
    let (_, mut example) = (entry.example)();
    let content = match entry.answer {
        AnswerShape::Stream { content_type } => stream(content_type, example),
        AnswerShape::Json(schema) => {
            let schema = schemas.answer(schema, !spec.price.is_free());
            if let Some(fields) = example.as_object_mut() {
                let price = price_of_example(entry);
                fields.insert("cost".into(), json!({ "credits": price, "balance_remaining": 2431.5 }));
            }
            let schema = or_dry_run(spec, schema, schemas);
            let mut content = json!({ "application/json": { "schema": schema, "example": example } });
            // For whoever accepts it.
            let live = entry.watch.map(|_| stream(EVENT_STREAM, json!(LIVE_EVENT)));
            if let (Some(content), Some(Value::Object(live))) = (content.as_object_mut(), live) {
                content.extend(live);
            }
            content
        }
    };
    let description = description(spec);
    [("description".to_owned(), json!(description)), ("content".to_owned(), content)].into_iter().collect()
}

/// Every paid call may be asked for its price instead, which is answered with 200.
pub(super) fn or_dry_run(spec: &Spec, answer: Schema, schemas: &mut Schemas) -> Value {
    if spec.price.is_free() || spec.status != DRY_RUN_STATUS {
        return json!(answer);
    }
    json!({ "anyOf": [answer, schemas.of_dry_run()] })
}

/// The answer to a dry run where the call itself is answered with another status. `and` is what every answer there has.
pub(super) fn dry_run_apart(
    spec: &Spec,
    schemas: &mut Schemas,
    and: Option<Schema>,
) -> Option<(String, Value)> {
    if spec.price.is_free() || spec.status == DRY_RUN_STATUS {
        return None;
    }
    let schema = match and {
        Some(and) => json!({ "allOf": [schemas.of_dry_run(), and] }),
        None => json!(schemas.of_dry_run()),
    };
    let answer = json!({
        "description": "The answer to a dry run.",
        "headers": headers::references(headers::EVERY),
        "content": { "application/json": { "schema": schema } }
    });
    Some((DRY_RUN_STATUS.to_string(), answer))
}

pub(super) fn description(spec: &Spec) -> &'static str {
    if spec.group.is_recorded() { "The answer. Not found is an answer too." } else { "The answer." }
}

/// A stream is a text, or one event after the other; its cost is in the headers only.
pub(super) fn stream(content_type: &str, example: Value) -> Value {
    let kind = content_type.split(';').next().unwrap_or(content_type).trim();
    if kind == "text/event-stream" {
        let schema = json!({
            "type": "object",
            "description": "Each event of the stream.",
            "properties": {
                "event": { "type": "string" },
                "data": { "type": "string", "contentMediaType": "application/json" }
            },
            "required": ["event", "data"]
        });
        return json!({ kind: { "schema": schema, "example": first_event(&example) } });
    }
    json!({ kind: { "schema": { "type": "string" }, "example": example } })
}

fn first_event(stream: &Value) -> Value {
    let lines = stream.as_str().unwrap_or_default().lines().take_while(|line| !line.is_empty());
    lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .collect()
}

fn answer_headers(entry: &Entry) -> &'static [&'static str] {
    match entry.answer {
        AnswerShape::Stream { .. } => &["Content-Disposition"],
        AnswerShape::Json(_) if entry.spec.verb == Verb::Post => &["Idempotent-Replayed"],
        AnswerShape::Json(_) => &[],
    }
}

/// What the worked example costs.
pub(super) fn price_of_example(entry: &Entry) -> Credits {
    let (example, _) = (entry.example)();
    let fields = example.as_object().cloned().unwrap_or_default();
    let input = if entry.spec.verb.has_body() {
        RawInput::Body(fields)
    } else {
        let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        RawInput::Query(fields.into_iter().map(|(name, value)| (name, text(value))).collect())
    };
    let rehearsal = (entry.rehearse)(input, &NetworkHosts::default());
    rehearsal.map_or(Credits::ZERO, |rehearsal| entry.spec.price.charge(true, rehearsal.units))
}

pub(super) fn free() -> Value {
    json!({ "model": Price::Free.model(), "credits": Price::Free.unit() })
}

pub(super) fn x_price(spec: &Spec) -> Value {
    let mut price = json!({ "model": spec.price.model(), "credits": spec.price.unit() });
    if let (Some(fields), false) = (price.as_object_mut(), spec.price.is_free()) {
        fields.insert("unit".into(), json!(spec.unit));
        fields.insert("max_units".into(), json!(spec.units_max));
        if let Price::BasePlus { base, .. } = spec.price {
            fields.insert("base".into(), json!(base));
        }
    }
    price
}
