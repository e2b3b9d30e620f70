//! The reply to a call, before any transport dresses it: a status, a body and the figures that go into headers.

use crate::endpoint::Chunks;
use assay_domain::rate::Allowance;
use assay_domain::{Credits, RequestId};
use bytes::Bytes;
use std::time::Duration;

/// What a reply carries.
pub enum ReplyBody {
    Json(Bytes),
    /// A problem document instead of an answer.
    Problem(Bytes),
    /// Written piece by piece.
    Stream {
        content_type: &'static str,
        file_name: Option<&'static str>,
        chunks: Chunks,
    },
}

impl std::fmt::Debug for ReplyBody {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Json(body) => write!(out, "Json({} bytes)", body.len()),
            Self::Problem(body) => write!(out, "Problem({} bytes)", body.len()),
            Self::Stream { content_type, .. } => write!(out, "Stream({content_type})"),
        }
    }
}

/// A finished call.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub body: ReplyBody,
    pub request: RequestId,
    pub charged: Credits,
    pub remaining: Option<Credits>,
    pub rate: Option<RateState>,
    /// The bytes of an earlier answer to the same idempotency key.
    pub replayed: bool,
    pub retry_after_seconds: Option<u32>,
    /// Set on 401: what the client lacked, in the words of RFC 6750.
    pub challenge: Option<&'static str>,
    /// How long each part took, in order.
    pub timings: Vec<(&'static str, Duration)>,
}

/// The rate limits after this call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateState {
    pub account: Allowance,
    /// Only for a key that has a rate of its own.
    pub key: Option<Allowance>,
}

/// The `cost` object of every JSON answer.
#[derive(Debug, Clone, Copy, serde::Serialize, schemars::JsonSchema)]
pub struct Cost {
    /// Credits charged for this call.
    #[schemars(with = "f64")]
    pub credits: Credits,
    /// Credits left.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>")]
    pub balance_remaining: Option<Credits>,
}

/// Adds members to a JSON object that is already written, without reading it again.
pub fn splice(object: &[u8], members: &[(&str, &[u8])]) -> Vec<u8> {
    let open = object.strip_suffix(b"}").unwrap_or(b"{");
    let added: usize = members.iter().map(|(name, value)| name.len() + value.len() + 4).sum();
    let mut whole = Vec::with_capacity(object.len() + added);
    whole.extend_from_slice(open);
    for (name, value) in members {
        if whole.len() > 1 {
            whole.push(b',');
        }
        whole.push(b'"');
        whole.extend_from_slice(name.as_bytes());
        whole.extend_from_slice(b"\":");
        whole.extend_from_slice(value);
    }
    whole.push(b'}');
    whole
}

/// The `cost` object as JSON text.
pub fn cost_json(credits: Credits, balance: Option<Credits>) -> String {
    match balance {
        Some(balance) => format!("{{\"credits\":{credits},\"balance_remaining\":{balance}}}"),
        None => format!("{{\"credits\":{credits}}}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_added_to_empty_and_full_objects() {
        assert_eq!(splice(b"{}", &[("a", b"1")]), b"{\"a\":1}");
        assert_eq!(splice(b"{\"b\":2}", &[("a", b"1"), ("c", b"{}")]), b"{\"b\":2,\"a\":1,\"c\":{}}");
        assert_eq!(splice(b"{\"b\":2}", &[]), b"{\"b\":2}");
    }

    #[test]
    fn the_cost_text_is_what_serde_would_write() {
        let cost =
            Cost { credits: Credits::from_thousandths(500), balance_remaining: Some(Credits::whole(99)) };
        assert_eq!(cost_json(cost.credits, cost.balance_remaining), serde_json::to_string(&cost).unwrap());
    }
}
