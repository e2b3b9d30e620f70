//! Questions about one person.

use super::{Scene, company, domain, free, priced};
use crate::lately::{DAY, ago, rows};
use crate::support::WORLD;
use assay_domain::person::LineType;
use assay_world::SyntheticPerson;
use serde_json::{Value, json};

/// Somebody with a profile and a mobile, and where they work.
fn reachable() -> (SyntheticPerson, u64) {
    let found = (0..WORLD.people_count()).find_map(|number| {
        let person = WORLD.person(number);
        let has_mobile = person.facts.phones.iter().any(|phone| phone.line == LineType::Mobile);
        let colleagues = super::staff(WORLD.employer_index(number)).len();
        let is_meant = has_mobile && person.facts.network_url.is_some() && colleagues > 4;
        is_meant.then(|| (person, WORLD.employer_index(number)))
    });
    found.unwrap()
}

#[test]
fn a_prospect_comes_with_a_phone_with_peers_and_with_something_to_say() {
    let scene = Scene::new("scale");
    let (person, at) = reachable();
    let url = person.facts.network_url.as_ref().unwrap().to_string();
    let answer = scene.ask("/v1/prospect-package", &json!({ "networkUrl": url }));
    assert_eq!((&answer["found"], &answer["cost"]["credits"]), (&json!(true), &json!(12)));
    assert_eq!(answer["person"]["fullName"], json!(person.facts.full_name));
    assert_eq!(answer["person"]["company"]["domain"], json!(domain(at)));
    assert!(answer["phone"].as_str().unwrap().starts_with('+'));
    let peers = answer["peers_at_company"].as_array().unwrap();
    assert_eq!(peers.len(), 3);
    assert!(peers.iter().all(|peer| peer["id"] != answer["person"]["id"]));
    let (hooks, facts) = (&answer["personalization_hooks"], &answer["hook_facts"]);
    let count = hooks.as_array().unwrap().len();
    assert!((1..=4).contains(&count) && facts.as_array().unwrap().len() == count, "{answer}");
    let known = scene.server.get(&scene.customer, "/v1/me/people").is_ok();
    assert_eq!(rows(&known).len(), 4, "the person and three peers");
    let nobody = json!({ "networkUrl": "https://network.example/in/nobody-of-this-name" });
    for path in ["/v1/prospect-package", "/v1/bundles/recruiter-pack", "/v1/bundles/relationship-graph"] {
        free(&scene, path, &nobody);
    }
}

#[test]
fn a_candidate_comes_with_others_like_them() {
    let scene = Scene::new("scale");
    let (person, at) = reachable();
    let url = person.facts.network_url.as_ref().unwrap().to_string();
    let answer = scene.ask("/v1/bundles/recruiter-pack", &json!({ "networkUrl": url }));
    assert_eq!((&answer["found"], &answer["cost"]["credits"]), (&json!(true), &json!(30)));
    let similar = answer["similar_candidates"].as_array().unwrap();
    assert!((1..=8).contains(&similar.len()));
    for one in similar {
        assert_ne!(one["person"]["company"]["domain"], json!(domain(at)), "{one}");
        assert!(!one["reasons"].as_array().unwrap().is_empty());
    }
}

#[test]
fn who_worked_with_somebody_is_found_by_the_time_they_had_in_common() {
    let scene = Scene::new("scale");
    let (person, at) = reachable();
    let url = person.facts.network_url.as_ref().unwrap().to_string();
    let answer = scene.ask("/v1/bundles/relationship-graph", &json!({ "networkUrl": url }));
    assert_eq!((&answer["found"], &answer["cost"]["credits"]), (&json!(true), &json!(15)));
    let coworkers = answer["coworkers"].as_array().unwrap();
    assert!(!coworkers.is_empty() && coworkers.len() <= 25);
    let months: Vec<u64> = coworkers.iter().map(|one| one["overlap"]["months"].as_u64().unwrap()).collect();
    assert!(months.is_sorted_by(|one, other| one >= other) && months.iter().all(|months| *months >= 1));
    // Nobody at the same company introduces anybody elsewhere.
    let paths = |target: Value| {
        let body = json!({ "networkUrl": url, "target_domain": target });
        scene.ask("/v1/bundles/relationship-graph", &body)["intro_paths"].as_array().unwrap().clone()
    };
    assert!(paths(json!(domain(at))).iter().all(|path| path["domain"] == json!(domain(at))));
    assert!(paths(json!("nobody.example")).is_empty());
}

#[test]
fn who_left_a_competitor_comes_with_a_way_to_reach_them() {
    let scene = Scene::new("scale");
    let path = "/v1/competitor-talent-leaving";
    let (person, at) = reachable();
    let elsewhere = (at + 1) % WORLD.company_count();
    let left = |id: &str, when: Value, title: &str| {
        json!({
            "id": id, "kind": "job-change", "occurredAt": when, "company": company(at),
            "person": { "fullName": person.facts.full_name, "networkUrl": person.facts.network_url },
            "change": {
                "kind": "new_company",
                "from": { "title": title, "company": company(elsewhere), "on": "2026-11-01" },
                "to": { "title": "Head of Sales", "company": company(at), "on": "2026-11-02" },
            },
        })
    };
    scene.give(&[left("l-1", ago(2 * DAY), "Sales Manager")]);
    let found = priced(&scene, path, &json!({ "competitor_domain": domain(elsewhere) }), 3);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["person"]["fullName"], json!(person.facts.full_name));
    assert_eq!(
        (&found[0]["left"]["title"], &found[0]["now"]["title"]),
        (&json!("Sales Manager"), &json!("Head of Sales"))
    );
    assert!(found[0]["phone"].is_string());
    // Whoever came there did not leave it, and another department is another question.
    free(&scene, path, &json!({ "competitor_domain": domain(at) }));
    free(&scene, path, &json!({ "competitor_domain": domain(elsewhere), "department": "legal" }));
}
