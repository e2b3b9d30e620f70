//! What is tried again, and what is not because it may have been paid for.

use super::server::{Reply, Server};
use super::vendor::{Asker, PRICE_MICROS, question};
use assay_domain::Lookup;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::SOURCE_WINDOW_SECONDS;
use assay_sources::{NotAsked, Question, Reading};
use futures_util::future::join_all;
use std::time::Duration;

/// Fails once in the given way, then finds.
async fn after(first: Reply) -> Server {
    Server::start(move |number| if number == 0 { first.clone() } else { Reply::Status(200) }).await
}

#[tokio::test]
async fn a_question_carries_key_and_body_and_says_who_asks() {
    let server = Server::start(|_| Reply::Status(200)).await;
    let asker = Asker::at(&server.url());
    let asked = asker.ask().await.unwrap();
    assert!(matches!(asked.reading, Reading::Hit(_)));
    assert_eq!((asked.attempts, asked.cost_micros), (1, PRICE_MICROS));
    let request = server.last_request();
    for part in [
        "POST /v1/find?api_key=sk_live_geheim HTTP/1.1\r\n",
        "x-api-key: sk_live_geheim\r\n",
        concat!("user-agent: Assay/", env!("CARGO_PKG_VERSION"), "\r\n"),
        "content-type: application/json\r\n",
        "accept: application/json\r\n",
        "\r\n\r\n{\"who\":\"Zoë\"}",
    ] {
        assert!(request.contains(part), "{part} in {request}");
    }
    assert!(!request.contains("cookie") && !request.contains("referer"));
}

#[tokio::test]
async fn connections_are_used_again() {
    let server = Server::start(|_| Reply::Status(404)).await;
    let asker = Asker::at(&server.url());
    for _ in 0..10 {
        assert_eq!(asker.reading().await, Reading::Miss);
    }
    assert_eq!((server.requests(), server.connections()), (10, 1));
}

#[tokio::test]
async fn a_connection_that_was_closed_in_between_fails_nobody() {
    let server = Server::start(|_| Reply::Last(404)).await;
    let asker = Asker::at(&server.url());
    for _ in 0..20 {
        let asked = asker.ask().await.unwrap();
        assert_eq!((asked.reading, asked.attempts), (Reading::Miss, 1));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!((server.requests(), server.connections()), (20, 20));
}

#[tokio::test]
async fn what_was_certainly_not_worked_on_is_tried_again() {
    for status in [502, 503, 504] {
        let server = after(Reply::Status(status)).await;
        let asked = Asker::at(&server.url()).ask().await.unwrap();
        assert!(matches!(asked.reading, Reading::Hit(_)), "{status}");
        assert_eq!((asked.attempts, asked.cost_micros, server.requests()), (2, PRICE_MICROS, 2));
    }
}

#[tokio::test]
async fn a_paid_question_that_may_have_been_answered_is_not_asked_twice() {
    for reply in [Reply::Status(500), Reply::Close, Reply::Endless(Duration::ZERO, 100_000)] {
        let server = after(reply.clone()).await;
        let asked = Asker::at(&server.url()).ask().await.unwrap();
        assert!(matches!(asked.reading, Reading::Failed(_)), "{reply:?}");
        assert_eq!((asked.attempts, server.requests()), (1, 1), "{reply:?}");
    }
}

#[tokio::test]
async fn a_free_question_may_be_asked_twice() {
    for reply in [Reply::Status(500), Reply::Close] {
        let server = after(reply.clone()).await;
        let asked = Asker::at(&server.url()).for_free().ask().await.unwrap();
        assert!(matches!(asked.reading, Reading::Hit(_)), "{reply:?}");
        assert_eq!((asked.attempts, asked.cost_micros), (2, 0), "{reply:?}");
    }
}

#[tokio::test]
async fn a_timeout_is_not_tried_again_and_counts_as_paid_where_every_call_is() {
    let server = Server::start(|_| Reply::Hang).await;
    let asked = Asker::at(&server.url()).ask_within(Duration::from_millis(300)).await.unwrap();
    assert_eq!(asked.reading, Reading::Failed("timed out"));
    assert_eq!((asked.attempts, asked.cost_micros, server.requests()), (1, PRICE_MICROS, 1));
}

#[tokio::test]
async fn a_place_where_nobody_listens_is_tried_twice() {
    let server = Server::start(|_| Reply::Hang).await;
    let url = server.url();
    drop(server);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let asked = Asker::at(&url).ask().await.unwrap();
    assert_eq!(asked.reading, Reading::Failed("not reachable"));
    assert_eq!((asked.attempts, asked.cost_micros), (2, 0));
}

#[tokio::test]
async fn what_a_vendor_works_on_is_asked_for_once_more_after_a_moment() {
    let server = after(Reply::Status(202)).await;
    let watch = Stopwatch::start();
    let asked = Asker::at(&server.url()).ask().await.unwrap();
    assert!(matches!(asked.reading, Reading::Hit(_)) && watch.elapsed() >= Duration::from_secs(1));
    assert_eq!((asked.attempts, asked.cost_micros), (2, PRICE_MICROS));

    let server = Server::start(|_| Reply::Status(202)).await;
    let asked = Asker::at(&server.url()).ask().await.unwrap();
    assert_eq!((asked.reading, asked.attempts), (Reading::Pending, 2));
    let asked = Asker::at(&server.url()).ask_within(Duration::from_millis(500)).await.unwrap();
    assert_eq!((asked.reading, asked.attempts), (Reading::Pending, 1), "no time to wait");
}

#[tokio::test]
async fn answers_are_never_asked_for_again() {
    for status in [200, 404, 401, 402, 418, 429] {
        let server = Server::start(move |_| Reply::Status(status)).await;
        assert_eq!(Asker::at(&server.url()).ask().await.unwrap().attempts, 1, "{status}");
        assert_eq!(server.requests(), 1, "{status}");
    }
}

#[tokio::test]
async fn what_cannot_be_asked_is_not_sent() {
    let server = Server::start(|_| Reply::Status(200)).await;
    let asker = Asker::at(&server.url());
    let other = Question { lookup: Lookup::Company, ..question() };
    let asked = asker.client.ask(&asker.vendor, &asker.place, &other, Duration::from_secs(1)).await;
    assert_eq!(asked, Err(NotAsked::Unanswerable));
    assert_eq!(asker.ask_within(Duration::from_millis(10)).await, Err(NotAsked::NoTime));
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn retries_stay_within_their_budget() {
    // Two of five tries fail: too few for the breaker, and more than the budget pays for.
    let server = Server::start(|number| Reply::Status(if number % 5 < 2 { 503 } else { 404 })).await;
    let asker = Asker::at(&server.url());
    let watch = Stopwatch::start();
    let mut asked = 0;
    for _ in 0..40 {
        let answers = join_all((0..20).map(|_| asker.ask())).await;
        asked += answers.iter().filter(|it| it.is_ok()).count();
    }
    let windows = usize::try_from(watch.elapsed().as_secs()).unwrap() / SOURCE_WINDOW_SECONDS + 1;
    let retries = server.requests() - asked;
    assert!(retries > 100, "{retries} of {asked}");
    assert!(retries <= 100 * windows + asked / 5, "{retries} of {asked}");
}
