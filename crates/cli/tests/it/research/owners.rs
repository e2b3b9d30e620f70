//! Small businesses, and how to reach whoever owns them.

use super::{NOWHERE, Scene, domain, domains, free, priced, rank, round, staff};
use crate::lately::{DAY, ago};
use crate::support::WORLD;
use assay_domain::person::LineType;
use assay_domain::taxonomy::Seniority;
use serde_json::{Value, json};

/// Businesses whose owner has a mobile that is known.
fn reachable() -> Vec<u64> {
    let has_mobile = |company: &u64| {
        let owner = staff(*company).into_iter().find(|person| rank(person) == Some(Seniority::Owner));
        owner.is_some_and(|owner| owner.facts.phones.iter().any(|phone| phone.line == LineType::Mobile))
    };
    (0..WORLD.company_count()).filter(has_mobile).collect()
}

fn assert_owner(row: &Value) {
    assert!(
        ["owner", "founder", "partner", "c_suite"].contains(&row["owner"]["seniority"].as_str().unwrap()),
        "{row}"
    );
    assert!(row["phone"].is_string() || row["email"].is_string(), "{row}");
    assert!(row["business"]["employeeCount"].as_u64().unwrap() <= 50);
}

#[test]
fn owners_come_with_a_way_to_reach_them_or_not_at_all() {
    let scene = Scene::new("scale");
    let known = reachable();
    assert!(!known.is_empty());
    let owners = "/v1/local-business-owners";
    let found = priced(&scene, owners, &json!({ "limit": 100 }), 3);
    found.iter().for_each(assert_owner);
    for company in &known {
        assert!(domains(&found, "business").contains(&domain(*company).as_str()), "{company}");
    }
    let place = WORLD.company(known[0]).facts.headquarters.unwrap();
    let there =
        priced(&scene, owners, &json!({ "city": place.city, "country": place.country, "limit": 100 }), 3);
    assert!(domains(&there, "business").contains(&domain(known[0]).as_str()) && there.len() <= found.len());
    free(&scene, owners, &json!({ "country": NOWHERE }));
    let revenue = "/v1/local-service-by-revenue";
    let all = priced(&scene, revenue, &json!({ "revenue": {}, "limit": 100 }), 4);
    assert_eq!(all.len(), found.len());
    let band = all[0]["revenue"].as_str().unwrap();
    let (from, to) = assay_domain::company::revenue_band(band).unwrap();
    let same = json!({ "revenue": { "min": from, "max": to.min(100_000_000_000) }, "limit": 100 });
    let within = priced(&scene, revenue, &same, 4);
    assert!(within.iter().all(|row| row["revenue"] == json!(band)), "{band}");
    free(&scene, revenue, &json!({ "revenue": { "min": 90_000_000_000_i64 } }));
    scene.refuses(revenue, &json!({ "revenue": { "min": 2, "max": 1 } }), 422, "validation_failed");
}

#[test]
fn small_businesses_just_funded_come_with_their_owners() {
    let scene = Scene::new("scale");
    let path = "/v1/just-funded-smb-leaders";
    let known = reachable();
    scene.give(&[
        round("s-1", ago(DAY), known[0], "seed", 10_000_000),
        round("s-2", ago(40 * DAY), known[known.len() - 1], "seed", 10_000_000),
    ]);
    let found = priced(&scene, path, &json!({}), 6);
    assert_eq!(domains(&found, "business"), [domain(known[0])]);
    found.iter().for_each(assert_owner);
    assert_eq!(found[0]["funding"]["stage"], json!("seed"));
    free(&scene, path, &json!({ "country": NOWHERE }));
}
