//! Request rates: what an account, or a key with a rate of its own, may still send, on all nodes together.

mod exchange;
mod ruling;
mod windows;

use crate::fault::{Code, Fault};
use crate::reply::RateState;
use assay_domain::Clock;
use assay_store::Ledger;
use assay_store::ledger::{KeyRecord, RateNode};
use chrono::{DateTime, Utc};
use ruling::{Ruling, Wish};
use std::sync::Arc;
use windows::Windows;

/// Counts requests. A task tells the other nodes, for as long as the limiter lives.
#[derive(Debug)]
pub struct RateLimiter {
    windows: Arc<Windows>,
}

impl RateLimiter {
    pub fn new(ledger: &Ledger, clock: Clock) -> Self {
        let windows = Arc::new(Windows::new());
        exchange::start(&windows, RateNode::new(ledger), clock);
        Self { windows }
    }

    /// Counts one request. It waits only when requests come faster than the nodes can tell each other.
    pub async fn take(&self, key: &KeyRecord, now: DateTime<Utc>) -> (RateState, Option<Fault>) {
        let (wish, now_ms) = (Wish::of(key), now.timestamp_millis());
        let ruling = match self.windows.decide(&wish, now_ms) {
            Some(ruling) => ruling,
            None => self.windows.wait(wish, now_ms).await,
        };
        (ruling.state, fault(&ruling))
    }
}

fn fault(ruling: &Ruling) -> Option<Fault> {
    let refusal = ruling.refusal?;
    let (whose, per_minute) = (refusal.whose, refusal.per_minute);
    let mut fault =
        Fault::new(Code::RateLimited, format!("the {whose} may send {per_minute} requests a minute"));
    fault.retry_after_seconds = Some(refusal.wait_seconds);
    Some(fault)
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::rate::Allowance;
    use ruling::Refusal;

    #[test]
    fn a_refusal_says_whose_rate_it_is_and_when_to_come_again() {
        let state =
            RateState { account: Allowance { per_minute: 60, remaining: 0, reset_seconds: 7 }, key: None };
        let refusal = Refusal { whose: "key", per_minute: 60, wait_seconds: 7 };
        let told = fault(&Ruling { state, refusal: Some(refusal) }).unwrap();
        assert_eq!((told.code, told.retry_after_seconds), (Code::RateLimited, Some(7)));
        assert!(told.detail.contains("the key may send 60 requests"), "{}", told.detail);
        assert!(fault(&Ruling { state, refusal: None }).is_none());
    }
}
