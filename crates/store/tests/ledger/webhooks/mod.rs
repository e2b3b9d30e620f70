//! Webhooks on a real PostgreSQL: who is told what, what becomes of a try, and who may still write about it.

mod attempts;
mod endpoints;
mod redeliver;

use crate::support;
use assay_domain::{AccountId, Clock, DeliveryId, Plan, Sealed, WebhookId};
use assay_store::ledger::NewAccount;
use assay_store::ledger::webhooks::{
    AttemptEnd, DeliveryRow, NewWebhook, Parcel, Then, WebhookMade, WebhookRow, WebhookTerms,
};
use assay_store::queue::{ClaimWish, Claimed, Lease, Queue};
use assay_store::{Database, Ledger};
use assay_testkit::TestDatabase;
use serde_json::json;
use std::time::Duration;
use uuid::Uuid;

const PATIENCE: Duration = Duration::from_secs(5 * 24 * 3_600);

struct Post {
    ledger: Ledger,
    account: AccountId,
    stranger: AccountId,
    database: TestDatabase,
}

async fn post() -> Post {
    let database = support::ledger_db().await;
    let ledger = Ledger::connect(&Database::at(&database.url()), Clock::system()).await.unwrap();
    let account =
        async || ledger.create_account(&NewAccount { name: "test".into(), plan: Plan::Pro }).await.unwrap();
    let (account, stranger) = (account().await, account().await);
    Post { ledger, account, stranger, database }
}

impl Post {
    fn new_webhook(&self, path: &str, events: &[&str]) -> NewWebhook {
        let at = Clock::system().now();
        let terms = WebhookTerms {
            url: format!("https://hooks.example.com/{path}"),
            description: String::new(),
            events: events.iter().map(|event| (*event).to_owned()).collect(),
        };
        let secret = Sealed::from_bytes(path.as_bytes().to_vec());
        NewWebhook { id: WebhookId::mint(at), account: self.account, terms, secret, at }
    }

    async fn webhook(&self, path: &str, events: &[&str]) -> WebhookId {
        let new = self.new_webhook(path, events);
        assert_eq!(self.ledger.create_webhook(&new).await.unwrap(), WebhookMade::Made);
        new.id
    }

    async fn read(&self, id: WebhookId) -> WebhookRow {
        self.ledger.webhook(self.account, id).await.unwrap().unwrap()
    }

    /// The messages to an endpoint, oldest first.
    async fn told(&self, id: WebhookId) -> Vec<DeliveryRow> {
        let mut rows = self.ledger.deliveries(self.account, id, None, None, 2_000).await.unwrap();
        rows.reverse();
        rows
    }

    async fn delivery(&self, id: DeliveryId) -> DeliveryRow {
        self.ledger.delivery(self.account, id).await.unwrap().unwrap()
    }

    async fn announce(&self, event: &str) -> u64 {
        self.ledger.announce(self.account, event, &json!({"id": "x"})).await.unwrap()
    }

    async fn claim(&self) -> Vec<Claimed> {
        let wish = ClaimWish {
            queue: Queue::Webhook,
            node: Uuid::nil(),
            count: 100,
            from_turn: i64::MIN,
            ahead: None,
            running: Vec::new(),
            per_share: None,
        };
        self.ledger.jobs().wake_due(Queue::Webhook).await.unwrap();
        self.ledger.jobs().claim(&wish).await.unwrap()
    }

    async fn claim_one(&self) -> Lease {
        let mut claimed = self.claim().await;
        assert_eq!(claimed.len(), 1);
        claimed.pop().unwrap().lease
    }

    async fn begin(&self, id: DeliveryId, lease: Lease) -> Option<Parcel> {
        self.ledger.begin_attempt(self.account, id, lease).await.unwrap()
    }

    /// Lets every job run that waits for a later time.
    fn hurry(&self) {
        self.database.psql("update job set run_at = now() where state = 'delayed'").unwrap();
    }

    fn jobs(&self) -> String {
        self.database.psql("select count(*) from job").unwrap()
    }
}

fn delivery_of(job: &Claimed) -> DeliveryId {
    DeliveryId::from_uuid(job.payload["delivery"].as_str().unwrap().parse().unwrap())
}

fn end(status: Option<u16>, then: Then) -> AttemptEnd {
    AttemptEnd {
        at: Clock::system().now(),
        status,
        verdict: if then == Then::Done { "delivered" } else { "failed" },
        took: Duration::from_millis(84),
        excerpt: "no\0pe".into(),
        then,
        patience: PATIENCE,
    }
}

const LATER: Then = Then::Again(Duration::from_secs(300));
