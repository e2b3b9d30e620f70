//! `POST /v1/hiring-velocity`: companies that hire many for one department this quarter, and who would buy there.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::example;
use crate::fault::Fault;
use crate::search::firm::FirmFilters;
use crate::search::values::{OneValue, Phrase};
use crate::spec::{Group, Scope, Spec};
use crate::steps::buyers::{BuyerView, buyer};
use crate::steps::hiring::{JobFilter, hirer, jobs_of, open_jobs};
use crate::steps::recent::{Row, WalkWish, walk};
use crate::steps::request::{CompaniesRequest, companies_request};
use crate::steps::rows::{Failures, Rows};
use crate::steps::window::Window;
use crate::view::{CompanyView, terms};
use assay_domain::limits::VELOCITY_ROLES_MIN;
use assay_domain::taxonomy::Department;
use assay_domain::{CompanyId, Credits, NetworkHosts, PersonId, Price, Signal};
use assay_engine::research::Role;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Debug)]
pub enum HiringVelocity {}

companies_request! {
    /// Filters are met all together; of the values of one filter, any.
    pub struct HiringVelocityRequest {
        /// Of the jobs.
        #[garde(skip)]
        department: OneValue<Department>,
        /// How many roles at least; 5 if nothing is said, and never fewer.
        #[serde(default)]
        #[garde(range(min = VELOCITY_ROLES_MIN, max = 500))]
        #[schemars(range(min = VELOCITY_ROLES_MIN, max = 500))]
        min_roles: Option<u32>,
        /// Who decides, as one would say it: "VP of Sales".
        #[garde(skip)]
        role: OneValue<Phrase>,
    }
}

#[derive(Debug)]
pub struct HiringVelocityQuestion {
    wish: WalkWish,
    sieve: VelocitySieve,
}

#[derive(Debug)]
pub struct VelocitySieve {
    department: Department,
    jobs: JobFilter,
    firm: FirmFilters,
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
        let Some(company) = hirer(context, &sieve.jobs, &sieve.firm, &signal).await? else { return Ok(None) };
        let since = Window::Quarter.begin(context.now);
        let jobs = open_jobs(context, &company, &sieve.jobs.departments, Some(since)).await?;
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
        let (wish, department) = (request.walk_wish(Self::SPEC.name, Window::Quarter)?, request.department.0);
        let sieve = VelocitySieve {
            department,
            jobs: JobFilter { titles: Vec::new(), departments: vec![department] },
            firm: request.firm()?,
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
        let jobs = jobs_of(context, &asked.wish, &asked.sieve.jobs);
        let found = walk::<VelocityRow>(context, &asked.wish, &jobs, &asked.sieve).await?;
        found.outcome(&Failures::default(), |row| Some(row.person), |row| row.shown)
    }
}
