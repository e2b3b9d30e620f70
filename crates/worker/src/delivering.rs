//! Delivers messages to webhooks: one job, one try, and one commit that says how it went and when the next one is due.

use crate::queue::{Ended, Handler};
use assay_domain::limits::{
    WEBHOOK_CONNECT_DEADLINE, WEBHOOK_DEADLINE, WEBHOOK_FAILING_MAX, WEBHOOKS_AT_ONCE,
    WEBHOOKS_AT_ONCE_PER_ENDPOINT,
};
use assay_domain::{AccountId, Clock, DeliveryId};
use assay_notify::{
    Guard, Outcome, RootsError, Schedule, Secret, Sender, SenderSettings, Target, Verdict, sign,
};
use assay_service::{WebhookRules, WebhookSeal};
use assay_store::ledger::webhooks::{AttemptEnd, Noted, Parcel, Then};
use assay_store::queue::{Claimed, Queue};
use assay_store::{Ledger, StoreError};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde_json::Value;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// However fast time is made to run, a receiver has this long to answer.
const DEADLINE_LEAST: Duration = Duration::from_secs(2);

/// What messages are sent with.
#[derive(Debug)]
pub struct WebhookTools {
    sender: Sender,
    seal: WebhookSeal,
    guard: Guard,
    schedule: Schedule,
    /// An endpoint with nothing but failures for this long is disabled.
    patience: Duration,
}

impl WebhookTools {
    /// `scale` makes time run faster: delays are divided by it, and so is the patience with those who do not answer.
    pub fn new(
        rules: WebhookRules,
        extra_roots_pem: Vec<u8>,
        scale: NonZeroU32,
        clock: Clock,
    ) -> Result<Self, RootsError> {
        let WebhookRules { seal, guard } = rules;
        let shortened = |limit: Duration| (limit / scale.get()).max(DEADLINE_LEAST.min(limit));
        let settings = SenderSettings {
            guard: guard.clone(),
            clock,
            deadline: shortened(WEBHOOK_DEADLINE),
            connect_deadline: shortened(WEBHOOK_CONNECT_DEADLINE),
            extra_roots_pem,
            ..SenderSettings::default()
        };
        let (sender, schedule) = (Sender::new(settings)?, Schedule::scaled(scale));
        Ok(Self { sender, seal, guard, schedule, patience: WEBHOOK_FAILING_MAX / scale.get() })
    }

    /// The newest first. None when one of them does not open: the master key is another one than it was sealed with.
    fn open(&self, account: AccountId, parcel: &Parcel) -> Option<Vec<Secret>> {
        let opened = parcel.secrets.iter().map(|sealed| self.seal.open(account, parcel.webhook, sealed));
        opened.collect::<Result<_, _>>().ok()
    }

    /// One try. The URL is judged again: the operator's rules may be others than when it was stored.
    async fn send(&self, parcel: &Parcel, secrets: &[Secret], at: DateTime<Utc>) -> Outcome {
        let target = match Target::parse(&parcel.url, &self.guard) {
            Ok(target) => target,
            Err(refusal) => {
                return Outcome {
                    status: None,
                    verdict: Verdict::Forbidden(refusal),
                    retry_after: None,
                    took: Duration::ZERO,
                    excerpt: String::new(),
                };
            }
        };
        let (id, time, body) = (parcel.delivery.to_string(), at.timestamp(), parcel.body.as_bytes());
        let headers = [
            ("content-type", "application/json".to_owned()),
            ("webhook-signature", sign(secrets, &id, time, body)),
            ("webhook-timestamp", time.to_string()),
            ("webhook-id", id),
        ];
        self.sender.send(&target, &headers, Bytes::copy_from_slice(body)).await
    }

    fn end(&self, parcel: &Parcel, at: DateTime<Utc>, outcome: Outcome, random: u32) -> AttemptEnd {
        let then = match outcome.verdict {
            Verdict::Delivered => Then::Done,
            Verdict::Gone => Then::Gone,
            _ => {
                let made = parcel.tries.saturating_add(1);
                self.schedule.next_delay(made, &outcome, random).map_or(Then::GiveUp, Then::Again)
            }
        };
        AttemptEnd {
            at,
            status: outcome.status,
            verdict: outcome.verdict.code(),
            took: outcome.took,
            excerpt: outcome.excerpt,
            then,
            patience: self.patience,
        }
    }
}

#[derive(Clone)]
pub(crate) struct Delivering {
    ledger: Ledger,
    clock: Clock,
    tools: Arc<WebhookTools>,
}

impl Delivering {
    pub(crate) fn new(ledger: Ledger, clock: Clock, tools: Arc<WebhookTools>) -> Self {
        Self { ledger, clock, tools }
    }
}

impl Handler for Delivering {
    const QUEUE: Queue = Queue::Webhook;
    const AT_ONCE: usize = WEBHOOKS_AT_ONCE;
    const AT_ONCE_PER_SHARE: usize = WEBHOOKS_AT_ONCE_PER_ENDPOINT;

    async fn run(&self, job: Claimed) -> Result<Ended, StoreError> {
        let (Some(account), Some(delivery)) = (job.account, delivery_in(&job.payload)) else {
            return Ok(Ended::Failed { trouble: "the job names no delivery" });
        };
        if job.lease.attempt > job.attempts_max {
            return Ok(Ended::Failed { trouble: "its workers were lost too often" });
        }
        let Some(parcel) = self.ledger.begin_attempt(account, delivery, job.lease).await? else {
            return Ok(Ended::Settled);
        };
        let Some(secrets) = self.tools.open(account, &parcel) else {
            return Ok(Ended::Failed { trouble: "the webhook's secret does not open with this master key" });
        };
        let at = self.clock.now();
        let outcome = self.tools.send(&parcel, &secrets, at).await;
        let verdict = outcome.verdict.code();
        metrics::counter!("assay_webhook_attempts_total", "verdict" => verdict).increment(1);
        metrics::histogram!("assay_webhook_attempt_seconds").record(outcome.took.as_secs_f64());
        let end = self.tools.end(&parcel, at, outcome, rand::random());
        if let Noted::Disabled(reason) = self.ledger.finish_attempt(account, &parcel, job.lease, &end).await?
        {
            let reason = reason.as_str();
            tracing::info!(webhook = %parcel.webhook, %account, reason, "a webhook was disabled");
            metrics::counter!("assay_webhooks_disabled_total", "reason" => reason).increment(1);
        }
        Ok(Ended::Settled)
    }
}

fn delivery_in(payload: &Value) -> Option<DeliveryId> {
    let id: Uuid = payload.get("delivery")?.as_str()?.parse().ok()?;
    Some(DeliveryId::from_uuid(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::{MasterKey, WebhookId};
    use assay_notify::{Refusal, Trouble};
    use serde_json::json;

    fn tools(scale: u32) -> WebhookTools {
        let rules = WebhookRules::strict(&MasterKey::parse(&"11".repeat(32)).unwrap());
        WebhookTools::new(rules, Vec::new(), NonZeroU32::new(scale).unwrap(), Clock::system()).unwrap()
    }

    fn parcel(url: &str, tries: u32) -> Parcel {
        let now = Clock::system().now();
        Parcel {
            delivery: DeliveryId::mint(now),
            webhook: WebhookId::mint(now),
            url: url.to_owned(),
            body: "{}".to_owned(),
            tries,
            failing: false,
            secrets: Vec::new(),
        }
    }

    fn then(verdict: Verdict, tries: u32) -> Then {
        let outcome = Outcome {
            status: None,
            verdict,
            retry_after: None,
            took: Duration::ZERO,
            excerpt: String::new(),
        };
        tools(1).end(&parcel("", tries), Clock::system().now(), outcome, 1 << 31).then
    }

    #[test]
    fn what_comes_next_depends_on_the_verdict_and_on_the_tries_before() {
        assert_eq!(then(Verdict::Delivered, 0), Then::Done);
        assert_eq!(then(Verdict::Gone, 0), Then::Gone);
        assert_eq!(then(Verdict::Refused(500), 0), Then::Again(Duration::from_secs(5)));
        assert_eq!(then(Verdict::Unreachable(Trouble::Connect), 1), Then::Again(Duration::from_secs(300)));
        assert_eq!(then(Verdict::TimedOut, 8), Then::Again(Duration::from_secs(95_040)));
        assert_eq!(then(Verdict::Refused(500), 9), Then::GiveUp);
    }

    #[test]
    fn time_runs_faster_in_a_test_and_a_receiver_still_has_time_to_answer() {
        assert_eq!(tools(1).patience, WEBHOOK_FAILING_MAX);
        assert_eq!(tools(1_000).patience, Duration::from_secs(432));
        assert!(format!("{:?}", tools(1).sender).contains("15s"));
        assert!(format!("{:?}", tools(1_000).sender).contains("2s"));
    }

    #[tokio::test]
    async fn a_url_that_is_not_allowed_any_more_is_not_called() {
        let outcome = tools(1).send(&parcel("https://127.0.0.1/", 0), &[], Clock::system().now()).await;
        assert!(matches!(outcome.verdict, Verdict::Forbidden(Refusal::Address(_))), "{outcome:?}");
    }

    #[test]
    fn a_job_names_its_delivery() {
        let id = DeliveryId::mint(Clock::system().now());
        assert_eq!(delivery_in(&json!({"delivery": id.uuid()})), Some(id));
        for payload in [json!({}), json!({"delivery": "x"}), json!({"delivery": 1}), json!(null)] {
            assert_eq!(delivery_in(&payload), None);
        }
    }
}
