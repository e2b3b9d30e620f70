//! A fault as an RFC 9457 problem document.

use crate::fault::{Fault, FieldError};
use crate::reply::Cost;
use assay_domain::{Credits, RequestId};
use serde::Serialize;

/// The body of every failed call.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Problem<'a> {
    /// A page of this server about the code.
    pub r#type: String,
    pub title: &'a str,
    pub status: u16,
    pub detail: &'a str,
    pub code: &'a str,
    pub request_id: String,
    /// Whether the same request may succeed later without being changed.
    pub retryable: bool,
    pub errors: &'a [FieldError],
    pub fix: &'a str,
    pub cost: Cost,
}

pub fn write(fault: &Fault, request: RequestId, balance_remaining: Option<Credits>) -> Vec<u8> {
    let row = fault.code.row();
    let problem = Problem {
        r#type: format!("/docs/errors/{}", row.name),
        title: row.title,
        status: row.status,
        detail: &fault.detail,
        code: row.name,
        request_id: request.to_string(),
        retryable: fault.retryable,
        errors: &fault.errors,
        fix: row.fix,
        cost: Cost { credits: Credits::ZERO, balance_remaining },
    };
    serde_json::to_vec(&problem).unwrap_or_default()
}
