//! Upstreams: vendors are asked one after the other, the cheapest for a verified answer first, until one is good enough.
//!
//! What they say is kept with its rights: an answer that may not be shared, or was paid for with an account's own key, is seen
//! by that account alone. An error is never a miss: only who was asked and has nothing says that there is nothing.

mod cascade;
mod companies;
mod emails;
mod flights;
mod kept;
mod learnt;
pub mod order;
mod people;
mod phones;
mod roster;
mod verdicts;

pub use assay_sources::Subject;
pub use cascade::{Trail, UpstreamStep};
pub use emails::EmailAsk;
pub use kept::Keeping;
pub use people::RecordSearch;
pub use phones::{PhoneFound, PhoneQuery, PhoneSearch};
pub use roster::{Provider, ProviderFault, Roster};

use crate::EngineError;
use assay_domain::limits::PROVIDERS_EVERY;
use assay_domain::{AccountId, Lookup, Sealer};
use assay_sources::Client;
use assay_store::{Graph, Ledger, task};
use flights::Flights;
use learnt::Learnt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Whom to ask beside ourselves. Cheap to clone; clones share what is learnt.
#[derive(Debug, Clone)]
pub struct Upstreams(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    graph: Graph,
    ledger: Ledger,
    sealer: Sealer,
    client: Client,
    roster: RwLock<Arc<Roster>>,
    learnt: Mutex<Learnt>,
    flights: Flights,
}

impl Upstreams {
    /// Knows nobody before its first look. `sealer` opens the vendors' keys.
    pub fn new(graph: Graph, ledger: Ledger, sealer: Sealer, client: Client) -> Self {
        let inner = Inner {
            graph,
            ledger,
            sealer,
            client,
            roster: RwLock::default(),
            learnt: Mutex::default(),
            flights: Flights::default(),
        };
        Self(Arc::new(inner))
    }

    /// Looks again and again at what is set about vendors, and shares what is learnt, until the last handle is gone.
    pub fn watch(&self) {
        let watched = Arc::downgrade(&self.0);
        task::spawn("watch-vendors", async move {
            while let Some(inner) = watched.upgrade() {
                if let Err(error) = Self(inner).look().await {
                    tracing::warn!(%error, "cannot see what is set about vendors; what was seen before holds");
                }
                tokio::time::sleep(PROVIDERS_EVERY).await;
            }
        });
    }

    /// Looks now.
    pub async fn look(&self) -> Result<(), EngineError> {
        let roster = Roster::of(self.0.ledger.providers().await?, &self.0.sealer);
        *self.0.roster.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(roster);
        self.share_lessons().await
    }

    pub fn roster(&self) -> Arc<Roster> {
        Arc::clone(&self.0.roster.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether anybody could be asked for this on behalf of an account.
    pub fn can_ask(&self, lookup: Lookup, asker: AccountId) -> bool {
        !self.roster().able(lookup, asker).is_empty()
    }
}
