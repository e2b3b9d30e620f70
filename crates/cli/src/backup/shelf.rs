//! The folder that backups lie in. A backup is made under another name and gets its own when it is whole: whatever has the name, is.

use super::manifest::{FILE, unwritable};
use crate::failure::Failure;
use chrono::{DateTime, Utc};
use std::fs::{File, TryLockError};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const NAME: &str = "assay-backup-";
const HALF: &str = ".half";
const LOCK: &str = ".assay-backup.lock";

/// Locked for as long as it lives: one backup at a time.
pub struct Shelf {
    folder: PathBuf,
    _lock: File,
}

/// A backup that is being made. Dropped before its end, it is removed.
pub struct Half {
    path: PathBuf,
    whole: PathBuf,
    is_finished: bool,
}

impl Shelf {
    pub fn open(folder: &Path) -> Result<Self, Failure> {
        let unusable = |error: std::io::Error| unwritable(folder, &error);
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(unusable)?;
        let lock = File::options().create(true).append(true).mode(0o600).open(folder.join(LOCK));
        let lock = lock.map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { folder: folder.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                let what = format!("another backup to {} is being made", folder.display());
                Err(Failure::new(what, "wait for its end"))
            }
            Err(TryLockError::Error(error)) => Err(unusable(error)),
        }
    }

    /// A place for a new one. What a crash left half-made is removed.
    pub fn begin(&self, moment: DateTime<Utc>) -> Result<Half, Failure> {
        for left in entries(&self.folder, |name| name.ends_with(HALF)) {
            std::fs::remove_dir_all(&left).map_err(|error| unwritable(&left, &error))?;
        }
        let name = format!("{NAME}{}", moment.format("%Y%m%dT%H%M%S%3fZ"));
        let (path, whole) = (self.folder.join(format!("{name}{HALF}")), self.folder.join(name));
        let made = std::fs::DirBuilder::new().mode(0o700).create(&path);
        made.map_err(|error| unwritable(&path, &error))?;
        Ok(Half { path, whole, is_finished: false })
    }

    /// Removes all but the newest; says how many went.
    pub fn keep(&self, count: u32) -> Result<usize, Failure> {
        let mut whole = whole_ones(&self.folder);
        let spare = whole.len().saturating_sub(usize::try_from(count).unwrap_or(usize::MAX));
        whole.truncate(spare);
        for old in &whole {
            // Without its manifest it is none any more, however far the removal gets.
            let removed = std::fs::remove_file(old.join(FILE)).and_then(|()| std::fs::remove_dir_all(old));
            removed.map_err(|error| unwritable(old, &error))?;
        }
        Ok(spare)
    }
}

impl Half {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whole from here on, also after a power cut.
    pub fn finish(mut self) -> Result<PathBuf, Failure> {
        let shelf = self.whole.parent().unwrap_or(Path::new("."));
        let renamed = sync(&self.path)
            .and_then(|()| std::fs::rename(&self.path, &self.whole))
            .and_then(|()| sync(shelf));
        renamed.map_err(|error| unwritable(&self.whole, &error))?;
        self.is_finished = true;
        Ok(self.whole.clone())
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        if !self.is_finished {
            drop(std::fs::remove_dir_all(&self.path));
        }
    }
}

/// A folder's names reach the disk.
pub fn sync(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

/// The backup that is meant: the folder itself, or the newest whole one in it.
pub fn find(folder: &Path) -> Result<PathBuf, Failure> {
    if folder.join(FILE).is_file() {
        return Ok(folder.to_owned());
    }
    whole_ones(folder).pop().ok_or_else(|| {
        let what = format!("there is no whole backup in {}", folder.display());
        Failure::new(what, "give a backup's own folder, or the one that `assay backup --to` was given")
    })
}

/// The oldest first: their names are their times.
fn whole_ones(folder: &Path) -> Vec<PathBuf> {
    let mut found = entries(folder, |name| !name.ends_with(HALF));
    found.retain(|path| path.join(FILE).is_file());
    found.sort();
    found
}

fn entries(folder: &Path, is_meant: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| {
        entry.file_name().to_str().is_some_and(|name| name.starts_with(NAME) && is_meant(name))
    });
    ours.map(|entry| entry.path()).collect()
}
