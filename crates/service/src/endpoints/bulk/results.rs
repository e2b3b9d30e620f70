//! All results of a bulk job, written piece by piece; in which form is for the format to say.

use super::view::EXAMPLE_ID;
use crate::bulk::{BulkRow, ItemView, ItemWord};
use crate::context::Context;
use crate::endpoint::{Chunks, StreamEndpoint};
use crate::exports::Export;
use crate::fault::Fault;
use crate::memory::AccountMemory;
use crate::spec::Spec;
use assay_domain::{NetworkHosts, limits};
use assay_engine::Engine;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use garde::Validate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::marker::PhantomData;

/// How results are written.
pub trait ResultsFormat: Send + 'static {
    const SPEC: Spec;
    const CONTENT_TYPE: &'static str;
    const FILE_NAME: &'static str;
    /// The whole of a short answer.
    const EXAMPLE: &'static str;

    /// What stands before the first of them.
    fn header() -> Bytes {
        Bytes::new()
    }

    fn write(results: &[ItemView]) -> Result<Bytes, Fault>;
}

/// The results of a job in a format.
#[derive(Debug)]
pub struct BulkResults<F>(PhantomData<F>);

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct BulkResultsRequest {
    #[garde(length(chars, max = limits::ID_CHARS_MAX))]
    id: String,
    /// Only results that came to this.
    #[garde(skip)]
    status: Option<ItemWord>,
}

impl<F: ResultsFormat> StreamEndpoint for BulkResults<F> {
    const SPEC: Spec = F::SPEC;
    const CONTENT_TYPE: &'static str = F::CONTENT_TYPE;
    const FILE_NAME: Option<&'static str> = Some(F::FILE_NAME);
    type Request = BulkResultsRequest;
    type Question = BulkResultsRequest;

    fn parse(request: BulkResultsRequest, _hosts: &NetworkHosts) -> Result<BulkResultsRequest, Fault> {
        Ok(request)
    }

    fn example() -> (Value, &'static str) {
        (json!({ "id": EXAMPLE_ID }), F::EXAMPLE)
    }

    /// What fails before the first page can still be a problem document.
    async fn run(context: &Context, asked: BulkResultsRequest) -> Result<Chunks, Fault> {
        let mut reading = Reading {
            row: context.memory.bulks().find(&asked.id).await?,
            memory: context.memory.clone(),
            engine: context.engine.clone(),
            status: asked.status,
            next: Some(0),
            _place: context.exports.enter(context.memory.account())?,
        };
        let first = F::write(&reading.page(0).await?)?;
        let rest = stream::try_unfold(reading, |mut reading| async move {
            let Some(from) = reading.next else { return Ok(None) };
            let page = F::write(&reading.page(from).await?)?;
            Ok(Some((page, reading)))
        });
        Ok(Box::pin(stream::iter([Ok(F::header()), Ok(first)]).chain(rest)))
    }
}

/// Results on their way. Between two pages nothing is held but the place among the exports.
struct Reading {
    memory: AccountMemory,
    engine: Engine,
    row: BulkRow,
    status: Option<ItemWord>,
    next: Option<usize>,
    _place: Export,
}

impl Reading {
    async fn page(&mut self, from: usize) -> Result<Vec<ItemView>, Fault> {
        let limit = usize::try_from(limits::PAGE_ROWS_MAX).unwrap_or(1);
        let page = self.memory.bulks().page(&self.engine, &self.row, from, limit, self.status).await?;
        self.next = page.next;
        Ok(page.results)
    }
}
