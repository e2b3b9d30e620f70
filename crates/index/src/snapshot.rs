//! A snapshot: the files of an index as it stands at one mark, linked into a folder of their own.
//!
//! Files of an index are written once and never changed, so a link is a copy that costs nothing. An index opened from a
//! snapshot goes on where it was taken.

use crate::error::IndexError;
use crate::partition::Partition;
use crate::search::{Index, Mark, partition_folder};
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tantivy::index::SegmentComponent;

const META: &str = "meta.json";
/// The files that Tantivy may remove when no segment needs them any more: without it, it removes none that it did not write itself.
const MANAGED: &str = ".managed.json";
const LINK_TRIES_MAX: u32 = 5;

/// What a snapshot consists of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub mark: Mark,
    /// Below the snapshot's folder, each with its size.
    pub files: Vec<(PathBuf, u64)>,
}

/// What each segment consists of; one of which something is deleted has a file for that too.
const COMPONENTS: [SegmentComponent; 6] = [
    SegmentComponent::Postings,
    SegmentComponent::Positions,
    SegmentComponent::Terms,
    SegmentComponent::Store,
    SegmentComponent::FastFields,
    SegmentComponent::FieldNorms,
];

impl Index {
    /// Links the present state into `folder`, which must be on the same disk; none if nothing was committed yet.
    pub fn snapshot(&self, folder: &Path) -> Result<Option<Manifest>, IndexError> {
        let Some(mark) = self.mark()? else { return Ok(None) };
        let mut files = Vec::new();
        for (number, partition) in self.partitions.iter().enumerate() {
            let target = partition_folder(folder, number);
            for name in link_partition(partition, &target)? {
                let path = target.join(name);
                files.push((path.strip_prefix(folder).unwrap_or(&path).to_owned(), path.metadata()?.len()));
            }
        }
        Ok(Some(Manifest { mark, files }))
    }
}

/// Segments may be put together, and their files removed, between reading the list of them and holding on to it.
fn link_partition(partition: &Partition, target: &Path) -> Result<Vec<PathBuf>, IndexError> {
    let mut tries = LINK_TRIES_MAX;
    loop {
        drop(std::fs::remove_dir_all(target));
        std::fs::create_dir_all(target)?;
        match link_once(partition, target) {
            Err(IndexError::Io(error)) if error.kind() == ErrorKind::NotFound && tries > 1 => tries -= 1,
            linked => return linked,
        }
    }
}

fn link_once(partition: &Partition, target: &Path) -> Result<Vec<PathBuf>, IndexError> {
    // While this is held, nothing of it is removed.
    let meta = partition.index.load_metas()?;
    let mut names = Vec::new();
    for segment in &meta.segments {
        names.extend(COMPONENTS.map(|component| segment.relative_path(component)));
        names.extend(segment.has_deletes().then(|| segment.relative_path(SegmentComponent::Delete)));
    }
    for name in &names {
        std::fs::hard_link(partition.folder.join(name), target.join(name))?;
    }
    let written = serde_json::to_vec(&meta).map_err(std::io::Error::other)?;
    std::fs::write(target.join(META), written)?;
    names.push(PathBuf::from(META));
    let managed = serde_json::to_vec(&names).map_err(std::io::Error::other)?;
    std::fs::write(target.join(MANAGED), managed)?;
    names.push(PathBuf::from(MANAGED));
    Ok(names)
}
