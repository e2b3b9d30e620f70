//! What happened lately, over HTTP: people unmasked, announcements, jobs few apply for; who comes, for how much, and who never does.

mod jobs;

use crate::support::{Customer, Installation, Request, Server, WORLD};
use assay_domain::Clock;
use assay_testkit::Stopwatch;
use serde_json::{Value, json};
use std::time::Duration;

const RADAR: &str = "/v1/job-change-radar";
const CONGRATS: &str = "/v1/congrats-trigger";
const PATIENCE: Duration = Duration::from_secs(20);
pub const DAY: Duration = Duration::from_hours(24);

/// A running installation, its operator, and somebody who asks.
pub struct Scene {
    pub customer: Customer,
    operator: Customer,
    pub server: Server,
    pub installation: Installation,
}

impl Scene {
    pub fn new(plan: &str) -> Self {
        let installation = Installation::new();
        Self::of(installation, plan)
    }

    pub fn of(installation: Installation, plan: &str) -> Self {
        let customer = installation.customer(plan);
        let Customer { account, .. } = installation.customer("trial");
        let create = ["key", "create", "--account", &account, "--scopes", "operator"];
        let operator = Customer { key: installation.ok(&create).trim().to_owned(), account };
        let server = installation.serve();
        Self { customer, operator, server, installation }
    }

    /// Gives signals of one kind, all of which are in the feed when this returns.
    pub fn give(&self, signals: &[Value]) {
        let kind = signals[0]["kind"].as_str().unwrap();
        self.tell(signals);
        let watch = Stopwatch::start();
        loop {
            let page = self.server.get(&self.customer, &format!("/v1/signals?kind={kind}&limit=100")).is_ok();
            if rows(&page).len() == signals.len() {
                return;
            }
            assert!(watch.elapsed() < PATIENCE, "{page}");
            std::thread::sleep(Duration::from_millis(250));
        }
    }

    /// Gives signals that the feed may show later.
    pub fn tell(&self, signals: &[Value]) {
        let body = json!({ "source": "own", "signals": signals });
        let told = self.server.call(&self.operator, "POST", "/v1/ingest/signals", &body).is_ok();
        assert_eq!((&told["accepted"], &told["rejected"]), (&json!(signals.len()), &json!([])));
    }

    pub fn ask(&self, path: &str, body: &Value) -> Value {
        self.server.call(&self.customer, "POST", path, body).is_ok()
    }

    pub fn refuses(&self, path: &str, body: &Value, status: u16, code: &str) {
        self.server.call(&self.customer, "POST", path, body).is_problem(status, code);
    }
}

pub fn rows(answer: &Value) -> &Vec<Value> {
    answer["results"].as_array().unwrap()
}

pub fn ago(time: Duration) -> Value {
    json!((Clock::system().now() - time).to_rfc3339())
}

/// Of people whose page is known: name, page.
pub fn people() -> Vec<(String, String)> {
    let facts = (0..WORLD.people_count()).map(|number| WORLD.person(number).facts);
    facts.filter_map(|facts| Some((facts.full_name, facts.network_url?.to_string()))).take(8).collect()
}

pub fn company(number: u64) -> Value {
    let facts = WORLD.company(number).facts;
    json!({ "name": facts.name, "domain": facts.domain })
}

pub fn domain(number: u64) -> String {
    WORLD.company(number).facts.domain.unwrap().to_string()
}

/// Somebody goes from the company before to this one.
pub fn joined(id: &str, (name, url): &(String, String), at: Value, title: &str, to: u64) -> Value {
    json!({
        "id": id, "kind": "job-change", "occurredAt": at, "company": company(to),
        "person": { "fullName": name, "networkUrl": url },
        "change": {
            "kind": "new_company",
            "from": { "title": "Analyst", "company": company(to + 10), "on": "2026-10-01" },
            "to": { "title": title, "company": company(to), "on": "2026-11-01" },
        },
    })
}

/// Each of them went to another company, the first a day ago, the next two.
pub fn moves_of(people: &[(String, String)]) -> Vec<Value> {
    let moved = |(person, number): (&(String, String), u32)| {
        joined(&format!("c-{number}"), person, ago(number * DAY), "CFO", number.into())
    };
    people.iter().zip(1..).map(moved).collect()
}

fn names(answer: &Value) -> Vec<&str> {
    rows(answer).iter().map(|row| row["person"]["fullName"].as_str().unwrap()).collect()
}

#[test]
fn who_changed_jobs_is_told_by_name_and_each_is_charged_once() {
    let scene = Scene::new("scale");
    let people = people();
    let mut left = joined("c-4", &people[0], ago(4 * DAY), "-", 20);
    left["change"] =
        json!({ "kind": "left", "from": { "title": "Chef", "company": company(40), "on": "2026-11-10" } });
    left["company"] = company(40);
    let mut unnamed = joined("c-5", &people[2], ago(DAY), "CFO", 5);
    unnamed["person"] = json!({ "fullName": "Xylia Quorn" });
    let nowhere = ("Zed Quorn".to_owned(), "https://network.example/in/zed-quorn-nowhere".to_owned());
    scene.give(&[
        joined("c-1", &people[0], ago(2 * DAY), "Head of Sales", 3),
        joined("c-2", &people[1], ago(3 * DAY), "Software Engineer", 4),
        left,
        unnamed,
        joined("c-6", &nowhere, ago(DAY), "CFO", 6),
        joined("c-7", &people[3], ago(31 * DAY), "VP of Sales", 7),
    ]);
    let answer = scene.ask(RADAR, &json!({}));
    let (first, second) = (people[0].0.as_str(), people[1].0.as_str());
    assert_eq!(names(&answer), [first, second, first], "the newest first, and nobody without a known page");
    assert_eq!((&answer["cost"]["credits"], &answer["next_cursor"]), (&json!(4), &Value::Null));
    let row = &rows(&answer)[0];
    assert_eq!((&row["change"], &row["to"]["title"]), (&json!("new_company"), &json!("Head of Sales")));
    assert_eq!(
        (&row["to"]["startedOn"], &row["from"]["endedOn"]),
        (&json!("2026-11-01"), &json!("2026-10-01"))
    );
    assert_eq!(row["to"]["company"]["domain"], json!(domain(3)));
    assert_eq!(row["person"]["networkUrl"], json!(people[0].1));
    assert!(row["confidence"].as_f64().unwrap() > 0.5 && row["detected_at"].is_string());
    assert_eq!((&rows(&answer)[2]["change"], &rows(&answer)[2]["to"]), (&json!("left"), &Value::Null));
    let known = scene.server.get(&scene.customer, "/v1/me/people").is_ok();
    assert_eq!(rows(&known).len(), 2);
    // Filters, all free where nobody meets them.
    let country = WORLD.company(3).facts.headquarters.and_then(|place| place.country).unwrap();
    for (filter, expected) in [
        (json!({ "seniority": "head" }), vec![first]),
        (json!({ "seniority": ["intern", "owner"] }), vec![]),
        (json!({ "department": ["sales", "legal"] }), vec![first]),
        (json!({ "department": "engineering" }), vec![second]),
        (json!({ "company_domain": domain(3) }), vec![first]),
        (json!({ "company_domain": [domain(14), "nobody.example"] }), vec![second]),
        (json!({ "company_domain": "nobody.example" }), vec![]),
        (json!({ "country": [country], "company_domain": domain(3) }), vec![first]),
        (json!({ "country": "aq" }), vec![]),
        (json!({ "days": 1 }), vec![]),
        (json!({ "days": 365, "seniority": "vp" }), vec![people[3].0.as_str()]),
    ] {
        let answer = scene.ask(RADAR, &filter);
        assert_eq!(names(&answer), expected, "{filter}");
        assert_eq!(answer["cost"]["credits"], json!(expected.len() * 2), "{filter}");
    }
    for wrong in [
        json!({ "days": 3, "since": "2026-11-01" }),
        json!({ "days": 0 }),
        json!({ "days": 366 }),
        json!({ "since": "lately" }),
        json!({ "limit": 101 }),
        json!({ "company_domain": "no domain" }),
        json!({ "cursor": "x" }),
        json!({ "role": "vp" }),
    ] {
        scene.refuses(RADAR, &wrong, 422, "validation_failed");
    }
}

#[test]
fn pages_go_on_where_they_ended_and_tell_nothing_twice() {
    let scene = Scene::new("scale");
    let people = people();
    let signals = moves_of(&people);
    scene.give(&signals);
    let (mut seen, mut body) = (Vec::new(), json!({ "limit": 3 }));
    loop {
        let page = scene.ask(RADAR, &body);
        assert_eq!(page["cost"]["credits"], json!(rows(&page).len() * 2));
        seen.extend(names(&page).into_iter().map(str::to_owned));
        if page["next_cursor"].is_null() {
            break;
        }
        body["cursor"] = page["next_cursor"].clone();
        // What is amended meanwhile does not come again on a later page.
        let mut again = signals[0].clone();
        again["occurredAt"] = ago(20 * DAY);
        let told = json!({ "source": "own", "signals": [again] });
        scene.server.call(&scene.operator, "POST", "/v1/ingest/signals", &told).is_ok();
        std::thread::sleep(Duration::from_secs(1));
    }
    assert_eq!(seen, people.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>());
    body["department"] = json!("finance");
    scene.refuses(RADAR, &body, 422, "validation_failed");
}

#[test]
fn a_window_is_exact_at_both_ends() {
    let scene = Scene::new("scale");
    let people = people();
    let at = |time: &str| json!(format!("2026-09-{time}"));
    let soon = json!((Clock::system().now() + DAY).to_rfc3339());
    let minute = Duration::from_mins(1);
    scene.give(&[
        joined("c-1", &people[0], at("10T15:00:00Z"), "CFO", 1),
        joined("c-2", &people[1], at("10T14:59:59.999999Z"), "CFO", 2),
        // Of this one only the day is known.
        joined("c-3", &people[2], at("10T00:00:00Z"), "CFO", 3),
        joined("c-4", &people[3], at("09T23:59:59Z"), "CFO", 4),
        joined("c-5", &people[4], ago(10 * DAY - minute), "CFO", 5),
        joined("c-6", &people[5], ago(10 * DAY + minute), "CFO", 6),
        joined("c-7", &people[6], soon, "CFO", 7),
    ]);
    let found = |body: Value| {
        let answer = scene.ask(RADAR, &body);
        let of = |name: &str| people.iter().position(|(known, _)| known == name).unwrap();
        names(&answer).into_iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(found(json!({ "since": "2026-09-10T15:00:00Z" })), [4, 5, 0, 2]);
    assert_eq!(found(json!({ "since": "2026-09-10T17:00:00+02:00" })), [4, 5, 0, 2]);
    assert_eq!(found(json!({ "since": "2026-09-10T15:00:01Z" })), [4, 5, 2]);
    assert_eq!(found(json!({ "since": "2026-09-10" })), [4, 5, 0, 1, 2]);
    assert_eq!(found(json!({ "since": "2026-09-09T23:59:59Z" })), [4, 5, 0, 1, 2, 3]);
    assert_eq!(found(json!({ "days": 10 })), [4], "and nothing that is still to come");
    assert_eq!(found(json!({ "days": 11 })), [4, 5]);
}

#[test]
fn who_told_of_a_new_job_comes_with_what_they_wrote() {
    let scene = Scene::new("scale");
    let people = people();
    let announced = |mut signal: Value, text: &str, url: Option<&str>| {
        signal["announcement_text"] = json!(text);
        signal["announcement_post_url"] = json!(url);
        signal
    };
    let mut left = joined("c-4", &people[3], ago(DAY), "-", 20);
    left["change"] = json!({ "kind": "left", "from": { "title": "Chef", "company": company(40) } });
    let url = "https://network.example/posts/1";
    scene.give(&[
        announced(joined("c-1", &people[0], ago(DAY), "Head of Sales", 3), "I am happy to share", Some(url)),
        announced(joined("c-2", &people[1], ago(2 * DAY), "Sales Manager", 4), "New job!", None),
        joined("c-3", &people[2], ago(DAY), "Head of Sales", 5),
        announced(left, "I am leaving", None),
        announced(joined("c-5", &people[4], ago(DAY), "Head of Sales", 6), "  ", None),
        announced(joined("c-6", &people[5], ago(40 * DAY), "Head of Sales", 7), "Long ago", None),
    ]);
    let answer = scene.ask(CONGRATS, &json!({ "limit": 10 }));
    assert_eq!((rows(&answer).len(), &answer["cost"]["credits"]), (2, &json!(4)), "{answer}");
    let (row, facts) = (&rows(&answer)[0], WORLD.company(3).facts);
    let person = &row["person_unmasked"];
    assert_eq!((&person["fullName"], &person["networkUrl"]), (&json!(people[0].0), &json!(people[0].1)));
    assert_eq!((&person["company"]["name"], &row["new_role"]), (&json!(facts.name), &json!("Head of Sales")));
    assert_eq!(
        (&row["announcement_text"], &row["announcement_post_url"]),
        (&json!("I am happy to share"), &json!(url))
    );
    let seed = row["personalization_seed"].as_str().unwrap();
    let from = WORLD.company(13).facts.name;
    assert!(seed.contains(&facts.name) && seed.contains("Head of Sales") && seed.contains(&from), "{seed}");
    assert_eq!(rows(&answer)[1]["announcement_post_url"], Value::Null);
    let nobody = scene.ask(CONGRATS, &json!({ "seniority": "intern" }));
    assert_eq!((&nobody["results"], &nobody["cost"]["credits"]), (&json!([]), &json!(0)));
    let manager = scene.ask(CONGRATS, &json!({ "seniority": "manager" }));
    assert_eq!(rows(&manager)[0]["announcement_text"], json!("New job!"));
    let wider = scene.ask(CONGRATS, &json!({ "days": 60, "department": "sales" }));
    assert_eq!((rows(&wider).len(), &wider["cost"]["credits"]), (3, &json!(6)));
}

#[test]
fn whoever_was_erased_is_neither_told_nor_charged() {
    let scene = Scene::new("scale");
    let people = people();
    let mut signals = vec![
        joined("c-1", &people[0], ago(DAY), "CFO", 3),
        joined("c-2", &people[1], ago(2 * DAY), "CFO", 4),
    ];
    signals.iter_mut().for_each(|signal| signal["announcement_text"] = json!("I am happy to share"));
    scene.give(&signals);
    assert_eq!(scene.ask(RADAR, &json!({}))["cost"]["credits"], json!(4));
    let gone = scene.ask(RADAR, &json!({ "limit": 1 }))["results"][0]["person"]["id"].clone();
    let body = json!({ "person_id": gone });
    let told = scene.server.call(&scene.operator, "POST", "/v1/suppressions", &body);
    assert_eq!(told.status, 201, "{}", told.text());
    let after = scene.ask(RADAR, &json!({}));
    assert_eq!((names(&after), &after["cost"]["credits"]), (vec![people[1].0.as_str()], &json!(2)));
    let after = scene.ask(CONGRATS, &json!({}));
    assert_eq!((rows(&after).len(), &after["cost"]["credits"]), (1, &json!(2)));
    assert_eq!(rows(&after)[0]["person_unmasked"]["fullName"], json!(people[1].0));
    assert!(scene.installation.run(&["doctor"]).status.success());
}

#[test]
fn an_answer_is_as_long_as_it_can_be_paid_for_and_is_paid_for_once() {
    let installation = Installation::new();
    installation.ledger.psql("update plan set credits = 9000 where name = 'trial'").unwrap();
    let scene = Scene::of(installation, "trial");
    let people = people();
    let signals = moves_of(&people);
    scene.give(&signals);
    let bounded = scene.ask(RADAR, &json!({ "max_credits": 3 }));
    assert_eq!((rows(&bounded).len(), &bounded["truncated_by"]), (1, &json!("credits")));
    assert_eq!(bounded["cost"], json!({ "credits": 2, "balance_remaining": 7 }));
    scene.refuses(RADAR, &json!({ "max_credits": 1 }), 402, "max_credits_too_low");
    let post = || {
        let request = Request::new("POST", RADAR).key(&scene.customer.key).json(&json!({ "limit": 5 }));
        request.header("idempotency-key", "r-1").send(scene.server.api)
    };
    let (first, again) = (post(), post());
    let short = first.is_ok();
    assert_eq!((rows(&short).len(), &short["truncated_by"]), (3, &json!("credits")));
    assert_eq!(short["cost"], json!({ "credits": 6, "balance_remaining": 1 }));
    assert_eq!((&first.body, again.header("idempotent-replayed")), (&again.body, Some("true")));
    scene.refuses(RADAR, &json!({}), 402, "insufficient_credits");
    // What finds nothing costs nothing, also whoever has nothing.
    let nobody = scene.ask(RADAR, &json!({ "country": "aq" }));
    assert_eq!(nobody["cost"], json!({ "credits": 0, "balance_remaining": 1 }));
    // The rest is where the short answer ended.
    scene.installation.ok(&["account", "topup", &scene.customer.account, "20", "--reference", "t-1"]);
    let rest = scene.ask(RADAR, &json!({ "cursor": short["next_cursor"] }));
    let rest_of_them: Vec<&str> = people[3..].iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((names(&rest), &rest["truncated_by"]), (rest_of_them, &Value::Null));
    assert!(scene.installation.run(&["doctor"]).status.success());
}

#[test]
fn their_twins_answer_without_a_key() {
    let installation = Installation::new();
    let server = installation.serve();
    for (path, price) in [("job-change-radar", 2), ("congrats-trigger", 2), ("low-competition-hires", 1)] {
        let post =
            |body: &Value| Request::new("POST", &format!("/v1/sandbox/{path}")).json(body).send(server.api);
        let answer = post(&json!({ "limit": 2 })).is_ok();
        assert_eq!((rows(&answer).len(), &answer["sandbox"]), (1, &json!(true)));
        assert_eq!((&answer["cost"]["credits"], &answer["cost"]["live_credits"]), (&json!(0), &json!(price)));
        post(&json!({ "limit": 0 })).is_problem(422, "validation_failed");
    }
}
