//! Every filter against the plainest way to answer: looking at everybody in the world.

use super::{COMPANIES, PEOPLE, ids, walk};
use crate::support::{Installation, Request, WORLD};
use assay_domain::Clock;
use assay_domain::company::CompanyFacts;
use assay_domain::name::fold_text;
use assay_domain::person::{Employment, Location, PersonFacts};
use assay_domain::taxonomy::SizeBand;
use chrono::{Datelike, Days, NaiveDate};
use serde_json::{Value, json};
use std::collections::BTreeSet;

struct Somebody {
    id: String,
    facts: PersonFacts,
    jobs: Vec<Employment>,
    company: CompanyFacts,
}

impl Somebody {
    fn job(&self) -> Option<&Employment> {
        self.jobs.iter().find(|job| job.ended_on.is_none())
    }

    /// At whom they are searched for: only who works there now.
    fn employer(&self) -> Option<&CompanyFacts> {
        self.job().and_then(|job| job.company_id).map(|_| &self.company)
    }
}

fn everybody() -> Vec<Somebody> {
    let somebody = |number: u64| {
        let person = WORLD.person(number);
        let company = WORLD.company(WORLD.employer_index(number)).facts;
        Somebody { id: person.id.to_string(), facts: person.facts, jobs: person.experience, company }
    };
    (0..WORLD.people_count()).map(somebody).collect()
}

fn today() -> NaiveDate {
    Clock::system().now().date_naive()
}

fn has_words(text: &str, words: &str) -> bool {
    let (text, words) = (fold_text(text), fold_text(words));
    words.split(' ').all(|word| text.split(' ').any(|other| other == word))
}

fn is_in(place: Option<&Location>, country: &str) -> bool {
    place.and_then(|place| place.country.as_deref()) == Some(country)
}

/// Whole years since the first job.
fn years(person: &Somebody) -> Option<i32> {
    let began = person.jobs.iter().filter_map(|job| job.started_on).min()?;
    let before_the_day = (today().month(), today().day()) < (began.month(), began.day());
    Some(today().year() - began.year() - i32::from(before_the_day))
}

type Of<T> = Box<dyn Fn(&T) -> bool>;

fn seniority(one: &Somebody) -> Option<&'static str> {
    one.job().and_then(|job| job.seniority).map(|it| it.as_str())
}

fn department(one: &Somebody) -> Option<&'static str> {
    one.job().and_then(|job| job.department).map(|it| it.as_str())
}

fn size(one: &Somebody) -> Option<&'static str> {
    one.employer().and_then(|company| SizeBand::of_count(company.employee_count?)).map(SizeBand::as_str)
}

fn industry(one: &Somebody) -> Option<&'static str> {
    one.employer().and_then(|company| company.industry).map(|it| it.as_str())
}

fn place(one: &Somebody) -> Option<&Location> {
    one.facts.location.as_ref()
}

fn case<T>(body: Value, meets: impl Fn(&T) -> bool + 'static) -> (Value, Of<T>) {
    (body, Box::new(meets))
}

/// Filters by values that somebody in the world has.
fn cases_of_values(world: &[Somebody]) -> Vec<(Value, Of<Somebody>)> {
    let first = |value: &dyn Fn(&Somebody) -> Option<String>| world.iter().find_map(value).unwrap();
    let skill = first(&|one| one.facts.skills.first().cloned());
    let certification = first(&|one| one.facts.certifications.first().cloned());
    let city = first(&|one| place(one)?.city.clone());
    let domain = first(&|one| Some(one.employer()?.domain.as_ref()?.to_string()));
    let trade = first(&|one| industry(one).map(str::to_owned));
    let other_trade = trade.clone();
    let title = first(&|one| one.job().map(|job| job.title.clone()));
    let in_us = |one: &Somebody| is_in(place(one), "US");
    vec![
        case(json!({"skills": skill.to_uppercase()}), move |one: &Somebody| {
            one.facts.skills.iter().any(|it| fold_text(it) == fold_text(&skill))
        }),
        case(json!({"certifications": [certification.clone()]}), move |one: &Somebody| {
            one.facts.certifications.contains(&certification)
        }),
        case(json!({"location": {"city": city.clone()}}), move |one| {
            let there = place(one).and_then(|place| place.city.as_deref());
            there.is_some_and(|there| fold_text(there) == fold_text(&city))
        }),
        case(json!({"industry": trade.clone()}), move |one| industry(one) == Some(&*trade)),
        case(json!({"company_domain": format!("https://www.{domain}/about")}), move |one: &Somebody| {
            let its = one.employer().and_then(|company| company.domain.as_ref());
            its.is_some_and(|its| its.to_string() == domain)
        }),
        case(json!({"title": [title.to_lowercase(), "no such title"]}), move |one: &Somebody| {
            one.job().is_some_and(|job| has_words(&job.title, &title))
        }),
        case(
            json!({"location": {"country": "US"}, "exclude": {"seniority": ["entry", "intern"], "industry": other_trade}}),
            move |one| {
                let is_junior = matches!(seniority(one), Some("entry" | "intern"));
                in_us(one) && !is_junior && industry(one) != Some(&*other_trade)
            },
        ),
    ]
}

fn people_cases(world: &[Somebody]) -> Vec<(Value, Of<Somebody>)> {
    let since = today().checked_sub_days(Days::new(200)).unwrap();
    let mut cases = vec![
        case(json!({}), |_| true),
        case(json!({"seniority": "vp"}), |one| seniority(one) == Some("vp")),
        case(json!({"seniority": ["director", "manager"], "department": "sales"}), |one| {
            matches!(seniority(one), Some("director" | "manager")) && department(one) == Some("sales")
        }),
        case(json!({"location": {"country": ["us", "DE"]}}), |one| {
            is_in(place(one), "US") || is_in(place(one), "DE")
        }),
        case(json!({"language": ["fr", "ES"]}), |one: &Somebody| {
            one.facts.languages.iter().any(|it| it == "fr" || it == "es")
        }),
        case(json!({"company_size": ["11-50", "10001+"]}), |one| {
            matches!(size(one), Some("11-50" | "10001+"))
        }),
        case(json!({"years_experience": {"min": 5, "max": 9}}), |one| {
            years(one).is_some_and(|years| (5..=9).contains(&years))
        }),
        case(json!({"years_experience": {"min": 20}}), |one| years(one).is_some_and(|years| years >= 20)),
        case(json!({"changed_jobs_within_days": 200}), move |one: &Somebody| {
            one.facts.last_job_change_on.is_some_and(|on| on >= since)
        }),
        case(json!({"exclude": {"location": {"country": "US"}, "years_experience": {"max": 10}}}), |one| {
            !is_in(place(one), "US") && years(one).is_none_or(|years| years > 10)
        }),
        case(json!({"seniority": "vp", "exclude": {"seniority": "vp"}}), |_| false),
    ];
    cases.extend(cases_of_values(world));
    cases
}

#[test]
fn filters_find_the_people_that_the_tables_have() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let world = everybody();
    for (body, meets) in people_cases(&world) {
        let expected: BTreeSet<String> =
            world.iter().filter(|one| meets(one)).map(|one| one.id.clone()).collect();
        let (found, total) = walk(&[&server], &customer, PEOPLE, &super::with(&body, "limit", 90));
        assert_eq!(found.len(), expected.len(), "{body}");
        assert_eq!(usize::try_from(total).unwrap(), expected.len(), "{body}");
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected, "{body}");
    }
}

fn company_cases(world: &[(String, CompanyFacts)]) -> Vec<(Value, Of<CompanyFacts>)> {
    fn latest(one: &CompanyFacts) -> Option<&assay_domain::company::Round> {
        one.funding_rounds.iter().max_by_key(|round| round.announced_on)
    }
    let technology = world.iter().find_map(|(_, one)| Some(one.technologies.first()?.name.clone())).unwrap();
    let industry = world.iter().find_map(|(_, one)| one.industry).unwrap();
    let since: NaiveDate = "2025-01-01".parse().unwrap();
    let is_in = |one: &CompanyFacts, country: &str| {
        one.headquarters.iter().chain(&one.locations).any(|place| place.country.as_deref() == Some(country))
    };
    let of = |body: Value, meets: Of<CompanyFacts>| (body, meets);
    vec![
        of(json!({}), Box::new(|_| true)),
        of(json!({"industry": industry.as_str()}), Box::new(move |one| one.industry == Some(industry))),
        of(
            json!({"technologies": technology.to_lowercase()}),
            Box::new(move |one| one.technologies.iter().any(|it| it.name == technology)),
        ),
        of(
            json!({"employee_count": {"min": 20, "max": 200}}),
            Box::new(|one| one.employee_count.is_some_and(|count| (20..=200).contains(&count))),
        ),
        of(
            json!({"founded": {"max": 2000}, "hiring": true}),
            Box::new(|one| one.founded_year.is_some_and(|year| year <= 2000) && one.open_roles > Some(0)),
        ),
        of(json!({"hiring": false}), Box::new(|one| one.open_roles.unwrap_or(0) == 0)),
        of(json!({"exclude": {"hiring": false}}), Box::new(|one| one.open_roles > Some(0))),
        of(
            json!({"funding": {"stage": ["seed", "series_a"], "since": "2025-01-01"}}),
            Box::new(move |one| {
                latest(one).is_some_and(|round| {
                    ["seed", "series_a"].contains(&round.stage.as_str()) && round.announced_on >= since
                })
            }),
        ),
        of(
            json!({"funding": {"min_amount": 500_000_000_i64}}),
            Box::new(|one| {
                latest(one).is_some_and(|round| {
                    round.amount >= Some(500_000_000) && round.currency.as_deref() == Some("USD")
                })
            }),
        ),
        of(json!({"location": {"country": "us"}}), Box::new(move |one| is_in(one, "US"))),
        of(json!({"exclude": {"location": {"country": "US"}}}), Box::new(move |one| !is_in(one, "US"))),
    ]
}

#[test]
fn filters_find_the_companies_that_the_tables_have() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let companies = (0..WORLD.company_count()).map(|number| WORLD.company(number));
    let world: Vec<(String, CompanyFacts)> =
        companies.map(|company| (company.id.to_string(), company.facts)).collect();
    for (body, meets) in company_cases(&world) {
        let expected: BTreeSet<String> =
            world.iter().filter(|(_, one)| meets(one)).map(|(id, _)| id.clone()).collect();
        let (found, total) = walk(&[&server], &customer, COMPANIES, &super::with(&body, "limit", 90));
        assert_eq!(usize::try_from(total).unwrap(), expected.len(), "{body}");
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected, "{body}");
    }
}

#[test]
fn what_is_asked_wrongly_is_told_where_and_what_was_meant() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve();
    let refused = |path: &str, body: &Value| {
        let problem = server.call(&customer, "POST", path, body).is_problem(422, "validation_failed");
        let error = &problem["errors"][0];
        let text = |name: &str| error[name].as_str().unwrap().to_owned();
        (text("pointer"), text("code"), text("fix"))
    };
    let (pointer, code, fix) = refused(PEOPLE, &json!({"seniority": ["vp", "directr"]}));
    assert_eq!((&*pointer, &*code), ("/seniority/1", "unknown_value"));
    assert_eq!(fix, "did you mean `director`?");
    let (pointer, _, fix) = refused(PEOPLE, &json!({"exclude": {"senority": "vp"}}));
    assert_eq!((&*pointer, &*fix), ("/exclude/senority", "did you mean `seniority`?"));
    for (body, pointer) in [
        (json!({"skills": []}), "/skills"),
        (json!({"skills": vec!["x"; 101]}), "/skills"),
        (json!({"title": " "}), "/title"),
        (json!({"company_domain": ["acme.example", "no domain"]}), "/company_domain/1"),
        (json!({"exclude": {"company_domain": "no domain"}}), "/exclude/company_domain"),
        (json!({"location": {"country": "USA"}}), "/location/country"),
        (json!({"years_experience": {"min": 9, "max": 5}}), "/years_experience"),
        (json!({"changed_jobs_within_days": 366}), "/changed_jobs_within_days"),
        (json!({"limit": 101}), "/limit"),
        (json!({"sort": "newest"}), "/sort"),
    ] {
        assert_eq!(refused(PEOPLE, &body).0, pointer, "{body}");
    }
    for (body, pointer) in [
        (json!({"funding": {"currency": "usd"}}), "/funding/currency"),
        (json!({"founded": {"min": 2020, "max": 2010}}), "/founded"),
        (json!({"employee_count": 50}), "/employee_count"),
    ] {
        assert_eq!(refused(COMPANIES, &body).0, pointer, "{body}");
    }
}

#[test]
fn suggestions_are_values_that_a_search_finds_as_many_of() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let suggested = |field: &str, text: &str| {
        let path = format!("/v1/suggest?field={field}&text={text}");
        let answer = server.get(&customer, &path);
        assert_eq!(answer.header("x-credits-charged"), Some("0"));
        answer.is_ok()["results"].as_array().unwrap().clone()
    };
    let check = |path: &str, field: &str, row: &Value, filter: Value| {
        let found = server.call(&customer, "POST", path, &super::with(&filter, "limit", 1)).is_ok();
        assert_eq!(found["total"], row["count"], "{field}: {row}");
        assert_eq!(ids(&found).len(), 1);
    };
    for field in
        ["skills", "certifications", "language", "industry", "seniority", "department", "company_size"]
    {
        let rows = suggested(field, "");
        assert!(!rows.is_empty(), "{field}");
        for row in rows.iter().take(3) {
            check(PEOPLE, field, row, json!({ field: row["value"] }));
        }
    }
    for row in suggested("country", "u") {
        assert!(row["value"].as_str().unwrap().starts_with('U'));
        check(PEOPLE, "country", &row, json!({"location": {"country": row["value"]}}));
    }
    for row in suggested("technologies", "").iter().take(3) {
        check(COMPANIES, "technologies", row, json!({"technologies": row["value"]}));
    }
    let begun = suggested("industry", "COMPUTER");
    assert!(begun.iter().all(|row| row["value"].as_str().unwrap().starts_with("Computer")), "{begun:?}");
    assert_eq!(suggested("skills", "no-such-skill"), Vec::<Value>::new());
    Request::new("GET", "/v1/suggest?field=shoes")
        .key(&customer.key)
        .send(server.api)
        .is_problem(422, "validation_failed");
    let kept = server.get(&customer, "/v1/me/history").is_ok();
    let names = kept["results"].as_array().unwrap().iter().map(|row| row["endpoint"].clone());
    assert!(names.into_iter().all(|name| name != "suggest"), "looking for words is no lookup");
}
