//! What arrives at a receiver, and what becomes of a message that it does not take.

use super::receiver::{Receiver, eventually};
use super::{Stage, text};
use assay_domain::limits::WEBHOOK_DELAYS;
use assay_testkit::Stopwatch;
use serde_json::json;
use std::sync::OnceLock;
use std::time::Duration;

const OK: &str = "200 OK";

#[test]
fn a_test_message_arrives_signed_and_is_in_the_log() {
    let receiver = Receiver::answering(OK);
    let stage = Stage::for_receiver(&receiver);
    let (webhook, secret) = stage.make(&receiver.url());
    let id = stage.test(&webhook);
    let received = receiver.wait(1).remove(0);
    assert_eq!(received.line, "POST /hook?token=s3cret HTTP/1.1");
    assert_eq!(received.id(), id);
    assert_eq!(received.header("content-type"), "application/json");
    assert_eq!(received.header("host"), receiver.address.to_string());
    assert!(received.fits(&secret), "{received:?}");
    let (_, other) = stage.make(&receiver.url());
    assert!(!received.fits(&other));
    let body = received.json();
    assert_eq!((&body["type"], &body["data"]["webhook_id"]), (&json!("webhook.test"), &json!(webhook)));
    assert!(body["timestamp"].is_string());
    let row = stage.wait_for(&webhook, &id, "delivered");
    assert_eq!((&row["attempt_count"], &row["last_status"]), (&json!(1), &json!(200)));
    assert_eq!((&row["event"], &row["payload"]), (&json!("webhook.test"), &body));
    assert_eq!((&row["attempts"][0]["status"], &row["attempts"][0]["excerpt"]), (&json!(200), &json!("ok")));
    assert_eq!(row["attempts"][0]["verdict"], "delivered");
    assert!(row["next_at"].is_null() && row["finished_at"].is_string());
    // Neither the secret nor the query of the URL is anywhere but where it belongs.
    let log = stage.server.process.log();
    assert!(!log.contains(&secret) && !log.contains("s3cret"), "{log}");
}

#[test]
fn during_a_rotation_either_secret_verifies_and_then_only_the_new_one() {
    let receiver = Receiver::answering(OK);
    let stage = Stage::for_receiver(&receiver);
    let (webhook, first) = stage.make(&receiver.url());
    let rotate = |body| {
        let rotated = stage.call("POST", &format!("/v1/webhooks/{webhook}/rotate"), &body).is_ok();
        (text(&rotated["secret"]), rotated["previous_secret_until"].clone())
    };
    let (second, until) = rotate(json!({}));
    assert!(until.is_string() && first != second);
    stage.test(&webhook);
    let received = receiver.wait(1).pop().unwrap();
    assert!(received.fits(&second) && received.fits(&first));
    assert_eq!(received.header("webhook-signature").split(' ').count(), 2);
    let (third, until) = rotate(json!({"overlap_hours": 0}));
    assert!(until.is_null());
    stage.test(&webhook);
    let received = receiver.wait(2).pop().unwrap();
    assert!(received.fits(&third) && !received.fits(&second) && !received.fits(&first));
    assert!(stage.get(&format!("/v1/webhooks/{webhook}")).get("secret").is_none());
}

#[test]
fn a_receiver_that_says_gone_is_told_nothing_more_until_it_is_enabled() {
    let receiver = Receiver::start(|_, number| if number == 1 { "410 Gone" } else { OK }.to_owned());
    let stage = Stage::for_receiver(&receiver);
    let (webhook, _) = stage.make(&receiver.url());
    let path = format!("/v1/webhooks/{webhook}");
    let id = stage.test(&webhook);
    stage.wait_for(&webhook, &id, "failed");
    let view = stage.get(&path);
    assert_eq!((&view["enabled"], &view["disabled_reason"]), (&json!(false), &json!("gone")));
    assert!(view["disabled_at"].is_string());
    for body in [json!({}), json!({"since": "2026-01-01T00:00:00Z"})] {
        let call = if body.get("since").is_some() { "redeliver" } else { "test" };
        stage.call("POST", &format!("{path}/{call}"), &body).is_problem(409, "webhook_disabled");
    }
    let again = format!("/v1/webhooks/deliveries/{id}/redeliver");
    stage.call("POST", &again, &json!({})).is_problem(409, "webhook_disabled");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(receiver.received().len(), 1);
    let view = stage.call("PATCH", &path, &json!({"enabled": true})).is_ok();
    assert_eq!((&view["enabled"], &view["disabled_reason"]), (&json!(true), &json!(null)));
    assert_eq!(stage.call("POST", &again, &json!({})).status, 202);
    assert_eq!(receiver.wait(2)[1].id(), id);
    stage.wait_for(&webhook, &id, "delivered");
}

#[test]
fn what_is_sent_again_keeps_its_id_and_its_bytes() {
    let receiver = Receiver::answering(OK);
    let stage = Stage::for_receiver(&receiver);
    let (webhook, secret) = stage.make(&receiver.url());
    let id = stage.test(&webhook);
    stage.wait_for(&webhook, &id, "delivered");
    let sent = stage.call("POST", &format!("/v1/webhooks/deliveries/{id}/redeliver"), &json!({}));
    assert_eq!((sent.status, &sent.json()["id"]), (202, &json!(id)), "{}", sent.text());
    let received = receiver.wait(2);
    assert_eq!((received[1].id(), &received[1].body), (received[0].id(), &received[0].body));
    assert!(received[1].fits(&secret));
    eventually(|| (stage.wait_for(&webhook, &id, "delivered")["attempt_count"] == 2).then_some(()));
    // By time: nothing failed, so only what arrived can be sent again.
    let path = format!("/v1/webhooks/{webhook}/redeliver");
    let range = |delivered: bool| {
        let body = json!({"since": "2026-01-01T00:00:00Z", "include_delivered": delivered});
        let sent = stage.call("POST", &path, &body);
        assert_eq!(sent.status, 202, "{}", sent.text());
        sent.json()
    };
    assert_eq!(range(false)["count"], 0);
    let sent = range(true);
    assert_eq!((&sent["count"], &sent["next_since"]), (&json!(1), &json!(null)));
    assert_eq!(receiver.wait(3)[2].id(), id);
}

#[test]
fn a_redirect_is_a_failure_and_is_not_followed() {
    let elsewhere = Receiver::answering(OK);
    let location = format!("http://{}/other", elsewhere.address);
    let receiver = Receiver::start(move |_, number| match number {
        1 => format!("302 Found\r\nlocation: {location}"),
        2 => format!("307 Temporary Redirect\r\nlocation: {location}"),
        _ => OK.to_owned(),
    });
    let mut settings = receiver.settings();
    settings[2].1 = format!("{},{}", receiver.address.port(), elsewhere.address.port());
    let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, &**value)).collect();
    let stage = Stage::with(&settings);
    let (webhook, _) = stage.make(&receiver.url());
    let id = stage.test(&webhook);
    let row = stage.wait_for(&webhook, &id, "delivered");
    let statuses: Vec<_> =
        row["attempts"].as_array().unwrap().iter().map(|it| it["status"].clone()).collect();
    assert_eq!(statuses, [json!(302), json!(307), json!(200)]);
    assert_eq!(elsewhere.received().len(), 0);
    assert!(receiver.received().iter().all(|received| received.id() == id));
}

#[test]
fn a_receiver_that_never_takes_it_is_asked_as_often_as_the_schedule_says() {
    // The first message is never taken; the others are, so that the webhook is not disabled meanwhile.
    let first = OnceLock::new();
    let receiver = Receiver::start(move |received, _| {
        let id = first.get_or_init(|| received.id().to_owned());
        if received.id() == id { "500 Oops" } else { OK }.to_owned()
    });
    let stage = Stage::for_receiver(&receiver);
    let (webhook, secret) = stage.make(&receiver.url());
    let id = stage.test(&webhook);
    receiver.wait(1);
    let path = format!("/v1/webhooks/{webhook}/deliveries?state=failed");
    let row = eventually(|| {
        stage.test(&webhook);
        std::thread::sleep(Duration::from_millis(300));
        stage.get(&path)["results"].as_array().unwrap().first().cloned()
    });
    let tries = WEBHOOK_DELAYS.len() + 1;
    assert_eq!((&row["id"], &row["attempt_count"]), (&json!(id), &json!(tries)));
    assert_eq!(row["attempts"].as_array().unwrap().len(), tries);
    std::thread::sleep(Duration::from_secs(1));
    let received = receiver.received();
    let of_first = received.iter().filter(|received| received.id() == id);
    assert_eq!(of_first.count(), tries, "after the last one there is none");
    assert!(received.iter().all(|received| received.fits(&secret)));
    assert_eq!(stage.get(&format!("/v1/webhooks/{webhook}"))["enabled"], true);
}

#[test]
fn nothing_but_failures_for_long_enough_disables_a_webhook() {
    let receiver = Receiver::answering("500 Oops");
    // Five days are four seconds.
    let stage = Stage::for_receiver(&receiver);
    let (webhook, _) = stage.make(&receiver.url());
    let path = format!("/v1/webhooks/{webhook}");
    let id = stage.test(&webhook);
    receiver.wait(2);
    assert!(stage.get(&path)["failing_since"].is_string());
    assert_eq!(stage.get(&path)["enabled"], true, "two failures are not enough");
    // The ten tries of one message may end before that time is over: who fails for long has others to send.
    let (mut last, mut sent) = (id, Stopwatch::start());
    let view = eventually(|| {
        let view = stage.get(&path);
        if view["enabled"] == true && sent.elapsed() > Duration::from_secs(1) {
            let asked = stage.call("POST", &format!("{path}/test"), &json!({}));
            // It may have been disabled since it was looked at.
            if asked.status == 202 {
                (last, sent) = (text(&asked.json()["id"]), Stopwatch::start());
            }
        }
        Some(view).filter(|view| view["enabled"] == false)
    });
    assert_eq!(view["disabled_reason"], "failing");
    let row = stage.wait_for(&webhook, &last, "canceled");
    assert!(row["attempt_count"].as_u64() < Some(10), "{row}");
    stage.call("POST", &format!("{path}/test"), &json!({})).is_problem(409, "webhook_disabled");
}

#[test]
fn where_messages_may_go_is_judged_at_every_connect() {
    let receiver = Receiver::answering(OK);
    let stage = Stage::for_receiver(&receiver);
    let (webhook, _) = stage.make(&receiver.url());
    stage.test(&webhook);
    receiver.wait(1);
    let Stage { installation, server, customer } = stage;
    drop(server);
    // The operator has thought better of it: the same webhook leads nowhere now.
    let mut settings = receiver.settings();
    settings.remove(0);
    let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, &**value)).collect();
    let server = installation.serve_with(&settings);
    let stage = Stage { installation, server, customer };
    let id = stage.test(&webhook);
    let row = eventually(|| {
        let found = stage.deliveries(&webhook).into_iter().find(|row| row["id"] == id);
        found.filter(|row| row["attempt_count"].as_u64() >= Some(1))
    });
    assert!(row["attempts"][0]["status"].is_null());
    assert_ne!(row["attempts"][0]["verdict"], "delivered");
    assert_eq!(receiver.received().len(), 1);
}
