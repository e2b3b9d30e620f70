//! What can be said of a record before anything is read from the database: worked out ahead of its turn, while the batch
//! before it is being written.

use super::employers::JobKey;
use super::record::{PersonRecord, RecordJob};
use super::somebody::{base_profile, hash_of, workplace_of};
use crate::matching::{Profile, Workplace};
use crate::{Engine, identities};
use assay_domain::{Digest, IdentityKey};
use assay_store::graph::Source;

/// Reads records of one source. It may do so on another thread than the one that imports them.
#[derive(Debug, Clone)]
pub struct RecordReader {
    identity: IdentityKey,
    source: String,
}

/// A record, and what is known of it without asking anybody.
#[derive(Debug, Clone)]
pub struct PersonReading {
    pub(super) record: PersonRecord,
    pub(super) content: RecordContent,
    /// What identifies whom it is about.
    pub(super) digests: Vec<Digest>,
    /// Without workplaces: which companies are meant is in the database.
    pub(super) profile: Profile,
    /// The company of an address, where no job names one.
    pub(super) by_address: Option<RecordJob>,
    /// Of each job, and of that one.
    pub(super) workplaces: Vec<Workplace>,
    pub(super) employers: Vec<JobKey>,
    /// Whatever is random in the id of somebody who is new with this record.
    pub(super) id_seed: [[u8; 8]; 2],
}

/// A record as it is stored, and its hash.
#[derive(Clone)]
pub(super) struct RecordContent {
    pub(super) text: String,
    pub(super) hash: [u8; 16],
}

/// Debug output may reach a log, and a record is personal.
impl std::fmt::Debug for RecordContent {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("RecordContent(…)")
    }
}

impl RecordContent {
    pub(super) fn of(record: &PersonRecord) -> Self {
        // A record of facts and dates has JSON; the store refuses what cannot be stored.
        let text = serde_json::to_string(record).unwrap_or_default();
        Self { hash: hash_of(&text), text }
    }
}

impl Engine {
    pub fn record_reader(&self, source: &Source) -> RecordReader {
        RecordReader { identity: self.identity.clone(), source: source.name.clone() }
    }
}

impl PersonReading {
    /// Those of the record, and the one of the address.
    pub(super) fn jobs(&self) -> impl Iterator<Item = &RecordJob> {
        self.record.jobs.iter().chain(&self.by_address)
    }
}

impl RecordReader {
    pub fn read(&self, record: PersonRecord) -> PersonReading {
        let digests = identities::of_person(&self.identity, &record.facts, None);
        // The same for the same record of the same source, so that an import that is done again makes nobody anew.
        let seed = |rule: &'static [u8]| {
            self.identity
                .match_key(&[rule, self.source.as_bytes(), record.reference.as_bytes()])
                .to_be_bytes()
        };
        let by_address = record.job_by_address();
        PersonReading {
            content: RecordContent::of(&record),
            digests: digests.into_iter().map(|(digest, _)| digest).collect(),
            profile: base_profile(&record),
            workplaces: record.jobs.iter().chain(&by_address).map(workplace_of).collect(),
            employers: record.jobs.iter().chain(&by_address).map(JobKey::of).collect(),
            by_address,
            id_seed: [seed(b"person-id"), seed(b"person-id-2")],
            record,
        }
    }
}
