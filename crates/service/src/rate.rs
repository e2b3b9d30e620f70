//! Request rates: one token bucket an account on this node.

use crate::fault::{Code, Fault};
use crate::reply::RateState;
use assay_domain::token_bucket::TokenBucket;
use assay_domain::{AccountId, limits};
use assay_store::ledger::KeyRecord;
use chrono::{DateTime, Utc};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

const SHARDS: usize = 16;

/// The buckets, in shards so that accounts do not wait for each other.
#[derive(Debug)]
pub struct RateLimiter {
    shards: Vec<Mutex<HashMap<AccountId, TokenBucket>>>,
}

impl RateLimiter {
    pub fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect() }
    }

    /// Counts one request.
    pub fn take(&self, key: &KeyRecord, now: DateTime<Utc>) -> (RateState, Option<Fault>) {
        let (account, per_minute) = (key.account, key.requests_per_minute);
        let allowance = {
            let mut buckets = self.shard(account).lock().unwrap_or_else(PoisonError::into_inner);
            if u64::try_from(buckets.len()).unwrap_or(u64::MAX) > limits::RATE_BUCKETS_MAX / 16 {
                buckets.retain(|_, bucket| !bucket.is_full(now));
            }
            buckets.entry(account).or_insert_with(|| TokenBucket::full(now)).take(now, per_minute)
        };
        let state =
            RateState { per_minute, remaining: allowance.remaining, reset_seconds: allowance.reset_seconds };
        if allowance.allowed {
            return (state, None);
        }
        let detail = format!("the account may send {per_minute} requests a minute");
        let mut fault = Fault::new(Code::RateLimited, detail);
        fault.retry_after_seconds = Some(allowance.reset_seconds.max(1));
        (state, Some(fault))
    }

    #[expect(clippy::expect_used, reason = "the shards are made in new and never removed")]
    fn shard(&self, account: AccountId) -> &Mutex<HashMap<AccountId, TokenBucket>> {
        let index = usize::from(account.uuid().as_bytes().last().copied().unwrap_or(0)) % SHARDS;
        self.shards.get(index).expect("an index below the number of shards")
    }
}
