//! A journal of suppressions: lines that are only ever added, to be kept off the machine. When both databases are lost it tells whom a
//! restored graph has to erase again. Keyed digests and sealed hashes, as in the databases: it is of use to nobody without the master key.

use crate::backup::manifest::unwritable;
use crate::backup::shelf;
use crate::failure::Failure;
use crate::out;
use assay_domain::limits::SUPPRESSIONS_PER_CALL_MAX;
use assay_domain::suppression::{SuppressedKind, SuppressionReason};
use assay_domain::{Digest, Sealed, SuppressionId};
use assay_store::graph::Suppression;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::io::{BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

const FORMAT: u32 = 1;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    suppression_journal: u32,
    /// The fingerprint of the master key whose digests these are.
    master_key: String,
}

/// One of the others.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    id: SuppressionId,
    digest: String,
    kind: String,
    reason: String,
    created_at: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    list_hash: Option<String>,
}

impl Line {
    fn of(row: &Suppression) -> Self {
        Self {
            id: row.id,
            digest: row.digest.to_string(),
            kind: row.kind.as_str().to_owned(),
            reason: row.reason.as_str().to_owned(),
            created_at: row.created_at,
            list_hash: row.list_hash.as_ref().map(|sealed| STANDARD.encode(sealed.as_bytes())),
        }
    }

    fn read(self) -> Option<Suppression> {
        let mut kinds = (0..=u8::MAX).filter_map(SuppressedKind::from_byte);
        let list_hash = match self.list_hash {
            None => None,
            Some(text) => Some(Sealed::from_bytes(STANDARD.decode(text).ok()?)),
        };
        Some(Suppression {
            id: self.id,
            digest: Digest::from_slice(&hex::decode(&self.digest).ok()?)?,
            kind: kinds.find(|kind| kind.as_str() == self.kind)?,
            reason: SuppressionReason::parse(&self.reason)?,
            created_at: self.created_at,
            list_hash,
        })
    }
}

/// A journal that is read from its beginning, a bounded page at a time.
pub struct JournalReader {
    path: PathBuf,
    lines: BufReader<File>,
    number: usize,
    /// Where the last whole line ended.
    end: u64,
}

impl JournalReader {
    pub fn open(path: &Path, master_key: &str) -> Result<Self, Failure> {
        let file = File::open(path).map_err(|error| {
            Failure::new(format!("{}: {error}", path.display()), "name a file of `assay suppression export`")
        })?;
        Self::over(file, path, master_key)
    }

    fn over(file: File, path: &Path, master_key: &str) -> Result<Self, Failure> {
        let mut reader = Self { path: path.to_owned(), lines: BufReader::new(file), number: 0, end: 0 };
        let Some(line) = reader.next_line()? else { return Ok(reader) };
        let head: Head = serde_json::from_str(&line).map_err(|_| reader.unreadable())?;
        if head.suppression_journal != FORMAT {
            return Err(reader.unreadable());
        }
        if head.master_key != master_key {
            let what = format!("{} was written under another master key", path.display());
            return Err(Failure::new(what, "set the master key these suppressions were made with"));
        }
        Ok(reader)
    }

    /// The next of them; none at the end.
    pub fn next_page(&mut self) -> Result<Option<Vec<Suppression>>, Failure> {
        let mut page = Vec::new();
        while page.len() < SUPPRESSIONS_PER_CALL_MAX
            && let Some(line) = self.next_line()?
        {
            let read = serde_json::from_str::<Line>(&line).ok().and_then(Line::read);
            page.push(read.ok_or_else(|| self.unreadable())?);
        }
        Ok((!page.is_empty()).then_some(page))
    }

    /// A line without an end is one that was not written to its end, which only the last can be.
    fn next_line(&mut self) -> Result<Option<String>, Failure> {
        let mut line = String::new();
        let read = self.lines.read_line(&mut line).map_err(|error| unwritable(&self.path, &error))?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        if !line.ends_with('\n') {
            out::note(&format!("{}: line {} is not whole and left out", self.path.display(), self.number));
            return Ok(None);
        }
        self.end += u64::try_from(read).unwrap_or_default();
        Ok(Some(line))
    }

    fn unreadable(&self) -> Failure {
        let what = format!("{}: line {} is none of a journal", self.path.display(), self.number);
        Failure::new(what, "take another copy of what `assay suppression export` wrote")
    }
}

/// A journal that is added to. What it has is not written again.
pub struct JournalWriter {
    path: PathBuf,
    file: BufWriter<File>,
    known: HashSet<Digest>,
    pub added: usize,
}

impl JournalWriter {
    pub fn open(path: &Path, master_key: &str) -> Result<Self, Failure> {
        let unusable = |error: std::io::Error| unwritable(path, &error);
        let options = File::options().read(true).append(true).create(true).mode(0o600).open(path);
        let mut file = options.map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let what = format!("{} is being written by another program", path.display());
                return Err(Failure::new(what, "wait for its end"));
            }
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        let mut reader = JournalReader::over(file.try_clone().map_err(unusable)?, path, master_key)?;
        let mut known = HashSet::new();
        while let Some(page) = reader.next_page()? {
            known.extend(page.iter().map(|row| row.digest));
        }
        // What a crash left of a line must not become the beginning of another.
        file.set_len(reader.end).and_then(|()| file.seek(SeekFrom::End(0)).map(drop)).map_err(unusable)?;
        let mut writer = Self { path: path.to_owned(), file: BufWriter::new(file), known, added: 0 };
        if reader.end == 0 {
            writer.line(&Head { suppression_journal: FORMAT, master_key: master_key.to_owned() })?;
        }
        Ok(writer)
    }

    pub fn add(&mut self, rows: &[Suppression]) -> Result<(), Failure> {
        for row in rows {
            if self.known.insert(row.digest) {
                self.line(&Line::of(row))?;
                self.added += 1;
            }
        }
        Ok(())
    }

    /// On the disk when it returns.
    pub fn finish(self) -> Result<usize, Failure> {
        let Self { path, file, added, .. } = self;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let kept = file.into_inner().map_err(std::io::IntoInnerError::into_error);
        let kept = kept.and_then(|file| file.sync_all()).and_then(|()| shelf::sync(folder));
        kept.map_err(|error| unwritable(&path, &error))?;
        Ok(added)
    }

    fn line(&mut self, line: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(line).unwrap_or_default();
        writeln!(self.file, "{text}").map_err(|error| unwritable(&self.path, &error))
    }
}
