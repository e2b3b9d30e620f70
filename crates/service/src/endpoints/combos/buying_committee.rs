//! `POST /v1/buying-committee`: who has a say in a purchase at a company, by what is bought.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::example;
use crate::fault::Fault;
use crate::search::values::{FilterValue, OneValue};
use crate::spec::{Group, Spec};
use crate::steps::account::read_domain;
use crate::steps::committee::{CommitteeResponse, MemberView, committee, per_role};
use assay_domain::limits::{COMMITTEE_PER_ROLE_DEFAULT, COMMITTEE_PER_ROLE_MAX, DOMAIN_CHARS_MAX};
use assay_domain::{Credits, Domain, NetworkHosts, Price};
use assay_engine::research::{DealType, committee_of};
use garde::Validate;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};

/// Parts of each committee.
const ROLES: u32 = 3;

#[derive(Debug)]
pub enum BuyingCommittee {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct BuyingCommitteeRequest {
    #[garde(length(chars, max = DOMAIN_CHARS_MAX))]
    company_domain: String,
    /// What is bought.
    #[garde(skip)]
    deal_type: OneValue<DealType>,
    /// People for each role; 3 if nothing is said.
    #[garde(range(min = 1, max = COMMITTEE_PER_ROLE_MAX))]
    max_per_role: Option<u32>,
}

impl FilterValue for DealType {
    fn read(text: &str) -> Result<Self, String> {
        let known = || Self::ALL.map(|deal| format!("`{}`", deal.as_str())).join(", ");
        let found = Self::ALL.into_iter().find(|deal| deal.as_str() == text);
        found.ok_or_else(|| format!("unknown variant `{text}`, expected one of {}", known()))
    }

    fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": Self::ALL.map(Self::as_str) })
    }
}

#[derive(Debug)]
pub struct BuyingCommitteeQuestion {
    domain: Domain,
    deal: DealType,
    per_role: u32,
}

impl Endpoint for BuyingCommittee {
    const SPEC: Spec = Spec {
        units_max: ROLES * COMMITTEE_PER_ROLE_MAX,
        summary: "Who has a say in a purchase",
        description: "Who decides, who is heard and who would use it, by what is bought: the departments and ranks behind each role \
                      are a table. Nobody has two roles. Charged for each person.",
        ..Spec::research(
            "buying-committee",
            "/v1/buying-committee",
            Group::Combos,
            Price::PerUnit(Credits::whole(3)),
            "person",
        )
    };
    type Request = BuyingCommitteeRequest;
    type Question = BuyingCommitteeQuestion;
    type Response = CommitteeResponse;

    fn parse(request: BuyingCommitteeRequest, _: &NetworkHosts) -> Result<BuyingCommitteeQuestion, Fault> {
        Ok(BuyingCommitteeQuestion {
            domain: read_domain(&request.company_domain, "/company_domain")?,
            deal: request.deal_type.0,
            per_role: request.max_per_role.unwrap_or(COMMITTEE_PER_ROLE_DEFAULT),
        })
    }

    fn units_max(question: &BuyingCommitteeQuestion) -> u32 {
        ROLES * question.per_role
    }

    fn example() -> (Value, CommitteeResponse) {
        let request = json!({ "company_domain": "northwind-robotics.example", "deal_type": "sales_ops", "max_per_role": 1 });
        let committee = [
            ("decision_maker", vec![MemberView::from(example::person())]),
            ("influencer", Vec::new()),
            ("user", Vec::new()),
        ];
        (request, CommitteeResponse::of(committee.into_iter().collect()))
    }

    fn not_found() -> Option<CommitteeResponse> {
        Some(CommitteeResponse::nobody(&committee_of(DealType::Exec)))
    }

    async fn run(
        context: &Context,
        asked: BuyingCommitteeQuestion,
    ) -> Result<Outcome<CommitteeResponse>, Fault> {
        committee(context, &asked.domain, &committee_of(asked.deal), per_role(asked.per_role)).await
    }
}
