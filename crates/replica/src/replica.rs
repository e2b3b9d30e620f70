//! A node's replica: one generation of indexes that answers while it follows the log, and another in its place when the log
//! is no longer the one it has read.

use crate::error::ReplicaError;
use crate::indexes::Indexes;
use assay_domain::limits::{INDEX_FOLLOW_BATCH, INDEX_SETTLE_LOOKS_MAX, SEQUENCER_IDLE};
use assay_store::Graph;
use assay_store::graph::Followed;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use uuid::Uuid;

/// How the folder of a generation is called, before its own name. Whatever else lies beside them is not ours to touch.
const GENERATION: &str = "generation-";

#[derive(Debug)]
pub struct Replica {
    pub(crate) graph: Graph,
    folder: PathBuf,
    partitions: usize,
    /// Held as long as this lives: what another node keeps in the same folder would look like something left over.
    _lock: File,
    indexes: RwLock<Option<Arc<Indexes>>>,
}

/// What came of one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// A new generation was filled from the tables.
    Built,
    /// `lagging` means that more changes wait.
    Followed { changes: usize, lagging: bool },
}

impl Replica {
    /// Opens what an earlier run has left, if it can be used.
    pub fn open(graph: Graph, folder: &Path, partitions: usize) -> Result<Self, ReplicaError> {
        std::fs::create_dir_all(folder)?;
        let lock = lock(folder)?;
        let mut newest: Option<Indexes> = None;
        for path in generations(folder)? {
            // One that cannot be read is as good as none: it is filled anew.
            let opened = Indexes::open(&path, partitions).unwrap_or_else(|error| {
                tracing::warn!(%error, "an index is thrown away");
                None
            });
            newest = match (newest, opened) {
                (Some(one), Some(other)) if one.seq() >= other.seq() => Some(one),
                (one, other) => other.or(one),
            };
        }
        let replica = Self {
            graph,
            folder: folder.to_owned(),
            partitions,
            _lock: lock,
            indexes: RwLock::new(newest.map(Arc::new)),
        };
        replica.remove_others()?;
        Ok(replica)
    }

    /// What answers now; none until the first generation is filled.
    pub fn indexes(&self) -> Option<Arc<Indexes>> {
        self.indexes.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes in the next changes, or fills a new generation where there is none or the log is another.
    pub async fn turn(&self) -> Result<Turn, ReplicaError> {
        let Some(indexes) = self.indexes() else { return self.build().await };
        match self.graph.changes_after(indexes.epoch, indexes.seq(), INDEX_FOLLOW_BATCH).await? {
            Followed::EpochChanged(_) => self.build().await,
            Followed::Changes(changes) => {
                let count = changes.rows.len();
                let lagging = i64::try_from(count).is_ok_and(|count| count >= INDEX_FOLLOW_BATCH);
                self.take_in(&indexes, changes.rows).await?;
                Ok(Turn::Followed { changes: count, lagging })
            }
        }
    }

    async fn build(&self) -> Result<Turn, ReplicaError> {
        let folder = self.folder.join(format!("{GENERATION}{}", Uuid::now_v7()));
        let built = Arc::new(self.fill(&folder, self.partitions).await?);
        self.catch_up(&built).await?;
        *self.indexes.write().unwrap_or_else(PoisonError::into_inner) = Some(built);
        self.remove_others()?;
        Ok(Turn::Built)
    }

    /// Takes in what changed while a generation was filled, before anybody is answered from it. Records were read that the log
    /// had no entry of yet; until those are in, the generation does not know when the records changed, and a page that goes on
    /// could show somebody twice. Where nobody numbers changes, it does without after a while.
    async fn catch_up(&self, built: &Arc<Indexes>) -> Result<(), ReplicaError> {
        let mut looks = INDEX_SETTLE_LOOKS_MAX;
        loop {
            let is_waiting = self.graph.has_unsequenced().await?;
            while let Followed::Changes(changes) =
                self.graph.changes_after(built.epoch, built.seq(), INDEX_FOLLOW_BATCH).await?
                && !changes.rows.is_empty()
            {
                self.take_in(built, changes.rows).await?;
            }
            looks -= 1;
            if !is_waiting || looks == 0 {
                return Ok(());
            }
            tokio::time::sleep(SEQUENCER_IDLE).await;
        }
    }

    /// Removes all generations but the one that answers. Files that somebody still reads stay until they are done with them.
    fn remove_others(&self) -> Result<(), ReplicaError> {
        let present = self.indexes().map(|indexes| indexes.folder.clone());
        for path in generations(&self.folder)? {
            if Some(&path) != present.as_ref() {
                std::fs::remove_dir_all(&path)?;
            }
        }
        Ok(())
    }
}

/// The folder itself is what is locked, until this process ends, however it does.
fn lock(folder: &Path) -> Result<File, ReplicaError> {
    let opened = File::open(folder)?;
    match opened.try_lock() {
        Ok(()) => Ok(opened),
        Err(TryLockError::WouldBlock) => Err(ReplicaError::InUse),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

fn generations(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() && entry.file_name().to_string_lossy().starts_with(GENERATION) {
            paths.push(entry.path());
        }
    }
    Ok(paths)
}
