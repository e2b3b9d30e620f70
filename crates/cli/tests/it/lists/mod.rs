//! Watch lists over HTTP: what happens to whom they name is told once, for its price, whoever asks and how often.

mod contacts;
mod icps;
mod kills;

use crate::lately::{DAY, Scene, ago, company, domain, joined, moves_of, people, rows};
use crate::support::WORLD;
use assay_testkit::Stopwatch;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

const LISTS: &str = "/v1/watch-lists";
const PATIENCE: Duration = Duration::from_secs(20);

fn make(scene: &Scene, body: &Value) -> String {
    let made = scene.server.call(&scene.customer, "POST", LISTS, body);
    assert_eq!(made.status, 201, "{}", made.text());
    made.json()["id"].as_str().unwrap().to_owned()
}

fn run(scene: &Scene, list: &str, body: &Value) -> Value {
    scene.ask(&format!("{LISTS}/{list}/run"), body)
}

/// The entries told of, and what they cost.
fn told(answer: &Value) -> (Vec<&str>, &Value) {
    let entries = rows(answer).iter().map(|row| row["entry"].as_str().unwrap()).collect();
    (entries, &answer["cost"]["credits"])
}

fn promoted(id: &str, person: &(String, String), at: Value, title: &str, of: u64) -> Value {
    let mut signal = joined(id, person, at, title, of);
    signal["change"]["kind"] = json!("promotion");
    signal["change"]["from"]["company"] = company(of);
    signal
}

fn round(id: &str, at: Value, of: u64) -> Value {
    json!({
        "id": id, "kind": "funding", "occurredAt": at, "company": company(of),
        "funding": { "stage": "seed", "amount": 100_000_000, "currency": "USD" },
    })
}

#[test]
fn what_happens_to_people_is_told_once_and_paid_for_once() {
    let scene = Scene::new("scale");
    let people = people();
    let url = |number: usize| people[number].1.as_str();
    let nowhere = ("Zed Quorn".to_owned(), "https://network.example/in/zed-quorn-nowhere".to_owned());
    let mut signals = vec![
        joined("c-1", &people[0], ago(29 * DAY), "CFO", 3),
        joined("c-2", &people[1], ago(31 * DAY), "CFO", 4),
        promoted("c-3", &people[1], ago(2 * DAY), "Chief Financial Officer", 24),
        joined("c-4", &people[2], ago(DAY), "CFO", 5),
        joined("c-5", &nowhere, ago(DAY), "CFO", 6),
    ];
    scene.give(&signals);
    let entries = [url(0), url(1), nowhere.1.as_str(), url(0)];
    let list = make(&scene, &json!({ "name": "champions", "kind": "people", "entries": entries }));
    let first = run(&scene, &list, &json!({}));
    assert_eq!(told(&first), (vec![url(0), url(1)], &json!(4)), "{first}");
    let row = &rows(&first)[1];
    assert_eq!(
        (&row["changes"], row["person"]["fullName"].as_str()),
        (&json!(["title_change"]), Some(&*people[1].0))
    );
    assert_eq!((rows(&json!({ "results": row["signals"] })).len(), &row["signal_count"]), (1, &json!(1)));
    assert_eq!(row["signals"][0]["change"]["kind"], json!("promotion"));
    assert_eq!((&first["has_more"], &first["truncated_by"]), (&json!(false), &Value::Null));
    // Told is told.
    assert_eq!(told(&run(&scene, &list, &json!({}))), (vec![], &json!(0)));
    // What happens next, and what an added entry brings with it.
    signals.push(joined("c-6", &people[0], ago(Duration::from_mins(5)), "CEO", 7));
    scene.give(&signals);
    let added = scene.ask(&format!("{LISTS}/{list}/entries"), &json!({ "entries": [url(2), url(1)] }));
    assert_eq!((&added["added"], &added["entry_count"]), (&json!(1), &json!(4)));
    let (next, again) = (run(&scene, &list, &json!({})), run(&scene, &list, &json!({})));
    let (found, cost) = told(&next);
    assert_eq!((found.into_iter().collect::<BTreeSet<_>>(), cost), ([url(0), url(2)].into(), &json!(4)));
    assert_eq!(told(&again), (vec![], &json!(0)));
    // Whom a list told of is known, and what it told can be read again for nothing.
    assert_eq!(rows(&scene.server.get(&scene.customer, "/v1/me/people").is_ok()).len(), 3);
    let path = format!("{LISTS}/{list}/results?run_id={}", first["run_id"].as_str().unwrap());
    let read = scene.server.get(&scene.customer, &path).is_ok();
    assert_eq!((rows(&read).len(), &read["cost"]["credits"]), (2, &json!(0)));
    let all = scene.server.get(&scene.customer, &format!("{LISTS}/{list}/results?limit=3")).is_ok();
    let rest = format!("{LISTS}/{list}/results?limit=3&cursor={}", all["next_cursor"].as_str().unwrap());
    assert_eq!((rows(&all).len(), rows(&scene.server.get(&scene.customer, &rest).is_ok()).len()), (3, 1));
    // Removed and added again, nothing of it is news.
    let removed = scene.ask(&format!("{LISTS}/{list}/entries/remove"), &json!({ "entries": [url(2)] }));
    assert_eq!((&removed["removed"], &removed["entry_count"]), (&json!(1), &json!(3)));
    scene.ask(&format!("{LISTS}/{list}/entries"), &json!({ "entries": [url(2)] }));
    assert_eq!(told(&run(&scene, &list, &json!({}))), (vec![], &json!(0)));
    // Another list is told for itself.
    let other =
        make(&scene, &json!({ "name": "b", "kind": "people", "entries": [url(2)], "track": ["job_change"] }));
    assert_eq!(told(&run(&scene, &other, &json!({}))), (vec![url(2)], &json!(2)));
    assert!(scene.installation.run(&["doctor"]).status.success());
}

#[test]
fn several_runs_at_once_share_what_there_is() {
    let scene = Scene::new("scale");
    let people = people();
    let signals = moves_of(&people);
    scene.give(&signals);
    let entries: Vec<&str> = people.iter().map(|(_, url)| url.as_str()).collect();
    let list = make(&scene, &json!({ "name": "all", "kind": "people", "entries": entries }));
    let answers: Vec<Value> = std::thread::scope(|scope| {
        let runs: Vec<_> =
            (0..12).map(|_| scope.spawn(|| run(&scene, &list, &json!({ "limit": 3 })))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let mut all: Vec<&str> = answers.iter().flat_map(|answer| told(answer).0).collect();
    all.sort_unstable();
    let mut expected = entries.clone();
    expected.sort_unstable();
    assert_eq!(all, expected, "each once");
    let cost: i64 = answers.iter().map(|answer| answer["cost"]["credits"].as_i64().unwrap()).sum();
    assert_eq!(cost, 16);
    assert!(scene.installation.run(&["doctor"]).status.success());
}

#[test]
fn companies_are_watched_by_their_domains_on_either_side_of_a_deal() {
    let scene = Scene::new("scale");
    scene.give(&[round("f-1", ago(3 * DAY), 1), round("f-2", ago(2 * DAY), 2)]);
    scene.give(&[json!({
        "id": "a-1", "kind": "acquisition", "occurredAt": ago(DAY), "company": company(5),
        "acquisition": { "acquirer": company(3) },
    })]);
    let entries: Vec<String> = [1, 3, 5].map(domain).to_vec();
    let list = make(&scene, &json!({ "name": "accounts", "kind": "companies", "entries": entries }));
    let answer = run(&scene, &list, &json!({}));
    let (found, cost) = told(&answer);
    let expected: BTreeSet<&str> = entries.iter().map(String::as_str).collect();
    assert_eq!((found.into_iter().collect::<BTreeSet<_>>(), cost), (expected, &json!(6)), "{answer}");
    let of = |entry: &str| rows(&answer).iter().find(|row| row["entry"] == entry).unwrap().clone();
    assert_eq!(of(&entries[0])["company"]["name"], json!(WORLD.company(1).facts.name));
    assert_eq!(
        (&of(&entries[0])["changes"], &of(&entries[1])["changes"]),
        (&json!(["funding"]), &json!(["acquisition"]))
    );
    // Only what is tracked; what is tracked anew is looked back for.
    let body = json!({ "name": "rounds", "kind": "companies", "entries": entries, "track": ["hiring"] });
    let list = make(&scene, &body);
    assert_eq!(told(&run(&scene, &list, &json!({}))).1, &json!(0));
    let change = json!({ "track": ["hiring", "funding"], "name": "rounds and jobs" });
    let changed = scene.server.call(&scene.customer, "PATCH", &format!("{LISTS}/{list}"), &change).is_ok();
    assert_eq!(
        (&changed["track"], &changed["name"]),
        (&json!(["funding", "hiring"]), &json!("rounds and jobs"))
    );
    assert_eq!(told(&run(&scene, &list, &json!({}))).0, [entries[0].as_str()]);
}

#[test]
fn an_answer_is_as_long_as_it_can_be_paid_for_and_the_rest_waits() {
    let scene = Scene::new("trial");
    let people = people();
    let signals = moves_of(&people);
    scene.give(&signals);
    let entries: Vec<&str> = people.iter().map(|(_, url)| url.as_str()).collect();
    let list = make(&scene, &json!({ "name": "all", "kind": "people", "entries": entries }));
    let short = run(&scene, &list, &json!({ "max_credits": 7 }));
    assert_eq!((told(&short).0.len(), told(&short).1), (3, &json!(6)));
    assert_eq!((&short["truncated_by"], &short["has_more"]), (&json!("credits"), &json!(true)));
    let rest = run(&scene, &list, &json!({}));
    assert_eq!((told(&rest).0.len(), &rest["truncated_by"]), (5, &Value::Null));
    assert!(told(&rest).0.iter().all(|entry| !told(&short).0.contains(entry)));
}

#[test]
fn a_list_is_its_accounts_own_and_says_what_is_wrong_with_an_entry() {
    let scene = Scene::new("scale");
    let people = people();
    let list = make(&scene, &json!({ "name": " mine ", "kind": "people", "entries": [people[0].1] }));
    let get = |path: &str| scene.server.get(&scene.customer, path);
    let shown = get(&format!("{LISTS}/{list}")).is_ok();
    assert_eq!(
        (&shown["name"], &shown["entry_count"], &shown["schedule"]),
        (&json!("mine"), &json!(1), &Value::Null)
    );
    assert_eq!(shown["track"], json!(["job_change", "title_change", "engagement_spike"]));
    assert_eq!(rows(&get(LISTS).is_ok()).len(), 1);
    let stranger = scene.installation.customer("scale");
    for (method, path, body) in [
        ("GET", "", Value::Null),
        ("DELETE", "", Value::Null),
        ("PATCH", "", json!({ "name": "x" })),
        ("POST", "/run", json!({})),
        ("POST", "/entries", json!({ "entries": [people[0].1] })),
        ("POST", "/entries/remove", json!({ "entries": [people[0].1] })),
        ("GET", "/results", Value::Null),
    ] {
        let path = format!("{LISTS}/{list}{path}");
        scene.server.call(&stranger, method, &path, &body).is_problem(404, "not_found");
    }
    assert!(rows(&scene.server.get(&stranger, LISTS).is_ok()).is_empty());
    let wrong = json!({ "name": "x", "kind": "people", "entries": [people[0].1, "nonsense", "https://network.example/company/x"] });
    let answer = scene.server.call(&scene.customer, "POST", LISTS, &wrong);
    answer.is_problem(422, "validation_failed");
    let pointers: Vec<String> = answer.json()["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["pointer"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(pointers, ["/entries/1", "/entries/2"]);
    for wrong in [
        json!({ "name": "x", "kind": "people", "track": ["funding"] }),
        json!({ "name": "", "kind": "people" }),
        json!({ "name": "x", "kind": "places" }),
        json!({ "name": "x", "kind": "people", "schedule": { "every_hours": 1 } }),
        json!({ "name": "x", "kind": "people", "schedule": { "every_hours": 1, "max_credits": 0 } }),
    ] {
        scene.refuses(LISTS, &wrong, 422, "validation_failed");
    }
    let gone = scene.server.call(&scene.customer, "DELETE", &format!("{LISTS}/{list}"), &Value::Null).is_ok();
    assert_eq!(gone["deleted"], json!(true));
    get(&format!("{LISTS}/{list}")).is_problem(404, "not_found");
    // Nobody who reads the tables learns whom it was about.
    let dump = scene.installation.ledger.psql("select string_agg(e::text, ' ') from watch_entry e").unwrap();
    assert!(!dump.contains("network.example"));
}

#[test]
fn a_scheduled_run_tells_the_webhooks_and_spends_no_more_than_it_may() {
    let scene = Scene::new("pro");
    let people = people();
    let signals = moves_of(&people[..3]);
    scene.give(&signals);
    let hook = json!({ "url": "https://hooks.example/in" });
    assert_eq!(scene.server.call(&scene.customer, "POST", "/v1/webhooks", &hook).status, 201);
    let entries: Vec<&str> = people.iter().map(|(_, url)| url.as_str()).collect();
    let schedule = json!({ "every_hours": 24, "max_credits": 5 });
    let body = json!({ "name": "nightly", "kind": "people", "entries": entries, "schedule": schedule });
    let list = make(&scene, &body);
    let ledger = &scene.installation.ledger;
    ledger.psql("update watch_list set next_run_at = now() - interval '1 minute'").unwrap();
    let watch = Stopwatch::start();
    let events = "select string_agg(event, ',' order by event) from webhook_delivery";
    while ledger.psql(events).unwrap().trim() != "quiet_power_users.matched,watch_list.matched" {
        assert!(watch.elapsed() < PATIENCE, "{}", ledger.psql(events).unwrap());
        std::thread::sleep(Duration::from_millis(200));
    }
    let message: Value = serde_json::from_str(
        ledger.psql("select body from webhook_delivery where event = 'watch_list.matched'").unwrap().trim(),
    )
    .unwrap();
    let data = &message["data"];
    assert_eq!(
        (&data["id"], &data["counts"]["entries"]),
        (&json!(list), &json!(2)),
        "as far as 5 credits go"
    );
    let results = scene.server.get(&scene.customer, data["results_url"].as_str().unwrap()).is_ok();
    assert_eq!(rows(&results).len(), 2);
    let history = scene.server.get(&scene.customer, "/v1/me/history?endpoint=watch-lists-run").is_ok();
    assert_eq!((rows(&history).len(), &rows(&history)[0]["credits"]), (1, &json!(4)));
    let shown = scene.server.get(&scene.customer, &format!("{LISTS}/{list}")).is_ok();
    assert!(
        shown["last_run_at"].is_string()
            && shown["schedule"]["next_run_at"].as_str() > shown["last_run_at"].as_str()
    );
    // The third one is told when it is asked for.
    assert_eq!(told(&run(&scene, &list, &json!({}))).1, &json!(2));
    let ended = scene
        .server
        .call(&scene.customer, "PATCH", &format!("{LISTS}/{list}"), &json!({ "schedule": null }))
        .is_ok();
    assert_eq!(ended["schedule"], Value::Null);
}

#[test]
fn whoever_was_erased_is_told_by_no_list() {
    let scene = Scene::new("scale");
    let people = people();
    scene.give(&[
        joined("c-1", &people[0], ago(DAY), "CFO", 3),
        joined("c-2", &people[1], ago(DAY), "CFO", 4),
    ]);
    let entries = [&people[0].1, &people[1].1];
    let list = make(&scene, &json!({ "name": "x", "kind": "people", "entries": entries }));
    let first = run(&scene, &list, &json!({ "limit": 1 }));
    let waiting = entries.into_iter().find(|entry| !told(&first).0.contains(&entry.as_str())).unwrap();
    let gone = scene.ask("/v1/enrich", &json!({ "networkUrl": waiting }))["person"]["id"].clone();
    scene.installation.ok(&["suppression", "add", "--person", gone.as_str().unwrap()]);
    assert_eq!(told(&run(&scene, &list, &json!({}))), (vec![], &json!(0)));
    // Nor is what was told read again of whoever is erased after it.
    let path = format!("{LISTS}/{list}/results");
    let read = || rows(&scene.server.get(&scene.customer, &path).is_ok()).len();
    assert_eq!(read(), 1);
    let told_of = rows(&first)[0]["person"]["id"].as_str().unwrap();
    scene.installation.ok(&["suppression", "add", "--person", told_of]);
    assert_eq!(read(), 0);
    // They are in no list any more, and neither is whom the graph has never known.
    let list_of = |entry: &str| make(&scene, &json!({ "name": "y", "kind": "people", "entries": [entry] }));
    let unknown = "https://network.example/in/zed-quorn-nowhere";
    let other = list_of(unknown);
    scene.installation.ok(&["suppression", "add", "--network-url", unknown]);
    for list in [list, other] {
        let shown = scene.server.get(&scene.customer, &format!("{LISTS}/{list}")).is_ok();
        assert_eq!(shown["entry_count"], json!(0));
    }
    let left = "select (select count(*) from watch_entry) + (select count(*) from watch_match)";
    assert_eq!(scene.installation.ledger.psql(left).unwrap().trim(), "0");
}
