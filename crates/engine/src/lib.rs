//! Floor 3: the questions. What is asked of the graph, and how sure the answer is; no HTTP, no money.

pub mod alike;
mod erase;
mod error;
pub mod identities;
pub mod import;
pub mod likeness;
pub mod matching;
mod resolve;

pub use assay_store::graph::Sighting;
pub use erase::{Erased, Eraser, Listed, Unwanted};
pub use error::EngineError;
pub use resolve::{CompanyQuery, Found, PersonQuery};

use assay_domain::{Company, CompanyId, IdentityKey, NetworkHosts, Person, PersonId};
use assay_store::{Graph, Ledger};

/// The handles every question needs.
#[derive(Debug, Clone)]
pub struct Engine {
    graph: Graph,
    /// Of the ledger the engine knows only how to make it forget.
    eraser: Eraser,
    identity: IdentityKey,
    hosts: NetworkHosts,
}

impl Engine {
    pub fn new(graph: Graph, ledger: Ledger, identity: IdentityKey, hosts: NetworkHosts) -> Self {
        let eraser = Eraser::new(graph.clone(), ledger);
        Self { graph, eraser, identity, hosts }
    }

    /// The hosts whose profile addresses are understood.
    pub fn hosts(&self) -> &NetworkHosts {
        &self.hosts
    }

    /// The people with these ids that still exist, in no order.
    pub async fn people(&self, ids: &[PersonId]) -> Result<Vec<Person>, EngineError> {
        Ok(self.graph.people_by_ids(ids).await?)
    }

    pub async fn companies(&self, ids: &[CompanyId]) -> Result<Vec<Company>, EngineError> {
        Ok(self.graph.companies_by_ids(ids).await?)
    }
}
