//! The same question to the same vendor, asked by many at once, is asked once: by everybody, or by each account, where the key
//! is the account's own or the vendor's answers may not be shared.

use assay_domain::AccountId;
use assay_sources::{Asked, NotAsked, Question};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Asking = BoxFuture<'static, Result<Asked, NotAsked>>;
type Flight = Shared<Asking>;
type Listed = HashMap<Route, WeakShared<Asking>>;

/// Vendor, for whom, and what is asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Route {
    pub(super) vendor: Arc<str>,
    /// None where the answer may be everybody's.
    pub(super) asker: Option<AccountId>,
    pub(super) question: Question,
}

/// Questions under way. Everybody who waits for one drives it; when the last gives up, it ends.
#[derive(Default)]
pub(super) struct Flights(Mutex<Listed>);

impl std::fmt::Debug for Flights {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Flights")
    }
}

/// What came of it, and whether somebody else has asked.
pub(super) struct Landed {
    pub(super) asked: Result<Asked, NotAsked>,
    pub(super) is_shared: bool,
}

impl Flights {
    pub(super) async fn board(&self, route: Route, ask: impl FnOnce() -> Asking) -> Landed {
        let (flight, is_shared) = self.find(&route, ask);
        let asked = flight.clone().await;
        if !is_shared {
            self.flights().remove(&route);
        }
        Landed { asked, is_shared }
    }

    fn find(&self, route: &Route, ask: impl FnOnce() -> Asking) -> (Flight, bool) {
        let mut flights = self.flights();
        if let Some(flight) = flights.get(route).and_then(WeakShared::upgrade) {
            return (flight, true);
        }
        let flight = ask().shared();
        // Those whose askers have all given up are still listed.
        flights.retain(|_, flight| flight.upgrade().is_some());
        flights.extend(flight.downgrade().map(|weak| (route.clone(), weak)));
        (flight, false)
    }

    fn flights(&self) -> MutexGuard<'_, Listed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
