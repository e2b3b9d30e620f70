//! How long and how much: deadlines that are kept and learnt, answers that do not end, places at a vendor.

use super::server::{Reply, Server};
use super::vendor::{Asker, PLENTY};
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{SOURCE_ANSWER_BYTES_MAX, SOURCE_IN_FLIGHT_MAX};
use assay_sources::{NotAsked, Reading};
use futures_util::future::join_all;
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::time::timeout;

#[tokio::test]
async fn a_vendor_that_hangs_or_trickles_is_given_up_when_the_time_is_over() {
    for reply in [Reply::Hang, Reply::Endless(Duration::from_millis(20), 1), Reply::Announce(10)] {
        let server = Server::start(move |_| reply.clone()).await;
        let watch = Stopwatch::start();
        let asked = Asker::at(&server.url()).ask_within(Duration::from_millis(400)).await.unwrap();
        assert_eq!(asked.reading, Reading::Failed("timed out"));
        let took = watch.elapsed();
        assert!((400..1_500).contains(&took.as_millis()), "{took:?}");
    }
}

/// As where a machine was stopped and goes on, or had no time for us.
#[tokio::test]
async fn a_vendor_is_not_blamed_for_a_time_in_which_nobody_ran_here() {
    let elsewhere = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let answers = Server::start(|_| Reply::After(Duration::from_millis(300), 404));
    let server = elsewhere.spawn(answers).await.unwrap();
    let asker = Asker::at(&server.url());
    let (asked, ()) = tokio::join!(asker.ask_within(Duration::from_millis(600)), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        std::thread::sleep(Duration::from_millis(1_500));
    });
    assert_eq!(asked.unwrap().reading, Reading::Miss);
    elsewhere.shutdown_background();
}

#[tokio::test]
async fn an_answer_without_end_is_not_read_to_it() {
    for reply in [Reply::Announce(SOURCE_ANSWER_BYTES_MAX + 1), Reply::Endless(Duration::ZERO, 64 * 1024)] {
        let server = Server::start(move |_| reply.clone()).await;
        assert_eq!(Asker::at(&server.url()).reading().await, Reading::Failed("answer too large"));
    }
}

/// So that its deadline is known.
async fn grow_known(asker: &Asker) {
    for _ in 0..120 {
        assert_eq!(asker.reading().await, Reading::Miss);
    }
}

#[tokio::test]
async fn a_vendor_known_to_be_quick_is_not_waited_for_long() {
    let server = Server::start(|_| Reply::Status(404)).await;
    let asker = Asker::at(&server.url());
    grow_known(&asker).await;
    server.does(|_| Reply::After(Duration::from_secs(10), 404));
    let watch = Stopwatch::start();
    for _ in 0..5 {
        assert_eq!(asker.reading().await, Reading::Failed("timed out"));
    }
    assert!(watch.elapsed() < Duration::from_secs(4), "{:?}", watch.elapsed());
    assert!(matches!(asker.ask().await, Err(NotAsked::BreakerOpen { .. })));
}

#[tokio::test]
async fn a_vendor_that_became_slower_is_waited_for_again() {
    let server = Server::start(|_| Reply::Status(404)).await;
    let asker = Asker::at(&server.url());
    grow_known(&asker).await;
    server.does(|_| Reply::After(Duration::from_millis(900), 404));
    for _ in 0..5 {
        assert_eq!(asker.reading().await, Reading::Failed("timed out"));
    }
    asker.uptime.skip(Duration::from_secs(15));
    for _ in 0..4 {
        assert_eq!(asker.reading().await, Reading::Miss);
    }
}

#[tokio::test]
async fn only_so_many_questions_are_under_way_at_once() {
    let server = Server::start(|_| Reply::After(Duration::from_millis(600), 404)).await;
    let asker = Asker::at(&server.url());
    let other = asker.as_scope("another");
    let (ours, theirs) = tokio::join!(join_all((0..20).map(|_| asker.ask())), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        join_all((0..20).map(|_| other.ask())).await
    });
    assert!(ours.iter().all(Result::is_ok));
    let full = theirs.iter().filter(|it| **it == Err(NotAsked::Full)).count();
    assert_eq!(full, 40 - SOURCE_IN_FLIGHT_MAX, "a vendor's places are shared by all keys");
    assert_eq!(server.requests(), SOURCE_IN_FLIGHT_MAX);
    assert!(asker.ask().await.is_ok(), "places are given back");
}

#[tokio::test]
async fn callers_who_go_away_give_their_places_back_and_blame_nobody() {
    let server = Server::start(|_| Reply::Hang).await;
    let asker = Asker::at(&server.url());
    for _ in 0..2 {
        let all = join_all((0..SOURCE_IN_FLIGHT_MAX).map(|_| asker.ask_within(PLENTY)));
        assert!(timeout(Duration::from_millis(200), all).await.is_err());
    }
    server.does(|_| Reply::Status(404));
    assert_eq!(asker.reading().await, Reading::Miss);
}

#[tokio::test]
async fn callers_who_waited_in_vain_before_they_went_away_do_blame_the_vendor() {
    let server = Server::start(|_| Reply::Hang).await;
    let asker = Asker::at(&server.url());
    let all = join_all((0..5).map(|_| asker.ask_within(PLENTY)));
    assert!(timeout(Duration::from_millis(1_200), all).await.is_err());
    assert!(matches!(asker.ask().await, Err(NotAsked::BreakerOpen { .. })));
}
