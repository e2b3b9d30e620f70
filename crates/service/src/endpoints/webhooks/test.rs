//! `POST /v1/webhooks/{id}/test`: sends a message that means nothing.

use super::fields;
use super::view::{EXAMPLE_ID, SendingView};
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
pub enum WebhooksTest {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct WebhooksTestRequest {
    /// The webhook's id, `whk_…`.
    #[garde(skip)]
    id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhooksTestResponse {
    #[serde(flatten)]
    pub view: SendingView,
}

impl Endpoint for WebhooksTest {
    const SPEC: Spec = Spec {
        status: 202,
        summary: "Send a test message",
        description: "Sends a message of the type `webhook.test`, signed and tried again like any other, whatever the \
                      webhook subscribes to. What came of it is in its deliveries. A disabled webhook is 409 \
                      `webhook_disabled`.",
        ..super::spec("webhooks-test", Verb::Post, "/v1/webhooks/{id}/test")
    };
    type Request = WebhooksTestRequest;
    type Question = WebhookId;
    type Response = WebhooksTestResponse;

    fn parse(request: WebhooksTestRequest, _hosts: &NetworkHosts) -> Result<WebhookId, Fault> {
        Ok(fields::webhook_id(&request.id))
    }

    fn example() -> (Value, WebhooksTestResponse) {
        (json!({ "id": EXAMPLE_ID }), WebhooksTestResponse { view: SendingView::example("webhook.test") })
    }

    async fn run(context: &Context, id: WebhookId) -> Result<Outcome<WebhooksTestResponse>, Fault> {
        let row = context.memory.webhooks().test(id).await?;
        Ok(Outcome::nothing(WebhooksTestResponse { view: SendingView::of(row) }))
    }
}
