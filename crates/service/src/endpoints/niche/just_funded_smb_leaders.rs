//! `POST /v1/just-funded-smb-leaders`: small businesses that raised money within 30 days, and how their owners can be reached.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::example as examples;
use crate::fault::Fault;
use crate::search::clauses::Range;
use crate::search::firm::FirmFilters;
use crate::search::values::{Phrase, TwoLetters, Values};
use crate::spec::{Group, Scope, Spec};
use crate::steps::buyers::BuyerView;
use crate::steps::funded::{FundedSieve, RoundFilter, funded, rounds_of};
use crate::steps::owner::{OwnedBusiness, OwnedParts, example, is_small, owner_of, reach_owner};
use crate::steps::recent::{Row, WalkWish};
use crate::steps::rows::{Failures, Rows};
use crate::steps::spending::{SpendingRow, walk_spending};
use crate::steps::window::Window;
use crate::view::{CompanyView, RoundView};
use assay_domain::company::Round;
use assay_domain::limits::{CURSOR_CHARS_MAX, PAGE_ROWS_MAX, WINDOW_DAYS_DEFAULT};
use assay_domain::taxonomy::{Industry, SizeBand};
use assay_domain::{Company, Credits, NetworkHosts, Person, Price, Signal};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Debug)]
pub enum JustFundedSmbLeaders {}

/// Filters are met all together; of the values of one filter, any.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct JustFundedSmbLeadersRequest {
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
pub struct JustFundedSmbLeadersQuestion {
    wish: WalkWish,
    sieve: LeaderSieve,
}

#[derive(Debug)]
pub struct LeaderSieve {
    funded: FundedSieve,
    failures: Failures,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FundedLeader {
    pub business: CompanyView,
    pub funding: RoundView,
    pub owner: BuyerView,
    /// The owner's mobile, in international format.
    pub phone: Option<String>,
    pub email: Option<String>,
}

/// A business that raised money, and who owns it.
#[derive(Debug)]
pub struct FundedOwner {
    round: Round,
    company: Company,
    owner: Person,
}

#[derive(Debug)]
pub struct LeaderRow {
    round: Round,
    owned: OwnedBusiness,
}

impl Row for FundedOwner {
    type Sieve = LeaderSieve;

    async fn complete(context: &Context, sieve: &LeaderSieve, signal: Signal) -> Result<Option<Self>, Fault> {
        let found = funded(context, &sieve.funded, &signal).await?;
        let Some((company, round)) = found.filter(|(company, _)| is_small(company)) else { return Ok(None) };
        let owner = owner_of(context, &company).await?;
        Ok(owner.map(|owner| Self { round, company, owner }))
    }

    fn unit(&self) -> Uuid {
        self.company.id.uuid()
    }
}

impl SpendingRow for LeaderRow {
    type Draft = FundedOwner;

    async fn spend(
        context: &Context,
        sieve: &LeaderSieve,
        FundedOwner { round, company, owner }: FundedOwner,
    ) -> Result<Option<Self>, Fault> {
        let owned = reach_owner(context, &sieve.failures, company, owner).await?;
        Ok(owned.map(|owned| Self { round, owned }))
    }
}

fn show(round: Round, (business, owner, phone, email): OwnedParts) -> FundedLeader {
    FundedLeader { business, funding: round.into(), owner, phone, email }
}

impl Endpoint for JustFundedSmbLeaders {
    const SPEC: Spec = Spec {
        scope: Scope::Signals,
        spends_upstream: true,
        summary: "Small businesses just funded, and how to reach their owners",
        description: "Businesses with at most 50 people whose round became known within 30 days, the newest first, each with its owner \
                      and the owner's mobile or verified address. One whose owner is not known or cannot be reached is neither told \
                      nor charged. Charged for each business.",
        ..Spec::research(
            "just-funded-smb-leaders",
            "/v1/just-funded-smb-leaders",
            Group::NicheCombos,
            Price::PerUnit(Credits::whole(6)),
            "business with owner and a phone or verified email",
        )
    };
    type Request = JustFundedSmbLeadersRequest;
    type Question = JustFundedSmbLeadersQuestion;
    type Response = Rows<FundedLeader>;

    fn parse(
        request: JustFundedSmbLeadersRequest,
        _: &NetworkHosts,
    ) -> Result<JustFundedSmbLeadersQuestion, Fault> {
        let firm = FirmFilters::of(
            &request.industry,
            &request.country,
            &request.city,
            &request.company_size,
            request.employee_count,
        )?;
        let window = Window::Days(WINDOW_DAYS_DEFAULT);
        let wish = WalkWish::of(Self::SPEC.name, &request, window, &request.cursor, request.limit)?;
        let funded = FundedSieve::new(RoundFilter::default(), firm, window, &wish);
        Ok(JustFundedSmbLeadersQuestion {
            wish,
            sieve: LeaderSieve { funded, failures: Failures::default() },
        })
    }

    fn units_max(question: &JustFundedSmbLeadersQuestion) -> u32 {
        question.wish.limit()
    }

    fn example() -> (Value, Rows<FundedLeader>) {
        (json!({ "country": "US", "limit": 10 }), Rows::of(vec![show(examples::funded().1, example())]))
    }

    fn not_found() -> Option<Rows<FundedLeader>> {
        Some(Rows::of(Vec::new()))
    }

    async fn run(
        context: &Context,
        asked: JustFundedSmbLeadersQuestion,
    ) -> Result<Outcome<Rows<FundedLeader>>, Fault> {
        let rounds = rounds_of(context, &asked.wish);
        let found = walk_spending::<LeaderRow>(context, &asked.wish, &rounds, &asked.sieve).await?;
        let people = |row: &LeaderRow| Some(row.owned.owner_id());
        found.outcome(&asked.sieve.failures, people, |row| show(row.round, row.owned.show()))
    }
}
