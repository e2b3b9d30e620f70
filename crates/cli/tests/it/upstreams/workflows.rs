//! Workflows that ask vendors: for no more than is told and paid for, and with what they say when these fail.

use super::*;
use crate::lately::{DAY, ago, company, domain, rows};
use crate::support::WORLD;
use assay_domain::person::LineType;
use assay_testkit::Stopwatch;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const LEAVING: &str = "/v1/competitor-talent-leaving";
const PATIENCE: Duration = Duration::from_secs(20);
/// The company they left.
const LEFT: u64 = 1;

/// So many people without a mobile, by name and page.
fn unreached(count: usize) -> Vec<(String, String)> {
    let people = (0..WORLD.people_count()).map(|number| WORLD.person(number).facts);
    let unreached = people.filter(|facts| facts.phones.iter().all(|phone| phone.line != LineType::Mobile));
    unreached
        .filter_map(|facts| Some((facts.full_name, facts.network_url?.to_string())))
        .take(count)
        .collect()
}

fn left(id: usize, (name, page): &(String, String)) -> Value {
    json!({
        "id": format!("l-{id}"), "kind": "job-change", "occurredAt": ago(2 * DAY), "company": company(LEFT),
        "person": { "fullName": name, "networkUrl": page },
        "change": { "kind": "left", "from": { "title": "Chef", "company": company(LEFT), "on": "2026-11-01" } },
    })
}

/// Somebody who came where others leave.
fn came(id: usize, (name, page): &(String, String)) -> Value {
    json!({
        "id": format!("c-{id}"), "kind": "job-change", "occurredAt": ago(2 * DAY), "company": company(LEFT),
        "person": { "fullName": name, "networkUrl": page },
        "change": { "kind": "new_company", "to": { "title": "Chef", "company": company(LEFT), "on": "2026-11-01" } },
    })
}

/// Returns when the feed has all of it.
fn tell(scene: &Scene, customer: &Customer, signals: &[Value]) {
    let Customer { account, .. } = scene.installation.customer("trial");
    let create = ["key", "create", "--account", &account, "--scopes", "operator"];
    let operator = Customer { key: scene.installation.ok(&create).trim().to_owned(), account };
    let body = json!({ "source": "own", "signals": signals });
    let given = scene.server.call(&operator, "POST", "/v1/ingest/signals", &body).is_ok();
    assert_eq!(given["accepted"], json!(signals.len()), "{given}");
    let watch = Stopwatch::start();
    while rows(&scene.server.get(customer, "/v1/signals?kind=job-change").is_ok()).len() < signals.len() {
        assert!(watch.elapsed() < PATIENCE, "the signals were not fed");
        std::thread::sleep(Duration::from_millis(250));
    }
}

/// So many people without a mobile of whom it is told that they left.
fn tell_of_leavers(scene: &Scene, customer: &Customer, count: usize) {
    let signals: Vec<Value> =
        unreached(count).iter().enumerate().map(|(number, person)| left(number, person)).collect();
    tell(scene, customer, &signals);
}

#[test]
fn vendors_are_asked_for_no_more_people_than_are_told_and_paid_for() {
    let scene = Scene::new(SHARED, |request| match &*request.path {
        "/phone" => VendorReply::json(200, json!({ "phone": "+4915112345678" }).to_string()),
        _ => unknown(),
    });
    let customer = scene.installation.customer("scale");
    tell_of_leavers(&scene, &customer, 6);
    let asked = || scene.vendor.seen().iter().filter(|request| &*request.path == "/phone").count();
    let wanted = json!({ "competitor_domain": domain(LEFT), "limit": 1 });
    let answer = scene.call(&customer, LEAVING, &wanted).is_ok();
    assert_eq!((rows(&answer).len(), &answer["cost"]["credits"]), (1, &json!(3)), "{answer}");
    assert_eq!((asked(), &answer["truncated_by"]), (1, &Value::Null));
    assert!(answer["next_cursor"].is_string());
    let payable = json!({ "competitor_domain": domain(LEFT), "max_credits": 8 });
    let answer = scene.call(&customer, LEAVING, &payable).is_ok();
    assert_eq!((rows(&answer).len(), &answer["cost"]["credits"]), (2, &json!(6)), "{answer}");
    assert_eq!((asked(), &answer["truncated_by"]), (2, &json!("credits")), "one of them is known by now");
    let all = scene.call(&customer, LEAVING, &json!({ "competitor_domain": domain(LEFT) })).is_ok();
    assert_eq!((rows(&all).len(), &all["cost"]["credits"], asked()), (6, &json!(18), 6));
}

#[test]
fn when_nobody_could_be_asked_the_call_fails_and_is_free() {
    let scene = Scene::new(SHARED, |_| VendorReply::json(500, "{}"));
    let customer = scene.installation.customer("scale");
    tell_of_leavers(&scene, &customer, 1);
    let before = scene.balance(&customer);
    let asked = json!({ "competitor_domain": domain(LEFT) });
    scene.call(&customer, LEAVING, &asked).is_problem(502, "upstream_error");
    // What was held for it is let go of, to the last credit.
    let watch = Stopwatch::start();
    while Some(scene.balance(&customer)) != Some(before) {
        assert!(watch.elapsed() < PATIENCE, "{} of {before}", scene.balance(&customer));
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// How many questions for a number are open at once, at most.
#[derive(Debug, Default)]
struct Open {
    now: AtomicUsize,
    most: AtomicUsize,
}

#[test]
fn everybody_of_a_page_is_asked_for_side_by_side_whoever_stands_between_them() {
    let open: Arc<Open> = Arc::default();
    let counted = Arc::clone(&open);
    let scene = Scene::new(SHARED, move |request| match &*request.path {
        "/phone" => {
            let now = counted.now.fetch_add(1, Ordering::SeqCst) + 1;
            counted.most.fetch_max(now, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(500));
            counted.now.fetch_sub(1, Ordering::SeqCst);
            VendorReply::json(200, json!({ "phone": "+4915112345678" }).to_string())
        }
        _ => unknown(),
    });
    let customer = scene.installation.customer("scale");
    let people = unreached(12);
    // More than are looked at together stand between those who left.
    let moves = people
        .iter()
        .enumerate()
        .map(|(number, person)| if number % 4 == 0 { left(number, person) } else { came(number, person) });
    tell(&scene, &customer, &moves.collect::<Vec<_>>());
    let answer =
        scene.call(&customer, LEAVING, &json!({ "competitor_domain": domain(LEFT), "limit": 3 })).is_ok();
    assert_eq!((rows(&answer).len(), &answer["cost"]["credits"]), (3, &json!(9)), "{answer}");
    assert_eq!(open.most.load(Ordering::SeqCst), 3);
}

#[test]
fn a_number_that_nobody_could_be_asked_for_is_named_although_the_rest_is_known() {
    let scene = Scene::new(SHARED, |request| match &*request.path {
        "/work_email" => {
            let email = "some.body@reached.example";
            VendorReply::json(200, json!({ "email": email, "email_status": "valid" }).to_string())
        }
        _ => VendorReply::json(500, "{}"),
    });
    let customer = scene.installation.customer("scale");
    tell_of_leavers(&scene, &customer, 1);
    let answer = scene.call(&customer, LEAVING, &json!({ "competitor_domain": domain(LEFT) })).is_ok();
    assert_eq!((&answer["partial"], &answer["failed_parts"]), (&json!(true), &json!(["phone"])), "{answer}");
    assert_eq!((&rows(&answer)[0]["phone"], &answer["cost"]["credits"]), (&Value::Null, &json!(3)));
    assert!(rows(&answer)[0]["email"].is_string());
}
