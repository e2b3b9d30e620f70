//! `POST /v1/funded-and-using-tech`: companies that raised money lately and use a technology, and who decides there.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::example;
use crate::fault::Fault;
use crate::search::clauses::Range;
use crate::search::firm::FirmFilters;
use crate::search::values::{OneValue, Phrase, TwoLetters, Values};
use crate::spec::{Group, Scope, Spec};
use crate::steps::buyers::{BuyerView, buyer};
use crate::steps::funded::{FundedSieve, RoundFilter, funded, rounds_of};
use crate::steps::recent::{Row, WalkWish, walk};
use crate::steps::rows::{Failures, Rows};
use crate::steps::technology::technologies_named;
use crate::steps::window::{Since, Window};
use crate::view::{CompanyView, RoundView, TechnologyView};
use assay_domain::limits::{CURSOR_CHARS_MAX, PAGE_ROWS_MAX, WINDOW_DAYS_MAX};
use assay_domain::taxonomy::{Industry, SizeBand};
use assay_domain::{CompanyId, Credits, NetworkHosts, PersonId, Price, Signal};
use assay_engine::research::Role;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Debug)]
pub enum FundedAndUsingTech {}

/// Filters are met all together; of the values of one filter, any.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct FundedAndUsingTechRequest {
    /// Its name, in any case.
    technology: OneValue<Phrase>,
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
        let window = Window::read(request.days, request.since)?;
        let wish = WalkWish::of(Self::SPEC.name, &request, window, &request.cursor, request.limit)?;
        let firm = FirmFilters::of(
            &request.industry,
            &request.country,
            &request.city,
            &request.company_size,
            request.employee_count,
        )?;
        let funded = FundedSieve::new(RoundFilter::default(), firm, window, &wish);
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
