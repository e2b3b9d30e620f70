//! Companies by what happened to them.

use super::{NOWHERE, Scene, assert_at_top, company, domain, domains, free, job, led, priced, round};
use crate::lately::{DAY, ago};
use crate::support::WORLD;
use serde_json::{Value, json};
use std::time::Duration;

#[test]
fn companies_that_raised_money_come_once_with_who_decides() {
    let scene = Scene::new("scale");
    let radar = "/v1/funding-radar";
    let led = led();
    let mut nowhere = round("f-6", ago(DAY), led[0], "seed", 1);
    nowhere["company"] = json!({ "name": "Quornish Nowhere Works" });
    scene.give(&[
        round("f-1", ago(3 * DAY), led[0], "seed", 100_000_000),
        round("f-2", ago(2 * DAY), led[1], "series_b", 900_000_000),
        // A year and more apart, so that they are two.
        round("f-3", ago(200 * DAY), led[0], "series_a", 700_000_000),
        round("f-4", ago(30 * DAY - Duration::from_secs(600)), led[2], "seed", 200_000_000),
        round("f-5", ago(31 * DAY), led[3], "seed", 300_000_000),
        nowhere,
    ]);
    let found = priced(&scene, radar, &json!({ "role": "CEO" }), 3);
    assert_eq!(domains(&found, "company"), [domain(led[1]), domain(led[0]), domain(led[2])]);
    for (row, of) in found.iter().zip([led[1], led[0], led[2]]) {
        assert_at_top(row, "decision_maker", of);
    }
    assert_eq!(found[1]["funding"]["stage"], json!("seed"));
    let of = |filter: Value| {
        let mut body = json!({ "role": "CEO", "days": 365 });
        body.as_object_mut().unwrap().extend(filter.as_object().unwrap().clone());
        let found = priced(&scene, radar, &body, 3);
        domains(&found, "company").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(of(json!({ "stage": ["series_a", "series_b"] })), [domain(led[1]), domain(led[0])]);
    assert_eq!(of(json!({ "min_amount": 800_000_000 })), [domain(led[1])]);
    assert_eq!(of(json!({ "min_amount": 800_000_000, "currency": "EUR" })), [""; 0]);
    assert_eq!(of(json!({})).len(), 4, "each once, with its newest round");
    free(&scene, radar, &json!({ "role": "CEO", "country": NOWHERE }));
    // With what they use.
    let technology = WORLD.company(led[0]).facts.technologies.first().map(|one| one.name.clone()).unwrap();
    let body = json!({ "technology": technology, "role": "CEO" });
    let found = priced(&scene, "/v1/funded-and-using-tech", &body, 7);
    assert!(domains(&found, "company").contains(&domain(led[0]).as_str()));
    assert_eq!(found[0]["technologies"][0]["name"], json!(technology));
    free(&scene, "/v1/funded-and-using-tech", &json!({ "technology": "Abacus 9000", "role": "CEO" }));
    scene.refuses(radar, &json!({}), 422, "validation_failed");
    scene.refuses(
        radar,
        &json!({ "role": "CEO", "days": 3, "since": "2026-01-01" }),
        422,
        "validation_failed",
    );
}

#[test]
fn companies_that_hire_come_with_what_they_hire_for() {
    let scene = Scene::new("scale");
    let led = led();
    let mut closed = job("h-9", ago(DAY), led[3], "Data Engineer");
    closed["job"]["closedAt"] = ago(DAY / 2);
    let titles = [
        "Data Engineer",
        "Senior Data Engineer",
        "Data Analyst",
        "Senior Data Analyst",
        "Data Scientist",
        "Senior Data Scientist",
    ];
    let mut jobs: Vec<Value> = titles
        .iter()
        .enumerate()
        .map(|(at, title)| job(&format!("h-{at}"), ago(DAY / 144), led[0], title))
        .collect();
    jobs.extend([
        job("h-7", ago(2 * DAY), led[1], "Data Engineer"),
        job("h-8", ago(DAY), led[2], "Baker"),
        closed,
    ]);
    scene.give(&jobs);
    scene.give(&[
        round("f-1", ago(3 * DAY), led[0], "seed", 100_000_000),
        round("f-2", ago(2 * DAY), led[3], "series_b", 900_000_000),
    ]);
    let intent = "/v1/hiring-intent";
    let found = priced(&scene, intent, &json!({ "title": "data engineer", "role": "CEO" }), 8);
    assert_eq!(domains(&found, "company"), [domain(led[0]), domain(led[1])]);
    assert_at_top(&found[0], "buyer", led[0]);
    assert_eq!(found[0]["hiring"]["open_roles"], json!(2));
    let found = priced(&scene, intent, &json!({ "department": "data", "role": "CEO" }), 8);
    assert_eq!(domains(&found, "company"), [domain(led[0]), domain(led[1])]);
    free(&scene, intent, &json!({ "title": "astronaut", "role": "CEO" }));
    scene.refuses(intent, &json!({ "role": "CEO" }), 422, "validation_failed");
    let both = "/v1/funded-and-hiring";
    let found = priced(&scene, both, &json!({ "role": "CEO" }), 10);
    assert_eq!(domains(&found, "company"), [domain(led[0])], "whose jobs are all closed does not hire");
    assert_eq!(found[0]["hiring"]["open_roles"], json!(titles.len()));
    free(&scene, both, &json!({ "role": "CEO", "min_open_roles": 7 }));
    let velocity = "/v1/hiring-velocity";
    let found = priced(&scene, velocity, &json!({ "department": "data", "role": "CEO" }), 5);
    assert_eq!(domains(&found, "company"), [domain(led[0])]);
    assert_eq!(found[0]["open_roles"], json!(titles.len()));
    assert_at_top(&found[0], "buyer", led[0]);
    free(&scene, velocity, &json!({ "department": "legal", "role": "CEO" }));
    scene.refuses(
        velocity,
        &json!({ "department": "data", "role": "CEO", "min_roles": 4 }),
        422,
        "validation_failed",
    );
}

#[test]
fn who_bought_a_company_comes_with_who_decides_there() {
    let scene = Scene::new("scale");
    let path = "/v1/just-acquired-buyers";
    let led = led();
    let deal = |id: &str, at: Value, acquirer: Value, target: u64| {
        json!({
            "id": id, "kind": "acquisition", "occurredAt": at, "company": company(target),
            "acquisition": { "acquirer": acquirer, "announcedOn": super::day(&at) },
        })
    };
    scene.give(&[
        deal("a-1", ago(DAY), company(led[0]), led[4]),
        deal("a-2", ago(31 * DAY), company(led[1]), led[5]),
        deal("a-3", ago(DAY), json!({ "name": "Quornish Nowhere Works" }), led[6]),
    ]);
    let found = priced(&scene, path, &json!({ "role": "CEO" }), 4);
    assert_eq!(domains(&found, "acquirer"), [domain(led[0])]);
    assert_eq!(found[0]["acquired"]["domain"], json!(domain(led[4])));
    assert_at_top(&found[0], "decision_maker", led[0]);
    free(&scene, path, &json!({ "role": "CEO", "country": NOWHERE }));
}
