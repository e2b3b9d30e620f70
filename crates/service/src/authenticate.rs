//! Who is calling: from the Authorization header to a key and its account, and what that key may do.

use crate::failed_auth::FailedAuth;
use crate::fault::{Code, Fault};
use crate::key_desk::KeyDesk;
use crate::key_epoch::KeyEpoch;
use crate::spec::{Group, Spec};
use assay_domain::api_key::{ApiKey, KeyMode};
use assay_domain::{KeyId, Plan, limits};
use assay_store::ledger::KeyRecord;
use assay_store::{Ledger, task};
use chrono::{DateTime, Utc};
use moka::future::Cache;
use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Looks keys up, and remembers them until any key changes.
#[derive(Debug)]
pub struct Authenticator {
    ledger: Ledger,
    pepper: [u8; 32],
    epoch: Arc<KeyEpoch>,
    /// By epoch, so that a look-up that began before a change cannot put an old record in front of later calls.
    known: Cache<(KeyId, i64), Option<Arc<Known>>>,
    failed: FailedAuth,
    desk: Arc<KeyDesk>,
}

/// A key as this node remembers it.
#[derive(Debug)]
struct Known {
    record: Arc<KeyRecord>,
    /// Whether its use was noted since it was read.
    used: AtomicBool,
}

impl Authenticator {
    pub fn new(ledger: Ledger, pepper: [u8; 32]) -> Self {
        let known = Cache::builder()
            .max_capacity(limits::KEY_CACHE_ENTRIES)
            .time_to_live(limits::KEY_CACHE_LIFETIME)
            .build();
        let epoch = KeyEpoch::watch(ledger.clone());
        let desk = KeyDesk::new(ledger.clone(), pepper).noticed_by(Arc::clone(&epoch));
        Self { ledger, pepper, epoch, known, failed: FailedAuth::new(), desk: Arc::new(desk) }
    }

    /// Where calls make and change keys.
    pub fn desk(&self) -> Arc<KeyDesk> {
        Arc::clone(&self.desk)
    }

    /// The key behind an Authorization header, if it is good now and here.
    pub async fn identify(
        &self,
        header: Option<&str>,
        client: IpAddr,
        now: DateTime<Utc>,
    ) -> Result<Arc<KeyRecord>, Fault> {
        let header =
            header.ok_or_else(|| Fault::new(Code::MissingApiKey, "the Authorization header is missing"))?;
        let token = bearer(header).ok_or_else(|| {
            Fault::new(Code::MissingApiKey, "the Authorization header is not of the form Bearer <key>")
        })?;
        let key = ApiKey::parse(token).map_err(|error| self.refuse(client, now, error.to_string()))?;
        let known = self.find(KeyId::new(key.id()), client, now).await?;
        // One answer and one amount of work for a wrong secret and for an id that nobody has.
        let matches = self.is_genuine(&key, known.as_deref());
        let known = known.filter(|_| matches);
        let known = known.ok_or_else(|| self.refuse(client, now, "no key like this was made here"))?;
        let record = &known.record;
        if record.revoked_at.is_some() {
            return Err(Fault::new(Code::RevokedApiKey, "the key was revoked"));
        }
        if record.expires_at.is_some_and(|end| end <= now) {
            return Err(Fault::new(Code::ExpiredApiKey, "the key's time is over"));
        }
        if !record.ip_allow.is_empty() && !record.ip_allow.iter().any(|range| range.contains(client)) {
            return Err(Fault::new(Code::IpNotAllowed, "the key's allow-list does not name this address"));
        }
        if !known.used.swap(true, Ordering::Relaxed) {
            self.note_use(Arc::clone(record)).await;
        }
        Ok(Arc::clone(record))
    }

    fn is_genuine(&self, key: &ApiKey, known: Option<&Known>) -> bool {
        let stored = known.and_then(|known| <[u8; 32]>::try_from(known.record.secret_hash.as_slice()).ok());
        let secret_matches = key.hash_matches(&self.pepper, &stored.unwrap_or_default());
        let mode_matches = known.is_some_and(|known| known.record.live == (key.mode() == KeyMode::Live));
        stored.is_some() && secret_matches && mode_matches
    }

    async fn find(&self, id: KeyId, client: IpAddr, now: DateTime<Utc>) -> Result<Option<Arc<Known>>, Fault> {
        let epoch = self.epoch.current();
        let id = match epoch {
            Some(epoch) => {
                let place = (id, epoch);
                if let Some(known) = self.known.get(&place).await {
                    return Ok(known);
                }
                place.0
            }
            None => id,
        };
        if let Some(seconds) = self.failed.wait(client, &id, now) {
            return Err(too_many(seconds));
        }
        let load = async {
            let found = self.ledger.find_key(&id).await?;
            Ok(found.map(|record| Arc::new(Known { record: Arc::new(record), used: AtomicBool::new(false) })))
        };
        match epoch {
            Some(epoch) => {
                let found = self.known.try_get_with((id.clone(), epoch), load).await;
                found.map_err(|error: Arc<assay_store::StoreError>| Fault::from((*error).clone()))
            }
            None => load.await.map_err(Fault::from),
        }
    }

    /// Nobody waits for it: when a key was last used is told to the minute.
    async fn note_use(&self, record: Arc<KeyRecord>) {
        self.failed.trust(record.id.clone()).await;
        let ledger = self.ledger.clone();
        task::spawn("note-key-use", async move {
            if let Err(error) = ledger.touch_key(&record).await {
                tracing::debug!(%error, "the use of a key could not be noted");
            }
        });
    }

    /// Refuses a key, and counts it against the address it came from.
    fn refuse(&self, client: IpAddr, now: DateTime<Utc>, why: impl Into<Cow<'static, str>>) -> Fault {
        match self.failed.count(client, now) {
            Some(seconds) => too_many(seconds),
            None => Fault::new(Code::InvalidApiKey, why),
        }
    }
}

fn too_many(seconds: u32) -> Fault {
    let most = limits::FAILED_AUTH_PER_MINUTE;
    let detail = format!("an address may be refused {most} times a minute");
    Fault { retry_after_seconds: Some(seconds), ..Fault::new(Code::TooManyFailedAttempts, detail) }
}

fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

/// Whether a key may make this call at all.
pub fn permit(key: &KeyRecord, spec: &Spec, now: DateTime<Utc>) -> Result<(), Fault> {
    let scope = spec.scope.as_str();
    if !key.scopes.iter().any(|allowed| allowed == scope) {
        return Err(Fault::new(Code::InsufficientScope, format!("the call needs the scope {scope}")));
    }
    let trial_over = key.plan == Plan::Trial && key.trial_ends_at.is_some_and(|end| end <= now);
    // Who decides on a plan must see the account and keep its keys in order; all else ends with the trial.
    if trial_over && !matches!(spec.group, Group::Account | Group::Keys) {
        return Err(Fault::new(Code::TrialEnded, "the account's trial is over"));
    }
    if !key.plan.allows(spec.plan) {
        return Err(Fault::new(
            Code::PlanRequired,
            format!("the call needs the plan {} or a higher one", spec.plan),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
