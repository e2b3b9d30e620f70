//! The OpenAPI 3.1 document, written from the catalog. It is the contract users see; `docs/openapi.json` keeps a copy.

mod forms;
mod headers;
mod operation;
mod problems;
mod references;
mod schemas;
mod twins;

pub(crate) use forms::{at_least_one, exactly_one_form};

use crate::catalog::CATALOG;
use crate::sandbox::INFO_PATH;
use schemas::Schemas;
use serde_json::{Map, Value, json};

/// The whole document.
pub fn document() -> Value {
    let mut schemas = Schemas::new();
    let mut paths = Paths::default();
    for entry in CATALOG {
        let verb = entry.spec.verb;
        paths.insert(entry.spec.path, verb.as_str(), operation::write(entry, &mut schemas));
    }
    paths.insert(INFO_PATH, "GET", twins::write_info(&mut schemas));
    for entry in CATALOG {
        let verb = entry.spec.verb;
        paths.insert(&twins::path(&entry.spec), verb.as_str(), twins::write(entry, &mut schemas));
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Assay",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Contact and company enrichment, billed by outcome: nothing found, nothing charged.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" }
        },
        "servers": [{ "url": "/", "description": "The server this document comes from." }],
        "security": [{ "apiKey": [] }],
        "tags": tags(),
        "paths": paths.0,
        "components": {
            "securitySchemes": {
                "apiKey": { "type": "http", "scheme": "bearer", "description": "An API key, `assay_live_…`, or `assay_test_…`, which answers from the sandbox." }
            },
            "headers": headers::components(),
            "responses": problems::components(&mut schemas),
            "schemas": schemas.into_components()
        }
    });
    references::drop_unused(&mut document);
    document
}

/// The operations by path and method, in the order of the catalog.
#[derive(Default)]
struct Paths(Map<String, Value>);

impl Paths {
    fn insert(&mut self, path: &str, method: &str, operation: Value) {
        let methods = self.0.entry(path).or_insert_with(|| json!({}));
        if let Some(methods) = methods.as_object_mut() {
            methods.insert(method.to_lowercase(), operation);
        }
    }
}

/// The sections of the reference; a test checks that every group has its row.
const TAGS: &[(&str, &str)] = &[
    ("resolve", "One identifier in, one record out. Charged only when somebody or something is found."),
    ("find", "Somebody in, the way to reach them out, and how sure it is. Charged only when it is found."),
    (
        "search",
        "People and companies by what they are, page by page, and the values there are to ask for. A base price for each \
         page, and a price for each row.",
    ),
    (
        "signals",
        "What happened to companies and people, from every source that told of it, in the order it became known. Free on paid \
         plans.",
    ),
    (
        "combos",
        "Several questions behind one call, and one answer, with its reasons. Charged for each result.",
    ),
    (
        "niche",
        "Research workflows for one trade or one moment: small businesses, people who leave, companies with a budget. Charged for \
         each result.",
    ),
    (
        "bundles",
        "Everything about one company or one person in one answer, at one price. Charged only when it is known.",
    ),
    (
        "lists",
        "Whom you watch and what you look for, kept here: run again, they tell what is new. Keeping is free; a run is charged for \
         what it tells.",
    ),
    ("account", "What your account has, what it asked and whom it found. Free."),
    ("bulk", "Many lookups in one call, answered later: submitted, watched, read and canceled."),
    ("keys", "The keys of your account: made, bounded, rotated and revoked. Free."),
    ("webhooks", "Where your account is told what happened, signed, and the log of what it was told. Free."),
    ("operator", "Running the installation: for keys with the scope `operator` only. Free."),
    (
        twins::TAG,
        "A twin of every call with fixed, invented answers: no key, no charge, nothing stored. Requests are checked \
         exactly as the real call checks them.",
    ),
];

fn tags() -> Value {
    let used =
        |name: &str| name == twins::TAG || CATALOG.iter().any(|entry| entry.spec.group.as_str() == name);
    let rows = TAGS.iter().filter(|(name, _)| used(name));
    rows.map(|(name, text)| json!({ "name": name, "description": text })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn operations(document: &Value) -> Vec<&Value> {
        let paths = document["paths"].as_object().unwrap();
        paths.values().flat_map(|methods| methods.as_object().unwrap().values()).collect()
    }

    #[test]
    fn every_row_and_its_twin_are_told_once_under_names_of_their_own() {
        let document = document();
        let names: Vec<&str> =
            operations(&document).iter().map(|it| it["operationId"].as_str().unwrap()).collect();
        assert_eq!(names.len(), 2 * CATALOG.len() + 1);
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{names:?}");
        for entry in CATALOG {
            assert!(names.contains(&entry.spec.name));
            assert!(names.contains(&&*format!("sandbox-{}", entry.spec.name)));
        }
    }

    #[test]
    fn every_tag_in_use_is_explained() {
        let document = document();
        let told: Vec<&Value> = document["tags"].as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
        for operation in operations(&document) {
            assert!(told.contains(&&operation["tags"][0]), "{}", operation["tags"]);
        }
    }

    #[test]
    fn path_fields_are_parameters_and_never_part_of_a_body() {
        let document = document();
        for (path, methods) in document["paths"].as_object().unwrap() {
            let fields: Vec<&str> =
                path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
            for operation in methods.as_object().unwrap().values() {
                let parameters = operation["parameters"].as_array().unwrap();
                let in_path: Vec<&str> = parameters
                    .iter()
                    .filter(|it| it["in"] == "path")
                    .map(|it| it["name"].as_str().unwrap())
                    .collect();
                assert_eq!(in_path, fields, "{path}");
                assert_eq!(operation["responses"].get("404").is_some(), !fields.is_empty(), "{path}");
                let Some(reference) = operation.pointer("/requestBody/content/application~1json/schema/$ref")
                else {
                    continue;
                };
                let body = &document.pointer(&reference.as_str().unwrap()[1..]).unwrap();
                for field in &fields {
                    assert!(body["properties"].get(field).is_none(), "{path}");
                    let required = body["required"].as_array().into_iter().flatten();
                    assert!(!required.into_iter().any(|name| name == field), "{path}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_told_that_nothing_uses() {
        let document = document();
        let text = document.to_string();
        for (kind, parts) in document["components"].as_object().unwrap() {
            for name in parts.as_object().unwrap().keys().filter(|_| kind != "securitySchemes") {
                assert!(text.contains(&format!("\"#/components/{kind}/{name}\"")), "{kind} {name}");
            }
        }
    }
}
