//! `GET /v1/watch-lists/{id}/results`: what a list told before, read again.

use super::fields::{self, ToldPage, ToldRequest};
use super::view::EXAMPLE_ID;
use crate::context::Context;
use crate::cursor;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::lists::{MatchCursor, WatchHit, show};
use crate::spec::{Spec, Verb};
use assay_domain::{NetworkHosts, WatchListId};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Debug)]
pub enum WatchListsResults {}

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
    type Request = ToldRequest;
    type Question = (WatchListId, ToldPage<MatchCursor>);
    type Response = WatchListsResultsResponse;

    fn parse(request: ToldRequest, _: &NetworkHosts) -> Result<Self::Question, Fault> {
        Ok((fields::list_id(&request.id), request.page()?))
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
        (id, asked): Self::Question,
    ) -> Result<Outcome<WatchListsResultsResponse>, Fault> {
        let lists = context.memory.lists();
        let list = lists.find(id).await?;
        let mut told = lists.told(list.id, asked.run, asked.after, asked.limit.saturating_add(1)).await?;
        let next_cursor = cursor::cut(&mut told, asked.limit, |row| row.cursor);
        let (taken, times): (Vec<_>, Vec<_>) = told.into_iter().map(|row| (row.taken, row.cursor.at)).unzip();
        let hits = show(&lists.run(&context.engine, &list), &taken).await?;
        let results =
            hits.into_iter().zip(times).filter_map(|(hit, told_at)| Some(ToldView { told_at, hit: hit? }));
        Ok(Outcome::nothing(WatchListsResultsResponse { results: results.collect(), next_cursor }))
    }
}
