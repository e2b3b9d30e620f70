//! `POST /v1/local-service-by-revenue`: small businesses by what they take in, and how their owners can be reached.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::search::PageWish;
use crate::search::clauses::Range;
use crate::search::firm::FirmFilters;
use crate::search::values::{Phrase, TwoLetters, Values};
use crate::spec::{Group, Spec};
use crate::steps::buyers::BuyerView;
use crate::steps::owner::{OwnedParts, example, small_businesses};
use crate::steps::rows::Rows;
use crate::view::CompanyView;
use assay_domain::limits::{CURSOR_CHARS_MAX, PAGE_ROWS_MAX};
use assay_domain::taxonomy::{Industry, SizeBand};
use assay_domain::{Credits, NetworkHosts, Price};
use assay_index::{Clause, Number};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The most that is asked for: a hundred billion.
const REVENUE_MAX: i64 = 100_000_000_000;

#[derive(Debug)]
pub enum LocalServiceByRevenue {}

/// Whole US dollars a year. What is known of a company is a band, which must lie between the two, or touch both sides of one.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RevenueRange")]
pub struct Revenue {
    #[garde(range(min = 0, max = REVENUE_MAX))]
    min: Option<i64>,
    #[garde(range(min = 0, max = REVENUE_MAX))]
    max: Option<i64>,
}

impl Revenue {
    /// Bands that overlap it: they begin before it ends, and end after it begins.
    fn clauses(self) -> [Clause; 2] {
        [
            Clause::Between(Number::RevenueFrom, None, Some(self.max.unwrap_or(i64::MAX).saturating_sub(1))),
            Clause::Between(Number::RevenueTo, Some(self.min.unwrap_or(0).saturating_add(1)), None),
        ]
    }
}

/// Filters are met all together; of the values of one filter, any.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct LocalServiceByRevenueRequest {
    #[garde(dive)]
    revenue: Revenue,
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
pub struct LocalServiceByRevenueQuestion {
    revenue: Revenue,
    firm: FirmFilters,
    page: PageWish,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ServiceOwner {
    pub business: CompanyView,
    /// The band that is known.
    pub revenue: Option<String>,
    pub owner: BuyerView,
    /// The owner's mobile, in international format.
    pub phone: Option<String>,
    pub email: Option<String>,
}

impl From<OwnedParts> for ServiceOwner {
    fn from((business, owner, phone, email): OwnedParts) -> Self {
        Self { revenue: business.revenue_range.clone(), business, owner, phone, email }
    }
}

impl Endpoint for LocalServiceByRevenue {
    const SPEC: Spec = Spec {
        spends_upstream: true,
        summary: "Small businesses by revenue, and how to reach their owners",
        description: "Businesses with at most 50 people whose yearly revenue lies in a band, each with its owner and the owner's mobile \
                      or verified address. One whose owner is not known or cannot be reached is neither told nor charged. Charged \
                      for each business.",
        ..Spec::research(
            "local-service-by-revenue",
            "/v1/local-service-by-revenue",
            Group::NicheCombos,
            Price::PerUnit(Credits::whole(4)),
            "business with owner and a phone or verified email",
        )
    };
    type Request = LocalServiceByRevenueRequest;
    type Question = LocalServiceByRevenueQuestion;
    type Response = Rows<ServiceOwner>;

    fn parse(
        request: LocalServiceByRevenueRequest,
        _: &NetworkHosts,
    ) -> Result<LocalServiceByRevenueQuestion, Fault> {
        if request.revenue.min.zip(request.revenue.max).is_some_and(|(min, max)| min > max) {
            let fix = "swap min and max, or leave one out";
            return Err(Fault::field("/revenue", "max_below_min", "the highest is below the lowest", fix));
        }
        let (firm, page) = (
            FirmFilters::of(
                &request.industry,
                &request.country,
                &request.city,
                &request.company_size,
                request.employee_count,
            )?,
            PageWish::of(Self::SPEC.name, &request, &request.cursor, request.limit)?,
        );
        Ok(LocalServiceByRevenueQuestion { revenue: request.revenue, firm, page })
    }

    fn units_max(question: &LocalServiceByRevenueQuestion) -> u32 {
        question.page.limit()
    }

    fn example() -> (Value, Rows<ServiceOwner>) {
        let request =
            json!({ "revenue": { "min": 1_000_000, "max": 5_000_000 }, "country": "US", "limit": 10 });
        (request, Rows::of(vec![example().into()]))
    }

    fn not_found() -> Option<Rows<ServiceOwner>> {
        Some(Rows::of(Vec::new()))
    }

    async fn run(
        context: &Context,
        asked: LocalServiceByRevenueQuestion,
    ) -> Result<Outcome<Rows<ServiceOwner>>, Fault> {
        let mut conditions = asked.firm.conditions();
        conditions.all.extend(asked.revenue.clauses());
        small_businesses(context, conditions, &asked.page).await
    }
}
