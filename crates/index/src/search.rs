//! The index: partitions by the hash of the id, asked side by side.

use crate::document::{Document, Place};
use crate::error::IndexError;
use crate::partition::Partition;
use crate::question::Question;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;
use uuid::Uuid;

/// How far an index has read: an entry of one change log, which a restored database begins anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    pub epoch: Uuid,
    pub seq: u64,
}

impl Mark {
    pub(crate) fn write(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(crate) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// What to change, and how far the index then is.
#[derive(Debug)]
pub struct Changes<'a> {
    pub put: &'a [Document],
    pub delete: &'a [Uuid],
    pub mark: Mark,
}

/// Which part of an answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Documents behind this one; from the beginning if there is none.
    pub after: Option<Place>,
    pub limit: usize,
    /// Counting ends here, as soon as the page is full.
    pub count_to: u64,
    /// Only documents that have not changed since this entry of the log: who has moved meanwhile could come twice.
    pub unchanged_since: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hits {
    pub rows: Vec<Place>,
    /// How many documents were counted from the page's beginning: all there are if it is below the page's `count_to`.
    pub counted: u64,
}

/// An index of people or of companies.
#[derive(Debug)]
pub struct Index {
    pub(crate) partitions: Vec<Partition>,
    pub(crate) threads: rayon::ThreadPool,
    /// Questions do not wait behind changes.
    writing: rayon::ThreadPool,
}

impl Index {
    /// Opens the index in a folder, or begins an empty one. The number of partitions is decided once, for an empty one.
    pub fn open(folder: &Path, partitions: usize) -> Result<Self, IndexError> {
        let there = (0..).take_while(|number| partition_folder(folder, *number).is_dir()).count();
        let partitions = if there > 0 { there } else { partitions.max(1) };
        let opened: Result<Vec<_>, _> =
            (0..partitions).map(|number| Partition::open(&partition_folder(folder, number))).collect();
        Ok(Self {
            partitions: opened?,
            threads: pool("asking", partitions)?,
            writing: pool("writing", partitions)?,
        })
    }

    /// How far all partitions have read; none if one of them has read nothing, or they disagree on what.
    pub fn mark(&self) -> Result<Option<Mark>, IndexError> {
        let mut least: Option<Mark> = None;
        for partition in &self.partitions {
            let Some(mark) = partition.mark()? else { return Ok(None) };
            least = match least {
                Some(other) if other.epoch != mark.epoch => return Ok(None),
                Some(other) if other.seq <= mark.seq => Some(other),
                _ => Some(mark),
            };
        }
        Ok(least)
    }

    /// Makes changes visible, and there for whoever opens it next, unless the machine fails before it has written them to the disk.
    /// A crash between two partitions leaves one ahead; making the same changes again is harmless.
    pub fn apply(&self, changes: &Changes<'_>) -> Result<(), IndexError> {
        let count = self.partitions.len();
        self.writing.install(|| {
            self.partitions.par_iter().enumerate().try_for_each(|(number, partition)| {
                let put = changes.put.iter().filter(|one| home(one.place.id, count) == number);
                let delete = changes.delete.iter().copied().filter(|id| home(*id, count) == number);
                partition.apply(put, delete, &changes.mark)
            })
        })
    }

    /// Adds documents of which none is there yet. Nothing of it is seen, or survives, before changes are made to it.
    pub fn fill(&self, documents: &[Document]) -> Result<(), IndexError> {
        let count = self.partitions.len();
        self.writing.install(|| {
            self.partitions.par_iter().enumerate().try_for_each(|(number, partition)| {
                partition.fill(documents.iter().filter(|one| home(one.place.id, count) == number))
            })
        })
    }

    /// Runs work on the threads that ask, where asking again needs no other. Of work that panics nothing is heard.
    pub fn spawn(&self, work: impl FnOnce() + Send + 'static) {
        self.threads.spawn(work);
    }

    pub fn search(&self, question: &Question, page: &Page) -> Result<Hits, IndexError> {
        let each = self.threads.install(|| {
            let found = self.partitions.par_iter().map(|partition| partition.search(question, page));
            found.collect::<Result<Vec<_>, _>>()
        })?;
        let counted = each.iter().map(|found| found.count).sum();
        let mut rows: Vec<Place> = each.into_iter().flat_map(|found| found.rows).collect();
        rows.sort_unstable();
        rows.truncate(page.limit);
        Ok(Hits { rows, counted })
    }

    /// All documents that a question meets.
    pub fn count(&self, question: &Question) -> Result<u64, IndexError> {
        self.threads.install(|| {
            let counts = self.partitions.par_iter().map(|partition| partition.count(question));
            counts.try_reduce(|| 0, |one, other| Ok(one + other))
        })
    }
}

/// As many threads as there are partitions.
fn pool(purpose: &'static str, partitions: usize) -> Result<rayon::ThreadPool, IndexError> {
    let named = move |number| format!("{purpose}-{number}");
    let builder = rayon::ThreadPoolBuilder::new().num_threads(partitions).thread_name(named);
    // Rayon would end the process; what has panicked says so itself, and whoever waits for it hears that it is gone.
    let builder = builder.panic_handler(drop);
    Ok(builder.build().map_err(std::io::Error::other)?)
}

pub(crate) fn partition_folder(folder: &Path, number: usize) -> std::path::PathBuf {
    folder.join(format!("partition-{number}"))
}

/// The partition of an id. The last bits of one are random, whatever its first ones say of when it was made.
fn home(id: Uuid, partitions: usize) -> usize {
    let (_, low) = id.as_u64_pair();
    let partitions = u64::try_from(partitions).unwrap_or(1).max(1);
    usize::try_from(low % partitions).unwrap_or(0)
}
