//! The sandbox over HTTP: the twin of every row, what is counted and for whom, and test keys.

use crate::support::{Answer, Customer, Installation, Request, Server, known_email};
use assay_domain::Clock;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{BODY_BYTES_MAX, SANDBOX_DAILY_LIMIT, SANDBOX_SLOW};
use assay_service::sandbox::{SandboxOutcome, outcomes, twin_path};
use assay_service::spec::Scope;
use assay_service::{AnswerShape, CATALOG, Entry, openapi};
use serde_json::{Map, Value, json};
use std::time::Duration;

const OPEN: &[(&str, &str)] = &[("ASSAY_SANDBOX_DAILY_LIMIT", "1000000")];

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A row called at `path` with these fields, in the path, the query or the body, as the row wants them.
fn request(entry: &Entry, path: &str, fields: &Value) -> Request {
    let fields = fields.as_object().cloned().unwrap_or_default();
    let mut path = path.to_owned();
    let mut rest = Map::new();
    for (name, value) in fields {
        let slot = format!("{{{name}}}");
        if path.contains(&slot) {
            path = path.replace(&slot, &text(&value));
        } else {
            rest.insert(name, value);
        }
    }
    let verb = entry.spec.verb;
    if verb.has_body() {
        return Request::new(verb.as_str(), &path).json(&Value::Object(rest));
    }
    let query: Vec<String> = rest.iter().map(|(name, value)| format!("{name}={}", text(value))).collect();
    let mark = if query.is_empty() { "" } else { "?" };
    Request::new(verb.as_str(), &format!("{path}{mark}{}", query.join("&")))
}

fn live(entry: &Entry, fields: &Value) -> Request {
    request(entry, entry.spec.path, fields)
}

fn twin(entry: &Entry, fields: &Value) -> Request {
    request(entry, &twin_path(&entry.spec), fields)
}

fn example(entry: &Entry) -> Value {
    (entry.example)().0
}

fn enrich() -> &'static Entry {
    CATALOG.iter().find(|entry| entry.spec.name == "enrich").unwrap()
}

fn enrich_twin() -> Request {
    twin(enrich(), &example(enrich()))
}

fn remaining(answer: &Answer) -> u32 {
    answer.header("x-sandbox-remaining").unwrap().parse().unwrap()
}

/// A new account with a key that may call every row.
fn with_every_scope(installation: &Installation, mode: &str) -> Customer {
    let Customer { account, .. } = installation.customer("scale");
    let scopes = Scope::ALL.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(",");
    let create = ["key", "create", "--account", &account, "--mode", mode, "--scopes", &scopes];
    let key = installation.ok(&create).trim().to_owned();
    Customer { account, key }
}

/// A problem without what differs from call to call.
fn bare_problem(answer: &Answer) -> Value {
    let mut problem = answer.json();
    problem.as_object_mut().unwrap().remove("request_id").unwrap();
    problem
}

fn answer_schema(entry: &Entry) -> jsonschema::Validator {
    let (path, verb) = (entry.spec.path.replace('/', "~1"), entry.spec.verb.as_str().to_lowercase());
    let status = entry.spec.status;
    let document = openapi::document();
    let place = format!("/paths/{path}/{verb}/responses/{status}/content/application~1json/schema");
    let mut schema = document.pointer(&place).unwrap_or_else(|| panic!("{place}")).clone();
    schema["components"] = document["components"].clone();
    jsonschema::validator_for(&schema).unwrap()
}

#[test]
fn every_twin_answers_its_own_example_without_a_key_and_fits_the_rows_schema() {
    let installation = Installation::new();
    let server = installation.serve_with(OPEN);
    for entry in CATALOG {
        let name = entry.spec.name;
        let answer = twin(entry, &example(entry)).key("not a key at all").send(server.api);
        assert_eq!(answer.status, entry.spec.status, "{name}: {}", answer.text());
        assert_eq!(answer.header("x-credits-charged"), Some("0"));
        assert!(answer.header("x-credits-remaining").is_none() && answer.header("ratelimit").is_none());
        assert!(answer.header("x-request-id").is_some() && answer.header("x-sandbox-remaining").is_some());
        if !matches!(entry.answer, AnswerShape::Json(_)) {
            // Sent in pieces, with their lengths between them.
            assert!(
                answer.text().contains((entry.example)().1.as_str().unwrap()),
                "{name}: {}",
                answer.text()
            );
            continue;
        }
        let body = answer.json();
        assert_eq!(body["sandbox"], true, "{name}");
        assert_eq!(body["cost"]["credits"], 0, "{name}");
        assert!(body["cost"]["live_credits"].is_number() && body["cost"].get("balance_remaining").is_none());
        let errors: Vec<String> = answer_schema(entry)
            .iter_errors(&body)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
        let mut bare = body.clone();
        bare.as_object_mut().unwrap().retain(|field, _| field != "sandbox" && field != "cost");
        assert_eq!(bare, (entry.example)().1, "{name}");
    }
    for (name, live_credits) in [("enrich", 1), ("companies", 1), ("me", 0)] {
        let entry = CATALOG.iter().find(|entry| entry.spec.name == name).unwrap();
        assert_eq!(
            twin(entry, &example(entry)).send(server.api).is_ok()["cost"]["live_credits"],
            live_credits
        );
    }
}

#[test]
fn a_twin_refuses_what_its_row_refuses_in_the_same_words() {
    let installation = Installation::new();
    let customer = with_every_scope(&installation, "live");
    let server = installation.serve_with(OPEN);
    let same = |entry: &Entry, live: &Request, twin: &Request| {
        let (live, twin) = (live.clone().key(&customer.key).send(server.api), twin.send(server.api));
        assert!((400..500).contains(&live.status), "{}: {}", entry.spec.name, live.text());
        let mut told = bare_problem(&live);
        // Who calls without a key has none left.
        told["cost"].as_object_mut().unwrap().remove("balance_remaining");
        assert_eq!((live.status, told), (twin.status, bare_problem(&twin)), "{}", entry.spec.name);
        assert!(twin.header("x-sandbox-remaining").is_some(), "what is refused is counted too");
    };
    for entry in CATALOG {
        let name = entry.spec.name;
        let mut fields = example(entry);
        fields["surprise"] = json!("1");
        same(entry, &live(entry, &fields), &twin(entry, &fields));
        if !entry.spec.verb.has_body() {
            continue;
        }
        let paths = [entry.spec.path.to_owned(), twin_path(&entry.spec)];
        let post =
            |body: &[u8]| paths.clone().map(|path| Request::new(entry.spec.verb.as_str(), &path).body(body));
        for body in [&b"{\"a\":"[..], b"[]", b"{\"surprise\":1}", &vec![b' '; BODY_BYTES_MAX + 1]] {
            let [live, twin] = post(body);
            same(entry, &live, &twin);
        }
        let [live, twin] = post(b"a=1").map(|request| request.header("content-type", "text/plain"));
        same(entry, &live, &twin);
        let [live, twin] = [self::live(entry, &example(entry)), self::twin(entry, &example(entry))]
            .map(|request| request.header("idempotency-key", ""));
        if entry.spec.verb.as_str() == "POST" {
            same(entry, &live, &twin);
        }
        if !entry.spec.price.is_free() {
            let mut poor = example(entry);
            poor["max_credits"] = json!(0.001);
            same(entry, &self::live(entry, &poor), &self::twin(entry, &poor));
            poor["max_credits"] = json!("many");
            same(entry, &self::live(entry, &poor), &self::twin(entry, &poor));
        }
        let lost = Request::new("GET", &format!("{}/no/such", twin_path(&entry.spec))).send(server.api);
        lost.is_problem(404, "not_found");
        assert!(
            lost.header("x-sandbox-remaining").is_none(),
            "{name}: what is no sandbox call is not counted"
        );
    }
    Request::new("PUT", "/v1/sandbox/enrich").send(server.api).is_problem(405, "method_not_allowed");
}

#[test]
fn dry_runs_and_explanations_work_as_they_do_outside() {
    let installation = Installation::new();
    let server = installation.serve_with(OPEN);
    for entry in CATALOG.iter().filter(|entry| !entry.spec.price.is_free() && entry.spec.verb.has_body()) {
        let path = format!("{}?dry_run=true", twin_path(&entry.spec));
        let answer = request(entry, &path, &example(entry)).send(server.api).is_ok();
        assert_eq!((&answer["dry_run"], &answer["sandbox"]), (&json!(true), &json!(true)));
        assert_eq!(answer["cost"]["credits"], 0);
        assert!(answer["max_price"].as_f64().unwrap() > 0.0);
        let mut fields = example(entry);
        fields["explain"] = json!(true);
        fields["max_credits"] = json!(1_000);
        let answer = twin(entry, &fields).send(server.api);
        assert_eq!(answer.status, entry.spec.status, "{}", answer.text());
        let answer = answer.json();
        assert_eq!(answer["trace"].as_array().unwrap().len(), 1);
        assert_eq!(answer["trace"][0]["provider"], "sandbox");
    }
}

/// What a forced outcome must look like, on a twin and for a test key alike.
fn check_forced(entry: &Entry, outcome: &str, answer: &Answer) {
    let name = entry.spec.name;
    match outcome {
        _ if !outcomes(entry).contains(&outcome) => {
            let problem = answer.is_problem(422, "validation_failed");
            assert_eq!(problem["errors"][0]["pointer"], "/Sandbox-Outcome", "{name}");
            for has in outcomes(entry) {
                assert!(problem["errors"][0]["fix"].as_str().unwrap().contains(has), "{name}: {problem}");
            }
        }
        "not_found" => {
            let body = answer.is_ok();
            assert_eq!((&body["sandbox"], &body["cost"]["credits"]), (&json!(true), &json!(0)), "{name}");
            // Whoever is like nobody was not searched for.
            let price = entry.spec.price.charge(name != "find-similar-people", 0);
            assert_eq!(body["cost"]["live_credits"].to_string(), price.to_string());
        }
        "insufficient_credits" => {
            assert_eq!(answer.is_problem(402, "insufficient_credits")["retryable"], false);
        }
        "rate_limited" => {
            assert_eq!(answer.is_problem(429, "rate_limited")["retryable"], true);
            assert!(answer.header("retry-after").unwrap().parse::<u32>().unwrap() >= 1);
        }
        "upstream_error" => {
            assert_eq!(answer.is_problem(502, "upstream_error")["retryable"], true);
        }
        other => panic!("{other} is not checked"),
    }
}

#[test]
fn every_outcome_of_every_row_can_be_forced() {
    let installation = Installation::new();
    let server = installation.serve_with(OPEN);
    let quick = || SandboxOutcome::ALL.iter().map(|outcome| outcome.as_str()).filter(|name| *name != "slow");
    for entry in CATALOG {
        for outcome in quick() {
            let answer = twin(entry, &example(entry)).header("sandbox-outcome", outcome).send(server.api);
            check_forced(entry, outcome, &answer);
        }
        let mistyped = twin(entry, &example(entry)).header("sandbox-outcome", "rate-limit").send(server.api);
        let problem = mistyped.is_problem(422, "validation_failed");
        assert_eq!(problem["errors"][0]["pointer"], "/Sandbox-Outcome");
        assert_eq!(problem["errors"][0]["fix"], "did you mean `rate_limited`?");
    }
    let found = enrich_twin().header("sandbox-outcome", "not_found").send(server.api).is_ok();
    assert_eq!((&found["found"], &found["person"]), (&json!(false), &Value::Null));
    let started = Stopwatch::start();
    let slow = enrich_twin().header("sandbox-outcome", "slow").send(server.api).is_ok();
    assert_eq!(slow["found"], true);
    assert!(started.elapsed() >= SANDBOX_SLOW);
}

#[test]
fn the_fifty_first_call_of_a_day_is_refused_until_the_next_day_begins() {
    let installation = Installation::new();
    let server = installation.serve();
    let info = || Request::new("GET", "/v1/sandbox/info").send(server.api);
    assert_eq!(info().is_ok()["remaining"], SANDBOX_DAILY_LIMIT);
    for left in (0..SANDBOX_DAILY_LIMIT).rev() {
        let answer = if left % 2 == 0 { enrich_twin() } else { twin(enrich(), &json!({"emial": "a"})) };
        let answer = answer.send(server.api);
        assert_eq!(answer.status, if left % 2 == 0 { 200 } else { 422 });
        assert_eq!(remaining(&answer), left);
    }
    let before = Clock::system().now();
    let refused = enrich_twin().send(server.api);
    assert_eq!(refused.is_problem(429, "sandbox_daily_limit")["retryable"], true);
    assert_eq!(remaining(&refused), 0);
    let wait: i64 = refused.header("retry-after").unwrap().parse().unwrap();
    let reached = (before + chrono::TimeDelta::seconds(wait + 1)).date_naive();
    assert!((1..=86_400).contains(&wait) && reached > before.date_naive(), "{wait}");
    let long = Request::new("POST", "/v1/sandbox/enrich").body(vec![b' '; BODY_BYTES_MAX]);
    long.send(server.api).is_problem(429, "sandbox_daily_limit");
    let told = info();
    assert_eq!((&told.is_ok()["remaining"], remaining(&told)), (&json!(0), 0));
    let (refused, other) = (server, installation.serve());
    enrich_twin().send(other.api).is_problem(429, "sandbox_daily_limit");
    drop(refused);
    // Nobody is found behind a stored count.
    assert_eq!(
        installation.ledger.psql("select count(*), min(length(client)) from sandbox_use").unwrap(),
        "1|32"
    );
    let yesterday = "update sandbox_use set day = day - 1; update sandbox_day set day = day - 1";
    installation.ledger.psql(yesterday).unwrap();
    let fresh = installation.serve();
    assert_eq!(remaining(&enrich_twin().send(fresh.api)), SANDBOX_DAILY_LIMIT - 1);
}

#[test]
fn only_a_trusted_proxy_may_say_who_the_client_is() {
    let installation = Installation::new();
    let left = |server: &Server, forwarded: &str| {
        remaining(&enrich_twin().header("x-forwarded-for", forwarded).send(server.api))
    };
    let server = installation.serve();
    let first = left(&server, "203.0.113.1");
    assert_eq!(left(&server, "203.0.113.2"), first - 1, "a forged header gains nothing");
    let behind = installation.serve_with(&[("ASSAY_SERVER_TRUSTED_PROXIES", "127.0.0.0/8, 10.0.0.0/8")]);
    assert_eq!(left(&behind, "203.0.113.1"), SANDBOX_DAILY_LIMIT - 1);
    assert_eq!(left(&behind, "192.0.2.1, 203.0.113.1, 10.0.0.9"), SANDBOX_DAILY_LIMIT - 2);
    assert_eq!(left(&behind, "2001:db8:0:1::1"), SANDBOX_DAILY_LIMIT - 1);
    assert_eq!(left(&behind, "2001:db8:0:1:ffff::2"), SANDBOX_DAILY_LIMIT - 2, "one /64 is one client");
    assert_eq!(left(&behind, "2001:db8:0:2::1"), SANDBOX_DAILY_LIMIT - 1);
    assert_eq!(left(&behind, "nonsense"), first - 2, "what cannot be read is the proxy itself");
}

#[test]
fn the_info_page_lists_every_twin_and_points_at_the_sign_up() {
    let installation = Installation::new();
    let server = installation.serve_with(&[("ASSAY_SERVER_SIGNUP_URL", "https://assay.example/join")]);
    let answer = Request::new("GET", "/v1/sandbox/info").send(server.api);
    let info = answer.is_ok();
    assert_eq!((&info["sandbox"], &info["daily_limit"]), (&json!(true), &json!(SANDBOX_DAILY_LIMIT)));
    assert_eq!(info["cost"], json!({"credits": 0}));
    assert!(info["note"].as_str().unwrap().contains("https://assay.example/join"));
    let listed: Vec<&str> = info["endpoints"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|twins| twins.as_array().unwrap().iter().filter_map(Value::as_str))
        .collect();
    for entry in CATALOG {
        let twin = format!("{} {}", entry.spec.verb.as_str(), twin_path(&entry.spec));
        assert!(listed.contains(&&*twin), "{twin}");
    }
    assert_eq!(listed.len(), CATALOG.len());
}

#[test]
fn without_its_counter_the_sandbox_is_unavailable_and_switched_off_it_is_not_there() {
    let installation = Installation::new();
    let server = installation.serve();
    installation.ledger.psql("alter table sandbox_use rename to elsewhere").unwrap();
    let refused = enrich_twin().send(server.api);
    refused.is_problem(503, "unavailable");
    assert!(refused.header("retry-after").is_some() && refused.header("x-sandbox-remaining").is_none());
    assert_eq!(Request::new("GET", "/v1/sandbox/info").send(server.api).is_ok()["remaining"], Value::Null);
    installation.ledger.psql("alter table elsewhere rename to sandbox_use").unwrap();
    enrich_twin().send(server.api).is_ok();
    let closed = installation.serve_with(&[("ASSAY_SANDBOX_ENABLED", "false")]);
    enrich_twin().send(closed.api).is_problem(404, "not_found");
    Request::new("GET", "/v1/sandbox/info").send(closed.api).is_problem(404, "not_found");
}

#[test]
fn a_test_key_answers_from_the_sandbox_on_the_normal_paths_and_never_charges() {
    let installation = Installation::new();
    let test = with_every_scope(&installation, "test");
    let key = installation.ok(&["key", "create", "--account", &test.account]).trim().to_owned();
    let owner = Customer { account: test.account.clone(), key };
    assert!(test.key.starts_with("assay_test_"));
    let server = installation.serve();
    let before = server.get(&owner, "/v1/me").is_ok()["cost"]["balance_remaining"].clone();
    for entry in CATALOG {
        let name = entry.spec.name;
        let answer = live(entry, &example(entry)).key(&test.key).send(server.api);
        assert_eq!(answer.status, entry.spec.status, "{name}: {}", answer.text());
        assert_eq!(answer.header("x-credits-charged"), Some("0"));
        assert_eq!(answer.header("ratelimit-policy"), Some("\"default\";q=6000;w=60"), "the plan's own rate");
        assert!(answer.header("x-sandbox-remaining").is_none(), "no day's count for who has a key");
        if matches!(entry.answer, AnswerShape::Json(_)) {
            assert_eq!(answer.json()["sandbox"], true, "{name}");
        }
        for outcome in SandboxOutcome::ALL.iter().filter(|outcome| **outcome != SandboxOutcome::Slow) {
            let forced =
                live(entry, &example(entry)).key(&test.key).header("sandbox-outcome", outcome.as_str());
            check_forced(entry, outcome.as_str(), &forced.send(server.api));
        }
    }
    let ignored = live(enrich(), &json!({"email": known_email(0)})).key(&owner.key);
    let ignored = ignored.header("sandbox-outcome", "not_found").send(server.api).is_ok();
    assert!(ignored["found"] == true && ignored.get("sandbox").is_none(), "a live key is not in the sandbox");
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(installation.ledger.psql("select count(*) from history").unwrap(), "1", "the live call alone");
    let after = server.get(&owner, "/v1/me").is_ok()["cost"]["balance_remaining"].clone();
    assert_eq!(after.as_f64().unwrap(), before.as_f64().unwrap() - 1.0);
}
