//! Prices, types and bounds in words, and tables in Markdown.

use crate::input::WORDS_TOLD_MAX;
use crate::spec::Spec;
use assay_domain::{Credits, Price};
use serde_json::Value;

/// `1 credit`, `0.5 credits`.
pub fn credits(amount: Credits) -> String {
    let noun = if amount == Credits::whole(1) { "credit" } else { "credits" };
    format!("{amount} {noun}")
}

/// What a call costs, short enough for a table.
pub fn price_short(spec: &Spec) -> String {
    let unit = spec.unit;
    match spec.price {
        Price::Free => "free".to_owned(),
        Price::Flat(price) => format!("{} when found", credits(price)),
        Price::PerUnit(price) => format!("{} a {unit}", credits(price)),
        Price::BasePlus { base, unit: price } => format!("{} + {} a {unit}", credits(base), credits(price)),
    }
}

/// What a call costs, as a sentence.
pub fn price_long(spec: &Spec) -> String {
    let unit = spec.unit;
    match spec.price {
        Price::Free => "Free.".to_owned(),
        Price::Flat(price) => {
            format!("{} when the {unit} is found. Nothing found, nothing charged.", credits(price))
        }
        Price::PerUnit(price) => {
            format!("{} for each {unit} found. Nothing found, nothing charged.", credits(price))
        }
        Price::BasePlus { base, unit: price } => format!(
            "{} for the search, whatever it finds, and {} for each {unit} found.",
            credits(base),
            credits(price)
        ),
    }
}

/// The most one call can charge.
pub fn price_max(spec: &Spec) -> String {
    credits(spec.price.charge(true, spec.units_max))
}

/// A table. Every row has as many cells as the head.
pub fn table<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(N));
    for row in rows {
        let cells = row.each_ref().map(|cell| cell.replace('|', "\\|").replace('\n', " "));
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    text
}

pub fn yes_no(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}

/// The type of a field in words. Names of the document's own types stay names: their fields are in the document.
pub fn type_of(schema: &Value, document: &Value) -> String {
    if let Some(name) = reference(schema) {
        let target = resolve(schema, document);
        return if is_short_list(target) { type_of(target, document) } else { format!("`{name}`") };
    }
    if let Some(choices) = choices(schema) {
        return format!("one of {choices}");
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(members) = schema.get(key).and_then(Value::as_array) {
            let shown = members.iter().filter(|member| !is_null(member));
            let mut names: Vec<String> = shown.map(|member| type_of(member, document)).collect();
            names.dedup();
            return names.join(" or ");
        }
    }
    let names = match schema.get("type") {
        Some(Value::String(name)) => vec![name.as_str()],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => vec!["any"],
    };
    let name = names.iter().filter(|name| **name != "null").copied().collect::<Vec<_>>().join(" or ");
    let format = schema.get("format").and_then(Value::as_str);
    match (name.as_str(), schema.get("items"), format) {
        ("array", Some(items), _) => format!("list of {}", type_of(items, document)),
        ("string", _, Some(format)) => format!("string ({format})"),
        _ => name,
    }
}

/// What a value must keep to beside its type, and what it is when it is left out.
pub fn bounds_of(schema: &Value) -> String {
    let value = |key: &str| schema.get(key).and_then(bound);
    let range = |low: &str, high: &str, noun: &str| match (value(low), value(high)) {
        (Some(low), Some(high)) if low == high => Some(format!("{low}{noun}")),
        (Some(low), Some(high)) => Some(format!("{low} to {high}{noun}")),
        (None, Some(high)) => Some(format!("at most {high}{noun}")),
        (Some(low), None) => Some(format!("at least {low}{noun}")),
        (None, None) => None,
    };
    let parts = [
        range("minimum", "maximum", ""),
        range("minLength", "maxLength", " characters"),
        range("minItems", "maxItems", " entries"),
        value("multipleOf").map(|step| match step.strip_prefix("0.") {
            Some(digits) => format!("at most {} decimals", digits.len()),
            None => format!("in steps of {step}"),
        }),
        value("default").map(|default| format!("default {default}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A bound as a person writes it; one that nobody reaches is none.
fn bound(value: &Value) -> Option<String> {
    let text = value.to_string();
    let text = text.strip_suffix(".0").unwrap_or(&text);
    let is_endless = text.len() > 12 && text.bytes().all(|byte| byte.is_ascii_digit());
    (!value.is_null() && !is_endless).then(|| text.to_owned())
}

/// Follows `$ref` to what it names.
pub fn resolve<'a>(schema: &'a Value, document: &'a Value) -> &'a Value {
    let pointer = schema.get("$ref").and_then(Value::as_str).and_then(|place| place.strip_prefix('#'));
    pointer.and_then(|pointer| document.pointer(pointer)).unwrap_or(schema)
}

fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.rsplit('/').next()
}

fn choices(schema: &Value) -> Option<String> {
    let values = schema.get("enum")?.as_array()?;
    let shown = values.iter().filter(|value| !value.is_null());
    let texts: Vec<String> =
        shown.map(|value| format!("`{}`", value.as_str().map_or(value.to_string(), str::to_owned))).collect();
    Some(texts.join(", "))
}

/// Whether a type is a list of words that a cell can hold.
fn is_short_list(schema: &Value) -> bool {
    let words = schema.get("enum").and_then(Value::as_array);
    words.is_some_and(|words| words.len() <= WORDS_TOLD_MAX)
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn types_and_bounds_are_told_in_words() {
        let document = json!({"components": {"schemas": {
            "Kind": {"type": "string", "enum": ["a", "b"]}, "Person": {"type": "object"}
        }}});
        let to = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
        for (schema, words) in [
            (json!({"type": ["string", "null"]}), "string"),
            (json!({"type": "string", "format": "date-time"}), "string (date-time)"),
            (to("Kind"), "one of `a`, `b`"),
            (json!({"type": "array", "items": to("Person")}), "list of `Person`"),
            (json!({"anyOf": [to("Person"), {"type": "null"}]}), "`Person`"),
            (
                json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
                "string or list of string",
            ),
        ] {
            assert_eq!(type_of(&schema, &document), words);
        }
        assert_eq!(bounds_of(&json!({"minimum": 1, "maximum": 100, "default": 25})), "1 to 100, default 25");
        assert_eq!(bounds_of(&json!({"maxLength": 254})), "at most 254 characters");
        assert_eq!(bounds_of(&json!({"type": "string"})), "");
        let money = json!({"minimum": 0.0, "maximum": 9_223_372_036_854_775_i64, "multipleOf": 0.001});
        assert_eq!(bounds_of(&money), "at least 0, at most 3 decimals");
    }

    #[test]
    fn a_cell_cannot_break_its_table() {
        let text = table(["a", "b"], &[["x|y".to_owned(), "1\n2".to_owned()]]);
        assert_eq!(text, "| a | b |\n|---|---|\n| x\\|y | 1 2 |\n");
    }
}
