//! `GET /v1/watch-lists`: the account's watch lists, newest first.

use super::view::WatchListView;
use crate::context::Context;
use crate::cursor;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::lists::WatchListCursor;
use crate::spec::{Spec, Verb};
use assay_domain::NetworkHosts;
use assay_domain::limits::{CURSOR_CHARS_MAX, PAGE_ROWS_DEFAULT, PAGE_ROWS_MAX};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum WatchListsList {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct WatchListsListRequest {
    #[garde(range(min = 1, max = PAGE_ROWS_MAX))]
    #[schemars(range(min = 1, max = PAGE_ROWS_MAX))]
    limit: Option<u32>,
    #[garde(length(chars, max = CURSOR_CHARS_MAX))]
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WatchListsListResponse {
    pub results: Vec<WatchListView>,
    pub next_cursor: Option<String>,
}

impl Endpoint for WatchListsList {
    const SPEC: Spec = Spec {
        summary: "Your watch lists",
        description: "The account's watch lists, newest first: what each watches for, how many entries it has, when it last ran.",
        ..Spec::keeping("watch-lists-list", Verb::Get, "/v1/watch-lists")
    };
    type Request = WatchListsListRequest;
    type Question = (Option<WatchListCursor>, u32);
    type Response = WatchListsListResponse;

    fn parse(request: WatchListsListRequest, _: &NetworkHosts) -> Result<Self::Question, Fault> {
        Ok((cursor::read(request.cursor.as_deref())?, request.limit.unwrap_or(PAGE_ROWS_DEFAULT)))
    }

    fn example() -> (Value, WatchListsListResponse) {
        let response = WatchListsListResponse { results: vec![WatchListView::example()], next_cursor: None };
        (json!({ "limit": 25 }), response)
    }

    async fn run(
        context: &Context,
        (after, limit): Self::Question,
    ) -> Result<Outcome<WatchListsListResponse>, Fault> {
        let mut rows = context.memory.lists().page(after, limit.saturating_add(1)).await?;
        let next_cursor =
            cursor::cut(&mut rows, limit, |row| WatchListCursor { at: row.created_at, id: row.id.uuid() });
        let results = rows.into_iter().map(WatchListView::of).collect();
        Ok(Outcome::nothing(WatchListsListResponse { results, next_cursor }))
    }
}
