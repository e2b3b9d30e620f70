//! The page of one endpoint in Markdown: its price, its fields, a call, the answer, and what can go wrong.

use super::calls::{Curl, OWN_KEY};
use super::words;
use crate::endpoint::{AnswerShape, Entry};
use crate::fault::{Code, FAULTS, FaultRow};
use crate::sandbox;
use crate::spec::{Group, Spec, Verb};
use assay_domain::Plan;
use serde_json::{Map, Value};

pub fn write(entry: &Entry, document: &Value) -> String {
    let spec = &entry.spec;
    let operation = operation(spec, document);
    let (request, _) = (entry.example)();
    let sections = [
        format!("# {}\n\n`{} {}`\n\n{}", spec.summary, spec.verb.as_str(), spec.path, spec.description),
        facts(spec),
        fields(spec, operation, document),
        format!("## Example\n\n```sh\n{}\n```", call(spec, spec.path, &request, true)),
        answer(entry, operation),
        sandbox(entry, &request),
        errors(spec, operation),
    ];
    let sections: Vec<&str> = sections.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    format!("{}\n", sections.join("\n\n").trim_end())
}

/// The row's place in the document.
pub fn operation<'a>(spec: &Spec, document: &'a Value) -> &'a Value {
    let verb = spec.verb.as_str().to_lowercase();
    document.get("paths").and_then(|paths| paths.get(spec.path)?.get(verb)).unwrap_or(&Value::Null)
}

fn facts(spec: &Spec) -> String {
    let kept = if spec.group.is_recorded() { "yes" } else { "no" };
    let mut rows = vec![["price".to_owned(), words::price_long(spec)]];
    if !spec.price.is_free() {
        rows.push(["at most".to_owned(), words::price_max(spec)]);
    }
    rows.push(["scope of the key".to_owned(), format!("`{}`", spec.scope.as_str())]);
    rows.push(["lowest plan".to_owned(), spec.plan.to_string()]);
    rows.push(["kept in history".to_owned(), kept.to_owned()]);
    words::table(["", ""], &rows).trim_end().to_owned()
}

fn fields(spec: &Spec, operation: &Value, document: &Value) -> String {
    let mut text = String::from("## Request\n");
    let body = operation.pointer("/requestBody/content/application~1json/schema");
    if let Some(schema) = body.map(|schema| words::resolve(schema, document)) {
        if let Some(about) = schema.get("description").and_then(Value::as_str) {
            text.push_str(&format!("\n{}\n", about.replace('\n', " ")));
        }
        text.push_str(&body_fields(schema, document));
    }
    let parameters = operation.get("parameters").and_then(Value::as_array);
    let rows: Vec<[String; 4]> = parameters
        .into_iter()
        .flatten()
        .map(|parameter| parameter_row(words::resolve(parameter, document), document))
        .collect();
    if !rows.is_empty() {
        let head = if spec.verb.has_body() { "Beside the body:" } else { "Parameters:" };
        text.push_str(&format!("\n{head}\n\n"));
        text.push_str(&words::table(["name", "type", "bounds", "meaning"], &rows));
    }
    if body.is_none() && rows.is_empty() {
        text.push_str("\nTakes nothing.\n");
    }
    text.trim_end().to_owned()
}

/// The fields of a schema, and the forms it may take where it is a choice.
fn body_fields(schema: &Value, document: &Value) -> String {
    let forms = ["oneOf", "anyOf"].iter().find_map(|key| schema.get(key)?.as_array());
    let own = schema.get("properties").and_then(Value::as_object);
    let mut text = String::new();
    if let Some(properties) = own.filter(|properties| !properties.is_empty()) {
        text.push_str("\nFields of the JSON body:\n\n");
        text.push_str(&property_table(schema, properties, document));
    }
    let rows: Vec<String> = forms.into_iter().flatten().filter_map(form_row).collect();
    if !rows.is_empty() {
        text.push_str(&format!("\nIn one of these forms:\n\n{}\n", rows.join("\n")));
    }
    text
}

fn form_row(form: &Value) -> Option<String> {
    let fields = form.get("required")?.as_array()?;
    let fields: Vec<String> =
        fields.iter().filter_map(Value::as_str).map(|name| format!("`{name}`")).collect();
    let title = form.get("title").and_then(Value::as_str).unwrap_or_default();
    let parts = [title.to_owned(), fields.join(", ")];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    Some(format!("- {}", parts.join(": ")))
}

fn property_table(schema: &Value, properties: &Map<String, Value>, document: &Value) -> String {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let rows: Vec<[String; 4]> = properties
        .iter()
        .map(|(name, field)| row(name, required.contains(&name.as_str()), field, field, document))
        .collect();
    words::table(["name", "type", "bounds", "meaning"], &rows)
}

fn parameter_row(parameter: &Value, document: &Value) -> [String; 4] {
    let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default();
    let place = parameter.get("in").and_then(Value::as_str).unwrap_or_default();
    let required = parameter.get("required").and_then(Value::as_bool).unwrap_or(false);
    let schema = parameter.get("schema").unwrap_or(&Value::Null);
    let [name, kind, bounds, meaning] = row(name, required && place != "path", parameter, schema, document);
    [name, format!("{kind}, in the {place}"), bounds, meaning]
}

fn row(name: &str, required: bool, about: &Value, schema: &Value, document: &Value) -> [String; 4] {
    let required = if required { ", required" } else { "" };
    let meaning = about.get("description").and_then(Value::as_str).unwrap_or_default();
    [
        format!("`{name}`"),
        format!("{}{required}", words::type_of(schema, document)),
        words::bounds_of(words::resolve(schema, document)),
        meaning.to_owned(),
    ]
}

/// The example as a shell sends it: path fields into the path, the others where the verb takes them.
pub fn call(spec: &Spec, path: &str, request: &Value, with_key: bool) -> String {
    let mut fields = request.as_object().cloned().unwrap_or_default();
    let mut filled = String::new();
    for part in path.split('/').skip(1) {
        let name = part.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let value = name.and_then(|name| fields.shift_remove(name)).map(|value| encode(&plain(&value)));
        filled.push('/');
        filled.push_str(value.as_deref().unwrap_or(part));
    }
    if !spec.verb.has_body() && !fields.is_empty() {
        let pairs = fields.iter().map(|(name, value)| format!("{name}={}", encode(&plain(value))));
        filled.push_str(&format!("?{}", pairs.collect::<Vec<_>>().join("&")));
    }
    let mut curl = Curl::new(spec.verb, &filled);
    if with_key {
        curl.key(OWN_KEY);
    }
    if spec.verb.has_body() {
        curl.header("Content-Type", "application/json");
        curl.body(&Value::Object(fields).to_string());
    }
    curl.text()
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// Percent-encodes all but what a query may always hold.
fn encode(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~,:@".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

fn answer(entry: &Entry, operation: &Value) -> String {
    let status = entry.spec.status;
    let place = format!("/responses/{status}/content");
    let content =
        operation.pointer(&place).and_then(Value::as_object).and_then(|content| content.iter().next());
    let Some((media_type, content)) = content else { return String::new() };
    let example = content.get("example").unwrap_or(&Value::Null);
    let (language, shown) = match (&entry.answer, example) {
        (AnswerShape::Stream { .. }, Value::String(text)) => ("", text.trim_end().to_owned()),
        _ => ("json", format!("{example:#}")),
    };
    format!("It answers {status} with `{media_type}`:\n\n```{language}\n{shown}\n```")
}

fn sandbox(entry: &Entry, request: &Value) -> String {
    let call = call(&entry.spec, &sandbox::twin_path(&entry.spec), request, false);
    let outcomes: Vec<String> = sandbox::outcomes(entry).iter().map(|name| format!("`{name}`")).collect();
    let forced = match outcomes.as_slice() {
        [] => String::new(),
        names => format!("\n\nThe header `Sandbox-Outcome` forces another answer: {}.", names.join(", ")),
    };
    format!(
        "## Sandbox\n\nThe same with invented data, without a key and free:\n\n```sh\n{call}\n```{forced}"
    )
}

fn errors(spec: &Spec, operation: &Value) -> String {
    let rows: Vec<[String; 4]> = faults_of(spec, operation)
        .map(|row| {
            let link = format!("[`{0}`](errors.md#{0})", row.name);
            [link, row.status.to_string(), words::yes_no(row.retryable), row.title.to_owned()]
        })
        .collect();
    format!("## Errors\n\n{}", words::table(["code", "status", "worth a retry", "when"], &rows).trim_end())
}

/// The faults a call of this row can be answered with: those of the statuses its document names, less the ones that
/// need what the row has not.
fn faults_of(spec: &Spec, operation: &Value) -> impl Iterator<Item = &'static FaultRow> {
    let responses = operation.get("responses").and_then(Value::as_object).cloned().unwrap_or_default();
    let posts = spec.verb == Verb::Post;
    let ends_with_trial = !matches!(spec.group, Group::Account | Group::Keys);
    let in_trial = Plan::Trial.allows(spec.plan);
    let makes_keys = spec.group == Group::Keys && spec.verb.has_body();
    let makes_webhooks = spec.path == "/v1/webhooks" && posts;
    let sends =
        spec.group == Group::Webhooks && (spec.path.ends_with("/test") || spec.path.ends_with("/redeliver"));
    FAULTS.iter().filter(move |row| {
        let can = match row.code {
            Code::InvalidIdempotencyKey | Code::RequestInProgress | Code::IdempotencyKeyReused => posts,
            Code::TrialEnded => ends_with_trial,
            Code::PlanRequired => !in_trial,
            Code::KeyBoundsExceeded => makes_keys,
            Code::TooManyKeys => makes_keys && posts,
            Code::TooManyWebhooks => makes_webhooks,
            Code::WebhookDisabled => sends,
            Code::SandboxDailyLimit => false,
            _ => true,
        };
        can && responses.contains_key(&row.status.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::CATALOG;
    use serde_json::json;

    #[test]
    fn the_fields_of_an_example_go_where_its_verb_takes_them() {
        let spec = |verb| Spec { verb, ..CATALOG[0].spec };
        let fields = json!({"id": "a b", "names": ["x", "y"]});
        let sent = call(&spec(Verb::Get), "/v1/things/{id}", &fields, false);
        assert_eq!(sent, "curl -s \"$ASSAY_URL/v1/things/a%20b?names=x,y\"");
        let sent = call(&spec(Verb::Patch), "/v1/things/{id}", &fields, false);
        assert!(sent.starts_with("curl -s -X PATCH \"$ASSAY_URL/v1/things/a%20b\" \\\n"), "{sent}");
        assert!(sent.ends_with("-d '{\"names\":[\"x\",\"y\"]}'"), "{sent}");
    }
}
