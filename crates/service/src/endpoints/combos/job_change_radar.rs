//! `POST /v1/job-change-radar`: who changed jobs lately, by name: the rows of the feed, unmasked.

use super::moves::{MovesQuestion, MovesRequest};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Group, Scope, Spec};
use crate::steps::recent::walk;
use crate::steps::rows::{Failures, Rows};
use crate::steps::unmasked::UnmaskedMove;
use crate::view::{ChangeView, PartyView, PersonView, PostView};
use assay_domain::{Confidence, Credits, NetworkHosts, Price};
use assay_engine::signals::Part;
use chrono::{DateTime, NaiveDate, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Debug)]
pub enum JobChangeRadar {}

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

impl From<PostView> for JobLeft {
    fn from(PostView { title, company, on }: PostView) -> Self {
        Self { title, company, ended_on: on }
    }
}

impl From<PostView> for JobTaken {
    fn from(PostView { title, company, on }: PostView) -> Self {
        Self { title, company, started_on: on }
    }
}

impl From<UnmaskedMove> for JobChange {
    fn from(unmasked: UnmaskedMove) -> Self {
        let UnmaskedMove { signal, change, person } = unmasked;
        let ChangeView { kind, from, to } = change.into();
        Self {
            person: person.into(),
            change: kind,
            from: from.map(JobLeft::from),
            to: to.map(JobTaken::from),
            occurred_at: signal.occurred_at,
            detected_at: signal.detected_at,
            confidence: signal.confidence,
            signal_id: signal.id.to_string(),
        }
    }
}

impl Endpoint for JobChangeRadar {
    const SPEC: Spec = Spec {
        scope: Scope::Signals,
        summary: "Who changed jobs, by name",
        description: "The job changes of the feed with the people behind them: their whole record, what they did before and what they \
                      do now, the newest change first. A change whose person is not known is neither told nor charged. \
                      Charged for each person; one who changed jobs twice is charged once.",
        ..Spec::research(
            "job-change-radar",
            "/v1/job-change-radar",
            Group::Combos,
            Price::PerUnit(Credits::whole(2)),
            "unmasked person",
        )
    };
    type Request = MovesRequest;
    type Question = MovesQuestion;
    type Response = Rows<JobChange>;

    fn parse(request: MovesRequest, _hosts: &NetworkHosts) -> Result<MovesQuestion, Fault> {
        MovesQuestion::read(Self::SPEC.name, Part::Profile, request)
    }

    fn units_max(question: &MovesQuestion) -> u32 {
        question.wish.limit()
    }

    fn example() -> (Value, Rows<JobChange>) {
        let request =
            json!({ "seniority": ["vp", "c_suite"], "department": "sales", "days": 14, "limit": 10 });
        (request, Rows::of(vec![UnmaskedMove::example().into()]))
    }

    fn not_found() -> Option<Rows<JobChange>> {
        Some(Rows::of(Vec::new()))
    }

    async fn run(context: &Context, asked: MovesQuestion) -> Result<Outcome<Rows<JobChange>>, Fault> {
        let filter = asked.filter(context);
        let found = walk::<UnmaskedMove>(context, &asked.wish, &filter, &asked.sieve).await?;
        found.outcome(&Failures::default(), |row| Some(row.person.id), JobChange::from)
    }
}
