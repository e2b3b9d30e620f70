//! A key as its owner sees it: everything but the secret.

use crate::memory::ListedKey;
use assay_domain::Credits;
use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ApiKey")]
pub struct KeyView {
    pub id: String,
    pub name: String,
    #[schemars(extend("enum" = ["live", "test"]))]
    pub mode: &'static str,
    #[schemars(extend("enum" = ["active", "expired", "revoked"]))]
    pub state: &'static str,
    pub scopes: Vec<String>,
    /// Where calls may come from; empty means from anywhere.
    pub ip_allow: Vec<String>,
    /// The most credits the key and those it was rotated from may spend in a calendar month (UTC).
    #[schemars(with = "Option<f64>")]
    pub monthly_cap: Option<Credits>,
    /// What running calls hold counts as spent. Only counted for keys with a cap, from the moment they have it.
    #[schemars(with = "Option<f64>")]
    pub spent_this_month: Option<Credits>,
    /// The key's own rate; the plan's holds for all keys together.
    pub requests_per_minute: Option<u32>,
    pub created_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
    /// To the minute.
    pub last_used_at: Option<DateTime<Utc>>,
}

impl KeyView {
    pub fn of(listed: ListedKey, now: DateTime<Utc>) -> Self {
        let ListedKey { record, spent_this_month } = listed;
        Self {
            id: record.id.to_string(),
            mode: if record.live { "live" } else { "test" },
            state: record.state(now),
            ip_allow: record.ip_allow.iter().map(ToString::to_string).collect(),
            monthly_cap: record.monthly_cap,
            spent_this_month,
            requests_per_minute: record.key_requests_per_minute,
            created_at: record.created_at,
            expires_at: record.expires_at,
            revoked_at: record.revoked_at,
            last_used_at: record.last_used_at,
            name: record.name,
            scopes: record.scopes,
        }
    }

    /// The key of the worked examples.
    pub fn example() -> Self {
        let now = crate::example::moment();
        Self {
            id: EXAMPLE_ID.into(),
            name: "crm sync".into(),
            mode: "live",
            state: "active",
            scopes: vec!["lookup".into(), "history".into()],
            ip_allow: vec!["192.0.2.0/24".into(), "2001:db8::/32".into()],
            monthly_cap: Some(Credits::whole(500)),
            spent_this_month: Some(Credits::ZERO),
            requests_per_minute: Some(60),
            created_at: now,
            expires_at: Some(now + TimeDelta::days(90)),
            revoked_at: None,
            last_used_at: None,
        }
    }
}

pub const EXAMPLE_ID: &str = "key_a1B2c3D4e5F6";
pub const EXAMPLE_NEXT_ID: &str = "key_g7H8i9J0k1L2";
/// Of the right shape and with a wrong checksum, so that no scanner takes them for leaked keys.
pub const EXAMPLE_KEY: &str = "assay_live_a1B2c3D4e5F6_EXAMPLEexampleEXAMPLEexample0000000000";
pub const EXAMPLE_NEXT_KEY: &str = "assay_live_g7H8i9J0k1L2_EXAMPLEexampleEXAMPLEexample0000000000";

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::ParseError;
    use assay_domain::api_key::ApiKey;

    #[test]
    fn the_keys_of_the_examples_have_the_shape_of_keys_and_are_none() {
        for (key, id) in [(EXAMPLE_KEY, EXAMPLE_ID), (EXAMPLE_NEXT_KEY, EXAMPLE_NEXT_ID)] {
            assert_eq!(ApiKey::parse(key).unwrap_err(), ParseError::ApiKeyChecksum);
            assert!(key.contains(id.strip_prefix("key_").unwrap()));
        }
    }
}
