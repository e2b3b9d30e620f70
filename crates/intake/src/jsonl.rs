//! Rows of a file with one JSON object a line.

mod fill;

use std::collections::HashSet;
use std::path::Path;

use serde_json::{Map, Value};

use crate::cells::Cells;
use crate::encoding::Encoding;
use crate::error::Error;
use crate::header::{Headers, is_invisible};
use crate::limits::{
    COLUMN_NAME_CHARS_MAX, COLUMNS_MAX, RAW_BYTES_KEPT, ROW_BYTES_MAX, SAMPLE_BYTES_MAX, SAMPLE_ROWS_MAX,
};
use crate::note::Reason;
use crate::position::Position;
use crate::rows::{Found, Rows};
use crate::window::Window;
use fill::Wanted;

/// The lines of a file, of bounded length.
struct Lines {
    window: Window,
    /// The bytes of the line in view, with its end.
    taken: usize,
    /// The number of that line.
    line: u64,
    /// The beginning of a line that was too long.
    begin: Option<Vec<u8>>,
}

enum Line {
    Whole,
    TooLarge,
    Ended,
}

pub(crate) struct JsonlRows {
    lines: Lines,
    wanted: Wanted,
    rows: u64,
}

impl Lines {
    fn open(path: &Path, from: Position) -> Result<Self, Error> {
        Ok(Self { window: Window::open(path, from)?, taken: 0, line: 0, begin: None })
    }

    fn pass(&mut self) {
        self.window.consume(self.taken);
        self.taken = 0;
        self.begin = None;
    }

    /// The next line that is not empty.
    fn next(&mut self) -> Result<Line, Error> {
        loop {
            self.pass();
            self.line = self.window.line();
            match self.find_end()? {
                Line::Whole if self.text().is_empty() => {}
                other => return Ok(other),
            }
        }
    }

    fn find_end(&mut self) -> Result<Line, Error> {
        let mut seen = 0;
        loop {
            let unread = self.window.unread();
            let rest = unread.get(seen..).unwrap_or_default();
            if let Some(length) = rest.iter().position(|byte| *byte == b'\n') {
                self.taken = seen + length + 1;
                return Ok(self.judge_length());
            }
            seen = unread.len();
            if seen > ROW_BYTES_MAX {
                return self.give_up();
            }
            if !self.window.fill()? {
                self.taken = seen;
                return Ok(if seen == 0 { Line::Ended } else { self.judge_length() });
            }
        }
    }

    fn judge_length(&mut self) -> Line {
        if self.taken <= ROW_BYTES_MAX {
            return Line::Whole;
        }
        self.begin = Some(self.text().get(..RAW_BYTES_KEPT).unwrap_or_default().to_vec());
        Line::TooLarge
    }

    /// Passes over the rest of a line that is too long, a piece at a time.
    fn give_up(&mut self) -> Result<Line, Error> {
        let begin = self.window.unread().get(..RAW_BYTES_KEPT).unwrap_or_default().to_vec();
        loop {
            let unread = self.window.unread();
            let end = unread.iter().position(|byte| *byte == b'\n');
            let step = end.map_or(unread.len(), |end| end + 1);
            self.window.consume(step);
            if end.is_some() || !self.window.fill()? {
                self.begin = Some(begin);
                return Ok(Line::TooLarge);
            }
        }
    }

    /// The line in view, trimmed.
    fn text(&self) -> &[u8] {
        self.window.unread().get(..self.taken).unwrap_or_default().trim_ascii()
    }
}

/// Looks into the beginning of a file for the paths that its objects have, in the order they appear.
pub(crate) fn read_headers(path: &Path) -> Result<Headers, Error> {
    let mut lines = Lines::open(path, Position::START)?;
    let mut names = Vec::new();
    let mut known = HashSet::new();
    let mut rows = 0;
    loop {
        if rows >= SAMPLE_ROWS_MAX || lines.window.offset() >= SAMPLE_BYTES_MAX {
            return Ok(Headers { names, are_complete: false, encoding: Encoding::Utf8 });
        }
        match lines.next()? {
            Line::Ended if rows == 0 => return Err(Error::Empty),
            Line::Ended => return Ok(Headers { names, are_complete: true, encoding: Encoding::Utf8 }),
            Line::Whole if rows == 0 && lines.text().starts_with(b"[") => return Err(Error::JsonArray),
            Line::Whole => {
                if let Ok(Value::Object(object)) = serde_json::from_slice(lines.text()) {
                    walk(&object, &mut String::new(), &mut |path| {
                        if !known.contains(path) && is_nameable(path) && names.len() <= COLUMNS_MAX {
                            known.insert(path.to_owned());
                            names.push(path.to_owned());
                        }
                    });
                }
            }
            Line::TooLarge => {}
        }
        if names.len() > COLUMNS_MAX {
            return Err(Error::TooManyColumns(COLUMNS_MAX));
        }
        rows += 1;
    }
}

/// A path that can stand in a mapping file.
fn is_nameable(path: &str) -> bool {
    !path.is_empty() && path.chars().count() <= COLUMN_NAME_CHARS_MAX && !path.chars().any(is_invisible)
}

/// Tells the path of every single value inside of an object: names with dots between them, lists left out.
fn walk(object: &Map<String, Value>, path: &mut String, tell: &mut impl FnMut(&str)) {
    for (name, value) in object {
        let length = path.len();
        if length > 0 {
            path.push('.');
        }
        path.push_str(name);
        walk_value(value, path, tell);
        path.truncate(length);
    }
}

/// As deep as the parser lets values be inside of each other, which is 128.
fn walk_value(value: &Value, path: &mut String, tell: &mut impl FnMut(&str)) {
    match value {
        Value::Object(object) => walk(object, path, tell),
        Value::Array(values) => values.iter().for_each(|value| walk_value(value, path, tell)),
        _ => tell(path),
    }
}

impl JsonlRows {
    pub(crate) fn open(path: &Path, wanted: &[String], from: Position) -> Result<(Self, Headers), Error> {
        let headers = read_headers(path)?;
        let lines = Lines::open(path, from)?;
        Ok((Self { lines, wanted: Wanted::new(wanted), rows: from.rows }, headers))
    }
}

impl Rows for JsonlRows {
    fn next(&mut self, cells: &mut Cells) -> Result<Found, Error> {
        match self.lines.next()? {
            Line::Ended => return Ok(Found::End),
            Line::TooLarge => {
                self.rows += 1;
                return Ok(Found::Bad(Reason::TooLarge(ROW_BYTES_MAX)));
            }
            Line::Whole => self.rows += 1,
        }
        cells.clear();
        Ok(match self.wanted.fill(self.lines.text(), cells) {
            Ok(()) => Found::Row,
            Err(reason) => Found::Bad(reason),
        })
    }

    fn raw(&self, _cells: &Cells) -> Vec<u8> {
        self.lines.begin.clone().unwrap_or_else(|| self.lines.text().to_vec())
    }

    fn row(&self) -> u64 {
        self.rows
    }

    fn line(&self) -> Option<u64> {
        Some(self.lines.line)
    }

    fn byte(&self) -> u64 {
        self.lines.window.offset() + u64::try_from(self.lines.taken).unwrap_or_default()
    }

    fn position(&self) -> Position {
        self.lines.window.position(self.rows, self.lines.taken)
    }

    fn total_bytes(&self) -> u64 {
        self.lines.window.size()
    }

    fn done_bytes(&self) -> u64 {
        self.lines.window.done()
    }
}
