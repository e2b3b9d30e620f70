//! `POST /v1/funding-radar`: companies that raised money lately, and who decides there.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::example;
use crate::fault::Fault;
use crate::search::values::{OneValue, Phrase};
use crate::spec::{Group, Scope, Spec};
use crate::steps::buyers::{BuyerView, buyer};
use crate::steps::funded::{FundedSieve, funded, rounds_of};
use crate::steps::recent::{Row, WalkWish, walk};
use crate::steps::request::{CompaniesRequest, funding_request};
use crate::steps::rows::{Failures, Rows};
use crate::view::{CompanyView, RoundView};
use assay_domain::company::Round;
use assay_domain::{Company, Credits, NetworkHosts, Price, Signal};
use assay_engine::research::{Buyer, Role};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Debug)]
pub enum FundingRadar {}

funding_request! {
    /// Filters are met all together; of the values of one filter, any.
    pub struct FundingRadarRequest {
        /// Who decides, as one would say it: "VP of Sales".
        #[garde(skip)]
        role: OneValue<Phrase>,
    }
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
        let wish = request.walk_wish(Self::SPEC.name, request.window()?)?;
        let funded =
            FundedSieve { rounds: request.rounds(), firm: request.firm()?, window: request.window()? };
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
