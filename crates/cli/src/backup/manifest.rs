//! What a backup says of itself, and whether that is true.

use crate::failure::Failure;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use uuid::Uuid;

pub const FORMAT: u32 = 1;
pub const FILE: &str = "manifest.json";
const READ_BYTES: usize = 1 << 20;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    /// Of this file.
    pub format: u32,
    /// The version of the program that made it.
    pub program: String,
    /// Which master key the databases were written with, by its fingerprint; none when none was ever set.
    pub master_key: Option<String>,
    pub ledger: DumpFile,
    pub graph: DumpFile,
    pub log: Option<GraphLog>,
}

/// One database's dump.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DumpFile {
    pub file: String,
    pub bytes: u64,
    pub sha256: String,
    pub schema: i64,
    /// When the database was as it is in here.
    pub moment: DateTime<Utc>,
}

/// Where the change log stood.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct GraphLog {
    pub epoch: Uuid,
    pub seq: i64,
}

impl Manifest {
    /// Written last, and only then is the folder a backup.
    pub fn write(&self, folder: &Path) -> Result<(), Failure> {
        let path = folder.join(FILE);
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        let written = File::create(&path).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
        written.map_err(|error| unwritable(&path, &error))
    }

    pub fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(FILE);
        let fix = "give the folder of a whole backup, or the one that `assay backup --to` was given";
        let text = std::fs::read_to_string(&path).map_err(|error| {
            Failure::new(format!("{} is no whole backup: {}: {error}", folder.display(), FILE), fix)
        })?;
        let manifest: Self = serde_json::from_str(&text)
            .map_err(|error| Failure::new(format!("{} does not read: {error}", path.display()), fix))?;
        if manifest.format != FORMAT {
            let what = format!("{} has the format {}, not {FORMAT}", path.display(), manifest.format);
            return Err(Failure::new(what, format!("restore it with assay {}", manifest.program)));
        }
        Ok(manifest)
    }
}

impl DumpFile {
    /// Reads what lies on the disk, after it was made to lie there.
    pub fn describe(path: &Path, schema: i64, moment: DateTime<Utc>) -> Result<Self, Failure> {
        let read = File::open(path).and_then(|file| {
            file.sync_all()?;
            hash(file)
        });
        let (bytes, sha256) = read.map_err(|error| unwritable(path, &error))?;
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { file, bytes, sha256, schema, moment })
    }

    /// Refuses a file that is not the one that was written.
    pub fn check(&self, folder: &Path) -> Result<(), Failure> {
        let path = folder.join(&self.file);
        let fix = "take another backup: this one is damaged";
        let read = File::open(&path).and_then(hash);
        let (bytes, sha256) =
            read.map_err(|error| Failure::new(format!("{}: {error}", path.display()), fix))?;
        if (bytes, &sha256) != (self.bytes, &self.sha256) {
            let what = format!("{} is not what was backed up: its SHA-256 differs", path.display());
            return Err(Failure::new(what, fix));
        }
        Ok(())
    }
}

fn hash(mut file: File) -> std::io::Result<(u64, String)> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; READ_BYTES];
    let mut bytes = 0;
    loop {
        let read = file.read(&mut buffer)?;
        let Some(part) = buffer.get(..read).filter(|part| !part.is_empty()) else { break };
        hasher.update(part);
        bytes += u64::try_from(read).unwrap_or_default();
    }
    Ok((bytes, hex::encode(hasher.finalize())))
}

pub fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    let fix = "choose a folder that this program may write to, on a disk with room";
    Failure::new(format!("{}: {error}", path.display()), fix)
}
