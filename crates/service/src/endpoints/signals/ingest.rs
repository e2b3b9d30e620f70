//! `POST /v1/ingest/signals`: an operator's own feeds: applicant counts, announcements, engagement, and whatever else is not public.

use super::given::GivenSignal;
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::example;
use crate::fault::Fault;
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::limits::{SIGNAL_SOURCE_CHARS_MAX, SIGNALS_PER_CALL_MAX};
use assay_domain::{NetworkHosts, Notice};
use assay_engine::signals::Told;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const SOURCE: &str = "ingest";

#[derive(Debug)]
pub enum IngestSignals {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct IngestSignalsRequest {
    /// What this feed is called among the sources of a signal; `ingest` if left out.
    #[garde(length(chars, min = 1, max = SIGNAL_SOURCE_CHARS_MAX))]
    source: Option<String>,
    #[garde(length(min = 1, max = SIGNALS_PER_CALL_MAX), dive)]
    signals: Vec<GivenSignal>,
}

#[derive(Debug)]
pub struct IngestQuestion {
    source: String,
    notices: Vec<(usize, Notice)>,
    rejected: Vec<RejectedView>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct IngestSignalsResponse {
    pub accepted: usize,
    pub rejected: Vec<RejectedView>,
}

/// One that was not taken, and why.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RejectedSignal")]
pub struct RejectedView {
    /// Its place in the request, from 0 on.
    pub index: usize,
    pub field: String,
    pub reason: String,
}

impl Endpoint for IngestSignals {
    const SPEC: Spec = Spec {
        summary: "Add signals of your own",
        description: "Signals from feeds that only you have, up to 1,000 a call. The same event from another source becomes \
                      one signal with it, and what is sent again under its `id` amends what was sent before. What cannot \
                      be taken is told by its place; the others are taken all the same.",
        ..Spec::free("ingest-signals", Verb::Post, "/v1/ingest/signals", Group::Operator, Scope::Operator)
    };
    type Request = IngestSignalsRequest;
    type Question = IngestQuestion;
    type Response = IngestSignalsResponse;

    fn parse(request: IngestSignalsRequest, hosts: &NetworkHosts) -> Result<IngestQuestion, Fault> {
        let (mut notices, mut rejected) = (Vec::new(), Vec::new());
        for (index, given) in request.signals.into_iter().enumerate() {
            match given.read(hosts) {
                Ok(notice) => notices.push((index, notice)),
                Err((field, reason)) => {
                    rejected.push(RejectedView { index, field: field.to_owned(), reason })
                }
            }
        }
        let source = request.source.unwrap_or_else(|| SOURCE.to_owned());
        Ok(IngestQuestion { source, notices, rejected })
    }

    fn example() -> (Value, IngestSignalsResponse) {
        let signal = json!({
            "id": "posting-4417",
            "kind": "hiring",
            "occurredAt": example::moment(),
            "company": { "name": "Northwind Robotics", "domain": "northwind-robotics.example" },
            "job": { "title": "Senior Controls Engineer", "applicants": 11 },
        });
        let request = json!({ "source": "own-board", "signals": [signal] });
        (request, IngestSignalsResponse { accepted: 1, rejected: Vec::new() })
    }

    async fn run(
        context: &Context,
        question: IngestQuestion,
    ) -> Result<Outcome<IngestSignalsResponse>, Fault> {
        let IngestQuestion { source, notices, mut rejected } = question;
        let (places, notices): (Vec<usize>, Vec<Notice>) = notices.into_iter().unzip();
        let told = context.engine.take_notices(&source, notices, context.now).await;
        let mut accepted = 0;
        for (index, told) in places.into_iter().zip(told) {
            match told? {
                Told::Written { .. } | Told::Known(_) => accepted += 1,
                Told::Suppressed => {
                    let reason = "it names somebody who does not want to be found".to_owned();
                    rejected.push(RejectedView { index, field: "person".to_owned(), reason });
                }
            }
        }
        rejected.sort_by_key(|rejected| rejected.index);
        Ok(Outcome::nothing(IngestSignalsResponse { accepted, rejected }))
    }
}
