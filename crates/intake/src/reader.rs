//! Reading a file in batches of typed rows.

use std::fmt;
use std::path::Path;

use assay_domain::NetworkHosts;

use crate::cells::Cells;
use crate::company::CompanyRow;
use crate::csv::{self, CsvRows};
use crate::error::Error;
use crate::field::{CompanyField, Field, Kind, PersonField};
use crate::format::Format;
use crate::header::Headers;
use crate::jsonl::{self, JsonlRows};
use crate::limits::BATCH_BYTES_MAX;
use crate::mapping::Mapping;
use crate::note::{Dropped, Note, Notes, Reason, Reject};
use crate::parquet::{self, ParquetRows};
use crate::person::PersonRow;
use crate::position::Position;
use crate::reading::{Reading, Settings};
use crate::rows::{Found, Rows};

/// The rows of a batch, each with its number in the file. The first row after the header is 1.
#[derive(Debug)]
pub enum BatchRows {
    People(Vec<(u64, PersonRow)>),
    Companies(Vec<(u64, CompanyRow)>),
}

impl BatchRows {
    pub fn len(&self) -> usize {
        match self {
            Self::People(rows) => rows.len(),
            Self::Companies(rows) => rows.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The next rows of a file. Rows without a single value are in neither list.
pub struct Batch {
    pub rows: BatchRows,
    pub rejects: Vec<Reject>,
    /// The first of the notes, and how many more there were.
    pub notes: Vec<Note>,
    pub notes_unkept: u64,
    /// Where to go on once all of this is written.
    pub position: Position,
}

/// Debug output may reach a log, and the rows are personal.
impl fmt::Debug for Batch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let notes = u64::try_from(self.notes.len()).unwrap_or_default() + self.notes_unkept;
        let (rows, rejects) = (self.rows.len(), self.rejects.len());
        write!(out, "Batch({rows} rows, {rejects} rejects, {notes} notes, up to {})", self.position)
    }
}

/// Room that is made for the rows of a batch before they are known: more has to be asked for row by row.
const ROWS_RESERVED_MAX: usize = 8_192;

/// The fields that are fed, in the order they are read in, each with the slots of its columns.
enum Plan {
    People(Vec<(PersonField, Vec<usize>)>),
    Companies(Vec<(CompanyField, Vec<usize>)>),
}

/// Reads a file from a position on. What it holds in memory does not depend on the size of the file.
pub struct Reader {
    rows: Box<dyn Rows>,
    plan: Plan,
    settings: Settings,
    cells: Cells,
}

impl fmt::Debug for Reader {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Reader(at {})", self.rows.position())
    }
}

/// The columns of a file, from which a mapping can be guessed. What stands between the values of a CSV file is found out
/// if it is not told.
pub fn read_headers(path: &Path, format: Format, delimiter: Option<u8>) -> Result<Headers, Error> {
    match format {
        Format::Csv => csv::read_headers(path, delimiter, None).map(|found| found.headers),
        Format::Jsonl => jsonl::read_headers(path),
        Format::Parquet => parquet::read_headers(path),
    }
}

impl Reader {
    /// Opens a file at its beginning or where another reader of the same file and mapping has stopped.
    pub fn open(
        path: &Path,
        format: Format,
        mapping: &Mapping,
        hosts: NetworkHosts,
        from: Position,
    ) -> Result<Self, Error> {
        let (plan, wanted) = plan(mapping);
        let (rows, headers): (Box<dyn Rows>, Headers) = match format {
            Format::Csv => {
                let (rows, headers) = CsvRows::open(path, mapping, &wanted, from)?;
                (Box::new(rows), headers)
            }
            Format::Jsonl => {
                let (rows, headers) = JsonlRows::open(path, &wanted, from)?;
                (Box::new(rows), headers)
            }
            Format::Parquet => {
                let (rows, headers) = ParquetRows::open(path, &wanted, from)?;
                (Box::new(rows), headers)
            }
        };
        mapping.check(&headers)?;
        let settings = Settings::new(mapping, hosts, &wanted);
        Ok(Self { rows, plan, settings, cells: Cells::new(wanted.len()) })
    }

    /// The next rows, read and rejected together at most `rows_max`; None at the end of the file.
    pub fn next_batch(&mut self, rows_max: usize) -> Result<Option<Batch>, Error> {
        let begin = self.rows.row();
        let room = rows_max.min(ROWS_RESERVED_MAX);
        let mut rows = match self.plan {
            Plan::People(_) => BatchRows::People(Vec::with_capacity(room)),
            Plan::Companies(_) => BatchRows::Companies(Vec::with_capacity(room)),
        };
        let mut rejects = Vec::new();
        let mut notes = Notes::default();
        let mut bytes = 0;
        while rows.len() + rejects.len() < rows_max.max(1) && bytes < BATCH_BYTES_MAX {
            let before = self.rows.byte();
            let rejected = match self.rows.next(&mut self.cells)? {
                Found::End => break,
                Found::Blank => None,
                Found::Row => self.read_row(&mut rows, &mut notes).err(),
                Found::Bad(reason) => Some((reason, None)),
            };
            if let Some((reason, dropped)) = rejected {
                let (row, line) = (self.rows.row(), self.rows.line());
                rejects.push(Reject { row, line, reason, dropped, raw: self.rows.raw(&self.cells) });
            }
            let text = u64::try_from(self.cells.text.len()).unwrap_or_default();
            bytes += (self.rows.byte() - before).max(text);
        }
        if self.rows.row() == begin {
            return Ok(None);
        }
        let Notes { kept, unkept } = notes;
        Ok(Some(Batch { rows, rejects, notes: kept, notes_unkept: unkept, position: self.rows.position() }))
    }

    fn read_row(&self, rows: &mut BatchRows, notes: &mut Notes) -> Result<(), (Reason, Option<Dropped>)> {
        let (row, line) = (self.rows.row(), self.rows.line());
        let view = self.cells.view().map_err(|reason| (reason, None))?;
        let mut reading = Reading { settings: &self.settings, view, row, line, notes, dropped: None };
        let read = match (rows, &self.plan) {
            (BatchRows::People(rows), Plan::People(plan)) => {
                PersonRow::read(plan, &mut reading).map(|found| rows.push((row, found)))
            }
            (BatchRows::Companies(rows), Plan::Companies(plan)) => {
                CompanyRow::read(plan, &mut reading).map(|found| rows.push((row, found)))
            }
            // The rows were made for the plan.
            _ => Ok(()),
        };
        read.map_err(|reason| (reason, reading.dropped))
    }

    /// After the last batch.
    pub fn position(&self) -> Position {
        self.rows.position()
    }

    /// The size of the file.
    pub fn total_bytes(&self) -> u64 {
        self.rows.total_bytes()
    }

    /// How much of it is read: exactly for text, nearly for packed text and Parquet.
    pub fn done_bytes(&self) -> u64 {
        self.rows.done_bytes()
    }
}

/// Which slots feed which field, and the columns of the slots.
fn plan(mapping: &Mapping) -> (Plan, Vec<String>) {
    let mut wanted: Vec<String> = Vec::new();
    let mut slots_of = |names: &[String]| -> Vec<usize> {
        let slot = |name: &String| {
            wanted.iter().position(|known| known == name).unwrap_or_else(|| {
                wanted.push(name.clone());
                wanted.len() - 1
            })
        };
        names.iter().map(slot).collect()
    };
    let mut people = Vec::new();
    let mut companies = Vec::new();
    for (field, names) in &mapping.columns {
        match field {
            Field::Person(field) => people.push((*field, slots_of(names))),
            Field::Company(field) => companies.push((*field, slots_of(names))),
        }
    }
    let plan = match mapping.kind {
        Kind::People => Plan::People(people),
        Kind::Companies => Plan::Companies(companies),
    };
    (plan, wanted)
}
