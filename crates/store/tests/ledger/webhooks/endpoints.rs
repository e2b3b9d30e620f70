//! Endpoints: how many, whose, what they are told, and their secrets.

use super::{Post, post};
use assay_domain::{Sealed, WebhookId, limits};
use assay_store::ledger::webhooks::{
    Again, DeliveryState, DisabledReason, NewWebhook, TimeRange, WebhookChange, WebhookMade,
};
use chrono::TimeDelta;
use serde_json::json;

fn enabled(on: bool) -> WebhookChange {
    WebhookChange { enabled: Some(on), ..WebhookChange::default() }
}

#[tokio::test]
async fn makers_at_the_same_time_never_make_one_endpoint_too_many() {
    let post = post().await;
    for number in 2..limits::WEBHOOKS_PER_ACCOUNT_MAX {
        post.webhook(&number.to_string(), &[]).await;
    }
    let news: Vec<NewWebhook> = (0..6).map(|_| post.new_webhook("x", &[])).collect();
    let made = futures_util::future::join_all(news.iter().map(|new| post.ledger.create_webhook(new))).await;
    let made: Vec<WebhookMade> = made.into_iter().map(Result::unwrap).collect();
    assert_eq!(made.iter().filter(|made| **made == WebhookMade::Made).count(), 2, "{made:?}");
    assert!(made.iter().all(|made| !matches!(made, WebhookMade::Known(_))));
    let mut new = post.new_webhook("other account", &[]);
    new.account = post.stranger;
    assert_eq!(post.ledger.create_webhook(&new).await.unwrap(), WebhookMade::Made);
}

#[tokio::test]
async fn the_endpoint_at_a_url_is_made_once() {
    let post = post().await;
    let news: Vec<NewWebhook> = (0..6).map(|_| post.new_webhook("x", &[])).collect();
    let made =
        futures_util::future::join_all(news.iter().map(|new| post.ledger.create_webhook_at(new))).await;
    let made: Vec<WebhookMade> = made.into_iter().map(Result::unwrap).collect();
    let first = post.ledger.webhooks(post.account, None, 10).await.unwrap();
    assert_eq!(first.len(), 1);
    assert_eq!(made.iter().filter(|made| **made == WebhookMade::Made).count(), 1);
    assert_eq!(made.iter().filter(|made| **made == WebhookMade::Known(first[0].id)).count(), 5);
    let elsewhere = post.new_webhook("y", &[]);
    assert_eq!(post.ledger.create_webhook_at(&elsewhere).await.unwrap(), WebhookMade::Made);
    // One that is disabled tells nobody anything.
    post.ledger.change_webhook(post.account, first[0].id, &enabled(false)).await.unwrap().unwrap();
    let again = post.new_webhook("x", &[]);
    assert_eq!(post.ledger.create_webhook_at(&again).await.unwrap(), WebhookMade::Made);
}

#[tokio::test]
async fn each_is_told_what_it_wants_to_hear_and_a_disabled_one_nothing() {
    let post = post().await;
    let all = post.webhook("all", &[]).await;
    let some = post.webhook("some", &["credits.low", "bulk.failed"]).await;
    let other = post.webhook("other", &["bulk.completed"]).await;
    assert_eq!(post.announce("credits.low").await, 2);
    let told = post.told(some).await;
    assert_eq!(told.len(), 1);
    assert_eq!((told[0].event.as_str(), told[0].state), ("credits.low", DeliveryState::Pending));
    assert!(told[0].body.starts_with(r#"{"type":"credits.low","timestamp":"20"#), "{}", told[0].body);
    assert!(told[0].body.ends_with(r#""data":{"id":"x"}}"#), "{}", told[0].body);
    assert_eq!((post.told(all).await.len(), post.told(other).await.len()), (1, 0));
    assert_eq!(post.jobs(), "2");
    let off = post.ledger.change_webhook(post.account, all, &enabled(false)).await.unwrap().unwrap();
    assert_eq!(off.disabled.unwrap().reason, DisabledReason::ByRequest);
    assert_eq!(post.told(all).await[0].state, DeliveryState::Canceled);
    assert_eq!(post.announce("bulk.completed").await, 1);
    assert_eq!(post.announce("watch_list.matched").await, 0);
    let on = post.ledger.change_webhook(post.account, all, &enabled(true)).await.unwrap().unwrap();
    assert_eq!((on.disabled, on.failing_since), (None, None));
    assert_eq!(post.announce("watch_list.matched").await, 1);
    assert_eq!(post.told(all).await[0].state, DeliveryState::Canceled, "what was canceled stays so");
}

#[tokio::test]
async fn another_account_sees_changes_and_sends_nothing() {
    let post = post().await;
    let id = post.webhook("a", &[]).await;
    post.announce("credits.low").await;
    let before = (post.read(id).await, post.told(id).await);
    let (ledger, stranger) = (&post.ledger, post.stranger);
    let delivery = before.1[0].id;
    assert!(ledger.webhook(stranger, id).await.unwrap().is_none());
    assert!(ledger.webhooks(stranger, None, 10).await.unwrap().is_empty());
    assert!(ledger.change_webhook(stranger, id, &enabled(false)).await.unwrap().is_none());
    let sealed = Sealed::from_bytes(b"theirs".to_vec());
    let soon = before.0.created_at + TimeDelta::days(1);
    assert!(ledger.rotate_webhook(stranger, id, &sealed, soon).await.unwrap().is_none());
    assert!(!ledger.delete_webhook(stranger, id).await.unwrap());
    let test = ledger.test_webhook(stranger, id, ("webhook.test", &json!({}))).await.unwrap();
    assert_eq!(test, Again::Absent);
    assert!(ledger.deliveries(stranger, id, None, None, 10).await.unwrap().is_empty());
    assert!(ledger.delivery(stranger, delivery).await.unwrap().is_none());
    assert!(ledger.attempts(stranger, &[delivery]).await.unwrap().is_empty());
    assert_eq!(ledger.redeliver(stranger, delivery).await.unwrap(), Again::Absent);
    let range = TimeRange { since: before.0.created_at - TimeDelta::days(1), until: soon, delivered: true };
    assert_eq!(ledger.redeliver_range(stranger, id, range).await.unwrap(), Again::Absent);
    assert_eq!(ledger.announce(stranger, "credits.low", &json!({})).await.unwrap(), 0);
    assert_eq!((post.read(id).await, post.told(id).await), before);
    assert_eq!(post.jobs(), "1");
    let nobody = WebhookId::mint(soon);
    assert!(!ledger.delete_webhook(post.account, nobody).await.unwrap());
}

#[tokio::test]
async fn pages_go_on_where_they_ended() {
    let post = post().await;
    for path in ["a", "b", "c"] {
        post.webhook(path, &[]).await;
    }
    let whole = post.ledger.webhooks(post.account, None, 10).await.unwrap();
    let first = post.ledger.webhooks(post.account, None, 2).await.unwrap();
    let rest = post.ledger.webhooks(post.account, Some(first[1].cursor()), 2).await.unwrap();
    assert_eq!([first, rest].concat(), whole);
    let id = whole[0].id;
    for _ in 0..5 {
        post.announce("credits.low").await;
    }
    let whole = post.ledger.deliveries(post.account, id, None, None, 10).await.unwrap();
    assert!(whole.is_sorted_by(|newer, older| newer.id > older.id));
    let first = post.ledger.deliveries(post.account, id, None, None, 3).await.unwrap();
    let rest = post.ledger.deliveries(post.account, id, None, Some(first[2].id), 3).await.unwrap();
    assert_eq!([first, rest].concat(), whole);
    let failed = Some(DeliveryState::Failed);
    assert!(post.ledger.deliveries(post.account, id, failed, None, 3).await.unwrap().is_empty());
}

/// What a try to deliver a new message would sign with.
async fn signing(post: &Post, id: WebhookId) -> Vec<Vec<u8>> {
    let sent = post.ledger.test_webhook(post.account, id, ("webhook.test", &json!({}))).await.unwrap();
    let Again::Sending(sent) = sent else { panic!("{sent:?}") };
    let lease = post.claim_one().await;
    let parcel = post.begin(sent.id, lease).await.unwrap();
    post.ledger.jobs().done(lease).await.unwrap();
    parcel.secrets.into_iter().map(Sealed::into_bytes).collect()
}

#[tokio::test]
async fn after_a_rotation_both_secrets_sign_until_the_old_ones_time_is_over() {
    let post = post().await;
    let id = post.webhook("first", &[]).await;
    assert_eq!(signing(&post, id).await, [b"first"]);
    let now = post.read(id).await.created_at;
    let rotate = async |secret: &str, hours: i64| {
        let sealed = Sealed::from_bytes(secret.as_bytes().to_vec());
        let until = now + TimeDelta::hours(hours);
        post.ledger.rotate_webhook(post.account, id, &sealed, until).await.unwrap().unwrap()
    };
    assert!(rotate("second", 24).await.previous_until.is_some());
    assert_eq!(signing(&post, id).await, [&b"second"[..], b"first"]);
    rotate("third", 24).await;
    assert_eq!(signing(&post, id).await, [&b"third"[..], b"second"]);
    post.database.psql("update webhook_endpoint set previous_until = now() - interval '1 second'").unwrap();
    assert_eq!(signing(&post, id).await, [b"third"]);
    assert_eq!(post.read(id).await.previous_until, None);
    assert_eq!(post.ledger.sweep_webhooks().await.unwrap().secrets, 1);
    assert_eq!(post.database.psql("select count(previous_secret) from webhook_endpoint").unwrap(), "0");
    assert_eq!(rotate("fourth", 0).await.previous_until, None);
    assert_eq!(signing(&post, id).await, [b"fourth"]);
}

#[tokio::test]
async fn messages_are_forgotten_after_a_month_with_their_attempts() {
    let post = post().await;
    let id = post.webhook("a", &[]).await;
    // Ids as they would have been minted so many days ago.
    let fill = |days: i64, state: &str| {
        let (next, finished) = if state == "pending" { ("now()", "null") } else { ("null", "now()") };
        let sql = format!(
            "with d as (
                 insert into webhook_delivery (id, account_id, endpoint_id, event, body, state, job_id, next_at,
                     finished_at, created_at)
                 select (lpad(to_hex((extract(epoch from now() - interval '{days} days') * 1000)::bigint), 12, '0')
                         || left(replace(gen_random_uuid()::text, '-', ''), 20))::uuid,
                     e.account_id, e.id, 'x', '{{}}', '{state}', e.id, {next}, {finished}, now()
                 from webhook_endpoint e returning id, account_id)
             insert into webhook_attempt select id, account_id, 1, now(), 200, 'delivered', 1, '' from d"
        );
        post.database.psql(&sql).unwrap();
    };
    for (days, state) in [(29, "failed"), (31, "failed"), (31, "delivered"), (31, "pending"), (61, "pending")]
    {
        fill(days, state);
    }
    assert_eq!(post.ledger.sweep_webhooks().await.unwrap().deliveries, 3);
    let left: Vec<DeliveryState> = post.told(id).await.iter().map(|row| row.state).collect();
    assert_eq!(left, [DeliveryState::Pending, DeliveryState::Failed]);
    assert_eq!(post.database.psql("select count(*) from webhook_attempt").unwrap(), "2");
    assert_eq!(post.ledger.sweep_webhooks().await.unwrap().deliveries, 0);
}

#[tokio::test]
async fn an_account_is_told_once_each_time_its_credits_become_low() {
    let post = post().await;
    let hook = post.webhook("low", &["credits.low"]).await;
    let set = |mark: i64| {
        let sql = format!(
            "update balance set low_mark = {mark}, low_since = case when {mark} > 0 then clock_timestamp() end"
        );
        post.database.psql(&sql).unwrap();
    };
    set(0);
    assert_eq!(post.ledger.announce_low_credits().await.unwrap(), 0);
    for round in 1..=2 {
        set(1_000_000_000);
        assert_eq!(post.ledger.announce_low_credits().await.unwrap(), 2);
        assert_eq!(post.ledger.announce_low_credits().await.unwrap(), 0);
        let messages = post.ledger.deliveries(post.account, hook, None, None, 10).await.unwrap();
        assert_eq!(messages.len(), round);
        assert!(
            messages[0].body.contains("\"credits.low\"") && messages[0].body.contains("\"low_mark\":1000000")
        );
        set(0);
    }
}
