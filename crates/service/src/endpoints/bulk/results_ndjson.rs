//! `GET /v1/bulk/{id}/results.ndjson`: all results of a bulk job, one JSON object a line.

use super::results::{BulkResults, ResultsFormat};
use crate::bulk::ItemView;
use crate::fault::{Code, Fault};
use crate::spec::{Group, Scope, Spec, Verb};
use bytes::Bytes;

#[derive(Debug)]
pub enum Ndjson {}

pub type BulkResultsNdjson = BulkResults<Ndjson>;

impl ResultsFormat for Ndjson {
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
    const FILE_NAME: &'static str = "assay-bulk.ndjson";
    const EXAMPLE: &'static str = "{\"index\":0,\"id\":\"2\",\"status\":\"not_found\",\"person\":null,\"confidence\":null,\
    \"matched_on\":[],\"cost\":{\"credits\":0},\"error\":null}\n";

    fn write(results: &[ItemView]) -> Result<Bytes, Fault> {
        let mut lines = Vec::new();
        for result in results {
            serde_json::to_writer(&mut lines, result)
                .map_err(|_| Fault::new(Code::Internal, "a result could not be written"))?;
            lines.push(b'\n');
        }
        Ok(lines.into())
    }
}
