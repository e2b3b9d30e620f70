//! A suppression as operators see it. What it is of is not in it: only a keyed digest of that is stored.

use assay_domain::suppression::{SuppressedKind, SuppressionReason};
use assay_domain::{Email, ListHash};
use assay_engine::Listed;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const EXAMPLE_ID: &str = "sup_0197f7a05c3a7d12a4b1c2d3e4f50619";

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Suppression")]
pub struct SuppressionView {
    /// `sup_…`
    pub id: String,
    /// What is kept out: `person` (one record), `email`, `phone`, `network_url`, `name_at_domain` or `name_at_company`.
    #[schemars(extend("enum" = ["person", "email", "phone", "network_url", "name_at_domain", "name_at_company"]))]
    pub kind: &'static str,
    #[schemars(extend("enum" = ["request", "drop", "operator"]))]
    pub reason: &'static str,
    pub created_at: DateTime<Utc>,
    /// Of an email or a phone: its SHA-256 in the form deletion lists exchange, to pass the wish on to others who hold
    /// the data.
    pub drop_hash: Option<String>,
}

impl From<Listed> for SuppressionView {
    fn from(listed: Listed) -> Self {
        Self {
            id: listed.id.to_string(),
            kind: listed.kind.as_str(),
            reason: listed.reason.as_str(),
            created_at: listed.created_at,
            drop_hash: listed.hash.map(ListHash::to_base64),
        }
    }
}

impl SuppressionView {
    pub fn example() -> Self {
        let hash = Email::parse("ada.okafor@northwind-robotics.example").ok();
        Self {
            id: EXAMPLE_ID.to_owned(),
            kind: SuppressedKind::Identity(assay_domain::identity::IdentityKind::Email).as_str(),
            reason: SuppressionReason::Request.as_str(),
            created_at: crate::example::moment(),
            drop_hash: hash.map(|email| ListHash::of_email(&email).to_base64()),
        }
    }
}

/// Why somebody is suppressed.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SuppressionReason")]
pub enum Reason {
    Request,
    Drop,
    Operator,
}

impl From<Reason> for SuppressionReason {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Request => Self::Request,
            Reason::Drop => Self::Drop,
            Reason::Operator => Self::Operator,
        }
    }
}
