//! `POST /v1/hiring-intent`: companies that hire for something, and who there would buy what goes with it.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::example;
use crate::fault::Fault;
use crate::search::clauses::Range;
use crate::search::firm::FirmFilters;
use crate::search::values::{OneValue, Phrase, TwoLetters, Values};
use crate::spec::{Group, Scope, Spec};
use crate::steps::buyers::{BuyerView, buyer};
use crate::steps::hiring::{Hirers, HiringView, JobFilter, hirer, jobs_of, open_jobs};
use crate::steps::recent::{Row, WalkWish, walk};
use crate::steps::rows::{Failures, Rows};
use crate::steps::window::{Since, Window};
use crate::view::CompanyView;
use assay_domain::limits::{CURSOR_CHARS_MAX, PAGE_ROWS_MAX, WINDOW_DAYS_MAX};
use assay_domain::taxonomy::{Department, Industry, SizeBand};
use assay_domain::{CompanyId, Credits, NetworkHosts, PersonId, Price, Signal};
use assay_engine::research::Role;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Debug)]
pub enum HiringIntent {}

/// `title`, `department` or both. Filters are met all together; of the values of one filter, any.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct HiringIntentRequest {
    /// Words of the job's title.
    title: Option<Values<Phrase>>,
    /// Of the job.
    department: Option<Values<Department>>,
    /// Who decides, as one would say it: "VP of Sales".
    role: OneValue<Phrase>,
    /// The last so many times 24 hours; 30 if nothing is said.
    #[serde(skip_serializing)]
    #[garde(range(min = 1, max = WINDOW_DAYS_MAX))]
    days: Option<u32>,
    /// This day or time and since then, in place of `days`.
    #[serde(skip_serializing)]
    since: Option<OneValue<Since>>,
    /// Of the company.
    industry: Option<Values<Industry>>,
    /// ISO 3166-1 alpha-2, of the company's headquarters or another place.
    country: Option<Values<TwoLetters>>,
    /// Of the company's headquarters or another place.
    city: Option<Values<Phrase>>,
    company_size: Option<Values<SizeBand>>,
    #[garde(dive)]
    employee_count: Option<Range>,
    #[serde(skip_serializing)]
    #[garde(range(min = 1, max = PAGE_ROWS_MAX))]
    limit: Option<u32>,
    /// `next_cursor` of the page before, sent with the same filters.
    #[serde(skip_serializing)]
    #[garde(length(chars, max = CURSOR_CHARS_MAX))]
    cursor: Option<String>,
}

#[derive(Debug)]
pub struct HiringIntentQuestion {
    wish: WalkWish,
    sieve: IntentSieve,
}

#[derive(Debug)]
pub struct IntentSieve {
    hirers: Hirers,
    role: Role,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct HiringCompany {
    pub company: CompanyView,
    /// The jobs asked for that are open.
    pub hiring: HiringView,
    pub buyer: BuyerView,
}

/// A row, and whom it is about.
#[derive(Debug)]
pub struct IntentRow {
    company: CompanyId,
    person: PersonId,
    shown: HiringCompany,
}

impl Row for IntentRow {
    type Sieve = IntentSieve;
    const REPEATS: bool = false;

    async fn complete(context: &Context, sieve: &IntentSieve, signal: Signal) -> Result<Option<Self>, Fault> {
        let Some(company) = hirer(context, &sieve.hirers, &signal).await? else { return Ok(None) };
        let (jobs, buyer) = tokio::try_join!(
            open_jobs(context, &company, &sieve.hirers.jobs.departments, None, context.now),
            buyer(context, &company, &sieve.role)
        )?;
        let Some(buyer) = buyer else { return Ok(None) };
        let (id, person) = (company.id, buyer.person.id);
        let hiring = HiringView::new(jobs.into_iter().filter(|job| sieve.hirers.jobs.takes(job)).collect());
        let buyer = BuyerView::new(buyer, &company);
        Ok(Some(Self {
            company: id,
            person,
            shown: HiringCompany { company: company.into(), hiring, buyer },
        }))
    }

    fn unit(&self) -> Uuid {
        self.company.uuid()
    }
}

impl Endpoint for HiringIntent {
    const SPEC: Spec = Spec {
        scope: Scope::Signals,
        summary: "Companies that hire for something, and who would buy there",
        description: "Companies with an open job of a title or a department that was posted in the window, the newest first, each with \
                      those jobs and whoever decides there for a role. A company comes once. One at which nobody is known who \
                      decides is neither told nor charged. Charged for each company.",
        ..Spec::research(
            "hiring-intent",
            "/v1/hiring-intent",
            Group::Combos,
            Price::PerUnit(Credits::whole(8)),
            "company with its buyer",
        )
    };
    type Request = HiringIntentRequest;
    type Question = HiringIntentQuestion;
    type Response = Rows<HiringCompany>;

    fn parse(request: HiringIntentRequest, _: &NetworkHosts) -> Result<HiringIntentQuestion, Fault> {
        if request.title.is_none() && request.department.is_none() {
            let fix = "add `title` or `department`";
            return Err(Fault::field("", "missing", "no jobs are named", fix));
        }
        let window = Window::read(request.days, request.since)?;
        let wish = WalkWish::of(Self::SPEC.name, &request, window, &request.cursor, request.limit)?;
        let jobs = JobFilter::new(request.title.as_ref(), request.department.as_ref());
        let firm = FirmFilters::of(
            &request.industry,
            &request.country,
            &request.city,
            &request.company_size,
            request.employee_count,
        )?;
        let sieve =
            IntentSieve { hirers: Hirers::new(jobs, firm, &wish), role: Role::read(&request.role.0.0) };
        Ok(HiringIntentQuestion { wish, sieve })
    }

    fn units_max(question: &HiringIntentQuestion) -> u32 {
        question.wish.limit()
    }

    fn example() -> (Value, Rows<HiringCompany>) {
        let row = HiringCompany {
            company: example::company().into(),
            hiring: HiringView::example(),
            buyer: BuyerView::example(),
        };
        (
            json!({ "department": "engineering", "role": "VP of Sales", "days": 14, "limit": 10 }),
            Rows::of(vec![row]),
        )
    }

    fn not_found() -> Option<Rows<HiringCompany>> {
        Some(Rows::of(Vec::new()))
    }

    async fn run(
        context: &Context,
        asked: HiringIntentQuestion,
    ) -> Result<Outcome<Rows<HiringCompany>>, Fault> {
        let jobs = jobs_of(context, &asked.wish, &asked.sieve.hirers.jobs);
        let found = walk::<IntentRow>(context, &asked.wish, &jobs, &asked.sieve).await?;
        found.outcome(&Failures::default(), |row| Some(row.person), |row| row.shown)
    }
}
