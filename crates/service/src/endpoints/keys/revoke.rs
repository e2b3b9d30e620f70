//! `DELETE /v1/keys/{id}`: revokes a key, for good.

use super::fields;
use super::view::{EXAMPLE_ID, KeyView};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::{KeyId, NetworkHosts};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum KeysRevoke {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct KeysRevokeRequest {
    /// The key's id, `key_…`.
    #[garde(skip)]
    id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct KeysRevokeResponse {
    #[serde(flatten)]
    pub view: KeyView,
}

impl Endpoint for KeysRevoke {
    const SPEC: Spec = Spec {
        summary: "Revoke a key",
        description: "Ends a key for good: within seconds no node takes it any more. Any key with the scope `keys` may \
                      revoke any key of the account, itself included, so that a leaked one can always be stopped. A \
                      key that was revoked before is 404.",
        ..Spec::free("keys-revoke", Verb::Delete, "/v1/keys/{id}", Group::Keys, Scope::Keys)
    };
    type Request = KeysRevokeRequest;
    type Question = KeyId;
    type Response = KeysRevokeResponse;

    fn parse(request: KeysRevokeRequest, _hosts: &NetworkHosts) -> Result<KeyId, Fault> {
        Ok(fields::key_id(&request.id))
    }

    fn example() -> (Value, KeysRevokeResponse) {
        let now = crate::example::moment();
        let view = KeyView { state: "revoked", revoked_at: Some(now), ..KeyView::example() };
        (json!({ "id": EXAMPLE_ID }), KeysRevokeResponse { view })
    }

    async fn run(context: &Context, id: KeyId) -> Result<Outcome<KeysRevokeResponse>, Fault> {
        let listed = context.memory.keys().revoke(&id).await?;
        Ok(Outcome::nothing(KeysRevokeResponse { view: KeyView::of(listed, context.now) }))
    }
}
