//! A reader that stops anywhere is gone on with exactly where it stopped.

use std::io::Write;
use std::path::Path;

use assay_intake::{Error, Kind, Mapping, Position, fingerprint};
use parquet::basic::Compression;
use proptest::collection::vec;
use proptest::prelude::*;

use super::files::{Folder, Told, guess, open};
use super::samples::{people_columns, person, write_parquet};

/// Reads with one reader, in batches of one size.
fn read_through(path: &Path, mapping: &Mapping) -> Told {
    let mut reader = open(path, mapping, Position::START).unwrap();
    let mut told = Told::default();
    while let Some(batch) = reader.next_batch(7).unwrap() {
        told.add(batch);
    }
    told
}

/// Reads with as many readers as there are batches, each killed in the middle of the batch after its own: what it has read
/// and not yet told is lost.
fn read_in_pieces(path: &Path, mapping: &Mapping, sizes: &[usize]) -> Told {
    let mut told = Told::default();
    let mut position = Position::START;
    for size in sizes.iter().cycle() {
        let mut reader = open(path, mapping, position).unwrap();
        assert_eq!(reader.position().rows, position.rows);
        let Some(batch) = reader.next_batch(*size).unwrap() else {
            return told;
        };
        reader.next_batch(*size).unwrap();
        position = batch.position.to_string().parse().unwrap();
        told.add(batch);
    }
    told
}

/// A cell as it is in the file: plain, quoted with breaks and quotes inside, or broken.
fn cell() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => "[a-z]{0,6}".prop_map(String::into_bytes),
        2 => "[a-z]{1,5}@[a-z]{1,5}\\.example".prop_map(String::into_bytes),
        2 => "\"([a-z,]|\"\"|\n|\r\n|\r){0,6}\"".prop_map(String::into_bytes),
        1 => "[a-z]\"[a-z\"]{0,3}".prop_map(String::into_bytes),
        1 => Just(vec![0xc3]),
        1 => Just(vec![0xa9, b'x']),
        1 => Just("\u{feff}é".as_bytes().to_vec()),
        1 => Just(vec![b'a', 0, b'b']),
    ]
}

fn line() -> impl Strategy<Value = Vec<u8>> {
    let cells = vec(cell(), 1..6).prop_map(|cells| cells.join(&b','));
    let end = prop::sample::select(vec!["\n", "\r\n", "\r", "\n\n", "\r\n\r\n"]);
    (cells, end).prop_map(|(mut line, end)| {
        line.extend(end.bytes());
        line
    })
}

prop_compose! {
    /// Any text, nearly: also with a mark of UTF-8, an end without a break and a quote that is never closed.
    fn text()(mark: bool, mut lines in vec(line(), 0..25), cut in 0_usize..4, is_open in prop::bool::weighted(0.1)) -> Vec<u8> {
        if is_open {
            lines.push(b"x,\"open\n1,2\n".to_vec());
        }
        let mut text = if mark { "\u{feff}".as_bytes().to_vec() } else { Vec::new() };
        text.extend(b"name,email,title,skills\n");
        text.extend(lines.concat());
        text.truncate(text.len() - cut.min(text.len() - 30.min(text.len())));
        text
    }
}

fn json_line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => ("[a-z]{0,6}", "[a-z]{1,5}@x\\.example").prop_map(|(name, email)| format!("{{\"name\":\"{name}\",\"email\":\"{email}\"}}")),
        1 => "[ \\t\\r]{0,3}",
        1 => "[a-z{}\\[\\]\",:]{0,10}",
        1 => Just("{\"name\":\"\u{feff}J\\nD\",\"email\":[\"a@x.example\",\"b\"]}".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_csv_file_is_gone_on_with(text in text(), sizes in vec(1_usize..6, 1..5), is_packed: bool) {
        let folder = Folder::new();
        let path = if is_packed {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packer.write_all(&text).unwrap();
            folder.write("p.csv.gz", packer.finish().unwrap())
        } else {
            folder.write("p.csv", &text)
        };
        let mapping = guess(&path, Kind::People).unwrap();
        prop_assert_eq!(read_in_pieces(&path, &mapping, &sizes), read_through(&path, &mapping));
    }

    #[test]
    fn a_file_of_json_lines_is_gone_on_with(lines in vec(json_line(), 0..25), is_crlf: bool, sizes in vec(1_usize..6, 1..5)) {
        let folder = Folder::new();
        let end = if is_crlf { "\r\n" } else { "\n" };
        let text = format!("\u{feff}{{\"name\":\"A\",\"email\":\"a@x.example\"}}{end}{}", lines.join(end));
        let path = folder.write("p.jsonl", text);
        let mapping = guess(&path, Kind::People).unwrap();
        prop_assert_eq!(read_in_pieces(&path, &mapping, &sizes), read_through(&path, &mapping));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_parquet_file_is_gone_on_with(
        rows in vec(person(), 1..16),
        group_rows in 1_usize..10,
        sizes in vec(1_usize..9, 1..5),
    ) {
        let folder = Folder::new();
        let path = folder.path("p.parquet");
        write_parquet(&path, &people_columns(&rows), group_rows, Compression::SNAPPY);
        let mapping = guess(&path, Kind::People).unwrap();
        prop_assert_eq!(read_in_pieces(&path, &mapping, &sizes), read_through(&path, &mapping));
    }
}

#[test]
fn a_position_of_another_file_is_refused_where_that_can_be_seen() {
    let folder = Folder::new();
    let text = folder.write("p.csv", "name\nJane\n");
    let packed = {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(b"name\nJane\n").unwrap();
        folder.write("p.csv.gz", packer.finish().unwrap())
    };
    let table = folder.path("p.parquet");
    write_parquet(&table, &people_columns(&[Default::default()]), 1, Compression::SNAPPY);
    for (path, position, error) in [
        (&text, "9:9:1000", Error::PositionPastEnd),
        (&packed, "9:9:1000", Error::PositionPastEnd),
        (&table, "2:0:0", Error::PositionPastEnd),
        (&table, "1:0:7", Error::PositionOfOtherFormat),
    ] {
        let mapping = guess(path, Kind::People).unwrap();
        let refused = open(path, &mapping, position.parse().unwrap()).unwrap_err();
        assert_eq!(refused.to_string(), error.to_string(), "{position}");
    }
    let mapping = guess(&table, Kind::People).unwrap();
    assert!(open(&table, &mapping, "1:0:0".parse().unwrap()).unwrap().next_batch(1).unwrap().is_none());
}

#[test]
fn a_reader_may_be_moved_to_another_thread() {
    let folder = Folder::new();
    let path = folder.write("p.csv", "name\nJane\nJo\n");
    let mut reader = open(&path, &guess(&path, Kind::People).unwrap(), Position::START).unwrap();
    let first = reader.next_batch(1).unwrap().unwrap();
    let rest = std::thread::spawn(move || reader.next_batch(9).unwrap().unwrap()).join().unwrap();
    assert_eq!((first.rows.len(), rest.rows.len(), rest.position.rows), (1, 1, 2));
}

#[test]
fn a_batch_ends_early_where_rows_are_large() {
    let folder = Folder::new();
    let title = "x".repeat(900_000);
    let text = format!("name,notes\n{}", format!("Jane,{title}\n").repeat(40));
    let path = folder.write("p.csv", text);
    let mapping = guess(&path, Kind::People).unwrap();
    let mut reader = open(&path, &mapping, Position::START).unwrap();
    let first = reader.next_batch(1_000).unwrap().unwrap();
    assert!((15..25).contains(&first.rows.len()), "{first:?}");
    assert!(reader.done_bytes() < reader.total_bytes());
}

#[test]
fn a_fingerprint_tells_files_apart_by_size_and_both_ends() {
    let folder = Folder::new();
    let mut content = vec![b'x'; 3 * 1024 * 1024];
    let same = fingerprint(&folder.write("a", &content)).unwrap();
    assert_eq!(fingerprint(&folder.write("b", &content)).unwrap(), same);
    let last = content.len() - 1;
    for place in [0, last] {
        content[place] = b'y';
        assert_ne!(fingerprint(&folder.write("c", &content)).unwrap(), same);
        content[place] = b'x';
    }
    content.push(b'x');
    assert_ne!(fingerprint(&folder.write("d", &content)).unwrap(), same);
    assert!(fingerprint(&folder.write("e", "")).is_ok());
    assert!(matches!(fingerprint(&folder.path("missing")), Err(Error::Open(_))));
}
