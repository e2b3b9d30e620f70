//! Files in a folder that goes away, and reading all of one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use assay_domain::NetworkHosts;
use assay_intake::{
    BatchRows, CompanyRow, Error, Format, Kind, Mapping, Note, PersonRow, Position, Reader, Reject,
    read_headers,
};

/// Removed with all that is in it when the test ends.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("intake-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(super) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// All that a file says.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Told {
    pub(super) people: Vec<(u64, PersonRow)>,
    pub(super) companies: Vec<(u64, CompanyRow)>,
    pub(super) rejects: Vec<Reject>,
    pub(super) notes: Vec<Note>,
    pub(super) notes_unkept: u64,
}

impl Told {
    pub(super) fn add(&mut self, batch: assay_intake::Batch) {
        match batch.rows {
            BatchRows::People(rows) => self.people.extend(rows),
            BatchRows::Companies(rows) => self.companies.extend(rows),
        }
        self.rejects.extend(batch.rejects);
        self.notes.extend(batch.notes);
        self.notes_unkept += batch.notes_unkept;
    }

    pub(super) fn reasons(&self) -> Vec<(u64, String)> {
        self.rejects.iter().map(|reject| (reject.row, reject.reason.to_string())).collect()
    }

    pub(super) fn notes_told(&self) -> Vec<String> {
        self.notes.iter().map(Note::to_string).collect()
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.people.iter().map(|(_, row)| row.full_name.as_deref().unwrap_or("-")).collect()
    }
}

pub(super) fn guess(path: &Path, kind: Kind) -> Result<Mapping, Error> {
    let headers = read_headers(path, Format::guess(path)?, None)?;
    Ok(Mapping::guess(kind, &headers, &NetworkHosts::default()))
}

pub(super) fn open(path: &Path, mapping: &Mapping, from: Position) -> Result<Reader, Error> {
    Reader::open(path, Format::guess(path)?, mapping, NetworkHosts::default(), from)
}

pub(super) fn read_with(path: &Path, mapping: &Mapping) -> Result<Told, Error> {
    let mut reader = open(path, mapping, Position::START)?;
    let mut told = Told::default();
    while let Some(batch) = reader.next_batch(1_000)? {
        told.add(batch);
    }
    assert_eq!(reader.done_bytes(), reader.total_bytes(), "all of it is read");
    Ok(told)
}

/// Reads a file of people by the mapping that its own columns suggest.
pub(super) fn read_people(path: &Path) -> Result<Told, Error> {
    read_with(path, &guess(path, Kind::People)?)
}

pub(super) fn read_companies(path: &Path) -> Result<Told, Error> {
    read_with(path, &guess(path, Kind::Companies)?)
}
