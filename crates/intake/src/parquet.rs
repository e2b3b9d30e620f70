//! Rows of a Parquet file, read by columns: only the wanted ones, a bounded number of rows at a time.

mod column;
mod schema;
mod written;

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use parquet::errors::ParquetError;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use serde_json::{Map, Value};

use crate::cells::Cells;
use crate::encoding::Encoding;
use crate::error::Error;
use crate::header::Headers;
use crate::limits::{CELLS_PER_ROW_MAX, DECODED_BYTES_GOAL, DECODED_ROWS_MAX, ROW_BYTES_MAX};
use crate::note::Reason;
use crate::position::Position;
use crate::rows::{Found, Rows};
use column::Column;

const MESSAGE_CHARS_MAX: usize = 200;

pub(crate) struct ParquetRows {
    reader: SerializedFileReader<File>,
    size: u64,
    wanted: Vec<String>,
    /// The leaf of each wanted column.
    leaves: Vec<usize>,
    /// Of the row group that is open; none is before the first and after the last.
    columns: Vec<Column>,
    next_group: usize,
    /// Rows of the open group that are not decoded yet, rows that are decoded at once, and rows that are decoded.
    undecoded: u64,
    step: usize,
    decoded: usize,
    rows: u64,
    rows_total: u64,
}

/// The library checks what it reads, but not everything: a file that makes it panic is a file that cannot be read.
fn contain<T>(work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, Error> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done.map_err(|error| broken(&error.to_string())),
        Err(_) => Err(broken("its inner structure is broken")),
    }
}

fn broken(message: &str) -> Error {
    let visible = message.chars().map(|c| if c.is_control() { ' ' } else { c });
    Error::Parquet(visible.take(MESSAGE_CHARS_MAX).collect())
}

fn open(path: &Path) -> Result<(SerializedFileReader<File>, u64), Error> {
    let file = File::open(path).map_err(Error::Open)?;
    let size = file.metadata().map_err(Error::Open)?.len();
    if size == 0 {
        return Err(Error::Empty);
    }
    Ok((contain(|| SerializedFileReader::new(file))?, size))
}

pub(crate) fn read_headers(path: &Path) -> Result<Headers, Error> {
    let (reader, _) = open(path)?;
    let names = schema::name_leaves(reader.metadata().file_metadata().schema_descr().root_schema())?;
    Ok(Headers { names, are_complete: true, encoding: Encoding::Utf8 })
}

impl ParquetRows {
    pub(crate) fn open(path: &Path, wanted: &[String], from: Position) -> Result<(Self, Headers), Error> {
        if from.bytes != 0 || from.lines != 0 {
            return Err(Error::PositionOfOtherFormat);
        }
        let (reader, size) = open(path)?;
        let names = schema::name_leaves(reader.metadata().file_metadata().schema_descr().root_schema())?;
        // A wanted column that is not there is refused by the mapping's check before any row is read.
        let leaf = |name: &String| names.iter().position(|known| known == name);
        let leaves = wanted.iter().filter_map(leaf).collect();
        let mut rows_total = 0_u64;
        for group in reader.metadata().row_groups() {
            let rows =
                u64::try_from(group.num_rows()).map_err(|_| broken("a row group has a negative size"))?;
            rows_total = rows_total.checked_add(rows).ok_or_else(|| broken("it has too many rows"))?;
        }
        let mut rows = Self {
            reader,
            size,
            wanted: wanted.to_vec(),
            leaves,
            columns: Vec::new(),
            next_group: 0,
            undecoded: 0,
            step: DECODED_ROWS_MAX,
            decoded: 0,
            rows: from.rows,
            rows_total,
        };
        rows.seek(from.rows)?;
        Ok((rows, Headers { names, are_complete: true, encoding: Encoding::Utf8 }))
    }

    /// Passes over so many rows: over whole groups without a look, within a group by whole pages where possible.
    fn seek(&mut self, mut rows: u64) -> Result<(), Error> {
        if rows > self.rows_total {
            return Err(Error::PositionPastEnd);
        }
        while let Some(group) = self.reader.metadata().row_groups().get(self.next_group) {
            let size = u64::try_from(group.num_rows()).unwrap_or_default();
            if rows < size {
                break;
            }
            rows -= size;
            self.next_group += 1;
        }
        if rows == 0 || !self.open_group()? {
            return Ok(());
        }
        let skipped = usize::try_from(rows).map_err(|_| broken("a row group is too large"))?;
        for column in &mut self.columns {
            contain(|| column.skip(skipped))?;
        }
        self.undecoded -= rows;
        Ok(())
    }

    /// Opens the next row group that has rows.
    fn open_group(&mut self) -> Result<bool, Error> {
        self.columns.clear();
        let groups = self.reader.metadata().row_groups();
        while groups.get(self.next_group).is_some_and(|group| group.num_rows() == 0) {
            self.next_group += 1;
        }
        let Some(metadata) = groups.get(self.next_group) else {
            return Ok(false);
        };
        self.undecoded = u64::try_from(metadata.num_rows()).unwrap_or_default();
        let sizes = self.leaves.iter().filter_map(|leaf| metadata.columns().get(*leaf));
        let bytes: u64 =
            sizes.map(|column| u64::try_from(column.uncompressed_size()).unwrap_or_default()).sum();
        let row_bytes = bytes.checked_div(self.undecoded).unwrap_or_default().max(1);
        let step = usize::try_from(DECODED_BYTES_GOAL / row_bytes).unwrap_or(DECODED_ROWS_MAX);
        self.step = step.clamp(1, DECODED_ROWS_MAX);
        let (reader, index, leaves) = (&self.reader, self.next_group, &self.leaves);
        self.columns = contain(|| {
            let group = reader.get_row_group(index)?;
            leaves.iter().map(|leaf| Column::open(group.as_ref(), *leaf)).collect()
        })?;
        self.next_group += 1;
        Ok(true)
    }

    /// Decodes the next rows of all wanted columns; false at the end of the file.
    fn decode(&mut self) -> Result<bool, Error> {
        while self.undecoded == 0 {
            if !self.open_group()? {
                return Ok(false);
            }
        }
        let rows = self.step.min(usize::try_from(self.undecoded).unwrap_or(usize::MAX));
        for column in &mut self.columns {
            contain(|| column.decode(rows))?;
        }
        self.undecoded -= u64::try_from(rows).unwrap_or_default();
        self.decoded = rows;
        Ok(true)
    }
}

impl Rows for ParquetRows {
    fn next(&mut self, cells: &mut Cells) -> Result<Found, Error> {
        if self.decoded == 0 && !self.decode()? {
            return Ok(Found::End);
        }
        self.decoded -= 1;
        self.rows += 1;
        cells.clear();
        let mut count = 0_usize;
        for (slot, column) in self.columns.iter_mut().enumerate() {
            count += column.write_row(slot, cells);
        }
        if count > CELLS_PER_ROW_MAX {
            return Ok(Found::Bad(Reason::TooMany(CELLS_PER_ROW_MAX)));
        }
        if cells.text.len() > ROW_BYTES_MAX {
            return Ok(Found::Bad(Reason::TooLarge(ROW_BYTES_MAX)));
        }
        Ok(Found::Row)
    }

    /// The wanted columns as JSON: the row itself has no text.
    fn raw(&self, cells: &Cells) -> Vec<u8> {
        let mut object = Map::new();
        for (slot, name) in self.wanted.iter().enumerate() {
            let mut values: Vec<Value> = cells
                .bytes(slot)
                .map(|bytes| Value::String(String::from_utf8_lossy(bytes).into_owned()))
                .collect();
            let value = match values.len() {
                0 => continue,
                1 => values.swap_remove(0),
                _ => Value::Array(values),
            };
            object.insert(name.clone(), value);
        }
        let mut raw = Value::Object(object).to_string().into_bytes();
        raw.truncate(ROW_BYTES_MAX);
        raw
    }

    fn row(&self) -> u64 {
        self.rows
    }

    fn line(&self) -> Option<u64> {
        None
    }

    fn byte(&self) -> u64 {
        0
    }

    fn position(&self) -> Position {
        Position { rows: self.rows, ..Position::START }
    }

    fn total_bytes(&self) -> u64 {
        self.size
    }

    /// As if all rows were of one size.
    fn done_bytes(&self) -> u64 {
        let done = u128::from(self.size) * u128::from(self.rows);
        let done = done.checked_div(u128::from(self.rows_total)).unwrap_or(u128::from(self.size));
        u64::try_from(done).unwrap_or(self.size)
    }
}
