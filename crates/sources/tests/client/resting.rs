//! Keys that rest: rate limits, used up quotas, refused keys, our own pace.

use super::server::{Reply, Server};
use super::vendor::Asker;
use assay_sources::{NotAsked, Reading, Rest};
use std::time::Duration;

async fn rest(asker: &Asker) -> Option<(Rest, u128)> {
    match asker.ask().await {
        Err(NotAsked::Resting { why, left }) => Some((why, left.as_millis().div_ceil(1_000))),
        _ => None,
    }
}

#[tokio::test]
async fn a_rate_limit_is_not_tried_again_and_remembered_until_its_reset() {
    let limited = || Reply::Headed(429, "retry-after: 2\r\n".to_owned());
    let server = Server::start(move |_| limited()).await;
    let asker = Asker::at(&server.url());
    assert_eq!(asker.reading().await, Reading::RateLimited(Some(Duration::from_secs(2))));
    assert_eq!(rest(&asker).await, Some((Rest::RateLimited, 2)));
    server.does(|_| Reply::Status(404));
    assert_eq!(asker.as_scope("another").reading().await, Reading::Miss);
    asker.uptime.skip(Duration::from_secs(2));
    assert_eq!(asker.reading().await, Reading::Miss);
    assert_eq!(server.requests(), 3);
}

#[tokio::test]
async fn keys_that_are_used_up_or_refused_rest_for_minutes() {
    for (status, why, seconds) in
        [(429, Rest::RateLimited, 60), (402, Rest::QuotaExhausted, 900), (401, Rest::Unauthorized, 300)]
    {
        let server = Server::start(move |_| Reply::Status(status)).await;
        let asker = Asker::at(&server.url());
        asker.ask().await.unwrap();
        assert_eq!(rest(&asker).await, Some((why, u128::from(seconds))));
        asker.uptime.skip(Duration::from_secs(seconds - 1));
        assert_eq!(rest(&asker).await, Some((why, 1)));
        assert_eq!(server.requests(), 1);
        asker.uptime.skip(Duration::from_secs(1));
        assert!(asker.ask().await.is_ok());
    }
}

#[tokio::test]
async fn a_new_key_need_not_wait_for_the_old_ones_rest() {
    let server = Server::start(|_| Reply::Status(401)).await;
    let asker = Asker::at(&server.url());
    asker.ask().await.unwrap();
    server.does(|_| Reply::Status(404));
    assert!(rest(&asker).await.is_some());
    asker.client.forget("status", "operator");
    assert_eq!(asker.reading().await, Reading::Miss);
}

#[tokio::test]
async fn our_own_pace_is_kept() {
    let server = Server::start(|_| Reply::Status(404)).await;
    let mut asker = Asker::at(&server.url());
    asker.place.requests_per_minute = Some(6);
    for _ in 0..6 {
        assert_eq!(asker.reading().await, Reading::Miss);
    }
    assert_eq!(rest(&asker).await, Some((Rest::Paced, 10)));
    asker.uptime.skip(Duration::from_secs(10));
    assert_eq!(asker.reading().await, Reading::Miss);
    assert!(rest(&asker).await.is_some());
    assert_eq!(server.requests(), 7);
}
