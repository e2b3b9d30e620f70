//! The bar `decision-maker`: who is said to decide for a role, against whose budget it is by the org charts of the made-up world.
//!
//! The charts are in no record, and neither the title grammar nor a table of the service has a part in the truth. Roles are asked for
//! in thirty ways. The figures compare one version with the next and say nothing of real companies.

use super::scene::Scene;
use crate::bar::{Verdict, grouped, progress};
use anyhow::{Result, ensure};
use assay_domain::taxonomy::{Department, Seniority};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use std::collections::BTreeMap;

const FIRST_LEAST: f64 = 0.90;
const AMONG_LEAST: f64 = 0.98;
const SEED: u64 = 1_017;

struct Size {
    people: u64,
    questions: usize,
}

const FULL: Size = Size { people: 200_000, questions: 2_000 };
const SHORT: Size = Size { people: 20_000, questions: 400 };

/// Departments, as people call them.
const DEPARTMENTS: &[(Department, &[&str])] = &[
    (Department::Sales, &["sales", "Sales"]),
    (Department::Marketing, &["marketing", "Marketing"]),
    (Department::Finance, &["finance", "Finance"]),
    (Department::Hr, &["human resources", "HR", "People Operations"]),
    (Department::It, &["IT", "information technology"]),
    (Department::Engineering, &["engineering", "Software Engineering"]),
    (Department::Operations, &["operations", "Operations"]),
    (Department::Legal, &["legal", "Legal"]),
    (Department::Product, &["product", "Product Management"]),
    (Department::Security, &["information security", "Security"]),
    (Department::Data, &["data", "Data & Analytics"]),
];

/// Ways to ask; `{}` is the department. A rank where one is named.
const WAYS: &[(&str, Option<Seniority>)] = &[
    ("VP of {}", Some(Seniority::Vp)),
    ("VP {}", Some(Seniority::Vp)),
    ("Vice President, {}", Some(Seniority::Vp)),
    ("Vice President of {}", Some(Seniority::Vp)),
    ("{} VP", Some(Seniority::Vp)),
    ("SVP {}", Some(Seniority::Vp)),
    ("Head of {}", Some(Seniority::Head)),
    ("head of the {} department", Some(Seniority::Head)),
    ("{} Head", Some(Seniority::Head)),
    ("Director of {}", Some(Seniority::Director)),
    ("{} Director", Some(Seniority::Director)),
    ("Director, {}", Some(Seniority::Director)),
    ("{} Manager", Some(Seniority::Manager)),
    ("Manager, {}", Some(Seniority::Manager)),
    ("{}", None),
    ("{} leader", None),
    ("{} leadership", None),
    ("who runs {}", None),
    ("whoever leads {}", None),
    ("who owns the {} budget", None),
    ("{} budget owner", None),
    ("decision maker for {}", None),
    ("{} decision maker", None),
    ("decision maker in {}", None),
    ("the person responsible for {}", None),
    ("{} buyer", None),
    ("leader of the {} team", None),
    ("top {} stakeholder", None),
    ("boss of {}", None),
    ("who decides on {} tools", None),
];

pub async fn run(short: bool) -> Result<Verdict> {
    let size = if short { SHORT } else { FULL };
    let mut scene = Scene::set(size.people)?;
    let mut dice = ChaCha8Rng::seed_from_u64(SEED);
    let mut tally: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    let mut asked = 0;
    while asked < size.questions {
        let company = dice.random_range(0..scene.world.company_count());
        let Some(domain) = scene.domain(company).filter(|_| !scene.world.is_local_business(company)) else {
            continue;
        };
        let (department, words) = DEPARTMENTS[dice.random_range(0..DEPARTMENTS.len())];
        let (way, rank) = WAYS[asked % WAYS.len()];
        let role = way.replace("{}", words[dice.random_range(0..words.len())]);
        let right = scene.world.truth().budget_owners(company, department, rank);
        let staff = scene.staff(company);
        let answer =
            scene.ask("/v1/find-decision-maker", &json!({ "company_domain": domain, "role": role })).await?;
        let found: Vec<u64> = answer["results"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|row| staff.get(row["id"].as_str()?).copied())
            .collect();
        let (first, among) = (
            found.first().is_some_and(|one| right.contains(one)),
            found.iter().any(|one| right.contains(one)),
        );
        if !first && std::env::var_os("ASSAY_BAR_MISTAKES").is_some() {
            let told = |person: &u64| format!("{:?}", scene.world.truth().role_of(*person));
            progress(format!(
                "{role} of {department} at {domain} ({} people): right {:?}, said {:?}",
                staff.len(),
                right.iter().map(told).collect::<Vec<_>>(),
                found.iter().map(told).collect::<Vec<_>>()
            ));
        }
        let row = tally.entry(way).or_default();
        *row = (row.0 + 1, row.1 + usize::from(first), row.2 + usize::from(among));
        asked += 1;
    }
    ensure!(tally.len() == WAYS.len(), "not every way was asked");
    let sum = |part: fn(&(usize, usize, usize)) -> usize| tally.values().map(part).sum::<usize>();
    let share = |right: usize, all: usize| count(right) / count(all.max(1));
    for (way, (all, first, among)) in &tally {
        if share(*first, *all) < FIRST_LEAST {
            progress(format!("\"{way}\": {first} of {all} first, {among} among the three"));
        }
    }
    let (first, among) = (share(sum(|row| row.1), asked), share(sum(|row| row.2), asked));
    let figure = format!(
        "decision-maker: {} companies and roles of the made-up world, in {} ways to ask (a regression figure): the right one first {:.1} % \
         (bar {:.0} %), among the three {:.1} % (bar {:.0} %)",
        grouped(asked),
        WAYS.len(),
        first * 100.0,
        FIRST_LEAST * 100.0,
        among * 100.0,
        AMONG_LEAST * 100.0,
    );
    Ok(Verdict { figure, passed: first >= FIRST_LEAST && among >= AMONG_LEAST })
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
