//! Contacts against the feed, and whom everybody talks about.

use super::{PATIENCE, make, promoted, run, told};
use crate::lately::{DAY, Scene, ago, company, domain, joined, people, rows};
use crate::support::WORLD;
use assay_testkit::Stopwatch;
use serde_json::{Value, json};
use std::time::Duration;

#[test]
fn contacts_are_compared_with_the_feed() {
    let scene = Scene::new("scale");
    let people = people();
    let mut left = joined("c-3", &people[2], ago(3 * DAY), "-", 20);
    left["change"] =
        json!({ "kind": "left", "from": { "title": "Chef", "company": company(40), "on": "2026-11-10" } });
    scene.give(&[
        joined("c-1", &people[0], ago(DAY), "CFO", 3),
        joined("c-0", &people[0], ago(20 * DAY), "Controller", 8),
        promoted("c-2", &people[1], ago(80 * DAY), "Vice President", 4),
        left,
        promoted("c-4", &people[3], ago(91 * DAY), "Director", 5),
    ]);
    let contacts: Vec<Value> =
        people[..5].iter().map(|(name, url)| json!({ "networkUrl": url, "id": name })).collect();
    let ask = |path: &str, body: Value| scene.ask(path, &body);
    let names = |answer: &Value| -> Vec<String> {
        rows(answer).iter().map(|row| row["contact"]["id"].as_str().unwrap().to_owned()).collect()
    };
    let moved = ask("/v1/champion-just-moved", json!({ "contacts": contacts }));
    assert_eq!(
        (names(&moved), &moved["cost"]["credits"]),
        (vec![people[0].0.clone(), people[2].0.clone()], &json!(4))
    );
    let row = &rows(&moved)[0];
    assert_eq!(
        (&row["to"]["title"], &row["to"]["company"]["domain"]),
        (&json!("CFO"), &json!(domain(3))),
        "the newest"
    );
    assert_eq!((&rows(&moved)[1]["to"], &rows(&moved)[1]["from"]["title"]), (&Value::Null, &json!("Chef")));
    let day = ask("/v1/champion-just-moved", json!({ "contacts": contacts, "days": 2 }));
    assert_eq!(names(&day), [people[0].0.clone()]);
    let promotions = ask("/v1/silent-promoter-radar", json!({ "contacts": contacts }));
    assert_eq!((names(&promotions), &promotions["cost"]["credits"]), (vec![people[1].0.clone()], &json!(2)));
    let promotion = &rows(&promotions)[0]["promotion"];
    assert_eq!(
        (&promotion["from"], &promotion["to"], &promotion["on"]),
        (&json!("Analyst"), &json!("Vice President"), &json!("2026-11-01"))
    );
    let all = ask("/v1/quiet-power-users", json!({ "contacts": contacts, "days": 365 }));
    let changes: Vec<&str> = rows(&all).iter().map(|row| row["change"].as_str().unwrap()).collect();
    assert_eq!(changes, ["job_change", "title_change", "job_change", "title_change"]);
    for path in ["/v1/champion-just-moved", "/v1/silent-promoter-radar", "/v1/quiet-power-users"] {
        let nobody = ask(path, json!({ "contacts": [{ "networkUrl": people[5].1 }] }));
        assert_eq!((rows(&nobody).len(), &nobody["cost"]["credits"]), (0, &json!(0)));
        let twice = json!({ "contacts": [{ "networkUrl": people[0].1, "email": "a@b.example" }] });
        scene.refuses(path, &twice, 422, "validation_failed");
        scene.refuses(path, &json!({ "contacts": [] }), 422, "validation_failed");
    }
    // By address, and only as many as can be paid for.
    let email = (0..WORLD.people_count()).map(|number| WORLD.person(number).facts);
    let email = email
        .filter(|facts| facts.network_url.as_ref().map(ToString::to_string) == Some(people[0].1.clone()));
    if let Some(known) = email.flat_map(|facts| facts.emails).next() {
        let body = json!({ "contacts": [{ "email": known.address.to_string() }] });
        assert_eq!(rows(&ask("/v1/champion-just-moved", body)).len(), 1);
    }
    let short = ask("/v1/quiet-power-users", json!({ "contacts": contacts, "days": 365, "max_credits": 5 }));
    assert_eq!((rows(&short).len(), &short["truncated_by"]), (2, &json!("credits")));
}

#[test]
fn a_spike_of_engagement_is_told_where_it_begins() {
    let scene = Scene::new("scale");
    let people = people();
    let engaged = |id: &str, person: &(String, String), days: u32, count: u32| {
        json!({
            "id": id, "kind": "engagement", "occurredAt": ago(days * DAY), "company": company(3),
            "person": { "fullName": person.0, "networkUrl": person.1 }, "engagement": { "count": count },
        })
    };
    let signals = [
        engaged("e-1", &people[0], 60, 4),
        engaged("e-2", &people[0], 5, 3),
        engaged("e-3", &people[0], 4, 3),
        engaged("e-4", &people[0], 3, 30),
        engaged("e-5", &people[1], 60, 90),
        engaged("e-6", &people[1], 2, 20),
    ];
    scene.tell(&signals);
    // It has no feed of its own to be waited for in.
    let watch = Stopwatch::start();
    let placed = "select count(*) from signal_feed where kind = 5";
    while scene.installation.graph.psql(placed).unwrap().trim() != "6" {
        assert!(watch.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(100));
    }
    let entries = [&people[0].1, &people[1].1];
    let list = make(&scene, &json!({ "name": "x", "kind": "people", "entries": entries }));
    let answer = run(&scene, &list, &json!({}));
    assert_eq!(told(&answer), (vec![people[0].1.as_str()], &json!(2)), "{answer}");
    assert_eq!(
        (&rows(&answer)[0]["changes"], &rows(&answer)[0]["signal_count"]),
        (&json!(["engagement_spike"]), &json!(1))
    );
    assert_eq!(rows(&answer)[0]["signals"][0]["engagement"]["count"], json!(3));
    let contacts = json!({ "contacts": [{ "networkUrl": people[0].1 }, { "networkUrl": people[1].1 }] });
    let users = scene.ask("/v1/quiet-power-users", &contacts);
    assert_eq!((rows(&users).len(), &rows(&users)[0]["change"]), (1, &json!("engagement_spike")));
}
