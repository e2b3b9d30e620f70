//! `GET /v1/suppressions`: what is kept out, newest first.

use super::view::SuppressionView;
use crate::context::Context;
use crate::cursor;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::{NetworkHosts, SuppressionId, limits};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum SuppressionsList {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct SuppressionsListRequest {
    #[garde(range(min = 1, max = limits::PAGE_ROWS_MAX))]
    limit: Option<u32>,
    #[garde(length(chars, max = limits::CURSOR_CHARS_MAX))]
    cursor: Option<String>,
}

#[derive(Debug)]
pub struct SuppressionsListQuestion {
    after: Option<SuppressionId>,
    limit: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SuppressionsListResponse {
    pub results: Vec<SuppressionView>,
    pub next_cursor: Option<String>,
}

impl Endpoint for SuppressionsList {
    const SPEC: Spec = Spec {
        summary: "What is kept out",
        description: "Every suppression, newest first. What each is of cannot be told: only keyed digests are stored. \
                      For emails and phones the hash that deletion lists exchange is told, to pass the wish on.",
        ..Spec::free("suppressions-list", Verb::Get, "/v1/suppressions", Group::Operator, Scope::Operator)
    };
    type Request = SuppressionsListRequest;
    type Question = SuppressionsListQuestion;
    type Response = SuppressionsListResponse;

    fn parse(
        request: SuppressionsListRequest,
        _hosts: &NetworkHosts,
    ) -> Result<SuppressionsListQuestion, Fault> {
        let after = cursor::read(request.cursor.as_deref())?;
        Ok(SuppressionsListQuestion { after, limit: request.limit.unwrap_or(limits::PAGE_ROWS_DEFAULT) })
    }

    fn example() -> (Value, SuppressionsListResponse) {
        let response =
            SuppressionsListResponse { results: vec![SuppressionView::example()], next_cursor: None };
        (json!({ "limit": 25 }), response)
    }

    async fn run(
        context: &Context,
        question: SuppressionsListQuestion,
    ) -> Result<Outcome<SuppressionsListResponse>, Fault> {
        // One more than asked for tells whether there is a next page.
        let mut rows = context.engine.suppressions(question.after, question.limit.saturating_add(1)).await?;
        let next_cursor = cursor::cut(&mut rows, question.limit, |row| row.id);
        let results = rows.into_iter().map(Into::into).collect();
        Ok(Outcome::nothing(SuppressionsListResponse { results, next_cursor }))
    }
}
