//! Jobs few apply for, over HTTP: which come, with which company, and which never do.

use super::{DAY, Scene, ago, company, domain, rows};
use crate::support::WORLD;
use assay_domain::Clock;
use serde_json::{Value, json};

const HIRES: &str = "/v1/low-competition-hires";

fn job(id: &str, at: Value, company: Value, title: &str, applicants: Option<u32>) -> Value {
    json!({
        "id": id, "kind": "hiring", "occurredAt": at, "company": company,
        "job": { "title": title, "applicants": applicants },
    })
}

#[test]
fn open_jobs_that_few_apply_for_come_with_their_company() {
    let scene = Scene::new("scale");
    let closed_at = |mut job: Value, at: Value| {
        job["job"]["closedAt"] = at;
        job
    };
    let soon = json!((Clock::system().now() + DAY).to_rfc3339());
    scene.give(&[
        job("j-1", ago(DAY), company(1), "Senior Sales Manager", Some(24)),
        job("j-2", ago(DAY), company(2), "Sales Manager", Some(25)),
        job("j-3", ago(DAY), company(3), "Sales Manager", None),
        job("j-4", ago(400 * DAY), company(4), "Backend Engineer", Some(0)),
        closed_at(job("j-5", ago(3 * DAY), company(5), "Baker", Some(1)), ago(DAY)),
        closed_at(job("j-6", ago(3 * DAY), company(6), "Baker", Some(1)), soon),
        job("j-7", ago(DAY), json!({ "name": "Quornish Nowhere Works" }), "Baker", Some(1)),
    ]);
    let ids = |body: &Value| {
        let answer = scene.ask(HIRES, body);
        assert_eq!(answer["cost"]["credits"], json!(rows(&answer).len()), "{body}");
        rows(&answer).iter().map(|row| row["job"]["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let answer = scene.ask(HIRES, &json!({ "limit": 1 }));
    let row = &rows(&answer)[0];
    assert_eq!((&row["job"]["applicants"], &row["company"]["domain"]), (&json!(24), &json!(domain(1))));
    assert!(row["company"]["id"].as_str().unwrap().starts_with("com_") && answer["next_cursor"].is_string());
    assert_eq!(ids(&json!({})), ["j-1", "j-6", "j-4"]);
    let facts = WORLD.company(1).facts;
    let place = facts.headquarters.clone().unwrap();
    let (count, industry) = (facts.employee_count.unwrap(), facts.industry.unwrap());
    for (filter, expected) in [
        (json!({ "max_applicants": 23 }), &["j-6", "j-4"][..]),
        (json!({ "max_applicants": 0 }), &["j-4"]),
        (json!({ "title": "sales MANAGER" }), &["j-1"]),
        (json!({ "title": ["sales engineer", "baker"] }), &["j-6"]),
        (json!({ "department": ["engineering", "legal"] }), &["j-4"]),
        (json!({ "title": "manager", "industry": industry.as_str(), "city": place.city }), &["j-1"]),
        (json!({ "title": "manager", "country": place.country }), &["j-1"]),
        (json!({ "title": "manager", "country": "aq" }), &[]),
        (json!({ "title": "manager", "employee_count": { "min": count, "max": count } }), &["j-1"]),
        (json!({ "title": "manager", "employee_count": { "min": count + 1 } }), &[]),
        (json!({ "title": "astronaut" }), &[]),
    ] {
        assert_eq!(ids(&filter), expected, "{filter}");
    }
    for wrong in [json!({ "max_applicants": 25 }), json!({ "max_applicants": -1 }), json!({ "days": 3 })] {
        scene.refuses(HIRES, &wrong, 422, "validation_failed");
    }
}
