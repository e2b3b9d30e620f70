//! Reads the file of a deletion list: CSV with a header that names a column `Hash`.

use crate::failure::Failure;
use std::fs::File;
use std::io::{BufRead, BufReader, Split};
use std::path::{Path, PathBuf};

const COLUMN: &str = "hash";
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A list whose lines were counted.
pub struct HashFile {
    path: PathBuf,
    lines: u64,
}

/// One line below the header. The hash is not checked yet.
pub struct Entry {
    /// Counted as an editor does, from 1, the header included.
    pub line: u64,
    pub hash: String,
}

impl HashFile {
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let mut reader = reader(path)?;
        let mut lines = 0;
        loop {
            let buffer = reader.fill_buf().map_err(|error| unreadable(path, &error))?;
            if buffer.is_empty() {
                break;
            }
            let (read, ends) = (buffer.len(), buffer.iter().filter(|byte| **byte == b'\n').count());
            lines += u64::try_from(ends).unwrap_or(0);
            reader.consume(read);
        }
        Ok(Self { path: path.to_owned(), lines })
    }

    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// The entries, read as they are asked for.
    pub fn entries(&self) -> Result<Entries, Failure> {
        let mut lines = reader(&self.path)?.split(b'\n');
        let header = lines.next().transpose().map_err(|error| unreadable(&self.path, &error))?;
        let header = text(&header.unwrap_or_default());
        let names = cells(header.trim_start_matches(BYTE_ORDER_MARK));
        let column = names.iter().position(|name| name.eq_ignore_ascii_case(COLUMN)).ok_or_else(|| {
            Failure::new(
                format!("{} has no column named Hash in its first line", self.path.display()),
                "give one CSV file of the list, unpacked, with its header ID,Hash",
            )
        })?;
        Ok(Entries { path: self.path.clone(), lines, line: 1, column })
    }
}

pub struct Entries {
    path: PathBuf,
    lines: Split<BufReader<File>>,
    line: u64,
    column: usize,
}

impl Iterator for Entries {
    type Item = Result<Entry, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.line += 1;
            let line = match self.lines.next()? {
                Ok(line) => text(&line),
                Err(error) => return Some(Err(unreadable(&self.path, &error))),
            };
            if line.trim().is_empty() {
                continue;
            }
            let hash = cells(&line).get(self.column).copied().unwrap_or_default().to_owned();
            return Some(Ok(Entry { line: self.line, hash }));
        }
    }
}

/// Neither ids nor hashes can hold a comma or a quote, so a cell is what stands between commas, quoted or not.
fn cells(line: &str) -> Vec<&str> {
    line.split(',').map(|cell| cell.trim().trim_matches('"')).collect()
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).into_owned()
}

fn reader(path: &Path) -> Result<BufReader<File>, Failure> {
    File::open(path).map(BufReader::new).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{} cannot be read: {error}", path.display()), "check the path")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &[u8]) -> Result<Vec<(u64, String)>, Failure> {
        let path = std::env::temp_dir().join(format!("assay-list-{:032x}", rand::random::<u128>()));
        std::fs::write(&path, content).unwrap();
        let file = HashFile::open(&path)?;
        let entries = file.entries();
        std::fs::remove_file(&path).unwrap();
        entries?.map(|entry| entry.map(|entry| (entry.line, entry.hash))).collect()
    }

    #[test]
    fn the_column_is_found_by_its_name_in_every_usual_spelling() {
        let rows = [(2, "aa".to_owned()), (4, "bb".to_owned())];
        for content in [
            &b"ID,Hash\n1,aa\n\n2,bb\n"[..],
            b"\xef\xbb\xbfID,Hash\r\n1,aa\r\n\r\n2,bb",
            b"\"id\" , \"HASH\"\n\"1\",\"aa\"\n \n2, bb \n",
            b"hash,id\naa,1\n\nbb,2\n",
        ] {
            assert_eq!(read(content).unwrap(), rows, "{}", String::from_utf8_lossy(content));
        }
        assert_eq!(read(b"ID,Hash\n1\n\xff\xfe,\xff\n").unwrap()[0], (2, String::new()));
    }

    #[test]
    fn a_file_without_the_column_is_refused() {
        for content in [&b""[..], b"PK\x03\x04", b"ID;Hash\n1;aa\n", b"1,aa\n"] {
            assert!(read(content).unwrap_err().to_string().contains("no column named Hash"));
        }
        assert!(HashFile::open(Path::new("/no/such/list.csv")).is_err());
    }
}
