//! Answers fit the schemas of the document that promises them.

use crate::support::{Installation, Request, known_email};
use assay_service::spec::Verb;
use assay_service::{CATALOG, openapi};
use jsonschema::Validator;
use serde_json::{Value, json};

/// The schema at a place in the document, with the whole document around it for its references.
fn schema_at(pointer: &str) -> Validator {
    let mut document = openapi::document();
    assert!(document.pointer(pointer).is_some(), "{pointer}");
    document["$ref"] = json!(format!("#{pointer}"));
    jsonschema::validator_for(&document).unwrap()
}

#[track_caller]
fn fits(schema: &Validator, body: &Value) {
    let errors: Vec<String> =
        schema.iter_errors(body).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{body:#}");
}

fn answer_schema(path: &str, verb: Verb) -> Validator {
    let (path, verb) = (path.replace('/', "~1"), verb.as_str().to_lowercase());
    schema_at(&format!("/paths/{path}/{verb}/responses/200/content/application~1json/schema"))
}

#[test]
fn answers_of_every_row_fit_their_schema() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let ask = |method: &str, path: &str, body: &Value| {
        let request = Request::new(method, path).key(&customer.key);
        let request = if method == "POST" { request.json(body) } else { request };
        request.send(server.api).is_ok()
    };
    let enrich = answer_schema("/v1/enrich", Verb::Post);
    let companies = answer_schema("/v1/companies", Verb::Post);
    for number in 0..20 {
        let found = ask("POST", "/v1/enrich", &json!({"email": known_email(number), "explain": true}));
        assert_eq!(found["trace"][0]["outcome"], "found");
        fits(&enrich, &found);
        let domain = &found["person"]["company"]["domain"];
        let company = ask("POST", "/v1/companies", &json!({"domain": domain}));
        assert_eq!(company["found"], true);
        fits(&companies, &company);
    }
    fits(&enrich, &ask("POST", "/v1/enrich?dry_run=true", &json!({"email": known_email(0)})));
    // Last, so that history and memory have something to show.
    for entry in CATALOG {
        let body = ask(entry.spec.verb.as_str(), entry.spec.path, &(entry.example)().0);
        fits(&answer_schema(entry.spec.path, entry.spec.verb), &body);
    }
}

#[test]
fn problems_fit_their_schema() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve();
    let post = |body: &str| Request::new("POST", "/v1/enrich").key(&customer.key).body(body).send(server.api);
    let bare = Request::new("GET", "/v1/me").send(server.api);
    for (answer, status) in [(bare, 401), (post("{"), 400), (post("{\"emial\":\"a\"}"), 422)] {
        assert_eq!(answer.status, status);
        let place = format!("/components/responses/Problem{status}/content/application~1problem+json/schema");
        fits(&schema_at(&place), &answer.json());
    }
}
