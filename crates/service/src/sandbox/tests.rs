//! What holds for every row, without a server: answers, checks and forced outcomes.

use super::*;
use crate::CATALOG;
use bytes::Bytes;
use serde_json::{Map, json};
use std::net::Ipv4Addr;

fn sandbox() -> Sandbox {
    Sandbox::new(NetworkHosts::default(), Clock::fixed(crate::example::moment()))
}

/// The row called with its own example.
fn call(entry: &'static Entry) -> Call {
    let (example, _) = (entry.example)();
    let fields = example.as_object().cloned().unwrap_or_default();
    let (in_path, rest): (Map<String, Value>, Map<String, Value>) =
        fields.into_iter().partition(|(name, _)| entry.spec.path.contains(&format!("{{{name}}}")));
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let pairs = |fields: &Map<String, Value>| {
        fields.iter().map(|(name, value)| (name.clone(), text(value))).collect()
    };
    let has_body = entry.spec.verb.has_body();
    Call {
        entry,
        path: twin_path(&entry.spec),
        path_fields: pairs(&in_path),
        query: if has_body { Vec::new() } else { pairs(&rest) },
        body: if has_body { Bytes::from(Value::Object(rest).to_string()) } else { Bytes::new() },
        authorization: None,
        idempotency_key: None,
        wants_events: false,
        sandbox_outcome: None,
        client: Ipv4Addr::LOCALHOST.into(),
        unattended: false,
        slot: crate::Slot::default(),
    }
}

fn forced(entry: &'static Entry, outcome: &str) -> Call {
    Call { sandbox_outcome: Some(outcome.to_owned()), ..call(entry) }
}

fn body(answer: Result<Rehearsed, Fault>) -> (u16, Value) {
    match answer.unwrap() {
        (status, ReplyBody::Json(body)) => (status, serde_json::from_slice(&body).unwrap()),
        (status, _) => (status, Value::Null),
    }
}

fn row(name: &str) -> &'static Entry {
    CATALOG.iter().find(|entry| entry.spec.name == name).unwrap()
}

fn with_body(entry: &'static Entry, body: &Value) -> Call {
    Call { body: Bytes::from(body.to_string()), ..call(entry) }
}

#[tokio::test]
async fn every_row_answers_its_example_free_and_says_what_it_would_have_cost() {
    for entry in CATALOG {
        let (status, answer) = body(sandbox().answer(&call(entry)).await);
        assert_eq!(status, entry.spec.status, "{}", entry.spec.name);
        if answer.is_null() {
            continue;
        }
        let mut wanted = (entry.example)().1;
        let units = if entry.spec.price.is_free() { 0 } else { 1 };
        let live_credits = entry.spec.price.charge(true, units);
        wanted["sandbox"] = json!(true);
        wanted["cost"] = json!({"credits": 0, "live_credits": live_credits});
        assert_eq!(answer, wanted, "{}", entry.spec.name);
    }
}

#[tokio::test]
async fn each_outcome_of_each_row_is_forced_or_refused_with_those_it_has() {
    for entry in CATALOG {
        let has = outcomes(entry);
        assert!(has.contains(&"rate_limited") && has.contains(&"slow"), "{has:?}");
        for outcome in SandboxOutcome::ALL.iter().filter(|outcome| **outcome != SandboxOutcome::Slow) {
            let answer = sandbox().answer(&forced(entry, outcome.as_str())).await;
            if !has.contains(&outcome.as_str()) {
                let fault = answer.unwrap_err();
                assert_eq!(
                    (fault.code, &*fault.errors[0].pointer),
                    (Code::ValidationFailed, "/Sandbox-Outcome")
                );
                assert!(has.iter().all(|name| fault.errors[0].fix.contains(name)), "{fault:?}");
                continue;
            }
            let code = match outcome {
                SandboxOutcome::InsufficientCredits => Code::InsufficientCredits,
                SandboxOutcome::RateLimited => Code::RateLimited,
                SandboxOutcome::UpstreamError => Code::UpstreamError,
                SandboxOutcome::NotFound | SandboxOutcome::Slow => {
                    let (_, answer) = body(answer);
                    // Whoever is like nobody was not searched for.
                    let ran = entry.spec.name != "find-similar-people";
                    let base = entry.spec.price.charge(ran, 0);
                    assert_eq!(answer["cost"], json!({"credits": 0, "live_credits": base}));
                    continue;
                }
            };
            let fault = answer.unwrap_err();
            assert_eq!(fault.code, code);
            assert_eq!(fault.retry_after_seconds.is_some(), code == Code::RateLimited);
        }
    }
}

#[tokio::test]
async fn nothing_found_is_an_answer_that_would_have_been_free() {
    for name in ["enrich", "companies"] {
        let (status, answer) = body(sandbox().answer(&forced(row(name), "not_found")).await);
        assert_eq!(
            (status, &answer["found"], &answer["cost"]["live_credits"]),
            (200, &json!(false), &json!(0))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_answer_takes_its_time_and_only_so_many_may_wait() {
    let (sandbox, slow) = (sandbox(), forced(row("enrich"), "slow"));
    let started = tokio::time::Instant::now();
    let (_, answer) = body(sandbox.answer(&slow).await);
    assert_eq!((started.elapsed(), &answer["found"]), (limits::SANDBOX_SLOW, &json!(true)));
    let calls = (0..=limits::SANDBOX_SLEEPERS_MAX).map(|_| sandbox.answer(&slow));
    let answers = futures_util::future::join_all(calls).await;
    let refused: Vec<Code> =
        answers.into_iter().filter_map(|answer| answer.err().map(|fault| fault.code)).collect();
    assert_eq!(refused, [Code::Overloaded]);
    assert!(sandbox.answer(&slow).await.is_ok(), "the places are given back");
}

#[tokio::test]
async fn options_mean_what_they_mean_outside() {
    let enrich = row("enrich");
    let email = (enrich.example)().0["email"].clone();
    let explained = with_body(enrich, &json!({"email": email, "explain": true, "max_credits": 1}));
    let (_, answer) = body(sandbox().answer(&explained).await);
    assert_eq!(
        answer["trace"],
        json!([{"provider": "sandbox", "outcome": "found", "latency_ms": 0, "upstream_cost_micros": 0}])
    );
    let poor = with_body(enrich, &json!({"email": email, "max_credits": 0.5}));
    assert_eq!(sandbox().answer(&poor).await.unwrap_err().code, Code::MaxCreditsTooLow);
    let dry = Call { query: vec![("dry_run".into(), "true".into())], ..call(enrich) };
    let (status, answer) = body(sandbox().answer(&dry).await);
    let wanted =
        json!({"dry_run": true, "max_price": 1, "sandbox": true, "cost": {"credits": 0, "live_credits": 0}});
    assert_eq!((status, answer), (200, wanted));
    let keyed = Call { idempotency_key: Some(String::new()), ..call(enrich) };
    assert_eq!(sandbox().answer(&keyed).await.unwrap_err().code, Code::InvalidIdempotencyKey);
}
