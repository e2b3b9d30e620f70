//! The sandbox in the document: a twin of every row, without a key, and what the sandbox tells about itself.

use super::schemas::Schemas;
use super::{headers, operation, problems};
use crate::endpoint::{AnswerShape, Entry};
use crate::sandbox::{InfoResponse, SandboxCost, outcomes, twin_path};
use crate::spec::{Spec, Verb};
use serde_json::{Map, Value, json};

pub(super) const TAG: &str = "sandbox";

/// What every answer of the sandbox adds to the answer of the call it stands for.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
struct Sandboxed {
    #[schemars(extend("const" = true))]
    sandbox: bool,
    cost: SandboxCost,
}

pub(super) fn path(spec: &Spec) -> String {
    twin_path(spec)
}

pub(super) fn write(entry: &Entry, schemas: &mut Schemas) -> Value {
    let spec = &entry.spec;
    let mut operation = operation::head(entry, &format!("sandbox-{}", spec.name), TAG);
    operation.insert(
        "description".into(),
        json!(format!(
            "The sandbox's twin of `{} {}`: the same checks, a fixed answer.",
            spec.verb.as_str(),
            spec.path
        )),
    );
    operation.insert("x-price".into(), operation::free());
    operation.insert("security".into(), json!([]));
    let mut parameters = operation::parameters(entry, schemas);
    parameters.push(json!({
        "name": "Sandbox-Outcome", "in": "header", "required": false,
        "description": "Forces another answer than the found one, so that a client can be tested for it.",
        "schema": { "type": "string", "enum": outcomes(entry) }
    }));
    if spec.verb == Verb::Post {
        parameters
            .push(operation::idempotency_key("Checked as in the real call; nothing is stored under it."));
    }
    operation.insert("parameters".into(), Value::Array(parameters));
    operation.extend(operation::request_body(entry, schemas));
    let mut responses = Map::new();
    let answer = json!({
        "description": operation::description(spec),
        "headers": headers::references(headers::EVERY.iter().chain(&["X-Sandbox-Remaining"])),
        "content": answer_content(entry, schemas)
    });
    responses.insert(spec.status.to_string(), answer);
    let sandboxed = schemas.of_answer::<Sandboxed>();
    responses.extend(operation::dry_run_apart(spec, schemas, Some(sandboxed)));
    responses.extend(problems::references(&problems::twin_statuses(spec)));
    operation.insert("responses".into(), Value::Object(responses));
    Value::Object(operation)
}

fn answer_content(entry: &Entry, schemas: &mut Schemas) -> Value {
    let (_, mut example) = (entry.example)();
    let schema = match entry.answer {
        AnswerShape::Stream { content_type } => return operation::stream(content_type, example),
        AnswerShape::Json(schema) => schemas.answer(schema, !entry.spec.price.is_free()),
    };
    if let Some(fields) = example.as_object_mut() {
        fields.insert("sandbox".into(), json!(true));
        let live = operation::price_of_example(entry);
        fields.insert("cost".into(), json!({ "credits": 0, "live_credits": live }));
    }
    let schema = operation::or_dry_run(&entry.spec, schema, schemas);
    let schema = json!({ "allOf": [schema, schemas.of_answer::<Sandboxed>()] });
    json!({ "application/json": { "schema": schema, "example": example } })
}

pub(super) fn write_info(schemas: &mut Schemas) -> Value {
    let mut responses = Map::new();
    let content =
        json!({ "schema": schemas.of_answer::<InfoResponse>(), "example": InfoResponse::example() });
    let answer = json!({
        "description": "The sandbox and what it has.",
        "headers": headers::references(headers::EVERY),
        "content": { "application/json": content }
    });
    responses.insert("200".into(), answer);
    responses.extend(problems::references(&[500]));
    json!({
        "operationId": "sandbox-info",
        "tags": [TAG],
        "summary": "What the sandbox has, and how much of it is left today",
        "description": "The twins by section, the daily limit of an address and what is left of it. Not counted.",
        "x-price": operation::free(),
        "security": [],
        "parameters": [],
        "responses": responses
    })
}
