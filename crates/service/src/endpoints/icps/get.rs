//! `GET /v1/saved-icps/{id}`: one saved ICP.

use super::fields;
use super::view::{EXAMPLE_ID, IcpAnswer};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Spec, Verb};
use assay_domain::{IcpId, NetworkHosts};
use garde::Validate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug)]
pub enum SavedIcpsGet {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct SavedIcpsGetRequest {
    /// Its id, `icp_…`.
    #[garde(skip)]
    id: String,
}

impl Endpoint for SavedIcpsGet {
    const SPEC: Spec = Spec {
        summary: "One saved ICP",
        description: "Its filters, when it last ran and how many it found. An id that is not one of your account's is 404.",
        ..Spec::keeping("saved-icps-get", Verb::Get, "/v1/saved-icps/{id}")
    };
    type Request = SavedIcpsGetRequest;
    type Question = IcpId;
    type Response = IcpAnswer;

    fn parse(request: SavedIcpsGetRequest, _: &NetworkHosts) -> Result<IcpId, Fault> {
        Ok(fields::icp_id(&request.id))
    }

    fn example() -> (Value, IcpAnswer) {
        (json!({ "id": EXAMPLE_ID }), IcpAnswer::example())
    }

    async fn run(context: &Context, id: IcpId) -> Result<Outcome<IcpAnswer>, Fault> {
        Ok(Outcome::nothing(IcpAnswer::of(context.memory.icps().find(id).await?)))
    }
}
