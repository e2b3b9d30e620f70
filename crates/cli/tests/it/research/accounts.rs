//! Questions about one company.

use super::{Scene, assert_at_top, domain, domains, free, job, led, priced, round, staff};
use crate::lately::{DAY, ago, people, rows};
use crate::support::WORLD;
use serde_json::{Value, json};
use std::collections::HashSet;

#[test]
fn who_decides_comes_first_and_each_person_is_paid_for() {
    let scene = Scene::new("scale");
    let path = "/v1/find-decision-maker";
    let companies = led();
    for company in &companies[..5] {
        let body = json!({ "company_domain": domain(*company), "role": "CEO" });
        let answer = scene.ask(path, &body);
        let found = rows(&answer);
        assert!((1..=3).contains(&found.len()), "{answer}");
        assert_eq!(answer["cost"]["credits"], json!(4 * found.len()));
        assert_at_top(&json!({ "buyer": found[0] }), "buyer", *company);
        let scores: Vec<f64> = found.iter().map(|row| row["score"].as_f64().unwrap()).collect();
        assert!(scores.is_sorted_by(|one, other| one >= other), "{scores:?}");
    }
    let known = domain(companies[0]);
    // As many as can be paid for, and not one more.
    let all = rows(&scene.ask(path, &json!({ "company_domain": known, "role": "who leads it" }))).len();
    let bound = json!({ "company_domain": known, "role": "who leads it", "max_credits": 4 });
    let answer = scene.ask(path, &bound);
    assert_eq!((rows(&answer).len(), &answer["cost"]["credits"]), (1, &json!(4)));
    assert_eq!(answer["truncated_by"], if all > 1 { json!("credits") } else { Value::Null });
    free(&scene, path, &json!({ "company_domain": "nobody.example", "role": "CEO" }));
    scene.refuses(path, &json!({ "company_domain": known, "role": " " }), 422, "validation_failed");
    scene.refuses(path, &json!({ "company_domain": known }), 422, "validation_failed");
}

#[test]
fn nobody_sits_in_a_committee_twice() {
    let scene = Scene::new("scale");
    let companies = led();
    let mut largest = 0;
    for deal in ["security", "data_infra", "sales_ops", "exec", "marketing", "engineering"] {
        let body = json!({ "company_domain": domain(companies[0]), "deal_type": deal, "max_per_role": 2 });
        let answer = scene.ask("/v1/buying-committee", &body);
        largest = largest.max(check_committee(&answer, &["decision_maker", "influencer", "user"], 3, 2));
    }
    assert!(largest >= 2);
    // What can be paid for goes to those who decide.
    let bound = json!({ "company_domain": domain(companies[0]), "deal_type": "exec", "max_per_role": 2, "max_credits": 6 });
    let answer = scene.ask("/v1/buying-committee", &bound);
    assert_eq!(
        (&answer["total_people"], &answer["truncated_by"]),
        (&json!(2), &json!("credits")),
        "{answer}"
    );
    let all = scene.ask(
        "/v1/buying-committee",
        &json!({ "company_domain": domain(companies[0]), "deal_type": "exec", "max_per_role": 2 }),
    );
    assert_eq!(answer["committee"]["decision_maker"], all["committee"]["decision_maker"]);
    let owned = (0..WORLD.company_count())
        .find(|company| WORLD.is_local_business(*company) && staff(*company).len() > 3);
    let body = json!({ "company_domain": domain(owned.unwrap()) });
    let answer = scene.ask("/v1/smb-buying-committee", &body);
    assert!(check_committee(&answer, &["owner", "manager", "dispatcher", "ops_lead"], 4, 1) >= 2, "{answer}");
    assert_eq!(answer["committee"]["owner"].as_array().unwrap().len(), 1);
    for (path, body) in [
        ("/v1/buying-committee", json!({ "company_domain": "nobody.example", "deal_type": "exec" })),
        ("/v1/smb-buying-committee", json!({ "company_domain": "nobody.example" })),
    ] {
        let answer = scene.ask(path, &body);
        assert_eq!((&answer["total_people"], &answer["cost"]["credits"]), (&json!(0), &json!(0)), "{answer}");
    }
    let wrong = json!({ "company_domain": domain(0), "deal_type": "catering" });
    scene.refuses("/v1/buying-committee", &wrong, 422, "validation_failed");
}

/// How many sit in it.
fn check_committee(answer: &Value, roles: &[&str], price: usize, most: usize) -> usize {
    let mut seen = HashSet::new();
    for role in roles {
        let members = answer["committee"][role].as_array().unwrap();
        assert!(members.len() <= most, "{answer}");
        assert!(members.iter().all(|one| seen.insert(one["id"].as_str().unwrap().to_owned())), "{answer}");
    }
    assert_eq!(
        (&answer["total_people"], &answer["cost"]["credits"]),
        (&json!(seen.len()), &json!(price * seen.len()))
    );
    seen.len()
}

#[test]
fn an_account_is_told_on_one_page_and_paid_for_once_it_is_known() {
    let scene = Scene::new("scale");
    let (company, somebody) = (led()[0], people()[0].clone());
    let from = |to: u64| (to + 10) % WORLD.company_count();
    scene.give(&[json!({
        "id": "m-1", "kind": "job-change", "occurredAt": ago(5 * DAY), "company": super::company(company),
        "person": { "fullName": somebody.0, "networkUrl": somebody.1 },
        "change": {
            "kind": "new_company",
            "from": { "title": "Analyst", "company": super::company(from(company)), "on": "2026-10-01" },
            "to": { "title": "Head of Sales", "company": super::company(company), "on": "2026-11-01" },
        },
    })]);
    let deck = json!({ "company_domain": domain(company), "target_role": "CEO" });
    let answer = scene.ask("/v1/bundles/sales-deck", &deck);
    assert_eq!((&answer["found"], &answer["cost"]["credits"]), (&json!(true), &json!(25)));
    assert_eq!(answer["company"]["name"], json!(WORLD.company(company).facts.name));
    assert_at_top(&answer, "decision_maker", company);
    assert!(answer["buying_committee_extras"].as_array().unwrap().len() <= 2);
    let moves = answer["recent_job_changes_at_account"].as_array().unwrap();
    assert_eq!((&moves[0]["fullName"], &moves[0]["change"]), (&json!(somebody.0), &json!("hire")));
    assert_eq!(answer["similar_companies"].as_array().unwrap().len(), 3);
    let intel = scene.ask("/v1/bundles/competitive-intel", &json!({ "company_domain": domain(company) }));
    assert_eq!(intel["cost"]["credits"], json!(25));
    assert!(
        !intel["leadership"].as_array().unwrap().is_empty()
            && intel["recent_moves"].as_array().unwrap().len() == 1
    );
    assert_eq!(intel["lookalikes"].as_array().unwrap().len(), 3);
    let founded = scene.ask("/v1/bundles/founder-research", &json!({ "company_domain": domain(company) }));
    assert_eq!(founded["cost"]["credits"], json!(20));
    let rounds = WORLD.company(company).facts.funding_rounds.len();
    assert_eq!(founded["funding_history"].as_array().unwrap().len(), rounds);
    for (path, body) in [
        ("/v1/bundles/sales-deck", json!({ "company_domain": "nobody.example", "target_role": "CEO" })),
        ("/v1/bundles/competitive-intel", json!({ "company_domain": "nobody.example" })),
        ("/v1/bundles/founder-research", json!({ "company_domain": "nobody.example" })),
    ] {
        free(&scene, path, &body);
    }
}

#[test]
fn companies_that_use_something_come_with_who_decides() {
    let scene = Scene::new("scale");
    let path = "/v1/tech-stack-targets";
    let used = led().into_iter().find_map(|company| {
        let technologies = WORLD.company(company).facts.technologies;
        Some((company, technologies.first()?.name.clone()))
    });
    let (company, technology) = used.unwrap();
    let body = json!({ "technology": technology.to_uppercase(), "role": "CEO", "limit": 100 });
    let found = priced(&scene, path, &body, 4);
    assert!(domains(&found, "company").contains(&domain(company).as_str()), "{technology}");
    for row in &found {
        assert_eq!(row["technologies"][0]["name"], json!(technology));
        assert!(row["decision_maker"]["fullName"].is_string());
    }
    // Page by page the same, and none twice.
    let (mut paged, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let mut body = json!({ "technology": technology, "role": "CEO", "limit": 1 });
        if cursor.is_string() {
            body["cursor"] = cursor;
        }
        let answer = scene.ask(path, &body);
        paged.extend(rows(&answer).clone());
        cursor = answer["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(domains(&paged, "company"), domains(&found, "company"));
    free(&scene, path, &json!({ "technology": "Abacus 9000", "role": "CEO" }));
}

#[test]
fn money_to_spend_is_found_by_its_months() {
    let scene = Scene::new("scale");
    let path = "/v1/buyer-budget-window";
    let companies = led();
    let months = |count: u32| ago(DAY * 61 / 2 * count);
    scene.give(&[
        round("b-1", months(12), companies[0], "series_a", 500_000_000),
        round("b-2", months(3), companies[1], "series_a", 500_000_000),
        round("b-3", months(21), companies[2], "series_a", 500_000_000),
        round("b-4", months(12), companies[3], "series_a", 500_000_000),
    ]);
    let jobs: Vec<Value> = companies[..3]
        .iter()
        .enumerate()
        .map(|(at, company)| job(&format!("j-{at}"), ago(DAY), *company, "Baker"))
        .collect();
    scene.give(&jobs);
    let found = priced(&scene, path, &json!({ "icp": {}, "role": "CEO" }), 6);
    assert_eq!(domains(&found, "company"), [domain(companies[0])]);
    assert!(
        found[0]["budget_window"]["opens"].as_str().unwrap()
            < found[0]["budget_window"]["closes"].as_str().unwrap()
    );
    assert_eq!(found[0]["hiring"]["open_roles"], json!(1));
    free(&scene, path, &json!({ "icp": { "location": { "country": super::NOWHERE } }, "role": "CEO" }));
    scene.refuses(path, &json!({ "icp_id": "icp_none", "role": "CEO" }), 404, "not_found");
    scene.refuses(path, &json!({ "role": "CEO" }), 422, "validation_failed");
}
