//! What an answer means.

use super::receiver::{Receiver, deliver, deliver_with, guard, recording, settings};
use assay_domain::Clock;
use assay_notify::{SenderSettings, Verdict};
use std::time::{Duration, SystemTime};

fn empty(status: &str, headers: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}content-length: 0\r\n\r\n")
}

#[tokio::test]
async fn a_2xx_is_a_delivery_whatever_its_body() {
    for (answer, status, excerpt) in [
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", 200, "ok"),
        ("HTTP/1.1 201 Made\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 201, "abc"),
        ("HTTP/1.1 202 Fine\r\n\r\nuntil the end", 202, "until the end"),
        ("HTTP/1.1 204 No Content\r\n\r\n", 204, ""),
        ("HTTP/1.1 299 Own\r\ncontent-length: 0\r\n\r\n", 299, ""),
        ("HTTP/1.0 200 OK\r\n\r\nold", 200, "old"),
        ("HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n!", 200, "!"),
        // Breaks off: the status had come.
        ("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf", 200, "half"),
    ] {
        let receiver = Receiver::answering(answer).await;
        let outcome = deliver(&receiver).await;
        assert_eq!((outcome.verdict, outcome.status), (Verdict::Delivered, Some(status)), "{answer}");
        assert_eq!(outcome.excerpt, excerpt, "{answer}");
        assert_eq!((outcome.retry_after, receiver.calls().await), (None, 1));
    }
}

#[tokio::test]
async fn a_delivery_arrives_as_it_was_given() {
    let (receiver, kept) = recording("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let port = receiver.port();
    let url = format!("http://127.0.0.1:{port}/a%20b?x=1&y=%2F");
    let outcome = deliver_with(settings(guard("127.0.0.1", &[port])), &url).await;
    assert_eq!(outcome.verdict, Verdict::Delivered);
    let request = kept.lock().unwrap().clone();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let mut lines = head.lines();
    assert_eq!(lines.next(), Some("POST /a%20b?x=1&y=%2F HTTP/1.1"));
    let mut headers: Vec<&str> = lines.collect();
    headers.sort_unstable();
    let agent = concat!("user-agent: Assay-Webhooks/", env!("CARGO_PKG_VERSION"));
    let host = format!("host: 127.0.0.1:{port}");
    let expected = [
        "accept: */*",
        "connection: close",
        "content-length: 23",
        "content-type: application/json",
        &host,
        agent,
        "webhook-id: msg_1",
    ];
    assert_eq!(headers, expected);
    assert_eq!(body, "{\"type\":\"webhook.test\"}");
}

#[tokio::test]
async fn a_redirect_is_a_failure_and_is_not_followed() {
    let canary = Receiver::answering(empty("200 OK", "")).await;
    for status in [300, 301, 302, 303, 305, 307, 308, 399] {
        let location = format!("location: {}\r\n", canary.url());
        let receiver = Receiver::answering(empty(&format!("{status} Elsewhere"), &location)).await;
        // The sender may reach both: only its own rule keeps it from following.
        let guard = guard("127.0.0.0/8", &[receiver.port(), canary.port()]);
        let outcome = deliver_with(settings(guard), &receiver.url()).await;
        assert_eq!((outcome.verdict, outcome.status), (Verdict::Refused(status), Some(status)));
        assert_eq!(receiver.calls().await, 1);
    }
    assert_eq!(canary.calls().await, 0);
    // The canary can be reached.
    assert_eq!(deliver(&canary).await.verdict, Verdict::Delivered);
    assert_eq!(canary.calls().await, 1);
}

#[tokio::test]
async fn gone_is_told_apart_from_other_refusals() {
    for (status, verdict) in [
        (410, Verdict::Gone),
        (400, Verdict::Refused(400)),
        (404, Verdict::Refused(404)),
        (429, Verdict::Refused(429)),
        (500, Verdict::Refused(500)),
        (503, Verdict::Refused(503)),
    ] {
        let receiver = Receiver::answering(empty(&format!("{status} No"), "")).await;
        assert_eq!(deliver(&receiver).await.verdict, verdict);
    }
}

#[tokio::test]
async fn retry_after_is_read_in_seconds_and_as_a_date() {
    // Sun, 06 Nov 1994 08:49:37 GMT
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
    for (value, asked) in [
        ("retry-after: 120\r\n", Some(120)),
        ("Retry-After: Sun, 06 Nov 1994 08:50:07 GMT\r\n", Some(30)),
        ("retry-after: Sun, 06 Nov 1994 08:00:00 GMT\r\n", Some(0)),
        ("retry-after: whenever\r\n", None),
        ("", None),
    ] {
        let receiver = Receiver::answering(empty("503 Busy", value)).await;
        let guard = guard("127.0.0.1", &[receiver.port()]);
        let settings = SenderSettings { clock: Clock::fixed(then.into()), ..settings(guard) };
        let outcome = deliver_with(settings, &receiver.url()).await;
        assert_eq!(outcome.retry_after, asked.map(Duration::from_secs), "{value}");
    }
}
