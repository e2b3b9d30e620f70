//! `POST /v1/funded-and-using-tech`: companies that raised money lately and use a technology, and who decides there.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::example;
use crate::fault::Fault;
use crate::search::values::{OneValue, Phrase};
use crate::spec::{Group, Scope, Spec};
use crate::steps::buyers::{BuyerView, buyer};
use crate::steps::funded::{FundedSieve, RoundFilter, funded, rounds_of};
use crate::steps::recent::{Row, WalkWish, walk};
use crate::steps::request::{CompaniesRequest, windowed_request};
use crate::steps::rows::{Failures, Rows};
use crate::steps::technology::technologies_named;
use crate::view::{CompanyView, RoundView, TechnologyView};
use assay_domain::{CompanyId, Credits, NetworkHosts, PersonId, Price, Signal};
use assay_engine::research::Role;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Debug)]
pub enum FundedAndUsingTech {}

windowed_request! {
    /// Filters are met all together; of the values of one filter, any.
    pub struct FundedAndUsingTechRequest {
        /// Its name, in any case.
        #[garde(skip)]
        technology: OneValue<Phrase>,
        /// Who decides, as one would say it: "VP of Sales".
        #[garde(skip)]
        role: OneValue<Phrase>,
    }
}

#[derive(Debug)]
pub struct FundedAndUsingTechQuestion {
    wish: WalkWish,
    sieve: UserSieve,
}

#[derive(Debug)]
pub struct UserSieve {
    technology: String,
    role: Role,
    funded: FundedSieve,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FundedUser {
    pub company: CompanyView,
    pub funding: RoundView,
    /// Those asked for.
    pub technologies: Vec<TechnologyView>,
    pub decision_maker: BuyerView,
}

/// A row, and whom it is about.
#[derive(Debug)]
pub struct UserRow {
    company: CompanyId,
    person: PersonId,
    shown: FundedUser,
}

impl Row for UserRow {
    type Sieve = UserSieve;
    const REPEATS: bool = false;

    async fn complete(context: &Context, sieve: &UserSieve, signal: Signal) -> Result<Option<Self>, Fault> {
        let Some((company, round)) = funded(context, &sieve.funded, &signal).await? else { return Ok(None) };
        let technologies = technologies_named(&company, &sieve.technology);
        if technologies.is_empty() {
            return Ok(None);
        }
        let Some(buyer) = buyer(context, &company, &sieve.role).await? else { return Ok(None) };
        let (id, person) = (company.id, buyer.person.id);
        let decision_maker = BuyerView::new(buyer, &company);
        let shown =
            FundedUser { company: company.into(), funding: round.into(), technologies, decision_maker };
        Ok(Some(Self { company: id, person, shown }))
    }

    fn unit(&self) -> Uuid {
        self.company.uuid()
    }
}

impl Endpoint for FundedAndUsingTech {
    const SPEC: Spec = Spec {
        scope: Scope::Signals,
        summary: "Companies that raised money and use a technology, and who decides there",
        description: "Companies whose round became known in the window and that were seen using a technology, the newest round first, \
                      each with whoever decides there for a role. One that lacks any of it is neither told nor charged. Charged for \
                      each company.",
        ..Spec::research(
            "funded-and-using-tech",
            "/v1/funded-and-using-tech",
            Group::NicheCombos,
            Price::PerUnit(Credits::whole(7)),
            "company with its buyer",
        )
    };
    type Request = FundedAndUsingTechRequest;
    type Question = FundedAndUsingTechQuestion;
    type Response = Rows<FundedUser>;

    fn parse(
        request: FundedAndUsingTechRequest,
        _: &NetworkHosts,
    ) -> Result<FundedAndUsingTechQuestion, Fault> {
        let wish = request.walk_wish(Self::SPEC.name, request.window()?)?;
        let funded =
            FundedSieve { rounds: RoundFilter::default(), firm: request.firm()?, window: request.window()? };
        let sieve =
            UserSieve { role: Role::read(&request.role.0.0), technology: request.technology.0.0, funded };
        Ok(FundedAndUsingTechQuestion { wish, sieve })
    }

    fn units_max(question: &FundedAndUsingTechQuestion) -> u32 {
        question.wish.limit()
    }

    fn example() -> (Value, Rows<FundedUser>) {
        let (company, round) = example::funded();
        let row = FundedUser {
            technologies: technologies_named(&company, "postgresql"),
            company: company.into(),
            funding: round.into(),
            decision_maker: BuyerView::example(),
        };
        (json!({ "technology": "PostgreSQL", "role": "VP of Sales", "days": 90 }), Rows::of(vec![row]))
    }

    fn not_found() -> Option<Rows<FundedUser>> {
        Some(Rows::of(Vec::new()))
    }

    async fn run(
        context: &Context,
        asked: FundedAndUsingTechQuestion,
    ) -> Result<Outcome<Rows<FundedUser>>, Fault> {
        let rounds = rounds_of(context, &asked.wish);
        let found = walk::<UserRow>(context, &asked.wish, &rounds, &asked.sieve).await?;
        found.outcome(&Failures::default(), |row| Some(row.person), |row| row.shown)
    }
}
