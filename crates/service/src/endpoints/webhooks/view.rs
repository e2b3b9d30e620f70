//! Webhooks and deliveries as their owner sees them: everything but the secrets.

use crate::memory::{AttemptRow, DeliveryRow, WebhookRow};
use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

pub const EXAMPLE_ID: &str = "whk_0197f7a05c3a7d12a4b1c2d3e4f50620";
pub const EXAMPLE_DELIVERY: &str = "msg_0197f7a05c3a7d12a4b1c2d3e4f50621";
pub const EXAMPLE_URL: &str = "https://hooks.northwind-robotics.example/assay";
/// Of the right shape, and of nobody.
pub const EXAMPLE_SECRET: &str = "whsec_RVhBTVBMRWV4YW1wbGVFWEFNUExFZXhhbXBsZTAwMDA=";

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Webhook")]
pub struct WebhookView {
    pub id: String,
    pub url: String,
    pub description: String,
    /// What it is told; empty means everything.
    pub events: Vec<String>,
    /// While it is false nothing is sent, and what happens meanwhile is not kept for later.
    pub enabled: bool,
    /// `by_request`, `gone` (it answered 410) or `failing` (nothing but failures for five days).
    #[schemars(extend("enum" = ["by_request", "gone", "failing", null]))]
    pub disabled_reason: Option<&'static str>,
    pub disabled_at: Option<DateTime<Utc>>,
    /// The first failure that no success came after.
    pub failing_since: Option<DateTime<Utc>>,
    /// Until when the secret before the last rotation signs too.
    pub previous_secret_until: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

impl WebhookView {
    pub fn of(row: WebhookRow) -> Self {
        Self {
            id: row.id.to_string(),
            url: row.terms.url,
            description: row.terms.description,
            events: row.terms.events,
            enabled: row.disabled.is_none(),
            disabled_reason: row.disabled.map(|disabled| disabled.reason.as_str()),
            disabled_at: row.disabled.map(|disabled| disabled.at),
            failing_since: row.failing_since,
            previous_secret_until: row.previous_until,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }

    /// The webhook of the worked examples.
    pub fn example() -> Self {
        let now = crate::example::moment();
        Self {
            id: EXAMPLE_ID.into(),
            url: EXAMPLE_URL.into(),
            description: "crm sync".into(),
            events: vec!["bulk.completed".into(), "bulk.failed".into()],
            enabled: true,
            disabled_reason: None,
            disabled_at: None,
            failing_since: None,
            previous_secret_until: None,
            created_at: now,
            updated_at: now,
        }
    }
}

/// A message, and every try to deliver it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookDelivery")]
pub struct DeliveryView {
    /// The header `webhook-id`; the same on every attempt.
    pub id: String,
    pub webhook_id: String,
    pub event: String,
    #[schemars(extend("enum" = ["pending", "delivered", "failed", "canceled"]))]
    pub state: &'static str,
    /// When it is tried next.
    pub next_at: Option<DateTime<Utc>>,
    /// What the last attempt was answered.
    pub last_status: Option<u16>,
    pub created_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
    /// What is sent: `type`, `timestamp` and `data`.
    pub payload: Value,
    /// How often it was tried.
    pub attempt_count: u32,
    /// The last 30 of them at most, first to last.
    pub attempts: Vec<AttemptView>,
}

/// One try.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookAttempt")]
pub struct AttemptView {
    pub number: u32,
    pub at: DateTime<Utc>,
    /// Null when no answer came.
    pub status: Option<u16>,
    /// What was made of it: `delivered`, or why it was not.
    pub verdict: String,
    pub took_ms: u64,
    /// The beginning of what was answered.
    pub excerpt: String,
}

impl DeliveryView {
    pub fn of(row: DeliveryRow, attempts: &[AttemptRow]) -> Self {
        let own = attempts.iter().filter(|attempt| attempt.delivery == row.id);
        Self {
            id: row.id.to_string(),
            webhook_id: row.webhook.to_string(),
            event: row.event,
            state: row.state.as_str(),
            next_at: row.next_at,
            last_status: row.last_status,
            created_at: row.created_at,
            finished_at: row.finished_at,
            payload: serde_json::from_str(&row.body).unwrap_or_default(),
            attempt_count: row.attempts,
            attempts: own.map(AttemptView::of).collect(),
        }
    }

    pub fn example() -> Self {
        let now = crate::example::moment();
        let attempt = |number, seconds, status, verdict: &str| AttemptView {
            number,
            at: now + TimeDelta::seconds(seconds),
            status: Some(status),
            verdict: verdict.into(),
            took_ms: 84,
            excerpt: String::new(),
        };
        Self {
            id: EXAMPLE_DELIVERY.into(),
            webhook_id: EXAMPLE_ID.into(),
            event: "bulk.completed".into(),
            state: "delivered",
            next_at: None,
            last_status: Some(204),
            created_at: now,
            finished_at: Some(now + TimeDelta::seconds(5)),
            payload: json!({
                "type": "bulk.completed", "timestamp": now,
                "data": {
                    "id": "blk_0197f7a05c3a7d12a4b1c2d3e4f50622", "status": "completed",
                    "counts": {
                        "total": 2, "pending": 0, "resolved": 2, "not_found": 0, "invalid": 0, "failed": 0, "skipped": 0
                    },
                    "results_url": "/v1/bulk/blk_0197f7a05c3a7d12a4b1c2d3e4f50622"
                }
            }),
            attempt_count: 2,
            attempts: vec![attempt(1, 0, 503, "failed"), attempt(2, 5, 204, "delivered")],
        }
    }
}

impl AttemptView {
    fn of(row: &AttemptRow) -> Self {
        Self {
            number: row.number,
            at: row.at,
            status: row.status,
            verdict: row.verdict.clone(),
            took_ms: u64::try_from(row.took.as_millis()).unwrap_or(u64::MAX),
            excerpt: row.excerpt.clone(),
        }
    }
}

/// A message that is on its way.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookSending")]
pub struct SendingView {
    /// The header `webhook-id` it comes with.
    pub id: String,
    pub webhook_id: String,
    pub event: String,
    #[schemars(extend("enum" = ["pending", "delivered", "failed", "canceled"]))]
    pub state: &'static str,
    /// Where its attempts can be read.
    pub deliveries_url: String,
}

impl SendingView {
    pub fn of(row: DeliveryRow) -> Self {
        Self {
            id: row.id.to_string(),
            deliveries_url: format!("/v1/webhooks/{}/deliveries", row.webhook),
            webhook_id: row.webhook.to_string(),
            event: row.event,
            state: row.state.as_str(),
        }
    }

    pub fn example(event: &str) -> Self {
        Self {
            id: EXAMPLE_DELIVERY.into(),
            webhook_id: EXAMPLE_ID.into(),
            event: event.into(),
            state: "pending",
            deliveries_url: format!("/v1/webhooks/{EXAMPLE_ID}/deliveries"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_notify::Secret;

    #[test]
    fn the_secret_of_the_examples_has_the_shape_of_one_and_says_what_it_is() {
        let secret = Secret::parse(EXAMPLE_SECRET).unwrap();
        assert_eq!(secret.as_bytes(), b"EXAMPLEexampleEXAMPLEexample0000");
    }
}
