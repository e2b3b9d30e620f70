//! `POST /v1/watch-lists`: makes a watch list.

use super::fields::{self, KindAsked, ScheduleAsked, TransitionAsked};
use super::view::WatchListAnswer;
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::lists::{ListTerms, read_entries};
use crate::spec::{Spec, Verb};
use assay_domain::NetworkHosts;
use assay_domain::limits::{LIST_NAME_CHARS_MAX, URL_CHARS_MAX, WATCH_ENTRIES_PER_CALL_MAX};
use assay_engine::signals::Watched;
use garde::Validate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug)]
pub enum WatchListsCreate {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct WatchListsCreateRequest {
    #[garde(length(chars, min = 1, max = LIST_NAME_CHARS_MAX))]
    #[schemars(length(min = 1, max = LIST_NAME_CHARS_MAX))]
    name: String,
    kind: KindAsked,
    /// Addresses of profiles, or domains of companies. More can be added later.
    #[serde(default)]
    #[garde(length(max = WATCH_ENTRIES_PER_CALL_MAX), inner(length(chars, max = URL_CHARS_MAX)))]
    #[schemars(length(max = WATCH_ENTRIES_PER_CALL_MAX))]
    entries: Vec<String>,
    /// What is watched for. Default, and when empty: everything that can happen to one of the kind.
    #[garde(length(max = 6))]
    track: Option<Vec<TransitionAsked>>,
    /// Runs it without being asked, and tells your webhooks. Without one it runs only when asked.
    #[garde(dive)]
    schedule: Option<ScheduleAsked>,
}

impl Endpoint for WatchListsCreate {
    const SPEC: Spec = Spec {
        status: 201,
        summary: "Make a watch list",
        description: "Keeps up to 5,000 profiles or companies a call, 50,000 a list, to be compared with the feed whenever the list is \
                      run. Entries are kept sealed, each once. With a `schedule` it runs by itself, each run for at most \
                      `max_credits`, and the events `watch_list.matched` (and of people `quiet_power_users.matched`) tell your \
                      webhooks of it.",
        ..Spec::keeping("watch-lists-create", Verb::Post, "/v1/watch-lists")
    };
    type Request = WatchListsCreateRequest;
    type Question = (ListTerms, Vec<Watched>);
    type Response = WatchListAnswer;

    fn parse(request: WatchListsCreateRequest, hosts: &NetworkHosts) -> Result<Self::Question, Fault> {
        let kind = request.kind.into();
        let terms = ListTerms {
            name: fields::name(&request.name)?,
            kind,
            track: fields::track(kind, request.track.as_deref())?,
            schedule: request.schedule.map(ScheduleAsked::read).transpose()?,
        };
        Ok((terms, read_entries(kind, &request.entries, hosts)?))
    }

    fn example() -> (Value, WatchListAnswer) {
        let request = json!({
            "name": "champions", "kind": "people",
            "entries": ["https://network.example/in/ada-okafor", "https://network.example/in/tomas-lindqvist"]
        });
        (request, WatchListAnswer::example())
    }

    async fn run(
        context: &Context,
        (terms, entries): Self::Question,
    ) -> Result<Outcome<WatchListAnswer>, Fault> {
        let row = context.memory.lists().create(&context.engine, terms, &entries, context.now).await?;
        Ok(Outcome::nothing(WatchListAnswer::of(row)))
    }
}
