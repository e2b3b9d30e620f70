//! Faults: the only failures a client may see, each a row of one table.

use assay_domain::{Credits, ParseError, Price};
use assay_engine::EngineError;
use assay_store::StoreError;
use std::borrow::Cow;

/// Names every fault. The table below says what each means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    InvalidJson,
    InvalidIdempotencyKey,
    MissingApiKey,
    InvalidApiKey,
    ExpiredApiKey,
    RevokedApiKey,
    InsufficientCredits,
    SpendCapReached,
    MaxCreditsTooLow,
    PlanRequired,
    TrialEnded,
    InsufficientScope,
    IpNotAllowed,
    KeyBoundsExceeded,
    NotFound,
    MethodNotAllowed,
    RequestTimeout,
    RequestInProgress,
    TooManyKeys,
    TooManyWebhooks,
    WebhookDisabled,
    CursorExpired,
    BodyTooLarge,
    UnsupportedMediaType,
    ValidationFailed,
    IdempotencyKeyReused,
    RateLimited,
    SandboxDailyLimit,
    TooManyFailedAttempts,
    Internal,
    UpstreamError,
    Overloaded,
    Unavailable,
    DeadlineExceeded,
}

/// One row of the error table.
#[derive(Debug, Clone, Copy)]
pub struct FaultRow {
    pub code: Code,
    pub name: &'static str,
    pub status: u16,
    /// Whether the same request may succeed later without being changed.
    pub retryable: bool,
    pub title: &'static str,
    pub fix: &'static str,
}

const fn row(
    code: Code,
    (name, status, retryable): (&'static str, u16, bool),
    title: &'static str,
    fix: &'static str,
) -> FaultRow {
    FaultRow { code, name, status, retryable, title, fix }
}

/// Every fault, in order of status.
#[rustfmt::skip]
pub const FAULTS: &[FaultRow] = &[
    row(Code::InvalidJson, ("invalid_json", 400, false), "the body is not JSON", "send a JSON object; the detail says where reading stopped"),
    row(Code::InvalidIdempotencyKey, ("invalid_idempotency_key", 400, false), "the Idempotency-Key cannot be used", "send 1 to 255 visible ASCII characters, a UUID for example"),
    row(Code::MissingApiKey, ("missing_api_key", 401, false), "the request carries no API key", "send the header Authorization: Bearer <your key>"),
    row(Code::InvalidApiKey, ("invalid_api_key", 401, false), "the API key is not one of ours", "check that the whole key was copied; keys are shown once, a lost one is replaced by a new one"),
    row(Code::ExpiredApiKey, ("expired_api_key", 401, false), "the API key has expired", "make a new key"),
    row(Code::RevokedApiKey, ("revoked_api_key", 401, false), "the API key was revoked", "use another key, or make a new one"),
    row(Code::InsufficientCredits, ("insufficient_credits", 402, false), "the balance does not cover one unit of this call", "top up, or wait for running calls to give back what they hold"),
    row(Code::SpendCapReached, ("spend_cap_reached", 402, false), "the key's monthly cap does not cover one unit of this call", "raise the key's cap, use another key, or wait for the next month"),
    row(Code::MaxCreditsTooLow, ("max_credits_too_low", 402, false), "max_credits does not cover one unit of this call", "raise max_credits; ?dry_run=true tells the price"),
    row(Code::PlanRequired, ("plan_required", 403, false), "the plan does not include this call", "change to the plan named in the detail"),
    row(Code::TrialEnded, ("trial_ended", 403, false), "the trial is over", "choose a plan"),
    row(Code::InsufficientScope, ("insufficient_scope", 403, false), "the key may not do this", "use a key with the scope named in the detail"),
    row(Code::IpNotAllowed, ("ip_not_allowed", 403, false), "the key may not be used from this address", "add the address to the key's allow-list"),
    row(Code::KeyBoundsExceeded, ("key_bounds_exceeded", 403, false), "a key cannot give more than it has itself", "stay within the bounds of the calling key, or call with a key that has none"),
    row(Code::NotFound, ("not_found", 404, false), "there is nothing here", "check the path and the id"),
    row(Code::MethodNotAllowed, ("method_not_allowed", 405, false), "the path does not take this method", "use a method of the Allow header"),
    row(Code::RequestTimeout, ("request_timeout", 408, true), "the request did not arrive in time", "send it again, faster or in smaller parts"),
    row(Code::RequestInProgress, ("request_in_progress", 409, true), "a request with this Idempotency-Key is still running", "wait as long as Retry-After says and send it again"),
    row(Code::TooManyKeys, ("too_many_keys", 409, false), "the account has as many keys as it may have", "revoke a key that is no longer used"),
    row(Code::TooManyWebhooks, ("too_many_webhooks", 409, false), "the account has as many webhooks as it may have", "delete a webhook that is no longer used"),
    row(Code::WebhookDisabled, ("webhook_disabled", 409, false), "the webhook is disabled", "enable it with PATCH /v1/webhooks/{id} and send the call again"),
    row(Code::CursorExpired, ("cursor_expired", 410, false), "the cursor is no longer good", "start again without a cursor"),
    row(Code::BodyTooLarge, ("body_too_large", 413, false), "the body is too large", "send less at once"),
    row(Code::UnsupportedMediaType, ("unsupported_media_type", 415, false), "the body is not declared as JSON", "send Content-Type: application/json, or none"),
    row(Code::ValidationFailed, ("validation_failed", 422, false), "the request does not fit the endpoint", "correct the fields listed in errors"),
    row(Code::IdempotencyKeyReused, ("idempotency_key_reused", 422, false), "the Idempotency-Key was used for another request", "use a new key for a new request"),
    row(Code::RateLimited, ("rate_limited", 429, true), "too many requests", "wait as long as Retry-After says"),
    row(Code::TooManyFailedAttempts, ("too_many_failed_attempts", 429, true), "too many keys were refused from this address", "check the key, and wait as long as Retry-After says"),
    row(Code::SandboxDailyLimit, ("sandbox_daily_limit", 429, true), "the address has used its sandbox calls of today", "wait for the next day (UTC), or call with a key"),
    row(Code::Internal, ("internal_error", 500, true), "something broke on our side", "try again; if it stays, report the request_id"),
    row(Code::UpstreamError, ("upstream_error", 502, true), "a source we asked failed", "try again; the call was not charged"),
    row(Code::Overloaded, ("overloaded", 503, true), "the service has more work than it can do", "wait as long as Retry-After says"),
    row(Code::Unavailable, ("unavailable", 503, true), "a part of the service cannot be reached", "wait as long as Retry-After says and send it again, with the same Idempotency-Key if it had one"),
    row(Code::DeadlineExceeded, ("deadline_exceeded", 504, true), "the call took too long and was stopped", "try again; the call was not charged"),
];

impl Code {
    pub fn row(self) -> &'static FaultRow {
        FAULTS.iter().find(|row| row.code == self).unwrap_or(&FALLBACK)
    }

    pub fn name(self) -> &'static str {
        self.row().name
    }

    pub fn status(self) -> u16 {
        self.row().status
    }

    /// Whether whoever is refused is told what is left: not one without the right to the call, who is told nothing; and not where
    /// there is too much to do or something is broken, when the database is asked nothing more.
    pub fn tells_balance(self) -> bool {
        !matches!(self.status(), 401 | 403 | 429 | 500..)
    }
}

/// Never used while every code has a row, which a test checks.
static FALLBACK: FaultRow =
    row(Code::Internal, ("internal_error", 500, true), "something broke on our side", "try again");

/// One thing wrong with one field.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct FieldError {
    /// A JSON pointer into the request.
    pub pointer: String,
    pub code: String,
    pub message: String,
    pub fix: String,
}

/// A failed call.
#[derive(Debug, Clone)]
pub struct Fault {
    pub code: Code,
    pub detail: Cow<'static, str>,
    pub errors: Vec<FieldError>,
    pub retryable: bool,
    pub retry_after_seconds: Option<u32>,
    /// Nothing failed: the call is about to spend money upstream, and credits have to be held before.
    pub(crate) wants_hold: bool,
}

impl Fault {
    /// Ends a run that may go on only with credits held. No client ever sees it: the call is run again with a hold.
    pub(crate) fn hold_first() -> Self {
        Self { wants_hold: true, ..Self::new(Code::Internal, "credits have to be held first") }
    }

    pub fn new(code: Code, detail: impl Into<Cow<'static, str>>) -> Self {
        let retryable = code.row().retryable;
        let retry_after_seconds =
            matches!(code, Code::Overloaded | Code::Unavailable | Code::RequestInProgress).then_some(1);
        Self {
            code,
            detail: detail.into(),
            errors: Vec::new(),
            retryable,
            retry_after_seconds,
            wants_hold: false,
        }
    }

    /// A request that does not fit, with every reason found.
    pub fn invalid(errors: Vec<FieldError>) -> Self {
        let detail = match errors.as_slice() {
            [only] => format!("{}: {}", pointer_or_body(&only.pointer), only.message),
            many => format!("{} fields need correcting", many.len()),
        };
        Self { errors, ..Self::new(Code::ValidationFailed, detail) }
    }

    /// One field that does not fit.
    pub fn field(pointer: &str, code: &str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::invalid(vec![FieldError {
            pointer: pointer.to_owned(),
            code: code.to_owned(),
            message: message.into(),
            fix: fix.into(),
        }])
    }

    /// An identifier that does not parse.
    pub fn unreadable(pointer: &str, error: &ParseError) -> Self {
        Self::field(pointer, error.code(), error.to_string(), error.fix())
    }

    pub fn max_credits_too_low(price: Price, bound: Credits) -> Self {
        let needed = price.charge(true, 1);
        Self::new(Code::MaxCreditsTooLow, format!("max_credits is {bound}; one unit costs {needed} credits"))
    }

    pub fn insufficient(needed: Credits, available: Credits, waiting: Credits) -> Self {
        let detail = format!(
            "one unit costs {needed} credits; {available} are available and {waiting} are held by running calls"
        );
        let retryable = waiting.is_positive() && available.plus(waiting) >= needed;
        Self { retryable, ..Self::new(Code::InsufficientCredits, detail) }
    }
}

fn pointer_or_body(pointer: &str) -> &str {
    if pointer.is_empty() { "the body" } else { pointer }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Overloaded => Self::new(Code::Overloaded, "too much work is waiting"),
            StoreError::Unavailable(_) => Self::new(Code::Unavailable, "the database cannot be reached"),
            StoreError::Conflict(_) | StoreError::Corrupt(_) | StoreError::Schema(_) => {
                tracing::error!(%error, "a call failed on our side");
                Self::new(Code::Internal, "the failure was recorded")
            }
        }
    }
}

impl From<EngineError> for Fault {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Store(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_one_row_and_a_way_to_mend_it() {
        for row in FAULTS {
            assert_eq!(row.code.row().name, row.name);
            assert!(!row.fix.is_empty() && !row.title.is_empty());
            assert_eq!(FAULTS.iter().filter(|other| other.name == row.name).count(), 1);
        }
        assert!(FAULTS.is_sorted_by_key(|row| row.status));
    }
}
