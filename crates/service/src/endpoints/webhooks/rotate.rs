//! `POST /v1/webhooks/{id}/rotate`: a new secret in place of another, which goes on for a while.

use super::fields;
use super::view::{EXAMPLE_ID, EXAMPLE_SECRET, WebhookView};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Spec, Verb};
use assay_domain::{NetworkHosts, WebhookId, limits};
use chrono::TimeDelta;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum WebhooksRotate {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct WebhooksRotateRequest {
    /// The webhook's id, `whk_…`.
    #[garde(skip)]
    id: String,
    /// How long the old secret signs too. Default 24.
    #[garde(range(max = limits::WEBHOOK_OVERLAP_HOURS_MAX))]
    overlap_hours: Option<u32>,
}

#[derive(Debug)]
pub struct WebhooksRotateQuestion {
    id: WebhookId,
    overlap_hours: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhooksRotateResponse {
    #[serde(flatten)]
    pub view: WebhookView,
    /// The new secret. It is shown here and never again.
    pub secret: String,
}

impl Endpoint for WebhooksRotate {
    const SPEC: Spec = Spec {
        summary: "Replace a webhook's secret",
        description: "Answers a new secret, once. For `overlap_hours` (0 to 168, default 24) messages carry two \
                      signatures, of the new and of the old secret, so that a receiver that knows either is content; \
                      after that only the new one signs. Rotated again meanwhile, the oldest secret ends at once.",
        ..super::spec("webhooks-rotate", Verb::Post, "/v1/webhooks/{id}/rotate")
    };
    type Request = WebhooksRotateRequest;
    type Question = WebhooksRotateQuestion;
    type Response = WebhooksRotateResponse;

    fn parse(request: WebhooksRotateRequest, _hosts: &NetworkHosts) -> Result<WebhooksRotateQuestion, Fault> {
        let overlap_hours = request.overlap_hours.unwrap_or(limits::WEBHOOK_OVERLAP_HOURS_DEFAULT);
        Ok(WebhooksRotateQuestion { id: fields::webhook_id(&request.id), overlap_hours })
    }

    fn example() -> (Value, WebhooksRotateResponse) {
        let until = crate::example::moment() + TimeDelta::hours(48);
        let view = WebhookView { previous_secret_until: Some(until), ..WebhookView::example() };
        let response = WebhooksRotateResponse { view, secret: EXAMPLE_SECRET.into() };
        (json!({ "id": EXAMPLE_ID, "overlap_hours": 48 }), response)
    }

    async fn run(
        context: &Context,
        question: WebhooksRotateQuestion,
    ) -> Result<Outcome<WebhooksRotateResponse>, Fault> {
        let until = context.now + TimeDelta::hours(i64::from(question.overlap_hours));
        let fresh = context.memory.webhooks().rotate(question.id, until).await?;
        let (view, secret) = (WebhookView::of(fresh.row), fresh.secret.reveal());
        Ok(Outcome::nothing(WebhooksRotateResponse { view, secret }))
    }
}
