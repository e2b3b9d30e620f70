//! A file of text, seen through a window of bounded size that moves from row to row.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;

use crate::error::Error;
use crate::limits::{CHUNK_BYTES, ROW_BYTES_MAX};
use crate::position::Position;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const UTF8_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];
const UTF16_MARKS: [[u8; 2]; 2] = [[0xff, 0xfe], [0xfe, 0xff]];

/// A file and how much of it was read, whoever reads it.
struct Counted {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let bytes = self.file.read(buffer)?;
        self.read.fetch_add(u64::try_from(bytes).unwrap_or_default(), Ordering::Relaxed);
        Ok(bytes)
    }
}

pub(crate) struct Window {
    input: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// What is in view lies between the two.
    start: usize,
    end: usize,
    /// Of `start`, counted after unpacking.
    offset: u64,
    /// Line feeds before `start`.
    lines: u64,
    is_packed: bool,
    size: u64,
    read: Arc<AtomicU64>,
}

impl Window {
    /// Opens a file at a position. The mark of UTF-8 at its beginning, if there is one, is passed over.
    pub(crate) fn open(path: &Path, from: Position) -> Result<Self, Error> {
        let offset = from.bytes;
        let mut file = File::open(path).map_err(Error::Open)?;
        let size = file.metadata().map_err(Error::Open)?.len();
        let mut magic = [0; 2];
        let is_packed = read_up_to(&mut file, &mut magic)? == magic.len() && magic == GZIP_MAGIC;
        if !is_packed && offset > size {
            return Err(Error::PositionPastEnd);
        }
        let start = if is_packed { 0 } else { offset };
        file.seek(SeekFrom::Start(start)).map_err(Error::Read)?;
        let read = Arc::new(AtomicU64::new(start));
        let counted = Counted { file, read: Arc::clone(&read) };
        let input: Box<dyn Read + Send> =
            if is_packed { Box::new(MultiGzDecoder::new(counted)) } else { Box::new(counted) };
        let buffer = vec![0; CHUNK_BYTES];
        let mut window =
            Self { input, buffer, start: 0, end: 0, offset: start, lines: 0, is_packed, size, read };
        if is_packed {
            window.skip(offset)?;
        }
        window.lines = from.lines;
        if offset == 0 {
            window.pass_marks()?;
        }
        Ok(window)
    }

    fn pass_marks(&mut self) -> Result<(), Error> {
        while self.unread().len() < UTF8_MARK.len() && self.fill()? {}
        if UTF16_MARKS.iter().any(|mark| self.unread().starts_with(mark)) {
            return Err(Error::Utf16);
        }
        if self.unread().starts_with(&UTF8_MARK) {
            self.consume(UTF8_MARK.len());
        }
        Ok(())
    }

    /// Packed text has no places: what comes before has to be unpacked again.
    fn skip(&mut self, mut bytes: u64) -> Result<(), Error> {
        while bytes > 0 {
            if self.unread().is_empty() && !self.fill()? {
                return Err(Error::PositionPastEnd);
            }
            let step = self.unread().len().min(usize::try_from(bytes).unwrap_or(usize::MAX));
            self.consume(step);
            bytes -= u64::try_from(step).unwrap_or_default();
        }
        Ok(())
    }

    pub(crate) fn unread(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    pub(crate) fn consume(&mut self, bytes: usize) {
        let bytes = bytes.min(self.end - self.start);
        self.lines += self.lines_in(bytes);
        self.start += bytes;
        self.offset += u64::try_from(bytes).unwrap_or_default();
    }

    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// The number of the line that the window starts in.
    pub(crate) fn line(&self) -> u64 {
        self.lines + 1
    }

    /// The place so many bytes behind the start.
    pub(crate) fn position(&self, rows: u64, behind: usize) -> Position {
        let bytes = self.offset + u64::try_from(behind).unwrap_or_default();
        Position { rows, lines: self.lines + self.lines_in(behind), bytes }
    }

    fn lines_in(&self, bytes: usize) -> u64 {
        let seen = self.unread().get(..bytes).unwrap_or_default();
        u64::try_from(seen.iter().filter(|byte| **byte == b'\n').count()).unwrap_or_default()
    }

    /// The size of the file as it lies on the disk, and how much of that is behind the window's start.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    pub(crate) fn done(&self) -> u64 {
        let done = if self.is_packed { self.read.load(Ordering::Relaxed) } else { self.offset };
        done.min(self.size)
    }

    /// Brings more of the file into view; false at its end. Never more than the largest row and a chunk are in view: a
    /// reader that has seen so much of a row without its end gives it up.
    pub(crate) fn fill(&mut self) -> Result<bool, Error> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            if self.buffer.len() >= ROW_BYTES_MAX + CHUNK_BYTES {
                return Err(Error::Read(ErrorKind::OutOfMemory.into()));
            }
            self.buffer.resize(self.buffer.len() + CHUNK_BYTES, 0);
        }
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        let bytes = read_up_to_once(&mut self.input, room)?;
        self.end += bytes;
        Ok(bytes > 0)
    }
}

fn read_up_to_once(input: &mut impl Read, room: &mut [u8]) -> Result<usize, Error> {
    loop {
        match input.read(room) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            other => return other.map_err(Error::Read),
        }
    }
}

fn read_up_to(input: &mut impl Read, room: &mut [u8]) -> Result<usize, Error> {
    let mut done = 0;
    while let Some(rest) = room.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match read_up_to_once(input, rest)? {
            0 => break,
            bytes => done += bytes,
        }
    }
    Ok(done)
}
