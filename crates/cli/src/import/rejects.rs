//! The file of rows that could not be read. After a stop it holds each of them once: what an unfinished commit has left is
//! dropped when the run goes on.

use crate::failure::Failure;
use assay_intake::Reject;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

const HEADER: &[u8] = b"row,line,column,reason,raw\n";
/// Rejected rows are personal data: nobody else on the machine needs them.
const OWNER_ONLY: u32 = 0o600;

/// Made when the first row is rejected.
#[derive(Debug)]
pub struct Rejects {
    path: PathBuf,
    file: Option<File>,
}

impl Rejects {
    /// Goes on after `rows` rows of the file that is imported; after none it begins anew.
    pub fn open(path: &Path, rows: u64) -> Result<Self, Failure> {
        let opened = Self::open_file(path, rows).map_err(|error| unwritable(path, &error))?;
        opened.ok_or_else(|| {
            let what = format!("{} exists and is no file of rejects", path.display());
            Failure::new(what, "move it away, or name another file with --rejects")
        })
    }

    /// None when the file is somebody else's.
    fn open_file(path: &Path, rows: u64) -> io::Result<Option<Self>> {
        let path = path.to_owned();
        let read = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Some(Self { path, file: None }));
            }
            read => read?,
        };
        let Some(kept) = kept_bytes(BufReader::new(read), rows)? else { return Ok(None) };
        if kept == 0 {
            std::fs::remove_file(&path)?;
            return Ok(Some(Self { path, file: None }));
        }
        let file = OpenOptions::new().append(true).open(&path)?;
        file.set_len(kept)?;
        Ok(Some(Self { path, file: Some(file) }))
    }

    /// On disk when it returns: the commit that follows takes these rows for told.
    pub fn append(&mut self, rejects: &[Reject]) -> Result<(), Failure> {
        if rejects.is_empty() {
            return Ok(());
        }
        self.append_lines(rejects).map_err(|error| unwritable(&self.path, &error))
    }

    fn append_lines(&mut self, rejects: &[Reject]) -> io::Result<()> {
        let mut text = Vec::new();
        let mut file = match self.file.take() {
            Some(file) => file,
            None => {
                text.extend_from_slice(HEADER);
                OpenOptions::new().append(true).create_new(true).mode(OWNER_ONLY).open(&self.path)?
            }
        };
        for reject in rejects {
            write_line(&mut text, reject)?;
        }
        file.write_all(&text)?;
        file.sync_data()?;
        self.file = Some(file);
        Ok(())
    }

    /// The path, if there is a file.
    pub fn path(self) -> Option<PathBuf> {
        self.file.map(|_| self.path)
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let what = format!("rejected rows cannot be written to {}: {error}", path.display());
    Failure::new(what, "make room or name another file with --rejects, then run it again: it goes on")
}

fn write_line(text: &mut Vec<u8>, reject: &Reject) -> io::Result<()> {
    let line = reject.line.map(|line| line.to_string()).unwrap_or_default();
    write!(text, "{},{line},", reject.row)?;
    let (column, value) = match &reject.dropped {
        Some(dropped) => (&*dropped.column, format!("; the value of the column {}", dropped.reason)),
        None => ("", String::new()),
    };
    quote(text, column.as_bytes());
    text.push(b',');
    quote(text, format!("the row {}{value}", reject.reason).as_bytes());
    text.push(b',');
    // As it is in the file, whatever its encoding: it is to be mended and imported again.
    quote(text, &reject.raw);
    text.push(b'\n');
    Ok(())
}

fn quote(text: &mut Vec<u8>, cell: &[u8]) {
    text.push(b'"');
    for byte in cell {
        if *byte == b'"' {
            text.push(b'"');
        }
        text.push(*byte);
    }
    text.push(b'"');
}

/// How many bytes of the file are about the first `rows` rows: 0 when none is. None when it is no file of rejects.
fn kept_bytes(mut file: impl BufRead, rows: u64) -> io::Result<Option<u64>> {
    let mut header = Vec::new();
    let header_bytes = length(HEADER);
    file.by_ref().take(header_bytes).read_to_end(&mut header)?;
    if !HEADER.starts_with(&header) {
        return Ok(None);
    }
    let mut kept = header_bytes;
    let mut record = Vec::new();
    // What is open at the end is the rest of a write that a kill has cut off.
    while file.read_until(b'\n', &mut record)? > 0 {
        // A line end within quotes belongs to the row. Quotes within quotes are doubled, so an even number closes them.
        let quotes = record.iter().filter(|byte| **byte == b'"').count();
        if !quotes.is_multiple_of(2) || !record.ends_with(b"\n") {
            continue;
        }
        if row_number(&record).is_none_or(|row| row > rows) {
            break;
        }
        kept += length(&record);
        record.clear();
    }
    Ok(Some(if kept == header_bytes { 0 } else { kept }))
}

fn row_number(record: &[u8]) -> Option<u64> {
    let digits = record.split(|byte| *byte == b',').next()?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_intake::Reason;

    fn reject(row: u64, raw: &[u8]) -> Reject {
        let reason = Reason::Plain("names nobody, \"really\"");
        Reject { row, line: Some(row + 1), reason, dropped: None, raw: raw.to_vec() }
    }

    struct Place(PathBuf);

    impl Place {
        fn new() -> Self {
            Self(std::env::temp_dir().join(format!("assay-rejects-{:032x}", rand::random::<u128>())))
        }

        fn bytes(&self) -> Vec<u8> {
            std::fs::read(&self.0).unwrap()
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            drop(std::fs::remove_file(&self.0));
        }
    }

    #[test]
    fn a_run_that_goes_on_keeps_what_was_committed_and_nothing_else() {
        let place = Place::new();
        let mut rejects = Rejects::open(&place.0, 0).unwrap();
        rejects.append(&[]).unwrap();
        assert!(!place.0.exists());
        rejects.append(&[reject(2, b"a,\"b\nc\"\xff")]).unwrap();
        let committed = place.bytes();
        rejects.append(&[reject(4, b"x\ny"), reject(5, b"z")]).unwrap();
        let whole = place.bytes();
        assert_eq!(
            committed,
            b"row,line,column,reason,raw\n2,3,\"\",\"the row names nobody, \"\"really\"\"\",\"a,\"\"b\nc\"\"\xff\"\n"
        );
        for cut in committed.len()..=whole.len() {
            std::fs::write(&place.0, &whole[..cut]).unwrap();
            let mut again = Rejects::open(&place.0, 3).unwrap();
            assert_eq!(place.bytes(), committed, "cut at {cut}");
            again.append(&[reject(4, b"x\ny"), reject(5, b"z")]).unwrap();
            assert_eq!(place.bytes(), whole);
            assert_eq!(again.path().as_deref(), Some(&*place.0));
        }
    }

    #[test]
    fn a_run_that_begins_anew_has_no_old_rejects() {
        let place = Place::new();
        for left in [&b""[..], b"row,li", HEADER, b"row,line,column,reason,raw\n7,8,\"\",\"\",\"x\"\n"] {
            std::fs::write(&place.0, left).unwrap();
            assert_eq!(Rejects::open(&place.0, 0).unwrap().path(), None);
            assert!(!place.0.exists());
        }
    }

    #[test]
    fn a_file_of_somebody_else_is_left_alone() {
        let place = Place::new();
        std::fs::write(&place.0, "name,email\n").unwrap();
        let refused = Rejects::open(&place.0, 0).unwrap_err().to_string();
        assert!(refused.contains("is no file of rejects"), "{refused}");
        assert_eq!(place.bytes(), b"name,email\n");
    }
}
