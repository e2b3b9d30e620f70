//! Vendors that fail are left alone, and asked again soon after they are well.

use super::server::{Reply, Server};
use super::vendor::Asker;
use assay_domain::clock::Stopwatch;
use assay_sources::{NotAsked, Reading};
use futures_util::future::join_all;
use std::time::Duration;

fn is_open<T>(asked: &Result<T, NotAsked>) -> bool {
    matches!(asked, Err(NotAsked::BreakerOpen { .. }))
}

#[tokio::test]
async fn a_vendor_at_nothing_but_errors_is_hardly_asked_at_all() {
    let server = Server::start(|_| Reply::Status(404)).await;
    let asker = Asker::at(&server.url());
    join_all((0..30).map(|_| asker.ask())).await;
    let before = server.requests();
    for status in [500, 503] {
        let asker = asker.as_scope(&format!("{status}"));
        server.does(move |_| Reply::Status(status));
        let watch = Stopwatch::start();
        let mut asked = 0;
        while !is_open(&asker.ask().await) {
            asked += 1;
        }
        assert!(watch.elapsed() < Duration::from_secs(2) && asked <= 5, "{asked}, {:?}", watch.elapsed());
        let rest = join_all((0..95).map(|_| asker.ask())).await;
        assert!(rest.iter().all(is_open));
    }
    assert!(server.requests() - before <= 2 * 6, "{}", server.requests() - before);
    assert_eq!(asker.client.open_breakers().get("status"), Some(&2));
}

#[tokio::test]
async fn it_is_asked_by_three_first_and_by_all_once_they_succeeded() {
    let server = Server::start(|_| Reply::Status(500)).await;
    let asker = Asker::at(&server.url());
    while !is_open(&asker.ask().await) {}
    server.does(|_| Reply::After(Duration::from_millis(100), 404));
    asker.uptime.skip(Duration::from_secs(14));
    assert!(is_open(&asker.ask().await));
    asker.uptime.skip(Duration::from_secs(1));
    let before = server.requests();
    let asked = join_all((0..20).map(|_| asker.ask())).await;
    assert_eq!(asked.iter().filter(|it| it.is_ok()).count(), 3);
    assert_eq!(server.requests() - before, 3);
    let asked = join_all((0..20).map(|_| asker.ask())).await;
    assert!(asked.iter().all(Result::is_ok));
    assert_eq!(asker.client.open_breakers().get("status"), Some(&0));
}

#[tokio::test]
async fn probes_that_fail_are_not_tried_again_and_a_minutes_outage_ends_within_fifteen_seconds() {
    let server = Server::start(|_| Reply::Status(503)).await;
    let asker = Asker::at(&server.url());
    while !is_open(&asker.ask().await) {}
    for _ in 0..4 {
        asker.uptime.skip(Duration::from_secs(15));
        let before = server.requests();
        assert_eq!(asker.ask().await.unwrap().attempts, 1);
        assert!(is_open(&asker.ask().await));
        assert_eq!(server.requests() - before, 1);
    }
    server.does(|_| Reply::Status(404));
    asker.uptime.skip(Duration::from_secs(15));
    for _ in 0..10 {
        assert_eq!(asker.reading().await, Reading::Miss);
    }
}

#[tokio::test]
async fn one_key_in_trouble_does_not_close_the_door_to_others() {
    let server = Server::start(|_| Reply::Status(500)).await;
    let asker = Asker::at(&server.url());
    while !is_open(&asker.ask().await) {}
    server.does(|_| Reply::Status(404));
    assert_eq!(asker.as_scope("another").reading().await, Reading::Miss);
    assert!(is_open(&asker.ask().await));
}

#[tokio::test]
async fn misses_and_refusals_are_no_failures() {
    let server = Server::start(|number| Reply::Status(if number % 3 == 0 { 500 } else { 404 })).await;
    let asker = Asker::at(&server.url());
    for _ in 0..60 {
        assert!(asker.ask().await.is_ok(), "one of three fails");
    }
    // What went well before is forgotten first.
    asker.uptime.skip(Duration::from_secs(10));
    server.does(|number| Reply::Status(if number % 2 == 0 { 500 } else { 404 }));
    let mut asked = 0;
    while !is_open(&asker.ask().await) {
        asked += 1;
    }
    assert!(asked > 5, "one of two fails, never five in a row: {asked}");
}
