//! `GET /v1/webhooks/{id}/deliveries`: what a webhook was told, newest first, and how each try went.

use super::fields;
use super::view::{DeliveryView, EXAMPLE_ID};
use crate::context::Context;
use crate::cursor;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::memory::DeliveryState;
use crate::spec::{Spec, Verb};
use assay_domain::{DeliveryId, NetworkHosts, WebhookId, limits};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum WebhooksDeliveries {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct WebhooksDeliveriesRequest {
    /// The webhook's id, `whk_…`.
    id: String,
    state: Option<WantedState>,
    #[garde(range(min = 1, max = limits::PAGE_ROWS_MAX))]
    limit: Option<u32>,
    #[garde(length(chars, max = limits::CURSOR_CHARS_MAX))]
    cursor: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "WebhookDeliveryState")]
enum WantedState {
    Pending,
    Delivered,
    Failed,
    Canceled,
}

#[derive(Debug)]
pub struct WebhooksDeliveriesQuestion {
    id: WebhookId,
    state: Option<DeliveryState>,
    after: Option<DeliveryId>,
    limit: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhooksDeliveriesResponse {
    pub results: Vec<DeliveryView>,
    pub next_cursor: Option<String>,
}

impl Endpoint for WebhooksDeliveries {
    const SPEC: Spec = Spec {
        summary: "What a webhook was told",
        description: "The messages to a webhook, newest first, each with every attempt: when, what was answered, and how \
                      long it took. Messages are kept for 30 days.",
        ..super::spec("webhooks-deliveries", Verb::Get, "/v1/webhooks/{id}/deliveries")
    };
    type Request = WebhooksDeliveriesRequest;
    type Question = WebhooksDeliveriesQuestion;
    type Response = WebhooksDeliveriesResponse;

    fn parse(
        request: WebhooksDeliveriesRequest,
        _hosts: &NetworkHosts,
    ) -> Result<WebhooksDeliveriesQuestion, Fault> {
        let after: Option<String> = cursor::read(request.cursor.as_deref())?;
        Ok(WebhooksDeliveriesQuestion {
            id: fields::webhook_id(&request.id),
            state: request.state.map(WantedState::meant),
            after: after.map(|id| fields::delivery_id(&id)),
            limit: request.limit.unwrap_or(limits::PAGE_ROWS_DEFAULT),
        })
    }

    fn example() -> (Value, WebhooksDeliveriesResponse) {
        let response =
            WebhooksDeliveriesResponse { results: vec![DeliveryView::example()], next_cursor: None };
        (json!({ "id": EXAMPLE_ID, "limit": 25 }), response)
    }

    async fn run(
        context: &Context,
        question: WebhooksDeliveriesQuestion,
    ) -> Result<Outcome<WebhooksDeliveriesResponse>, Fault> {
        let WebhooksDeliveriesQuestion { id, state, after, limit } = question;
        // One more than asked for tells whether there is a next page.
        let webhooks = context.memory.webhooks();
        let (mut rows, attempts) = webhooks.deliveries(id, state, after, limit.saturating_add(1)).await?;
        let next_cursor = cursor::cut(&mut rows, limit, |row| row.id.to_string());
        let results = rows.into_iter().map(|row| DeliveryView::of(row, &attempts)).collect();
        Ok(Outcome::nothing(WebhooksDeliveriesResponse { results, next_cursor }))
    }
}

impl WantedState {
    const fn meant(self) -> DeliveryState {
        match self {
            Self::Pending => DeliveryState::Pending,
            Self::Delivered => DeliveryState::Delivered,
            Self::Failed => DeliveryState::Failed,
            Self::Canceled => DeliveryState::Canceled,
        }
    }
}
