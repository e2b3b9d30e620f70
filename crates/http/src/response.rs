//! From a reply to an HTTP response: the body as it is, and its figures as headers.

use assay_domain::rate::WINDOW_SECONDS;
use assay_service::{RateState, Reply, ReplyBody};
use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use futures_util::TryStreamExt;
use std::time::Duration;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const CREDITS_CHARGED: HeaderName = HeaderName::from_static("x-credits-charged");
const CREDITS_REMAINING: HeaderName = HeaderName::from_static("x-credits-remaining");
const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");
const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// Room for every header below, so that the map never grows.
const HEADERS_MAX: usize = 24;

pub(crate) fn write_response(reply: Reply, took: Duration) -> Response {
    let mut headers = HeaderMap::with_capacity(HEADERS_MAX);
    let (content_type, body) = match reply.body {
        ReplyBody::Json(body) => ("application/json", write_body(body)),
        ReplyBody::Problem(body) => ("application/problem+json", write_body(body)),
        ReplyBody::Stream { content_type, file_name, chunks } => {
            if let Some(name) = file_name {
                put(&mut headers, CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\""));
            }
            (content_type, write_stream(chunks))
        }
    };
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    put(&mut headers, REQUEST_ID, reply.request.to_string());
    put(&mut headers, CREDITS_CHARGED, reply.charged.to_string());
    if let Some(remaining) = reply.remaining {
        put(&mut headers, CREDITS_REMAINING, remaining.to_string());
    }
    put(&mut headers, SERVER_TIMING, server_timing(&reply.timings, took));
    if let Some(rate) = reply.rate {
        let (policy, state) = write_rate(&rate, reply.retry_after_seconds);
        put(&mut headers, RATE_LIMIT_POLICY, policy);
        put(&mut headers, RATE_LIMIT, state);
    }
    if reply.replayed {
        headers.insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
    }
    if let Some(seconds) = reply.retry_after_seconds {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(error) = reply.challenge {
        let error = if error.is_empty() { String::new() } else { format!(", error=\"{error}\"") };
        put(&mut headers, WWW_AUTHENTICATE, format!("Bearer realm=\"assay\"{error}"));
    }
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    *response.headers_mut() = headers;
    response
}

/// The policies and how far they are used, as lists of structured fields. Nothing is told to be free later than the
/// time at which the client is asked to come back.
fn write_rate(rate: &RateState, retry_after_seconds: Option<u32>) -> (String, String) {
    let (mut policies, mut states) = (String::with_capacity(48), String::with_capacity(48));
    for (name, limit) in [("default", Some(rate.account)), ("key", rate.key)] {
        let Some(limit) = limit else { continue };
        let separator = if policies.is_empty() { "" } else { ", " };
        let reset = limit.reset_seconds.min(retry_after_seconds.unwrap_or(u32::MAX));
        policies.push_str(&format!("{separator}\"{name}\";q={};w={WINDOW_SECONDS}", limit.per_minute));
        states.push_str(&format!("{separator}\"{name}\";r={};t={reset}", limit.remaining));
    }
    (policies, states)
}

/// A piece that fails breaks the transfer off: the client sees that the answer is not whole.
fn write_stream(chunks: assay_service::Chunks) -> Body {
    Body::from_stream(chunks.map_err(|fault| std::io::Error::other(fault.detail.into_owned())))
}

#[cfg(not(feature = "failpoints"))]
fn write_body(body: bytes::Bytes) -> Body {
    Body::from(body)
}

#[cfg(feature = "failpoints")]
fn write_body(body: bytes::Bytes) -> Body {
    crate::half_reply::write_body(body)
}

/// Takes the text's own memory. A text that is no header value is left out; none of ours is.
fn put(headers: &mut HeaderMap, name: HeaderName, value: String) {
    if let Ok(value) = HeaderValue::try_from(value) {
        headers.insert(name, value);
    }
}

fn server_timing(parts: &[(&'static str, Duration)], took: Duration) -> String {
    let mut text = String::with_capacity(64);
    for (name, time) in parts.iter().chain([&("total", took)]) {
        let separator = if text.is_empty() { "" } else { ", " };
        let microseconds = time.as_micros();
        let (whole, rest) = (microseconds / 1_000, microseconds % 1_000);
        text.push_str(&format!("{separator}{name};dur={whole}.{rest:03}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::rate::Allowance;
    use assay_domain::{Credits, RequestId};

    fn reply() -> Reply {
        Reply {
            status: 200,
            body: ReplyBody::Json("{}".into()),
            request: RequestId::from_uuid(Default::default()),
            charged: Credits::from_thousandths(1_500),
            remaining: Some(Credits::whole(98)),
            rate: Some(RateState {
                account: Allowance { per_minute: 120, remaining: 119, reset_seconds: 1 },
                key: None,
            }),
            replayed: true,
            retry_after_seconds: Some(3),
            challenge: Some("invalid_token"),
            timings: vec![("find", Duration::from_micros(1_234))],
        }
    }

    #[test]
    fn the_figures_of_a_reply_become_headers() {
        let response = write_response(reply(), Duration::from_millis(2));
        let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(header("x-credits-charged"), "1.5");
        assert_eq!(header("x-credits-remaining"), "98");
        assert_eq!(header("server-timing"), "find;dur=1.234, total;dur=2.000");
        assert_eq!(header("ratelimit-policy"), "\"default\";q=120;w=60");
        assert_eq!(header("ratelimit"), "\"default\";r=119;t=1");
        assert_eq!(header("idempotent-replayed"), "true");
        assert_eq!(header("retry-after"), "3");
        assert_eq!(header("www-authenticate"), "Bearer realm=\"assay\", error=\"invalid_token\"");
        assert_eq!(header("content-type"), "application/json");
        assert_eq!(header("cache-control"), "no-store");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert!(header("x-request-id").starts_with("req_"));
    }

    #[test]
    fn a_key_with_a_rate_of_its_own_is_told_both_and_nothing_is_free_after_retry_after() {
        let rate = RateState {
            account: Allowance { per_minute: 1_000, remaining: 700, reset_seconds: 55 },
            key: Some(Allowance { per_minute: 10, remaining: 0, reset_seconds: 3 }),
        };
        let response = write_response(Reply { rate: Some(rate), ..reply() }, Duration::ZERO);
        assert_eq!(response.headers()["ratelimit-policy"], "\"default\";q=1000;w=60, \"key\";q=10;w=60");
        assert_eq!(response.headers()["ratelimit"], "\"default\";r=700;t=3, \"key\";r=0;t=3");
        let rested = Reply { rate: Some(rate), retry_after_seconds: None, ..reply() };
        let response = write_response(rested, Duration::ZERO);
        assert_eq!(response.headers()["ratelimit"], "\"default\";r=700;t=55, \"key\";r=0;t=3");
    }

    #[test]
    fn what_is_not_known_is_no_header() {
        let bare = Reply {
            remaining: None,
            rate: None,
            replayed: false,
            retry_after_seconds: None,
            challenge: Some(""),
            body: ReplyBody::Problem("{}".into()),
            ..reply()
        };
        let response = write_response(bare, Duration::ZERO);
        for absent in
            ["x-credits-remaining", "ratelimit", "ratelimit-policy", "idempotent-replayed", "retry-after"]
        {
            assert!(!response.headers().contains_key(absent), "{absent}");
        }
        assert_eq!(response.headers()["www-authenticate"], "Bearer realm=\"assay\"");
        assert_eq!(response.headers()["content-type"], "application/problem+json");
    }
}
