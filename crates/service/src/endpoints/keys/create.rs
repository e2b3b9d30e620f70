//! `POST /v1/keys`: makes a key and shows it, once.

use super::fields::{self, End};
use super::view::{EXAMPLE_KEY, KeyView};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::memory::KeyTerms;
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::{Credits, IpRange, NetworkHosts, limits};
use chrono::{DateTime, Utc};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum KeysCreate {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schemars(transform = fields::one_end)]
pub struct KeysCreateRequest {
    /// What the key is for.
    #[garde(length(chars, min = 1, max = limits::KEY_NAME_CHARS_MAX))]
    name: String,
    /// A test key answers from the sandbox on the normal paths and never charges. Default live.
    #[garde(skip)]
    mode: Option<KeyKind>,
    /// What the key may do. Default: all that the calling key may do, except `operator`.
    #[garde(length(min = 1, max = limits::KEY_SCOPES_MAX))]
    scopes: Option<Vec<Scope>>,
    #[garde(range(min = 1, max = limits::KEY_LIFETIME_DAYS_MAX))]
    expires_in_days: Option<u32>,
    /// In place of `expires_in_days`.
    #[garde(skip)]
    expires_at: Option<DateTime<Utc>>,
    /// Addresses and ranges (`192.0.2.7`, `10.0.0.0/8`, `2001:db8::/32`) that calls may come from. Default: all.
    #[garde(length(max = limits::KEY_IP_RANGES_MAX))]
    ip_allow: Option<Vec<String>>,
    /// The most credits the key may spend in a calendar month (UTC).
    #[serde(default)]
    #[garde(skip)]
    #[schemars(schema_with = "fields::nullable_credits")]
    monthly_cap: Option<Credits>,
    /// A rate below the plan's.
    #[garde(range(min = 1, max = limits::KEY_REQUESTS_PER_MINUTE_MAX))]
    requests_per_minute: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "KeyMode")]
enum KeyKind {
    Live,
    Test,
}

#[derive(Debug)]
pub struct KeysCreateQuestion {
    name: String,
    live: bool,
    scopes: Option<Vec<String>>,
    end: Option<End>,
    ip_allow: Option<Vec<IpRange>>,
    monthly_cap: Option<Credits>,
    requests_per_minute: Option<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct KeysCreateResponse {
    #[serde(flatten)]
    pub view: KeyView,
    /// The whole key. It is shown here and never again.
    pub key: String,
}

impl Endpoint for KeysCreate {
    const SPEC: Spec = Spec {
        status: 201,
        summary: "Make a key",
        description: "Makes a key and answers the whole of it, once; only a hash of its secret is stored. A key never \
                      gives more than it has: the new key's scopes are scopes of the calling key (403 \
                      `insufficient_scope`); a calling key that ends, or that is bound to addresses, passes its bounds \
                      on, and they can only be narrowed; a key with a monthly cap or a rate of its own makes no keys, \
                      since two of them would spend twice as much (403 `key_bounds_exceeded`). An account has at most \
                      100 live keys (409 `too_many_keys`); a key and its successors count as one.",
        ..Spec::free("keys-create", Verb::Post, "/v1/keys", Group::Keys, Scope::Keys)
    };
    type Request = KeysCreateRequest;
    type Question = KeysCreateQuestion;
    type Response = KeysCreateResponse;

    fn parse(request: KeysCreateRequest, _hosts: &NetworkHosts) -> Result<KeysCreateQuestion, Fault> {
        Ok(KeysCreateQuestion {
            name: fields::name(&request.name)?,
            live: request.mode != Some(KeyKind::Test),
            scopes: request.scopes.map(|scopes| fields::scopes(&scopes)),
            end: End::read(request.expires_in_days, request.expires_at)?,
            ip_allow: request.ip_allow.map(|ranges| fields::ip_allow(&ranges)).transpose()?,
            monthly_cap: request.monthly_cap.map(fields::monthly_cap).transpose()?,
            requests_per_minute: request.requests_per_minute,
        })
    }

    fn example() -> (Value, KeysCreateResponse) {
        let request = json!({
            "name": "crm sync", "scopes": ["lookup", "history"], "expires_in_days": 90,
            "ip_allow": ["192.0.2.0/24", "2001:db8::/32"], "monthly_cap": 500, "requests_per_minute": 60
        });
        (request, KeysCreateResponse { view: KeyView::example(), key: EXAMPLE_KEY.into() })
    }

    async fn run(
        context: &Context,
        question: KeysCreateQuestion,
    ) -> Result<Outcome<KeysCreateResponse>, Fault> {
        let keys = context.memory.keys();
        let caller = keys.caller();
        let end = question.end.map(|end| end.moment(context.now)).transpose()?;
        let operator = Scope::Operator.as_str();
        let passed_on = || caller.scopes.iter().filter(|scope| *scope != operator).cloned().collect();
        let terms = KeyTerms {
            name: question.name,
            live: question.live,
            scopes: question.scopes.unwrap_or_else(passed_on),
            ip_allow: question.ip_allow.unwrap_or_else(|| caller.ip_allow.clone()),
            monthly_cap: question.monthly_cap,
            requests_per_minute: question.requests_per_minute,
            expires_at: end.or(caller.expires_at),
        };
        let fresh = keys.create(terms).await?;
        let view = KeyView::of(fresh.listed, context.now);
        Ok(Outcome::nothing(KeysCreateResponse { view, key: fresh.secret.reveal().to_owned() }))
    }
}
