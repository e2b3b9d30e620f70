//! Research workflows over HTTP: what comes with what, what each costs, and what is free because something was missing.

mod accounts;
mod happenings;
mod owners;
mod somebody;
mod trial;

use crate::lately::{Scene, company, domain, rows};
use crate::support::WORLD;
use assay_domain::taxonomy::Seniority;
use assay_world::SyntheticPerson;
use serde_json::{Value, json};

/// Nobody is there.
const NOWHERE: &str = "aq";

/// Who works at a company.
fn staff(company: u64) -> Vec<SyntheticPerson> {
    let people = (0..WORLD.people_count()).filter(|person| WORLD.employer_index(*person) == company);
    people.map(|person| WORLD.person(person)).collect()
}

fn rank(person: &SyntheticPerson) -> Option<Seniority> {
    person.experience.first()?.seniority
}

/// Companies at which somebody stands at the top, the one with the most people first.
fn led() -> Vec<u64> {
    let is_led =
        |company: &u64| staff(*company).iter().any(|person| rank(person) <= Some(Seniority::Partner));
    let mut led: Vec<u64> = (0..WORLD.company_count()).filter(is_led).collect();
    led.sort_by_key(|company| std::cmp::Reverse(staff(*company).len()));
    assert!(led.len() >= 8, "{}", led.len());
    led
}

/// The rows of an answer that cost so much each.
fn priced(scene: &Scene, path: &str, body: &Value, each: usize) -> Vec<Value> {
    let answer = scene.ask(path, body);
    let rows = rows(&answer).clone();
    assert_eq!(answer["cost"]["credits"], json!(each * rows.len()), "{path} {body}: {answer}");
    assert_eq!((&answer["partial"], &answer["failed_parts"]), (&json!(false), &json!([])), "{path}");
    rows
}

/// Nothing found, nothing charged.
fn free(scene: &Scene, path: &str, body: &Value) {
    let answer = scene.ask(path, body);
    let nothing = answer["results"].as_array().is_none_or(Vec::is_empty) && answer["found"] != json!(true);
    assert!(nothing && answer["cost"]["credits"] == json!(0), "{path} {body}: {answer}");
}

fn domains<'a>(rows: &'a [Value], part: &str) -> Vec<&'a str> {
    rows.iter().map(|row| row[part]["domain"].as_str().unwrap()).collect()
}

fn round(id: &str, at: Value, of: u64, stage: &str, amount: i64) -> Value {
    json!({
        "id": id, "kind": "funding", "occurredAt": at, "company": company(of),
        "funding": { "stage": stage, "amount": amount, "currency": "USD", "announcedOn": day(&at) },
    })
}

fn job(id: &str, at: Value, of: u64, title: &str) -> Value {
    json!({ "id": id, "kind": "hiring", "occurredAt": at, "company": company(of), "job": { "title": title } })
}

fn day(at: &Value) -> Value {
    json!(at.as_str().unwrap()[..10])
}

fn assert_at_top(row: &Value, part: &str, of: u64) {
    let buyer = &row[part];
    assert_eq!(buyer["company"]["domain"], json!(domain(of)), "{row}");
    let top = ["owner", "founder", "c_suite", "partner"];
    assert!(top.contains(&buyer["seniority"].as_str().unwrap()), "{buyer}");
    let reasons = buyer["reasons"].as_array().unwrap();
    assert!(!reasons.is_empty() && buyer["score"].as_f64().unwrap() > 0.5 && buyer["fullName"].is_string());
}
