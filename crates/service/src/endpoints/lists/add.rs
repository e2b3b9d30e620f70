//! `POST /v1/watch-lists/{id}/entries`: adds entries to a watch list.

use super::fields;
use super::view::EXAMPLE_ID;
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::lists::read_entries;
use crate::spec::{Spec, Verb};
use assay_domain::limits::{URL_CHARS_MAX, WATCH_ENTRIES_PER_CALL_MAX};
use assay_domain::{NetworkHosts, WatchListId};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum WatchListsAdd {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct EntriesRequest {
    /// The list's id, `wl_…`.
    #[garde(skip)]
    id: String,
    /// Addresses of profiles, or domains of companies, as the list is of the one or the other.
    #[garde(length(min = 1, max = WATCH_ENTRIES_PER_CALL_MAX), inner(length(chars, max = URL_CHARS_MAX)))]
    #[schemars(length(min = 1, max = WATCH_ENTRIES_PER_CALL_MAX))]
    entries: Vec<String>,
}

/// The list, the entries as they were sent, and the hosts they are read with: what they are is known with the list's kind.
#[derive(Debug)]
pub struct EntriesQuestion {
    pub id: WatchListId,
    pub entries: Vec<String>,
}

impl From<EntriesRequest> for EntriesQuestion {
    fn from(request: EntriesRequest) -> Self {
        Self { id: fields::list_id(&request.id), entries: request.entries }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WatchListsAddResponse {
    pub id: String,
    /// Those that were not in the list before.
    pub added: u32,
    pub entry_count: u32,
}

impl Endpoint for WatchListsAdd {
    const SPEC: Spec = Spec {
        summary: "Add to a watch list",
        description: "Up to 5,000 a call; a list holds 50,000. Who is in it already stays as they are. The first run with a new entry \
                      looks back 30 days.",
        ..Spec::keeping("watch-lists-add", Verb::Post, "/v1/watch-lists/{id}/entries")
    };
    type Request = EntriesRequest;
    type Question = EntriesQuestion;
    type Response = WatchListsAddResponse;

    fn parse(request: EntriesRequest, _: &NetworkHosts) -> Result<EntriesQuestion, Fault> {
        Ok(request.into())
    }

    fn example() -> (Value, WatchListsAddResponse) {
        let request = json!({ "id": EXAMPLE_ID, "entries": ["https://network.example/in/ada-okafor"] });
        (request, WatchListsAddResponse { id: EXAMPLE_ID.to_owned(), added: 1, entry_count: 3 })
    }

    async fn run(context: &Context, asked: EntriesQuestion) -> Result<Outcome<WatchListsAddResponse>, Fault> {
        let lists = context.memory.lists();
        let list = lists.find(asked.id).await?;
        let entries = read_entries(list.kind, &asked.entries, context.engine.hosts())?;
        let (added, entry_count) = lists.add(&context.engine, list.id, &entries).await?;
        Ok(Outcome::nothing(WatchListsAddResponse { id: list.id.to_string(), added, entry_count }))
    }
}
