//! The schemas of requests and answers. One type may be described differently on each side (what may be left out), so
//! each side has its generator.

use crate::endpoint::{Entry, Step};
use crate::reply::Cost;
use crate::spec::Spec;
use assay_domain::Credits;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

pub(super) struct Schemas {
    requests: SchemaGenerator,
    answers: SchemaGenerator,
}

/// What `?dry_run=true` answers.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
struct DryRun {
    /// Always true.
    dry_run: bool,
    /// The most the call could charge.
    #[schemars(with = "f64")]
    max_price: Credits,
    cost: Cost,
}

impl Schemas {
    pub(super) fn new() -> Self {
        let settings = || {
            let mut settings = SchemaSettings::draft2020_12();
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
            settings
        };
        Self {
            requests: settings().for_deserialize().into_generator(),
            answers: settings().for_serialize().into_generator(),
        }
    }

    pub(super) fn of_answer<T: JsonSchema>(&mut self) -> Schema {
        self.answers.subschema_for::<T>()
    }

    pub(super) fn of_dry_run(&mut self) -> Schema {
        self.of_answer::<DryRun>()
    }

    /// The fields of a request that come in its path and its query, in the order of the type.
    pub(super) fn parameters(&mut self, entry: &Entry, example: &Value) -> Vec<Value> {
        // For what it refers to.
        (entry.request_schema)(&mut self.requests);
        let definition = request_as_it_is(entry);
        let is_required = |name: &str| {
            let names = definition.get("required").and_then(Value::as_array);
            names.is_some_and(|names| names.iter().any(|required| required == name))
        };
        let fields = definition.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        let taken = fields
            .into_iter()
            .filter(|(name, _)| entry.spec.has_path_field(name) || !entry.spec.verb.has_body());
        taken
            .map(|(name, schema)| parameter(&entry.spec, &name, schema, is_required(&name), example))
            .collect()
    }

    /// Whether a request has such a field.
    pub(super) fn takes(entry: &Entry, field: &str) -> bool {
        let definition = request_as_it_is(entry);
        definition.get("properties").and_then(Value::as_object).is_some_and(|all| all.contains_key(field))
    }

    /// The body of a request: the fields of the type without those of the path, and the options every paid call takes.
    pub(super) fn body(&mut self, entry: &Entry) -> (Schema, bool) {
        let request = (entry.request_schema)(&mut self.requests);
        let name = component_name(&request);
        let Some(definition) = name.and_then(|name| self.requests.definitions_mut().get_mut(&name)) else {
            return (request, true);
        };
        if let Some(properties) = definition.get_mut("properties").and_then(Value::as_object_mut) {
            properties.retain(|name, _| !entry.spec.has_path_field(name));
            for schema in properties.values_mut() {
                without_null_default(schema);
            }
            if !entry.spec.price.is_free() {
                properties.extend(options());
            }
        }
        let mut required = definition.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        required.retain(|name| !name.as_str().is_some_and(|name| entry.spec.has_path_field(name)));
        let is_needed = !required.is_empty() || needs_a_field(definition);
        if let Some(fields) = definition.as_object_mut() {
            fields.shift_remove("required");
            if !required.is_empty() {
                fields.insert("required".into(), Value::Array(required));
            }
        }
        (request, is_needed)
    }

    /// `cost` is on every answer, so no endpoint's type carries it; `trace` is there when asked for.
    pub(super) fn answer(&mut self, schema: fn(&mut SchemaGenerator) -> Schema, is_paid: bool) -> Schema {
        let answer = schema(&mut self.answers);
        let cost = self.of_answer::<Cost>();
        let steps = self.of_answer::<Vec<Step>>();
        let name = component_name(&answer);
        let Some(definition) = name.and_then(|name| self.answers.definitions_mut().get_mut(&name)) else {
            return answer;
        };
        let Some(definition) = definition.as_object_mut() else { return answer };
        let properties = definition.entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            properties.insert("cost".into(), json!(cost));
            if is_paid {
                properties.insert("trace".into(), json!(steps));
            }
        }
        let required = definition.entry("required").or_insert_with(|| json!([]));
        if let Some(required) = required.as_array_mut()
            && !required.iter().any(|name| name == "cost")
        {
            required.push(json!("cost"));
        }
        answer
    }

    pub(super) fn into_components(mut self) -> Value {
        let mut schemas = self.requests.take_definitions(true);
        for (name, mut schema) in self.answers.take_definitions(true) {
            without_absent_nulls(&mut schema);
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

/// Whether one of the forms that a request may take has to be given.
fn needs_a_field(definition: &Value) -> bool {
    let asks = |form: &Value| {
        let names = form.get("required").and_then(Value::as_array);
        names.is_some_and(|names| !names.is_empty())
    };
    let forms = definition.get("anyOf").and_then(Value::as_array);
    definition.get("minProperties").is_some() || forms.into_iter().any(|forms| forms.iter().all(asks))
}

/// The type as it is: `body` has taken the fields of the path out of the shared one when it comes to the twin.
fn request_as_it_is(entry: &Entry) -> Value {
    let mut fresh = Schemas::new().requests;
    let request = (entry.request_schema)(&mut fresh);
    let definition = component_name(&request).and_then(|name| fresh.definitions().get(&name).cloned());
    definition.unwrap_or_default()
}

fn component_name(schema: &Schema) -> Option<String> {
    let reference = schema.get("$ref")?.as_str()?;
    reference.rsplit('/').next().map(str::to_owned)
}

/// `max_credits` and `explain` belong to every paid call, not to one endpoint's type.
fn options() -> Map<String, Value> {
    let most = Credits::from_thousandths(i64::MAX).thousandths() / 1_000;
    let max_credits = json!({
        "type": ["number", "null"], "minimum": 0, "maximum": most, "multipleOf": 0.001,
        "description": "The most this call may charge."
    });
    let explain = json!({ "type": "boolean", "description": "Adds `trace`: every source asked, in order." });
    [("max_credits".to_owned(), max_credits), ("explain".to_owned(), explain)].into_iter().collect()
}

fn parameter(spec: &Spec, name: &str, mut schema: Value, is_required: bool, example: &Value) -> Value {
    without_null_default(&mut schema);
    without_null(&mut schema);
    let in_path = spec.has_path_field(name);
    let is_array = |schema: &Value| schema.get("type").is_some_and(|kind| kind == "array");
    let choices = schema.get("anyOf").and_then(Value::as_array);
    let is_list = is_array(&schema) || choices.is_some_and(|choices| choices.iter().any(is_array));
    let description = schema.as_object_mut().and_then(|fields| fields.shift_remove("description"));
    let mut parameter = Map::new();
    parameter.insert("name".into(), json!(name));
    parameter.insert("in".into(), json!(if in_path { "path" } else { "query" }));
    parameter.insert("required".into(), json!(in_path || is_required));
    parameter.extend(description.map(|text| ("description".to_owned(), text)));
    if is_list {
        // Lists are comma-separated.
        parameter.insert("style".into(), json!("form"));
        parameter.insert("explode".into(), json!(false));
    }
    parameter.insert("schema".into(), schema);
    parameter.extend(example.get(name).map(|value| ("example".to_owned(), value.clone())));
    Value::Object(parameter)
}

/// A field that may be left out is no field with the default null.
fn without_null_default(schema: &mut Value) {
    if let Some(fields) = schema.as_object_mut()
        && fields.get("default").is_some_and(Value::is_null)
    {
        fields.shift_remove("default");
    }
}

/// A field of an answer that need not be there is left out when it is not known, and never null.
fn without_absent_nulls(definition: &mut Value) {
    let required = definition.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(properties) = definition.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (name, schema) in properties {
        if !required.iter().any(|required| required == name) {
            without_null(schema);
        }
    }
}

/// A query string has no null: what is not given is left out.
fn without_null(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            fields.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(choices)) = fields.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            fields.shift_remove("anyOf");
            fields.extend(only);
        }
    }
    if let Some(Value::Array(values)) = fields.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
}

impl Spec {
    fn has_path_field(&self, name: &str) -> bool {
        let is_field =
            |part: &str| part.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) == Some(name);
        self.path.split('/').any(is_field)
    }
}
