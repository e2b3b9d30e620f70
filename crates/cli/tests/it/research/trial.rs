//! Somebody who tries the service with a hundred credits: every workflow answers with as much as they pay for, and never with an error
//! while one unit of it fits.

use super::{Scene, company, domain, job, led, rank, round, staff};
use crate::lately::{DAY, ago};
use crate::support::{Answer, Customer, WORLD};
use assay_domain::Credits;
use assay_domain::person::LineType;
use assay_domain::taxonomy::Seniority;
use assay_world::SyntheticPerson;
use serde_json::{Value, json};

const TRIAL: i64 = 100_000;
/// As many companies as happen to have something told of them, and jobs at each.
const COMPANIES: usize = 14;
const JOBS: [&str; 6] = [
    "Data Engineer",
    "Senior Data Engineer",
    "Data Analyst",
    "Senior Data Analyst",
    "Data Scientist",
    "Senior Data Scientist",
];
const MOVERS_MAX: usize = 60;
/// Those that spend money upstream on each row.
const SPENDING: [&str; 4] = [
    "/v1/local-business-owners",
    "/v1/just-funded-smb-leaders",
    "/v1/competitor-talent-leaving",
    "/v1/local-service-by-revenue",
];
/// More calls than a trial has credits for, whatever they cost.
const CALLS_MAX: usize = 30;

/// A question with the largest limit there is, and its price in thousandths: for the search, and for each unit.
struct Asked {
    path: &'static str,
    body: Value,
    base: i64,
    each: i64,
}

fn asked(path: &'static str, each: i64, body: Value) -> Asked {
    Asked { path, body, base: 0, each }
}

/// Rows, members of a committee, or the one thing a flat price is for.
fn units(answer: &Value) -> i64 {
    let rows = answer["results"].as_array().map(Vec::len);
    let members = answer["total_people"].as_u64().and_then(|count| usize::try_from(count).ok());
    let count = rows.or(members).unwrap_or_else(|| usize::from(answer["found"] == json!(true)));
    i64::try_from(count).unwrap()
}

fn thousandths(value: &Value) -> i64 {
    serde_json::from_value::<Credits>(value.clone()).unwrap().thousandths()
}

fn has_mobile(person: &SyntheticPerson) -> bool {
    person.facts.phones.iter().any(|phone| phone.line == LineType::Mobile)
}

/// Rounds of now and of a year ago, purchases, jobs and moves.
fn tell(scene: &Scene, companies: &[u64], left: u64) {
    let owned = (0..WORLD.company_count()).filter(|company| {
        let owner = staff(*company).into_iter().find(|person| rank(person) == Some(Seniority::Owner));
        WORLD.is_local_business(*company) && owner.is_some_and(|owner| has_mobile(&owner))
    });
    let mut rounds: Vec<Value> =
        owned.map(|company| round(&format!("s-{company}"), ago(DAY), company, "seed", 10_000_000)).collect();
    for company in companies {
        rounds.push(round(&format!("f-{company}"), ago(3 * DAY), *company, "seed", 100_000_000));
        rounds.push(round(&format!("b-{company}"), ago(365 * DAY), *company, "series_a", 500_000_000));
    }
    scene.give(&rounds);
    let targets = companies.iter().cycle().skip(1);
    let deal = |(acquirer, target): (&u64, &u64)| {
        json!({
            "id": format!("a-{acquirer}"), "kind": "acquisition", "occurredAt": ago(DAY), "company": company(*target),
            "acquisition": { "acquirer": company(*acquirer), "announcedOn": super::day(&ago(DAY)) },
        })
    };
    scene.give(&companies.iter().zip(targets).map(deal).collect::<Vec<_>>());
    let jobs = companies.iter().flat_map(|company| {
        JOBS.iter().enumerate().map(move |(at, title)| {
            let mut job = job(&format!("h-{company}-{at}"), ago(DAY / 144), *company, title);
            job["job"]["applicants"] = json!(3);
            job
        })
    });
    scene.give(&jobs.collect::<Vec<_>>());
    let people = (0..WORLD.people_count()).filter(|number| WORLD.employer_index(*number) != left);
    let people = people.map(|number| (WORLD.employer_index(number), WORLD.person(number)));
    let movers = people.filter(|(_, person)| has_mobile(person) && person.facts.network_url.is_some());
    let moved = |(to, person): (u64, SyntheticPerson)| {
        json!({
            "id": format!("c-{}", person.id), "kind": "job-change", "occurredAt": ago(2 * DAY), "company": company(to),
            "person": { "fullName": person.facts.full_name, "networkUrl": person.facts.network_url },
            "change": {
                "kind": "new_company",
                "from": { "title": "Sales Manager", "company": company(left), "on": "2026-10-01" },
                "to": { "title": "Head of Sales", "company": company(to), "on": "2026-11-01" },
            },
            "announcement_text": "I am happy to share",
        })
    };
    scene.give(&movers.take(MOVERS_MAX).map(moved).collect::<Vec<_>>());
}

fn workflows(companies: &[u64], left: u64) -> Vec<Asked> {
    let first = domain(companies[0]);
    let technology = WORLD.company(companies[0]).facts.technologies[0].name.clone();
    let business = (0..WORLD.company_count())
        .filter(|company| WORLD.is_local_business(*company))
        .max_by_key(|company| staff(*company).len());
    let page = (0..WORLD.people_count()).find_map(|number| WORLD.person(number).facts.network_url);
    let page = json!({ "networkUrl": page.unwrap() });
    let with_limit = |mut body: Value| {
        body["limit"] = json!(100);
        body
    };
    let of_role = || with_limit(json!({ "role": "CEO" }));
    let technology = with_limit(json!({ "technology": technology, "role": "CEO" }));
    let committee = json!({ "company_domain": first, "deal_type": "exec", "max_per_role": 10 });
    let small = json!({ "company_domain": domain(business.unwrap()), "max_per_role": 10 });
    let company = json!({ "company_domain": first });
    vec![
        Asked { base: 1_000, ..asked("/v1/search/people", 1_000, with_limit(json!({}))) },
        Asked { base: 1_000, ..asked("/v1/search/companies", 500, with_limit(json!({}))) },
        asked("/v1/find-decision-maker", 4_000, json!({ "company_domain": first, "role": "who leads it" })),
        asked("/v1/buying-committee", 3_000, committee),
        asked("/v1/prospect-package", 12_000, page.clone()),
        asked("/v1/congrats-trigger", 2_000, with_limit(json!({}))),
        asked("/v1/job-change-radar", 2_000, with_limit(json!({}))),
        asked("/v1/funding-radar", 3_000, of_role()),
        asked("/v1/funded-and-hiring", 10_000, of_role()),
        asked("/v1/hiring-intent", 8_000, with_limit(json!({ "department": "data", "role": "CEO" }))),
        asked("/v1/tech-stack-targets", 4_000, technology.clone()),
        asked("/v1/lookalike-accounts", 600, with_limit(json!({ "domains": [first] }))),
        Asked { base: 1_000, ..asked("/v1/find-similar-people", 800, with_limit(page.clone())) },
        asked("/v1/low-competition-hires", 1_000, with_limit(json!({}))),
        asked("/v1/local-business-owners", 3_000, with_limit(json!({}))),
        asked("/v1/just-funded-smb-leaders", 6_000, with_limit(json!({}))),
        asked(
            "/v1/competitor-talent-leaving",
            3_000,
            with_limit(json!({ "competitor_domain": domain(left) })),
        ),
        asked("/v1/hiring-velocity", 5_000, with_limit(json!({ "department": "data", "role": "CEO" }))),
        asked("/v1/just-acquired-buyers", 4_000, of_role()),
        asked("/v1/buyer-budget-window", 6_000, with_limit(json!({ "icp": {}, "role": "CEO" }))),
        asked("/v1/smb-buying-committee", 4_000, small),
        asked("/v1/funded-and-using-tech", 7_000, technology),
        asked("/v1/local-service-by-revenue", 4_000, with_limit(json!({ "revenue": {} }))),
        asked("/v1/bundles/sales-deck", 25_000, json!({ "company_domain": first, "target_role": "CEO" })),
        asked("/v1/bundles/recruiter-pack", 30_000, page.clone()),
        asked("/v1/bundles/founder-research", 20_000, company.clone()),
        asked("/v1/bundles/competitive-intel", 25_000, company),
        asked("/v1/bundles/relationship-graph", 15_000, page),
    ]
}

/// What an answer has to be, given what was left before and what there is for whoever can pay; what is left after it, or nothing
/// where not one unit could be paid for.
fn left_after(asked: &Asked, answer: &Answer, before: i64, all: i64) -> Option<(i64, bool)> {
    let Asked { path, base, each, .. } = asked;
    let affordable = (before - base) / each;
    if affordable < 1 {
        answer.is_problem(402, "insufficient_credits");
        return None;
    }
    let answer = answer.is_ok();
    let (found, is_short) = (units(&answer), affordable < all);
    assert_eq!(found, affordable.min(all), "{path} with {before} left: {answer}");
    assert_eq!(thousandths(&answer["cost"]["credits"]), base + each * found, "{path}");
    let after = thousandths(&answer["cost"]["balance_remaining"]);
    assert_eq!(after, before - base - each * found, "{path}");
    assert!(after >= 0, "{path}: {after}");
    // Whether one more can be reached would cost to learn. Where exactly what there is was paid for, it may say that nobody
    // looked further, and where to go on.
    let may_be_more = SPENDING.contains(path) && affordable == all && answer["next_cursor"].is_string();
    let is_told = is_short || may_be_more && answer["truncated_by"] == json!("credits");
    let told = if is_told { json!("credits") } else { Value::Null };
    assert_eq!(answer["truncated_by"], told, "{path}: {found} of {all}, {affordable} could be paid for");
    Some((after, is_short))
}

#[test]
fn a_trial_gets_shortened_answers_and_no_errors() {
    let scene = Scene::new("scale");
    let companies = led().into_iter().filter(|company| !WORLD.is_local_business(*company));
    let companies: Vec<u64> = companies.take(COMPANIES).collect();
    let left = (0..WORLD.company_count()).find(|company| !companies.contains(company)).unwrap();
    tell(&scene, &companies, left);
    let mut shortened = Vec::new();
    for asked in workflows(&companies, left) {
        let whole = scene.ask(asked.path, &asked.body);
        let all = units(&whole);
        assert!(all > 0 && whole["truncated_by"].is_null(), "{}: {whole}", asked.path);
        let trial: Customer = scene.installation.customer("trial");
        let (mut before, mut calls) = (TRIAL, 0);
        loop {
            let answer = scene.server.call(&trial, "POST", asked.path, &asked.body);
            let Some((after, is_short)) = left_after(&asked, &answer, before, all) else { break };
            shortened.extend(is_short.then_some(asked.path));
            (before, calls) = (after, calls + 1);
            assert!(calls <= CALLS_MAX, "{}", asked.path);
        }
        let balance = scene.server.get(&trial, "/v1/me").is_ok()["balance"]["available"].clone();
        assert_eq!(thousandths(&balance), before, "{}: what is refused costs nothing", asked.path);
    }
    shortened.dedup();
    assert!(shortened.len() >= 12, "{shortened:?}");
    assert!(scene.installation.run(&["doctor"]).status.success());
}
