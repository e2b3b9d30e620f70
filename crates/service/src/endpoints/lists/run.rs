//! `POST /v1/watch-lists/{id}/run`: what happened to those who are watched and was not told before.

use super::fields;
use super::view::EXAMPLE_ID;
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome, Step, Trace};
use crate::example;
use crate::fault::Fault;
use crate::lists::WatchHit;
use crate::search::TruncatedBy;
use crate::spec::{Group, Spec, Verb};
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{WATCH_RUN_ENTRIES_DEFAULT, WATCH_RUN_ENTRIES_MAX};
use assay_domain::{Credits, NetworkHosts, Price, SignalKind, WatchListId};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub const RUN_NAME: &str = "watch-lists-run";
pub const RUN_PRICE: Price = Price::PerUnit(Credits::whole(2));
const EXAMPLE_RUN: &str = "req_0197f7a05c3a7d12a4b1c2d3e4f50a02";

#[derive(Debug)]
pub enum WatchListsRun {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct WatchListsRunRequest {
    /// The list's id, `wl_…`.
    #[garde(skip)]
    id: String,
    /// Entries told of at most. The others wait for the next run.
    #[garde(range(min = 1, max = WATCH_RUN_ENTRIES_MAX))]
    #[schemars(range(min = 1, max = WATCH_RUN_ENTRIES_MAX))]
    limit: Option<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WatchListsRunResponse {
    /// What this run is read again by: `GET /v1/watch-lists/{id}/results?run_id=…`, free.
    pub run_id: String,
    pub results: Vec<WatchHit>,
    /// Whether more is to be told: run it again.
    pub has_more: bool,
    /// `credits` when there would have been more results if there were more of them.
    pub truncated_by: Option<TruncatedBy>,
}

impl Endpoint for WatchListsRun {
    const SPEC: Spec = Spec {
        name: RUN_NAME,
        group: Group::ListRuns,
        price: RUN_PRICE,
        unit: "entry with something new",
        units_max: WATCH_RUN_ENTRIES_MAX,
        summary: "What is new of those you watch",
        description: "Each entry to which something happened that this list has not told yet, with the signals and the whole record of \
                      the person or company; those for whom it happened first come first. The first run looks back 30 days. \
                      Whatever happens is told once a list, whoever runs it, also by several runs at once; an entry whose person or \
                      company is not known waits, and costs nothing. Charged for each entry, however much happened to it.",
        ..Spec::keeping(RUN_NAME, Verb::Post, "/v1/watch-lists/{id}/run")
    };
    type Request = WatchListsRunRequest;
    type Question = (WatchListId, u32);
    type Response = WatchListsRunResponse;

    fn parse(request: WatchListsRunRequest, _: &NetworkHosts) -> Result<Self::Question, Fault> {
        Ok((fields::list_id(&request.id), request.limit.unwrap_or(WATCH_RUN_ENTRIES_DEFAULT)))
    }

    fn units_max((_, limit): &Self::Question) -> u32 {
        *limit
    }

    fn example() -> (Value, WatchListsRunResponse) {
        let hit = WatchHit {
            entry: "https://network.example/in/ada-okafor".to_owned(),
            changes: vec!["job_change"],
            signals: vec![example::signal(SignalKind::JobChange).into()],
            signal_count: 1,
            person: Some(example::person().into()),
            company: None,
            person_id: None,
        };
        let run_id = EXAMPLE_RUN.to_owned();
        let response =
            WatchListsRunResponse { run_id, results: vec![hit], has_more: false, truncated_by: None };
        (json!({ "id": EXAMPLE_ID, "limit": 100 }), response)
    }

    fn not_found() -> Option<WatchListsRunResponse> {
        let run_id = EXAMPLE_RUN.to_owned();
        Some(WatchListsRunResponse { run_id, results: Vec::new(), has_more: false, truncated_by: None })
    }

    async fn run(
        context: &Context,
        (id, limit): Self::Question,
    ) -> Result<Outcome<WatchListsRunResponse>, Fault> {
        let watch = Stopwatch::start();
        let lists = context.memory.lists();
        let list = lists.find(id).await?;
        let most = limit.min(context.units_affordable);
        let found = lists.run(&context.engine, &list).find(context.request, most, context.now).await?;
        let has_more = found.has_more;
        let (results, deed) = found.into_parts();
        let units = u32::try_from(results.len()).unwrap_or(u32::MAX);
        let outcome = if units > 0 { "found" } else { "not_found" };
        let trace = Trace {
            steps: vec![Step::own("signals", outcome, watch.elapsed())],
            people: results.iter().filter_map(|hit| hit.person_id).collect(),
            ..Trace::default()
        };
        let truncated_by = (most < limit && has_more).then_some(TruncatedBy::Credits);
        let run_id = context.request.to_string();
        let body = WatchListsRunResponse { run_id, results, has_more, truncated_by };
        Ok(Outcome { deed: Some(deed), ..Outcome::found(body, units, trace) })
    }
}
