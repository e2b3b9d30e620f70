//! Answers fit the schemas of the document that promises them.

use crate::support::{Customer, Installation, Request, known_email};
use assay_service::spec::{Scope, Spec, Verb};
use assay_service::{AnswerShape, CATALOG, openapi};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::HashMap;

/// The schema at a place in the document, with the whole document around it for its references.
fn schema_at(pointer: &str) -> Validator {
    let mut document = openapi::document();
    assert!(document.pointer(pointer).is_some(), "{pointer}");
    // In a reference, the braces of a path's field are escaped.
    let place = pointer.replace('{', "%7B").replace('}', "%7D");
    document["$ref"] = json!(format!("#{place}"));
    jsonschema::validator_for(&document).unwrap()
}

#[track_caller]
fn fits(schema: &Validator, body: &Value) {
    let errors: Vec<String> =
        schema.iter_errors(body).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{body:#}");
}

fn answer_schema(path: &str, verb: Verb) -> Validator {
    let row = CATALOG.iter().find(|entry| (entry.spec.path, entry.spec.verb) == (path, verb)).unwrap();
    let (path, verb, status) = (path.replace('/', "~1"), verb.as_str().to_lowercase(), row.spec.status);
    schema_at(&format!("/paths/{path}/{verb}/responses/{status}/content/application~1json/schema"))
}

fn as_query(fields: &Value) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let pairs = fields.as_object().unwrap().iter().map(|(name, value)| format!("{name}={}", text(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// How to make something that the path of a row can name.
fn maker_of(spec: &Spec) -> (&'static str, Value) {
    match spec.path {
        path if path.starts_with("/v1/keys/") => ("/v1/keys", json!({"name": "k"})),
        path if path.starts_with("/v1/webhooks/") => {
            ("/v1/webhooks", json!({"url": "https://hooks.northwind-robotics.example/"}))
        }
        path if path.starts_with("/v1/bulk/") => {
            ("/v1/bulk/enrich", json!({"items": [{"email": "gone@nowhere.example"}]}))
        }
        path if path.starts_with("/v1/suppressions/") => {
            ("/v1/suppressions", json!({"email": "gone@nowhere.example"}))
        }
        path if path.starts_with("/v1/watch-lists/") => {
            ("/v1/watch-lists", json!({"name": "champions", "kind": "people"}))
        }
        path if path.starts_with("/v1/saved-icps/") => {
            ("/v1/saved-icps", json!({"name": "all", "target": "companies", "filters": {}}))
        }
        path => panic!("{path}: tell the test how to make what it names"),
    }
}

#[test]
fn answers_of_every_row_fit_their_schema() {
    let installation = Installation::new();
    let Customer { account, .. } = installation.customer("scale");
    let scopes = Scope::ALL.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(",");
    let key =
        installation.ok(&["key", "create", "--account", &account, "--scopes", &scopes]).trim().to_owned();
    let server = installation.serve();
    let ask = |method: &str, path: &str, body: &Value| {
        let request = Request::new(method, path).key(&key);
        let request = if ["POST", "PATCH"].contains(&method) { request.json(body) } else { request };
        let answer = request.send(server.api);
        assert!([200, 201, 202].contains(&answer.status), "{method} {path}: {}", answer.text());
        answer.json()
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
    for entry in CATALOG.iter().filter(|entry| matches!(entry.answer, AnswerShape::Json(_))) {
        let (mut fields, mut path) = ((entry.example)().0, entry.spec.path.to_owned());
        if path.contains("{id}") {
            let (maker, wish) = maker_of(&entry.spec);
            let made = ask("POST", maker, &wish);
            let mut id = made["id"].as_str().or(made["results"][0]["id"].as_str()).unwrap().to_owned();
            if path.starts_with("/v1/webhooks/deliveries/") {
                let sent = ask("POST", &format!("/v1/webhooks/{id}/test"), &json!({}));
                id = sent["id"].as_str().unwrap().to_owned();
            }
            path = path.replace("{id}", &id);
            fields.as_object_mut().unwrap().remove("id");
        }
        if !entry.spec.verb.has_body() {
            path = format!("{path}?{}", as_query(&fields));
        }
        let body = ask(entry.spec.verb.as_str(), &path, &fields);
        fits(&answer_schema(entry.spec.path, entry.spec.verb), &body);
    }
}

/// Bodies that are at the edge of what a row takes.
fn edge_cases() -> Vec<(&'static str, Value)> {
    let (url, long) = ("network.example/in/ada-okafor", "x".repeat(201));
    let enrich = [
        json!({}),
        json!({"email": null}),
        json!({"email": "ada@acme.example"}),
        json!({"email": "ada@acme.example", "phone": null, "networkUrl": null}),
        json!({"email": "ada@acme.example", "phone": "+12025550123"}),
        json!({"networkUrl": url, "firstName": "Ada"}),
        json!({"fullName": "Ada Okafor"}),
        json!({"fullName": "Ada Okafor", "company_name": "Acme"}),
        json!({"fullName": "Ada Okafor", "company_name": "Acme", "company_domain": "acme.example"}),
        json!({"fullName": "Ada Okafor", "firstName": "Ada", "company_name": "Acme"}),
        json!({"firstName": "Ada", "company_name": "Acme"}),
        json!({"firstName": "Ada", "lastName": "Okafor", "company_domain": "acme.example"}),
        json!({"fullName": long, "company_name": "Acme"}),
        json!({"networkUrl": url, "min_confidence": 1}),
        json!({"networkUrl": url, "min_confidence": 1.001}),
        json!({"networkUrl": url, "min_confidence": 0.0005}),
        json!({"networkUrl": url, "max_age_days": 7.0}),
        json!({"networkUrl": url, "max_age_days": 0}),
        json!({"networkUrl": url, "max_credits": null, "explain": true}),
        json!({"networkUrl": url, "explain": null}),
        json!({"networkUrl": url, "max_credits": -1}),
        json!({"networkUrl": url, "surprise": 1}),
    ];
    let companies = [
        json!({"domain": "acme.example", "country": null}),
        json!({"domain": "acme.example", "country": "US"}),
        json!({"name": "Acme", "country": "US"}),
        json!({"name": "Acme", "country": "USA"}),
        json!({"name": ""}),
        json!({"domain": "acme.example", "name": "Acme"}),
    ];
    let keys = [
        json!({}),
        json!({"name": "k"}),
        json!({"name": "k", "expires_in_days": 1, "expires_at": null}),
        json!({"name": "k", "expires_in_days": 1, "expires_at": "2026-12-01T00:00:00Z"}),
        json!({"name": "k", "scopes": []}),
        json!({"name": "k", "scopes": ["everything"]}),
        json!({"name": "k", "monthly_cap": 0.25, "requests_per_minute": null, "mode": "test"}),
        json!({"name": "k", "monthly_cap": 0.0001}),
        json!({"name": "k".repeat(101)}),
    ];
    let suppressions = [
        json!({}),
        json!({"reason": "drop"}),
        json!({"email": null}),
        json!({"hashes": []}),
        json!({"hashes": [{"list": "email", "hash": "zV3syR9+9v6N6w8KE+vdDnbFOELYi07bvnhm2Utw2J0="}]}),
        json!({"hashes": [{"list": "email", "hash": "zV3syR9+9v6N6w8KE+vdDnbFOELYi07bvnhm2Utw2J1="}]}),
        json!({"person_id": "per_0197f7a05c3a7d12a4b1c2d3e4f50601"}),
        json!({"person_id": "per_1"}),
    ];
    let of = |path: &'static str, bodies: Vec<Value>| bodies.into_iter().map(move |body| (path, body));
    of("/v1/enrich", enrich.into())
        .chain(of("/v1/companies", companies.into()))
        .chain(of("/v1/keys", keys.into()))
        .chain(of("/v1/webhooks", webhook_cases()))
        .chain(of("/v1/suppressions", suppressions.into()))
        .chain(of("/v1/bulk/enrich", bulk_cases()))
        .chain(of("/v1/search/people", people_search_cases()))
        .chain(of("/v1/search/companies", company_search_cases()))
        .collect()
}

fn webhook_cases() -> Vec<Value> {
    let hook = "https://hooks.northwind-robotics.example/";
    vec![
        json!({}),
        json!({"url": null}),
        json!({"url": hook}),
        json!({"url": "hooks.northwind-robotics.example"}),
        json!({"url": "ftp://hooks.northwind-robotics.example"}),
        json!({"url": format!("{hook}{}", "x".repeat(2_048))}),
        json!({"url": hook, "description": null, "events": null}),
        json!({"url": hook, "description": "x".repeat(201)}),
        json!({"url": hook, "events": []}),
        json!({"url": hook, "events": ["credits.low", "webhook.test"]}),
        json!({"url": hook, "events": ["credits.high"]}),
    ]
}

fn people_search_cases() -> Vec<Value> {
    vec![
        json!({}),
        json!({"title": null, "exclude": null, "cursor": null}),
        json!({"title": "sales"}),
        json!({"title": ["sales", "marketing"], "sort": "rank", "count": "exact"}),
        json!({"title": []}),
        json!({"title": "\t"}),
        json!({"title": 7}),
        json!({"title": "x".repeat(201)}),
        json!({"seniority": "vp", "department": ["sales"]}),
        json!({"seniority": "VP"}),
        json!({"skills": vec!["x"; 100]}),
        json!({"skills": vec!["x"; 101]}),
        json!({"industry": "Computer Software"}),
        json!({"industry": "Shoes"}),
        json!({"location": {}}),
        json!({"location": {"country": "us", "city": ["Boston", "Paris"]}}),
        json!({"location": {"country": "usa"}}),
        json!({"location": "us"}),
        json!({"language": "en", "company_size": "1-10"}),
        json!({"years_experience": {"min": 0, "max": null}}),
        json!({"years_experience": {"min": -1}}),
        json!({"years_experience": {"least": 1}}),
        json!({"changed_jobs_within_days": 365}),
        json!({"changed_jobs_within_days": 0}),
        json!({"exclude": {}}),
        json!({"exclude": {"company_domain": ["acme.example"], "years_experience": {"max": 3}}}),
        json!({"exclude": {"limit": 3}}),
        json!({"exclude": {"exclude": {}}}),
        json!({"limit": 100, "explain": true, "max_credits": 200}),
        json!({"limit": 101}),
        json!({"count": "all"}),
    ]
}

fn company_search_cases() -> Vec<Value> {
    vec![
        json!({}),
        json!({"technologies": "kafka", "hiring": true}),
        json!({"hiring": "yes"}),
        json!({"employee_count": {"min": 10, "max": 10_000_000}}),
        json!({"employee_count": {"max": 10_000_001}}),
        json!({"funding": {}}),
        json!({"funding": {"stage": ["seed"], "min_amount": 5, "currency": "EUR", "since": "2025-01-31"}}),
        json!({"funding": {"stage": "round"}}),
        json!({"funding": {"min_amount": -1}}),
        json!({"funding": {"currency": "eur"}}),
        json!({"funding": {"currency": "EURO"}}),
        json!({"exclude": {"industry": ["Banking"], "funding": {"stage": "ipo"}}}),
        json!({"exclude": {"seniority": "vp"}}),
        json!({"title": "sales"}),
    ]
}

fn bulk_cases() -> Vec<Value> {
    let item = json!({"email": "ada@acme.example"});
    vec![
        json!({}),
        json!({"items": null}),
        json!({"items": []}),
        json!({"items": [item]}),
        json!({"items": vec![item.clone(); 500]}),
        json!({"items": vec![item.clone(); 501]}),
        json!({"items": [{}]}),
        json!({"items": [item, {"phone": "+12025550123", "email": "ada@acme.example"}]}),
        json!({"items": [{"id": "a", "email": "ada@acme.example"}]}),
        json!({"items": [{"id": null, "email": "ada@acme.example"}]}),
        json!({"items": [{"id": 7, "email": "ada@acme.example"}]}),
        json!({"items": [{"id": "x".repeat(201), "email": "ada@acme.example"}]}),
        json!({"items": [{"email": "ada@acme.example", "surprise": 1}]}),
        json!({"items": [{"firstName": "", "lastName": ""}]}),
        json!({"items": [{"fullName": "", "company_name": "Acme", "min_confidence": -1.0}]}),
        json!({"items": [{"email": "ada@acme.example", "min_confidence": -1.0}]}),
        json!({"items": [{"fullName": "", "company_name": "Acme"}]}),
        json!({"items": [item], "metadata": {"a": [1, 2]}, "webhook": null, "max_credits": 3}),
        json!({"items": [item], "metadata": "text"}),
        json!({"items": [item], "webhook": {}}),
        json!({"items": [item], "webhook": {"url": "https://hooks.example/", "id": "whk_1"}}),
    ]
}

#[test]
fn a_body_is_taken_if_and_only_if_its_schema_takes_it() {
    let installation = Installation::new();
    let server = installation.serve_with(&[("ASSAY_SANDBOX_DAILY_LIMIT", "1000")]);
    let mut schemas = HashMap::new();
    for (path, body) in edge_cases() {
        let schema = schemas.entry(path).or_insert_with(|| {
            let path = path.replace('/', "~1");
            schema_at(&format!("/paths/{path}/post/requestBody/content/application~1json/schema"))
        });
        let allowed = schema.is_valid(&body);
        let twin = path.replace("/v1/", "/v1/sandbox/");
        let answer = Request::new("POST", &twin).json(&body).send(server.api);
        let taken = [200, 201, 202, 402].contains(&answer.status);
        assert_eq!(allowed, taken, "{path} {body}: {}", answer.text());
        assert!(taken || answer.status == 422, "{}", answer.text());
    }
}

#[test]
fn a_dry_run_is_answered_as_the_document_says() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    for entry in CATALOG.iter().filter(|entry| entry.spec.verb == Verb::Post && !entry.spec.price.is_free()) {
        let (mut example, _) = (entry.example)();
        let mut path = entry.spec.path.to_owned();
        if path.contains("{id}") {
            let id = example.as_object_mut().and_then(|fields| fields.remove("id")).unwrap();
            path = path.replace("{id}", id.as_str().unwrap());
        }
        let request = Request::new("POST", &format!("{path}?dry_run=true")).key(&customer.key);
        let answer = request.json(&example).send(server.api);
        let (path, status) = (entry.spec.path.replace('/', "~1"), answer.status);
        let place = format!("/paths/{path}/post/responses/{status}/content/application~1json/schema");
        fits(&schema_at(&place), &answer.json());
        assert_eq!(answer.json()["dry_run"], json!(true), "{}", entry.spec.path);
    }
}

#[test]
fn every_worked_example_fits_the_schema_of_its_request() {
    let document = openapi::document();
    for entry in CATALOG.iter().filter(|entry| entry.spec.verb.has_body()) {
        let (path, verb) = (entry.spec.path.replace('/', "~1"), entry.spec.verb.as_str().to_lowercase());
        let place = format!("/paths/{path}/{verb}/requestBody/content/application~1json");
        let example = document.pointer(&format!("{place}/example")).unwrap();
        fits(&schema_at(&format!("{place}/schema")), example);
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
