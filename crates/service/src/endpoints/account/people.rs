//! `GET /v1/me/people`: every person the account ever resolved, newest first.

use crate::context::Context;
use crate::cursor;
use crate::endpoint::{Endpoint, Outcome};
use crate::example;
use crate::fault::Fault;
use crate::memory::{ResolvedCursor, ResolvedPerson};
use crate::spec::{Group, Scope, Spec, Verb};
use crate::view::PersonView;
use assay_domain::{NetworkHosts, Person, PersonId, limits};
use chrono::{DateTime, Utc};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashMap;

#[derive(Debug)]
pub enum People {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct PeopleRequest {
    /// Words of a name, a title or a company.
    #[garde(length(chars, max = 200))]
    q: Option<String>,
    #[garde(range(min = 1, max = 100))]
    limit: Option<u32>,
    #[garde(length(chars, max = 512))]
    cursor: Option<String>,
}

#[derive(Debug)]
pub struct PeopleQuestion {
    words: Vec<String>,
    after: Option<ResolvedCursor>,
    limit: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct PeopleResponse {
    pub results: Vec<PeopleRow>,
    pub next_cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ResolvedPerson")]
pub struct PeopleRow {
    pub person: PersonView,
    pub first_resolved_at: DateTime<Utc>,
    pub last_resolved_at: DateTime<Utc>,
    pub endpoints: Vec<String>,
}

/// What a cursor holds: ids and times only.
#[derive(Debug, Serialize, Deserialize)]
struct Place {
    at: DateTime<Utc>,
    id: PersonId,
}

impl Endpoint for People {
    const SPEC: Spec = Spec {
        summary: "Every person you ever resolved",
        description: "The people your account resolved, as the graph knows them today, newest first. With `q`, a page \
                      may hold fewer rows than `limit` and still have a next one.",
        ..Spec::free("me-people", Verb::Get, "/v1/me/people", Group::Account, Scope::History)
    };
    type Request = PeopleRequest;
    type Question = PeopleQuestion;
    type Response = PeopleResponse;

    fn parse(request: PeopleRequest, _hosts: &NetworkHosts) -> Result<PeopleQuestion, Fault> {
        let place: Option<Place> = cursor::read(request.cursor.as_deref())?;
        let limit = request.limit.unwrap_or(limits::PAGE_ROWS_DEFAULT);
        Ok(PeopleQuestion {
            words: request.q.iter().flat_map(|text| text.split_whitespace()).map(str::to_lowercase).collect(),
            after: place.map(|place| ResolvedCursor { first_at: place.at, person: place.id }),
            limit: usize::try_from(limit).unwrap_or(1),
        })
    }

    fn example() -> (Value, PeopleResponse) {
        let row = PeopleRow {
            person: example::person().into(),
            first_resolved_at: example::moment(),
            last_resolved_at: example::moment(),
            endpoints: vec!["enrich".into()],
        };
        (json!({ "q": "okafor" }), PeopleResponse { results: vec![row], next_cursor: None })
    }

    async fn run(context: &Context, question: PeopleQuestion) -> Result<Outcome<PeopleResponse>, Fault> {
        let mut results = Vec::new();
        let mut after = question.after;
        let mut scanned = 0;
        let mut more = true;
        while more && results.len() < question.limit && scanned < limits::PEOPLE_SCAN_MAX {
            let page = page_size(&question);
            let rows = context.memory.resolved_people(after, page).await?;
            more = rows.len() >= usize::try_from(page).unwrap_or(1);
            scanned += rows.len();
            let ids: Vec<PersonId> = rows.iter().map(|row| row.person).collect();
            let mut people: HashMap<PersonId, Person> =
                context.engine.people(&ids).await?.into_iter().map(|person| (person.id, person)).collect();
            for row in rows {
                if results.len() == question.limit {
                    more = true;
                    break;
                }
                after = Some(row.cursor());
                // A person who is gone from the graph (erased, merged) is not shown.
                let known = people.remove(&row.person);
                results.extend(
                    known.filter(|person| matches(person, &question.words)).map(|person| shown(person, row)),
                );
            }
        }
        let place = after.filter(|_| more).map(|cursor| Place { at: cursor.first_at, id: cursor.person });
        let next_cursor = place.and_then(|place| cursor::write(&place));
        Ok(Outcome::nothing(PeopleResponse { results, next_cursor }))
    }
}

fn page_size(question: &PeopleQuestion) -> u32 {
    if question.words.is_empty() {
        u32::try_from(question.limit).unwrap_or(limits::PAGE_ROWS_MAX)
    } else {
        limits::PEOPLE_SCAN_PAGE
    }
}

fn matches(person: &Person, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let job = person.current();
    let text = [
        Some(person.facts.full_name.as_str()),
        job.map(|job| job.title.as_str()),
        job.map(|job| job.company_name.as_str()),
    ];
    let text = text.into_iter().flatten().collect::<Vec<_>>().join(" ").to_lowercase();
    words.iter().all(|word| text.contains(word))
}

fn shown(person: Person, row: ResolvedPerson) -> PeopleRow {
    PeopleRow {
        person: person.into(),
        first_resolved_at: row.first_at,
        last_resolved_at: row.last_at,
        endpoints: row.endpoints,
    }
}
