//! The two indexes of one generation, and how far they have read the change log.

use crate::error::ReplicaError;
use crate::kept;
use crate::snapshots::Manifest;
use assay_index::{Changes, Document, Index, Mark};
use chrono::{DateTime, Utc};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use uuid::Uuid;

const PEOPLE: &str = "people";
const COMPANIES: &str = "companies";
const KNOWN_SINCE: &str = "known-since";
/// So often the companies' index may stay as it is before it is committed all the same.
const COMPANIES_IDLE_MAX: u32 = 50;

/// People and companies as of one entry of one log.
#[derive(Debug)]
pub struct Indexes {
    pub people: Index,
    pub companies: Index,
    pub epoch: Uuid,
    /// From here on it is known of each document which entry it came with.
    pub known_since: i64,
    seq: AtomicI64,
    /// How often changes came without one of a company since the companies' index was committed.
    companies_idle: AtomicU32,
    pub(crate) folder: PathBuf,
}

impl Indexes {
    /// Begins empty ones in a folder of their own.
    pub(crate) fn create(
        folder: &Path,
        partitions: usize,
        epoch: Uuid,
        known_since: i64,
    ) -> Result<Self, ReplicaError> {
        std::fs::create_dir_all(folder)?;
        kept::begin(folder)?;
        std::fs::write(folder.join(KNOWN_SINCE), known_since.to_string())?;
        Ok(Self {
            people: Index::open(&folder.join(PEOPLE), partitions)?,
            companies: Index::open(&folder.join(COMPANIES), partitions)?,
            epoch,
            known_since,
            seq: AtomicI64::new(0),
            companies_idle: AtomicU32::new(COMPANIES_IDLE_MAX),
            folder: folder.to_owned(),
        })
    }

    /// Opens what was made before; none if it was not finished, or is not whole.
    pub(crate) fn open(folder: &Path, partitions: usize) -> Result<Option<Self>, ReplicaError> {
        let known_since = std::fs::read_to_string(folder.join(KNOWN_SINCE)).ok();
        let Some(known_since) = known_since.and_then(|text| text.parse().ok()) else { return Ok(None) };
        kept::begin(folder)?;
        let people = Index::open(&folder.join(PEOPLE), partitions)?;
        let companies = Index::open(&folder.join(COMPANIES), partitions)?;
        let (Some(one), Some(other)) = (people.mark()?, companies.mark()?) else { return Ok(None) };
        if one.epoch != other.epoch {
            return Ok(None);
        }
        let seq = AtomicI64::new(i64::try_from(one.seq.min(other.seq)).unwrap_or(0));
        let (folder, companies_idle) = (folder.to_owned(), AtomicU32::new(0));
        Ok(Some(Self { people, companies, epoch: one.epoch, known_since, seq, companies_idle, folder }))
    }

    /// Links both as they stand into a folder on the same disk; none if nothing was committed yet.
    pub(crate) fn link(&self, folder: &Path, now: DateTime<Utc>) -> Result<Option<Manifest>, ReplicaError> {
        // The companies first, as when changes are taken in: opened again, these go on from the lower of the two.
        let mut files = Vec::new();
        let mut seq = u64::MAX;
        for (name, index) in [(COMPANIES, &self.companies), (PEOPLE, &self.people)] {
            let Some(linked) = index.snapshot(&folder.join(name))? else { return Ok(None) };
            seq = seq.min(linked.mark.seq);
            files.extend(linked.files.into_iter().map(|(path, size)| (Path::new(name).join(path), size)));
        }
        let known_since = self.known_since.to_string();
        std::fs::write(folder.join(KNOWN_SINCE), &known_since)?;
        files.push((PathBuf::from(KNOWN_SINCE), u64::try_from(known_since.len()).unwrap_or(0)));
        let seq = i64::try_from(seq).unwrap_or(0);
        Ok(Some(Manifest { made_at: now, epoch: self.epoch, seq, files }))
    }

    /// How far both have read.
    pub fn seq(&self) -> i64 {
        self.seq.load(Ordering::Acquire)
    }

    /// Takes changes in. Companies first: when the people are in, all of it is. Most changes are of people alone: the other
    /// index is committed now and then, only so that whoever opens it again has little to read a second time.
    pub(crate) fn apply(&self, people: &Batch, companies: &Batch, seq: i64) -> Result<(), ReplicaError> {
        let mark = Mark { epoch: self.epoch, seq: u64::try_from(seq).unwrap_or(0) };
        let idle = self.companies_idle.fetch_add(1, Ordering::Relaxed);
        if !companies.is_empty() || idle >= COMPANIES_IDLE_MAX {
            self.companies.apply(&companies.changes(mark))?;
            self.companies_idle.store(0, Ordering::Relaxed);
        }
        self.people.apply(&people.changes(mark))?;
        self.seq.store(seq, Ordering::Release);
        Ok(())
    }
}

/// What changes in one index.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) put: Vec<Document>,
    pub(crate) delete: Vec<Uuid>,
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.put.is_empty() && self.delete.is_empty()
    }

    fn changes(&self, mark: Mark) -> Changes<'_> {
        Changes { put: &self.put, delete: &self.delete, mark }
    }
}
