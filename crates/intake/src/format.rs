//! The formats a file can have.

use std::path::Path;
use std::str::FromStr;

use crate::error::Error;

/// How the rows of a file are written. Text may also be packed with gzip, which is seen from its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Values with a separator between them, which is found out; a header; quotes.
    Csv,
    /// One JSON object a line.
    Jsonl,
    Parquet,
}

const ENDINGS: &[(&str, Format)] = &[
    ("csv", Format::Csv),
    ("tsv", Format::Csv),
    ("tab", Format::Csv),
    ("txt", Format::Csv),
    ("jsonl", Format::Jsonl),
    ("ndjson", Format::Jsonl),
    ("json", Format::Jsonl),
    ("parquet", Format::Parquet),
    ("pq", Format::Parquet),
];

impl Format {
    /// By the file's name: `people.csv`, `PEOPLE.JSONL.GZ`.
    pub fn guess(path: &Path) -> Result<Self, Error> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let (unpacked, is_packed) = match name.strip_suffix(".gz") {
            Some(unpacked) => (unpacked, true),
            None => (name.as_str(), false),
        };
        let ending = unpacked.rsplit_once('.').map(|(_, ending)| ending);
        let found = ENDINGS.iter().find(|(known, _)| Some(*known) == ending).map(|(_, format)| *format);
        // A packed Parquet file could not be read from its end, where its table of contents is.
        found.filter(|format| !(is_packed && *format == Self::Parquet)).ok_or(Error::FormatUnknown)
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
            Self::Parquet => "parquet",
        }
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let found = [Self::Csv, Self::Jsonl, Self::Parquet].into_iter().find(|it| it.as_str() == text);
        found.ok_or(Error::FormatUnknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_told_by_the_ending() {
        for (name, format) in [
            ("a/people.csv", Format::Csv),
            ("PEOPLE.CSV.GZ", Format::Csv),
            ("x.2026-01-01.tsv", Format::Csv),
            ("x.jsonl", Format::Jsonl),
            ("x.ndjson.gz", Format::Jsonl),
            ("x.snappy.parquet", Format::Parquet),
        ] {
            assert_eq!(Format::guess(Path::new(name)).unwrap(), format, "{name}");
            assert_eq!(format.as_str().parse::<Format>().unwrap(), format);
        }
        for name in ["", "people", "people.xlsx", "csv", "x.parquet.gz", "x.gz", "/"] {
            assert!(matches!(Format::guess(Path::new(name)), Err(Error::FormatUnknown)), "{name}");
        }
        assert!("CSV".parse::<Format>().is_err());
    }
}
