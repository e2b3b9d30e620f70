//! From an HTTP request to a call: the body within its limit, and the few headers that mean something.

use crate::client_address::TrustedProxies;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{BODY_BYTES_PER_SECOND_MIN, BODY_DISCARD_BYTES_MAX, BODY_READ_DEADLINE};
use assay_service::fault::{Code, Fault};
use assay_service::{Call, EVENT_STREAM, Entry, Slot};
use axum::body::Body;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Body as _;
use percent_encoding::percent_decode_str;
use std::net::IpAddr;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const SANDBOX_OUTCOME: HeaderName = HeaderName::from_static("sandbox-outcome");

/// The address a connection came from; the accept loop puts it into every request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

pub(crate) async fn read_call(
    entry: &'static Entry,
    proxies: &TrustedProxies,
    request: Request,
) -> Result<Call, Fault> {
    let (mut parts, body) = request.into_parts();
    let slot = parts.extensions.remove::<Slot>().unwrap_or_default();
    let body = read_body(body, &slot, entry.spec.body_bytes_max()).await?;
    if !body.is_empty() && !is_json(&parts.headers) {
        return Err(Fault::new(
            Code::UnsupportedMediaType,
            "the declared type of the body is not application/json",
        ));
    }
    let path_fields =
        if entry.spec.path.contains('{') { read_path_fields(&mut parts).await? } else { Vec::new() };
    let wants_events = entry.watch.is_some() && accepts_events(&parts.headers);
    let mut query = parts.uri.query().map(read_query).unwrap_or_default();
    if let Some(last) = text(&parts.headers, &LAST_EVENT_ID).filter(|_| wants_events) {
        // Where a client that was cut off goes on, whatever place it first began from.
        query.retain(|(name, _)| name != "cursor");
        query.push(("cursor".to_owned(), last));
    }
    Ok(Call {
        entry,
        path: parts.uri.path().to_owned(),
        path_fields,
        query,
        wants_events,
        body,
        authorization: text(&parts.headers, &AUTHORIZATION),
        idempotency_key: text(&parts.headers, &IDEMPOTENCY_KEY),
        sandbox_outcome: text(&parts.headers, &SANDBOX_OUTCOME),
        client: proxies.client_in(&parts.headers, &parts.extensions),
        unattended: false,
        slot,
    })
}

/// Bytes that are no text stay visible as replacement characters: the service refuses them with the right reason.
fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// Named, and not only allowed by a wildcard: most clients accept anything.
fn accepts_events(headers: &HeaderMap) -> bool {
    let accepted =
        headers.get_all(ACCEPT).iter().flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    let kinds = accepted.map(|one| one.split(|byte| *byte == b';').next().unwrap_or(one).trim_ascii());
    kinds.into_iter().any(|kind| kind.eq_ignore_ascii_case(EVENT_STREAM.as_bytes()))
}

fn is_json(headers: &HeaderMap) -> bool {
    let Some(declared) = headers.get(CONTENT_TYPE) else { return true };
    let declared = declared.as_bytes();
    let kind = declared.split(|byte| *byte == b';').next().unwrap_or(declared);
    kind.trim_ascii().eq_ignore_ascii_case(b"application/json")
}

async fn read_path_fields(parts: &mut Parts) -> Result<Vec<(String, String)>, Fault> {
    let fields = RawPathParams::from_request_parts(parts, &()).await;
    let fields = fields.map_err(|_| Fault::new(Code::NotFound, "the path is not readable text"))?;
    Ok(fields.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

fn read_query(query: &str) -> Vec<(String, String)> {
    let decode = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        })
        .collect()
}

/// Nearly every body comes with its head. One that does not must not keep others out while it trickles in.
async fn read_body(body: Body, slot: &Slot, most: usize) -> Result<Bytes, Fault> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let mut arrival = pin!(collect(body, most));
    if let Poll::Ready(arrived) = futures_util::poll!(&mut arrival) {
        return arrived;
    }
    let arrived = slot.outside(arrival).await;
    arrived.unwrap_or_else(|| Err(Fault::new(Code::Overloaded, "too many calls are being worked on")))
}

/// Nearly every body is one frame, which is then passed on without a copy.
async fn collect(body: Body, most: usize) -> Result<Bytes, Fault> {
    let declared = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    let mut frames = Frames::new(body)?;
    let (mut whole, mut joined) = (Bytes::new(), BytesMut::new());
    while let Some(data) = frames.next().await? {
        if frames.seen > most {
            continue;
        }
        if frames.seen == data.len() {
            whole = data;
            continue;
        }
        if joined.is_empty() {
            joined.reserve(declared.clamp(frames.seen, most));
            joined.extend_from_slice(&whole);
        }
        joined.extend_from_slice(&data);
    }
    if frames.seen > most {
        return Err(too_large(most));
    }
    Ok(if joined.is_empty() { whole } else { joined.freeze() })
}

/// Reads a body that nobody wants, as far as that is worth it, and says whether that was all of it.
pub(crate) async fn discard(body: Body) -> bool {
    let Ok(mut frames) = Frames::new(body) else { return false };
    loop {
        match frames.next().await {
            Ok(Some(_)) => {}
            ended => return ended.is_ok(),
        }
    }
}

fn too_large(most: usize) -> Fault {
    Fault::new(Code::BodyTooLarge, format!("a body may have {most} bytes"))
}

/// A body as it arrives: in time, and up to what may be discarded of it.
struct Frames {
    body: Body,
    began: Stopwatch,
    seen: usize,
}

impl Frames {
    fn new(body: Body) -> Result<Self, Fault> {
        let declared = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        if declared > BODY_DISCARD_BYTES_MAX {
            return Err(too_large(BODY_DISCARD_BYTES_MAX));
        }
        Ok(Self { body, began: Stopwatch::start(), seen: 0 })
    }

    async fn next(&mut self) -> Result<Option<Bytes>, Fault> {
        loop {
            let earned = u64::try_from(self.seen / BODY_BYTES_PER_SECOND_MIN).unwrap_or(0);
            let allowed = BODY_READ_DEADLINE + Duration::from_secs(earned);
            let left = allowed.saturating_sub(self.began.elapsed());
            let frame = tokio::time::timeout(left, self.body.frame()).await;
            let late = |_| Fault::new(Code::RequestTimeout, "the body did not arrive in time");
            let Some(frame) = frame.map_err(late)? else { return Ok(None) };
            let frame = frame.map_err(|_| Fault::new(Code::InvalidJson, "the body broke off"))?;
            let Ok(data) = frame.into_data() else { continue };
            self.seen = self.seen.saturating_add(data.len());
            if self.seen > BODY_DISCARD_BYTES_MAX {
                return Err(too_large(BODY_DISCARD_BYTES_MAX));
            }
            return Ok(Some(data));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::limits::BODY_BYTES_MAX;
    use axum::http::HeaderValue;

    #[test]
    fn queries_are_decoded_and_keep_their_order() {
        let pairs = read_query("a=1&b=x%20y+z&&c&d=%C3%A9");
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(pairs, [("a", "1"), ("b", "x y z"), ("c", ""), ("d", "é")]);
    }

    #[test]
    fn json_is_declared_with_parameters_or_not_at_all() {
        let declared = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(value));
            is_json(&headers)
        };
        assert!(is_json(&HeaderMap::new()));
        assert!(declared("application/json") && declared("Application/JSON ; charset=utf-8"));
        assert!(!declared("text/plain") && !declared("application/jsonp") && !declared(""));
    }

    #[tokio::test]
    async fn a_body_arrives_whole_up_to_its_limit_and_not_beyond() {
        let chunks = |sizes: &[usize]| {
            let frames: Vec<_> = sizes
                .iter()
                .map(|size| Ok::<_, std::convert::Infallible>(Bytes::from(vec![b'x'; *size])))
                .collect();
            Body::from_stream(futures_util::stream::iter(frames))
        };
        for sizes in [&[][..], &[5], &[1, 2, 3], &[BODY_BYTES_MAX], &[BODY_BYTES_MAX - 1, 1]] {
            let body = read_body(chunks(sizes), &Slot::default(), BODY_BYTES_MAX).await.unwrap();
            assert_eq!(body.len(), sizes.iter().sum::<usize>());
        }
        for sizes in [&[BODY_BYTES_MAX + 1][..], &[BODY_BYTES_MAX, 1], &[BODY_DISCARD_BYTES_MAX, 9]] {
            assert_eq!(
                read_body(chunks(sizes), &Slot::default(), BODY_BYTES_MAX).await.unwrap_err().code,
                Code::BodyTooLarge
            );
        }
    }

    /// A body of which one byte arrives every `pause`, while the clock of the test runs as fast as it can.
    fn trickle(pause: Duration, bytes: usize) -> Body {
        let piece = move |left: usize| async move {
            tokio::time::sleep(pause).await;
            let byte = Ok::<_, std::convert::Infallible>(Bytes::from_static(b"x"));
            (left > 0).then(|| (byte, left - 1))
        };
        Body::from_stream(futures_util::stream::unfold(bytes, piece))
    }

    #[tokio::test]
    async fn a_body_that_trickles_in_waits_outside_and_may_find_the_place_taken() {
        let slots = assay_service::Slots::new(1, 0);
        let slow = slots.enter().await.unwrap();
        let mut reading = Box::pin(read_body(trickle(Duration::from_millis(20), 2), &slow, BODY_BYTES_MAX));
        assert!(futures_util::poll!(&mut reading).is_pending());
        let newcomer = slots.enter().await.expect("the slow one stepped out");
        assert_eq!(reading.await.unwrap_err().code, Code::Overloaded);
        drop((newcomer, slow));
        let slow = slots.enter().await.unwrap();
        assert_eq!(
            &read_body(trickle(Duration::from_millis(20), 2), &slow, BODY_BYTES_MAX).await.unwrap()[..],
            b"xx"
        );
        assert_eq!(slots.taken(), 1);
    }

    #[tokio::test]
    async fn what_nobody_wants_is_read_within_its_limit() {
        assert!(discard(Body::from(vec![0; BODY_BYTES_MAX + 1])).await);
        assert!(!discard(Body::from(vec![0; BODY_DISCARD_BYTES_MAX + 1])).await);
    }
}
