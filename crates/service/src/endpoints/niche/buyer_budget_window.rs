//! `POST /v1/buyer-budget-window`: companies that raised money half a year to a year and a half ago, hire, and fit an ideal customer.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::endpoints::icps::{company_conditions, icp_id};
use crate::endpoints::search::CompanyFilters;
use crate::example;
use crate::fault::Fault;
use crate::search::Conditions;
use crate::search::firm::FirmFilters;
use crate::search::values::{OneValue, Phrase};
use crate::spec::{Group, Scope, Spec};
use crate::steps::buyers::{BuyerView, buyer};
use crate::steps::firms::meets;
use crate::steps::funded::{FundedSieve, RoundFilter, funded, rounds_of};
use crate::steps::hiring::{HiringView, open_jobs};
use crate::steps::recent::{Row, WalkWish, walk};
use crate::steps::rows::{Failures, Rows};
use crate::steps::window::{Window, months_after, months_after_at_most};
use crate::view::{CompanyView, RoundView};
use assay_domain::limits::{CURSOR_CHARS_MAX, PAGE_ROWS_MAX};
use assay_domain::{CompanyId, Credits, IcpId, NetworkHosts, PersonId, Price, Signal};
use assay_engine::research::Role;
use chrono::NaiveDate;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

/// A round is spent between so many months after it and so many.
const OPENS_MONTHS: u32 = 6;
const CLOSES_MONTHS: u32 = 18;

#[derive(Debug)]
pub enum BuyerBudgetWindow {}

/// `icp`, or the id of a saved one.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct BuyerBudgetWindowRequest {
    /// What companies must be like, as `search/companies` asks for them.
    #[garde(dive)]
    icp: Option<CompanyFilters>,
    /// `icp_…`, of a saved one.
    #[garde(length(chars, max = 64))]
    icp_id: Option<String>,
    /// Who decides, as one would say it: "VP of Sales".
    #[garde(skip)]
    role: OneValue<Phrase>,
    #[serde(skip_serializing)]
    #[garde(range(min = 1, max = PAGE_ROWS_MAX))]
    limit: Option<u32>,
    /// `next_cursor` of the page before, sent with the same filters.
    #[serde(skip_serializing)]
    #[garde(length(chars, max = CURSOR_CHARS_MAX))]
    cursor: Option<String>,
}

#[derive(Debug)]
pub struct BuyerBudgetWindowQuestion {
    wish: WalkWish,
    sieve: BudgetSieve,
    /// A saved one, whose filters are read when it is asked.
    icp: Option<IcpId>,
}

#[derive(Debug)]
pub struct BudgetSieve {
    icp: Conditions,
    funded: FundedSieve,
    role: Role,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct BudgetCompany {
    pub company: CompanyView,
    pub funding: RoundView,
    pub hiring: HiringView,
    /// Null where nobody is known who decides.
    pub decision_maker: Option<BuyerView>,
    pub budget_window: BudgetWindow,
}

/// When the money of the round is spent.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BudgetWindow {
    pub opens: NaiveDate,
    pub closes: NaiveDate,
}

impl BudgetWindow {
    fn after(day: NaiveDate) -> Self {
        Self { opens: months_after(day, OPENS_MONTHS), closes: months_after_at_most(day, CLOSES_MONTHS) }
    }
}

/// A row, and whom it is about.
#[derive(Debug)]
pub struct BudgetRow {
    company: CompanyId,
    person: Option<PersonId>,
    shown: BudgetCompany,
}

impl Row for BudgetRow {
    type Sieve = BudgetSieve;
    const REPEATS: bool = false;

    async fn complete(context: &Context, sieve: &BudgetSieve, signal: Signal) -> Result<Option<Self>, Fault> {
        let Some((company, round)) = funded(context, &sieve.funded, &signal).await? else { return Ok(None) };
        let (fits, jobs, buyer) = tokio::try_join!(
            meets(context, &sieve.icp, &company),
            open_jobs(context, &company, &[], None, context.now),
            buyer(context, &company, &sieve.role)
        )?;
        if !fits || jobs.is_empty() {
            return Ok(None);
        }
        let (id, person) = (company.id, buyer.as_ref().map(|buyer| buyer.person.id));
        let shown = BudgetCompany {
            decision_maker: buyer.map(|buyer| BuyerView::new(buyer, &company)),
            company: company.into(),
            hiring: HiringView::new(jobs),
            budget_window: BudgetWindow::after(round.announced_on),
            funding: round.into(),
        };
        Ok(Some(Self { company: id, person, shown }))
    }

    fn unit(&self) -> Uuid {
        self.company.uuid()
    }
}

impl Endpoint for BuyerBudgetWindow {
    const SPEC: Spec = Spec {
        scope: Scope::Signals,
        summary: "Companies with money to spend that fit your customer",
        description: "Companies that raised money 6 to 18 calendar months ago, have open roles and fit an ideal customer, the newest round \
                      first, each with when its budget opens and closes, and whoever decides there for a role where somebody is \
                      known. Charged for each company.",
        ..Spec::research(
            "buyer-budget-window",
            "/v1/buyer-budget-window",
            Group::NicheCombos,
            Price::PerUnit(Credits::whole(6)),
            "company",
        )
    };
    type Request = BuyerBudgetWindowRequest;
    type Question = BuyerBudgetWindowQuestion;
    type Response = Rows<BudgetCompany>;

    fn parse(
        request: BuyerBudgetWindowRequest,
        _: &NetworkHosts,
    ) -> Result<BuyerBudgetWindowQuestion, Fault> {
        if request.icp.is_some() == request.icp_id.is_some() {
            let fix = "send `icp`, or the `icp_id` of a saved one, not both";
            return Err(Fault::field("/icp", "one_of", "the customer is given twice or not at all", fix));
        }
        let window = Window::Months { from: CLOSES_MONTHS, to: OPENS_MONTHS };
        let wish = WalkWish::of(Self::SPEC.name, &request, window, &request.cursor, request.limit)?;
        request.icp.as_ref().map_or(Ok(()), |icp| icp.check("/icp"))?;
        let icp = request.icp.as_ref().map(CompanyFilters::conditions).unwrap_or_default();
        let funded = FundedSieve::new(RoundFilter::default(), FirmFilters::default(), window, &wish);
        let sieve = BudgetSieve { icp, funded, role: Role::read(&request.role.0.0) };
        Ok(BuyerBudgetWindowQuestion { wish, sieve, icp: request.icp_id.as_deref().map(icp_id) })
    }

    fn units_max(question: &BuyerBudgetWindowQuestion) -> u32 {
        question.wish.limit()
    }

    fn example() -> (Value, Rows<BudgetCompany>) {
        let (company, round) = example::funded();
        let row = BudgetCompany {
            company: company.into(),
            hiring: HiringView::example(),
            decision_maker: Some(BuyerView::example()),
            budget_window: BudgetWindow::after(round.announced_on),
            funding: round.into(),
        };
        let icp = json!({ "industry": "Industrial Automation", "employee_count": { "min": 50 } });
        (json!({ "icp": icp, "role": "VP of Sales", "limit": 10 }), Rows::of(vec![row]))
    }

    fn not_found() -> Option<Rows<BudgetCompany>> {
        Some(Rows::of(Vec::new()))
    }

    async fn run(
        context: &Context,
        asked: BuyerBudgetWindowQuestion,
    ) -> Result<Outcome<Rows<BudgetCompany>>, Fault> {
        let mut asked = asked;
        if let Some(id) = asked.icp {
            let icp = context.memory.icps().find(id).await?;
            asked.sieve.icp = company_conditions(&icp, context.engine.hosts())?;
        }
        let rounds = rounds_of(context, &asked.wish);
        let found = walk::<BudgetRow>(context, &asked.wish, &rounds, &asked.sieve).await?;
        found.outcome(&Failures::default(), |row| row.person, |row| row.shown)
    }
}
