//! What a call came to, and the reply that is made of it.

use crate::endpoint::Entry;
use crate::fault::{Code, Fault};
use crate::problem;
use crate::reply::{RateState, Reply, ReplyBody, cost_json};
use assay_domain::{Credits, RequestId};
use std::time::Duration;

/// What a call came to.
pub(crate) struct Done {
    pub status: u16,
    pub body: ReplyBody,
    pub charged: Credits,
    /// Where it is known already.
    pub remaining: Option<Credits>,
    pub replayed: bool,
    pub timings: Vec<(&'static str, Duration)>,
}

impl Done {
    pub fn free(status: u16, body: ReplyBody) -> Self {
        Self { status, body, charged: Credits::ZERO, remaining: None, replayed: false, timings: Vec::new() }
    }

    /// The price before, beside what there is to pay it with.
    pub fn dry_run(entry: &Entry, units_max: u32, balance: Option<Credits>) -> Self {
        let max_price = entry.spec.price.charge(true, units_max);
        let cost = cost_json(Credits::ZERO, balance);
        let body = format!("{{\"dry_run\":true,\"max_price\":{max_price},\"cost\":{cost}}}");
        Self { remaining: balance, ..Self::free(200, ReplyBody::Json(body.into_bytes().into())) }
    }

    /// The bytes of an earlier answer. What is left by now is told beside them.
    pub fn replayed(status: u16, body: Vec<u8>) -> Self {
        Self { replayed: true, ..Self::free(status, ReplyBody::Json(body.into())) }
    }

    pub fn reply(self, request: RequestId, remaining: Option<Credits>, rate: Option<RateState>) -> Reply {
        Reply {
            status: self.status,
            body: self.body,
            request,
            charged: self.charged,
            remaining,
            rate,
            replayed: self.replayed,
            retry_after_seconds: None,
            challenge: None,
            timings: self.timings,
        }
    }
}

pub(crate) fn problem_reply(
    fault: &Fault,
    request: RequestId,
    remaining: Option<Credits>,
    rate: Option<RateState>,
) -> Reply {
    let challenge = match fault.code {
        Code::MissingApiKey => Some(""),
        Code::InvalidApiKey | Code::ExpiredApiKey | Code::RevokedApiKey => Some("invalid_token"),
        _ => None,
    };
    Reply {
        status: fault.code.status(),
        body: ReplyBody::Problem(problem::write(fault, request, remaining).into()),
        request,
        charged: Credits::ZERO,
        remaining,
        rate,
        replayed: false,
        retry_after_seconds: fault.retry_after_seconds,
        challenge,
        timings: Vec::new(),
    }
}
