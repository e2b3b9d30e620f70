//! `POST /v1/funded-and-hiring`: companies that raised money lately and hire, and who decides there.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::example;
use crate::fault::Fault;
use crate::search::clauses::Range;
use crate::search::firm::FirmFilters;
use crate::search::values::{OneValue, Phrase, TwoLetters, Values};
use crate::spec::{Group, Scope, Spec};
use crate::steps::buyers::{BuyerView, buyer};
use crate::steps::funded::{Currency, FundedSieve, RoundFilter, funded, rounds_of};
use crate::steps::hiring::{HiringView, open_jobs};
use crate::steps::recent::{Row, WalkWish, walk};
use crate::steps::rows::{Failures, Rows};
use crate::steps::window::{Since, Window};
use crate::view::{CompanyView, RoundView};
use assay_domain::limits::{AMOUNT_MAX, CURSOR_CHARS_MAX, PAGE_ROWS_MAX, WINDOW_DAYS_MAX};
use assay_domain::taxonomy::{Department, FundingStage, Industry, SizeBand};
use assay_domain::{CompanyId, Credits, NetworkHosts, PersonId, Price, Signal};
use assay_engine::research::Role;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Debug)]
pub enum FundedAndHiring {}

/// Filters are met all together; of the values of one filter, any.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct FundedAndHiringRequest {
    /// Who decides, as one would say it: "VP of Sales".
    role: OneValue<Phrase>,
    /// Of the open roles.
    department: Option<Values<Department>>,
    /// Of these departments, where some are named; 1 if nothing is said.
    #[garde(range(min = 1, max = 500))]
    min_open_roles: Option<u32>,
    /// Of the round.
    stage: Option<Values<FundingStage>>,
    /// Of the round, in minor units of `currency`.
    #[garde(range(min = 0, max = AMOUNT_MAX))]
    min_amount: Option<i64>,
    /// ISO 4217, of `min_amount`; USD if left out.
    currency: Option<OneValue<Currency>>,
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
pub struct FundedAndHiringQuestion {
    wish: WalkWish,
    sieve: HiringSieve,
}

#[derive(Debug)]
pub struct HiringSieve {
    role: Role,
    funded: FundedSieve,
    departments: Vec<Department>,
    least: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FundedHirer {
    pub company: CompanyView,
    pub funding: RoundView,
    pub hiring: HiringView,
    pub decision_maker: BuyerView,
}

/// A row, and whom it is about.
#[derive(Debug)]
pub struct HirerRow {
    company: CompanyId,
    person: PersonId,
    shown: FundedHirer,
}

impl Row for HirerRow {
    type Sieve = HiringSieve;
    const REPEATS: bool = false;

    async fn complete(context: &Context, sieve: &HiringSieve, signal: Signal) -> Result<Option<Self>, Fault> {
        let Some((company, round)) = funded(context, &sieve.funded, &signal).await? else { return Ok(None) };
        // Neither needs the other.
        let (jobs, buyer) = tokio::try_join!(
            open_jobs(context, &company, &sieve.departments, None, context.now),
            buyer(context, &company, &sieve.role)
        )?;
        let hiring = HiringView::new(jobs);
        let Some(buyer) = buyer.filter(|_| hiring.open_roles >= sieve.least) else { return Ok(None) };
        let (id, person) = (company.id, buyer.person.id);
        let decision_maker = BuyerView::new(buyer, &company);
        let shown = FundedHirer { company: company.into(), funding: round.into(), hiring, decision_maker };
        Ok(Some(Self { company: id, person, shown }))
    }

    fn unit(&self) -> Uuid {
        self.company.uuid()
    }
}

impl Endpoint for FundedAndHiring {
    const SPEC: Spec = Spec {
        scope: Scope::Signals,
        summary: "Companies that raised money and hire, and who decides there",
        description: "Companies whose round became known in the window and that have open roles, the newest round first, each with the \
                      round, what it hires for and whoever decides there for a role. One that lacks any of it is neither told nor \
                      charged. Charged for each company.",
        ..Spec::research(
            "funded-and-hiring",
            "/v1/funded-and-hiring",
            Group::Combos,
            Price::PerUnit(Credits::whole(10)),
            "company with its buyer",
        )
    };
    type Request = FundedAndHiringRequest;
    type Question = FundedAndHiringQuestion;
    type Response = Rows<FundedHirer>;

    fn parse(request: FundedAndHiringRequest, _: &NetworkHosts) -> Result<FundedAndHiringQuestion, Fault> {
        let firm = FirmFilters::of(
            &request.industry,
            &request.country,
            &request.city,
            &request.company_size,
            request.employee_count,
        )?;
        let window = Window::read(request.days, request.since)?;
        let wish = WalkWish::of(Self::SPEC.name, &request, window, &request.cursor, request.limit)?;
        let sieve = HiringSieve {
            role: Role::read(&request.role.0.0),
            funded: FundedSieve::new(
                RoundFilter::new(request.stage.as_ref(), request.min_amount, request.currency.as_ref()),
                firm,
                window,
                &wish,
            ),
            departments: request.department.iter().flat_map(Values::iter).copied().collect(),
            least: request.min_open_roles.unwrap_or(1),
        };
        Ok(FundedAndHiringQuestion { wish, sieve })
    }

    fn units_max(question: &FundedAndHiringQuestion) -> u32 {
        question.wish.limit()
    }

    fn example() -> (Value, Rows<FundedHirer>) {
        let (company, round) = example::funded();
        let row = FundedHirer {
            company: company.into(),
            funding: round.into(),
            hiring: HiringView::example(),
            decision_maker: BuyerView::example(),
        };
        (
            json!({ "role": "VP of Sales", "department": "engineering", "min_open_roles": 3, "limit": 10 }),
            Rows::of(vec![row]),
        )
    }

    fn not_found() -> Option<Rows<FundedHirer>> {
        Some(Rows::of(Vec::new()))
    }

    async fn run(
        context: &Context,
        asked: FundedAndHiringQuestion,
    ) -> Result<Outcome<Rows<FundedHirer>>, Fault> {
        let rounds = rounds_of(context, &asked.wish);
        let found = walk::<HirerRow>(context, &asked.wish, &rounds, &asked.sieve).await?;
        found.outcome(&Failures::default(), |row| Some(row.person), |row| row.shown)
    }
}
