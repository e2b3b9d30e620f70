//! Files that are broken, by accident or on purpose. None is read wrongly, none takes more memory than it should.

use std::io::Write;

use assay_intake::{Error, Format, Kind, Mapping, Position, read_headers};
use proptest::prelude::*;

use super::files::{Folder, guess, open, read_people, read_with};

#[test]
fn a_file_without_rows_is_told_from_one_without_anything() {
    let folder = Folder::new();
    for (name, content) in [
        ("a.csv", ""),
        ("b.csv", "\n\r\n\n"),
        ("c.jsonl", ""),
        ("d.jsonl", " \n\n"),
        ("e.parquet", ""),
        ("f.csv", "\u{feff}"),
    ] {
        let path = folder.write(name, content);
        assert!(matches!(read_people(&path), Err(Error::Empty)), "{name}");
    }
    for content in ["name,email", "name,email\n", "\u{feff}name,email\r\n\r\n"] {
        let told = read_people(&folder.write("h.csv", content)).unwrap();
        assert_eq!((told.people.len(), told.rejects.len()), (0, 0));
    }
    assert!(matches!(read_people(&folder.path("missing.csv")), Err(Error::Open(_))));
}

#[test]
fn duplicated_and_missing_headers_are_columns_all_the_same() {
    let folder = Folder::new();
    let path = folder.write("p.csv", "Name,Email,Email,,\nJane,a@acme.example,b@acme.example,x,y\n");
    assert_eq!(
        read_headers(&path, Format::Csv, None).unwrap().names,
        ["Name", "Email", "Email (2)", "column 4", "column 5"]
    );
    assert_eq!(read_people(&path).unwrap().people[0].1.emails.len(), 2);
}

#[test]
fn a_file_without_a_header_is_not_read_as_if_it_had_one() {
    let folder = Folder::new();
    let path = folder.write("p.csv", "Jane Doe,jane@acme.example\nJo Doe,jo@acme.example\n");
    let refused = read_people(&path).unwrap_err();
    assert!(matches!(refused, Error::HeaderMissing));
    assert!(!refused.to_string().contains("jane"));
}

#[test]
fn cells_may_be_missing_and_empty_ones_too_many_but_not_full_ones() {
    let folder = Folder::new();
    let path = folder
        .write("p.csv", "name,email,title\nA\nB,b@x.example,t,, \nC,c@x.example,t,more\n,,,\n\n  \nD,,\n");
    let told = read_people(&path).unwrap();
    assert_eq!(told.people.iter().map(|(row, _)| *row).collect::<Vec<_>>(), [1, 2, 6]);
    assert_eq!(
        told.reasons(),
        [(3, "has more cells than the header: quote values that hold the separator".to_owned())]
    );
    assert_eq!(told.rejects[0].raw, b"C,c@x.example,t,more");
}

#[test]
fn what_is_not_utf8_is_rejected_row_by_row() {
    let folder = Folder::new();
    let not_utf8 =
        "is not utf-8: save the file as utf-8, or set encoding = \"latin-1\" in the mapping of a csv file";
    let (not_utf8, not_json) = (not_utf8.to_owned(), "is not json: write one whole object a line".to_owned());
    // Most letters beyond ASCII are in UTF-8, so the file is, and three rows are not.
    let good = "Jane,j@x.example,éàüß\n".as_bytes();
    let path = folder
        .write("p.csv", [b"name,email,notes\nM\xfcller,m@x.example,\n", good, b"a\xc3,\xa9b,\n"].concat());
    let told = read_people(&path).unwrap();
    assert_eq!(told.names(), ["Jane"]);
    assert_eq!(told.reasons(), [(1, not_utf8.clone()), (3, not_utf8.clone())]);
    assert_eq!(told.rejects[0].raw, b"M\xfcller,m@x.example,");
    let lines =
        folder.write("p.jsonl", b"{\"name\":\"Jane\"}\n{\"name\":\"M\xfcller\"}\n{\"name\":\"\\ud800\"}\n");
    let told = read_people(&lines).unwrap();
    assert_eq!(told.reasons(), [(2, not_utf8), (3, not_json.clone())]);
    let mapping = Mapping::from_toml("[people]\nfull_name = \"name\"\n").unwrap();
    for header in [&b"n\xe4me,name\nx,y\n"[..], b"a\xc3,\xa9b,name\nx,y,z\n"] {
        assert!(matches!(read_with(&folder.write("h.csv", header), &mapping), Err(Error::HeaderNotUtf8)));
    }
    assert!(matches!(read_people(&folder.write("w.csv", b"\xff\xfen\0a\0m\0e\0")), Err(Error::Utf16)));
}

#[test]
fn control_characters_cost_a_value_and_not_the_row() {
    let folder = Folder::new();
    let path = folder.write("p.csv", "name,email\nJa\0ne,j@x.example\nJa\0ne,\n");
    let told = read_people(&path).unwrap();
    assert_eq!(told.people.len(), 1);
    assert_eq!(told.rejects.len(), 1);
    let control =
        |row, line| format!("row {row}, line {line}, column `name`: has a control character: remove it");
    assert_eq!(told.notes_told(), [control(1, 2), control(2, 3)]);
    let lines = folder.write("p.jsonl", "{\"name\":\"Ja\\u0000ne\",\"email\":\"j@x.example\"}\n");
    assert_eq!(read_people(&lines).unwrap().notes_told(), [control(1, 1)]);
}

#[test]
fn a_quote_that_is_never_closed_is_told_as_such() {
    let folder = Folder::new();
    let path = folder.write("p.csv", "name,email\nJane,j@x.example\n\"Jo,k@x.example\nJim,l@x.example\n");
    let told = read_people(&path).unwrap();
    assert_eq!(told.names(), ["Jane"]);
    assert_eq!(told.rejects.len(), 1);
    assert!(
        told.rejects[0].reason.to_string().starts_with("has a quote that is never closed"),
        "{:?}",
        told.rejects
    );
    assert!(told.rejects[0].raw.starts_with(b"\"Jo,k@x.example"));
    // One that another row happens to close makes a name over several lines, which nobody has.
    let path = folder.write(
        "q.csv",
        "name,email\n\"Jo,k@x.example\nJim,l@x.example\n\"Al\",a@x.example\nBo,b@x.example\n",
    );
    let told = read_people(&path).unwrap();
    assert_eq!(told.names(), ["-", "Bo"]);
    assert_eq!(
        told.notes_told(),
        ["row 1, line 2, column `name`: has a line break: look for a quote too few or too many in the file"]
    );
    assert!(matches!(
        read_people(&folder.write("h.csv", "\"name,email\nJane\n")),
        Err(Error::HeaderTooLarge(_))
    ));
}

#[test]
fn the_largest_row_is_read_and_one_byte_more_is_not() {
    let folder = Folder::new();
    for (extra, is_read) in [(0, true), (1, false)] {
        let row = |head: &str, tail: &str| {
            let filler = "x".repeat(1024 * 1024 + extra - head.len() - tail.len());
            format!("{head}{filler}{tail}")
        };
        let text = format!("name,notes\n{}Jo,\n", row("Jane,", "\n"));
        let told = read_people(&folder.write("p.csv", text)).unwrap();
        assert_eq!(told.names().len(), if is_read { 2 } else { 1 });
        let lines = format!("{}{{\"name\":\"Jo\"}}\n", row("{\"name\":\"Jane\",\"notes\":\"", "\"}\n"));
        let told = read_people(&folder.write("p.jsonl", lines)).unwrap();
        assert_eq!(told.names().len(), if is_read { 2 } else { 1 });
    }
}

#[test]
fn a_million_empty_lines_are_no_row() {
    let folder = Folder::new();
    let text = format!("name,email\n{}Jane,\n", "\r\n".repeat(1_500_000));
    assert_eq!(read_people(&folder.write("p.csv", &text)).unwrap().people[0].0, 1);
}

#[test]
fn json_of_other_shapes_is_told() {
    let folder = Folder::new();
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    let path = folder.write(
        "p.jsonl",
        format!("{{\"name\":\"Jane\"}}\n[1]\n\"x\"\n{{\"name\":\nnull\n{deep}\n{{\"name\":{deep}}}\n{{}}\n"),
    );
    let told = read_people(&path).unwrap();
    let reasons: Vec<String> = told.reasons().into_iter().map(|(_, reason)| reason).collect();
    let other = "is not a json object: write one object a line".to_owned();
    let none = "is not json: write one whole object a line".to_owned();
    let nobody = "names nobody: give it a name, an email, a phone or a network url".to_owned();
    assert_eq!(reasons, [other.clone(), other.clone(), none.clone(), other.clone(), other, none, nobody]);
    let array = folder.write("a.jsonl", "[\n{\"name\":\"Jane\"}\n]\n");
    assert!(matches!(guess(&array, Kind::People), Err(Error::JsonArray)));
}

#[test]
fn a_packed_file_that_breaks_off_is_an_error_and_not_an_end() {
    let folder = Folder::new();
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writeln!(packer, "name").unwrap();
    for number in 0..20_000 {
        writeln!(packer, "Jane {number}").unwrap();
    }
    let packed = packer.finish().unwrap();
    let path = folder.write("p.csv.gz", &packed[..packed.len() - 100]);
    let mut reader = open(&path, &guess(&path, Kind::People).unwrap(), Position::START).unwrap();
    let broken = loop {
        match reader.next_batch(1_000) {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the end was not missed"),
            Err(error) => break error,
        }
    };
    assert!(matches!(broken, Error::Read(_)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400), is_text: bool) {
        let folder = Folder::new();
        let head: &[u8] = if is_text { b"name,email\n" } else { b"{\"name\":\"A\"}\n" };
        let path = folder.write(if is_text { "p.csv" } else { "p.jsonl" }, [head, &bytes].concat());
        read_people(&path).unwrap();
        read_people(&folder.write("q.csv", &bytes)).ok();
        read_people(&folder.write("q.jsonl", &bytes)).ok();
        read_people(&folder.write("q.parquet", &bytes)).ok();
    }
}
