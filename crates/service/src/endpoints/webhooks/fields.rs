//! The fields that requests about webhooks share: read once, with one way to say what is wrong with them.

use crate::fault::Fault;
use crate::webhook_rules::refused;
use assay_domain::{DeliveryId, WebhookId, limits};
use assay_notify::Refusal;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use uuid::Uuid;

/// What an endpoint can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum WebhookEvent {
    #[serde(rename = "bulk.completed")]
    BulkCompleted,
    #[serde(rename = "bulk.failed")]
    BulkFailed,
    #[serde(rename = "watch_list.matched")]
    WatchListMatched,
    #[serde(rename = "saved_icp.new_results")]
    SavedIcpNewResults,
    #[serde(rename = "quiet_power_users.matched")]
    QuietPowerUsersMatched,
    #[serde(rename = "credits.low")]
    CreditsLow,
    #[serde(rename = "webhook.test")]
    WebhookTest,
}

impl WebhookEvent {
    pub const ALL: [Self; 7] = [
        Self::BulkCompleted,
        Self::BulkFailed,
        Self::WatchListMatched,
        Self::SavedIcpNewResults,
        Self::QuietPowerUsersMatched,
        Self::CreditsLow,
        Self::WebhookTest,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BulkCompleted => "bulk.completed",
            Self::BulkFailed => "bulk.failed",
            Self::WatchListMatched => "watch_list.matched",
            Self::SavedIcpNewResults => "saved_icp.new_results",
            Self::QuietPowerUsersMatched => "quiet_power_users.matched",
            Self::CreditsLow => "credits.low",
            Self::WebhookTest => "webhook.test",
        }
    }
}

/// Each once, in the order of the reference.
pub fn events(given: &[WebhookEvent]) -> Vec<String> {
    let wanted = WebhookEvent::ALL.iter().filter(|event| given.contains(event));
    wanted.map(|event| event.as_str().to_owned()).collect()
}

/// A text that can be no id becomes one that nothing has: how an absent webhook is told must not depend on why it is
/// absent.
pub fn webhook_id(text: &str) -> WebhookId {
    text.parse().unwrap_or(WebhookId::from_uuid(Uuid::nil()))
}

pub fn delivery_id(text: &str) -> DeliveryId {
    text.parse().unwrap_or(DeliveryId::from_uuid(Uuid::nil()))
}

/// The form only, as the schema tells it: whether messages may go there is for the operator's rules to say.
pub fn url(text: &str) -> Result<String, Fault> {
    if !text.starts_with("https://") && !text.starts_with("http://") {
        return Err(refused(Refusal::Scheme));
    }
    Ok(text.to_owned())
}

/// How the schema tells a URL.
pub fn url_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "string", "pattern": "^https?://", "maxLength": limits::URL_CHARS_MAX,
        "description": "Where messages are sent: an https URL that the public internet can reach."
    })
}

pub fn nullable_url_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": ["string", "null"], "pattern": "^https?://", "maxLength": limits::URL_CHARS_MAX,
        "description": "Where messages are sent from now on."
    })
}

/// Descriptions are printed on terminals and in lists.
pub fn description(text: &str) -> Result<String, Fault> {
    let trimmed = text.trim();
    if trimmed.chars().any(char::is_control) {
        let fix = "send some visible characters on one line";
        return Err(Fault::field("/description", "invalid_name", "not one line of text", fix));
    }
    Ok(trimmed.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_read_by_the_name_it_is_shown_under() {
        for event in WebhookEvent::ALL {
            let read: WebhookEvent = serde_json::from_value(event.as_str().into()).unwrap();
            assert_eq!(read, event);
        }
        let given = [WebhookEvent::CreditsLow, WebhookEvent::BulkFailed, WebhookEvent::CreditsLow];
        assert_eq!(events(&given), ["bulk.failed", "credits.low"]);
        assert!(events(&[]).is_empty());
    }

    #[test]
    fn what_can_be_no_id_is_the_id_of_nothing() {
        let known = "whk_0197f7a05c3a7d12a4b1c2d3e4f50620";
        assert_eq!(webhook_id(known).to_string(), known);
        for text in ["", "whk_", "none", "msg_0197f7a05c3a7d12a4b1c2d3e4f50620", "whk_\0"] {
            assert_eq!(webhook_id(text).uuid(), Uuid::nil(), "{text:?}");
        }
        assert_eq!(delivery_id(known).uuid(), Uuid::nil());
    }

    #[test]
    fn a_url_begins_as_one() {
        assert!(url("https://hooks.example.com/a?b=c").is_ok() && url("http://localhost:8080").is_ok());
        for text in ["", "hooks.example.com", "ftp://a", " https://a", "https:/", "HTTPS://a"] {
            assert!(url(text).is_err(), "{text:?}");
        }
    }
}
