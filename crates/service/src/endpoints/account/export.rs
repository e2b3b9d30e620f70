//! `GET /v1/me/history/export`: every lookup of the account as CSV, newest first, read and written page by page.

use super::history::{HistoryRequest, filter_of};
use crate::context::Context;
use crate::csv::Sheet;
use crate::endpoint::{Chunks, StreamEndpoint};
use crate::exports::Export;
use crate::fault::{Fault, FieldError};
use crate::memory::{AccountMemory, HistoryFilter, HistoryRow};
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::{NetworkHosts, RequestId, limits};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use garde::Validate;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;

#[derive(Debug)]
pub enum HistoryExport {}

/// The filter of the history. An export has no pages, so what chooses one is refused.
#[derive(Debug, Deserialize, Validate)]
#[serde(transparent)]
#[garde(transparent)]
pub struct ExportRequest(#[garde(dive)] HistoryRequest);

impl JsonSchema for ExportRequest {
    fn schema_name() -> Cow<'static, str> {
        "HistoryExportRequest".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = HistoryRequest::json_schema(generator);
        if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            fields.retain(|name, _| !PAGE_FIELDS.contains(&name.as_str()));
        }
        schema
    }
}

const PAGE_FIELDS: [&str; 2] = ["limit", "cursor"];

const COLUMNS: &[&str] = &[
    "id",
    "at",
    "endpoint",
    "status",
    "found",
    "credits",
    "balance_after",
    "latency_ms",
    "cache",
    "cache_age_seconds",
    "providers",
    "key_id",
    "key_name",
];

const EXAMPLE: &str = "\"id\",\"at\",\"endpoint\",\"status\",\"found\",\"credits\",\"balance_after\",\"latency_ms\",\"cache\",\
    \"cache_age_seconds\",\"providers\",\"key_id\",\"key_name\"\r\n\
    \"req_0197f7a05c3a7d12a4b1c2d3e4f50618\",2026-11-01T10:00:00.000Z,\"enrich\",200,true,1,2431.5,6,\"miss\",,\"graph\",\
    \"key_a1B2c3D4e5F6\",\"crm sync\"\r\n";

impl StreamEndpoint for HistoryExport {
    const SPEC: Spec = Spec {
        summary: "Every lookup you made, as CSV",
        description: "Every row of the filter, newest first, as RFC 4180 CSV with a header row. A text that a spreadsheet \
                      could take for a formula has an apostrophe in front, as has one that starts with an apostrophe: take \
                      one away to have the value back. A transfer that breaks off is not whole: ask again.",
        ..Spec::free("me-history-export", Verb::Get, "/v1/me/history/export", Group::Account, Scope::History)
    };
    const CONTENT_TYPE: &'static str = "text/csv; charset=utf-8";
    const FILE_NAME: Option<&'static str> = Some("assay-history.csv");
    type Request = ExportRequest;
    type Question = HistoryFilter;

    fn parse(ExportRequest(request): ExportRequest, _hosts: &NetworkHosts) -> Result<HistoryFilter, Fault> {
        let given = [request.limit.is_some(), request.cursor.is_some()];
        let refused: Vec<FieldError> = PAGE_FIELDS
            .iter()
            .zip(given)
            .filter(|(_, given)| *given)
            .map(|(name, _)| FieldError {
                pointer: format!("/{name}"),
                code: "unknown_field".into(),
                message: "an export has no pages".into(),
                fix: "leave it out, or use /v1/me/history".into(),
            })
            .collect();
        if refused.is_empty() { Ok(filter_of(request)) } else { Err(Fault::invalid(refused)) }
    }

    fn example() -> (Value, &'static str) {
        (json!({ "endpoint": "enrich" }), EXAMPLE)
    }

    async fn run(context: &Context, filter: HistoryFilter) -> Result<Chunks, Fault> {
        let place = context.exports.enter(context.memory.account())?;
        let mut reading = Reading {
            memory: context.memory.clone(),
            filter,
            after: None,
            more: true,
            sheet: Sheet::default(),
            _place: place,
        };
        reading.sheet.header(COLUMNS);
        // The first page now: what fails before the first byte can still be a problem document.
        let first = reading.page().await?;
        let rest = stream::try_unfold(reading, |mut reading| async move {
            if !reading.more {
                return Ok(None);
            }
            let page = reading.page().await?;
            Ok(Some((page, reading)))
        });
        Ok(Box::pin(stream::once(async { Ok(first) }).chain(rest)))
    }
}

/// An export on its way. Between two pages it holds no connection to the database: the reader may take its time.
struct Reading {
    memory: AccountMemory,
    filter: HistoryFilter,
    after: Option<RequestId>,
    more: bool,
    sheet: Sheet,
    _place: Export,
}

impl Reading {
    async fn page(&mut self) -> Result<Bytes, Fault> {
        let page = self.memory.history(&self.filter, self.after, limits::EXPORT_PAGE_ROWS).await?;
        for row in &page.rows {
            write_row(&mut self.sheet, row);
        }
        (self.after, self.more) = (page.next, page.next.is_some());
        Ok(self.sheet.take())
    }
}

fn write_row(sheet: &mut Sheet, row: &HistoryRow) {
    sheet
        .text(&row.id.to_string())
        .moment(row.at)
        .text(&row.endpoint)
        .number(row.status)
        .flag(row.found)
        .number(row.credits)
        .number(row.balance_after)
        .number(row.latency_us / 1_000)
        .text(if row.cached { "hit" } else { "miss" })
        .number_or_empty(row.cache_age_seconds)
        .text(&row.providers.join(";"))
        .text(&format!("key_{}", row.key_id))
        .text(row.key_name.as_deref().unwrap_or_default())
        .end_row();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;
    use assay_domain::Credits;

    #[test]
    fn the_example_is_what_its_row_would_be_written_as() {
        let row = HistoryRow {
            id: "req_0197f7a05c3a7d12a4b1c2d3e4f50618".parse().unwrap(),
            at: example::moment(),
            endpoint: "enrich".into(),
            status: 200,
            found: true,
            credits: Credits::whole(1),
            balance_after: Credits::from_thousandths(2_431_500),
            latency_us: 6_400,
            cached: false,
            cache_age_seconds: None,
            providers: vec!["graph".into()],
            upstream_micros: 0,
            key_id: "a1B2c3D4e5F6".into(),
            key_name: Some("crm sync".into()),
        };
        let mut sheet = Sheet::default();
        sheet.header(COLUMNS);
        write_row(&mut sheet, &row);
        assert_eq!(sheet.take(), EXAMPLE);
    }
}
