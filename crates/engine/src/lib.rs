//! Floor 3: the questions. What is asked of the graph, and how sure the answer is; no HTTP, no money.

pub mod alike;
mod erase;
mod error;
pub mod finder;
pub mod identities;
pub mod import;
pub mod likeness;
pub mod mail;
pub mod matching;
pub mod newsroom;
pub mod research;
mod resolve;
pub mod signals;
pub mod upstream;

pub use assay_store::graph::Sighting;
pub use erase::{Erased, Listed, Settled, Unwanted};
pub use error::EngineError;
pub use resolve::{CompanyQuery, Found, PersonQuery};

use assay_domain::{AccountId, Company, CompanyId, IdentityKey, Lookup, NetworkHosts, Person, PersonId};
use assay_store::graph::{EmployerText, PersonText};
use assay_store::{Graph, Ledger};
use erase::Eraser;
use mail::Mailroom;
use std::collections::{HashMap, HashSet};
use upstream::Upstreams;

/// The handles every question needs.
#[derive(Debug, Clone)]
pub struct Engine {
    graph: Graph,
    /// Of the ledger the engine knows only how to make it forget.
    eraser: Eraser,
    identity: IdentityKey,
    hosts: NetworkHosts,
    mailroom: Option<Mailroom>,
    upstreams: Option<Upstreams>,
}

impl Engine {
    pub fn new(graph: Graph, ledger: Ledger, identity: IdentityKey, hosts: NetworkHosts) -> Self {
        let eraser = Eraser::new(graph.clone(), ledger);
        Self { graph, eraser, identity, hosts, mailroom: None, upstreams: None }
    }

    /// With somebody to ask about addresses.
    #[must_use]
    pub fn with_mailroom(self, mailroom: Mailroom) -> Self {
        Self { mailroom: Some(mailroom), ..self }
    }

    /// With vendors to ask for what we do not know ourselves.
    #[must_use]
    pub fn with_upstreams(self, upstreams: Upstreams) -> Self {
        Self { upstreams: Some(upstreams), ..self }
    }

    /// Whether a vendor could be asked for this on behalf of an account.
    pub fn can_ask(&self, lookup: Lookup, asker: AccountId) -> bool {
        self.upstreams.as_ref().is_some_and(|upstreams| upstreams.can_ask(lookup, asker))
    }

    pub fn upstreams(&self) -> Option<&Upstreams> {
        self.upstreams.as_ref()
    }

    /// Who is asked about addresses; none in a program that answers no calls.
    pub fn mailroom(&self) -> Option<&Mailroom> {
        self.mailroom.as_ref()
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

    /// The people with these ids as `asker` may see them, in the order of the ids. Whoever was erased is not there, nor is
    /// whoever is another by now: they have an id of their own to be found under.
    pub async fn people_seen_by(
        &self,
        asker: AccountId,
        ids: &[PersonId],
    ) -> Result<Vec<Person>, EngineError> {
        let mut people = self.graph.people_by_ids(ids).await?;
        let asked: HashSet<PersonId> = ids.iter().copied().collect();
        people.retain(|person| asked.contains(&person.id) && may_see(person.owner, asker));
        Ok(people)
    }

    /// The same people, as the text that is kept of them and without their employers.
    pub async fn people_told_to(
        &self,
        asker: AccountId,
        ids: &[PersonId],
    ) -> Result<Vec<PersonText>, EngineError> {
        let mut people = self.graph.people_texts_by_ids(ids).await?;
        let asked: HashSet<PersonId> = ids.iter().copied().collect();
        people.retain(|person| asked.contains(&person.id) && may_see(person.owner, asker));
        Ok(people)
    }

    /// The companies with these ids as people's records show them: what an employer is called is hidden from nobody who may see
    /// the person.
    pub async fn employers_told(
        &self,
        ids: &[CompanyId],
    ) -> Result<HashMap<CompanyId, EmployerText>, EngineError> {
        Ok(self.graph.employer_texts_by_ids(ids).await?)
    }

    /// The companies with these ids, in the same way.
    pub async fn companies_seen_by(
        &self,
        asker: AccountId,
        ids: &[CompanyId],
    ) -> Result<Vec<Company>, EngineError> {
        let mut companies = self.graph.companies_by_ids(ids).await?;
        let asked: HashSet<CompanyId> = ids.iter().copied().collect();
        companies.retain(|company| asked.contains(&company.id) && may_see(company.owner, asker));
        Ok(companies)
    }
}

/// What one account brought is seen by no other.
fn may_see(owner: Option<AccountId>, asker: AccountId) -> bool {
    owner.is_none_or(|owner| owner == asker)
}
