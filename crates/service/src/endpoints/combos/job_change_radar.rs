//! `POST /v1/job-change-radar`: who changed jobs lately, by name: the rows of the feed, unmasked.

use super::moves::{MoveFilters, MovesQuestion, PageFields, UnmaskedMove, distinct};
use super::recent::{Since, Walked, walk};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome, Trace};
use crate::example;
use crate::fault::Fault;
use crate::search::TruncatedBy;
use crate::search::values::{DomainText, OneValue, TwoLetters, Values};
use crate::spec::{Group, Scope, Spec, Verb};
use crate::view::{ChangeView, PartyView, PersonView, PostView};
use assay_domain::limits::{CURSOR_CHARS_MAX, PAGE_ROWS_MAX, WINDOW_DAYS_MAX};
use assay_domain::signal::{Move, MoveKind, Party, Post};
use assay_domain::taxonomy::{Department, Seniority};
use assay_domain::{Confidence, Credits, Domain, NetworkHosts, Plan, Price, SignalId};
use assay_engine::signals::Part;
use chrono::{DateTime, NaiveDate, Utc};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

const EXAMPLE: u128 = 0x0197_f7a0_5c3a_7d12_a4b1_c2d3_e4f5_0902;

#[derive(Debug)]
pub enum JobChangeRadar {}

/// Filters are met all together; of the values of one filter, any.
#[derive(Debug, Default, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields, default)]
pub struct JobChangeRadarRequest {
    /// Of the job they go to, or of the one they leave where nothing is told of another.
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
pub struct JobChangeRadarResponse {
    /// The newest first.
    pub results: Vec<JobChange>,
    /// `credits` when there would have been more results if there were more of them.
    pub truncated_by: Option<TruncatedBy>,
    /// Where to go on; null at the end of the window. A page may be short although more is there.
    pub next_cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct JobChange {
    pub person: PersonView,
    #[schemars(extend("enum" = ["new_company", "promotion", "new_role", "left"]))]
    pub change: &'static str,
    pub from: Option<JobLeft>,
    pub to: Option<JobTaken>,
    /// When it happened, as far as it is told: else when it was published.
    pub occurred_at: DateTime<Utc>,
    pub detected_at: DateTime<Utc>,
    #[schemars(with = "f64", range(min = 0.0, max = 1.0))]
    pub confidence: Confidence,
    /// `sig_…`, the row of the feed.
    pub signal_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobLeft {
    pub title: String,
    pub company: PartyView,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_on: Option<NaiveDate>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobTaken {
    pub title: String,
    pub company: PartyView,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_on: Option<NaiveDate>,
}

impl From<UnmaskedMove> for JobChange {
    fn from(unmasked: UnmaskedMove) -> Self {
        let UnmaskedMove { signal, change, person } = unmasked;
        let ChangeView { kind, from, to } = change.into();
        let left = |PostView { title, company, on }| JobLeft { title, company, ended_on: on };
        let taken = |PostView { title, company, on }| JobTaken { title, company, started_on: on };
        Self {
            person: person.into(),
            change: kind,
            from: from.map(left),
            to: to.map(taken),
            occurred_at: signal.occurred_at,
            detected_at: signal.detected_at,
            confidence: signal.confidence,
            signal_id: signal.id.to_string(),
        }
    }
}

impl Endpoint for JobChangeRadar {
    const SPEC: Spec = Spec {
        name: "job-change-radar",
        verb: Verb::Post,
        path: "/v1/job-change-radar",
        status: 200,
        group: Group::Combos,
        price: Price::PerUnit(Credits::whole(2)),
        unit: "unmasked person",
        units_max: PAGE_ROWS_MAX,
        plan: Plan::Trial,
        scope: Scope::Signals,
        spends_upstream: false,
        summary: "Who changed jobs, by name",
        description: "The job changes of the feed with the people behind them: their whole record, what they did before and what they \
                      do now, the newest change first. A change whose person is not known is neither told nor charged. \
                      Charged for each person; one who changed jobs twice is charged once.",
    };
    type Request = JobChangeRadarRequest;
    type Question = MovesQuestion;
    type Response = JobChangeRadarResponse;

    fn parse(request: JobChangeRadarRequest, _hosts: &NetworkHosts) -> Result<MovesQuestion, Fault> {
        let JobChangeRadarRequest { seniority, department, country, company_domain, .. } = request;
        let filters = MoveFilters { seniority, department, country, company_domain };
        let JobChangeRadarRequest { days, since, limit, cursor, .. } = request;
        MovesQuestion::read(
            Self::SPEC.name,
            Part::Profile,
            filters,
            PageFields { days, since, limit, cursor },
        )
    }

    fn units_max(question: &MovesQuestion) -> u32 {
        question.wish.limit()
    }

    fn example() -> (Value, JobChangeRadarResponse) {
        let request =
            json!({ "seniority": ["vp", "c_suite"], "department": "sales", "days": 14, "limit": 10 });
        let ChangeView { kind, from, to } = example_move().into();
        let row = JobChange {
            person: example::person().into(),
            change: kind,
            from: from.map(|post| JobLeft { title: post.title, company: post.company, ended_on: post.on }),
            to: to.map(|post| JobTaken { title: post.title, company: post.company, started_on: post.on }),
            occurred_at: example::moment(),
            detected_at: example::moment(),
            confidence: Confidence::percent(92),
            signal_id: SignalId::from_uuid(Uuid::from_u128(EXAMPLE)).to_string(),
        };
        (request, JobChangeRadarResponse { results: vec![row], truncated_by: None, next_cursor: None })
    }

    fn not_found() -> Option<JobChangeRadarResponse> {
        Some(JobChangeRadarResponse { results: Vec::new(), truncated_by: None, next_cursor: None })
    }

    async fn run(context: &Context, asked: MovesQuestion) -> Result<Outcome<JobChangeRadarResponse>, Fault> {
        let filter = asked.filter(context);
        let Walked { rows, units, truncated_by, next_cursor, step } =
            walk::<UnmaskedMove>(context, &asked.wish, &filter, &asked.sieve).await?;
        let people = distinct(rows.iter().map(|row| row.person.id));
        let trace = Trace { steps: vec![step], people, ..Trace::default() };
        let results = rows.into_iter().map(Into::into).collect();
        Ok(Outcome::found(JobChangeRadarResponse { results, truncated_by, next_cursor }, units, trace))
    }
}

/// How the person of all examples came to their company.
pub(super) fn example_move() -> Move {
    let party = |name: &str, domain: &str| Party { domain: Domain::parse(domain).ok(), ..Party::named(name) };
    let post = |title: &str, company: Party, on: NaiveDate| {
        Some(Post { title: title.into(), company, on: Some(on) })
    };
    let today = example::moment().date_naive();
    let yesterday = today.pred_opt().unwrap_or(today);
    Move {
        kind: MoveKind::NewCompany,
        from: post("Director of Sales", party("Alder Systems", "alder-systems.example"), yesterday),
        to: post("VP of Sales", party("Northwind Robotics", "northwind-robotics.example"), today),
        announcement_post_url: Some("https://network.example/posts/ada-okafor-4417".into()),
        announcement_text: Some(
            "I am happy to share that I am starting as VP of Sales at Northwind Robotics.".into(),
        ),
    }
}
