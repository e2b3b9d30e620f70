//! How much: rates, counts and what one key may hand on.

use super::{ADA, Lesson};
use crate::fault::{Code, Fault, FieldError};
use crate::reference::calls::{Calls, Sample};
use assay_domain::limits::{
    FAILED_AUTH_PER_MINUTE, KEYS_PER_ACCOUNT_MAX, SANDBOX_DAILY_LIMIT, WEBHOOKS_PER_ACCOUNT_MAX,
};

const HOOK: &str = r#"{"url":"https://hooks.northwind-robotics.example/assay"}"#;

pub(super) static LESSONS: &[Lesson] = &[
    Lesson {
        code: Code::RateLimited,
        meaning: "The account sent more requests than its plan allows a minute, or the key more than its own rate. The \
                  headers `RateLimit-Policy` and `RateLimit` of every answer tell the quota and what is left of it, so that a \
                  client can slow down before it is refused.",
        given: "The account is a trial, which may send 120 requests a minute. curl counts up what stands behind the `#`.",
        failing: Calls::InTurn(&[Sample::get("/v1/me#[1-150]")]),
        fault: || Fault::new(Code::RateLimited, "the account may send 120 requests a minute"),
        mended: "The same call after as many seconds as `Retry-After` says.",
        corrected: Calls::InTurn(&[Sample::get("/v1/me")]),
    },
    Lesson {
        code: Code::TooManyFailedAttempts,
        meaning: "So many keys from this address were refused that it has to wait before unknown ones are looked up again. \
                  Keys that worked before still do. Mostly it is a program that goes on with a key that was revoked or \
                  mistyped.",
        given: "curl counts up what stands behind the `#`.",
        failing: Calls::InTurn(&[Sample::get("/v1/me#[1-150]").with_key("assay_live_typo")]),
        fault: || {
            let detail = format!("an address may be refused {FAILED_AUTH_PER_MINUTE} times a minute");
            Fault { retry_after_seconds: Some(1), ..Fault::new(Code::TooManyFailedAttempts, detail) }
        },
        mended: "A good key, after as many seconds as `Retry-After` says.",
        corrected: Calls::InTurn(&[Sample::get("/v1/me")]),
    },
    Lesson {
        code: Code::SandboxDailyLimit,
        meaning: "The sandbox needs no key, so it counts the calls of each address, up to midnight UTC. The header \
                  `X-Sandbox-Remaining` tells what is left; `GET /v1/sandbox/info` is not counted. Calls with a test key \
                  (`assay_test_…`) answer from the sandbox too and are not counted here.",
        given: "curl counts up what stands behind the `#`.",
        failing: Calls::InTurn(&[Sample::post("/v1/sandbox/enrich#[1-51]", ADA).without_key()]),
        fault: || {
            let detail = format!("this address has used its {SANDBOX_DAILY_LIMIT} sandbox calls of today");
            Fault { retry_after_seconds: Some(21_600), ..Fault::new(Code::SandboxDailyLimit, detail) }
        },
        mended: "The call itself, with a key.",
        corrected: Calls::InTurn(&[Sample::post("/v1/enrich", ADA)]),
    },
    Lesson {
        code: Code::KeyBoundsExceeded,
        meaning: "A key cannot make or change a key so that it may do more than itself: last longer, be used from more \
                  addresses, or spend what the cap of the calling key was to prevent.",
        given: "`CAPPED_KEY` is a key with a monthly cap.",
        failing: Calls::InTurn(&[Sample::post("/v1/keys", r#"{"name":"crm sync"}"#).with_key("$CAPPED_KEY")]),
        fault: || {
            let message = "the calling key has a cap or a rate of its own, which a second key would double";
            let error = FieldError {
                pointer: String::new(),
                code: "exceeds_calling_key".to_owned(),
                message: message.to_owned(),
                fix: "call with a key that has neither".to_owned(),
            };
            Fault { errors: vec![error], ..Fault::new(Code::KeyBoundsExceeded, message) }
        },
        mended: "A key without bounds of its own makes the new one.",
        corrected: Calls::InTurn(&[Sample::post("/v1/keys", r#"{"name":"crm sync"}"#)]),
    },
    Lesson {
        code: Code::TooManyKeys,
        meaning: "An account has a limited number of live keys. Keys that are revoked or expired do not count, and a key \
                  counts as one together with the one it was rotated into.",
        given: "The account has as many live keys as it may have.",
        failing: Calls::InTurn(&[Sample::post("/v1/keys", r#"{"name":"one more"}"#)]),
        fault: || Fault::new(Code::TooManyKeys, format!("there may be {KEYS_PER_ACCOUNT_MAX} live keys")),
        mended: "A key that nobody uses any more was revoked; the call is the same.",
        corrected: Calls::InTurn(&[Sample::post("/v1/keys", r#"{"name":"one more"}"#)]),
    },
    Lesson {
        code: Code::TooManyWebhooks,
        meaning: "An account has a limited number of webhooks, disabled ones included. One URL can be told everything: \
                  several events need no several webhooks.",
        given: "The account has as many webhooks as it may have.",
        failing: Calls::InTurn(&[Sample::post("/v1/webhooks", HOOK)]),
        fault: || {
            Fault::new(Code::TooManyWebhooks, format!("there may be {WEBHOOKS_PER_ACCOUNT_MAX} webhooks"))
        },
        mended: "A webhook that nobody listens to any more was deleted; the call is the same.",
        corrected: Calls::InTurn(&[Sample::post("/v1/webhooks", HOOK)]),
    },
    Lesson {
        code: Code::WebhookDisabled,
        meaning: "Nothing is sent to a webhook that is disabled, not even a test. `GET /v1/webhooks/{id}` says why it is: by \
                  request, because it answered 410, or because it failed for five days.",
        given: "`WEBHOOK_ID` is a webhook that is disabled.",
        failing: Calls::InTurn(&[Sample::post("/v1/webhooks/$WEBHOOK_ID/test", "{}")]),
        fault: || Fault::new(Code::WebhookDisabled, "nothing is sent while the webhook is disabled"),
        mended: "The webhook was enabled again with `PATCH /v1/webhooks/{id}` and `{\"enabled\":true}`; the call is the same.",
        corrected: Calls::InTurn(&[Sample::post("/v1/webhooks/$WEBHOOK_ID/test", "{}")]),
    },
];
