//! The webhooks of one account: where it wants to be told what happened, and what it was told.

use crate::fault::{Code, Fault};
use crate::webhook_rules::WebhookRules;
use assay_domain::{AccountId, DeliveryId, SealError, WebhookId, limits};
use assay_notify::Secret;
use assay_store::Ledger;
use assay_store::ledger::webhooks::{
    Again, AttemptRow, DeliveryRow, DeliveryState, NewWebhook, Redelivered, TimeRange, WebhookChange,
    WebhookCursor, WebhookMade, WebhookRow, WebhookTerms,
};
use chrono::{DateTime, Utc};
use serde_json::json;

/// What a bulk job's own endpoint is told.
const BULK_EVENTS: [&str; 2] = ["bulk.completed", "bulk.failed"];
const TEST_EVENT: &str = "webhook.test";

/// A view bound to one account.
#[derive(Debug)]
pub struct AccountWebhooks<'a> {
    ledger: &'a Ledger,
    rules: &'a WebhookRules,
    account: AccountId,
}

/// An endpoint with the secret it was just given.
#[derive(Debug)]
pub struct FreshWebhook {
    pub row: WebhookRow,
    pub secret: Secret,
}

impl<'a> AccountWebhooks<'a> {
    pub(crate) fn new(ledger: &'a Ledger, rules: &'a WebhookRules, account: AccountId) -> Self {
        Self { ledger, rules, account }
    }

    pub async fn create(&self, terms: WebhookTerms, now: DateTime<Utc>) -> Result<FreshWebhook, Fault> {
        let url = self.rules.judge(&terms.url)?;
        let (new, secret) = self.draw(WebhookTerms { url, ..terms }, now)?;
        match self.ledger.create_webhook(&new).await? {
            WebhookMade::Made => Ok(FreshWebhook { row: self.find(new.id).await?, secret }),
            WebhookMade::TooMany | WebhookMade::Known(_) => Err(too_many()),
        }
    }

    /// The endpoint at a URL that a bulk job names, made where there is none; then with the secret, to be shown once.
    pub async fn at_url(&self, url: &str, now: DateTime<Utc>) -> Result<(WebhookId, Option<Secret>), Fault> {
        let url = self.rules.judge(url)?;
        let events = BULK_EVENTS.map(str::to_owned).to_vec();
        let description = "made for a bulk job".to_owned();
        let (new, secret) = self.draw(WebhookTerms { url, description, events }, now)?;
        match self.ledger.create_webhook_at(&new).await? {
            WebhookMade::Made => Ok((new.id, Some(secret))),
            WebhookMade::Known(id) => Ok((id, None)),
            WebhookMade::TooMany => Err(too_many()),
        }
    }

    pub async fn page(&self, after: Option<WebhookCursor>, limit: u32) -> Result<Vec<WebhookRow>, Fault> {
        Ok(self.ledger.webhooks(self.account, after, limit).await?)
    }

    /// An endpoint of this account. Another account's is as absent as one that never was.
    pub async fn find(&self, id: WebhookId) -> Result<WebhookRow, Fault> {
        self.ledger.webhook(self.account, id).await?.ok_or_else(absent)
    }

    pub async fn change(&self, id: WebhookId, change: WebhookChange) -> Result<WebhookRow, Fault> {
        let url = change.url.as_deref().map(|url| self.rules.judge(url)).transpose()?;
        let change = WebhookChange { url, ..change };
        self.ledger.change_webhook(self.account, id, &change).await?.ok_or_else(absent)
    }

    /// A new secret; the one before signs too until `until`.
    pub async fn rotate(&self, id: WebhookId, until: DateTime<Utc>) -> Result<FreshWebhook, Fault> {
        let (secret, sealed) = self.rules.seal.draw(self.account, id).map_err(unsealable)?;
        let row = self.ledger.rotate_webhook(self.account, id, &sealed, until).await?;
        Ok(FreshWebhook { row: row.ok_or_else(absent)?, secret })
    }

    pub async fn delete(&self, id: WebhookId) -> Result<(), Fault> {
        if self.ledger.delete_webhook(self.account, id).await? { Ok(()) } else { Err(absent()) }
    }

    pub async fn test(&self, id: WebhookId) -> Result<DeliveryRow, Fault> {
        let data = json!({ "webhook_id": id.to_string(), "message": "This is a test." });
        let again = self.ledger.test_webhook(self.account, id, (TEST_EVENT, &data)).await?;
        sending(again, absent)
    }

    /// The messages to an endpoint, newest first, and their tries.
    pub async fn deliveries(
        &self,
        id: WebhookId,
        state: Option<DeliveryState>,
        after: Option<DeliveryId>,
        limit: u32,
    ) -> Result<(Vec<DeliveryRow>, Vec<AttemptRow>), Fault> {
        self.find(id).await?;
        let rows = self.ledger.deliveries(self.account, id, state, after, limit).await?;
        let ids: Vec<DeliveryId> = rows.iter().map(|row| row.id).collect();
        let attempts = self.ledger.attempts(self.account, &ids).await?;
        Ok((rows, attempts))
    }

    pub async fn redeliver(&self, delivery: DeliveryId) -> Result<DeliveryRow, Fault> {
        let again = self.ledger.redeliver(self.account, delivery).await?;
        sending(again, || Fault::new(Code::NotFound, "the account has no such delivery"))
    }

    pub async fn redeliver_range(&self, id: WebhookId, range: TimeRange) -> Result<Redelivered, Fault> {
        let again = self.ledger.redeliver_range(self.account, id, range).await?;
        sending(again, absent)
    }

    fn draw(&self, terms: WebhookTerms, now: DateTime<Utc>) -> Result<(NewWebhook, Secret), Fault> {
        let (id, account) = (WebhookId::mint(now), self.account);
        let (secret, sealed) = self.rules.seal.draw(account, id).map_err(unsealable)?;
        Ok((NewWebhook { id, account, terms, secret: sealed, at: now }, secret))
    }
}

fn sending<T>(again: Again<T>, absent: fn() -> Fault) -> Result<T, Fault> {
    match again {
        Again::Sending(sent) => Ok(sent),
        Again::Disabled => {
            Err(Fault::new(Code::WebhookDisabled, "nothing is sent while the webhook is disabled"))
        }
        Again::Absent => Err(absent()),
    }
}

fn absent() -> Fault {
    Fault::new(Code::NotFound, "the account has no such webhook")
}

fn too_many() -> Fault {
    let most = limits::WEBHOOKS_PER_ACCOUNT_MAX;
    Fault::new(Code::TooManyWebhooks, format!("there may be {most} webhooks"))
}

fn unsealable(error: SealError) -> Fault {
    tracing::error!(%error, "a webhook's secret could not be sealed");
    Fault::new(Code::Internal, "the failure was recorded")
}
