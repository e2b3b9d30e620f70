//! `GET /v1/webhooks`: the account's webhooks, newest first, without their secrets.

use super::fields;
use super::view::WebhookView;
use crate::context::Context;
use crate::cursor;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::memory::WebhookCursor;
use crate::spec::{Spec, Verb};
use assay_domain::{NetworkHosts, limits};
use chrono::{DateTime, Utc};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum WebhooksList {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct WebhooksListRequest {
    #[garde(range(min = 1, max = limits::PAGE_ROWS_MAX))]
    limit: Option<u32>,
    #[garde(length(chars, max = limits::CURSOR_CHARS_MAX))]
    cursor: Option<String>,
}

#[derive(Debug)]
pub struct WebhooksListQuestion {
    after: Option<WebhookCursor>,
    limit: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhooksListResponse {
    pub results: Vec<WebhookView>,
    pub next_cursor: Option<String>,
}

/// What a cursor holds.
#[derive(Debug, Serialize, Deserialize)]
struct Place {
    at: DateTime<Utc>,
    id: String,
}

impl Endpoint for WebhooksList {
    const SPEC: Spec = Spec {
        summary: "Your webhooks",
        description: "The account's webhooks, newest first, without their secrets; disabled ones say why.",
        ..super::spec("webhooks-list", Verb::Get, "/v1/webhooks")
    };
    type Request = WebhooksListRequest;
    type Question = WebhooksListQuestion;
    type Response = WebhooksListResponse;

    fn parse(request: WebhooksListRequest, _hosts: &NetworkHosts) -> Result<WebhooksListQuestion, Fault> {
        let place: Option<Place> = cursor::read(request.cursor.as_deref())?;
        let after =
            place.map(|place| WebhookCursor { created_at: place.at, id: fields::webhook_id(&place.id) });
        Ok(WebhooksListQuestion { after, limit: request.limit.unwrap_or(limits::PAGE_ROWS_DEFAULT) })
    }

    fn example() -> (Value, WebhooksListResponse) {
        let response = WebhooksListResponse { results: vec![WebhookView::example()], next_cursor: None };
        (json!({ "limit": 25 }), response)
    }

    async fn run(
        context: &Context,
        question: WebhooksListQuestion,
    ) -> Result<Outcome<WebhooksListResponse>, Fault> {
        // One more than asked for tells whether there is a next page.
        let webhooks = context.memory.webhooks();
        let mut rows = webhooks.page(question.after, question.limit.saturating_add(1)).await?;
        let next_cursor = cursor::cut(&mut rows, question.limit, |row| {
            let last = row.cursor();
            Place { at: last.created_at, id: last.id.to_string() }
        });
        let results = rows.into_iter().map(WebhookView::of).collect();
        Ok(Outcome::nothing(WebhooksListResponse { results, next_cursor }))
    }
}
