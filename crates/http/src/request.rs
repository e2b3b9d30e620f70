//! From an HTTP request to a call: the body within its limit, and the few headers that mean something.

use assay_domain::limits::{BODY_BYTES_MAX, CALL_DEADLINE};
use assay_service::fault::{Code, Fault};
use assay_service::{Call, Entry};
use axum::body::Body;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Body as _;
use percent_encoding::percent_decode_str;
use std::net::{IpAddr, Ipv4Addr};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// How much of a body that is too large is still read, so that a client that reads only after it has written everything
/// sees the refusal instead of a broken connection.
const DISCARD_BYTES_MAX: usize = 8 * BODY_BYTES_MAX;

/// The address a connection came from; the accept loop puts it into every request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

pub(crate) async fn read_call(entry: &'static Entry, request: Request) -> Result<Call, Fault> {
    let (mut parts, body) = request.into_parts();
    let body = read_body(body).await?;
    if !body.is_empty() && !is_json(&parts.headers) {
        return Err(Fault::new(
            Code::UnsupportedMediaType,
            "the declared type of the body is not application/json",
        ));
    }
    let path_fields =
        if entry.spec.path.contains('{') { read_path_fields(&mut parts).await? } else { Vec::new() };
    Ok(Call {
        entry,
        path: parts.uri.path().to_owned(),
        path_fields,
        query: parts.uri.query().map(read_query).unwrap_or_default(),
        body,
        authorization: text(&parts.headers, &AUTHORIZATION),
        idempotency_key: text(&parts.headers, &IDEMPOTENCY_KEY),
        client: parts.extensions.get::<Peer>().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0),
    })
}

/// Bytes that are no text stay visible as replacement characters: the service refuses them with the right reason.
fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
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

async fn read_body(body: Body) -> Result<Bytes, Fault> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let arrival = tokio::time::timeout(CALL_DEADLINE, collect(body)).await;
    arrival.unwrap_or_else(|_| Err(Fault::new(Code::DeadlineExceeded, "the body did not arrive in time")))
}

/// Nearly every body is one frame, which is then passed on without a copy.
async fn collect(mut body: Body) -> Result<Bytes, Fault> {
    let too_large = || Fault::new(Code::BodyTooLarge, format!("a body may have {BODY_BYTES_MAX} bytes"));
    let declared = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if declared > DISCARD_BYTES_MAX {
        return Err(too_large());
    }
    let (mut whole, mut joined, mut seen) = (Bytes::new(), BytesMut::new(), 0_usize);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Fault::new(Code::InvalidJson, "the body broke off"))?;
        let Ok(data) = frame.into_data() else { continue };
        seen = seen.saturating_add(data.len());
        if seen > DISCARD_BYTES_MAX {
            return Err(too_large());
        }
        if seen > BODY_BYTES_MAX {
            continue;
        }
        if seen == data.len() {
            whole = data;
            continue;
        }
        if joined.is_empty() {
            joined.reserve(declared.clamp(seen, BODY_BYTES_MAX));
            joined.extend_from_slice(&whole);
        }
        joined.extend_from_slice(&data);
    }
    if seen > BODY_BYTES_MAX {
        return Err(too_large());
    }
    Ok(if joined.is_empty() { whole } else { joined.freeze() })
}

#[cfg(test)]
mod tests {
    use super::*;
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
            let body = read_body(chunks(sizes)).await.unwrap();
            assert_eq!(body.len(), sizes.iter().sum::<usize>());
        }
        for sizes in [&[BODY_BYTES_MAX + 1][..], &[BODY_BYTES_MAX, 1], &[DISCARD_BYTES_MAX, 9]] {
            assert_eq!(read_body(chunks(sizes)).await.unwrap_err().code, Code::BodyTooLarge);
        }
    }
}
