//! Who is calling: from the Authorization header to a key and its account, and what that key may do.

use crate::fault::{Code, Fault};
use crate::spec::Spec;
use assay_domain::api_key::ApiKey;
use assay_domain::clock::Stopwatch;
use assay_domain::{KeyId, Plan, limits};
use assay_store::ledger::KeyRecord;
use assay_store::{Ledger, task};
use chrono::{DateTime, Utc};
use moka::future::Cache;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Looks keys up, and remembers them until any key changes. A watcher asks the ledger every second whether one did.
#[derive(Debug)]
pub struct Authenticator {
    ledger: Ledger,
    pepper: [u8; 32],
    known: Cache<KeyId, Option<Arc<KeyRecord>>>,
    /// Milliseconds since the start at which the watcher last heard from the ledger.
    looked_at: Arc<AtomicU64>,
    started: Stopwatch,
}

impl Authenticator {
    pub fn new(ledger: Ledger, pepper: [u8; 32]) -> Self {
        let known = Cache::builder()
            .max_capacity(limits::KEY_CACHE_ENTRIES)
            .time_to_live(limits::KEY_CACHE_LIFETIME)
            .build();
        let keys = Self { ledger, pepper, known, looked_at: Arc::default(), started: Stopwatch::start() };
        keys.watch();
        keys
    }

    /// Forgets all keys when the epoch grows: changes are rare, and forgetting one too many costs one read.
    fn watch(&self) {
        let (ledger, known, looked_at) =
            (self.ledger.clone(), self.known.clone(), Arc::downgrade(&self.looked_at));
        let started = self.started;
        task::spawn("watch-keys", async move {
            let mut seen = None;
            while let Some(looked_at) = looked_at.upgrade() {
                let asked_at = milliseconds(started);
                match ledger.key_epoch().await {
                    Ok(epoch) => {
                        if seen.replace(epoch).is_some_and(|before| before != epoch) {
                            known.invalidate_all();
                        }
                        looked_at.store(asked_at, Ordering::Release);
                    }
                    Err(error) => {
                        tracing::warn!(%error, "cannot see whether keys changed; they are read for every call")
                    }
                }
                tokio::time::sleep(limits::KEY_EPOCH_EVERY).await;
            }
        });
    }

    /// Whether what is remembered may be believed.
    fn is_in_touch(&self) -> bool {
        let age = milliseconds(self.started).saturating_sub(self.looked_at.load(Ordering::Acquire));
        u128::from(age) <= limits::KEY_EPOCH_AGE_MAX.as_millis()
    }

    /// The key behind an Authorization header, if it is good now.
    pub async fn identify(
        &self,
        header: Option<&str>,
        _client: IpAddr,
        now: DateTime<Utc>,
    ) -> Result<Arc<KeyRecord>, Fault> {
        let header =
            header.ok_or_else(|| Fault::new(Code::MissingApiKey, "the Authorization header is missing"))?;
        let token = bearer(header).ok_or_else(|| {
            Fault::new(Code::MissingApiKey, "the Authorization header is not of the form Bearer <key>")
        })?;
        let key = ApiKey::parse(token).map_err(|error| Fault::new(Code::InvalidApiKey, error.to_string()))?;
        let record = self.find(&KeyId::new(key.id())).await?;
        let genuine = record.filter(|record| {
            let stored = <[u8; 32]>::try_from(record.secret_hash.as_slice());
            stored.is_ok_and(|stored| key.hash_matches(&self.pepper, &stored))
        });
        let record =
            genuine.ok_or_else(|| Fault::new(Code::InvalidApiKey, "no key like this was made here"))?;
        if record.revoked_at.is_some() {
            return Err(Fault::new(Code::RevokedApiKey, "the key was revoked"));
        }
        if record.expires_at.is_some_and(|end| end <= now) {
            return Err(Fault::new(Code::ExpiredApiKey, "the key's time is over"));
        }
        Ok(record)
    }

    async fn find(&self, id: &KeyId) -> Result<Option<Arc<KeyRecord>>, Fault> {
        let load = async { self.ledger.find_key(id).await.map(|found| found.map(Arc::new)) };
        if !self.is_in_touch() {
            return Ok(load.await?);
        }
        let found = self.known.try_get_with_by_ref(id, load).await;
        found.map_err(|error| Fault::from((*error).clone()))
    }
}

fn milliseconds(since: Stopwatch) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
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
    if trial_over && !spec.price.is_free() {
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
