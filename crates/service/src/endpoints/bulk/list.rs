//! `GET /v1/bulk`: the account's bulk jobs, newest first.

use super::view::BulkView;
use crate::bulk::{BulkCursor, BulkStatus};
use crate::context::Context;
use crate::cursor;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::{NetworkHosts, limits};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum BulkList {}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "BulkStatus")]
enum StatusWord {
    Queued,
    Running,
    PausedInsufficientCredits,
    Completed,
    CompletedWithErrors,
    Canceled,
    Failed,
}

impl From<StatusWord> for BulkStatus {
    fn from(word: StatusWord) -> Self {
        match word {
            StatusWord::Queued => Self::Queued,
            StatusWord::Running => Self::Running,
            StatusWord::PausedInsufficientCredits => Self::Paused,
            StatusWord::Completed => Self::Completed,
            StatusWord::CompletedWithErrors => Self::CompletedWithErrors,
            StatusWord::Canceled => Self::Canceled,
            StatusWord::Failed => Self::Failed,
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct BulkListRequest {
    /// Only jobs that stand so.
    #[garde(skip)]
    status: Option<StatusWord>,
    #[garde(range(min = 1, max = limits::PAGE_ROWS_MAX))]
    limit: Option<u32>,
    #[garde(length(chars, max = limits::CURSOR_CHARS_MAX))]
    cursor: Option<String>,
}

#[derive(Debug)]
pub struct BulkListQuestion {
    status: Option<BulkStatus>,
    after: Option<BulkCursor>,
    limit: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct BulkListResponse {
    pub results: Vec<BulkView>,
    pub next_cursor: Option<String>,
}

impl Endpoint for BulkList {
    const SPEC: Spec = Spec {
        summary: "Your bulk jobs",
        description: "The account's bulk jobs of the last 30 days, newest first, without their results.",
        ..Spec::free("bulk-list", Verb::Get, "/v1/bulk", Group::Bulk, Scope::Bulk)
    };
    type Request = BulkListRequest;
    type Question = BulkListQuestion;
    type Response = BulkListResponse;

    fn parse(request: BulkListRequest, _hosts: &NetworkHosts) -> Result<BulkListQuestion, Fault> {
        Ok(BulkListQuestion {
            status: request.status.map(Into::into),
            after: cursor::read(request.cursor.as_deref())?,
            limit: request.limit.unwrap_or(limits::PAGE_ROWS_DEFAULT),
        })
    }

    fn example() -> (Value, BulkListResponse) {
        let response = BulkListResponse { results: vec![BulkView::example()], next_cursor: None };
        (json!({ "status": "completed" }), response)
    }

    async fn run(context: &Context, question: BulkListQuestion) -> Result<Outcome<BulkListResponse>, Fault> {
        let BulkListQuestion { status, after, limit } = question;
        // One more than asked for tells whether there is a next page.
        let mut rows = context.memory.bulks().list(status, after, limit.saturating_add(1)).await?;
        let next_cursor =
            cursor::cut(&mut rows, limit, |row| BulkCursor { created_at: row.created_at, id: row.id.uuid() });
        let results = rows.iter().map(BulkView::of).collect();
        Ok(Outcome::nothing(BulkListResponse { results, next_cursor }))
    }
}
