//! `POST /v1/just-acquired-buyers`: companies bought within 30 days, and who decides at the one that bought them.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::example;
use crate::fault::Fault;
use crate::search::clauses::Range;
use crate::search::firm::FirmFilters;
use crate::search::values::{OneValue, Phrase, TwoLetters, Values};
use crate::spec::{Group, Scope, Spec};
use crate::steps::buyers::{BuyerView, buyer};
use crate::steps::recent::{Row, WalkWish, walk};
use crate::steps::rows::{Failures, Rows};
use crate::steps::window::Window;
use crate::view::{AcquisitionView, CompanyView, PartyView, example_signal};
use assay_domain::company::CompanyFacts;
use assay_domain::limits::{CURSOR_CHARS_MAX, PAGE_ROWS_MAX, WINDOW_DAYS_DEFAULT};
use assay_domain::signal::Content;
use assay_domain::taxonomy::{Industry, SizeBand};
use assay_domain::{Credits, NetworkHosts, PersonId, Price, Signal, SignalId, SignalKind};
use assay_engine::research::Role;
use assay_engine::signals::RecentFilter;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Debug)]
pub enum JustAcquiredBuyers {}

/// Filters are of the company that was bought, and met all together; of the values of one filter, any.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct JustAcquiredBuyersRequest {
    /// Who decides at the company that bought, as one would say it: "VP of Sales".
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
pub struct JustAcquiredBuyersQuestion {
    wish: WalkWish,
    sieve: AcquiredSieve,
}

#[derive(Debug)]
pub struct AcquiredSieve {
    firm: FirmFilters,
    role: Role,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct AcquiredCompany {
    pub acquired: PartyView,
    pub acquirer: CompanyView,
    pub acquisition: AcquisitionView,
    /// At the acquirer.
    pub decision_maker: BuyerView,
}

/// A row, and whom it is about.
#[derive(Debug)]
pub struct AcquiredRow {
    deal: SignalId,
    person: PersonId,
    shown: AcquiredCompany,
}

impl Row for AcquiredRow {
    type Sieve = AcquiredSieve;

    async fn complete(
        context: &Context,
        sieve: &AcquiredSieve,
        signal: Signal,
    ) -> Result<Option<Self>, Fault> {
        let Content::Acquisition(deal) = signal.content else { return Ok(None) };
        let account = context.memory.account();
        let (target, acquirer) = tokio::try_join!(
            context.engine.company_behind(&deal.target, account),
            context.engine.company_behind(&deal.acquirer, account)
        )?;
        // Of one that nobody knows nothing is known that could fit a filter.
        let facts =
            target.map_or_else(|| CompanyFacts::named(deal.target.name.clone()), |target| target.facts);
        let Some(acquirer) = acquirer.filter(|_| sieve.firm.fit(&facts)) else { return Ok(None) };
        let Some(buyer) = buyer(context, &acquirer, &sieve.role).await? else { return Ok(None) };
        let person = buyer.person.id;
        let shown = AcquiredCompany {
            acquired: deal.target.clone().into(),
            decision_maker: BuyerView::new(buyer, &acquirer),
            acquirer: acquirer.into(),
            acquisition: deal.into(),
        };
        Ok(Some(Self { deal: signal.id, person, shown }))
    }

    fn unit(&self) -> Uuid {
        self.deal.uuid()
    }
}

impl Endpoint for JustAcquiredBuyers {
    const SPEC: Spec = Spec {
        scope: Scope::Signals,
        summary: "Companies just bought, and who decides at the buyer",
        description: "Companies whose purchase became known within 30 days, the newest first, each with the company that bought it and \
                      whoever decides there for a role. One whose buyer is not known, or at which nobody is known who decides, is \
                      neither told nor charged. Charged for each company.",
        ..Spec::research(
            "just-acquired-buyers",
            "/v1/just-acquired-buyers",
            Group::NicheCombos,
            Price::PerUnit(Credits::whole(4)),
            "company with its buyer",
        )
    };
    type Request = JustAcquiredBuyersRequest;
    type Question = JustAcquiredBuyersQuestion;
    type Response = Rows<AcquiredCompany>;

    fn parse(
        request: JustAcquiredBuyersRequest,
        _: &NetworkHosts,
    ) -> Result<JustAcquiredBuyersQuestion, Fault> {
        let window = Window::Days(WINDOW_DAYS_DEFAULT);
        let wish = WalkWish::of(Self::SPEC.name, &request, window, &request.cursor, request.limit)?;
        let sieve = AcquiredSieve {
            firm: FirmFilters::of(
                &request.industry,
                &request.country,
                &request.city,
                &request.company_size,
                request.employee_count,
            )?,
            role: Role::read(&request.role.0.0),
        };
        Ok(JustAcquiredBuyersQuestion { wish, sieve })
    }

    fn units_max(question: &JustAcquiredBuyersQuestion) -> u32 {
        question.wish.limit()
    }

    fn example() -> (Value, Rows<AcquiredCompany>) {
        let row = |acquisition: AcquisitionView| AcquiredCompany {
            acquired: acquisition.target.clone(),
            acquirer: example::company().into(),
            acquisition,
            decision_maker: BuyerView::example(),
        };
        let rows = example_signal(SignalKind::Acquisition).acquisition.map(row).into_iter().collect();
        (json!({ "role": "VP of Sales", "limit": 10 }), Rows::of(rows))
    }

    fn not_found() -> Option<Rows<AcquiredCompany>> {
        Some(Rows::of(Vec::new()))
    }

    async fn run(
        context: &Context,
        asked: JustAcquiredBuyersQuestion,
    ) -> Result<Outcome<Rows<AcquiredCompany>>, Fault> {
        let deals =
            RecentFilter { since: asked.wish.since(context), ..RecentFilter::all(SignalKind::Acquisition) };
        let found = walk::<AcquiredRow>(context, &asked.wish, &deals, &asked.sieve).await?;
        found.outcome(&Failures::default(), |row| Some(row.person), |row| row.shown)
    }
}
