//! What is told about rows that could not be read, as a whole or in part: where, why and what to do. Never a value.

use std::fmt;
use std::sync::Arc;

use assay_domain::ParseError;

use crate::limits::NOTES_MAX;

/// Why a value was dropped or a row rejected. Reads on after "the value" or "the row".
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Said by the type that the value should have become.
    Value(ParseError),
    Plain(&'static str),
    /// More characters, or more entries of a list, than this.
    TooLong(usize),
    TooMany(usize),
    /// Larger than this many bytes.
    TooLarge(usize),
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(error) => error.fmt(out),
            Self::Plain(text) => out.write_str(text),
            Self::TooLong(most) => write!(out, "is longer than {most} characters: shorten it"),
            Self::TooMany(most) => write!(out, "has more than {most} entries: the others are left out"),
            Self::TooLarge(most) => {
                write!(
                    out,
                    "is larger than {most} bytes: leave out what is not needed, or look for a missing quote"
                )
            }
        }
    }
}

impl From<ParseError> for Reason {
    fn from(error: ParseError) -> Self {
        Self::Value(error)
    }
}

/// A value that was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    pub column: Arc<str>,
    pub reason: Reason,
}

/// A value that was dropped; the rest of its row was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub row: u64,
    /// Where the row begins in the file; none in Parquet, which has no lines.
    pub line: Option<u64>,
    pub dropped: Dropped,
}

impl fmt::Display for Note {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}, {}", Place(self.row, self.line), self.dropped)
    }
}

impl fmt::Display for Dropped {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "column `{}`: {}", self.column, self.reason)
    }
}

/// A row that was not read.
#[derive(Clone, PartialEq, Eq)]
pub struct Reject {
    pub row: u64,
    /// Where the row begins in the file; none in Parquet, which has no lines.
    pub line: Option<u64>,
    pub reason: Reason,
    /// The first value of the row that could not be read, which may be why the rest of it was not enough.
    pub dropped: Option<Dropped>,
    /// The row as it is in the file, for the operator's own file of rejects and for nothing else. Only the beginning of
    /// one that was too large.
    pub raw: Vec<u8>,
}

/// Where, why and what to do; without the row itself.
impl fmt::Display for Reject {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", Place(self.row, self.line), self.reason)?;
        match &self.dropped {
            Some(dropped) => write!(out, " ({dropped})"),
            None => Ok(()),
        }
    }
}

/// The row itself is somebody's data.
impl fmt::Debug for Reject {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Reject({self}, {} bytes)", self.raw.len())
    }
}

struct Place(u64, Option<u64>);

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Some(line) => write!(out, "row {}, line {line}", self.0),
            None => write!(out, "row {}", self.0),
        }
    }
}

/// The notes of one batch. A file with a bad column has one for each of its rows.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) kept: Vec<Note>,
    pub(crate) unkept: u64,
}

impl Notes {
    pub(crate) fn add(&mut self, row: u64, line: Option<u64>, dropped: Dropped) {
        if self.kept.len() < NOTES_MAX {
            self.kept.push(Note { row, line, dropped });
        } else {
            self.unkept += 1;
        }
    }
}
