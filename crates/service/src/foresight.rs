//! What a call is about to cost, as it is known before its rows are read: the charge is begun meanwhile, and made when they are there.
//!
//! An endpoint says what it expects and hears nothing back. Where it comes to something else, or to nothing, what was begun is forgotten,
//! and the call is charged for as any other.

use crate::endpoint::{Tally, Trace};
use crate::settle::Charge;
use assay_store::Ledger;
use assay_store::ledger::{Begun, KeyRecord};
use std::sync::{Arc, Mutex, PoisonError};

/// By default nothing is begun.
#[derive(Debug, Clone, Default)]
pub struct Foresight(Option<Arc<Till>>);

#[derive(Debug)]
struct Till {
    ledger: Ledger,
    key: Arc<KeyRecord>,
    charge: Charge,
    begun: Mutex<Option<Begun>>,
}

impl Foresight {
    pub(crate) fn of(ledger: Ledger, key: Arc<KeyRecord>, charge: Charge) -> Self {
        Self(Some(Arc::new(Till { ledger, key, charge, begun: Mutex::default() })))
    }

    /// To be told as soon as it is known what an answer will have, if nothing happens to its rows.
    pub fn foresee(&self, units: usize, trace: impl FnOnce() -> Trace) {
        let Some(till) = &self.0 else { return };
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        let tally = Tally { ran: true, units, trace: trace(), deed: None };
        let settle = till.charge.settle(&till.key, tally, None, None);
        *till.begun() = till.ledger.begin(till.key.account, settle);
    }

    pub(crate) fn take(&self) -> Option<Begun> {
        self.0.as_ref()?.begun().take()
    }
}

impl Till {
    fn begun(&self) -> std::sync::MutexGuard<'_, Option<Begun>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
