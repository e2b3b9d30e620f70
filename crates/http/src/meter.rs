//! What is counted of every call. The handles are looked up once per endpoint, so that a call only adds to them.

use assay_service::Reply;
use metrics::{Counter, Histogram};
use std::time::Duration;

/// The classes of status the service answers with; there are no others.
const CLASSES: [(u16, &str); 3] = [(2, "2xx"), (4, "4xx"), (5, "5xx")];

/// The counters of one endpoint.
#[derive(Debug)]
pub(crate) struct Meter {
    endpoint: &'static str,
    requests: [(u16, Counter); 3],
    seconds: Histogram,
    charged: Counter,
}

impl Meter {
    pub(crate) fn new(endpoint: &'static str) -> Self {
        let requests = CLASSES.map(|(class, status)| {
            (
                class,
                metrics::counter!("assay_http_requests_total", "endpoint" => endpoint, "status" => status),
            )
        });
        Self {
            endpoint,
            requests,
            seconds: metrics::histogram!("assay_http_request_seconds", "endpoint" => endpoint),
            charged: metrics::counter!("assay_credits_charged_total", "endpoint" => endpoint),
        }
    }

    /// Counts a reply, and logs it without anything a client sent.
    pub(crate) fn observe(&self, reply: &Reply, took: Duration) {
        if let Some((_, requests)) = self.requests.iter().find(|(class, _)| *class == reply.status / 100) {
            requests.increment(1);
        }
        self.seconds.record(took);
        if !reply.replayed {
            self.charged.increment(u64::try_from(reply.charged.thousandths()).unwrap_or(0));
        }
        let (endpoint, status, milliseconds) = (self.endpoint, reply.status, took.as_millis());
        if status >= 500 {
            tracing::warn!(request_id = %reply.request, endpoint, status, milliseconds, "a call failed");
        } else {
            tracing::debug!(request_id = %reply.request, endpoint, status, milliseconds, "a call was answered");
        }
    }
}
