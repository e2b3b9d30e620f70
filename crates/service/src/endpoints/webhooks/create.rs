//! `POST /v1/webhooks`: makes a webhook and shows its secret, once.

use super::fields::{self, WebhookEvent};
use super::view::{EXAMPLE_SECRET, EXAMPLE_URL, WebhookView};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::memory::WebhookTerms;
use crate::spec::{Spec, Verb};
use assay_domain::{NetworkHosts, limits};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum WebhooksCreate {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct WebhooksCreateRequest {
    #[garde(length(chars, max = limits::URL_CHARS_MAX))]
    #[schemars(schema_with = "fields::url_schema")]
    url: String,
    /// What it is for.
    #[garde(length(chars, max = limits::WEBHOOK_DESCRIPTION_CHARS_MAX))]
    description: Option<String>,
    /// What it is told. Default, and when empty: everything.
    #[garde(length(max = limits::WEBHOOK_EVENTS_MAX))]
    events: Option<Vec<WebhookEvent>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhooksCreateResponse {
    #[serde(flatten)]
    pub view: WebhookView,
    /// What messages are signed with. It is shown here and never again.
    pub secret: String,
}

impl Endpoint for WebhooksCreate {
    const SPEC: Spec = Spec {
        status: 201,
        summary: "Make a webhook",
        description: "Messages about what happens in your account are sent to the URL, signed with the secret that this \
                      call answers, once, after Standard Webhooks 1.0. The URL has to be an https one without user name \
                      and password, on a port the operator allows; private, loopback, link-local and metadata addresses \
                      are refused here and again at every connect. An account has at most 20 webhooks (409 \
                      `too_many_webhooks`). How to receive and verify messages is in docs/webhooks.md.",
        ..super::spec("webhooks-create", Verb::Post, "/v1/webhooks")
    };
    type Request = WebhooksCreateRequest;
    type Question = WebhookTerms;
    type Response = WebhooksCreateResponse;

    fn parse(request: WebhooksCreateRequest, _hosts: &NetworkHosts) -> Result<WebhookTerms, Fault> {
        Ok(WebhookTerms {
            url: fields::url(&request.url)?,
            description: fields::description(request.description.as_deref().unwrap_or_default())?,
            events: fields::events(request.events.as_deref().unwrap_or_default()),
        })
    }

    fn example() -> (Value, WebhooksCreateResponse) {
        let request = json!({
            "url": EXAMPLE_URL, "description": "crm sync", "events": ["bulk.completed", "bulk.failed"]
        });
        (request, WebhooksCreateResponse { view: WebhookView::example(), secret: EXAMPLE_SECRET.into() })
    }

    async fn run(context: &Context, terms: WebhookTerms) -> Result<Outcome<WebhooksCreateResponse>, Fault> {
        let fresh = context.memory.webhooks().create(terms, context.now).await?;
        let (view, secret) = (WebhookView::of(fresh.row), fresh.secret.reveal());
        Ok(Outcome::nothing(WebhooksCreateResponse { view, secret }))
    }
}
