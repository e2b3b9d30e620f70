//! Companies like others and people like somebody, over HTTP: who comes, why, for how much, and who never does.

use crate::support::{Customer, Installation, WORLD};
use assay_domain::taxonomy::Industry;
use serde_json::{Value, json};

const LOOKALIKE: &str = "/v1/lookalike-accounts";
const SIMILAR: &str = "/v1/find-similar-people";

fn domain(company: u64) -> String {
    WORLD.company(company).facts.domain.unwrap().to_string()
}

fn rows(answer: &Value) -> &Vec<Value> {
    answer["results"].as_array().unwrap()
}

/// The domains of the companies that came.
fn domains(answer: &Value) -> Vec<&str> {
    rows(answer).iter().map(|row| row["company"]["domain"].as_str().unwrap()).collect()
}

/// What must hold of every answer: the best first, and each likeness explained.
fn is_explained(answer: &Value) {
    let similarities: Vec<f64> = rows(answer).iter().map(|row| row["similarity"].as_f64().unwrap()).collect();
    assert!(similarities.is_sorted_by(|one, other| one >= other), "{similarities:?}");
    assert!(similarities.iter().all(|similarity| (0.0..=1.0).contains(similarity)));
    for row in rows(answer) {
        let reasons = row["reasons"].as_array().unwrap();
        let shares: f64 = reasons.iter().map(|reason| reason["share"].as_f64().unwrap()).sum();
        assert!(!reasons.is_empty() && (0.98..=1.001).contains(&shares), "{reasons:?}");
        assert!(reasons.iter().all(|reason| !reason["text"].as_str().unwrap().is_empty()));
    }
}

/// Somebody whose profile is known, and their company.
fn somebody() -> (String, String) {
    let known = (0..WORLD.people_count()).find_map(|number| {
        let url = WORLD.person(number).facts.network_url?.to_string();
        Some((url, domain(WORLD.employer_index(number))))
    });
    known.unwrap()
}

#[test]
fn companies_like_others_come_with_reasons_and_are_charged_one_by_one() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let ask = |body: &Value| server.call(&customer, "POST", LOOKALIKE, body);
    let (one, other) = (domain(0), domain(1));
    let answer = ask(&json!({ "domains": [one], "limit": 5 })).is_ok();
    is_explained(&answer);
    assert_eq!((rows(&answer).len(), &answer["cost"]["credits"]), (5, &json!(3)));
    assert!(!domains(&answer).contains(&one.as_str()));
    // Several sources, of which one is named twice and one is nobody's.
    let several = json!({ "domains": [one, other, other, "nobody.example"], "limit": 5 });
    let answer = ask(&several).is_ok();
    is_explained(&answer);
    assert_eq!(answer["unknown_domains"], json!(["nobody.example"]));
    assert!(!domains(&answer).contains(&one.as_str()) && !domains(&answer).contains(&other.as_str()));
    // Whom the caller has already does not come again.
    let first = domains(&answer)[0];
    let mut without = several.clone();
    without["exclude"] = json!([first]);
    assert!(!domains(&ask(&without).is_ok()).contains(&first));
    // Filters hold.
    let of_first = |row: &Value| row["company"]["industry"].as_str().map(str::to_owned);
    let industry = rows(&answer).iter().find_map(of_first).unwrap();
    let filtered = ask(&json!({ "domains": [one], "industry": industry })).is_ok();
    assert!(!rows(&filtered).is_empty());
    assert!(rows(&filtered).iter().all(|row| row["company"]["industry"] == json!(industry)));
    let rare = Industry::all()
        .find(|rare| (0..WORLD.company_count()).all(|at| WORLD.company(at).facts.industry != Some(*rare)));
    let nobody = ask(&json!({ "domains": [one], "industry": rare.unwrap().as_str() })).is_ok();
    assert_eq!((&nobody["results"], &nobody["cost"]["credits"]), (&json!([]), &json!(0)));
    // Where no source is known there is nothing to compare with.
    let unknown = ask(&json!({ "domains": ["nobody.example"] })).is_ok();
    assert_eq!((&unknown["results"], &unknown["cost"]["credits"]), (&json!([]), &json!(0)));
    // What is paid for, and no more.
    let short = ask(&json!({ "domains": [one], "limit": 5, "max_credits": 1.3 })).is_ok();
    assert_eq!((rows(&short).len(), &short["truncated_by"]), (2, &json!("credits")));
    assert_eq!(short["cost"]["credits"], json!(1.2));
    for refused in [
        json!({ "domains": [] }),
        json!({ "domains": vec![one.as_str(); 6] }),
        json!({ "domains": ["not a domain"] }),
        json!({ "domains": [one], "employee_count": { "min": 9, "max": 3 } }),
        json!({ "industry": industry }),
    ] {
        ask(&refused).is_problem(422, "validation_failed");
    }
}

#[test]
fn people_like_somebody_are_elsewhere_and_cost_a_base_and_each() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let ask = |body: &Value| server.call(&customer, "POST", SIMILAR, body);
    let (url, company) = somebody();
    let answer = ask(&json!({ "networkUrl": url, "limit": 10 })).is_ok();
    is_explained(&answer);
    assert_eq!(
        (rows(&answer).len(), &answer["found"], &answer["cost"]["credits"]),
        (10, &json!(true), &json!(9))
    );
    let employers = rows(&answer).iter().map(|row| &row["person"]["company"]["domain"]);
    assert!(employers.clone().all(|domain| *domain != json!(company)), "{:?}", employers.collect::<Vec<_>>());
    let sized = ask(
        &json!({ "networkUrl": url, "company_size": "11-50", "employee_count": { "min": 11, "max": 50 } }),
    )
    .is_ok();
    let counts = rows(&sized).iter().map(|row| row["person"]["company"]["employeeCount"].as_u64().unwrap());
    assert!(counts.clone().all(|count| (11..=50).contains(&count)), "{:?}", counts.collect::<Vec<_>>());
    // Nobody to be like: nothing ran, and nothing is charged.
    let unknown = ask(&json!({ "networkUrl": "https://network.example/in/no-such-person" })).is_ok();
    assert_eq!((&unknown["found"], &unknown["cost"]["credits"]), (&json!(false), &json!(0)));
    let firm = json!({ "networkUrl": WORLD.company(0).facts.network_url.unwrap().to_string() });
    ask(&firm).is_problem(422, "validation_failed");
}

#[test]
fn whoever_was_erased_is_like_nobody_from_the_next_call_on() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let create = ["key", "create", "--account", &customer.account, "--scopes", "operator"];
    let operator =
        Customer { account: customer.account.clone(), key: installation.ok(&create).trim().to_owned() };
    let server = installation.serve();
    let body = json!({ "networkUrl": somebody().0, "limit": 10 });
    let before = server.call(&customer, "POST", SIMILAR, &body).is_ok();
    let gone = rows(&before)[0]["person"]["id"].clone();
    let told = server.call(&operator, "POST", "/v1/suppressions", &json!({ "person_id": gone }));
    assert_eq!(told.status, 201, "{}", told.text());
    let after = server.call(&customer, "POST", SIMILAR, &body).is_ok();
    assert_eq!(rows(&after).len(), 10, "the next one takes the place");
    assert!(rows(&after).iter().all(|row| row["person"]["id"] != gone));
}
