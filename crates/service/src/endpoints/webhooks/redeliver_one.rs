//! `POST /v1/webhooks/deliveries/{id}/redeliver`: sends one message again, under its own id.

use super::fields;
use super::view::{EXAMPLE_DELIVERY, SendingView};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Spec, Verb};
use assay_domain::{DeliveryId, NetworkHosts};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum WebhooksRedeliverOne {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct WebhooksRedeliverOneRequest {
    /// The delivery's id, `msg_…`.
    #[garde(skip)]
    id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhooksRedeliverOneResponse {
    #[serde(flatten)]
    pub view: SendingView,
}

impl Endpoint for WebhooksRedeliverOne {
    const SPEC: Spec = Spec {
        status: 202,
        summary: "Send a message again",
        description: "Sends a message again at once, whatever became of it, with the same body under the same \
                      `webhook-id`, so that a receiver that has seen it can tell; it has as many attempts as a new one. \
                      A disabled webhook is 409 `webhook_disabled`; a message that is no longer kept is 404.",
        ..super::spec("webhooks-deliveries-redeliver", Verb::Post, "/v1/webhooks/deliveries/{id}/redeliver")
    };
    type Request = WebhooksRedeliverOneRequest;
    type Question = DeliveryId;
    type Response = WebhooksRedeliverOneResponse;

    fn parse(request: WebhooksRedeliverOneRequest, _hosts: &NetworkHosts) -> Result<DeliveryId, Fault> {
        Ok(fields::delivery_id(&request.id))
    }

    fn example() -> (Value, WebhooksRedeliverOneResponse) {
        let response = WebhooksRedeliverOneResponse { view: SendingView::example("bulk.completed") };
        (json!({ "id": EXAMPLE_DELIVERY }), response)
    }

    async fn run(context: &Context, id: DeliveryId) -> Result<Outcome<WebhooksRedeliverOneResponse>, Fault> {
        let row = context.memory.webhooks().redeliver(id).await?;
        Ok(Outcome::nothing(WebhooksRedeliverOneResponse { view: SendingView::of(row) }))
    }
}
