//! `DELETE /v1/watch-lists/{id}`: forgets a watch list.

use super::fields;
use super::view::EXAMPLE_ID;
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Spec, Verb};
use assay_domain::{NetworkHosts, WatchListId};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum WatchListsDelete {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct WatchListsDeleteRequest {
    /// The list's id, `wl_…`.
    #[garde(skip)]
    id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WatchListsDeleteResponse {
    pub id: String,
    pub deleted: bool,
}

impl Endpoint for WatchListsDelete {
    const SPEC: Spec = Spec {
        summary: "Forget a watch list",
        description: "The list, its entries and what it told are gone at once, and its schedule with it. What was charged stays in \
                      your history.",
        ..Spec::keeping("watch-lists-delete", Verb::Delete, "/v1/watch-lists/{id}")
    };
    type Request = WatchListsDeleteRequest;
    type Question = WatchListId;
    type Response = WatchListsDeleteResponse;

    fn parse(request: WatchListsDeleteRequest, _: &NetworkHosts) -> Result<WatchListId, Fault> {
        Ok(fields::list_id(&request.id))
    }

    fn example() -> (Value, WatchListsDeleteResponse) {
        (json!({ "id": EXAMPLE_ID }), WatchListsDeleteResponse { id: EXAMPLE_ID.to_owned(), deleted: true })
    }

    async fn run(context: &Context, id: WatchListId) -> Result<Outcome<WatchListsDeleteResponse>, Fault> {
        context.memory.lists().delete(id).await?;
        Ok(Outcome::nothing(WatchListsDeleteResponse { id: id.to_string(), deleted: true }))
    }
}
