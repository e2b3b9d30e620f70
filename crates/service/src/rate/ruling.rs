//! One request's wish and what became of it: a request must fit the account's window, and its key's if that has a rate.

use crate::reply::RateState;
use assay_domain::rate::{Verdict, Window};
use assay_domain::{AccountId, KeyId};
use assay_store::ledger::{KeyRecord, WindowId};
use std::collections::HashMap;

pub(super) type WindowMap = HashMap<WindowId, Window>;

/// What a request needs room in.
#[derive(Debug, Clone)]
pub(super) struct Wish {
    pub account: AccountId,
    account_per_minute: u32,
    /// The line of the key: a rotated key and its successor share one rate.
    key: Option<(WindowId, u32)>,
}

/// A request was counted, or refused.
#[derive(Debug)]
pub(super) struct Ruling {
    pub state: RateState,
    pub refusal: Option<Refusal>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Refusal {
    pub whose: &'static str,
    pub per_minute: u32,
    pub wait_seconds: u32,
}

impl Wish {
    pub fn of(key: &KeyRecord) -> Self {
        let own = key.key_requests_per_minute.map(|rate| (key.line.clone(), rate));
        Self::new(key.account, key.plan_requests_per_minute, own)
    }

    pub fn new(account: AccountId, account_per_minute: u32, key: Option<(KeyId, u32)>) -> Self {
        // A rate that is no lower than the account's never refuses what the account's admits.
        let own = key.filter(|(_, rate)| *rate < account_per_minute);
        let key = own.map(|(key, rate)| (WindowId { account, key: Some(key) }, rate));
        Self { account, account_per_minute, key }
    }

    /// The windows and their quotas.
    pub fn windows(&self) -> impl Iterator<Item = (WindowId, u32)> {
        std::iter::once(self.account_window()).chain(self.key.clone())
    }

    /// What `nodes` nodes may do with it now, without doing it.
    pub fn judge(&self, map: &mut WindowMap, now_ms: i64, nodes: u32) -> Verdict {
        let mut all = Verdict::Fits;
        for (id, quota) in self.windows() {
            let window = map.entry(id).or_insert_with(|| Window::new(now_ms));
            all = match (all, window.judge(now_ms, quota, nodes)) {
                (Verdict::Full, _) | (_, Verdict::Full) => Verdict::Full,
                (Verdict::Ask, _) | (_, Verdict::Ask) => Verdict::Ask,
                (Verdict::Fits, Verdict::Fits) => Verdict::Fits,
            };
        }
        all
    }

    /// Counts it, if `admitted`, and says how the windows are now. Calls `due` for those the other nodes should hear of.
    pub fn rule(
        &self,
        map: &mut WindowMap,
        now_ms: i64,
        nodes: u32,
        admitted: bool,
        mut due: impl FnMut(WindowId),
    ) -> Ruling {
        let mut ruled = |(id, quota): (WindowId, u32)| {
            let window = map.entry(id.clone()).or_insert_with(|| Window::new(now_ms));
            let mut refusal = None;
            if admitted {
                window.take();
            } else if window.judge(now_ms, quota, nodes) == Verdict::Full {
                let whose = if id.key.is_some() { "key" } else { "account" };
                let wait_seconds = window.wait_seconds(now_ms, nodes);
                refusal = Some(Refusal { whose, per_minute: quota, wait_seconds });
            }
            if window.should_tell(now_ms, nodes) && window.mark_due() {
                due(id);
            }
            (window.allowance(now_ms, nodes), refusal)
        };
        let (account, mut refusal) = ruled(self.account_window());
        let key = self.key.clone().map(|key| {
            let (allowance, of_key) = ruled(key);
            refusal = refusal.into_iter().chain(of_key).max_by_key(|refusal| refusal.wait_seconds);
            allowance
        });
        if !admitted && refusal.is_none() {
            refusal =
                Some(Refusal { whose: "account", per_minute: self.account_per_minute, wait_seconds: 1 });
        }
        Ruling { state: RateState { account, key }, refusal }
    }

    fn account_window(&self) -> (WindowId, u32) {
        (WindowId { account: self.account, key: None }, self.account_per_minute)
    }
}
