//! Sending again: under the same id, from the start, and by one job at a time.

use super::{LATER, Post, delivery_of, end, post};
use assay_domain::{DeliveryId, WebhookId, limits};
use assay_store::ledger::webhooks::{Again, DeliveryState, Redelivered, Then, TimeRange, WebhookChange};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

/// Tries a message once, with this end.
async fn try_once(post: &Post, delivery: DeliveryId, then: Then) {
    let claimed = post.claim().await;
    let lease = claimed.iter().find(|job| delivery_of(job) == delivery).unwrap().lease;
    let parcel = post.begin(delivery, lease).await.unwrap();
    post.ledger.finish_attempt(post.account, &parcel, lease, &end(Some(500), then)).await.unwrap();
}

#[tokio::test]
async fn a_failed_message_is_sent_again_under_its_id_with_all_its_tries() {
    let post = post().await;
    let id = post.webhook("a", &[]).await;
    post.announce("credits.low").await;
    let before = post.told(id).await.pop().unwrap();
    try_once(&post, before.id, LATER).await;
    post.hurry();
    try_once(&post, before.id, Then::GiveUp).await;
    let Again::Sending(again) = post.ledger.redeliver(post.account, before.id).await.unwrap() else {
        panic!("not sent")
    };
    assert_eq!((again.id, &again.body, again.state), (before.id, &before.body, DeliveryState::Pending));
    let lease = post.claim_one().await;
    let parcel = post.begin(before.id, lease).await.unwrap();
    assert_eq!((parcel.tries, &parcel.body), (0, &before.body));
    post.ledger.finish_attempt(post.account, &parcel, lease, &end(Some(200), Then::Done)).await.unwrap();
    let after = post.delivery(before.id).await;
    assert_eq!((after.state, after.attempts), (DeliveryState::Delivered, 3), "attempts are numbered on");
    assert!(matches!(post.ledger.redeliver(post.account, before.id).await.unwrap(), Again::Sending(_)));
    assert_eq!(post.delivery(before.id).await.state, DeliveryState::Pending);
}

#[tokio::test]
async fn a_message_that_waits_is_sent_now_and_only_once() {
    let post = post().await;
    let id = post.webhook("a", &[]).await;
    post.announce("credits.low").await;
    let delivery = post.told(id).await[0].id;
    try_once(&post, delivery, LATER).await;
    post.ledger.redeliver(post.account, delivery).await.unwrap();
    let lease = post.claim_one().await;
    let parcel = post.begin(delivery, lease).await.unwrap();
    // The job that waited comes to its time while the other one is at it.
    post.hurry();
    let aside = post.claim_one().await;
    assert!(post.begin(delivery, aside).await.is_none());
    post.ledger.finish_attempt(post.account, &parcel, lease, &end(Some(500), LATER)).await.unwrap();
    let row = post.delivery(delivery).await;
    assert_eq!((row.state, row.attempts), (DeliveryState::Pending, 2));
    assert_eq!(post.jobs(), "1");
}

#[tokio::test]
async fn a_failure_in_flight_does_not_end_what_is_sent_again_meanwhile() {
    let post = post().await;
    let id = post.webhook("a", &[]).await;
    post.announce("credits.low").await;
    let delivery = post.told(id).await[0].id;
    let lease = post.claim_one().await;
    let parcel = post.begin(delivery, lease).await.unwrap();
    post.ledger.redeliver(post.account, delivery).await.unwrap();
    post.ledger.finish_attempt(post.account, &parcel, lease, &end(Some(500), Then::GiveUp)).await.unwrap();
    assert_eq!(post.delivery(delivery).await.state, DeliveryState::Pending);
    let next = post.claim_one().await;
    assert_ne!(next.job, lease.job);
    assert!(post.begin(delivery, next).await.is_some());
}

#[tokio::test]
async fn nothing_is_sent_to_a_disabled_endpoint_or_about_a_deleted_one() {
    let post = post().await;
    let id = post.webhook("a", &[]).await;
    post.announce("credits.low").await;
    let delivery = post.told(id).await[0].id;
    let off = WebhookChange { enabled: Some(false), ..WebhookChange::default() };
    post.ledger.change_webhook(post.account, id, &off).await.unwrap();
    let test = ("webhook.test", &json!({}));
    let now = assay_domain::Clock::system().now();
    let range = TimeRange { since: now - TimeDelta::days(1), until: now, delivered: true };
    assert_eq!(post.ledger.test_webhook(post.account, id, test).await.unwrap(), Again::Disabled);
    assert_eq!(post.ledger.redeliver(post.account, delivery).await.unwrap(), Again::Disabled);
    assert_eq!(post.ledger.redeliver_range(post.account, id, range).await.unwrap(), Again::Disabled);
    assert_eq!(post.delivery(delivery).await.state, DeliveryState::Canceled);
    post.ledger.delete_webhook(post.account, id).await.unwrap();
    assert_eq!(post.ledger.test_webhook(post.account, id, test).await.unwrap(), Again::Absent);
    assert_eq!(post.ledger.redeliver(post.account, delivery).await.unwrap(), Again::Absent);
    assert_eq!(post.ledger.redeliver_range(post.account, id, range).await.unwrap(), Again::Absent);
}

/// Messages of every second from `from` on, with an end.
fn fill(post: &Post, id: WebhookId, from: DateTime<Utc>, count: usize, state: &str) {
    let sql = format!(
        "insert into webhook_delivery (id, account_id, endpoint_id, event, body, state, job_id, finished_at, created_at)
         select (lpad(to_hex({from} + n * 1000), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid,
             account_id, id, 'x', '{{}}', '{state}', id, now(), to_timestamp(({from} + n * 1000) / 1000.0)
         from webhook_endpoint, generate_series(0, {count} - 1) n where id = '{id}'",
        from = from.timestamp_millis(),
        id = id.uuid(),
    );
    post.database.psql(&sql).unwrap();
}

#[tokio::test]
async fn a_time_is_sent_again_without_what_arrived_unless_that_is_wanted() {
    let post = post().await;
    let id = post.webhook("a", &[]).await;
    let start = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
    let at = |seconds| start + TimeDelta::seconds(seconds);
    fill(&post, id, at(0), 10, "failed");
    fill(&post, id, at(10), 10, "canceled");
    fill(&post, id, at(20), 10, "delivered");
    let again = async |since, until, delivered| {
        let range = TimeRange { since: at(since), until: at(until), delivered };
        match post.ledger.redeliver_range(post.account, id, range).await.unwrap() {
            Again::Sending(sent) => sent,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(again(5, 25, false).await, Redelivered { count: 15, next_since: None });
    let pending = async || {
        let rows = post.told(id).await;
        rows.iter().filter(|row| row.state == DeliveryState::Pending).count()
    };
    assert_eq!((pending().await, post.jobs().as_str()), (15, "15"));
    assert_eq!(again(5, 25, false).await.count, 0, "what is on its way is left to it");
    assert_eq!(again(0, 25, true).await.count, 10);
    assert_eq!(again(40, 50, true).await.count, 0);
    let claimed = post.claim().await;
    assert_eq!(claimed.len(), 25);
    assert!(post.begin(delivery_of(&claimed[0]), claimed[0].lease).await.is_some());
}

#[tokio::test]
async fn more_than_one_call_sends_says_where_to_go_on() {
    let post = post().await;
    let id = post.webhook("a", &[]).await;
    let start = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
    let most = usize::try_from(limits::WEBHOOK_REDELIVER_MAX).unwrap();
    fill(&post, id, start, most + 5, "failed");
    let (mut since, mut counts) = (Some(start), Vec::new());
    while let Some(from) = since {
        let range = TimeRange { since: from, until: start + TimeDelta::days(1), delivered: false };
        let Again::Sending(sent) = post.ledger.redeliver_range(post.account, id, range).await.unwrap() else {
            panic!("not sent")
        };
        counts.push(sent.count);
        since = sent.next_since;
    }
    assert_eq!(counts, [most, 5]);
    assert_eq!(post.jobs(), (most + 5).to_string());
}
