//! What a try leaves behind: in the log, in the queue and on the endpoint, in one commit and under one lease.

use super::{LATER, Post, delivery_of, end, post};
use assay_domain::{DeliveryId, WebhookId, limits};
use assay_store::ledger::webhooks::{AttemptEnd, DeliveryState, DisabledReason, Noted, Parcel, Then};
use assay_store::queue::Lease;
use std::time::Duration;

/// An endpoint with one message, whose job is claimed.
async fn claimed(post: &Post) -> (WebhookId, DeliveryId, Lease, Parcel) {
    let id = post.webhook("a", &[]).await;
    post.announce("credits.low").await;
    let delivery = post.told(id).await[0].id;
    let lease = post.claim_one().await;
    let parcel = post.begin(delivery, lease).await.unwrap();
    (id, delivery, lease, parcel)
}

async fn finish(post: &Post, parcel: &Parcel, lease: Lease, end: &AttemptEnd) -> Noted {
    post.ledger.finish_attempt(post.account, parcel, lease, end).await.unwrap()
}

#[tokio::test]
async fn a_failure_waits_for_its_next_time_and_a_success_ends_it() {
    let post = post().await;
    let (id, delivery, lease, parcel) = claimed(&post).await;
    assert_eq!((parcel.tries, parcel.failing, parcel.webhook), (0, false, id));
    assert_eq!(parcel.url, "https://hooks.example.com/a");
    assert_eq!(finish(&post, &parcel, lease, &end(Some(503), LATER)).await, Noted::Written);
    let row = post.delivery(delivery).await;
    assert_eq!((row.state, row.attempts, row.last_status), (DeliveryState::Pending, 1, Some(503)));
    assert!(post.claim().await.is_empty(), "its time has not come");
    let due = "select j.state, round(extract(epoch from j.run_at - now()) / 10), abs(extract(epoch from j.run_at - d.next_at)) < 1
               from job j join webhook_delivery d on d.job_id = j.id";
    assert_eq!(post.database.psql(due).unwrap(), "delayed|30|t");
    post.hurry();
    let lease = post.claim_one().await;
    let parcel = post.begin(delivery, lease).await.unwrap();
    assert_eq!((parcel.tries, parcel.failing), (1, true));
    assert!(post.read(id).await.failing_since.is_some());
    assert_eq!(finish(&post, &parcel, lease, &end(Some(204), Then::Done)).await, Noted::Written);
    let row = post.delivery(delivery).await;
    assert_eq!((row.state, row.attempts, row.last_status), (DeliveryState::Delivered, 2, Some(204)));
    assert!(row.finished_at.is_some() && row.next_at.is_none());
    assert_eq!(post.read(id).await.failing_since, None, "a success is the end of a row of failures");
    assert_eq!(post.jobs(), "0");
    let attempts = post.ledger.attempts(post.account, &[delivery]).await.unwrap();
    let told: Vec<_> = attempts.iter().map(|it| (it.number, it.status, it.verdict.as_str())).collect();
    assert_eq!(told, [(1, Some(503), "failed"), (2, Some(204), "delivered")]);
    assert_eq!((attempts[0].took, attempts[0].excerpt.as_str()), (Duration::from_millis(84), "no pe"));
}

#[tokio::test]
async fn the_last_failure_ends_it_without_an_answer_too() {
    let post = post().await;
    let (id, delivery, lease, parcel) = claimed(&post).await;
    assert_eq!(finish(&post, &parcel, lease, &end(None, Then::GiveUp)).await, Noted::Written);
    let row = post.delivery(delivery).await;
    assert_eq!((row.state, row.attempts, row.last_status), (DeliveryState::Failed, 1, None));
    assert_eq!((post.jobs().as_str(), post.read(id).await.disabled), ("0", None));
}

#[tokio::test]
async fn whoever_lost_the_lease_changes_nothing() {
    let post = post().await;
    let (id, delivery, lost, parcel) = claimed(&post).await;
    post.database.psql("update job set lease_until = now() - interval '1 second'").unwrap();
    post.ledger.jobs().free_lost(assay_store::queue::Queue::Webhook, uuid::Uuid::max()).await.unwrap();
    let before = post.delivery(delivery).await;
    for then in [Then::Done, LATER, Then::GiveUp, Then::Gone] {
        assert_eq!(finish(&post, &parcel, lost, &end(Some(200), then)).await, Noted::Lost, "unclaimed");
    }
    let lease = post.claim_one().await;
    assert_eq!((lease.job, lease.attempt), (lost.job, lost.attempt + 1));
    for then in [Then::Done, LATER, Then::GiveUp, Then::Gone] {
        assert_eq!(
            finish(&post, &parcel, lost, &end(Some(200), then)).await,
            Noted::Lost,
            "claimed by another"
        );
    }
    assert_eq!(post.delivery(delivery).await, before);
    assert_eq!((post.read(id).await.disabled, post.read(id).await.failing_since), (None, None));
    assert!(post.ledger.attempts(post.account, &[delivery]).await.unwrap().is_empty());
    assert_eq!(finish(&post, &parcel, lease, &end(Some(200), Then::Done)).await, Noted::Written);
    assert_eq!(finish(&post, &parcel, lease, &end(Some(200), Then::Done)).await, Noted::Lost, "it has ended");
    assert_eq!(post.delivery(delivery).await.attempts, 1);
}

#[tokio::test]
async fn an_endpoint_that_is_gone_is_disabled_and_told_nothing_more() {
    let post = post().await;
    let id = post.webhook("a", &[]).await;
    let other = post.webhook("b", &[]).await;
    for _ in 0..3 {
        post.announce("credits.low").await;
    }
    let claimed = post.claim().await;
    let told = post.told(id).await;
    let of = |delivery: DeliveryId| claimed.iter().find(|job| delivery_of(job) == delivery).unwrap().lease;
    let (first, second) = (told[0].id, told[1].id);
    let in_flight = post.begin(second, of(second)).await.unwrap();
    let parcel = post.begin(first, of(first)).await.unwrap();
    let noted = finish(&post, &parcel, of(first), &end(Some(410), Then::Gone)).await;
    assert_eq!(noted, Noted::Disabled(DisabledReason::Gone));
    assert_eq!(post.read(id).await.disabled.unwrap().reason, DisabledReason::Gone);
    let states = async |id| post.told(id).await.iter().map(|row| row.state).collect::<Vec<_>>();
    assert_eq!(states(id).await, [DeliveryState::Failed, DeliveryState::Canceled, DeliveryState::Canceled]);
    assert_eq!(states(other).await, [DeliveryState::Pending; 3], "others are not touched");
    // What was in flight is written down, and comes to nothing more.
    assert_eq!(finish(&post, &in_flight, of(second), &end(Some(500), LATER)).await, Noted::Written);
    assert_eq!(post.delivery(second).await.state, DeliveryState::Canceled);
    assert_eq!(post.delivery(second).await.attempts, 1);
    // What was claimed but not begun is put aside.
    assert!(post.begin(told[2].id, of(told[2].id)).await.is_none());
    assert_eq!(post.jobs(), "3", "only the other endpoint's jobs are left");
    assert_eq!(post.announce("credits.low").await, 1);
}

#[tokio::test]
async fn a_message_in_flight_that_arrives_is_delivered_whatever_was_decided_meanwhile() {
    let post = post().await;
    let (id, delivery, lease, parcel) = claimed(&post).await;
    let off = assay_store::ledger::webhooks::WebhookChange { enabled: Some(false), ..Default::default() };
    post.ledger.change_webhook(post.account, id, &off).await.unwrap();
    assert_eq!(post.delivery(delivery).await.state, DeliveryState::Canceled);
    assert_eq!(finish(&post, &parcel, lease, &end(Some(200), Then::Done)).await, Noted::Written);
    assert_eq!(post.delivery(delivery).await.state, DeliveryState::Delivered);
}

#[tokio::test]
async fn five_days_of_nothing_but_failures_disable_an_endpoint() {
    let post = post().await;
    let (id, delivery, lease, parcel) = claimed(&post).await;
    finish(&post, &parcel, lease, &end(Some(500), LATER)).await;
    let since = post.read(id).await.failing_since.unwrap();
    let fail_again = async |age: &str| {
        post.database
            .psql(&format!("update webhook_endpoint set failing_since = now() - interval '{age}'"))
            .unwrap();
        post.hurry();
        let lease = post.claim_one().await;
        let parcel = post.begin(delivery, lease).await.unwrap();
        finish(&post, &parcel, lease, &end(None, LATER)).await
    };
    assert!(since <= assay_domain::Clock::system().now());
    assert_eq!(fail_again("119 hours 59 minutes").await, Noted::Written);
    assert_eq!(post.read(id).await.disabled, None);
    assert_eq!(fail_again("120 hours 1 minute").await, Noted::Disabled(DisabledReason::Failing));
    assert_eq!(post.read(id).await.disabled.unwrap().reason, DisabledReason::Failing);
    assert_eq!(post.delivery(delivery).await.state, DeliveryState::Canceled);
    assert_eq!(post.jobs(), "0");
}

#[tokio::test]
async fn a_deleted_endpoints_messages_are_not_sent() {
    let post = post().await;
    let id = post.webhook("a", &[]).await;
    post.announce("credits.low").await;
    let delivery = post.told(id).await[0].id;
    assert!(post.ledger.delete_webhook(post.account, id).await.unwrap());
    let lease = post.claim_one().await;
    assert!(post.begin(delivery, lease).await.is_none());
    assert_eq!(post.delivery(delivery).await.state, DeliveryState::Canceled);
    assert_eq!(post.jobs(), "0");
}

#[tokio::test]
async fn only_the_newest_attempts_of_a_message_are_kept() {
    let post = post().await;
    let (_, delivery, lease, parcel) = claimed(&post).await;
    finish(&post, &parcel, lease, &end(Some(500), LATER)).await;
    let most = limits::WEBHOOK_ATTEMPTS_KEPT_MAX;
    post.database.psql(&format!("update webhook_delivery set attempts = {most}")).unwrap();
    for _ in 0..2 {
        post.hurry();
        let lease = post.claim_one().await;
        let parcel = post.begin(delivery, lease).await.unwrap();
        finish(&post, &parcel, lease, &end(Some(500), LATER)).await;
    }
    let attempts = post.ledger.attempts(post.account, &[delivery]).await.unwrap();
    let numbers: Vec<u32> = attempts.iter().map(|it| it.number).collect();
    assert_eq!(numbers, [most + 1, most + 2], "the first is too old");
}
