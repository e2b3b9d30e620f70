//! The questions that have a window, in every way a window can be asked for.

use super::judge::{Fact, Rule};
use super::moments::{Moment, day, last_of, time};
use super::story::{CLOSING_TRADE, Story, TRADE, in_zone};
use anyhow::Result;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

pub const BUDGET: &str = "/v1/buyer-budget-window";
pub const VELOCITY: &str = "/v1/hiring-velocity";

/// A question, where its answer names what it found, and which facts it is to find.
#[derive(Debug)]
pub struct Question<'a> {
    pub path: &'static str,
    pub body: Value,
    pub rows: &'static str,
    pub key: &'static str,
    pub facts: &'a [Fact],
    pub rule: Rule,
}

/// A workflow that takes `days` or `since`.
pub struct Windowed<'a> {
    pub path: &'static str,
    pub body: Value,
    pub key: &'static str,
    pub facts: &'a [Fact],
}

pub fn windowed(story: &Story) -> Vec<Windowed<'_>> {
    let of = |path, body, key, facts| Windowed { path, body, key, facts };
    let (person, unmasked, company) =
        ("/person/networkUrl", "/person_unmasked/networkUrl", "/company/domain");
    let using = json!({ "role": "CEO", "technology": story.technology });
    vec![
        of("/v1/job-change-radar", json!({}), person, &story.moves),
        of("/v1/congrats-trigger", json!({}), unmasked, &story.moves),
        of("/v1/funding-radar", json!({ "role": "CEO" }), company, &story.rounds),
        of("/v1/funded-and-hiring", json!({ "role": "CEO" }), company, &story.rounds),
        of("/v1/funded-and-using-tech", using, company, &story.rounds),
        of("/v1/hiring-intent", json!({ "role": "CEO", "title": TRADE }), company, &story.jobs),
    ]
}

/// What is asked, and where the window begins by it.
fn forms(moment: &Moment) -> Result<Vec<(Value, DateTime<Utc>)>> {
    let since = time(moment.since)?;
    let days_30 = time(moment.days_30_before)?;
    let since_day = moment.since.get(..10).unwrap_or_default();
    Ok(vec![
        (json!({}), days_30),
        (json!({ "days": 1 }), time(moment.day_before)?),
        (json!({ "days": 30 }), days_30),
        (json!({ "days": 365 }), time(moment.days_365_before)?),
        (json!({ "since": moment.since }), since),
        (json!({ "since": in_zone(since, 19_800) }), since),
        (json!({ "since": in_zone(since, -39_600) }), since),
        (json!({ "since": since_day }), day(since_day)?),
    ])
}

pub fn questions<'a>(story: &'a Story, moment: &Moment) -> Result<Vec<Question<'a>>> {
    let now = time(moment.now)?;
    let mut questions = Vec::new();
    for Windowed { path, body, key, facts } in windowed(story) {
        for (window, from) in forms(moment)? {
            let (body, rule) = (with(&body, &window), Rule::Within { from, to: now });
            questions.push(Question { path, body, rows: "/results", key, facts, rule });
        }
    }
    questions.extend(fixed(story, moment)?);
    Ok(questions)
}

/// Windows that nobody can choose.
fn fixed<'a>(story: &'a Story, moment: &Moment) -> Result<Vec<Question<'a>>> {
    let now = time(moment.now)?;
    let within = |from: DateTime<Utc>| Rule::Within { from, to: now };
    let (month, news) = (within(time(moment.days_30_before)?), within(time(moment.days_90_before)?));
    let quarter = within(day(moment.quarter)?);
    let months =
        Rule::Within { from: day(moment.months_18_before)?, to: last_of(day(moment.months_6_before)?) };
    let of = |path, body, key, facts, rule| Question { path, body, rows: "/results", key, facts, rule };
    let (leaving, account) = (json!({ "competitor_domain": story.competitor }), &story.account);
    let few = "/v1/low-competition-hires";
    let company = "/company/domain";
    Ok(vec![
        of("/v1/just-funded-smb-leaders", json!({}), "/business/domain", &story.small_rounds, month),
        of("/v1/just-acquired-buyers", json!({ "role": "CEO" }), "/acquired/domain", &story.deals, month),
        of("/v1/competitor-talent-leaving", leaving, "/person/networkUrl", &story.moves, month),
        of(VELOCITY, json!({ "role": "CEO", "department": "data" }), company, &story.fast_hirers, quarter),
        of(BUDGET, json!({ "role": "CEO", "icp": {} }), company, &story.rounds, months),
        // Whatever was posted until now, and is not closed.
        of(few, json!({ "title": TRADE }), company, &story.jobs, within(DateTime::UNIX_EPOCH)),
        of(few, json!({ "title": CLOSING_TRADE }), company, &story.closing_jobs, Rule::EndsAfter(now)),
        Question {
            rows: "/recent_job_changes_at_account",
            ..of(
                "/v1/bundles/sales-deck",
                json!({ "company_domain": account, "target_role": "CEO" }),
                "/networkUrl",
                &story.moves_at_account,
                news,
            )
        },
        Question {
            rows: "/recent_moves",
            ..of(
                "/v1/bundles/competitive-intel",
                json!({ "company_domain": account }),
                "/networkUrl",
                &story.moves_at_account,
                news,
            )
        },
    ])
}

/// No windows: neither longer than a year, nor none, nor two at once, nor since a day there is not or nobody can count from.
pub fn no_windows() -> [Value; 7] {
    [
        json!({ "since": "-9999-01-01" }),
        json!({ "since": "2027-1-1" }),
        json!({ "days": 0 }),
        json!({ "days": 366 }),
        json!({ "days": 1, "since": "2027-01-01" }),
        json!({ "since": "2027-02-29" }),
        json!({ "since": "2027-01-01T24:00:01Z" }),
    ]
}

/// Both, the second on top.
pub fn with(body: &Value, more: &Value) -> Value {
    let mut body = body.clone();
    if let (Some(fields), Some(more)) = (body.as_object_mut(), more.as_object()) {
        fields.extend(more.clone());
    }
    body
}
