//! `PATCH /v1/watch-lists/{id}`: renames a list, and sets what it watches for and when it runs by itself.

use super::fields::{self, ScheduleAsked, TransitionAsked};
use super::view::{EXAMPLE_ID, WatchListAnswer};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::lists::ListChange;
use crate::spec::{Spec, Verb};
use assay_domain::limits::LIST_NAME_CHARS_MAX;
use assay_domain::{NetworkHosts, WatchListId};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum WatchListsChange {}

/// What is left out stays as it is.
#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct WatchListsChangeRequest {
    /// The list's id, `wl_…`.
    id: String,
    #[garde(length(chars, min = 1, max = LIST_NAME_CHARS_MAX))]
    #[schemars(length(min = 1, max = LIST_NAME_CHARS_MAX))]
    name: Option<String>,
    /// What is watched for from now on. What is new among it is looked back for by the next run.
    #[garde(length(min = 1, max = 6))]
    track: Option<Vec<TransitionAsked>>,
    /// Null ends it.
    #[serde(default, deserialize_with = "given")]
    #[garde(dive)]
    #[schemars(with = "Option<ScheduleAsked>")]
    schedule: Option<Option<ScheduleAsked>>,
}

/// Tells null from nothing.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<ScheduleAsked>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

#[derive(Debug)]
pub struct WatchListsChangeQuestion {
    id: WatchListId,
    track: Option<Vec<TransitionAsked>>,
    change: ListChange,
}

impl Endpoint for WatchListsChange {
    const SPEC: Spec = Spec {
        summary: "Change a watch list",
        description: "Renames it, sets what it watches for, or sets (`schedule`) or ends (`schedule: null`) its runs without being \
                      asked. Scheduled runs count in the history and the cap of the key that set the schedule.",
        ..Spec::keeping("watch-lists-change", Verb::Patch, "/v1/watch-lists/{id}")
    };
    type Request = WatchListsChangeRequest;
    type Question = WatchListsChangeQuestion;
    type Response = WatchListAnswer;

    fn parse(request: WatchListsChangeRequest, _: &NetworkHosts) -> Result<WatchListsChangeQuestion, Fault> {
        let schedule =
            request.schedule.map(|schedule| schedule.map(ScheduleAsked::read).transpose()).transpose()?;
        let name = request.name.as_deref().map(fields::name).transpose()?;
        let change = ListChange { name, track: None, schedule };
        Ok(WatchListsChangeQuestion { id: fields::list_id(&request.id), track: request.track, change })
    }

    fn example() -> (Value, WatchListAnswer) {
        let mut view = WatchListAnswer::example();
        view.list.track = vec!["job_change"];
        (json!({ "id": EXAMPLE_ID, "name": "champions", "track": ["job_change"] }), view)
    }

    async fn run(
        context: &Context,
        asked: WatchListsChangeQuestion,
    ) -> Result<Outcome<WatchListAnswer>, Fault> {
        let lists = context.memory.lists();
        let kind = lists.find(asked.id).await?.kind;
        let track = asked.track.as_deref().map(|track| fields::track(kind, Some(track))).transpose()?;
        let row = lists.change(asked.id, &ListChange { track, ..asked.change }, context.now).await?;
        Ok(Outcome::nothing(WatchListAnswer::of(row)))
    }
}
