//! Batches of made-up records: made on a thread of their own while earlier ones are being written.

use assay_domain::IdentityKey;
use assay_domain::limits::WRITE_BATCH_MAX;
use assay_engine::identities;
use assay_store::graph::{CompanyWrite, GraphBatch, MatchKeys, PersonWrite, Rights};
use assay_world::{SyntheticCompany, SyntheticPerson, World};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Batches made ahead of the writers: enough that none waits, few enough to bound the memory.
const AHEAD: usize = 2;

/// Smaller than a batch may be: several writers then share the work more evenly.
const SIZE: usize = if WRITE_BATCH_MAX < 2_000 { WRITE_BATCH_MAX } else { 2_000 };

/// The batches still to come, each with its number of records.
pub struct Batches(mpsc::Receiver<(u64, GraphBatch)>);

impl Batches {
    pub async fn next(&mut self) -> Option<(u64, GraphBatch)> {
        self.0.recv().await
    }

    pub fn of_companies(world: Arc<World>, key: IdentityKey) -> Self {
        Self::make(world.company_count(), move |indexes| GraphBatch {
            companies: indexes.map(|index| write_company(&key, world.company(index))).collect(),
            people: Vec::new(),
        })
    }

    pub fn of_people(world: Arc<World>, key: IdentityKey) -> Self {
        let mut employers = Employers { world: Arc::clone(&world), last: HashMap::new() };
        Self::make(world.people_count(), move |indexes| GraphBatch {
            companies: Vec::new(),
            people: indexes
                .clone()
                .zip(world.people(indexes))
                .map(|(index, person)| write_person(&key, employers.of(index), person))
                .collect(),
        })
    }

    fn make(count: u64, mut batch: impl FnMut(std::ops::Range<u64>) -> GraphBatch + Send + 'static) -> Self {
        let (sender, receiver) = mpsc::channel(AHEAD);
        let size = u64::try_from(SIZE).unwrap_or(1);
        tokio::task::spawn_blocking(move || {
            let mut start = 0;
            while start < count {
                let end = count.min(start + size);
                // Nobody waits any more when a write failed.
                if sender.blocking_send((end - start, batch(start..end))).is_err() {
                    return;
                }
                start = end;
            }
        });
        Self(receiver)
    }
}

fn write_company(key: &IdentityKey, company: SyntheticCompany) -> CompanyWrite {
    CompanyWrite {
        identities: identities::of_company(key, &company.facts),
        match_keys: MatchKeys { held: identities::keys_of_company(key, &company.facts), dropped: Vec::new() },
        rights: Rights::default(),
        id: company.id,
        facts: company.facts,
        provenance: company.provenance,
        refreshed_at: company.refreshed_at,
    }
}

fn write_person(key: &IdentityKey, employer: &SyntheticCompany, person: SyntheticPerson) -> PersonWrite {
    let employer = (employer.facts.name.as_str(), employer.facts.domain.as_ref());
    PersonWrite {
        identities: identities::of_person(key, &person.facts, Some(employer)),
        match_keys: MatchKeys {
            held: identities::keys_of_person(key, &person.facts, &person.experience),
            dropped: Vec::new(),
        },
        rights: Rights::default(),
        id: person.id,
        facts: person.facts,
        experience: person.experience,
        provenance: person.provenance,
        refreshed_at: person.refreshed_at,
    }
}

/// Colleagues follow each other, so the company made last is nearly always the one wanted.
struct Employers {
    world: Arc<World>,
    last: HashMap<u64, SyntheticCompany>,
}

impl Employers {
    fn of(&mut self, person: u64) -> &SyntheticCompany {
        let index = self.world.employer_index(person);
        if !self.last.contains_key(&index) {
            self.last.clear();
        }
        self.last.entry(index).or_insert_with(|| self.world.company(index))
    }
}
