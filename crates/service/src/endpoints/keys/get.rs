//! `GET /v1/keys/{id}`: one key, without its secret.

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
pub enum KeysGet {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct KeysGetRequest {
    /// The key's id, `key_…`.
    #[garde(skip)]
    id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct KeysGetResponse {
    #[serde(flatten)]
    pub view: KeyView,
}

impl Endpoint for KeysGet {
    const SPEC: Spec = Spec {
        summary: "One key",
        description: "What a key of your account may do, whether it is active, and when it was last used. Expired and \
                      revoked keys are answered too; an id that is not one of your account's is 404.",
        ..Spec::free("keys-get", Verb::Get, "/v1/keys/{id}", Group::Keys, Scope::Keys)
    };
    type Request = KeysGetRequest;
    type Question = KeyId;
    type Response = KeysGetResponse;

    fn parse(request: KeysGetRequest, _hosts: &NetworkHosts) -> Result<KeyId, Fault> {
        Ok(fields::key_id(&request.id))
    }

    fn example() -> (Value, KeysGetResponse) {
        (json!({ "id": EXAMPLE_ID }), KeysGetResponse { view: KeyView::example() })
    }

    async fn run(context: &Context, id: KeyId) -> Result<Outcome<KeysGetResponse>, Fault> {
        let listed = context.memory.keys().find(&id).await?;
        Ok(Outcome::nothing(KeysGetResponse { view: KeyView::of(listed, context.now) }))
    }
}
