//! `POST /v1/find-decision-maker`: who decides at a company, for a role: three at most, the best first.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome, Step, Trace};
use crate::fault::Fault;
use crate::search::TruncatedBy;
use crate::search::values::{OneValue, Phrase};
use crate::spec::{Group, Spec};
use crate::steps::account::{known_company, read_domain};
use crate::steps::buyers::{BuyerView, buyers};
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{BUYERS_SHOWN_MAX, DOMAIN_CHARS_MAX};
use assay_domain::{Credits, Domain, NetworkHosts, Price};
use assay_engine::research::Role;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum FindDecisionMaker {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct FindDecisionMakerRequest {
    #[garde(length(chars, max = DOMAIN_CHARS_MAX))]
    company_domain: String,
    /// Who decides, as one would say it: "VP of Sales", "head of security", "who owns the marketing budget".
    #[garde(skip)]
    role: OneValue<Phrase>,
}

#[derive(Debug)]
pub struct FindDecisionMakerQuestion {
    domain: Domain,
    role: Role,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FindDecisionMakerResponse {
    /// The best first; three at most.
    pub results: Vec<BuyerView>,
    /// `credits` when there would have been more results if there were more of them.
    pub truncated_by: Option<TruncatedBy>,
}

impl Endpoint for FindDecisionMaker {
    const SPEC: Spec = Spec {
        units_max: 3,
        summary: "Who decides at a company, for a role",
        description: "Up to three people at a company who decide for a role, the best first. The role is read as a title: whoever has \
                      its rank in its department comes first, then who stands above, then who stands below, and where the \
                      department has no head, who leads the company; of equals, whose title is nearer. Each says why. Charged for \
                      each person.",
        ..Spec::research(
            "find-decision-maker",
            "/v1/find-decision-maker",
            Group::Combos,
            Price::PerUnit(Credits::whole(4)),
            "person",
        )
    };
    type Request = FindDecisionMakerRequest;
    type Question = FindDecisionMakerQuestion;
    type Response = FindDecisionMakerResponse;

    fn parse(
        request: FindDecisionMakerRequest,
        _: &NetworkHosts,
    ) -> Result<FindDecisionMakerQuestion, Fault> {
        let domain = read_domain(&request.company_domain, "/company_domain")?;
        Ok(FindDecisionMakerQuestion { domain, role: Role::read(&request.role.0.0) })
    }

    fn units_max(_: &FindDecisionMakerQuestion) -> u32 {
        Self::SPEC.units_max
    }

    fn example() -> (Value, FindDecisionMakerResponse) {
        let request = json!({ "company_domain": "northwind-robotics.example", "role": "VP of Sales" });
        (request, FindDecisionMakerResponse { results: vec![BuyerView::example()], truncated_by: None })
    }

    fn not_found() -> Option<FindDecisionMakerResponse> {
        Some(FindDecisionMakerResponse { results: Vec::new(), truncated_by: None })
    }

    async fn run(
        context: &Context,
        asked: FindDecisionMakerQuestion,
    ) -> Result<Outcome<FindDecisionMakerResponse>, Fault> {
        let watch = Stopwatch::start();
        let nothing = FindDecisionMakerResponse { results: Vec::new(), truncated_by: None };
        let Some(company) = known_company(context, &asked.domain).await? else {
            return Ok(Outcome::nothing(nothing));
        };
        let mut found = buyers(context, &company, &asked.role, BUYERS_SHOWN_MAX).await?;
        let most = usize::try_from(context.units_affordable).unwrap_or(usize::MAX);
        let truncated_by = (found.len() > most).then_some(TruncatedBy::Credits);
        found.truncate(most);
        let steps =
            vec![Step::own("index", if found.is_empty() { "not_found" } else { "found" }, watch.elapsed())];
        let people = found.iter().map(|buyer| buyer.person.id).collect();
        let results: Vec<BuyerView> =
            found.into_iter().map(|buyer| BuyerView::new(buyer, &company)).collect();
        let units = u32::try_from(results.len()).unwrap_or(u32::MAX);
        let trace = Trace { steps, people, ..Trace::default() };
        Ok(Outcome::found(FindDecisionMakerResponse { results, truncated_by }, units, trace))
    }
}
