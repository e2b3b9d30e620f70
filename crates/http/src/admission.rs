//! Admission: how many calls are worked on at once, decided before anything of a call is read but its head.
//!
//! A few times as many wait for a moment. Beyond that a call is refused at once, and cheaply: its answer is written in advance and
//! only gets an id of its own.

use crate::request::discard;
use crate::response::write_response;
use assay_domain::{Clock, RequestId};
use assay_service::fault::{Code, Fault};
use assay_service::{Reply, ReplyBody, Slot, Slots};
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::CONNECTION;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use metrics::Counter;
use std::sync::Arc;
use std::time::Duration;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Where the calls are. Pages beside them cost nothing worth counting.
const CALLS: &str = "/v1/";

/// Who is let in, and what the others are told.
#[derive(Debug)]
pub struct Admission {
    slots: Arc<Slots>,
    clock: Clock,
    overloaded: Canned,
    broken: Canned,
    shed: Counter,
}

impl Admission {
    /// `active_max` calls at once, and `waiting_max` more at the door. `refuse` makes a reply of a fault.
    pub fn new(
        refuse: impl Fn(&Fault) -> Reply,
        (active_max, waiting_max): (usize, usize),
        clock: Clock,
    ) -> Self {
        let canned = |code, detail| Canned::new(refuse(&Fault::new(code, detail)));
        Self {
            slots: Slots::new(active_max, waiting_max),
            clock,
            overloaded: canned(Code::Overloaded, "too many calls are being worked on"),
            broken: canned(Code::Internal, "the failure was recorded"),
            shed: metrics::counter!("assay_calls_shed_total"),
        }
    }

    /// A place for the request; the one without a limit for what is no call; `None` when it must be refused.
    pub(crate) fn enter<'a>(
        &'a self,
        request: &Request,
    ) -> impl Future<Output = Option<Slot>> + Send + use<'a> {
        let is_call = request.uri().path().starts_with(CALLS);
        async move {
            if !is_call {
                return Some(Slot::default());
            }
            let entered = self.slots.enter().await;
            if entered.is_none() {
                self.shed.increment(1);
            }
            entered
        }
    }

    /// Refuses a request. Its body is read and dropped, so that the connection can go on.
    pub(crate) async fn refuse(&self, request: Request) -> Response {
        let whole = discard(request.into_body()).await;
        let mut response = self.overloaded.fill(&self.clock);
        if !whole {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    /// The answer of a call that panicked.
    pub(crate) fn apologise(&self) -> Response {
        self.broken.fill(&self.clock)
    }
}

/// A problem document written in advance, all but its id.
#[derive(Debug)]
struct Canned {
    status: StatusCode,
    headers: HeaderMap,
    before: Bytes,
    after: Bytes,
}

impl Canned {
    fn new(reply: Reply) -> Self {
        let id = reply.request.to_string();
        let body = match &reply.body {
            ReplyBody::Json(body) | ReplyBody::Problem(body) => body.clone(),
            ReplyBody::Stream { .. } => Bytes::new(),
        };
        let at = body.windows(id.len()).position(|window| window == id.as_bytes()).unwrap_or(body.len());
        let (before, after) = (body.slice(..at), body.slice(body.len().min(at + id.len())..));
        let (parts, _) = write_response(reply, Duration::ZERO).into_parts();
        Self { status: parts.status, headers: parts.headers, before, after }
    }

    fn fill(&self, clock: &Clock) -> Response {
        let id = RequestId::mint(clock.now()).to_string();
        let body = [&*self.before, id.as_bytes(), &*self.after].concat();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers.clone();
        if let Ok(id) = HeaderValue::try_from(id) {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        response
    }
}
