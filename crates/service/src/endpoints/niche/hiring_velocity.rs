//! `POST /v1/hiring-velocity`: companies that hire many for one department this quarter, and who would buy there.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::example;
use crate::fault::Fault;
use crate::search::clauses::Range;
use crate::search::firm::FirmFilters;
use crate::search::values::{OneValue, Phrase, TwoLetters, Values};
use crate::spec::{Group, Scope, Spec};
use crate::steps::buyers::{BuyerView, buyer};
use crate::steps::hiring::{Hirers, JobFilter, hirer, jobs_of, open_jobs};
use crate::steps::recent::{Row, WalkWish, walk};
use crate::steps::rows::{Failures, Rows};
use crate::steps::window::Window;
use crate::view::{CompanyView, terms};
use assay_domain::limits::{CURSOR_CHARS_MAX, PAGE_ROWS_MAX, VELOCITY_ROLES_MIN};
use assay_domain::taxonomy::{Department, Industry, SizeBand};
use assay_domain::{CompanyId, Credits, NetworkHosts, PersonId, Price, Signal};
use assay_engine::research::Role;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Debug)]
pub enum HiringVelocity {}

/// Filters are met all together; of the values of one filter, any.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct HiringVelocityRequest {
    /// Of the jobs.
    department: OneValue<Department>,
    /// How many roles at least; 5 if nothing is said, and never fewer.
    #[garde(range(min = VELOCITY_ROLES_MIN, max = 500))]
    min_roles: Option<u32>,
    /// Who decides, as one would say it: "VP of Sales".
    role: OneValue<Phrase>,
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
pub struct HiringVelocityQuestion {
    wish: WalkWish,
    sieve: VelocitySieve,
}

#[derive(Debug)]
pub struct VelocitySieve {
    department: Department,
    hirers: Hirers,
    role: Role,
    least: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FastHirer {
    pub company: CompanyView,
    #[schemars(extend("enum" = terms::departments()))]
    pub department: &'static str,
    /// Posted this quarter and still open.
    pub open_roles: u32,
    pub buyer: BuyerView,
}

/// A row, and whom it is about.
#[derive(Debug)]
pub struct VelocityRow {
    company: CompanyId,
    person: PersonId,
    shown: FastHirer,
}

impl Row for VelocityRow {
    type Sieve = VelocitySieve;
    const REPEATS: bool = false;

    async fn complete(
        context: &Context,
        sieve: &VelocitySieve,
        signal: Signal,
    ) -> Result<Option<Self>, Fault> {
        let Some(company) = hirer(context, &sieve.hirers, &signal).await? else { return Ok(None) };
        let until = sieve.hirers.until(context);
        let since = Some(Window::Quarter.begin(until));
        let jobs = open_jobs(context, &company, &[sieve.department], since, until).await?;
        let open_roles = u32::try_from(jobs.len()).unwrap_or(u32::MAX);
        if open_roles < sieve.least {
            return Ok(None);
        }
        let Some(buyer) = buyer(context, &company, &sieve.role).await? else { return Ok(None) };
        let (id, person, department) = (company.id, buyer.person.id, sieve.department.as_str());
        let buyer = BuyerView::new(buyer, &company);
        Ok(Some(Self {
            company: id,
            person,
            shown: FastHirer { company: company.into(), department, open_roles, buyer },
        }))
    }

    fn unit(&self) -> Uuid {
        self.company.uuid()
    }
}

impl Endpoint for HiringVelocity {
    const SPEC: Spec = Spec {
        scope: Scope::Signals,
        summary: "Companies that hire many for one department this quarter",
        description: "Companies with five or more open jobs of one department that were posted in this calendar quarter (UTC), each with \
                      whoever decides there for a role; who posted last comes first. One at which nobody is known who decides is \
                      neither told nor charged. Charged for each company.",
        ..Spec::research(
            "hiring-velocity",
            "/v1/hiring-velocity",
            Group::NicheCombos,
            Price::PerUnit(Credits::whole(5)),
            "company with its buyer",
        )
    };
    type Request = HiringVelocityRequest;
    type Question = HiringVelocityQuestion;
    type Response = Rows<FastHirer>;

    fn parse(request: HiringVelocityRequest, _: &NetworkHosts) -> Result<HiringVelocityQuestion, Fault> {
        let (wish, department) = (
            WalkWish::of(Self::SPEC.name, &request, Window::Quarter, &request.cursor, request.limit)?,
            request.department.0,
        );
        let jobs = JobFilter { titles: Vec::new(), departments: vec![department] };
        let firm = FirmFilters::of(
            &request.industry,
            &request.country,
            &request.city,
            &request.company_size,
            request.employee_count,
        )?;
        let sieve = VelocitySieve {
            department,
            hirers: Hirers::new(jobs, firm, &wish),
            role: Role::read(&request.role.0.0),
            least: request.min_roles.unwrap_or(VELOCITY_ROLES_MIN),
        };
        Ok(HiringVelocityQuestion { wish, sieve })
    }

    fn units_max(question: &HiringVelocityQuestion) -> u32 {
        question.wish.limit()
    }

    fn example() -> (Value, Rows<FastHirer>) {
        let row = FastHirer {
            company: example::company().into(),
            department: "engineering",
            open_roles: 7,
            buyer: BuyerView::example(),
        };
        (json!({ "department": "engineering", "min_roles": 5, "role": "VP of Sales" }), Rows::of(vec![row]))
    }

    fn not_found() -> Option<Rows<FastHirer>> {
        Some(Rows::of(Vec::new()))
    }

    async fn run(
        context: &Context,
        asked: HiringVelocityQuestion,
    ) -> Result<Outcome<Rows<FastHirer>>, Fault> {
        let jobs = jobs_of(context, &asked.wish, &asked.sieve.hirers.jobs);
        let found = walk::<VelocityRow>(context, &asked.wish, &jobs, &asked.sieve).await?;
        found.outcome(&Failures::default(), |row| Some(row.person), |row| row.shown)
    }
}
