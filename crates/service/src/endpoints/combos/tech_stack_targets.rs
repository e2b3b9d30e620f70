//! `POST /v1/tech-stack-targets`: companies that use a technology, and who decides there.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::example;
use crate::fault::Fault;
use crate::search::PageWish;
use crate::search::clauses::Range;
use crate::search::firm::FirmFilters;
use crate::search::values::{OneValue, Phrase, TwoLetters, Values};
use crate::spec::{Group, Spec};
use crate::steps::buyers::{BuyerView, buyer};
use crate::steps::firms::{FirmRow, walk_firms};
use crate::steps::rows::{Failures, Rows};
use crate::steps::technology::{technologies_named, uses};
use crate::view::{CompanyView, TechnologyView};
use assay_domain::limits::{CURSOR_CHARS_MAX, PAGE_ROWS_MAX};
use assay_domain::taxonomy::{Industry, SizeBand};
use assay_domain::{Company, Credits, NetworkHosts, Price};
use assay_engine::research::{Buyer, Role};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum TechStackTargets {}

/// Filters are met all together; of the values of one filter, any.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct TechStackTargetsRequest {
    /// Its name, in any case.
    technology: OneValue<Phrase>,
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
pub struct TechStackTargetsQuestion {
    technology: String,
    firm: FirmFilters,
    role: Role,
    page: PageWish,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct TechUser {
    pub company: CompanyView,
    /// Those asked for.
    pub technologies: Vec<TechnologyView>,
    pub decision_maker: BuyerView,
}

#[derive(Debug)]
pub struct UserWithBuyer {
    company: Company,
    buyer: Buyer,
}

impl FirmRow for UserWithBuyer {
    type Sieve = Role;
    type Draft = Self;

    async fn draft(context: &Context, role: &Role, company: Company) -> Result<Option<Self>, Fault> {
        let buyer = buyer(context, &company, role).await?;
        Ok(buyer.map(|buyer| Self { company, buyer }))
    }

    async fn complete(_: &Context, _: &Role, draft: Self) -> Result<Option<Self>, Fault> {
        Ok(Some(draft))
    }
}

impl Endpoint for TechStackTargets {
    const SPEC: Spec = Spec {
        summary: "Companies that use a technology, and who decides there",
        description: "Companies seen using a technology, those of whom most is known first, each with when it was seen and whoever \
                      decides there for a role. One at which nobody is known who decides is neither told nor charged. Charged for \
                      each company.",
        ..Spec::research(
            "tech-stack-targets",
            "/v1/tech-stack-targets",
            Group::Combos,
            Price::PerUnit(Credits::whole(4)),
            "company with its buyer",
        )
    };
    type Request = TechStackTargetsRequest;
    type Question = TechStackTargetsQuestion;
    type Response = Rows<TechUser>;

    fn parse(request: TechStackTargetsRequest, _: &NetworkHosts) -> Result<TechStackTargetsQuestion, Fault> {
        Ok(TechStackTargetsQuestion {
            firm: FirmFilters::of(
                &request.industry,
                &request.country,
                &request.city,
                &request.company_size,
                request.employee_count,
            )?,
            page: PageWish::of(Self::SPEC.name, &request, &request.cursor, request.limit)?,
            role: Role::read(&request.role.0.0),
            technology: request.technology.0.0,
        })
    }

    fn units_max(question: &TechStackTargetsQuestion) -> u32 {
        question.page.limit()
    }

    fn example() -> (Value, Rows<TechUser>) {
        let company = example::company();
        let row = TechUser {
            technologies: technologies_named(&company, "postgresql"),
            company: company.into(),
            decision_maker: BuyerView::example(),
        };
        (
            json!({ "technology": "PostgreSQL", "role": "VP of Sales", "country": "US", "limit": 10 }),
            Rows::of(vec![row]),
        )
    }

    fn not_found() -> Option<Rows<TechUser>> {
        Some(Rows::of(Vec::new()))
    }

    async fn run(
        context: &Context,
        asked: TechStackTargetsQuestion,
    ) -> Result<Outcome<Rows<TechUser>>, Fault> {
        let TechStackTargetsQuestion { technology, firm, role, page } = asked;
        let mut conditions = firm.conditions();
        conditions.all.push(uses(&technology));
        let found = walk_firms::<UserWithBuyer>(context, &conditions, &page, &role).await?;
        let show = |row: UserWithBuyer| TechUser {
            technologies: technologies_named(&row.company, &technology),
            decision_maker: BuyerView::new(row.buyer, &row.company),
            company: row.company.into(),
        };
        found.outcome(&Failures::default(), |row| Some(row.buyer.person.id), show)
    }
}
