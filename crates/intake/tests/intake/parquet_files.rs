//! Parquet files of other writers: other types, older lists, other packing, and broken ones.

use std::fs::{self, File};
use std::path::Path;
use std::sync::{Arc, LazyLock};

use assay_intake::{Error, Format, Kind, Position, read_headers};
use parquet::basic::Compression;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType,
    Int32Type, Int64Type, Int96, Int96Type,
};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::files::{Folder, guess, open, read_people, read_with};
use super::samples::{people_columns, person, write_parquet};

fn write(
    path: &Path,
    schema: &str,
    version: WriterVersion,
    fill: impl FnOnce(&mut SerializedRowGroupWriter<'_, File>),
) {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let settings =
        WriterProperties::builder().set_writer_version(version).set_compression(Compression::SNAPPY);
    let mut out =
        SerializedFileWriter::new(File::create(path).unwrap(), schema, Arc::new(settings.build())).unwrap();
    let mut group = out.next_row_group().unwrap();
    fill(&mut group);
    group.close().unwrap();
    out.close().unwrap();
}

/// One column of a row group, with its levels where it has some.
fn put<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: &[T::T],
    defined: Option<&[i16]>,
    repeated: Option<&[i16]>,
) {
    let mut writer = group.next_column().unwrap().unwrap();
    writer.typed::<T>().write_batch(values, defined, repeated).unwrap();
    writer.close().unwrap();
}

fn bytes(texts: &[&str]) -> Vec<ByteArray> {
    texts.iter().map(|text| ByteArray::from(*text)).collect()
}

#[test]
fn every_type_of_column_has_a_text() {
    let folder = Folder::new();
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        let path = folder.path("p.parquet");
        let schema = "message rows {
            required fixed_len_byte_array(16) id (UUID);
            required binary name;
            required int64 start_date (TIMESTAMP(MICROS,true));
            required int96 end_date;
            required int32 updated_at (DATE);
            required int64 headline (INTEGER(64,false));
            required int32 title (DECIMAL(9,2));
            required double city;
            required boolean region;
            required group company { required binary name (STRING); optional binary domain (STRING); }
            optional group skills (LIST) { repeated binary array (STRING); }
        }";
        write(&path, schema, version, |group| {
            let id = ByteArray::from((0..16).collect::<Vec<u8>>());
            let mut julian = Int96::new();
            julian.set_data(0, 0, 2_440_588 + 18_292);
            put::<FixedLenByteArrayType>(group, &[FixedLenByteArray::from(id)], None, None);
            put::<ByteArrayType>(group, &bytes(&["Jane"]), None, None);
            put::<Int64Type>(group, &[1_580_428_800_000_000], None, None);
            put::<Int96Type>(group, &[julian], None, None);
            put::<Int32Type>(group, &[18_292], None, None);
            put::<Int64Type>(group, &[-1], None, None);
            put::<Int32Type>(group, &[12_345], None, None);
            put::<DoubleType>(group, &[1.5], None, None);
            put::<BoolType>(group, &[true], None, None);
            put::<ByteArrayType>(group, &bytes(&["Acme"]), None, None);
            put::<ByteArrayType>(group, &bytes(&["acme.example"]), Some(&[1]), None);
            put::<ByteArrayType>(group, &bytes(&["a, b", "c"]), Some(&[2, 2]), Some(&[0, 1]));
        });
        let told = read_people(&path).unwrap();
        assert_eq!(told.notes_told(), Vec::<String>::new());
        let (_, row) = &told.people[0];
        assert_eq!(row.external_ref, "00010203-0405-0607-0809-0a0b0c0d0e0f");
        assert_eq!(row.full_name.as_deref(), Some("Jane"));
        for day in [row.started_on, row.ended_on, row.observed_on] {
            assert_eq!(day.unwrap().to_string(), "2020-01-31");
        }
        assert_eq!(row.headline.as_deref(), Some("18446744073709551615"));
        assert_eq!((row.title.as_deref(), row.city.as_deref()), (Some("123.45"), Some("1.5")));
        assert_eq!(row.region.as_deref(), Some("true"));
        assert_eq!(row.company_name.as_deref(), Some("Acme"));
        assert_eq!(row.company_domain.as_ref().unwrap().as_str(), "acme.example");
        assert_eq!(row.skills, ["a, b", "c"]);
    }
}

#[test]
fn a_bad_row_is_rejected_with_what_it_says() {
    let folder = Folder::new();
    let path = folder.path("p.parquet");
    write(
        &path,
        "message rows { required binary name; required binary title; }",
        WriterVersion::PARQUET_1_0,
        |group| {
            let names = [ByteArray::from("Jane"), ByteArray::from(vec![0xff]), ByteArray::from("")];
            put::<ByteArrayType>(group, &names, None, None);
            let huge = "x".repeat(1_100_000);
            let titles = bytes(&[&huge, "b", "c"]);
            put::<ByteArrayType>(group, &titles, None, None);
        },
    );
    let told = read_people(&path).unwrap();
    let reasons: Vec<String> = told.reasons().into_iter().map(|(_, reason)| reason).collect();
    assert_eq!(
        reasons,
        [
            "is larger than 1048576 bytes: leave out what is not needed, or look for a missing quote",
            "is not utf-8: save the file as utf-8, or set encoding = \"latin-1\" in the mapping of a csv file",
            "names nobody: give it a name, an email, a phone or a network url"
        ]
    );
    assert_eq!(told.rejects[2].raw, br#"{"name":"","title":"c"}"#);
}

#[test]
fn only_wanted_columns_are_read() {
    let folder = Folder::new();
    let path = folder.path("p.parquet");
    write(
        &path,
        "message rows { required binary notes; required binary name; }",
        WriterVersion::PARQUET_1_0,
        |group| {
            let notes = vec![ByteArray::from("abcdefgh".repeat(1_000).as_str()); 3];
            put::<ByteArrayType>(group, &notes, None, None);
            put::<ByteArrayType>(group, &bytes(&["A", "B", "C"]), None, None);
        },
    );
    let mapping = guess(&path, Kind::People).unwrap();
    // The first column is broken, and nobody sees it.
    let mut content = fs::read(&path).unwrap();
    content[4..60].fill(0xff);
    fs::write(&path, content).unwrap();
    assert_eq!(read_with(&path, &mapping).unwrap().names(), ["A", "B", "C"]);
}

/// A file with some of everything.
static SAMPLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut runner = TestRunner::deterministic();
    let rows: Vec<_> = (0..20).map(|_| person().new_tree(&mut runner).unwrap().current()).collect();
    let folder = Folder::new();
    let path = folder.path("sample.parquet");
    write_parquet(&path, &people_columns(&rows), 8, Compression::SNAPPY);
    fs::read(path).unwrap()
});

#[test]
fn a_file_that_breaks_off_or_is_none_is_refused() {
    let folder = Folder::new();
    for length in [1, 4, 8, 100, SAMPLE.len() / 2, SAMPLE.len() - 1] {
        let path = folder.write("cut.parquet", &SAMPLE[..length]);
        assert!(matches!(read_people(&path), Err(Error::Parquet(_))), "{length}");
    }
    assert!(matches!(read_people(&folder.write("text.parquet", "name\nJane\n")), Err(Error::Parquet(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_damaged_file_is_read_or_refused(damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), is_end: bool) {
        let folder = Folder::new();
        let mut content = SAMPLE.clone();
        let begin = if is_end { content.len() * 2 / 3 } else { 4 };
        for (place, byte) in damage {
            let place = begin + place.index(content.len() - begin - 8);
            content[place] = byte;
        }
        let path = folder.write("damaged.parquet", content);
        if let Ok(headers) = read_headers(&path, Format::Parquet, None) {
            let mapping = assay_intake::Mapping::guess(Kind::People, &headers, &Default::default());
            if let Ok(mut reader) = open(&path, &mapping, Position::START) {
                while let Ok(Some(_)) = reader.next_batch(10) {}
            }
        }
    }
}
