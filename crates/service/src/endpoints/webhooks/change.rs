//! `PATCH /v1/webhooks/{id}`: changes where a webhook leads, what it is told, and whether it is told anything.

use super::fields::{self, WebhookEvent};
use super::view::{EXAMPLE_ID, WebhookView};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::memory::WebhookChange;
use crate::spec::{Spec, Verb};
use assay_domain::{NetworkHosts, WebhookId, limits};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum WebhooksChange {}

/// What is left out stays as it is.
#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct WebhooksChangeRequest {
    /// The webhook's id, `whk_…`.
    #[garde(skip)]
    id: String,
    #[serde(default)]
    #[garde(length(chars, max = limits::URL_CHARS_MAX))]
    #[schemars(schema_with = "fields::nullable_url_schema")]
    url: Option<String>,
    #[garde(length(chars, max = limits::WEBHOOK_DESCRIPTION_CHARS_MAX))]
    description: Option<String>,
    /// Replaces the list; `[]` means everything.
    #[garde(length(max = limits::WEBHOOK_EVENTS_MAX))]
    events: Option<Vec<WebhookEvent>>,
    /// `false` cancels what is still to be sent; `true` begins anew.
    #[garde(skip)]
    enabled: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhooksChangeResponse {
    #[serde(flatten)]
    pub view: WebhookView,
}

impl Endpoint for WebhooksChange {
    const SPEC: Spec = Spec {
        summary: "Change a webhook",
        description: "Changes the fields that are sent; messages that wait for their next attempt go to the new URL. A \
                      new URL is judged as when a webhook is made. Disabling cancels what is still to be sent; enabling \
                      does not bring it back, which `POST /v1/webhooks/{id}/redeliver` does.",
        ..super::spec("webhooks-change", Verb::Patch, "/v1/webhooks/{id}")
    };
    type Request = WebhooksChangeRequest;
    type Question = (WebhookId, WebhookChange);
    type Response = WebhooksChangeResponse;

    fn parse(
        request: WebhooksChangeRequest,
        _hosts: &NetworkHosts,
    ) -> Result<(WebhookId, WebhookChange), Fault> {
        let change = WebhookChange {
            url: request.url.as_deref().map(fields::url).transpose()?,
            description: request.description.as_deref().map(fields::description).transpose()?,
            events: request.events.as_deref().map(fields::events),
            enabled: request.enabled,
        };
        Ok((fields::webhook_id(&request.id), change))
    }

    fn example() -> (Value, WebhooksChangeResponse) {
        let request = json!({ "id": EXAMPLE_ID, "description": "crm sync, nightly", "events": [] });
        let view = WebhookView {
            description: "crm sync, nightly".into(),
            events: Vec::new(),
            ..WebhookView::example()
        };
        (request, WebhooksChangeResponse { view })
    }

    async fn run(
        context: &Context,
        (id, change): (WebhookId, WebhookChange),
    ) -> Result<Outcome<WebhooksChangeResponse>, Fault> {
        let row = context.memory.webhooks().change(id, change).await?;
        Ok(Outcome::nothing(WebhooksChangeResponse { view: WebhookView::of(row) }))
    }
}
