//! A node's replica: one generation of indexes that answers while it follows the log, and another in its place when the log
//! is no longer the one it has read.

use crate::error::ReplicaError;
use crate::follow::blocking;
use crate::indexes::Indexes;
use crate::kept;
use crate::snapshots::{Snapshot, Snapshots};
use assay_domain::limits::{INDEX_FOLLOW_BATCH, INDEX_SETTLE_LOOKS_MAX, SEQUENCER_IDLE};
use assay_store::Graph;
use assay_store::graph::Followed;
use chrono::{DateTime, Utc};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;
use uuid::Uuid;

/// How the folder of a generation is called, before its own name. Whatever else lies beside them is not ours to touch.
pub(crate) const GENERATION: &str = "generation-";

#[derive(Debug)]
pub struct Replica {
    pub(crate) graph: Graph,
    pub(crate) folder: PathBuf,
    partitions: usize,
    /// Held as long as this lives: what another node keeps in the same folder would look like something left over.
    _lock: File,
    snapshots: Option<Snapshots>,
    indexes: RwLock<Option<Arc<Indexes>>>,
    /// Of what log and how far it had read when it was kept last.
    pub(crate) kept_at: Mutex<Option<(Uuid, i64)>>,
}

/// What came of one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// A new generation was filled from the tables.
    Built,
    /// A snapshot was downloaded; the changes since then wait.
    Fetched,
    /// `lagging` means that more changes wait.
    Followed { changes: usize, lagging: bool },
}

impl Replica {
    /// Opens what an earlier run has left, if it can be used.
    pub fn open(graph: Graph, folder: &Path, partitions: usize) -> Result<Self, ReplicaError> {
        std::fs::create_dir_all(folder)?;
        let lock = lock(folder)?;
        let whole = folders_called(GENERATION, folder)?.into_iter().filter(|path| kept::is_whole(path));
        let opened = match newest(whole, partitions) {
            Some(indexes) => Some(indexes),
            None => newest(kept::go_on_from_kept(folder)?.into_iter(), partitions),
        };
        let replica = Self {
            graph,
            folder: folder.to_owned(),
            partitions,
            _lock: lock,
            snapshots: None,
            indexes: RwLock::new(opened.map(Arc::new)),
            kept_at: Mutex::default(),
        };
        replica.remove_others()?;
        Ok(replica)
    }

    /// With a place for snapshots: a new generation begins with the newest one, where there is one of the same log.
    pub fn with_snapshots(self, snapshots: Option<Snapshots>) -> Self {
        Self { snapshots, ..self }
    }

    /// What answers now; none until the first generation is filled.
    pub fn indexes(&self) -> Option<Arc<Indexes>> {
        self.indexes.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes in the next changes, or fills a new generation where there is none or the log is another.
    pub async fn turn(&self) -> Result<Turn, ReplicaError> {
        let Some(indexes) = self.indexes() else { return self.renew().await };
        match self.graph.changes_after(indexes.epoch, indexes.seq(), INDEX_FOLLOW_BATCH).await? {
            Followed::EpochChanged(_) => self.renew().await,
            Followed::Changes(changes) => {
                let count = changes.rows.len();
                let lagging = i64::try_from(count).is_ok_and(|count| count >= INDEX_FOLLOW_BATCH);
                self.take_in(&indexes, changes.rows).await?;
                Ok(Turn::Followed { changes: count, lagging })
            }
        }
    }

    async fn renew(&self) -> Result<Turn, ReplicaError> {
        let folder = self.folder.join(format!("{GENERATION}{}", Uuid::now_v7()));
        let fetched = self.fetch(&folder).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "no snapshot of the index can be used; it is filled from the tables");
            None
        });
        let (indexes, turn) = match fetched {
            Some(indexes) => (indexes, Turn::Fetched),
            None => {
                drop(tokio::fs::remove_dir_all(&folder).await);
                (self.fill(&folder, self.partitions).await?, Turn::Built)
            }
        };
        let indexes = Arc::new(indexes);
        self.catch_up(&indexes).await?;
        *self.indexes.write().unwrap_or_else(PoisonError::into_inner) = Some(indexes);
        self.remove_others()?;
        // Of another log, and with words of people who may have been erased.
        kept::remove_kept(&self.folder, None)?;
        Ok(turn)
    }

    /// Indexes out of the newest snapshot; none if it is of another log.
    async fn fetch(&self, folder: &Path) -> Result<Option<Indexes>, ReplicaError> {
        let Some(snapshots) = &self.snapshots else { return Ok(None) };
        let Some(newest) = snapshots.newest().await? else { return Ok(None) };
        if newest.manifest.epoch != self.graph.log_head().await?.epoch {
            return Ok(None);
        }
        snapshots.fetch(&newest, folder).await?;
        let (folder, partitions) = (folder.to_owned(), self.partitions);
        blocking(move || Indexes::open(&folder, partitions)).await
    }

    /// Makes a snapshot for other nodes, unless there is one that is younger than `every`; any node may.
    pub async fn publish(
        &self,
        every: Duration,
        now: DateTime<Utc>,
    ) -> Result<Option<Snapshot>, ReplicaError> {
        let (Some(snapshots), Some(indexes)) = (&self.snapshots, self.indexes()) else { return Ok(None) };
        let newest = snapshots.newest().await?.filter(|newest| newest.manifest.epoch == indexes.epoch);
        let age = newest.map(|newest| (now - newest.manifest.made_at).to_std().unwrap_or_default());
        if age.is_some_and(|age| age < every) {
            return Ok(None);
        }
        let scratch = self.folder.join(format!("{GENERATION}{}", Uuid::now_v7()));
        snapshots.publish(&indexes, &scratch, now).await
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
        for path in folders_called(GENERATION, &self.folder)? {
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

/// Of several the one that has read furthest. One that cannot be read is as good as none: it is filled anew.
fn newest(generations: impl Iterator<Item = PathBuf>, partitions: usize) -> Option<Indexes> {
    let opened = generations.filter_map(|path| {
        Indexes::open(&path, partitions).unwrap_or_else(|error| {
            tracing::warn!(%error, "an index is thrown away");
            None
        })
    });
    opened.max_by_key(Indexes::seq)
}

pub(crate) fn folders_called(beginning: &str, folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() && entry.file_name().to_string_lossy().starts_with(beginning) {
            paths.push(entry.path());
        }
    }
    Ok(paths)
}
