//! `POST /v1/funding-radar`: companies that raised money lately, and who decides there.

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
use crate::steps::recent::{Row, WalkWish, walk};
use crate::steps::rows::{Failures, Rows};
use crate::steps::window::{Since, Window};
use crate::view::{CompanyView, RoundView};
use assay_domain::company::Round;
use assay_domain::limits::{AMOUNT_MAX, CURSOR_CHARS_MAX, PAGE_ROWS_MAX, WINDOW_DAYS_MAX};
use assay_domain::taxonomy::{FundingStage, Industry, SizeBand};
use assay_domain::{Company, Credits, NetworkHosts, Price, Signal};
use assay_engine::research::{Buyer, Role};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Debug)]
pub enum FundingRadar {}

/// Filters are met all together; of the values of one filter, any.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct FundingRadarRequest {
    /// Who decides, as one would say it: "VP of Sales".
    role: OneValue<Phrase>,
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
pub struct FundingRadarQuestion {
    wish: WalkWish,
    sieve: RadarSieve,
}

#[derive(Debug)]
pub struct RadarSieve {
    role: Role,
    funded: FundedSieve,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FundedCompany {
    pub company: CompanyView,
    pub funding: RoundView,
    pub decision_maker: BuyerView,
}

#[derive(Debug)]
pub struct FundedWithBuyer {
    company: Company,
    round: Round,
    buyer: Buyer,
}

impl Row for FundedWithBuyer {
    type Sieve = RadarSieve;
    const REPEATS: bool = false;

    async fn complete(context: &Context, sieve: &RadarSieve, signal: Signal) -> Result<Option<Self>, Fault> {
        let Some((company, round)) = funded(context, &sieve.funded, &signal).await? else { return Ok(None) };
        let buyer = buyer(context, &company, &sieve.role).await?;
        Ok(buyer.map(|buyer| Self { company, round, buyer }))
    }

    fn unit(&self) -> Uuid {
        self.company.id.uuid()
    }
}

impl From<FundedWithBuyer> for FundedCompany {
    fn from(row: FundedWithBuyer) -> Self {
        let decision_maker = BuyerView::new(row.buyer, &row.company);
        Self { company: row.company.into(), funding: row.round.into(), decision_maker }
    }
}

impl Endpoint for FundingRadar {
    const SPEC: Spec = Spec {
        scope: Scope::Signals,
        summary: "Companies that raised money, and who decides there",
        description: "Companies whose round became known in the window, the newest first, each with the round and whoever decides there \
                      for a role. A company comes once, with its newest round. One at which nobody is known who decides is neither \
                      told nor charged. Charged for each company.",
        ..Spec::research(
            "funding-radar",
            "/v1/funding-radar",
            Group::Combos,
            Price::PerUnit(Credits::whole(3)),
            "company with its buyer",
        )
    };
    type Request = FundingRadarRequest;
    type Question = FundingRadarQuestion;
    type Response = Rows<FundedCompany>;

    fn parse(request: FundingRadarRequest, _: &NetworkHosts) -> Result<FundingRadarQuestion, Fault> {
        let window = Window::read(request.days, request.since)?;
        let wish = WalkWish::of(Self::SPEC.name, &request, window, &request.cursor, request.limit)?;
        let rounds = RoundFilter::new(request.stage.as_ref(), request.min_amount, request.currency.as_ref());
        let firm = FirmFilters::of(
            &request.industry,
            &request.country,
            &request.city,
            &request.company_size,
            request.employee_count,
        )?;
        let funded = FundedSieve::new(rounds, firm, window, &wish);
        Ok(FundingRadarQuestion { wish, sieve: RadarSieve { role: Role::read(&request.role.0.0), funded } })
    }

    fn units_max(question: &FundingRadarQuestion) -> u32 {
        question.wish.limit()
    }

    fn example() -> (Value, Rows<FundedCompany>) {
        let (company, round) = example::funded();
        let row = FundedCompany {
            company: company.into(),
            funding: round.into(),
            decision_maker: BuyerView::example(),
        };
        (json!({ "role": "VP of Sales", "stage": "series_b", "days": 30, "limit": 10 }), Rows::of(vec![row]))
    }

    fn not_found() -> Option<Rows<FundedCompany>> {
        Some(Rows::of(Vec::new()))
    }

    async fn run(
        context: &Context,
        asked: FundingRadarQuestion,
    ) -> Result<Outcome<Rows<FundedCompany>>, Fault> {
        let rounds = rounds_of(context, &asked.wish);
        let found = walk::<FundedWithBuyer>(context, &asked.wish, &rounds, &asked.sieve).await?;
        found.outcome(&Failures::default(), |row| Some(row.buyer.person.id), FundedCompany::from)
    }
}
