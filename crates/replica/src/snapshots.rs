//! Snapshots: indexes as they stood at one entry of the log, kept where every node can read them.
//!
//! In a folder or a bucket, it makes no difference here. A snapshot is a folder of files that are written once. Its list of files comes
//! last: one without a list was not finished, and is nobody's. Whoever begins with the newest follows the log from there, which is much quicker than reading all tables.

use crate::error::ReplicaError;
use crate::follow::blocking;
use crate::indexes::Indexes;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{INDEX_COPY_BYTES_PER_SECOND, INDEX_COPY_PART_BYTES, INDEX_SNAPSHOTS_KEPT};
use chrono::{DateTime, Utc};
use futures_util::TryStreamExt;
use object_store::local::LocalFileSystem;
use object_store::path::Path as Location;
use object_store::{GetOptions, GetRange, MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload};
use serde::{Deserialize, Serialize};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use uuid::Uuid;

const MANIFEST: &str = "manifest.json";
/// Timers count milliseconds.
const SHORTEST_WAIT: Duration = Duration::from_millis(5);

/// Where snapshots are kept.
#[derive(Debug, Clone)]
pub struct Snapshots {
    store: Arc<dyn ObjectStore>,
}

/// A snapshot that is whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    location: Location,
    pub manifest: Manifest,
}

/// What a snapshot consists of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub made_at: DateTime<Utc>,
    pub epoch: Uuid,
    pub seq: i64,
    /// Below the snapshot's folder, each with its size.
    pub files: Vec<(PathBuf, u64)>,
}

impl Snapshots {
    /// In a folder that all nodes see; it is made if it is not there.
    pub fn in_folder(folder: &Path) -> Result<Self, ReplicaError> {
        std::fs::create_dir_all(folder)?;
        let store = LocalFileSystem::new_with_prefix(folder)?.with_automatic_cleanup(true);
        Ok(Self { store: Arc::new(store) })
    }

    /// In a bucket that all nodes reach.
    pub fn in_bucket(bucket: Arc<dyn ObjectStore>) -> Self {
        Self { store: bucket }
    }

    /// Uploads indexes as they stand, and removes what is too old. `scratch` is a folder on their disk, empty or not there.
    pub(crate) async fn publish(
        &self,
        indexes: &Arc<Indexes>,
        scratch: &Path,
        now: DateTime<Utc>,
    ) -> Result<Option<Snapshot>, ReplicaError> {
        let (linked, target) = (Arc::clone(indexes), scratch.to_owned());
        let link = move || linked.link(&target, now);
        let published = match blocking(link).await {
            Ok(Some(manifest)) => self.upload(manifest, scratch).await.map(Some),
            Ok(None) => Ok(None),
            Err(error) => Err(error),
        };
        // It may be gone already, with older generations; what is left is removed at the next start.
        drop(tokio::fs::remove_dir_all(scratch).await);
        self.remove_old().await?;
        published
    }

    /// Uploads the files of a folder, and then their list.
    pub async fn upload(&self, manifest: Manifest, folder: &Path) -> Result<Snapshot, ReplicaError> {
        // Names of later ones come later.
        let location = Location::from(Uuid::now_v7().to_string());
        let mut pace = Pace::start();
        for (path, _) in &manifest.files {
            let mut file = File::open(folder.join(path)).await?;
            self.put(&mut file, &below(&location, path)?, &mut pace).await?;
        }
        let list = serde_json::to_vec(&manifest).map_err(std::io::Error::other)?;
        self.store.put(&location.clone().join(MANIFEST), PutPayload::from(list)).await?;
        Ok(Snapshot { location, manifest })
    }

    /// One file: at once where it is small, else part by part.
    async fn put(&self, file: &mut File, location: &Location, pace: &mut Pace) -> Result<(), ReplicaError> {
        let first = next_part(file).await?;
        if bytes(first.len()) < INDEX_COPY_PART_BYTES {
            let size = first.len();
            self.store.put(location, first.into()).await?;
            pace.wait(size).await;
            return Ok(());
        }
        let mut upload = self.store.put_multipart(location).await?;
        let put = put_parts(upload.as_mut(), first, file, pace).await;
        if put.is_err() {
            // A bucket keeps parts, which cost money, until it is told that no more will come.
            drop(upload.abort().await);
        }
        put
    }

    /// The newest that is whole.
    pub async fn newest(&self) -> Result<Option<Snapshot>, ReplicaError> {
        for location in self.locations().await? {
            if let Some(whole) = self.read(location).await? {
                return Ok(Some(whole));
            }
        }
        Ok(None)
    }

    /// A snapshot with its list; none where it has none, or one that cannot be read.
    async fn read(&self, location: Location) -> Result<Option<Snapshot>, ReplicaError> {
        match self.store.get(&location.clone().join(MANIFEST)).await {
            Ok(list) => {
                let manifest = serde_json::from_slice(&list.bytes().await?).ok();
                Ok(manifest.map(|manifest| Snapshot { location, manifest }))
            }
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Whatever is called as snapshots are, the newest first. What else lies there is not ours.
    async fn locations(&self) -> Result<Vec<Location>, ReplicaError> {
        let mut locations = self.store.list_with_delimiter(None).await?.common_prefixes;
        locations.retain(|location| Uuid::try_parse(location.as_ref()).is_ok());
        locations.sort_unstable_by(|one, other| other.cmp(one));
        Ok(locations)
    }

    /// Downloads a snapshot into a folder.
    pub async fn fetch(&self, snapshot: &Snapshot, folder: &Path) -> Result<(), ReplicaError> {
        let mut pace = Pace::start();
        for (path, size) in &snapshot.manifest.files {
            let target = folder.join(path);
            if let Some(parent) = target.parent() {
                tokio::fs::create_dir_all(parent).await?;
            }
            let mut file = File::create(&target).await?;
            self.get((&below(&snapshot.location, path)?, *size), &mut file, &mut pace).await?;
            file.sync_all().await?;
        }
        Ok(())
    }

    /// One file, part by part, so that no request takes long, however large the file is.
    async fn get(
        &self,
        (location, size): (&Location, u64),
        file: &mut File,
        pace: &mut Pace,
    ) -> Result<(), ReplicaError> {
        let mut written = 0;
        while written < size {
            let part = written..size.min(written.saturating_add(INDEX_COPY_PART_BYTES));
            let options = GetOptions { range: Some(GetRange::Bounded(part)), ..GetOptions::default() };
            let got = self.store.get_opts(location, options).await?;
            if got.meta.size != size {
                return Err(ReplicaError::Snapshot("a file of it is not as long as it was"));
            }
            let got = got.bytes().await?;
            if got.is_empty() {
                return Err(ReplicaError::Snapshot("a part of a file is missing"));
            }
            file.write_all(&got).await?;
            file.flush().await?;
            file.sync_data().await?;
            written = written.saturating_add(bytes(got.len()));
            pace.wait(got.len()).await;
        }
        Ok(())
    }

    /// Keeps the newest few, and what is newer than the oldest of them: it may be on its way.
    async fn remove_old(&self) -> Result<(), ReplicaError> {
        let mut kept = 0;
        for location in self.locations().await? {
            if kept < INDEX_SNAPSHOTS_KEPT {
                kept += usize::from(self.read(location).await?.is_some());
                continue;
            }
            // The list first: what is being removed is no longer whole.
            let list = location.clone().join(MANIFEST);
            match self.store.delete(&list).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
            let files = self.store.list(Some(&location)).map_ok(|file| file.location);
            let files: Vec<Location> = files.try_collect().await?;
            for file in files {
                self.store.delete(&file).await?;
            }
        }
        Ok(())
    }
}

async fn put_parts(
    upload: &mut dyn MultipartUpload,
    first: Vec<u8>,
    file: &mut File,
    pace: &mut Pace,
) -> Result<(), ReplicaError> {
    let mut part = first;
    while !part.is_empty() {
        let size = part.len();
        upload.put_part(part.into()).await?;
        pace.wait(size).await;
        part = next_part(file).await?;
    }
    upload.complete().await?;
    Ok(())
}

/// What comes next in a file: as much as is copied at once, less at its end, nothing after it.
async fn next_part(file: &mut File) -> Result<Vec<u8>, ReplicaError> {
    let mut part = Vec::new();
    file.take(INDEX_COPY_PART_BYTES).read_to_end(&mut part).await?;
    Ok(part)
}

/// Copies no faster than whoever else is on the disk or the network can bear.
struct Pace {
    watch: Stopwatch,
    copied: u64,
}

impl Pace {
    fn start() -> Self {
        Self { watch: Stopwatch::start(), copied: 0 }
    }

    /// To be called after so many bytes.
    async fn wait(&mut self, copied: usize) {
        self.copied = self.copied.saturating_add(bytes(copied));
        let due = Duration::from_millis(self.copied.saturating_mul(1_000) / INDEX_COPY_BYTES_PER_SECOND);
        let early = due.saturating_sub(self.watch.elapsed());
        if early >= SHORTEST_WAIT {
            tokio::time::sleep(early).await;
        }
    }
}

fn bytes(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// A file of a snapshot. A list that names files elsewhere is not one of ours.
fn below(location: &Location, path: &Path) -> Result<Location, ReplicaError> {
    let mut below = location.clone();
    for component in path.components() {
        let Component::Normal(name) = component else {
            return Err(ReplicaError::Snapshot("its list names a file elsewhere"));
        };
        below = below.join(name.to_string_lossy().into_owned());
    }
    Ok(below)
}
