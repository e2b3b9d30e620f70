//! `POST /v1/smb-buying-committee`: who has a say at a small business.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::example;
use crate::fault::Fault;
use crate::spec::{Group, Spec};
use crate::steps::account::read_domain;
use crate::steps::committee::{CommitteeResponse, MemberView, committee, per_role};
use assay_domain::limits::{COMMITTEE_PER_ROLE_MAX, DOMAIN_CHARS_MAX};
use assay_domain::{Credits, Domain, NetworkHosts, Price};
use assay_engine::research::small_committee;
use garde::Validate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Parts of the committee.
const ROLES: u32 = 4;

#[derive(Debug)]
pub enum SmbBuyingCommittee {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct SmbBuyingCommitteeRequest {
    #[garde(length(chars, max = DOMAIN_CHARS_MAX))]
    company_domain: String,
    /// People for each role; 1 if nothing is said.
    #[garde(range(min = 1, max = COMMITTEE_PER_ROLE_MAX))]
    max_per_role: Option<u32>,
}

#[derive(Debug)]
pub struct SmbBuyingCommitteeQuestion {
    domain: Domain,
    per_role: u32,
}

impl Endpoint for SmbBuyingCommittee {
    const SPEC: Spec = Spec {
        units_max: ROLES * COMMITTEE_PER_ROLE_MAX,
        summary: "Who has a say at a small business",
        description: "The owner, who manages, who takes the calls and plans the days, and who leads the work. Nobody has two roles. \
                      Charged for each person.",
        ..Spec::research(
            "smb-buying-committee",
            "/v1/smb-buying-committee",
            Group::NicheCombos,
            Price::PerUnit(Credits::whole(4)),
            "person",
        )
    };
    type Request = SmbBuyingCommitteeRequest;
    type Question = SmbBuyingCommitteeQuestion;
    type Response = CommitteeResponse;

    fn parse(
        request: SmbBuyingCommitteeRequest,
        _: &NetworkHosts,
    ) -> Result<SmbBuyingCommitteeQuestion, Fault> {
        let domain = read_domain(&request.company_domain, "/company_domain")?;
        Ok(SmbBuyingCommitteeQuestion { domain, per_role: request.max_per_role.unwrap_or(1) })
    }

    fn units_max(question: &SmbBuyingCommitteeQuestion) -> u32 {
        ROLES * question.per_role
    }

    fn example() -> (Value, CommitteeResponse) {
        let mut committee = CommitteeResponse::nobody(&small_committee()).committee;
        committee.insert("manager", vec![MemberView::from(example::person())]);
        (json!({ "company_domain": "northwind-robotics.example" }), CommitteeResponse::of(committee))
    }

    fn not_found() -> Option<CommitteeResponse> {
        Some(CommitteeResponse::nobody(&small_committee()))
    }

    async fn run(
        context: &Context,
        asked: SmbBuyingCommitteeQuestion,
    ) -> Result<Outcome<CommitteeResponse>, Fault> {
        committee(context, &asked.domain, &small_committee(), per_role(asked.per_role)).await
    }
}
