//! `GET /v1/bulk/{id}/results.ndjson`: all results of a bulk job, one JSON object a line.

use super::view::EXAMPLE_ID;
use crate::bulk::{BulkRow, ItemView, ItemWord};
use crate::context::Context;
use crate::endpoint::{Chunks, StreamEndpoint};
use crate::exports::Export;
use crate::fault::{Code, Fault};
use crate::memory::AccountMemory;
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::{NetworkHosts, limits};
use assay_engine::Engine;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use garde::Validate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug)]
pub enum BulkResultsNdjson {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct BulkResultsRequest {
    #[garde(length(chars, max = limits::ID_CHARS_MAX))]
    id: String,
    /// Only results that came to this.
    #[garde(skip)]
    status: Option<ItemWord>,
}

/// Which results of which job.
#[derive(Debug)]
pub struct BulkResultsQuestion {
    id: String,
    status: Option<ItemWord>,
}

impl From<BulkResultsRequest> for BulkResultsQuestion {
    fn from(request: BulkResultsRequest) -> Self {
        Self { id: request.id, status: request.status }
    }
}

const EXAMPLE: &str = "{\"index\":0,\"id\":\"2\",\"status\":\"not_found\",\"person\":null,\"confidence\":null,\
    \"matched_on\":[],\"cost\":{\"credits\":0},\"error\":null}\n";

impl StreamEndpoint for BulkResultsNdjson {
    const SPEC: Spec = Spec {
        summary: "The results of a bulk job, as NDJSON",
        description: "Every result in the order of the items, one JSON object a line.",
        ..Spec::free(
            "bulk-results-ndjson",
            Verb::Get,
            "/v1/bulk/{id}/results.ndjson",
            Group::Bulk,
            Scope::Bulk,
        )
    };
    const CONTENT_TYPE: &'static str = "application/x-ndjson";
    const FILE_NAME: Option<&'static str> = Some("assay-bulk.ndjson");
    type Request = BulkResultsRequest;
    type Question = BulkResultsQuestion;

    fn parse(request: BulkResultsRequest, _hosts: &NetworkHosts) -> Result<BulkResultsQuestion, Fault> {
        Ok(request.into())
    }

    fn example() -> (Value, &'static str) {
        (json!({ "id": EXAMPLE_ID }), EXAMPLE)
    }

    async fn run(context: &Context, question: BulkResultsQuestion) -> Result<Chunks, Fault> {
        stream_results(context, question, Bytes::new(), |results| {
            let mut lines = Vec::new();
            for result in results {
                serde_json::to_writer(&mut lines, result)
                    .map_err(|_| Fault::new(Code::Internal, "a result could not be written"))?;
                lines.push(b'\n');
            }
            Ok(lines.into())
        })
        .await
    }
}

type Write = fn(&[ItemView]) -> Result<Bytes, Fault>;

/// Results on their way. Between two pages nothing is held but the place among the exports.
struct Reading {
    memory: AccountMemory,
    engine: Engine,
    row: BulkRow,
    status: Option<ItemWord>,
    next: Option<usize>,
    write: Write,
    _place: Export,
}

/// All results of a job, in the form `write` gives them. What fails before the first page can still be a problem document.
pub(super) async fn stream_results(
    context: &Context,
    question: BulkResultsQuestion,
    header: Bytes,
    write: Write,
) -> Result<Chunks, Fault> {
    let row = context.memory.bulks().find(&question.id).await?;
    let mut reading = Reading {
        memory: context.memory.clone(),
        engine: context.engine.clone(),
        row,
        status: question.status,
        next: Some(0),
        write,
        _place: context.exports.enter(context.memory.account())?,
    };
    let first = reading.page(0).await?;
    let rest = stream::try_unfold(reading, |mut reading| async move {
        let Some(from) = reading.next else { return Ok(None) };
        let page = reading.page(from).await?;
        Ok(Some((page, reading)))
    });
    Ok(Box::pin(stream::iter([Ok(header), Ok(first)]).chain(rest)))
}

impl Reading {
    async fn page(&mut self, from: usize) -> Result<Bytes, Fault> {
        let limit = usize::try_from(limits::PAGE_ROWS_MAX).unwrap_or(1);
        let page = self.memory.bulks().page(&self.engine, &self.row, from, limit, self.status).await?;
        self.next = page.next;
        (self.write)(&page.results)
    }
}
