//! How many long answers are written at once: exports, each of which keeps a page of rows and a connection for as long as its
//! reader takes, and streams of events.

use crate::fault::{Code, Fault};
use assay_domain::{AccountId, limits};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const RETRY_AFTER_SECONDS: u32 = 10;

/// Those that are written by this node, by account.
#[derive(Debug, Clone)]
pub struct Exports {
    running: Arc<Mutex<HashMap<AccountId, usize>>>,
    what: &'static str,
    per_account_max: usize,
    per_node_max: usize,
}

impl Default for Exports {
    fn default() -> Self {
        Self::new("exports", limits::EXPORTS_PER_ACCOUNT_MAX, limits::EXPORTS_PER_NODE_MAX)
    }
}

impl Exports {
    pub fn new(what: &'static str, per_account_max: usize, per_node_max: usize) -> Self {
        Self { running: Arc::default(), what, per_account_max, per_node_max }
    }

    /// A place for one more export of the account, or the reason why there is none.
    pub fn enter(&self, account: AccountId) -> Result<Export, Fault> {
        let mut running = self.lock();
        let own = running.get(&account).copied().unwrap_or(0);
        if own >= self.per_account_max {
            let detail = format!("the account may run {own} {} at once", self.what);
            return Err(refusal(Code::RateLimited, detail));
        }
        if running.values().sum::<usize>() >= self.per_node_max {
            return Err(refusal(Code::Overloaded, format!("too many {} are running", self.what)));
        }
        running.insert(account, own + 1);
        Ok(Export { exports: self.clone(), account })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, usize>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refusal(code: Code, detail: String) -> Fault {
    Fault { retry_after_seconds: Some(RETRY_AFTER_SECONDS), ..Fault::new(code, detail) }
}

/// The place of one running export; free again when dropped.
#[derive(Debug)]
pub struct Export {
    exports: Exports,
    account: AccountId,
}

impl Drop for Export {
    fn drop(&mut self) {
        let mut running = self.exports.lock();
        match running.get_mut(&self.account) {
            Some(own) if *own > 1 => *own -= 1,
            _ => drop(running.remove(&self.account)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;

    fn account() -> AccountId {
        AccountId::mint(DateTime::UNIX_EPOCH)
    }

    #[test]
    fn an_account_has_its_share_and_gets_it_back() {
        let (exports, busy) = (Exports::default(), account());
        let mut own: Vec<Export> =
            (0..limits::EXPORTS_PER_ACCOUNT_MAX).map(|_| exports.enter(busy).unwrap()).collect();
        let refused = exports.enter(busy).unwrap_err();
        assert_eq!((refused.code, refused.retry_after_seconds), (Code::RateLimited, Some(10)));
        exports.enter(account()).unwrap();
        own.pop();
        own.push(exports.enter(busy).unwrap());
        exports.enter(busy).unwrap_err();
        own.clear();
        assert!(exports.lock().is_empty());
    }

    #[test]
    fn a_node_has_a_most_for_all_accounts() {
        let exports = Exports::default();
        let all: Vec<Export> =
            (0..limits::EXPORTS_PER_NODE_MAX).map(|_| exports.enter(account()).unwrap()).collect();
        assert_eq!(exports.enter(account()).unwrap_err().code, Code::Overloaded);
        drop(all);
        exports.enter(account()).unwrap();
    }
}
