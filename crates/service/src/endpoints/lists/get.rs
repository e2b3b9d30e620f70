//! `GET /v1/watch-lists/{id}`: one watch list.

use super::fields;
use super::view::{EXAMPLE_ID, WatchListAnswer};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Spec, Verb};
use assay_domain::{NetworkHosts, WatchListId};
use garde::Validate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug)]
pub enum WatchListsGet {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct WatchListsGetRequest {
    /// The list's id, `wl_…`.
    #[garde(skip)]
    id: String,
}

impl Endpoint for WatchListsGet {
    const SPEC: Spec = Spec {
        summary: "One watch list",
        description: "What it watches for, how many entries it has, its schedule, and when it last ran. An id that is not one of your \
                      account's is 404.",
        ..Spec::keeping("watch-lists-get", Verb::Get, "/v1/watch-lists/{id}")
    };
    type Request = WatchListsGetRequest;
    type Question = WatchListId;
    type Response = WatchListAnswer;

    fn parse(request: WatchListsGetRequest, _: &NetworkHosts) -> Result<WatchListId, Fault> {
        Ok(fields::list_id(&request.id))
    }

    fn example() -> (Value, WatchListAnswer) {
        (json!({ "id": EXAMPLE_ID }), WatchListAnswer::example())
    }

    async fn run(context: &Context, id: WatchListId) -> Result<Outcome<WatchListAnswer>, Fault> {
        Ok(Outcome::nothing(WatchListAnswer::of(context.memory.lists().find(id).await?)))
    }
}
