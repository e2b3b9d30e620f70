//! One column of an open row group, decoded a few rows at a time.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::RowGroupReader;

use super::written::{Form, Written};
use crate::cells::Cells;
use crate::limits::{CELLS_PER_ROW_MAX, ROW_BYTES_MAX};

type Result<T> = std::result::Result<T, ParquetError>;

/// What differs by the type of the values.
trait Leaf: Send {
    fn skip(&mut self, rows: usize) -> Result<usize>;

    /// Replaces the values by those of the next rows; answers how many rows, values and levels there are.
    fn decode(
        &mut self,
        rows: usize,
        defined: &mut Vec<i16>,
        repeated: &mut Vec<i16>,
    ) -> Result<(usize, usize, usize)>;

    fn write(&self, index: usize, form: &Form, out: &mut Vec<u8>);
}

struct Typed<T: DataType> {
    reader: ColumnReaderImpl<T>,
    values: Vec<T::T>,
}

impl<T: DataType> Leaf for Typed<T>
where
    T::T: Written,
{
    fn skip(&mut self, rows: usize) -> Result<usize> {
        self.reader.skip_records(rows)
    }

    fn decode(
        &mut self,
        rows: usize,
        defined: &mut Vec<i16>,
        repeated: &mut Vec<i16>,
    ) -> Result<(usize, usize, usize)> {
        self.values.clear();
        self.reader.read_records(rows, Some(defined), Some(repeated), &mut self.values)
    }

    fn write(&self, index: usize, form: &Form, out: &mut Vec<u8>) {
        if let Some(value) = self.values.get(index) {
            value.write(form, out);
        }
    }
}

pub(super) struct Column {
    leaf: Box<dyn Leaf>,
    form: Form,
    /// A level of definition that has a value. Where it is zero, every row has one.
    defined_max: i16,
    is_list: bool,
    defined: Vec<i16>,
    repeated: Vec<i16>,
    levels: usize,
    /// What of the decoded levels and values was given away.
    levels_used: usize,
    values_used: usize,
}

impl Column {
    pub(super) fn open(group: &dyn RowGroupReader, leaf: usize) -> Result<Self> {
        let descriptor = group.metadata().schema_descr().columns().get(leaf).cloned();
        let descriptor = descriptor.ok_or_else(|| ParquetError::General("a column is missing".to_owned()))?;
        if group.num_columns() != group.metadata().schema_descr().num_columns() {
            return Err(ParquetError::General("a row group has other columns than the file".to_owned()));
        }
        Ok(Self {
            leaf: type_leaf(group.get_column_reader(leaf)?),
            form: Form::of(&descriptor),
            defined_max: descriptor.max_def_level(),
            is_list: descriptor.max_rep_level() > 0,
            defined: Vec::new(),
            repeated: Vec::new(),
            levels: 0,
            levels_used: 0,
            values_used: 0,
        })
    }

    pub(super) fn skip(&mut self, rows: usize) -> Result<()> {
        self.leaf.skip(rows).and_then(|skipped| expect_rows(rows, skipped))
    }

    pub(super) fn decode(&mut self, rows: usize) -> Result<()> {
        self.defined.clear();
        self.repeated.clear();
        (self.levels_used, self.values_used) = (0, 0);
        let (found, _, levels) = self.leaf.decode(rows, &mut self.defined, &mut self.repeated)?;
        self.levels = levels;
        expect_rows(rows, found)
    }

    /// Writes the values of the next row; answers how many there are. More than a row may have are not written.
    pub(super) fn write_row(&mut self, slot: usize, cells: &mut Cells) -> usize {
        if self.is_list {
            cells.mark_list(slot);
        }
        let mut values = 0;
        let mut entry = 0;
        let mut is_first = true;
        while self.levels_used < self.levels {
            let repeated = if self.is_list { self.repeated.get(self.levels_used) } else { None };
            let level = repeated.copied().unwrap_or_default();
            if level == 0 && !is_first {
                break;
            }
            is_first = false;
            // An entry of the outermost list; those of lists inside of it have higher levels.
            entry += usize::from(level == 1);
            let has_value =
                self.defined_max == 0 || self.defined.get(self.levels_used) == Some(&self.defined_max);
            self.levels_used += 1;
            if !has_value {
                continue;
            }
            let (index, form, leaf) = (self.values_used, &self.form, &self.leaf);
            self.values_used += 1;
            values += 1;
            if values <= CELLS_PER_ROW_MAX && cells.text.len() <= ROW_BYTES_MAX {
                cells.push(slot, entry, |out| leaf.write(index, form, out));
            }
        }
        values
    }
}

fn type_leaf(reader: ColumnReader) -> Box<dyn Leaf> {
    match reader {
        ColumnReader::BoolColumnReader(reader) => Box::new(Typed { reader, values: Vec::new() }),
        ColumnReader::Int32ColumnReader(reader) => Box::new(Typed { reader, values: Vec::new() }),
        ColumnReader::Int64ColumnReader(reader) => Box::new(Typed { reader, values: Vec::new() }),
        ColumnReader::Int96ColumnReader(reader) => Box::new(Typed { reader, values: Vec::new() }),
        ColumnReader::FloatColumnReader(reader) => Box::new(Typed { reader, values: Vec::new() }),
        ColumnReader::DoubleColumnReader(reader) => Box::new(Typed { reader, values: Vec::new() }),
        ColumnReader::ByteArrayColumnReader(reader) => Box::new(Typed { reader, values: Vec::new() }),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => Box::new(Typed { reader, values: Vec::new() }),
    }
}

fn expect_rows(wanted: usize, found: usize) -> Result<()> {
    if wanted == found {
        return Ok(());
    }
    Err(ParquetError::General("a column has fewer rows than its row group".to_owned()))
}
