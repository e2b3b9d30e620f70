//! What is left of an index when the machine fails.
//!
//! A node leaves to the system when the files of its index reach the disk (`assay-index`, `files.rs`). However its process ends,
//! the next one finds all of it; once the machine has started again, some of it may be missing. So a generation says which start of
//! the machine it was written in, and now and then it is linked as it stands into a folder that counts once all of it is on the disk.

use crate::error::ReplicaError;
use crate::follow::blocking;
use crate::indexes::Indexes;
use crate::replica::{GENERATION, Replica, folders_called};
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use uuid::Uuid;

/// How the folder of a kept state is called, before its own name.
const KEPT: &str = "kept-";
/// In each generation: the start of the machine since which it is written.
const WRITTEN_SINCE: &str = "written-since";
/// Linux names each of its starts. Elsewhere none has a name, and every start counts as another.
const THIS_START: &str = "/proc/sys/kernel/random/boot_id";

/// To be called before anything else is written to a generation.
pub(crate) fn begin(generation: &Path) -> std::io::Result<()> {
    let mut file = File::create(generation.join(WRITTEN_SINCE))?;
    file.write_all(this_start().unwrap_or_default().as_bytes())?;
    file.sync_all()?;
    File::open(generation)?.sync_all()
}

/// Whether the machine has run since the generation was begun.
pub(crate) fn is_whole(generation: &Path) -> bool {
    let written_since = std::fs::read_to_string(generation.join(WRITTEN_SINCE)).ok();
    written_since.is_some_and(|start| Some(start) == this_start())
}

fn this_start() -> Option<String> {
    std::fs::read_to_string(THIS_START).ok().map(|start| start.trim().to_owned())
}

/// Makes the newest kept state a generation, if there is one.
pub(crate) fn go_on_from_kept(folder: &Path) -> std::io::Result<Option<PathBuf>> {
    let Some(kept) = folders_called(KEPT, folder)?.into_iter().max() else { return Ok(None) };
    let generation = folder.join(format!("{GENERATION}{}", Uuid::now_v7()));
    begin(&kept)?;
    std::fs::rename(kept, &generation)?;
    Ok(Some(generation))
}

/// Removes all kept states but one.
pub(crate) fn remove_kept(folder: &Path, but: Option<&Path>) -> std::io::Result<()> {
    let mut others = folders_called(KEPT, folder)?.into_iter().filter(|path| Some(path.as_path()) != but);
    others.try_for_each(std::fs::remove_dir_all)
}

impl Replica {
    /// Keeps the index as it stands for a machine that fails, unless it stands where it did; whether it was kept.
    pub async fn keep(&self, now: DateTime<Utc>) -> Result<bool, ReplicaError> {
        let Some(indexes) = self.indexes() else { return Ok(false) };
        let place = Some((indexes.epoch, indexes.seq()));
        if place == *self.kept_at.lock().unwrap_or_else(PoisonError::into_inner) {
            return Ok(false);
        }
        let folder = self.folder.clone();
        blocking(move || keep(&indexes, &folder, now)).await?;
        *self.kept_at.lock().unwrap_or_else(PoisonError::into_inner) = place;
        Ok(true)
    }
}

fn keep(indexes: &Indexes, folder: &Path, now: DateTime<Utc>) -> Result<(), ReplicaError> {
    let name = Uuid::now_v7();
    // As a generation that is not finished is called, until it is whole.
    let scratch = folder.join(format!("{GENERATION}{name}"));
    let linked = indexes.link(&scratch, now).and_then(|manifest| {
        let Some(manifest) = manifest else { return Ok(None) };
        reach_disk(&scratch, manifest.files.iter().map(|(path, _)| path.as_path()))?;
        let kept = folder.join(format!("{KEPT}{name}"));
        std::fs::rename(&scratch, &kept)?;
        File::open(folder)?.sync_all()?;
        Ok(Some(kept))
    });
    match linked {
        Ok(Some(kept)) => Ok(remove_kept(folder, Some(&kept))?),
        nothing => {
            drop(std::fs::remove_dir_all(&scratch));
            nothing.map(drop)
        }
    }
}

/// Waits until these files are on the disk, and the folders that name them.
fn reach_disk<'a>(folder: &Path, files: impl Iterator<Item = &'a Path>) -> std::io::Result<()> {
    let mut folders = BTreeSet::new();
    for file in files {
        File::open(folder.join(file))?.sync_all()?;
        folders.extend(file.ancestors().skip(1).map(|above| folder.join(above)));
    }
    folders.iter().try_for_each(|folder| File::open(folder)?.sync_all())
}
