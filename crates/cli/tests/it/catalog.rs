//! What holds for every row of the catalog.

use crate::support::{Answer, Customer, Installation, Request, Server};
use assay_service::spec::Scope;
use assay_service::{AnswerShape, CATALOG, Entry};
use serde_json::{Value, json};

/// A path that the row's route takes; ids that nothing has.
fn path(entry: &Entry) -> String {
    entry
        .spec
        .path
        .split('/')
        .map(|part| if part.starts_with('{') { "none" } else { part })
        .collect::<Vec<_>>()
        .join("/")
}

fn in_path(entry: &Entry, field: &str) -> bool {
    entry.spec.path.contains(&format!("{{{field}}}"))
}

/// Whether a call of the row names something that is not there.
fn names_nothing(entry: &Entry) -> bool {
    entry.spec.path.contains('{')
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The row called with these fields: in the query or in the body, as its verb says.
fn request(entry: &Entry, fields: &Value) -> Request {
    let path = path(entry);
    let verb = entry.spec.verb;
    if verb.has_body() {
        let mut body = fields.clone();
        body.as_object_mut().unwrap().retain(|name, _| !in_path(entry, name));
        return Request::new(verb.as_str(), &path).json(&body);
    }
    let fields = fields.as_object().unwrap().iter().filter(|(name, _)| !in_path(entry, name));
    let query: Vec<String> = fields.map(|(name, value)| format!("{name}={}", text(value))).collect();
    Request::new(verb.as_str(), &format!("{path}?{}", query.join("&")))
}

fn each_row(check: impl Fn(&Server, &Customer, &'static Entry)) {
    let installation = Installation::new();
    let Customer { account, .. } = installation.customer("scale");
    let scopes = Scope::ALL.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(",");
    let key =
        installation.ok(&["key", "create", "--account", &account, "--scopes", &scopes]).trim().to_owned();
    let customer = Customer { account, key };
    let server = installation.serve();
    for entry in CATALOG {
        check(&server, &customer, entry);
    }
}

fn has_common_headers(answer: &Answer) {
    for name in ["x-request-id", "x-credits-charged", "server-timing"] {
        assert!(answer.header(name).is_some(), "{name}");
    }
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

#[test]
fn without_a_good_key_every_row_answers_401_and_says_how_to_authenticate() {
    each_row(|server, customer, entry| {
        let (example, _) = (entry.example)();
        let bare = request(entry, &example).send(server.api);
        bare.is_problem(401, "missing_api_key");
        assert_eq!(bare.header("www-authenticate"), Some("Bearer realm=\"assay\""));
        has_common_headers(&bare);
        assert_eq!(bare.header("ratelimit"), None);
        let (start, last) = customer.key.split_at(customer.key.len() - 1);
        let foreign = format!("{start}{}", if last == "x" { "y" } else { "x" });
        let wrong = request(entry, &example).key(&foreign).send(server.api);
        wrong.is_problem(401, "invalid_api_key");
        assert_eq!(wrong.header("www-authenticate"), Some("Bearer realm=\"assay\", error=\"invalid_token\""));
    });
}

#[test]
fn every_row_answers_its_own_example_with_its_cost() {
    each_row(|server, customer, entry| {
        let (example, _) = (entry.example)();
        let answer = request(entry, &example).key(&customer.key).send(server.api);
        has_common_headers(&answer);
        if names_nothing(entry) {
            answer.is_problem(404, "not_found");
            return;
        }
        if let AnswerShape::Stream { content_type } = entry.answer {
            assert_eq!((answer.status, answer.header("content-type")), (200, Some(content_type)));
            assert_eq!(answer.header("x-credits-charged"), Some("0"));
            return;
        }
        assert_eq!(answer.status, entry.spec.status, "{}", answer.text());
        let body = answer.json();
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.header("ratelimit-policy"), Some("\"default\";q=6000;w=60"));
        assert!(answer.header("ratelimit").unwrap().starts_with("\"default\";r=59"));
        assert_eq!(body["cost"]["credits"].to_string(), answer.header("x-credits-charged").unwrap());
        assert_eq!(
            body["cost"]["balance_remaining"].to_string(),
            answer.header("x-credits-remaining").unwrap()
        );
    });
}

#[test]
fn a_field_that_no_row_knows_is_refused_with_the_nearest_name() {
    each_row(|server, customer, entry| {
        let (example, _) = (entry.example)();
        let mut names = example.as_object().unwrap().keys().filter(|name| !in_path(entry, name));
        let Some(name) = names.next().cloned() else {
            let refused = request(entry, &json!({"surprise": "1"})).key(&customer.key).send(server.api);
            assert_eq!(refused.is_problem(422, "validation_failed")["errors"][0]["pointer"], "/surprise");
            return;
        };
        let mistyped = format!("{name}s");
        let refused = request(entry, &json!({&mistyped: "1"})).key(&customer.key).send(server.api);
        let problem = refused.is_problem(422, "validation_failed");
        assert_eq!(problem["errors"][0]["pointer"], format!("/{mistyped}"), "{problem}");
        if name.len() > 1 {
            assert_eq!(problem["errors"][0]["fix"], format!("did you mean `{name}`?"), "{problem}");
        }
        let left = problem["cost"]["balance_remaining"].to_string();
        assert_eq!(Some(left.as_str()), refused.header("x-credits-remaining"), "{problem}");
    });
}

#[test]
fn bodies_that_are_empty_broken_or_no_object_never_break_the_server() {
    each_row(|server, customer, entry| {
        if !entry.spec.verb.has_body() {
            return;
        }
        let verb = entry.spec.verb.as_str();
        let post =
            |body: &str| Request::new(verb, &path(entry)).key(&customer.key).body(body).send(server.api);
        let empty = post("");
        let name = entry.spec.name;
        assert!([entry.spec.status, 404, 422].contains(&empty.status), "{name}: {}", empty.text());
        post("{\"a\":").is_problem(400, "invalid_json");
        for odd in ["[]", "null", "1", "\"text\""] {
            post(odd).is_problem(422, "validation_failed");
        }
    });
}

#[test]
fn a_body_over_the_limit_is_413_and_another_type_415() {
    each_row(|server, customer, entry| {
        if !entry.spec.verb.has_body() {
            return;
        }
        let post = || Request::new(entry.spec.verb.as_str(), &path(entry)).key(&customer.key);
        let most = entry.spec.body_bytes_max();
        let long = post().body(vec![b' '; most + 1]).send(server.api);
        long.is_problem(413, "body_too_large");
        let full = post().body(vec![b' '; most]).send(server.api);
        let is_read = [entry.spec.status, 404, 422].contains(&full.status);
        assert!(is_read, "{}: a body of exactly the limit: {}", entry.spec.name, full.text());
        let form =
            post().header("content-type", "application/x-www-form-urlencoded").body("a=1").send(server.api);
        form.is_problem(415, "unsupported_media_type");
        let charset =
            post().header("content-type", "application/json; charset=utf-8").body("{}").send(server.api);
        assert!([entry.spec.status, 404, 422].contains(&charset.status));
    });
}

#[test]
fn another_method_is_405_with_the_allowed_ones_and_another_path_404() {
    each_row(|server, customer, entry| {
        let wrong = Request::new("PUT", &path(entry)).key(&customer.key).send(server.api);
        wrong.is_problem(405, "method_not_allowed");
        has_common_headers(&wrong);
        assert!(wrong.header("allow").unwrap().split(',').any(|method| method == entry.spec.verb.as_str()));
        let lost =
            Request::new("GET", &format!("{}/no/such", path(entry))).key(&customer.key).send(server.api);
        lost.is_problem(404, "not_found");
        has_common_headers(&lost);
    });
}
