//! `GET /v1/webhooks/{id}`: one webhook, without its secret.

use super::fields;
use super::view::{EXAMPLE_ID, WebhookView};
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
pub enum WebhooksGet {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct WebhooksGetRequest {
    /// The webhook's id, `whk_…`.
    #[garde(skip)]
    id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhooksGetResponse {
    #[serde(flatten)]
    pub view: WebhookView,
}

impl Endpoint for WebhooksGet {
    const SPEC: Spec = Spec {
        summary: "One webhook",
        description: "Where it leads, what it is told, and whether it is enabled. An id that is not one of your \
                      account's is 404.",
        ..super::spec("webhooks-get", Verb::Get, "/v1/webhooks/{id}")
    };
    type Request = WebhooksGetRequest;
    type Question = WebhookId;
    type Response = WebhooksGetResponse;

    fn parse(request: WebhooksGetRequest, _hosts: &NetworkHosts) -> Result<WebhookId, Fault> {
        Ok(fields::webhook_id(&request.id))
    }

    fn example() -> (Value, WebhooksGetResponse) {
        (json!({ "id": EXAMPLE_ID }), WebhooksGetResponse { view: WebhookView::example() })
    }

    async fn run(context: &Context, id: WebhookId) -> Result<Outcome<WebhooksGetResponse>, Fault> {
        let row = context.memory.webhooks().find(id).await?;
        Ok(Outcome::nothing(WebhooksGetResponse { view: WebhookView::of(row) }))
    }
}
