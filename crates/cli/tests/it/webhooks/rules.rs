//! Who may have webhooks, how many, and where they may lead.

use super::receiver::Receiver;
use super::{Stage, text};
use crate::support::{Answer, Customer, Request};
use assay_domain::limits::WEBHOOKS_PER_ACCOUNT_MAX;
use serde_json::{Value, json};

const URL: &str = "https://hooks.northwind-robotics.example/assay";

/// The body with its request id blanked: all else must be the same.
fn masked(answer: &Answer) -> (u16, String) {
    (answer.status, answer.text().replace(answer.header("x-request-id").unwrap(), "req"))
}

#[test]
fn a_webhook_is_made_seen_changed_and_deleted() {
    let stage = Stage::with(&[]);
    let made =
        stage.call("POST", "/v1/webhooks", &json!({"url": URL, "events": ["credits.low", "credits.low"]}));
    assert_eq!(made.status, 201, "{}", made.text());
    let mut made = made.json();
    assert!(made["secret"].as_str().unwrap().starts_with("whsec_"));
    assert_eq!((&made["url"], &made["events"]), (&json!(URL), &json!(["credits.low"])));
    let path = format!("/v1/webhooks/{}", text(&made["id"]));
    let without = |value: &mut Value| {
        value.as_object_mut().unwrap().retain(|name, _| name != "secret" && name != "cost");
        value.clone()
    };
    let seen = without(&mut stage.get(&path));
    assert_eq!(seen, without(&mut made));
    assert_eq!(stage.get("/v1/webhooks")["results"], json!([seen]));
    let other = "https://other.northwind-robotics.example/";
    let change =
        json!({"url": "https://OTHER.northwind-robotics.example", "description": " nightly ", "events": []});
    let changed = stage.call("PATCH", &path, &change).is_ok();
    assert_eq!((&changed["url"], &changed["description"]), (&json!(other), &json!("nightly")));
    assert_eq!((&changed["events"], &changed["enabled"]), (&json!([]), &json!(true)));
    let off = stage.call("PATCH", &path, &json!({"enabled": false})).is_ok();
    assert_eq!((&off["enabled"], &off["disabled_reason"]), (&json!(false), &json!("by_request")));
    assert_eq!(off["url"], other);
    let gone = Request::new("DELETE", &path).key(&stage.customer.key).send(stage.server.api).is_ok();
    assert_eq!((&gone["id"], &gone["deleted"]), (&made["id"], &json!(true)));
    stage.server.get(&stage.customer, &path).is_problem(404, "not_found");
    assert_eq!(stage.get("/v1/webhooks")["results"], json!([]));
}

#[test]
fn a_repeated_call_answers_the_same_secret_and_makes_no_second_webhook() {
    let stage = Stage::with(&[]);
    let make = || {
        Request::new("POST", "/v1/webhooks")
            .key(&stage.customer.key)
            .header("idempotency-key", "one")
            .json(&json!({"url": URL}))
            .send(stage.server.api)
    };
    let (first, second) = (make(), make());
    assert_eq!((first.status, &first.body), (201, &second.body));
    assert_eq!(second.header("idempotent-replayed"), Some("true"));
    assert_eq!(stage.get("/v1/webhooks")["results"].as_array().unwrap().len(), 1);
    // What is stored cannot be read where it is stored.
    let secret = text(&first.json()["secret"]);
    let bare = secret.strip_prefix("whsec_").unwrap();
    let stored = stage
        .installation
        .ledger
        .psql("select encode(secret, 'base64') || encode(secret, 'escape') from webhook_endpoint")
        .unwrap();
    assert!(!stored.contains(bare) && !stored.replace('\n', "").contains(bare));
}

#[test]
fn what_is_not_plainly_the_public_internet_is_refused_with_a_reason() {
    let stage = Stage::with(&[]);
    let (webhook, _) = stage.make(URL);
    for (url, code) in [
        ("http://hooks.example.com/s3cret", "webhook_url_not_https"),
        ("ftp://hooks.example.com/s3cret", "webhook_url_not_https"),
        ("hooks.example.com/s3cret", "webhook_url_not_https"),
        ("https://127.0.0.1/s3cret", "webhook_address_not_public"),
        ("https://2130706433/s3cret", "webhook_address_not_public"),
        ("https://10.1.2.3/s3cret", "webhook_address_not_public"),
        ("https://169.254.169.254/s3cret", "webhook_address_not_public"),
        ("https://[::1]/s3cret", "webhook_address_not_public"),
        ("https://[::ffff:192.168.0.1]/s3cret", "webhook_address_not_public"),
        ("https://localhost/s3cret", "webhook_address_not_public"),
        ("https://user:pass@hooks.example.com/s3cret", "webhook_url_has_credentials"),
        ("https://hooks.example.com:8443/s3cret", "webhook_port_not_allowed"),
        ("https://hooks.example.com/s3cret#x", "webhook_url_has_fragment"),
        ("https://hooks.example.com/s3cret x", "webhook_url_malformed"),
        ("https://", "webhook_url_malformed"),
    ] {
        for (method, path) in
            [("POST", "/v1/webhooks".to_owned()), ("PATCH", format!("/v1/webhooks/{webhook}"))]
        {
            let refused = stage.call(method, &path, &json!({"url": url}));
            let problem = refused.is_problem(422, "validation_failed");
            let error = &problem["errors"][0];
            assert_eq!(
                (&error["pointer"], &error["code"]),
                (&json!("/url"), &json!(code)),
                "{url} {problem}"
            );
            assert!(
                !error["message"].as_str().unwrap().is_empty() && !error["fix"].as_str().unwrap().is_empty()
            );
            assert!(!refused.text().contains("s3cret"), "the URL may hold a secret: {problem}");
        }
    }
    assert_eq!(stage.get(&format!("/v1/webhooks/{webhook}"))["url"], URL);
    let event = stage.call("POST", "/v1/webhooks", &json!({"url": URL, "events": ["bulk.complete"]}));
    let problem = event.is_problem(422, "validation_failed");
    assert_eq!(problem["errors"][0]["fix"], "did you mean `bulk.completed`?");
}

#[test]
fn below_pro_there_are_no_webhooks() {
    let stage = Stage::with(&[]);
    for plan in ["trial", "indie", "starter"] {
        let customer = stage.installation.customer(plan);
        let refused = stage.server.call(&customer, "POST", "/v1/webhooks", &json!({"url": URL}));
        let problem = refused.is_problem(403, "plan_required");
        assert!(problem["detail"].as_str().unwrap().contains("pro"), "{problem}");
        stage.server.get(&customer, "/v1/webhooks").is_problem(403, "plan_required");
    }
    let key = stage.call("POST", "/v1/keys", &json!({"name": "h", "scopes": ["history"]}));
    let narrow = Customer { account: String::new(), key: text(&key.json()["key"]) };
    stage.server.get(&narrow, "/v1/webhooks").is_problem(403, "insufficient_scope");
}

#[test]
fn an_account_has_so_many_and_no_more() {
    let stage = Stage::with(&[]);
    let (first, _) = stage.make(URL);
    for _ in 1..WEBHOOKS_PER_ACCOUNT_MAX {
        stage.make(URL);
    }
    stage.call("POST", "/v1/webhooks", &json!({"url": URL})).is_problem(409, "too_many_webhooks");
    Request::new("DELETE", &format!("/v1/webhooks/{first}"))
        .key(&stage.customer.key)
        .send(stage.server.api)
        .is_ok();
    stage.make(URL);
    let page = stage.get("/v1/webhooks?limit=15");
    let cursor = text(&page["next_cursor"]);
    let rest = stage.get(&format!("/v1/webhooks?limit=15&cursor={cursor}"));
    let count = |page: &Value| page["results"].as_array().unwrap().len();
    assert_eq!((count(&page), count(&rest), &rest["next_cursor"]), (15, 5, &json!(null)));
}

#[test]
fn what_belongs_to_another_account_is_as_absent_as_what_never_was() {
    let receiver = Receiver::answering("200 OK");
    let stage = Stage::for_receiver(&receiver);
    let (webhook, _) = stage.make(&receiver.url());
    let delivery = stage.test(&webhook);
    stage.wait_for(&webhook, &delivery, "delivered");
    let stranger = stage.installation.customer("scale");
    let hooks = |id: &str| {
        let range = json!({"since": "2026-01-01T00:00:00Z", "include_delivered": true});
        [
            ("GET", format!("/v1/webhooks/{id}"), json!(null)),
            ("PATCH", format!("/v1/webhooks/{id}"), json!({"enabled": false})),
            ("DELETE", format!("/v1/webhooks/{id}"), json!(null)),
            ("POST", format!("/v1/webhooks/{id}/rotate"), json!({})),
            ("POST", format!("/v1/webhooks/{id}/test"), json!({})),
            ("GET", format!("/v1/webhooks/{id}/deliveries"), json!(null)),
            ("POST", format!("/v1/webhooks/{id}/redeliver"), range),
        ]
    };
    let again = |id: &str| [("POST", format!("/v1/webhooks/deliveries/{id}/redeliver"), json!({}))];
    let ask = |(method, path, body): &(&str, String, Value)| {
        let request = Request::new(method, path).key(&stranger.key);
        let request = if body.is_null() { request } else { request.json(body) };
        let answer = request.send(stage.server.api);
        answer.is_problem(404, "not_found");
        masked(&answer)
    };
    let foreign = hooks(&webhook).iter().chain(&again(&delivery)).map(ask).collect::<Vec<_>>();
    for (hook, message) in [
        ("whk_0197f7a05c3a7d12a4b1c2d3e4f50620", "msg_0197f7a05c3a7d12a4b1c2d3e4f50621"),
        ("whk_0", "msg_0"),
        (delivery.as_str(), webhook.as_str()),
    ] {
        let absent = hooks(hook).iter().chain(&again(message)).map(ask).collect::<Vec<_>>();
        assert_eq!(foreign, absent);
    }
    assert_eq!(stage.get(&format!("/v1/webhooks/{webhook}"))["enabled"], true);
    assert_eq!(receiver.received().len(), 1);
}
