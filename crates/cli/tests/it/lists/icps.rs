//! Searches that are kept and run again.

use super::{PATIENCE, round};
use crate::lately::{DAY, Scene, ago, rows};
use assay_testkit::Stopwatch;
use serde_json::{Value, json};
use std::time::Duration;

const ICPS: &str = "/v1/saved-icps";

#[test]
fn a_saved_search_is_run_again_and_tells_what_is_new() {
    let scene = Scene::new("scale");
    let filters = json!({ "seniority": ["c_suite", "vp", "head", "director", "manager"] });
    let whole = scene.ask("/v1/search/people", &filters.as_object().map(|it| json!(it)).unwrap());
    assert!(rows(&whole).len() >= 4, "{}", rows(&whole).len());
    let body = json!({ "name": "leaders", "target": "people", "filters": filters });
    let made = scene.server.call(&scene.customer, "POST", ICPS, &body);
    assert_eq!(made.status, 201, "{}", made.text());
    let id = made.json()["id"].as_str().unwrap().to_owned();
    let run = |body: Value| scene.ask(&format!("{ICPS}/{id}/run"), &body);
    let ids = |answer: &Value| -> Vec<String> {
        rows(answer).iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    };
    let first = run(json!({ "limit": 2 }));
    assert_eq!(
        (rows(&first).len(), &first["new_since_last_run"], &first["cost"]["credits"]),
        (2, &json!(2), &json!(2))
    );
    assert_eq!(first["total"], whole["total"]);
    let again = run(json!({ "limit": 2 }));
    assert_eq!((ids(&again), &again["new_since_last_run"]), (ids(&first), &json!(0)));
    let fresh = run(json!({ "limit": 2, "only_new": true }));
    assert_eq!((rows(&fresh).len(), &fresh["new_since_last_run"]), (2, &json!(2)));
    assert!(ids(&fresh).iter().all(|id| !ids(&first).contains(id)));
    while !rows(&run(json!({ "limit": 100, "only_new": true }))).is_empty() {}
    let none = run(json!({ "limit": 100, "only_new": true }));
    assert_eq!((rows(&none).len(), &none["cost"]["credits"]), (0, &json!(1)), "the base is for the search");
    let shown = scene.server.get(&scene.customer, &format!("{ICPS}/{id}")).is_ok();
    assert_eq!((&shown["filters"], &shown["last_result_count"]), (&filters, &json!(0)));
    assert_eq!(rows(&scene.server.get(&scene.customer, ICPS).is_ok()).len(), 1);
    let history = scene.server.get(&scene.customer, "/v1/me/history?endpoint=saved-icps-run").is_ok();
    assert!(rows(&history).len() >= 5);
    // What is wrong with a filter is told where it stands.
    let wrong = json!({ "name": "x", "target": "companies", "filters": { "industry": "Nonsense" } });
    let answer = scene.server.call(&scene.customer, "POST", ICPS, &wrong);
    answer.is_problem(422, "validation_failed");
    assert_eq!(answer.json()["errors"][0]["pointer"], json!("/filters/industry"));
    for wrong in [
        json!({ "name": "x", "target": "people", "filters": { "limit": 3 } }),
        json!({ "name": "x", "target": "people", "filters": { "technologies": "Kafka" } }),
        json!({ "name": "x", "target": "people" }),
    ] {
        scene.refuses(ICPS, &wrong, 422, "validation_failed");
    }
    // Another account's is none.
    let stranger = scene.installation.customer("scale");
    for (method, path) in [("GET", ""), ("DELETE", ""), ("POST", "/run")] {
        scene
            .server
            .call(&stranger, method, &format!("{ICPS}/{id}{path}"), &json!({}))
            .is_problem(404, "not_found");
    }
    // One of people is no customer that is a company.
    let window = json!({ "icp_id": id, "role": "CEO" });
    scene.refuses("/v1/buyer-budget-window", &window, 422, "validation_failed");
    let body = json!({ "name": "all", "target": "companies", "filters": { "employee_count": { "min": 1 } } });
    let made = scene.server.call(&scene.customer, "POST", ICPS, &body).json();
    scene.give(&[round("f-1", ago(300 * DAY), 1)]);
    let found = scene.ask("/v1/buyer-budget-window", &json!({ "icp_id": made["id"], "role": "CEO" }));
    assert_eq!(rows(&found).len(), 0, "it does not hire");
    scene.server.call(&scene.customer, "DELETE", &format!("{ICPS}/{id}"), &Value::Null).is_ok();
    scene.server.get(&scene.customer, &format!("{ICPS}/{id}")).is_problem(404, "not_found");
    assert!(scene.installation.run(&["doctor"]).status.success());
}

#[test]
fn a_scheduled_search_tells_the_webhooks_what_is_new_and_is_paid_for_once() {
    let scene = Scene::new("pro");
    let ledger = &scene.installation.ledger;
    let hook = json!({ "url": "https://hooks.example/in", "events": ["saved_icp.new_results"] });
    assert_eq!(scene.server.call(&scene.customer, "POST", "/v1/webhooks", &hook).status, 201);
    let filters = json!({ "seniority": ["c_suite", "vp", "head", "director", "manager"] });
    let body = json!({ "name": "leaders", "target": "people", "filters": filters,
        "schedule": { "every_hours": 24, "max_credits": 2.5 } });
    let made = scene.server.call(&scene.customer, "POST", ICPS, &body);
    assert_eq!(made.status, 201, "{}", made.text());
    let id = made.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(made.json()["schedule"]["max_credits"], json!(2.5));
    let due = "update saved_icp set next_run_at = '2026-01-01 00:00:00Z', leased_until = null";
    let is_done = "select count(*) from saved_icp where next_run_at > '2026-01-02'";
    let run = |told: usize| {
        let watch = Stopwatch::start();
        ledger.psql(due).unwrap();
        while ledger.psql(is_done).unwrap().trim() != "1" {
            assert!(watch.elapsed() < PATIENCE, "it does not run");
            std::thread::sleep(Duration::from_millis(100));
        }
        let events = ledger.psql("select count(*) from webhook_delivery").unwrap();
        assert_eq!(events.trim(), told.to_string());
    };
    run(1);
    let message: Value =
        serde_json::from_str(ledger.psql("select body from webhook_delivery").unwrap().trim()).unwrap();
    assert_eq!(
        (&message["type"], &message["data"]["id"], &message["data"]["counts"]["results"]),
        (&json!("saved_icp.new_results"), &json!(id), &json!(3)),
        "one for the search and half of one for each of three"
    );
    let results = message["data"]["results_url"].as_str().unwrap();
    let first = scene.server.get(&scene.customer, results).is_ok();
    assert_eq!((rows(&first).len(), &first["cost"]["credits"]), (3, &json!(0)));
    let people = scene.server.get(&scene.customer, "/v1/me/people").is_ok();
    assert_eq!(rows(&people).len(), 3, "whom a schedule finds was found");
    // The same moment again, as after a node that died before it could say that it was done.
    run(1);
    let history = scene.server.get(&scene.customer, "/v1/me/history?endpoint=saved-icps-run").is_ok();
    let paid: Vec<&Value> = rows(&history).iter().map(|row| &row["credits"]).collect();
    assert_eq!(paid, [&json!(2.5)]);
    // Asked for, it goes on after what the schedule has shown.
    let fresh = scene.ask(&format!("{ICPS}/{id}/run"), &json!({ "only_new": true, "limit": 1 }));
    assert!(!rows(&first).iter().any(|row| row["id"] == rows(&fresh)[0]["id"]));
    let stranger = scene.installation.customer("scale");
    scene.server.get(&stranger, results).is_problem(404, "not_found");
    // A schedule ends with the key that set it.
    ledger
        .psql("update api_key set revoked_at = now() where account_id = (select account_id from saved_icp)")
        .unwrap();
    ledger.psql("update saved_icp set next_run_at = '2026-01-01 06:00:00Z', leased_until = null").unwrap();
    let watch = Stopwatch::start();
    while ledger.psql(is_done).unwrap().trim() != "1" {
        assert!(watch.elapsed() < PATIENCE, "it does not wait for its next time");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(ledger.psql("select count(*) from webhook_delivery").unwrap().trim(), "1");
    assert!(scene.installation.run(&["doctor"]).status.success());
}
