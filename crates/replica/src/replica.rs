//! A node's replica: one generation of indexes that answers while it follows the log, and another in its place when the log
//! is no longer the one it has read.

use crate::error::ReplicaError;
use crate::indexes::Indexes;
use assay_domain::limits::INDEX_FOLLOW_BATCH;
use assay_store::Graph;
use assay_store::graph::Followed;
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
        let replica =
            Self { graph, folder: folder.to_owned(), partitions, indexes: RwLock::new(newest.map(Arc::new)) };
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
        let built = self.fill(&folder, self.partitions).await?;
        *self.indexes.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(built));
        self.remove_others()?;
        Ok(Turn::Built)
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
