//! Bulk jobs from submission to results, against the running program.

use crate::support::{Answer, Customer, Installation, Request, Server, known_email, ways_to_ask};
use assay_domain::clock::Stopwatch;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

/// The longest pause between two looks at a job. A trial may send 120 requests a minute, and a loaded machine may
/// need most of that minute.
const LOOK_PAUSE_MAX: Duration = Duration::from_secs(1);

#[track_caller]
fn submit(server: &Server, customer: &Customer, body: &Value) -> String {
    let made = server.call(customer, "POST", "/v1/bulk/enrich", body);
    assert_eq!(made.status, 202, "{}", made.text());
    let made = made.json();
    assert_eq!((&made["status"], &made["cost"]["credits"]), (&json!("queued"), &json!(0)));
    let id = made["id"].as_str().unwrap().to_owned();
    assert_eq!(made["poll_url"], json!(format!("/v1/bulk/{id}")));
    id
}

fn job(server: &Server, customer: &Customer, id: &str) -> Value {
    server.get(customer, &format!("/v1/bulk/{id}?limit=100")).is_ok()
}

/// The job once its status is one of these.
#[track_caller]
fn wait_for(server: &Server, customer: &Customer, id: &str, wanted: &[&str]) -> Value {
    let began = Stopwatch::start();
    let mut pause = Duration::from_millis(30);
    loop {
        let job = job(server, customer, id);
        if wanted.contains(&job["status"].as_str().unwrap()) {
            return job;
        }
        assert!(began.elapsed() < PATIENCE, "still {}: {}", job["status"], job["counts"]);
        std::thread::sleep(pause);
        pause = (pause * 2).min(LOOK_PAUSE_MAX);
    }
}

/// Every result, page by page.
fn results(server: &Server, customer: &Customer, id: &str, filter: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = server.get(customer, &format!("/v1/bulk/{id}?limit=37{filter}{cursor}")).is_ok();
        all.extend(page["results"].as_array().unwrap().iter().cloned());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return all,
        }
    }
}

fn by_status(results: &[Value]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for result in results {
        *counts.entry(result["status"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    counts
}

fn balance(server: &Server, customer: &Customer) -> f64 {
    server.get(customer, "/v1/me").is_ok()["balance"]["available"].as_f64().unwrap()
}

fn emails(count: usize) -> Vec<Value> {
    (0..count).map(|number| json!({ "email": known_email(number) })).collect()
}

#[test]
fn a_list_is_answered_item_by_item_and_duplicates_cost_once() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let before = balance(&server, &customer);
    let mut items = emails(120);
    // The same person again, in another spelling and another slice; one who is not there; one that is no address.
    items.push(json!({ "id": "again", "email": known_email(3).to_uppercase() }));
    items.push(json!({ "id": "nobody", "email": "nobody@nowhere.example" }));
    items.push(json!({ "id": "broken", "email": "no address" }));
    let id = submit(&server, &customer, &json!({ "items": items, "metadata": { "list": "fair" } }));
    let job = wait_for(&server, &customer, &id, &["completed_with_errors"]);
    let counts = json!({ "total": 123, "pending": 0, "resolved": 121, "not_found": 1, "invalid": 1, "failed": 0,
        "skipped": 0 });
    assert_eq!(job["counts"], counts);
    assert_eq!((&job["charged"], &job["progress"]), (&json!(120), &json!(1)));
    assert_eq!(job["metadata"], json!({ "list": "fair" }));
    assert!((before - balance(&server, &customer) - 120.0).abs() < 1e-9);

    let all = results(&server, &customer, &id, "");
    assert_eq!(
        all.iter().map(|result| result["index"].as_u64().unwrap()).collect::<Vec<_>>(),
        (0..123).collect::<Vec<_>>()
    );
    let cost: f64 = all.iter().map(|result| result["cost"]["credits"].as_f64().unwrap()).sum();
    assert!((cost - 120.0).abs() < 1e-9);
    assert_eq!(all[120]["person"]["id"], all[3]["person"]["id"]);
    assert_eq!((&all[120]["id"], &all[120]["cost"]["credits"]), (&json!("again"), &json!(0)));
    assert_eq!(all[122]["error"]["code"], json!("invalid_email"));
    assert_eq!(by_status(&results(&server, &customer, &id, "&status=resolved")).len(), 1);
    assert_eq!(results(&server, &customer, &id, "&status=not_found").len(), 1);

    let history = server.get(&customer, "/v1/me/history?endpoint=bulk-enrich").is_ok();
    assert_eq!(history["totals"]["credits"], json!(120));
    let people = server.get(&customer, "/v1/me/people?limit=1").is_ok();
    assert_eq!(people["results"][0]["endpoints"], json!(["bulk-enrich"]));
}

#[test]
fn a_list_and_single_calls_find_the_same_people() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let mut ways = ways_to_ask(40);
    let strict: Vec<Value> = ways
        .iter()
        .flat_map(|way| {
            [("min_confidence", json!(0.96)), ("max_age_days", json!(100))].map(|(name, value)| {
                let mut way = way.clone();
                way[name] = value;
                way
            })
        })
        .collect();
    ways.extend(strict);
    ways.truncate(500);
    let id = submit(&server, &customer, &json!({ "items": ways }));
    wait_for(&server, &customer, &id, &["completed"]);
    let (mut found, mut missed) = (0, 0);
    for (way, result) in ways.iter().zip(results(&server, &customer, &id, "")) {
        let single = server.enrich(&customer, way).is_ok();
        for field in ["person", "confidence", "matched_on"] {
            assert_eq!(result[field], single[field], "{field} of {way}");
        }
        *(if single["found"] == json!(true) { &mut found } else { &mut missed }) += 1;
    }
    assert!(found > 100 && missed > 20, "{found} found and {missed} missed");
}

#[test]
fn results_come_as_lines_and_as_a_sheet_and_progress_as_events() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let id = submit(&server, &customer, &json!({ "items": emails(60) }));
    let events = server.get(&customer, &format!("/v1/bulk/{id}/events"));
    assert_eq!(events.header("content-type"), Some("text/event-stream"));
    let text = events.text();
    assert!(text.trim_end().rsplit("\n\n").next().unwrap().starts_with("event: end\n"), "{text}");
    assert!(text.contains("\"resolved\":60"), "{text}");
    let lines = server.get(&customer, &format!("/v1/bulk/{id}/results.ndjson")).text();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[59]["index"]), (60, &json!(59)));
    let sheet = server.get(&customer, &format!("/v1/bulk/{id}/results.csv")).text();
    assert_eq!(sheet.lines().count(), 61);
    assert!(sheet.contains(&known_email(42)));
}

#[test]
fn a_whole_call_is_refused_with_every_reason_and_makes_no_job() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let items =
        json!([{ "email": known_email(1) }, { "emial": "x" }, {}, { "email": "a@b.example", "phone": "+1" }]);
    let refused = server.call(&customer, "POST", "/v1/bulk/enrich", &json!({ "items": items }));
    let problem = refused.is_problem(422, "validation_failed");
    let pointers: Vec<&str> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["pointer"].as_str().unwrap())
        .collect();
    assert_eq!(pointers, ["/items/1/emial", "/items/2", "/items/3"], "{problem}");
    let many = json!({ "items": vec![json!({ "email": "a@b.example" }); 501] });
    server.call(&customer, "POST", "/v1/bulk/enrich", &many).is_problem(422, "validation_failed");
    server
        .call(&customer, "POST", "/v1/bulk/enrich", &json!({ "items": [] }))
        .is_problem(422, "validation_failed");
    assert_eq!(server.get(&customer, "/v1/bulk").is_ok()["results"], json!([]));
}

#[test]
fn a_webhook_of_others_is_as_unknown_as_one_that_is_none() {
    let installation = Installation::new();
    let (customer, other) = (installation.customer("scale"), installation.customer("scale"));
    let server = installation.serve();
    let hook = json!({ "url": "https://hooks.northwind-robotics.example/" });
    let theirs = server.call(&other, "POST", "/v1/webhooks", &hook);
    let theirs = theirs.json()["id"].as_str().unwrap().to_owned();
    let absent = format!("whk_{}", "0".repeat(32));
    let refusals = [theirs.as_str(), &absent, "whk_1", ""].map(|id| {
        let body = json!({ "items": emails(1), "webhook": { "id": id } });
        let refused = server.call(&customer, "POST", "/v1/bulk/enrich", &body);
        refused.is_problem(422, "validation_failed")["errors"].clone()
    });
    assert_eq!(refusals[0][0]["code"], json!("unknown_webhook"));
    assert!(refusals.iter().all(|errors| *errors == refusals[0]), "{refusals:#?}");
    assert_eq!(server.get(&customer, "/v1/bulk").is_ok()["results"], json!([]));
}

#[test]
fn a_key_that_comes_twice_makes_one_job() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let body = json!({ "items": emails(5) });
    let request = Request::new("POST", "/v1/bulk/enrich")
        .key(&customer.key)
        .header("Idempotency-Key", "one")
        .json(&body);
    let answers: Vec<Answer> = (0..2).map(|_| request.send(server.api)).collect();
    assert_eq!(answers[0].json()["id"], answers[1].json()["id"]);
    assert_eq!(answers[1].header("idempotent-replayed"), Some("true"));
    assert_eq!(server.get(&customer, "/v1/bulk").is_ok()["results"].as_array().unwrap().len(), 1);
}

#[test]
fn without_credits_a_job_pauses_and_goes_on_after_a_top_up() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve();
    let id = submit(&server, &customer, &json!({ "items": emails(230) }));
    let paused = wait_for(&server, &customer, &id, &["paused_insufficient_credits"]);
    assert_eq!((&paused["counts"]["resolved"], &paused["charged"]), (&json!(100), &json!(100)));
    server
        .call(&customer, "POST", "/v1/bulk/enrich", &json!({ "items": emails(1) }))
        .is_problem(402, "insufficient_credits");
    installation.ok(&["account", "topup", &customer.account, "500", "--reference", "more"]);
    let job = wait_for(&server, &customer, &id, &["completed"]);
    assert_eq!((&job["counts"]["resolved"], &job["charged"]), (&json!(230), &json!(230)));
    assert!((balance(&server, &customer) - 370.0).abs() < 1e-9);
}

#[test]
fn a_slice_that_was_put_away_while_its_job_went_on_goes_on_after_a_top_up() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve();
    let id = submit(&server, &customer, &json!({ "items": emails(130) }));
    wait_for(&server, &customer, &id, &["paused_insufficient_credits"]);
    // As another slice leaves it that starts just then.
    installation.ledger.psql("update bulk_job set status = 'running', paused_at = null").unwrap();
    installation.ok(&["account", "topup", &customer.account, "500", "--reference", "more"]);
    let job = wait_for(&server, &customer, &id, &["completed"]);
    assert_eq!((&job["counts"]["resolved"], &job["charged"]), (&json!(130), &json!(130)));
}

#[test]
fn what_a_killed_worker_held_is_there_for_the_next_one() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let mut server = installation.serve();
    let (graph, ledger) = (&installation.graph, &installation.ledger);
    let id = std::thread::scope(|scope| {
        // Lookups wait for this lock, so the worker certainly dies with all the account has in its hands.
        scope.spawn(|| graph.psql("begin; lock table identity; select pg_sleep(5); commit").unwrap());
        std::thread::sleep(Duration::from_millis(500));
        let id = submit(&server, &customer, &json!({ "items": emails(100) }));
        let began = Stopwatch::start();
        while ledger.psql("select sum(amount) from hold where state = 'open'").unwrap() != "100000" {
            assert!(began.elapsed() < Duration::from_secs(4), "nothing is held");
            std::thread::sleep(Duration::from_millis(30));
        }
        server.process.kill_dash_nine().unwrap();
        id
    });
    let server = installation.serve();
    let job = wait_for(&server, &customer, &id, &["completed"]);
    assert_eq!((&job["counts"]["resolved"], &job["charged"]), (&json!(100), &json!(100)));
    assert!(balance(&server, &customer).abs() < 1e-9);
    assert_eq!(ledger.psql("select count(*) from hold where state = 'open'").unwrap(), "0");
}

#[test]
fn nothing_is_spent_beyond_what_the_caller_allows() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let mut items = vec![json!({ "email": "nobody@nowhere.example" })];
    items.extend(emails(119));
    let id = submit(&server, &customer, &json!({ "items": items, "max_credits": 70 }));
    let job = wait_for(&server, &customer, &id, &["completed_with_errors"]);
    assert_eq!((&job["charged"], &job["max_credits"]), (&json!(70), &json!(70)));
    let all = by_status(&results(&server, &customer, &id, ""));
    assert_eq!(
        all,
        BTreeMap::from([("not_found".into(), 1), ("resolved".into(), 70), ("skipped".into(), 49)])
    );
    server
        .call(&customer, "POST", "/v1/bulk/enrich", &json!({ "items": emails(1), "max_credits": 0.5 }))
        .is_problem(402, "max_credits_too_low");
}

#[test]
fn a_canceled_job_keeps_what_it_has_and_another_accounts_job_is_not_there() {
    let installation = Installation::new();
    let (customer, stranger) = (installation.customer("trial"), installation.customer("scale"));
    let server = installation.serve();
    let id = submit(&server, &customer, &json!({ "items": emails(150) }));
    wait_for(&server, &customer, &id, &["paused_insufficient_credits"]);
    for path in
        [format!("/v1/bulk/{id}"), format!("/v1/bulk/{id}/results.csv"), format!("/v1/bulk/{id}/events")]
    {
        server.get(&stranger, &path).is_problem(404, "not_found");
    }
    let cancel = format!("/v1/bulk/{id}/cancel");
    server.call(&stranger, "POST", &cancel, &json!({})).is_problem(404, "not_found");
    let canceled = server.call(&customer, "POST", &cancel, &json!({})).is_ok();
    assert_eq!((&canceled["status"], &canceled["charged"]), (&json!("canceled"), &json!(100)));
    assert_eq!((&canceled["counts"]["resolved"], &canceled["counts"]["skipped"]), (&json!(100), &json!(50)));
    assert_eq!(server.call(&customer, "POST", &cancel, &json!({})).is_ok()["status"], json!("canceled"));
    let all = by_status(&results(&server, &customer, &id, ""));
    assert_eq!(all, BTreeMap::from([("resolved".into(), 100), ("skipped".into(), 50)]));
    assert_eq!(installation.ok_json(&["jobs", "list"])["results"], json!([]));
}

#[test]
fn a_bad_list_costs_nothing_and_is_over_at_once() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve();
    let id = submit(&server, &customer, &json!({ "items": [{ "email": "a" }, { "phone": "b" }] }));
    let job = job(&server, &customer, &id);
    assert_eq!((&job["status"], &job["counts"]["invalid"]), (&json!("completed_with_errors"), &json!(2)));
}
