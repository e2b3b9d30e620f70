//! `DELETE /v1/webhooks/{id}`: ends a webhook, and its log with it.

use super::fields;
use super::view::EXAMPLE_ID;
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Spec, Verb};
use assay_domain::{NetworkHosts, WebhookId};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum WebhooksDelete {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct WebhooksDeleteRequest {
    /// The webhook's id, `whk_…`.
    #[garde(skip)]
    id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhooksDeleteResponse {
    pub id: String,
    #[schemars(extend("const" = true))]
    pub deleted: bool,
}

impl Endpoint for WebhooksDelete {
    const SPEC: Spec = Spec {
        summary: "Delete a webhook",
        description: "Ends a webhook for good. What was still to be sent to it is not, and its deliveries can no longer be \
                      read. To stop it for a while, change `enabled` instead.",
        ..super::spec("webhooks-delete", Verb::Delete, "/v1/webhooks/{id}")
    };
    type Request = WebhooksDeleteRequest;
    type Question = WebhookId;
    type Response = WebhooksDeleteResponse;

    fn parse(request: WebhooksDeleteRequest, _hosts: &NetworkHosts) -> Result<WebhookId, Fault> {
        Ok(fields::webhook_id(&request.id))
    }

    fn example() -> (Value, WebhooksDeleteResponse) {
        (json!({ "id": EXAMPLE_ID }), WebhooksDeleteResponse { id: EXAMPLE_ID.into(), deleted: true })
    }

    async fn run(context: &Context, id: WebhookId) -> Result<Outcome<WebhooksDeleteResponse>, Fault> {
        context.memory.webhooks().delete(id).await?;
        Ok(Outcome::nothing(WebhooksDeleteResponse { id: id.to_string(), deleted: true }))
    }
}
