//! `GET /v1/saved-icps`: the account's saved ICPs, newest first.

use super::view::IcpView;
use crate::account_icps::IcpCursor;
use crate::context::Context;
use crate::cursor;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Spec, Verb};
use assay_domain::NetworkHosts;
use assay_domain::limits::{CURSOR_CHARS_MAX, PAGE_ROWS_DEFAULT, PAGE_ROWS_MAX};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum SavedIcpsList {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct SavedIcpsListRequest {
    #[garde(range(min = 1, max = PAGE_ROWS_MAX))]
    #[schemars(range(min = 1, max = PAGE_ROWS_MAX))]
    limit: Option<u32>,
    #[garde(length(chars, max = CURSOR_CHARS_MAX))]
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SavedIcpsListResponse {
    pub results: Vec<IcpView>,
    pub next_cursor: Option<String>,
}

impl Endpoint for SavedIcpsList {
    const SPEC: Spec = Spec {
        summary: "Your saved ICPs",
        description: "The account's saved ICPs, newest first: their filters, when each last ran and how many it found.",
        ..Spec::keeping("saved-icps-list", Verb::Get, "/v1/saved-icps")
    };
    type Request = SavedIcpsListRequest;
    type Question = (Option<IcpCursor>, u32);
    type Response = SavedIcpsListResponse;

    fn parse(request: SavedIcpsListRequest, _: &NetworkHosts) -> Result<Self::Question, Fault> {
        Ok((cursor::read(request.cursor.as_deref())?, request.limit.unwrap_or(PAGE_ROWS_DEFAULT)))
    }

    fn example() -> (Value, SavedIcpsListResponse) {
        let response = SavedIcpsListResponse { results: vec![IcpView::example()], next_cursor: None };
        (json!({ "limit": 25 }), response)
    }

    async fn run(
        context: &Context,
        (after, limit): Self::Question,
    ) -> Result<Outcome<SavedIcpsListResponse>, Fault> {
        let mut rows = context.memory.icps().page(after, limit.saturating_add(1)).await?;
        let next_cursor =
            cursor::cut(&mut rows, limit, |row| IcpCursor { at: row.created_at, id: row.id.uuid() });
        let results = rows.into_iter().map(IcpView::of).collect();
        Ok(Outcome::nothing(SavedIcpsListResponse { results, next_cursor }))
    }
}
