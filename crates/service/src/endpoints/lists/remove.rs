//! `POST /v1/watch-lists/{id}/entries/remove`: removes entries from a watch list.

use super::add::{EntriesQuestion, EntriesRequest};
use super::view::EXAMPLE_ID;
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::lists::read_entries;
use crate::spec::{Spec, Verb};
use assay_domain::NetworkHosts;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Debug)]
pub enum WatchListsRemove {}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WatchListsRemoveResponse {
    pub id: String,
    /// Those that were in the list.
    pub removed: u32,
    pub entry_count: u32,
}

impl Endpoint for WatchListsRemove {
    const SPEC: Spec = Spec {
        summary: "Remove from a watch list",
        description: "Up to 5,000 a call. What happened to them and was not told yet is forgotten; what was told stays told, also when \
                      they are added again.",
        ..Spec::keeping("watch-lists-remove", Verb::Post, "/v1/watch-lists/{id}/entries/remove")
    };
    type Request = EntriesRequest;
    type Question = EntriesQuestion;
    type Response = WatchListsRemoveResponse;

    fn parse(request: EntriesRequest, _: &NetworkHosts) -> Result<EntriesQuestion, Fault> {
        Ok(request.into())
    }

    fn example() -> (Value, WatchListsRemoveResponse) {
        let request = json!({ "id": EXAMPLE_ID, "entries": ["https://network.example/in/ada-okafor"] });
        (request, WatchListsRemoveResponse { id: EXAMPLE_ID.to_owned(), removed: 1, entry_count: 1 })
    }

    async fn run(
        context: &Context,
        asked: EntriesQuestion,
    ) -> Result<Outcome<WatchListsRemoveResponse>, Fault> {
        let lists = context.memory.lists();
        let list = lists.find(asked.id).await?;
        let entries = read_entries(list.kind, &asked.entries, context.engine.hosts())?;
        let (removed, entry_count) = lists.remove(&context.engine, list.id, &entries).await?;
        Ok(Outcome::nothing(WatchListsRemoveResponse { id: list.id.to_string(), removed, entry_count }))
    }
}
