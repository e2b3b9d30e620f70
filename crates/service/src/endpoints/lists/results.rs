//! `GET /v1/watch-lists/{id}/results`: what a list told before, read again.

use super::fields;
use super::view::EXAMPLE_ID;
use crate::context::Context;
use crate::cursor;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::lists::{MatchCursor, WatchHit, show};
use crate::spec::{Spec, Verb};
use assay_domain::limits::{CURSOR_CHARS_MAX, ID_CHARS_MAX, PAGE_ROWS_DEFAULT, PAGE_ROWS_MAX};
use assay_domain::{NetworkHosts, RequestId, WatchListId};
use chrono::{DateTime, Utc};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Debug)]
pub enum WatchListsResults {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct WatchListsResultsRequest {
    /// The list's id, `wl_…`.
    #[garde(skip)]
    id: String,
    /// Of one run only, `req_…`.
    #[garde(length(chars, max = ID_CHARS_MAX))]
    run_id: Option<String>,
    #[garde(range(min = 1, max = PAGE_ROWS_MAX))]
    #[schemars(range(min = 1, max = PAGE_ROWS_MAX))]
    limit: Option<u32>,
    #[garde(length(chars, max = CURSOR_CHARS_MAX))]
    cursor: Option<String>,
}

#[derive(Debug)]
pub struct WatchListsResultsQuestion {
    id: WatchListId,
    run: Option<RequestId>,
    after: Option<MatchCursor>,
    limit: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WatchListsResultsResponse {
    pub results: Vec<ToldView>,
    pub next_cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ToldWatchHit")]
pub struct ToldView {
    pub told_at: DateTime<Utc>,
    #[serde(flatten)]
    pub hit: WatchHit,
}

impl Endpoint for WatchListsResults {
    const SPEC: Spec = Spec {
        summary: "What a watch list told before",
        description: "Each entry the list told of, the newest first, as people and companies are known today; whoever was erased \
                      since is gone. For answers that were lost, and for runs nobody waited for. Free: it was paid for.",
        ..Spec::keeping("watch-lists-results", Verb::Get, "/v1/watch-lists/{id}/results")
    };
    type Request = WatchListsResultsRequest;
    type Question = WatchListsResultsQuestion;
    type Response = WatchListsResultsResponse;

    fn parse(
        request: WatchListsResultsRequest,
        _: &NetworkHosts,
    ) -> Result<WatchListsResultsQuestion, Fault> {
        // A text that can be no id is one that no run has.
        let nobody = RequestId::from_uuid(Uuid::nil());
        Ok(WatchListsResultsQuestion {
            id: fields::list_id(&request.id),
            run: request.run_id.map(|run| run.parse().unwrap_or(nobody)),
            after: cursor::read(request.cursor.as_deref())?,
            limit: request.limit.unwrap_or(PAGE_ROWS_DEFAULT),
        })
    }

    fn example() -> (Value, WatchListsResultsResponse) {
        let (_, run) = super::WatchListsRun::example();
        let told = |hit| ToldView { told_at: crate::example::moment(), hit };
        let results = run.results.into_iter().map(told).collect();
        (
            json!({ "id": EXAMPLE_ID, "run_id": run.run_id }),
            WatchListsResultsResponse { results, next_cursor: None },
        )
    }

    async fn run(
        context: &Context,
        asked: WatchListsResultsQuestion,
    ) -> Result<Outcome<WatchListsResultsResponse>, Fault> {
        let lists = context.memory.lists();
        let list = lists.find(asked.id).await?;
        let mut told = lists.told(list.id, asked.run, asked.after, asked.limit.saturating_add(1)).await?;
        let next_cursor = cursor::cut(&mut told, asked.limit, |row| row.cursor);
        let (taken, times): (Vec<_>, Vec<_>) = told.into_iter().map(|row| (row.taken, row.cursor.at)).unzip();
        let hits = show(&lists.run(&context.engine, &list), &taken).await?;
        let results =
            hits.into_iter().zip(times).filter_map(|(hit, told_at)| Some(ToldView { told_at, hit: hit? }));
        Ok(Outcome::nothing(WatchListsResultsResponse { results: results.collect(), next_cursor }))
    }
}
