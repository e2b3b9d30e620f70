//! What a call costs, and that it costs that once.

use crate::support::{Customer, Installation, Request, Server, known_email};
use serde_json::{Value, json};

fn balance(server: &Server, customer: &Customer) -> Value {
    server.get(customer, "/v1/me").is_ok()["balance"]["available"].clone()
}

#[test]
fn a_found_person_costs_one_credit_and_stays_in_history_and_memory() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve();
    let answer = server.enrich(&customer, &json!({"email": known_email(0)}));
    let body = answer.is_ok();
    assert_eq!(body["found"], true);
    assert_eq!(body["cost"], json!({"credits": 1, "balance_remaining": 99}));
    assert_eq!(balance(&server, &customer), 99);

    let history = server.get(&customer, "/v1/me/history").is_ok();
    assert_eq!(history["results"].as_array().unwrap().len(), 1);
    let row = &history["results"][0];
    assert_eq!(row["id"].as_str(), answer.header("x-request-id"));
    assert_eq!(
        (&row["endpoint"], &row["credits"], &row["balance_after"]),
        (&json!("enrich"), &json!(1), &json!(99))
    );
    assert_eq!(history["totals"]["credits"], 1);

    let people = server.get(&customer, "/v1/me/people").is_ok();
    assert_eq!(people["results"][0]["person"]["id"], body["person"]["id"]);
    assert!(installation.run(&["doctor"]).status.success());
}

#[test]
fn every_identifier_of_a_person_finds_the_same_one() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let found = server.enrich(&customer, &json!({"email": known_email(3)})).is_ok();
    let person = &found["person"];
    let mut asked = 0;
    for identifier in [
        json!({"networkUrl": person["networkUrl"]}),
        json!({"fullName": person["fullName"], "company_domain": person["company"]["domain"]}),
        json!({"fullName": person["fullName"], "company_name": person["company"]["name"]}),
        json!({"phone": person["phone"]}),
    ] {
        if identifier.as_object().unwrap().values().any(Value::is_null) {
            continue;
        }
        let again = server.enrich(&customer, &identifier).is_ok();
        assert_eq!(again["person"]["id"], person["id"], "{identifier}");
        asked += 1;
    }
    assert!(asked >= 3);
}

#[test]
fn what_is_not_found_costs_nothing() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve();
    let body = server.enrich(&customer, &json!({"email": "nobody@nowhere.example"})).is_ok();
    assert_eq!((&body["found"], &body["cost"]["credits"]), (&json!(false), &json!(0)));
    assert_eq!(balance(&server, &customer), 100);
    let history = server.get(&customer, "/v1/me/history").is_ok();
    assert_eq!(
        (&history["results"][0]["found"], &history["results"][0]["credits"]),
        (&json!(false), &json!(0))
    );
}

#[test]
fn a_dry_run_tells_the_price_and_charges_nothing() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve();
    let body = json!({"email": known_email(0)});
    let answer = server.call(&customer, "POST", "/v1/enrich?dry_run=true", &body).is_ok();
    assert_eq!(
        (&answer["dry_run"], &answer["max_price"], &answer["cost"]),
        (&json!(true), &json!(1), &json!({"credits": 0, "balance_remaining": 100}))
    );
    let invalid = server.call(&customer, "POST", "/v1/enrich?dry_run=true", &json!({"email": "x"}));
    let told = &invalid.is_problem(422, "validation_failed")["cost"];
    assert_eq!(told, &json!({"credits": 0, "balance_remaining": 100}));
    let scopes = ["key", "create", "--account", &customer.account, "--scopes", "history"];
    let other =
        Customer { account: customer.account.clone(), key: installation.ok(&scopes).trim().to_owned() };
    let forbidden = server.enrich(&other, &body);
    assert_eq!(forbidden.is_problem(403, "insufficient_scope")["cost"], json!({"credits": 0}));
    assert_eq!(forbidden.header("x-credits-remaining"), None);
    assert_eq!(balance(&server, &customer), 100);
}

#[test]
fn without_enough_credits_a_call_is_402_and_nothing_is_charged() {
    let installation = Installation::new();
    installation.ledger.psql("update plan set credits = 1500 where name = 'trial'").unwrap();
    let customer = installation.customer("trial");
    let server = installation.serve();
    let low = server.enrich(&customer, &json!({"email": known_email(0), "max_credits": 0.5}));
    low.is_problem(402, "max_credits_too_low");
    assert_eq!(
        server.enrich(&customer, &json!({"email": known_email(0)})).is_ok()["cost"]["balance_remaining"],
        0.5
    );
    let problem =
        server.enrich(&customer, &json!({"email": known_email(1)})).is_problem(402, "insufficient_credits");
    assert_eq!(problem["retryable"], false);
    assert_eq!(balance(&server, &customer), 0.5);
    installation.ok(&["account", "topup", &customer.account, "2", "--reference", "invoice-1"]);
    installation.ok(&["account", "topup", &customer.account, "2", "--reference", "invoice-1"]);
    assert_eq!(balance(&server, &customer), 2.5);
    server.enrich(&customer, &json!({"email": known_email(1)})).is_ok();
    assert!(installation.run(&["doctor"]).status.success());
}

#[test]
fn a_capped_key_stops_at_its_cap() {
    let installation = Installation::new();
    let Customer { account, .. } = installation.customer("scale");
    let key =
        installation.ok(&["key", "create", "--account", &account, "--monthly-cap", "2"]).trim().to_owned();
    let customer = Customer { account, key };
    let server = installation.serve();
    for number in 0..2 {
        server.enrich(&customer, &json!({"email": known_email(number)})).is_ok();
    }
    server.enrich(&customer, &json!({"email": known_email(2)})).is_problem(402, "spend_cap_reached");
}

#[test]
fn one_idempotency_key_is_one_charge_and_the_same_bytes() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve();
    let post = |idempotency_key: &str, body: &Value| {
        let request = Request::new("POST", "/v1/enrich").key(&customer.key).json(body);
        request.header("idempotency-key", idempotency_key).send(server.api)
    };
    let body = json!({"email": known_email(0)});
    let (first, second) = (post("a-1", &body), post("a-1", &body));
    first.is_ok();
    assert_eq!(first.body, second.body);
    assert_eq!(
        (first.header("idempotent-replayed"), second.header("idempotent-replayed")),
        (None, Some("true"))
    );
    assert_eq!(second.header("x-credits-charged"), Some("0"));
    assert_eq!(second.header("x-credits-remaining"), Some("99"));
    assert_eq!(balance(&server, &customer), 99);
    post("a-1", &json!({"email": known_email(1)})).is_problem(422, "idempotency_key_reused");
    assert_eq!(balance(&server, &customer), 99);
    post("a-2", &body).is_ok();
    assert_eq!(balance(&server, &customer), 98);
    post("", &body).is_problem(400, "invalid_idempotency_key");
}

#[test]
fn a_scope_a_key_lacks_is_403_and_too_many_calls_are_429() {
    let installation = Installation::new();
    let Customer { account, .. } = installation.customer("trial");
    let create = ["key", "create", "--account", &account, "--scopes", "history"];
    let key = installation.ok(&create).trim().to_owned();
    let customer = Customer { account, key };
    let server = installation.serve();
    server.enrich(&customer, &json!({"email": known_email(0)})).is_problem(403, "insufficient_scope");
    let answers: Vec<_> = (0..130).map(|_| server.get(&customer, "/v1/me/history")).collect();
    assert_eq!(answers[0].status, 200);
    let refused = answers.iter().find(|answer| answer.status != 200).expect("a trial has 120 calls a minute");
    assert_eq!(refused.is_problem(429, "rate_limited")["retryable"], true);
    assert!(refused.header("retry-after").unwrap().parse::<u32>().unwrap() >= 1);
    assert!(refused.header("ratelimit").unwrap().starts_with("\"default\";r=0;"));
}
