//! Requests that take one of several sets of fields: the rule as the schema tells it.

use schemars::Schema;
use serde_json::{Map, Value, json};

/// Says that exactly one of `forms` is given, and nothing of the others. A field that is null is not given.
///
/// A form is its title and its fields, maybe none. The forms exclude each other by themselves, so `anyOf`, which every
/// tool understands, says the same as `oneOf`.
pub(crate) fn exactly_one_form(schema: &mut Schema, forms: &[(&str, &[&str])]) {
    let mut names: Vec<&str> = Vec::new();
    for name in forms.iter().flat_map(|(_, fields)| fields.iter()) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let types = schema.get("properties").cloned().unwrap_or_default();
    let form = |(title, fields): &(&str, &[&str])| {
        let rule = |name: &&str| {
            let given = fields.contains(name);
            let rule = if given { not_null(types.get(name)) } else { json!({ "type": "null" }) };
            ((*name).to_owned(), rule)
        };
        let rules: Map<String, Value> = names.iter().map(rule).collect();
        json!({ "title": title, "type": "object", "required": fields, "properties": rules })
    };
    let forms: Vec<Value> = forms.iter().map(form).collect();
    schema.insert("anyOf".to_owned(), Value::Array(forms));
}

/// Says that at least one of `names` is given. A field that is null is not given.
pub(crate) fn at_least_one(schema: &mut Schema, names: &[&str]) {
    let types = schema.get("properties").cloned().unwrap_or_default();
    let form = |name: &&str| {
        let rules = json!({ *name: not_null(types.get(*name)) });
        json!({ "title": format!("with {name}"), "type": "object", "required": [name], "properties": rules })
    };
    let forms: Vec<Value> = names.iter().map(form).collect();
    schema.insert("anyOf".to_owned(), Value::Array(forms));
}

fn not_null(property: Option<&Value>) -> Value {
    let types = property.and_then(|property| property.get("type")).and_then(Value::as_array);
    let other = types.and_then(|types| types.iter().find(|name| *name != "null"));
    other.map_or_else(|| json!({ "not": { "type": "null" } }), |name| json!({ "type": name }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(write: impl Fn(&mut Schema)) -> jsonschema::Validator {
        let text = json!({ "type": ["string", "null"] });
        let mut schema =
            Schema::try_from(json!({ "properties": { "a": text, "b": text, "c": text } })).unwrap();
        write(&mut schema);
        jsonschema::validator_for(schema.as_value()).unwrap()
    }

    #[test]
    fn one_form_is_taken_and_two_or_none_are_not() {
        let schema = rule(|schema| exactly_one_form(schema, &[("a", &["a"]), ("b and c", &["b", "c"])]));
        for good in [json!({"a": ""}), json!({"a": "", "b": null}), json!({"b": "", "c": ""})] {
            assert!(schema.is_valid(&good), "{good}");
        }
        for bad in [
            json!({}),
            json!({"a": null}),
            json!({"b": ""}),
            json!({"a": "", "b": ""}),
            json!({"a": "", "b": "", "c": ""}),
        ] {
            assert!(!schema.is_valid(&bad), "{bad}");
        }
        let optional =
            rule(|schema| exactly_one_form(schema, &[("none", &[]), ("a", &["a"]), ("b", &["b"])]));
        assert!(optional.is_valid(&json!({})) && optional.is_valid(&json!({"b": "", "c": ""})));
        assert!(!optional.is_valid(&json!({"a": "", "b": ""})));
    }

    #[test]
    fn one_of_the_fields_is_enough_and_null_is_none() {
        let schema = rule(|schema| at_least_one(schema, &["a", "b"]));
        assert!(schema.is_valid(&json!({"a": "", "b": ""})) && schema.is_valid(&json!({"a": null, "b": ""})));
        assert!(!schema.is_valid(&json!({"a": null, "c": ""})) && !schema.is_valid(&json!({})));
    }
}
