//! `PATCH /v1/keys/{id}`: changes what a key is called and what it may do.

use super::fields;
use super::view::{EXAMPLE_ID, KeyView};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::memory::KeyChange;
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::{Credits, KeyId, NetworkHosts, limits};
use chrono::{DateTime, Utc};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum KeysChange {}

/// What is left out stays as it is.
#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct KeysChangeRequest {
    /// The key's id, `key_…`.
    #[garde(skip)]
    id: String,
    #[garde(length(chars, min = 1, max = limits::KEY_NAME_CHARS_MAX))]
    name: Option<String>,
    #[garde(length(min = 1, max = limits::KEY_SCOPES_MAX))]
    scopes: Option<Vec<Scope>>,
    /// Replaces the list; `[]` allows every address.
    #[garde(length(max = limits::KEY_IP_RANGES_MAX))]
    ip_allow: Option<Vec<String>>,
    /// `null` lifts the cap.
    #[serde(default, deserialize_with = "fields::given")]
    #[garde(skip)]
    #[schemars(schema_with = "fields::nullable_credits")]
    monthly_cap: Option<Option<Credits>>,
    /// `null` leaves only the plan's rate.
    #[serde(default, deserialize_with = "fields::given")]
    #[garde(inner(inner(range(min = 1, max = limits::KEY_REQUESTS_PER_MINUTE_MAX))))]
    #[schemars(schema_with = "fields::nullable_rate")]
    requests_per_minute: Option<Option<u32>>,
    /// `null` makes the key last.
    #[serde(default, deserialize_with = "fields::given")]
    #[garde(skip)]
    #[schemars(schema_with = "fields::nullable_moment")]
    expires_at: Option<Option<DateTime<Utc>>>,
}

#[derive(Debug)]
pub struct KeysChangeQuestion {
    id: KeyId,
    change: KeyChange,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct KeysChangeResponse {
    #[serde(flatten)]
    pub view: KeyView,
}

impl Endpoint for KeysChange {
    const SPEC: Spec = Spec {
        summary: "Change a key",
        description: "Changes the fields that are sent; every node knows within seconds. Any key with the scope `keys` \
                      may take away. Giving more is bound by what the calling key has itself: only its own scopes can \
                      be added, a key that ends or is bound to addresses gives no more than that, and a key with a \
                      monthly cap or a rate of its own raises none, not even its own (403 `insufficient_scope`, \
                      `key_bounds_exceeded`). A revoked key cannot be changed: 404.",
        ..Spec::free("keys-change", Verb::Patch, "/v1/keys/{id}", Group::Keys, Scope::Keys)
    };
    type Request = KeysChangeRequest;
    type Question = KeysChangeQuestion;
    type Response = KeysChangeResponse;

    fn parse(request: KeysChangeRequest, _hosts: &NetworkHosts) -> Result<KeysChangeQuestion, Fault> {
        let monthly_cap = request.monthly_cap.map(|cap| cap.map(fields::monthly_cap).transpose());
        let change = KeyChange {
            name: request.name.as_deref().map(fields::name).transpose()?,
            scopes: request.scopes.map(|scopes| fields::scopes(&scopes)),
            ip_allow: request.ip_allow.map(|ranges| fields::ip_allow(&ranges)).transpose()?,
            monthly_cap: monthly_cap.transpose()?,
            requests_per_minute: request.requests_per_minute,
            expires_at: request.expires_at,
        };
        Ok(KeysChangeQuestion { id: fields::key_id(&request.id), change })
    }

    fn example() -> (Value, KeysChangeResponse) {
        let request = json!({ "id": EXAMPLE_ID, "name": "crm sync, nightly", "monthly_cap": null });
        let view = KeyView {
            name: "crm sync, nightly".into(),
            monthly_cap: None,
            spent_this_month: None,
            ..KeyView::example()
        };
        (request, KeysChangeResponse { view })
    }

    async fn run(
        context: &Context,
        question: KeysChangeQuestion,
    ) -> Result<Outcome<KeysChangeResponse>, Fault> {
        let KeysChangeQuestion { id, change } = question;
        if let Some(Some(at)) = change.expires_at {
            fields::future(at, context.now)?;
        }
        let listed = context.memory.keys().change(&id, &change).await?;
        Ok(Outcome::nothing(KeysChangeResponse { view: KeyView::of(listed, context.now) }))
    }
}
