//! `POST /v1/local-business-owners`: small businesses, who owns them, and how they can be reached.

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
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum LocalBusinessOwners {}

/// Filters are met all together; of the values of one filter, any.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct LocalBusinessOwnersRequest {
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

#[derive(Debug, Serialize, JsonSchema)]
pub struct BusinessOwner {
    pub business: CompanyView,
    pub owner: BuyerView,
    /// The owner's mobile, in international format.
    pub phone: Option<String>,
    pub email: Option<String>,
}

impl From<OwnedParts> for BusinessOwner {
    fn from((business, owner, phone, email): OwnedParts) -> Self {
        Self { business, owner, phone, email }
    }
}

impl Endpoint for LocalBusinessOwners {
    const SPEC: Spec = Spec {
        spends_upstream: true,
        summary: "Small businesses, their owners, and how to reach them",
        description: "Businesses with at most 50 people, by industry, place and size, each with its owner and the owner's mobile or \
                      verified address, from what is known or from vendors the operator has connected. One whose owner is not known \
                      or cannot be reached is neither told nor charged. Charged for each business.",
        ..Spec::research(
            "local-business-owners",
            "/v1/local-business-owners",
            Group::NicheCombos,
            Price::PerUnit(Credits::whole(3)),
            "business with owner and a phone or verified email",
        )
    };
    type Request = LocalBusinessOwnersRequest;
    type Question = (FirmFilters, PageWish);
    type Response = Rows<BusinessOwner>;

    fn parse(request: LocalBusinessOwnersRequest, _: &NetworkHosts) -> Result<Self::Question, Fault> {
        let firm = FirmFilters::of(
            &request.industry,
            &request.country,
            &request.city,
            &request.company_size,
            request.employee_count,
        )?;
        Ok((firm, PageWish::of(Self::SPEC.name, &request, &request.cursor, request.limit)?))
    }

    fn units_max((_, page): &Self::Question) -> u32 {
        page.limit()
    }

    fn example() -> (Value, Rows<BusinessOwner>) {
        (
            json!({ "industry": "Construction", "city": "Boston", "limit": 10 }),
            Rows::of(vec![example().into()]),
        )
    }

    fn not_found() -> Option<Rows<BusinessOwner>> {
        Some(Rows::of(Vec::new()))
    }

    async fn run(context: &Context, (firm, page): Self::Question) -> Result<Outcome<Self::Response>, Fault> {
        small_businesses(context, firm.conditions(), &page).await
    }
}
