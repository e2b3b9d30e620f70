//! References inside the document: what is reached from an operation stays, the rest goes.

use serde_json::Value;
use std::collections::HashSet;

/// Drops the components that no operation reaches: types of query strings, problems that no row can answer.
pub(super) fn drop_unused(document: &mut Value) {
    let mut reached = HashSet::new();
    let mut waiting: Vec<String> = document.get("paths").map(targets).unwrap_or_default();
    while let Some(pointer) = waiting.pop() {
        if let Some(part) = document.pointer(&pointer)
            && reached.insert(pointer)
        {
            waiting.extend(targets(part));
        }
    }
    let Some(components) = document.get_mut("components").and_then(Value::as_object_mut) else { return };
    for (kind, parts) in components.iter_mut().filter(|(kind, _)| *kind != "securitySchemes") {
        if let Some(parts) = parts.as_object_mut() {
            parts.retain(|name, _| reached.contains(&format!("/components/{kind}/{name}")));
        }
    }
}

/// Every place of the document that a part of it refers to.
fn targets(part: &Value) -> Vec<String> {
    let inside: Box<dyn Iterator<Item = &Value>> = match part {
        Value::Object(fields) => Box::new(fields.values()),
        Value::Array(items) => Box::new(items.iter()),
        _ => return Vec::new(),
    };
    let own = part.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
    own.map(str::to_owned).into_iter().chain(inside.flat_map(targets)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_reached_through_others_stays_and_circles_end() {
        let part = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
        let mut document = json!({
            "paths": { "/a": [part("A")] },
            "components": { "schemas": { "A": { "b": part("B") }, "B": part("A"), "C": part("A") } }
        });
        drop_unused(&mut document);
        let left: Vec<&String> = document["components"]["schemas"].as_object().unwrap().keys().collect();
        assert_eq!(left, ["A", "B"]);
    }
}
