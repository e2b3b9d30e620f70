//! Addresses that were put off: they wait in the queue, sealed, until it is time to ask again.

use super::Mailroom;
use super::verify::{Asking, Freshness, Origin};
use crate::EngineError;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::MAIL_DEADLINE;
use assay_domain::{Digest, Email, JobId, Sealer};
use assay_mailbox::check_email;
use assay_store::queue::{NewJob, Queue, share_of};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use rand::Rng;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::time::Duration;

const PURPOSE: &str = "mail-retry";
/// Tries that break off with their process count too; how often a server is asked is bounded elsewhere.
const ATTEMPTS_MAX: u32 = 1_000;

/// An address to be asked for again.
#[derive(Clone, PartialEq, Eq)]
pub struct Postponed {
    pub(super) email: Email,
}

impl fmt::Debug for Postponed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Postponed(…)")
    }
}

/// What became of an address in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryEnd {
    Done,
    /// Put off once more.
    Again(Duration),
    /// The job is none that can be read.
    Unreadable,
}

#[derive(Serialize, Deserialize)]
struct Payload {
    digest: String,
    address: String,
}

impl Mailroom {
    /// Puts an address into the queue, once however often it is asked for.
    pub(super) async fn postpone(
        &self,
        postponed: &Postponed,
        operator: &str,
        run_at: DateTime<Utc>,
    ) -> Result<(), EngineError> {
        let digest = self.digest(&postponed.email);
        let random = &mut |bytes: &mut [u8]| rand::rng().fill_bytes(bytes);
        let sealed = self.sealer().seal(digest.as_bytes(), postponed.email.as_str().as_bytes(), random);
        let Ok(sealed) = sealed else {
            tracing::error!("an address could not be sealed, and is not asked for again");
            return Ok(());
        };
        let payload = Payload {
            digest: STANDARD.encode(digest.as_bytes()),
            address: STANDARD.encode(sealed.as_bytes()),
        };
        let job = NewJob {
            id: JobId::mint(run_at),
            account: None,
            key: Some(payload.digest.clone()),
            run_at: Some(run_at),
            every: None,
            attempts_max: ATTEMPTS_MAX,
            payload: serde_json::to_value(payload).unwrap_or(Value::Null),
        };
        self.jobs.put(Queue::Mail, share_of(operator), &[job]).await?;
        Ok(())
    }

    /// Asks again for an address of the queue, unless its verdict is known meanwhile or nobody may ask any more.
    pub async fn retry(&self, payload: &Value, now: DateTime<Utc>) -> Result<RetryEnd, EngineError> {
        let Some(Postponed { email }) = self.open(payload) else { return Ok(RetryEnd::Unreadable) };
        let digest = self.digest(&email);
        let known = self.graph.known_mailbox(digest, email.host()).await?;
        let Some(kept) = known.verdict.filter(|kept| !known.suppressed && kept.retry_at.is_some()) else {
            return Ok(RetryEnd::Done);
        };
        if let Some(early) = kept.retry_at.and_then(|at| at.signed_duration_since(now).to_std().ok())
            && !early.is_zero()
        {
            return Ok(RetryEnd::Again(early));
        }
        let checked = check_email(email);
        let watch = Stopwatch::start();
        let route = self.verifier.find_route(&checked).await;
        let freshness = Freshness::to_verify(None);
        let asking = Asking {
            checked: &checked,
            digest,
            route: &route,
            freshness,
            before: Some(&kept),
            origin: Origin::Queue,
            within: MAIL_DEADLINE,
            now,
            watch,
        };
        let verification = self.ask(&asking).await?;
        let wait_until = |at: DateTime<Utc>| at.signed_duration_since(asking.moment()).to_std();
        let wait = verification.retry_at.map(|at| wait_until(at).unwrap_or_default());
        Ok(wait.map_or(RetryEnd::Done, RetryEnd::Again))
    }

    fn open(&self, payload: &Value) -> Option<Postponed> {
        let payload = Payload::deserialize(payload).ok()?;
        let digest = Digest::from_slice(&STANDARD.decode(payload.digest).ok()?)?;
        let address = self.sealer().open(digest.as_bytes(), &STANDARD.decode(payload.address).ok()?).ok()?;
        let email = Email::parse(std::str::from_utf8(&address).ok()?).ok()?;
        Some(Postponed { email })
    }

    fn sealer(&self) -> Sealer {
        self.identity.sealer(PURPOSE)
    }
}
