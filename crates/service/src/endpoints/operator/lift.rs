//! `DELETE /v1/suppressions/{id}`: lets in again what one suppression kept out.

use super::view::EXAMPLE_ID;
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::{Code, Fault};
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::{NetworkHosts, SuppressionId};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum SuppressionsLift {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct SuppressionsLiftRequest {
    /// The suppression's id, `sup_…`.
    #[garde(skip)]
    id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SuppressionsLiftResponse {
    pub id: String,
    pub lifted: bool,
}

impl Endpoint for SuppressionsLift {
    const SPEC: Spec = Spec {
        summary: "Lift a suppression",
        description: "What one suppression kept out may be imported again. Nothing comes back by itself: what was \
                      erased is gone. A person stays out as long as one of the suppressions of their erasure stands.",
        ..Spec::free(
            "suppressions-lift",
            Verb::Delete,
            "/v1/suppressions/{id}",
            Group::Operator,
            Scope::Operator,
        )
    };
    type Request = SuppressionsLiftRequest;
    /// None for a text that no suppression has as its id.
    type Question = Option<SuppressionId>;
    type Response = SuppressionsLiftResponse;

    fn parse(
        request: SuppressionsLiftRequest,
        _hosts: &NetworkHosts,
    ) -> Result<Option<SuppressionId>, Fault> {
        Ok(request.id.parse().ok())
    }

    fn example() -> (Value, SuppressionsLiftResponse) {
        let response = SuppressionsLiftResponse { id: EXAMPLE_ID.to_owned(), lifted: true };
        (json!({ "id": EXAMPLE_ID }), response)
    }

    async fn run(
        context: &Context,
        id: Option<SuppressionId>,
    ) -> Result<Outcome<SuppressionsLiftResponse>, Fault> {
        let absent = || Fault::new(Code::NotFound, "there is no such suppression");
        let id = id.ok_or_else(absent)?;
        if !context.engine.lift_suppression(id).await? {
            return Err(absent());
        }
        Ok(Outcome::nothing(SuppressionsLiftResponse { id: id.to_string(), lifted: true }))
    }
}
