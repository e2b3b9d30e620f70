//! `POST /v1/webhooks/{id}/redeliver`: sends the messages of a time again.

use super::fields;
use super::view::EXAMPLE_ID;
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::memory::TimeRange;
use crate::spec::{Spec, Verb};
use assay_domain::{NetworkHosts, WebhookId};
use chrono::{DateTime, TimeDelta, Utc};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum WebhooksRedeliver {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct WebhooksRedeliverRequest {
    /// The webhook's id, `whk_…`.
    id: String,
    /// Messages from this time on.
    since: DateTime<Utc>,
    /// Messages before this time. Default: now.
    until: Option<DateTime<Utc>>,
    /// Those that were delivered too. Default false: only those that were not.
    include_delivered: Option<bool>,
}

#[derive(Debug)]
pub struct WebhooksRedeliverQuestion {
    id: WebhookId,
    since: DateTime<Utc>,
    until: Option<DateTime<Utc>>,
    delivered: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhooksRedeliverResponse {
    /// How many messages are being sent again.
    pub count: usize,
    /// When there are more than one call sends: `since` of the next one.
    pub next_since: Option<DateTime<Utc>>,
}

impl Endpoint for WebhooksRedeliver {
    const SPEC: Spec = Spec {
        status: 202,
        summary: "Send the messages of a time again",
        description: "Sends the messages of a time again that failed or were canceled, oldest first, each under its own id \
                      and with as many attempts as a new one; with `include_delivered` those that arrived as well. A \
                      call sends up to 1,000 and says where the next one has to begin. A disabled webhook is 409 \
                      `webhook_disabled`: enable it first.",
        ..super::spec("webhooks-redeliver", Verb::Post, "/v1/webhooks/{id}/redeliver")
    };
    type Request = WebhooksRedeliverRequest;
    type Question = WebhooksRedeliverQuestion;
    type Response = WebhooksRedeliverResponse;

    fn parse(
        request: WebhooksRedeliverRequest,
        _hosts: &NetworkHosts,
    ) -> Result<WebhooksRedeliverQuestion, Fault> {
        if request.until.is_some_and(|until| until <= request.since) {
            let fix = "send an `until` after `since`, or none";
            return Err(Fault::field("/until", "before_its_start", "the time ends before it begins", fix));
        }
        Ok(WebhooksRedeliverQuestion {
            id: fields::webhook_id(&request.id),
            since: request.since,
            until: request.until,
            delivered: request.include_delivered.unwrap_or(false),
        })
    }

    fn example() -> (Value, WebhooksRedeliverResponse) {
        let now = crate::example::moment();
        let request = json!({ "id": EXAMPLE_ID, "since": now - TimeDelta::days(1), "until": now });
        (request, WebhooksRedeliverResponse { count: 3, next_since: None })
    }

    async fn run(
        context: &Context,
        question: WebhooksRedeliverQuestion,
    ) -> Result<Outcome<WebhooksRedeliverResponse>, Fault> {
        let WebhooksRedeliverQuestion { id, since, until, delivered } = question;
        let range = TimeRange { since, until: until.unwrap_or(context.now), delivered };
        let sent = context.memory.webhooks().redeliver_range(id, range).await?;
        let body = WebhooksRedeliverResponse { count: sent.count, next_since: sent.next_since };
        Ok(Outcome::nothing(body))
    }
}
