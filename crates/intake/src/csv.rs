//! Rows of a CSV file.

use std::path::Path;

use csv_core::{ReadRecordResult, ReaderBuilder};

use crate::cells::Cells;
use crate::encoding::{Encoding, decode_latin1};
use crate::error::Error;
use crate::header::{Headers, name_columns};
use crate::limits::{CHUNK_BYTES, COLUMNS_MAX, RAW_BYTES_KEPT, ROW_BYTES_MAX};
use crate::mapping::Mapping;
use crate::note::Reason;
use crate::position::Position;
use crate::rows::{Found, Rows};
use crate::window::Window;

/// What may stand between values, the likeliest first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// One record of a file: what is in its cells, without quotes, and where they end.
struct Record {
    text: Vec<u8>,
    ends: Vec<usize>,
    /// How much of both is in use.
    text_used: usize,
    ends_used: usize,
}

/// How a record was read.
enum Outcome {
    Whole,
    Bad(Reason),
    /// There is none: the file has ended.
    Ended,
}

struct Splitter {
    window: Window,
    core: csv_core::Reader,
    /// The bytes of the record in view, or the beginning of one that was too large.
    taken: usize,
    /// The line that the record begins at.
    line: u64,
    raw_begin: Vec<u8>,
}

pub(crate) struct CsvRows {
    splitter: Splitter,
    record: Record,
    columns: usize,
    /// For each wanted column, its place in a record.
    places: Vec<usize>,
    rows: u64,
    encoding: Encoding,
}

/// What has to be known before the first row: the header, what stands between values and where rows begin.
pub(crate) struct Beginning {
    pub(crate) headers: Headers,
    delimiter: u8,
    first: Position,
}

/// Reads the header. Without an encoding, it is found out from as much of the file as is read at once.
pub(crate) fn read_headers(
    path: &Path,
    delimiter: Option<u8>,
    encoding: Option<Encoding>,
) -> Result<Beginning, Error> {
    let mut window = Window::open(path, Position::START)?;
    let delimiter = match delimiter {
        Some(delimiter) => delimiter,
        None => find_delimiter(&mut window)?,
    };
    let encoding = match encoding {
        Some(encoding) => encoding,
        None => {
            while window.unread().len() < CHUNK_BYTES / 2 && window.fill()? {}
            Encoding::guess(window.unread())
        }
    };
    let mut splitter = Splitter::new(window, delimiter);
    let mut record = Record::new(COLUMNS_MAX);
    match splitter.next(&mut record)? {
        Outcome::Ended => return Err(Error::Empty),
        Outcome::Bad(_) => return Err(Error::HeaderTooLarge(ROW_BYTES_MAX)),
        Outcome::Whole => {}
    }
    if record.ends_used > COLUMNS_MAX {
        return Err(Error::TooManyColumns(COLUMNS_MAX));
    }
    let names = name_columns(read_names(&record, encoding)?.iter().map(String::as_str))?;
    let headers = Headers { names, are_complete: true, encoding };
    splitter.pass();
    Ok(Beginning { headers, delimiter, first: splitter.window.position(0, 0) })
}

fn read_names(record: &Record, encoding: Encoding) -> Result<Vec<String>, Error> {
    // A cell that ends inside of a character is refused with the rest: all after it would be in the wrong place.
    let name = |index| {
        let cell = record.span(index).and_then(|span| record.text.get(span)).unwrap_or_default();
        let mut name = Vec::new();
        match encoding {
            Encoding::Utf8 => name.extend_from_slice(cell),
            Encoding::Latin1 => decode_latin1(cell, &mut name),
        }
        String::from_utf8(name).map_err(|_| Error::HeaderNotUtf8)
    };
    (0..record.ends_used).map(name).collect()
}

/// The sign that is most often in the first line, quotes left out.
fn find_delimiter(window: &mut Window) -> Result<u8, Error> {
    let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let line_end = |bytes: &[u8]| {
        let begin = bytes.iter().position(|byte| !is_break(byte))?;
        bytes.get(begin..)?.iter().position(is_break).map(|length| begin + length)
    };
    while line_end(window.unread()).is_none() && window.unread().len() < ROW_BYTES_MAX && window.fill()? {}
    let seen = window.unread();
    let line = seen.get(..line_end(seen).unwrap_or(seen.len())).unwrap_or_default();
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut is_quoted = false;
    for byte in line {
        is_quoted ^= *byte == b'"';
        let place = DELIMITERS.iter().position(|delimiter| delimiter == byte && !is_quoted);
        if let Some(count) = place.and_then(|place| counts.get_mut(place)) {
            *count += 1;
        }
    }
    let most = counts.iter().max().copied().unwrap_or_default();
    let best = DELIMITERS.iter().zip(counts).find(|(_, count)| *count == most);
    Ok(best.map_or(b',', |(delimiter, _)| *delimiter))
}

impl Record {
    /// One more end than columns: the cells beyond share it.
    fn new(columns: usize) -> Self {
        Self { text: vec![0; 4 * 1024], ends: vec![0; columns + 1], text_used: 0, ends_used: 0 }
    }

    fn span(&self, index: usize) -> Option<std::ops::Range<usize>> {
        let start = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        Some(start..*self.ends.get(index)?)
    }
}

impl Splitter {
    fn new(window: Window, delimiter: u8) -> Self {
        let mut core = ReaderBuilder::new().delimiter(delimiter).build();
        // It would take a mark of UTF-8 out of the first row it sees, which is not the first of the file when reading
        // goes on in the middle. After an empty line it does not.
        core.read_record(b"\n", &mut [0], &mut [0]);
        Self { window, core, taken: 0, line: 0, raw_begin: Vec::new() }
    }

    /// Gives up what was in view of the last record.
    fn pass(&mut self) {
        self.window.consume(self.taken);
        self.taken = 0;
        self.raw_begin.clear();
    }

    fn raw(&self) -> Vec<u8> {
        if !self.raw_begin.is_empty() {
            return self.raw_begin.clone();
        }
        let raw = self.window.unread().get(..self.taken).unwrap_or_default();
        raw.strip_suffix(b"\n").or(raw.strip_suffix(b"\r")).unwrap_or(raw).to_vec()
    }

    fn next(&mut self, record: &mut Record) -> Result<Outcome, Error> {
        self.pass();
        (record.text_used, record.ends_used) = (0, 0);
        if !self.pass_empty_lines()? {
            return Ok(Outcome::Ended);
        }
        self.line = self.window.line();
        loop {
            let input = self.window.unread().get(self.taken..).unwrap_or_default();
            if input.is_empty() {
                if self.taken > ROW_BYTES_MAX {
                    return self.give_up(record);
                }
                if !self.window.fill()? {
                    return Ok(self.end(record));
                }
                continue;
            }
            let text = record.text.get_mut(record.text_used..).unwrap_or_default();
            let ends = record.ends.get_mut(record.ends_used..).unwrap_or_default();
            let (result, read, written, ended) = self.core.read_record(input, text, ends);
            self.taken += read;
            record.text_used += written;
            record.ends_used += ended;
            match result {
                ReadRecordResult::InputEmpty => {}
                // Unquoted text is never longer than quoted, so the limit of a row is one of this as well.
                ReadRecordResult::OutputFull => record.text.resize(record.text.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => record.ends_used -= 1,
                ReadRecordResult::Record if self.taken > ROW_BYTES_MAX => {
                    self.raw_begin = self.begin();
                    return Ok(Outcome::Bad(Reason::TooLarge(ROW_BYTES_MAX)));
                }
                ReadRecordResult::Record => return Ok(Outcome::Whole),
                ReadRecordResult::End => return Ok(Outcome::Ended),
            }
        }
    }

    /// Before a record they say nothing, and a million of them is not a large record.
    fn pass_empty_lines(&mut self) -> Result<bool, Error> {
        loop {
            let unread = self.window.unread();
            let empty = unread.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
            let is_text = empty < unread.len();
            self.window.consume(empty);
            if is_text {
                return Ok(true);
            }
            if !self.window.fill()? {
                return Ok(false);
            }
        }
    }

    /// The file ends inside of a record. A line break ends it, unless it is inside of quotes.
    fn end(&mut self, record: &mut Record) -> Outcome {
        loop {
            let mut spare = [0];
            let ends = record.ends.get_mut(record.ends_used..).unwrap_or_default();
            let (result, _, _, ended) = self.core.read_record(b"\n", &mut spare, ends);
            record.ends_used += ended;
            match result {
                ReadRecordResult::Record => return Outcome::Whole,
                ReadRecordResult::OutputEndsFull if ended == 0 => record.ends_used -= 1,
                _ => {
                    self.raw_begin = self.begin();
                    return Outcome::Bad(Reason::Plain(
                        "has a quote that is never closed, so the rest of the file was taken for its text: close or double it",
                    ));
                }
            }
        }
    }

    fn begin(&self) -> Vec<u8> {
        self.window.unread().get(..self.taken.min(RAW_BYTES_KEPT)).unwrap_or_default().to_vec()
    }

    /// Passes over the rest of a record that is too large, a piece at a time.
    fn give_up(&mut self, record: &mut Record) -> Result<Outcome, Error> {
        let begin = self.begin();
        self.pass();
        loop {
            if self.window.unread().is_empty() && !self.window.fill()? {
                let outcome = self.end(record);
                self.raw_begin = begin;
                return Ok(match outcome {
                    Outcome::Bad(reason) => Outcome::Bad(reason),
                    _ => Outcome::Bad(Reason::TooLarge(ROW_BYTES_MAX)),
                });
            }
            let (result, read, _, _) =
                self.core.read_record(self.window.unread(), &mut record.text, &mut record.ends);
            self.window.consume(read);
            if matches!(result, ReadRecordResult::Record | ReadRecordResult::End) {
                self.raw_begin = begin;
                return Ok(Outcome::Bad(Reason::TooLarge(ROW_BYTES_MAX)));
            }
        }
    }
}

impl CsvRows {
    pub(crate) fn open(
        path: &Path,
        mapping: &Mapping,
        wanted: &[String],
        from: Position,
    ) -> Result<(Self, Headers), Error> {
        let encoding = mapping.encoding;
        let Beginning { headers, delimiter, first } = read_headers(path, mapping.delimiter, Some(encoding))?;
        let from = if from == Position::START { first } else { from };
        let splitter = Splitter::new(Window::open(path, from)?, delimiter);
        let columns = headers.names.len();
        // A wanted column that is not there is refused by the mapping's check before any row is read.
        let place = |name: &String| headers.names.iter().position(|known| known == name).unwrap_or(columns);
        let places = wanted.iter().map(place).collect();
        let record = Record::new(columns);
        Ok((Self { splitter, record, columns, places, rows: from.rows, encoding }, headers))
    }

    /// Whether there is text beyond the last column of the header.
    fn has_extra(&self) -> bool {
        let known = self.columns.checked_sub(1).and_then(|last| self.record.ends.get(last)).copied();
        let extra = known
            .filter(|_| self.record.ends_used > self.columns)
            .and_then(|known| self.record.text.get(known..self.record.text_used));
        extra.is_some_and(|extra| !extra.trim_ascii().is_empty())
    }
}

impl Rows for CsvRows {
    fn next(&mut self, cells: &mut Cells) -> Result<Found, Error> {
        let outcome = self.splitter.next(&mut self.record)?;
        if matches!(outcome, Outcome::Ended) {
            return Ok(Found::End);
        }
        self.rows += 1;
        if let Outcome::Bad(reason) = outcome {
            return Ok(Found::Bad(reason));
        }
        let text = self.record.text.get(..self.record.text_used).unwrap_or_default();
        if text.trim_ascii().is_empty() {
            return Ok(Found::Blank);
        }
        if self.has_extra() {
            return Ok(Found::Bad(Reason::Plain(
                "has more cells than the header: quote values that hold the separator",
            )));
        }
        cells.clear();
        let is_as_it_is = self.encoding == Encoding::Utf8 || text.is_ascii();
        if is_as_it_is {
            cells.text.extend_from_slice(text);
        }
        for (slot, place) in
            self.places.iter().enumerate().filter(|(_, place)| **place < self.record.ends_used)
        {
            match self.record.span(*place) {
                Some(span) if is_as_it_is => cells.place(slot, 0, span),
                Some(span) => {
                    cells.push(slot, 0, |out| decode_latin1(text.get(span).unwrap_or_default(), out));
                }
                None => {}
            }
        }
        Ok(Found::Row)
    }

    fn raw(&self, _cells: &Cells) -> Vec<u8> {
        self.splitter.raw()
    }

    fn row(&self) -> u64 {
        self.rows
    }

    fn line(&self) -> Option<u64> {
        Some(self.splitter.line)
    }

    fn byte(&self) -> u64 {
        self.splitter.window.offset() + u64::try_from(self.splitter.taken).unwrap_or_default()
    }

    fn position(&self) -> Position {
        self.splitter.window.position(self.rows, self.splitter.taken)
    }

    fn total_bytes(&self) -> u64 {
        self.splitter.window.size()
    }

    fn done_bytes(&self) -> u64 {
        self.splitter.window.done()
    }
}
