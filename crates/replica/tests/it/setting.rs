//! A made-up world in a graph, and what follows it.

use crate::support::{graph_db, ledger_db};
use assay_domain::suppression::SuppressionReason;
use assay_domain::{Clock, IdentityKey, MasterKey, NetworkHosts, PersonId};
use assay_engine::Engine;
use assay_replica::{Indexes, Replica};
use assay_store::graph::{
    CompanyWrite, GraphBatch, MatchKeys, NewSuppression, PersonWrite, Rights, SuppressWish,
};
use assay_store::{Database, Graph, Ledger};
use assay_testkit::TestDatabase;
use assay_world::World;
use std::path::PathBuf;
use std::sync::Arc;
use uuid::Uuid;

pub const PEOPLE: u64 = 400;

pub struct Setting {
    pub graph: Graph,
    pub world: World,
    pub folder: PathBuf,
    node: Uuid,
    _graph_db: TestDatabase,
}

impl Drop for Setting {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

impl Setting {
    pub async fn new() -> Self {
        let graph_db = graph_db().await;
        let graph = Graph::connect(&Database::at(&graph_db.url())).await.unwrap();
        let world = World::new(11, PEOPLE, assay_world::DEMO_AS_OF);
        let folder = std::env::temp_dir().join(format!("assay-replica-{}", graph_db.name()));
        Self { graph, world, folder, node: Uuid::from_u128(1), _graph_db: graph_db }
    }

    pub fn person(&self, number: u64) -> PersonWrite {
        let person = self.world.person(number);
        PersonWrite {
            id: person.id,
            facts: person.facts,
            experience: person.experience,
            provenance: person.provenance,
            refreshed_at: person.refreshed_at,
            identities: Vec::new(),
            match_keys: MatchKeys::default(),
            rights: Rights::default(),
        }
    }

    pub fn company(&self, number: u64) -> CompanyWrite {
        let company = self.world.company(number);
        CompanyWrite {
            id: company.id,
            facts: company.facts,
            provenance: company.provenance,
            refreshed_at: company.refreshed_at,
            identities: Vec::new(),
            match_keys: MatchKeys::default(),
            rights: Rights::default(),
        }
    }

    pub async fn write(&self, people: Vec<PersonWrite>, companies: Vec<CompanyWrite>) {
        self.graph.write(GraphBatch { companies, people }).await.unwrap();
        self.graph.sequence(self.node).await.unwrap();
    }

    pub async fn write_everybody(&self) {
        let companies = (0..self.world.company_count()).map(|number| self.company(number)).collect();
        self.write((0..PEOPLE).map(|number| self.person(number)).collect(), companies).await;
    }

    pub async fn erase(&self, person: PersonId) {
        let wish = SuppressWish {
            entries: vec![NewSuppression::of_person(person)],
            reason: SuppressionReason::Request,
            at: Clock::system().now(),
            seal_hashes: Arc::new(|_| Vec::new()),
            match_keys: Arc::new(|_, _| Vec::new()),
        };
        self.graph.suppress(&wish).await.unwrap();
        self.graph.sequence(self.node).await.unwrap();
    }

    pub fn replica(&self) -> Replica {
        Replica::open(self.graph.clone(), &self.folder, 2).unwrap()
    }

    pub async fn indexes(&self) -> Arc<Indexes> {
        let replica = self.replica();
        replica.turn().await.unwrap();
        replica.indexes().unwrap()
    }

    /// What asks; of the ledger it needs nothing here but that there is one.
    pub async fn engine(&self) -> (Engine, TestDatabase) {
        let ledger_db = ledger_db().await;
        let ledger = Ledger::connect(&Database::at(&ledger_db.url()), Clock::system()).await.unwrap();
        let identity = IdentityKey::new(MasterKey::parse(&"3c".repeat(32)).unwrap().derive("identity"));
        (Engine::new(self.graph.clone(), ledger, identity, NetworkHosts::default()), ledger_db)
    }
}
