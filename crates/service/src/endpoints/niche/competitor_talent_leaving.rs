//! `POST /v1/competitor-talent-leaving`: who left a company within 30 days, and how they can be reached.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::example;
use crate::fault::Fault;
use crate::search::values::Values;
use crate::spec::{Group, Scope, Spec};
use crate::steps::account::read_domain;
use crate::steps::contact::{Contact, contact};
use crate::steps::recent::{Row, WalkWish};
use crate::steps::rows::{Failures, Rows};
use crate::steps::spending::{SpendingRow, walk_spending};
use crate::steps::window::Window;
use crate::view::{PersonView, PostView};
use assay_domain::limits::{CURSOR_CHARS_MAX, DOMAIN_CHARS_MAX, PAGE_ROWS_MAX, WINDOW_DAYS_DEFAULT};
use assay_domain::signal::{Content, MoveKind, Post};
use assay_domain::taxonomy::{Department, Seniority};
use assay_domain::title::read_title;
use assay_domain::{Credits, Domain, NetworkHosts, Person, Price, Signal, SignalKind};
use assay_engine::signals::{Part, RecentFilter};
use chrono::NaiveDate;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Debug)]
pub enum CompetitorTalentLeaving {}

/// Filters are met all together; of the values of one filter, any.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct CompetitorTalentLeavingRequest {
    #[garde(length(chars, max = DOMAIN_CHARS_MAX))]
    competitor_domain: String,
    /// Of the job they left.
    #[garde(skip)]
    department: Option<Values<Department>>,
    /// Of the job they left.
    #[garde(skip)]
    seniority: Option<Values<Seniority>>,
    #[serde(skip_serializing)]
    #[garde(range(min = 1, max = PAGE_ROWS_MAX))]
    limit: Option<u32>,
    /// `next_cursor` of the page before, sent with the same filters.
    #[serde(skip_serializing)]
    #[garde(length(chars, max = CURSOR_CHARS_MAX))]
    cursor: Option<String>,
}

#[derive(Debug)]
pub struct CompetitorTalentLeavingQuestion {
    wish: WalkWish,
    sieve: LeaverSieve,
}

#[derive(Debug)]
pub struct LeaverSieve {
    domain: Domain,
    department: Option<Values<Department>>,
    seniority: Option<Values<Seniority>>,
    failures: Failures,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Leaver {
    pub person: PersonView,
    pub left: JobEnded,
    /// Where they are now; null where nobody tells.
    pub now: Option<PostView>,
    pub email: Option<String>,
    /// Their mobile, in international format.
    pub phone: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobEnded {
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_on: Option<NaiveDate>,
}

/// Somebody who left, and where they are now.
#[derive(Debug)]
pub struct KnownLeaver {
    person: Person,
    left: Post,
    now: Option<Post>,
}

#[derive(Debug)]
pub struct LeaverRow {
    leaver: KnownLeaver,
    contact: Contact,
}

impl LeaverSieve {
    fn takes(&self, left: &Post) -> bool {
        let read = read_title(&left.title);
        left.company.domain.as_ref() == Some(&self.domain)
            && self.department.as_ref().is_none_or(|asked| asked.iter().any(|one| *one == read.department))
            && self.seniority.as_ref().is_none_or(|asked| asked.iter().any(|one| *one == read.seniority))
    }
}

impl Row for KnownLeaver {
    type Sieve = LeaverSieve;

    async fn complete(context: &Context, sieve: &LeaverSieve, signal: Signal) -> Result<Option<Self>, Fault> {
        let Content::JobChange(change) = &signal.content else { return Ok(None) };
        let has_left = matches!(change.kind, MoveKind::NewCompany | MoveKind::Left);
        let (left, now) = (change.from.clone(), change.to.clone());
        let Some(left) = left.filter(|left| has_left && sieve.takes(left)) else { return Ok(None) };
        let person = context.engine.unmask(&signal, context.memory.account()).await?;
        Ok(person.map(|person| Self { person, left, now }))
    }

    fn unit(&self) -> Uuid {
        self.person.id.uuid()
    }
}

impl SpendingRow for LeaverRow {
    type Draft = KnownLeaver;

    async fn spend(
        context: &Context,
        sieve: &LeaverSieve,
        leaver: KnownLeaver,
    ) -> Result<Option<Self>, Fault> {
        let contact = contact(context, &leaver.person).await?;
        sieve.failures.note(&contact.failed_parts);
        Ok(contact.is_enough().then_some(Self { leaver, contact }))
    }
}

impl From<LeaverRow> for Leaver {
    fn from(LeaverRow { leaver, contact }: LeaverRow) -> Self {
        Self {
            person: leaver.person.into(),
            left: JobEnded { title: leaver.left.title, ended_on: leaver.left.on },
            now: leaver.now.map(PostView::from),
            email: contact.email,
            phone: contact.phone,
        }
    }
}

impl Endpoint for CompetitorTalentLeaving {
    const SPEC: Spec = Spec {
        scope: Scope::Signals,
        spends_upstream: true,
        summary: "Who just left a company, and how to reach them",
        description: "People of whom it became known within 30 days that they left a company, the newest first, by name, with the job \
                      they left, where they are now and a mobile or verified address. Who is not known or cannot be reached is \
                      neither told nor charged. Charged for each person.",
        ..Spec::research(
            "competitor-talent-leaving",
            "/v1/competitor-talent-leaving",
            Group::NicheCombos,
            Price::PerUnit(Credits::whole(3)),
            "person with verified email or phone",
        )
    };
    type Request = CompetitorTalentLeavingRequest;
    type Question = CompetitorTalentLeavingQuestion;
    type Response = Rows<Leaver>;

    fn parse(
        request: CompetitorTalentLeavingRequest,
        _: &NetworkHosts,
    ) -> Result<CompetitorTalentLeavingQuestion, Fault> {
        let domain = read_domain(&request.competitor_domain, "/competitor_domain")?;
        let window = Window::Days(WINDOW_DAYS_DEFAULT);
        let wish = WalkWish::of(Self::SPEC.name, &request, window, &request.cursor, request.limit)?;
        let CompetitorTalentLeavingRequest { department, seniority, .. } = request;
        let sieve = LeaverSieve { domain, department, seniority, failures: Failures::default() };
        Ok(CompetitorTalentLeavingQuestion { wish, sieve })
    }

    fn units_max(question: &CompetitorTalentLeavingQuestion) -> u32 {
        question.wish.limit()
    }

    fn example() -> (Value, Rows<Leaver>) {
        let today = example::moment().date_naive();
        let row = Leaver {
            person: example::person().into(),
            left: JobEnded { title: "Director of Sales".to_owned(), ended_on: Some(today) },
            now: None,
            email: Some("ada.okafor@northwind-robotics.example".to_owned()),
            phone: Some("+12025550123".to_owned()),
        };
        (
            json!({ "competitor_domain": "alder-systems.example", "department": "sales", "limit": 10 }),
            Rows::of(vec![row]),
        )
    }

    fn not_found() -> Option<Rows<Leaver>> {
        Some(Rows::of(Vec::new()))
    }

    async fn run(
        context: &Context,
        asked: CompetitorTalentLeavingQuestion,
    ) -> Result<Outcome<Rows<Leaver>>, Fault> {
        let moves = RecentFilter {
            since: asked.wish.since(context),
            domains: vec![asked.sieve.domain.to_string()],
            part: Some(Part::Profile),
            ..RecentFilter::all(SignalKind::JobChange)
        };
        let found = walk_spending::<LeaverRow>(context, &asked.wish, &moves, &asked.sieve).await?;
        found.outcome(&asked.sieve.failures, |row| Some(row.leaver.person.id), Leaver::from)
    }
}
