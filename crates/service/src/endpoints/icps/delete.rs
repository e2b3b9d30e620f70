//! `DELETE /v1/saved-icps/{id}`: forgets a saved ICP.

use super::fields;
use super::view::EXAMPLE_ID;
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Spec, Verb};
use assay_domain::{IcpId, NetworkHosts};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum SavedIcpsDelete {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct SavedIcpsDeleteRequest {
    /// Its id, `icp_…`.
    #[garde(skip)]
    id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SavedIcpsDeleteResponse {
    pub id: String,
    pub deleted: bool,
}

impl Endpoint for SavedIcpsDelete {
    const SPEC: Spec = Spec {
        summary: "Forget a saved ICP",
        description: "It is gone at once, and with it the memory of whom it has shown. What was charged stays in your history.",
        ..Spec::keeping("saved-icps-delete", Verb::Delete, "/v1/saved-icps/{id}")
    };
    type Request = SavedIcpsDeleteRequest;
    type Question = IcpId;
    type Response = SavedIcpsDeleteResponse;

    fn parse(request: SavedIcpsDeleteRequest, _: &NetworkHosts) -> Result<IcpId, Fault> {
        Ok(fields::icp_id(&request.id))
    }

    fn example() -> (Value, SavedIcpsDeleteResponse) {
        (json!({ "id": EXAMPLE_ID }), SavedIcpsDeleteResponse { id: EXAMPLE_ID.to_owned(), deleted: true })
    }

    async fn run(context: &Context, id: IcpId) -> Result<Outcome<SavedIcpsDeleteResponse>, Fault> {
        context.memory.icps().delete(id).await?;
        Ok(Outcome::nothing(SavedIcpsDeleteResponse { id: id.to_string(), deleted: true }))
    }
}
