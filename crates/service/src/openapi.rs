//! The OpenAPI 3.1 document, written from the catalog. It is the contract users see; `docs/openapi.json` keeps a copy.

use crate::catalog::CATALOG;
use crate::endpoint::{AnswerShape, Entry, Step};
use crate::fault::{FAULTS, FaultRow};
use crate::problem::Problem;
use crate::reply::Cost;
use crate::spec::Spec;
use assay_domain::Price;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// The whole document.
pub fn document() -> Value {
    let mut writer = Writer::new();
    let mut paths = Map::new();
    for entry in CATALOG {
        let operation = writer.operation(entry);
        let path = paths.entry(entry.spec.path).or_insert_with(|| json!({}));
        if let Some(methods) = path.as_object_mut() {
            methods.insert(entry.spec.verb.as_str().to_lowercase(), operation);
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Assay",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Contact and company enrichment, billed by outcome: nothing found, nothing charged.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" }
        },
        "servers": [{ "url": "/" }],
        "security": [{ "apiKey": [] }],
        "tags": tags(),
        "paths": paths,
        "components": {
            "securitySchemes": { "apiKey": { "type": "http", "scheme": "bearer", "description": "An API key, `assay_live_…`." } },
            "headers": headers(),
            "responses": writer.problem_responses(),
            "schemas": writer.schemas()
        }
    })
}

/// Requests and responses describe one type differently (what may be left out), so each side has its generator.
struct Writer {
    requests: SchemaGenerator,
    responses: SchemaGenerator,
}

impl Writer {
    fn new() -> Self {
        let settings = || {
            let mut settings = SchemaSettings::draft2020_12();
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
            settings
        };
        Self {
            requests: settings().for_deserialize().into_generator(),
            responses: settings().for_serialize().into_generator(),
        }
    }

    fn operation(&mut self, entry: &Entry) -> Value {
        let spec = &entry.spec;
        let (request_example, response_example) = (entry.example)();
        let request = (entry.request_schema)(&mut self.requests);
        let mut operation = Map::new();
        operation.insert("operationId".into(), json!(spec.name));
        operation.insert("tags".into(), json!([spec.group.as_str()]));
        operation.insert("summary".into(), json!(spec.summary));
        operation.insert("description".into(), json!(spec.description));
        operation.insert("x-price".into(), x_price(spec));
        operation.insert("x-scope".into(), json!(spec.scope.as_str()));
        operation.insert("x-plan".into(), json!(spec.plan.as_str()));
        operation
            .insert("parameters".into(), Value::Array(self.parameters(spec, &request, &request_example)));
        if spec.verb.has_body() {
            self.add_options(&request, !spec.price.is_free());
            let content = json!({ "application/json": { "schema": request, "example": request_example } });
            operation.insert("requestBody".into(), json!({ "required": true, "content": content }));
        }
        let mut responses = Map::new();
        responses.insert(
            spec.status.to_string(),
            json!({
                "description": "The answer. Not found is an answer too.",
                "headers": header_refs(),
                "content": self.answer_content(entry, response_example)
            }),
        );
        for status in problem_statuses(spec) {
            responses.insert(
                status.to_string(),
                json!({ "$ref": format!("#/components/responses/Problem{status}") }),
            );
        }
        operation.insert("responses".into(), Value::Object(responses));
        Value::Object(operation)
    }

    fn answer_content(&mut self, entry: &Entry, mut example: Value) -> Value {
        let spec = &entry.spec;
        let schema = match entry.answer {
            AnswerShape::Json(schema) => schema(&mut self.responses),
            AnswerShape::Stream { content_type } => {
                return json!({ content_type: { "schema": { "type": "string" }, "example": example } });
            }
        };
        self.add_cost(&schema, !spec.price.is_free());
        if let Some(fields) = example.as_object_mut() {
            let price = spec.price.charge(true, 1);
            fields.insert("cost".into(), json!({ "credits": price, "balance_remaining": 2431.5 }));
        }
        let schema = if spec.price.is_free() {
            json!(schema)
        } else {
            json!({ "anyOf": [schema, self.responses.subschema_for::<DryRun>()] })
        };
        json!({ "application/json": { "schema": schema, "example": example } })
    }

    /// GET takes its fields from the query; POST takes the options that are not part of what is asked.
    fn parameters(&mut self, spec: &Spec, request: &Schema, example: &Value) -> Vec<Value> {
        if spec.verb.has_body() {
            let mut parameters = vec![json!({
                "name": "Idempotency-Key", "in": "header", "required": false,
                "description": "Sent again with the same key and body, the call answers the same bytes and charges nothing.",
                "schema": { "type": "string", "minLength": 1, "maxLength": 255 }
            })];
            if !spec.price.is_free() {
                parameters.push(json!({
                    "name": "dry_run", "in": "query", "required": false,
                    "description": "Validates the call and tells its highest price; free.",
                    "schema": { "type": "boolean" }
                }));
            }
            return parameters;
        }
        let schema = self.resolve_request(request);
        let fields = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        let parameter = |(name, mut schema): (String, Value)| {
            without_null(&mut schema);
            let description = schema.as_object_mut().and_then(|fields| fields.remove("description"));
            let in_path = spec.path.contains(&format!("{{{name}}}"));
            let mut parameter = json!({
                "name": name, "in": if in_path { "path" } else { "query" }, "required": in_path, "schema": schema
            });
            if let Some(fields) = parameter.as_object_mut() {
                fields.extend(description.map(|text| ("description".to_owned(), text)));
                fields.extend(example.get(&name).map(|value| ("example".to_owned(), value.clone())));
            }
            parameter
        };
        fields.into_iter().map(parameter).collect()
    }

    fn resolve_request(&mut self, schema: &Schema) -> Value {
        let name = component_name(schema);
        name.and_then(|name| self.requests.definitions().get(&name).cloned()).unwrap_or(Value::Null)
    }

    /// `max_credits` and `explain` belong to every paid call, not to one endpoint's type.
    fn add_options(&mut self, request: &Schema, paid: bool) {
        let Some(definition) =
            component_name(request).and_then(|name| self.requests.definitions_mut().get_mut(&name))
        else {
            return;
        };
        let Some(properties) = definition.get_mut("properties").and_then(Value::as_object_mut) else {
            return;
        };
        for schema in properties.values_mut() {
            without_null(schema);
        }
        if paid {
            properties.insert(
                "max_credits".into(),
                json!({ "type": "number", "minimum": 0, "multipleOf": 0.001, "description": "The most this call may charge." }),
            );
            properties.insert(
                "explain".into(),
                json!({ "type": "boolean", "description": "Adds `trace`: every source asked, in order." }),
            );
        }
    }

    /// `cost` is on every answer, so no endpoint's type carries it.
    fn add_cost(&mut self, response: &Schema, paid: bool) {
        let cost = self.responses.subschema_for::<Cost>();
        let steps = self.responses.subschema_for::<Vec<Step>>();
        let Some(definition) =
            component_name(response).and_then(|name| self.responses.definitions_mut().get_mut(&name))
        else {
            return;
        };
        if let Some(properties) = definition.get_mut("properties").and_then(Value::as_object_mut) {
            properties.insert("cost".into(), json!(cost));
            if paid {
                properties.insert("trace".into(), json!(steps));
            }
        }
        if let Some(required) = definition.get_mut("required").and_then(Value::as_array_mut) {
            required.push(json!("cost"));
        }
    }

    fn problem_responses(&mut self) -> Value {
        let schema = self.responses.subschema_for::<Problem<'_>>();
        let mut responses = Map::new();
        for row in FAULTS {
            let name = format!("Problem{}", row.status);
            let codes: Vec<&str> =
                FAULTS.iter().filter(|other| other.status == row.status).map(|other| other.name).collect();
            responses.insert(
                name,
                json!({
                    "description": format!("{} ({})", titles(row.status), codes.join(", ")),
                    "headers": { "X-Request-Id": { "$ref": "#/components/headers/X-Request-Id" } },
                    "content": { "application/problem+json": { "schema": schema, "example": problem_example(row) } }
                }),
            );
        }
        Value::Object(responses)
    }

    fn schemas(mut self) -> Value {
        let mut schemas = self.requests.take_definitions(true);
        for (name, schema) in self.responses.take_definitions(true) {
            debug_assert!(
                schemas.get(&name).is_none_or(|other| *other == schema),
                "two schemas are called {name}"
            );
            schemas.insert(name, schema);
        }
        schemas.sort_keys();
        Value::Object(schemas)
    }
}

/// What `?dry_run=true` answers.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
struct DryRun {
    dry_run: bool,
    /// The most the call could charge.
    max_price: f64,
    cost: Cost,
}

fn component_name(schema: &Schema) -> Option<String> {
    let reference = schema.get("$ref")?.as_str()?;
    reference.rsplit('/').next().map(str::to_owned)
}

/// An option of a request is left out, not sent as null; saying so keeps clients simple.
fn without_null(schema: &mut Value) {
    let Some(types) = schema.get_mut("type") else { return };
    if let Some([first, _]) = types.as_array().map(Vec::as_slice).and_then(|types| types.first_chunk::<2>()) {
        *types = first.clone();
    }
}

fn problem_statuses(spec: &Spec) -> Vec<u16> {
    let mut statuses = vec![401, 403, 422, 429, 500, 503, 504];
    if spec.verb.has_body() {
        statuses.extend([400, 409, 413, 415]);
    }
    if !spec.price.is_free() {
        statuses.push(402);
    }
    statuses.sort_unstable();
    statuses
}

fn titles(status: u16) -> String {
    let titles: Vec<&str> = FAULTS.iter().filter(|row| row.status == status).map(|row| row.title).collect();
    titles.join("; or ")
}

fn problem_example(row: &FaultRow) -> Value {
    json!({
        "type": format!("/docs/errors/{}", row.name), "title": row.title, "status": row.status, "detail": row.title,
        "code": row.name, "request_id": "req_0197f7a05c3a7d12a4b1c2d3e4f50618", "retryable": row.retryable,
        "errors": [], "fix": row.fix, "cost": { "credits": 0 }
    })
}

fn x_price(spec: &Spec) -> Value {
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

fn tags() -> Value {
    let mut names: Vec<&str> = CATALOG.iter().map(|entry| entry.spec.group.as_str()).collect();
    names.dedup();
    names.into_iter().map(|name| json!({ "name": name })).collect()
}

const HEADERS: &[(&str, &str)] = &[
    ("X-Request-Id", "Names this call, also in history."),
    ("X-Credits-Charged", "Credits charged for this call."),
    ("X-Credits-Remaining", "Credits left."),
    ("RateLimit-Policy", "The account's request quota and its window in seconds."),
    ("RateLimit", "What is left of the quota, and seconds until it is whole again."),
];

fn headers() -> Value {
    let header = |(name, text): &(&str, &str)| {
        ((*name).to_owned(), json!({ "description": text, "schema": { "type": "string" } }))
    };
    Value::Object(HEADERS.iter().map(header).collect())
}

fn header_refs() -> Value {
    let reference = |(name, _): &(&str, &str)| {
        ((*name).to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }))
    };
    Value::Object(HEADERS.iter().map(reference).collect())
}
