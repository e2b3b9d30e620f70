//! How a file is read: its format, and which column feeds which field.

use super::unreadable;
use crate::failure::Failure;
use assay_domain::NetworkHosts;
use assay_intake::limits::MAPPING_BYTES_MAX;
use assay_intake::{Format, Headers, Kind, Mapping, Position, Reader, fingerprint, read_headers};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A file whose columns were looked at.
#[derive(Debug)]
pub struct Layout {
    path: PathBuf,
    format: Format,
    headers: Headers,
    mapping: Mapping,
    hosts: NetworkHosts,
    text: String,
}

impl Layout {
    pub fn guess(
        kind: Kind,
        path: &Path,
        format: Option<Format>,
        hosts: &NetworkHosts,
    ) -> Result<Self, Failure> {
        let format = format_of(path, format)?;
        let headers = read_headers(path, format, None).map_err(|error| unreadable(path, &error))?;
        let mapping = Mapping::guess(kind, &headers, hosts);
        Ok(Self::new(path, format, headers, mapping, hosts))
    }

    /// With a mapping that somebody wrote.
    pub fn read(
        kind: Kind,
        path: &Path,
        format: Option<Format>,
        mapping_path: &Path,
        hosts: &NetworkHosts,
    ) -> Result<Self, Failure> {
        let format = format_of(path, format)?;
        let mapping = Mapping::from_toml(&text_of(mapping_path)?);
        let mapping = mapping.map_err(|error| unreadable(mapping_path, &error))?;
        if mapping.kind != kind {
            let (wanted, given) = (kind.as_str(), mapping.kind.as_str());
            let what = format!("{} is a mapping of {given}", mapping_path.display());
            return Err(Failure::new(what, format!("give one of {wanted}, or run `assay import {given}`")));
        }
        let headers =
            read_headers(path, format, mapping.delimiter).map_err(|error| unreadable(path, &error))?;
        Ok(Self::new(path, format, headers, mapping, hosts))
    }

    fn new(path: &Path, format: Format, headers: Headers, mapping: Mapping, hosts: &NetworkHosts) -> Self {
        let text = mapping.to_toml(&headers);
        Self { path: path.to_owned(), format, headers, mapping, hosts: hosts.clone(), text }
    }

    /// Whether the mapping fits the file.
    pub fn check(&self) -> Result<(), Failure> {
        self.mapping.check(&self.headers).map_err(|error| {
            let (path, kind) = (self.path.display(), self.mapping.kind.as_str());
            let fix =
                format!("edit the mapping (`assay import mapping {kind} {path}` prints one) and give it with --mapping");
            Failure::new(format!("{path}: {error}"), fix)
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn kind(&self) -> Kind {
        self.mapping.kind
    }

    /// The mapping as a file, for a person to look at.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The mapping without remarks about this file: the same for every way to write the same.
    pub fn canonical_mapping(&self) -> String {
        self.mapping.to_toml(&Headers::default())
    }

    pub fn fingerprint(&self) -> Result<[u8; 32], Failure> {
        fingerprint(&self.path).map_err(|error| unreadable(&self.path, &error))
    }

    pub fn open(&self, from: Position) -> Result<Reader, Failure> {
        Reader::open(&self.path, self.format, &self.mapping, self.hosts.clone(), from)
            .map_err(|error| unreadable(&self.path, &error))
    }
}

fn format_of(path: &Path, told: Option<Format>) -> Result<Format, Failure> {
    let guessed = || {
        Format::guess(path).map_err(|_| {
            let what = format!("the name of {} does not tell what format it has", path.display());
            Failure::new(what, "add --format csv, --format jsonl or --format parquet")
        })
    };
    told.map_or_else(guessed, Ok)
}

fn text_of(path: &Path) -> Result<String, Failure> {
    let most = u64::try_from(MAPPING_BYTES_MAX).unwrap_or(u64::MAX);
    let mut text = String::new();
    // One byte more than may be, so that a larger file is refused and not cut.
    let read = File::open(path).and_then(|file| file.take(most.saturating_add(1)).read_to_string(&mut text));
    read.map_err(|error| {
        let what = format!("the mapping {} cannot be read: {error}", path.display());
        Failure::new(what, "check the path; `assay import mapping` prints a mapping to begin with")
    })?;
    Ok(text)
}
