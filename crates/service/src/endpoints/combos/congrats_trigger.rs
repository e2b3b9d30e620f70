//! `POST /v1/congrats-trigger`: who changed jobs lately and told of it, with what they wrote.

use super::job_change_radar::example_move;
use super::moves::{MoveFilters, MoveSieve, MovesQuestion, PageFields, UnmaskedMove, distinct};
use super::recent::{Row, Since, Walked, walk};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome, Trace};
use crate::example;
use crate::fault::Fault;
use crate::search::TruncatedBy;
use crate::search::values::{DomainText, OneValue, TwoLetters, Values};
use crate::spec::{Group, Scope, Spec, Verb};
use crate::view::PartyView;
use assay_domain::limits::{CURSOR_CHARS_MAX, PAGE_ROWS_MAX, WINDOW_DAYS_MAX};
use assay_domain::signal::Move;
use assay_domain::taxonomy::{Department, Seniority};
use assay_domain::{Credits, NetworkHosts, NetworkUrl, Person, PersonId, Plan, Price, Signal};
use assay_engine::signals::{Part, personalization_seed};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Debug)]
pub enum CongratsTrigger {}

/// Filters are met all together; of the values of one filter, any.
#[derive(Debug, Default, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields, default)]
pub struct CongratsTriggerRequest {
    /// Of the new job.
    #[garde(skip)]
    seniority: Option<Values<Seniority>>,
    #[garde(skip)]
    department: Option<Values<Department>>,
    /// ISO 3166-1 alpha-2, of the company they go to.
    #[garde(skip)]
    country: Option<Values<TwoLetters>>,
    /// Of the company they go to, or of the one they leave.
    #[garde(skip)]
    company_domain: Option<Values<DomainText>>,
    /// Changes of the last so many times 24 hours; 30 if nothing is said.
    #[garde(range(min = 1, max = WINDOW_DAYS_MAX))]
    #[schemars(range(min = 1, max = WINDOW_DAYS_MAX))]
    days: Option<u32>,
    /// Changes of this day or time and since then, in place of `days`.
    #[garde(skip)]
    since: Option<OneValue<Since>>,
    #[garde(range(min = 1, max = PAGE_ROWS_MAX))]
    #[schemars(range(min = 1, max = PAGE_ROWS_MAX))]
    limit: Option<u32>,
    /// `next_cursor` of the page before, sent with the same filters.
    #[garde(length(chars, max = CURSOR_CHARS_MAX))]
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct CongratsTriggerResponse {
    /// The newest first.
    pub results: Vec<Announcement>,
    /// `credits` when there would have been more results if there were more of them.
    pub truncated_by: Option<TruncatedBy>,
    /// Where to go on; null at the end of the window. A page may be short although more is there.
    pub next_cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Announcement {
    pub person_unmasked: PersonUnmasked,
    /// The title of the new job.
    pub new_role: String,
    /// Null where it is not told.
    pub announcement_post_url: Option<String>,
    /// What they wrote.
    pub announcement_text: String,
    /// What is known of the change, in one sentence.
    pub personalization_seed: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersonUnmasked {
    /// `per_…`
    pub id: String,
    pub full_name: String,
    pub network_url: String,
    /// Where they are now.
    pub company: PartyView,
}

/// A row, and whom it names.
#[derive(Debug)]
pub struct Announced {
    person: PersonId,
    announcement: Announcement,
}

impl Row for Announced {
    type Sieve = MoveSieve;

    async fn complete(context: &Context, sieve: &MoveSieve, signal: Signal) -> Result<Option<Self>, Fault> {
        let unmasked = UnmaskedMove::complete(context, sieve, signal).await?;
        Ok(unmasked.and_then(|UnmaskedMove { signal, change, person }| {
            let url = signal.person.and_then(|named| named.network_url);
            Some(Self { person: person.id, announcement: announcement(person, url, change)? })
        }))
    }

    fn unit(&self) -> Uuid {
        self.person.uuid()
    }
}

/// The row with all that is promised; none where something of it is missing.
fn announcement(person: Person, url: Option<NetworkUrl>, change: Move) -> Option<Announcement> {
    let name = person.facts.first_name.as_ref().unwrap_or(&person.facts.full_name);
    let personalization_seed = personalization_seed(name, &change)?;
    let (to, url) = (change.to?, person.facts.network_url.or(url)?);
    Some(Announcement {
        person_unmasked: PersonUnmasked {
            id: person.id.to_string(),
            full_name: person.facts.full_name,
            network_url: url.to_string(),
            company: to.company.into(),
        },
        new_role: to.title,
        announcement_post_url: change.announcement_post_url,
        announcement_text: change.announcement_text?,
        personalization_seed,
    })
}

impl Endpoint for CongratsTrigger {
    const SPEC: Spec = Spec {
        name: "congrats-trigger",
        verb: Verb::Post,
        path: "/v1/congrats-trigger",
        status: 200,
        group: Group::Combos,
        price: Price::PerUnit(Credits::whole(2)),
        unit: "unmasked person",
        units_max: PAGE_ROWS_MAX,
        plan: Plan::Trial,
        scope: Scope::Signals,
        spends_upstream: false,
        summary: "Who told of a new job, and in which words",
        description: "People who changed jobs and announced it, by name, with the text of their announcement and a sentence of what is \
                      known of the change to begin a letter with; the newest first. Who is not known, or wrote nothing, is \
                      neither told nor charged. Charged for each person.",
    };
    type Request = CongratsTriggerRequest;
    type Question = MovesQuestion;
    type Response = CongratsTriggerResponse;

    fn parse(request: CongratsTriggerRequest, _hosts: &NetworkHosts) -> Result<MovesQuestion, Fault> {
        let CongratsTriggerRequest { seniority, department, country, company_domain, .. } = request;
        let filters = MoveFilters { seniority, department, country, company_domain };
        let CongratsTriggerRequest { days, since, limit, cursor, .. } = request;
        let page = PageFields { days, since, limit, cursor };
        MovesQuestion::read(Self::SPEC.name, Part::Announcement, filters, page)
    }

    fn units_max(question: &MovesQuestion) -> u32 {
        question.wish.limit()
    }

    fn example() -> (Value, CongratsTriggerResponse) {
        let results = announcement(example::person(), None, example_move()).into_iter().collect();
        let response = CongratsTriggerResponse { results, truncated_by: None, next_cursor: None };
        (json!({ "limit": 10 }), response)
    }

    fn not_found() -> Option<CongratsTriggerResponse> {
        Some(CongratsTriggerResponse { results: Vec::new(), truncated_by: None, next_cursor: None })
    }

    async fn run(context: &Context, asked: MovesQuestion) -> Result<Outcome<CongratsTriggerResponse>, Fault> {
        let filter = asked.filter(context);
        let Walked { rows, units, truncated_by, next_cursor, step } =
            walk::<Announced>(context, &asked.wish, &filter, &asked.sieve).await?;
        let people = distinct(rows.iter().map(|row| row.person));
        let trace = Trace { steps: vec![step], people, ..Trace::default() };
        let results = rows.into_iter().map(|row| row.announcement).collect();
        Ok(Outcome::found(CongratsTriggerResponse { results, truncated_by, next_cursor }, units, trace))
    }
}
