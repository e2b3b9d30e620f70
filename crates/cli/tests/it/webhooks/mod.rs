//! Webhooks over HTTP and over real sockets: who may make one and where it may lead, and what arrives there.

mod delivering;
mod receiver;
mod rules;

use crate::support::{Answer, Customer, Installation, Server};
use receiver::{Receiver, eventually};
use serde_json::{Value, json};

/// An installation that sends to a receiver, and a customer who may have webhooks.
struct Stage {
    installation: Installation,
    server: Server,
    customer: Customer,
}

impl Stage {
    fn for_receiver(receiver: &Receiver) -> Self {
        let settings = receiver.settings();
        let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, &**value)).collect();
        Self::with(&settings)
    }

    fn with(settings: &[(&str, &str)]) -> Self {
        let installation = Installation::new();
        let customer = installation.customer("pro");
        let server = installation.serve_with(settings);
        Self { installation, server, customer }
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.server.call(&self.customer, method, path, body)
    }

    fn get(&self, path: &str) -> Value {
        self.server.get(&self.customer, path).is_ok()
    }

    /// A new webhook: its id and its secret.
    #[track_caller]
    fn make(&self, url: &str) -> (String, String) {
        let made = self.call("POST", "/v1/webhooks", &json!({"url": url}));
        assert_eq!(made.status, 201, "{}", made.text());
        (text(&made.json()["id"]), text(&made.json()["secret"]))
    }

    /// Sends a test message and gives its id.
    #[track_caller]
    fn test(&self, webhook: &str) -> String {
        let sent = self.call("POST", &format!("/v1/webhooks/{webhook}/test"), &json!({}));
        assert_eq!(sent.status, 202, "{}", sent.text());
        text(&sent.json()["id"])
    }

    fn deliveries(&self, webhook: &str) -> Vec<Value> {
        let page = self.get(&format!("/v1/webhooks/{webhook}/deliveries"));
        page["results"].as_array().unwrap().clone()
    }

    /// Waits until a message is in this state, and gives it.
    #[track_caller]
    fn wait_for(&self, webhook: &str, id: &str, state: &str) -> Value {
        eventually(|| {
            self.deliveries(webhook).into_iter().find(|row| row["id"] == id && row["state"] == state)
        })
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value}")).to_owned()
}
