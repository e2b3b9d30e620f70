//! `POST /v1/bulk/{id}/cancel`: ends a bulk job early.

use super::view::{BulkView, EXAMPLE_ID};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::{NetworkHosts, limits};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum BulkCancel {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct BulkCancelRequest {
    #[garde(length(chars, max = limits::ID_CHARS_MAX))]
    id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct BulkCancelResponse {
    #[serde(flatten)]
    pub job: BulkView,
}

impl Endpoint for BulkCancel {
    const SPEC: Spec = Spec {
        summary: "Cancel a bulk job",
        description: "Items that are done stay done and paid; the others are `skipped` and cost nothing. A job that is \
                      over stays as it is.",
        ..Spec::free("bulk-cancel", Verb::Post, "/v1/bulk/{id}/cancel", Group::Bulk, Scope::Bulk)
    };
    type Request = BulkCancelRequest;
    type Question = String;
    type Response = BulkCancelResponse;

    fn parse(request: BulkCancelRequest, _hosts: &NetworkHosts) -> Result<String, Fault> {
        Ok(request.id)
    }

    fn example() -> (Value, BulkCancelResponse) {
        (json!({ "id": EXAMPLE_ID }), BulkCancelResponse { job: BulkView::example() })
    }

    async fn run(context: &Context, id: String) -> Result<Outcome<BulkCancelResponse>, Fault> {
        let row = context.memory.bulks().cancel(&id, context.now).await?;
        Ok(Outcome::nothing(BulkCancelResponse { job: BulkView::of(&row) }))
    }
}
