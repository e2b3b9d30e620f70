//! `GET /v1/bulk/{id}/events`: how a bulk job comes along, as it happens.

use super::view::{BulkView, EXAMPLE_ID};
use crate::context::Context;
use crate::endpoint::{Chunks, StreamEndpoint};
use crate::exports::Export;
use crate::fault::{Code, Fault};
use crate::memory::AccountMemory;
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::{NetworkHosts, limits};
use bytes::Bytes;
use futures_util::stream;
use garde::Validate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug)]
pub enum BulkEvents {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct BulkEventsRequest {
    #[garde(length(chars, max = limits::ID_CHARS_MAX))]
    id: String,
}

const EXAMPLE: &str = "event: end\ndata: {\"id\":\"blk_0197f7a05c3a7d12a4b1c2d3e4f50801\",\"status\":\"completed\",\
    \"counts\":{\"total\":2,\"pending\":0,\"resolved\":1,\"not_found\":1,\"invalid\":0,\"failed\":0,\"skipped\":0},\
    \"progress\":1}\n\n";

impl StreamEndpoint for BulkEvents {
    const SPEC: Spec = Spec {
        summary: "The progress of a bulk job, live",
        description: "Server-sent events: `progress` whenever the counts or the status change, `end` with the last of \
                      them when the job is over. A stream that is cut can simply be asked for again: its first event is \
                      where the job stands.",
        ..Spec::free("bulk-events", Verb::Get, "/v1/bulk/{id}/events", Group::Bulk, Scope::Bulk)
    };
    const CONTENT_TYPE: &'static str = "text/event-stream";
    const FILE_NAME: Option<&'static str> = None;
    type Request = BulkEventsRequest;
    type Question = String;

    fn parse(request: BulkEventsRequest, _hosts: &NetworkHosts) -> Result<String, Fault> {
        Ok(request.id)
    }

    fn example() -> (Value, &'static str) {
        (json!({ "id": EXAMPLE_ID }), EXAMPLE)
    }

    async fn run(context: &Context, id: String) -> Result<Chunks, Fault> {
        // An unknown id is a problem document, not an empty stream.
        context.memory.bulks().find(&id).await?;
        let watching = Watching {
            memory: context.memory.clone(),
            id,
            last: String::new(),
            over: false,
            _place: context.exports.enter(context.memory.account())?,
        };
        Ok(Box::pin(stream::try_unfold(watching, |mut watching| async move {
            if watching.over {
                return Ok(None);
            }
            let event = watching.next().await?;
            Ok(Some((event, watching)))
        })))
    }
}

/// A stream of events. Between two looks it holds nothing of the database.
struct Watching {
    memory: AccountMemory,
    id: String,
    last: String,
    over: bool,
    _place: Export,
}

impl Watching {
    /// The next change, or a comment where nothing changes: it tells the client that the stream still lives.
    async fn next(&mut self) -> Result<Bytes, Fault> {
        for _ in 0..limits::BULK_EVENTS_QUIET_LOOKS {
            let row = self.memory.bulks().find(&self.id).await?;
            let view = BulkView::of(&row);
            let data = json!({ "id": view.id, "status": view.status, "counts": view.counts, "progress": view.progress });
            let data = serde_json::to_string(&data)
                .map_err(|_| Fault::new(Code::Internal, "an event could not be written"))?;
            if data != self.last {
                self.over = row.status.is_final();
                let name = if self.over { "end" } else { "progress" };
                let event = format!("event: {name}\ndata: {data}\n\n");
                self.last = data;
                return Ok(event.into());
            }
            tokio::time::sleep(limits::BULK_EVENTS_EVERY).await;
        }
        Ok(Bytes::from_static(b": still there\n\n"))
    }
}
