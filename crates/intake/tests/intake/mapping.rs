//! Mapping files: what a person writes into them, and what they are told when it is wrong.

use assay_domain::NetworkHosts;
use assay_intake::{CountryCode, Encoding, Error, Field, Format, Kind, Mapping, read_headers};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::files::{Folder, open, read_with};
use super::headers::headers;

prop_compose! {
    fn mapping()(
        kind in prop::sample::select(Kind::ALL.to_vec()),
        columns in btree_map(0_usize..20, vec("[a-z日ß\"\\\\#=\\[\\]'.,;% ]{1,10}", 1..4), 0..10),
        ignore in vec("[a-zé\"\\\\ .#=\\[\\]']{1,10}", 0..4),
        date_format in prop::option::of(prop::sample::select(vec!["%d/%m/%Y", "%m/%d/%y"])),
        delimiter in prop::option::of(prop::sample::select(vec![b';', b'\t', b'|', b'~', b'\\'])),
        country in prop::option::of(prop::sample::select(vec!["DE", "US"])),
        is_latin: bool,
    ) -> Mapping {
        let fields: Vec<Field> = Field::all(kind).collect();
        Mapping {
            kind,
            columns: columns.into_iter().filter_map(|(at, names)| Some((*fields.get(at)?, names))).collect(),
            ignore,
            date_format: date_format.map(str::to_owned),
            delimiter,
            encoding: if is_latin { Encoding::Latin1 } else { Encoding::Utf8 },
            country_default: country.map(|code| CountryCode::parse(code).unwrap()),
        }
    }
}

proptest! {
    #[test]
    fn a_mapping_reads_back_as_it_was_written(mapping in mapping(), others in vec("[a-zß\"\\\\#\n\t\u{1b} ]{0,10}", 0..4)) {
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        let text = mapping.to_toml(&headers(&others));
        prop_assert_eq!(Mapping::from_toml(&text).unwrap(), mapping, "{}", text);
    }

    #[test]
    fn no_text_breaks_the_reader_of_mappings(text in "(\\[people\\]\n)?(\\PC{0,20}\n){0,4}") {
        Mapping::from_toml(&text).ok();
    }
}

#[test]
fn a_written_mapping_is_there_to_be_edited() {
    let headers = headers(&["Name", "E-Mail", "Mail 2", "Private Mail", "Shoe size"]);
    let text = Mapping::guess(Kind::People, &headers, &NetworkHosts::default()).to_toml(&headers);
    for line in [
        "[people]",
        "full_name = \"Name\"",
        "emails = [\"E-Mail\", \"Mail 2\"]",
        "personal_emails = \"Private Mail\"",
        "# external_ref = (no column: made from the network url, else the first email, else the first phone, else the full \
         name with the company (or the place, where there is none))",
        "encoding = \"utf-8\"",
        "# headline =",
        "# Columns that feed nothing: [\"Shoe size\"]",
        "ignore = []",
        "# date_format = \"%d/%m/%Y\"",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is missing in\n{text}");
    }
}

#[test]
fn settings_of_a_mapping_are_used() {
    let folder = Folder::new();
    let path = folder.write(
        "p.csv",
        "who~mail~tel~since~nr~shoe\nJane Doe~jane@acme.example~(202) 555-0123~03/04/2020~7~38\nJo~~+44 7700 900123~~8~\n",
    );
    let mapping = Mapping::from_toml(
        "[people]\nfull_name = \"who\"\nemails = [\"mail\"]\nphones = \"tel\"\nstarted_on = \"since\"\nexternal_ref = \"nr\"\n\
         ignore = [\"shoe\"]\ndate_format = \"%d/%m/%Y\"\ndelimiter = \"~\"\ncountry_default = \"USA\"\n",
    )
    .unwrap();
    let told = read_with(&path, &mapping).unwrap();
    assert_eq!(told.notes_told(), Vec::<String>::new());
    let (_, jane) = &told.people[0];
    assert_eq!(jane.external_ref, "7");
    assert_eq!(jane.phones[0].as_str(), "+12025550123");
    assert_eq!(jane.country.unwrap().as_str(), "US");
    assert_eq!(jane.started_on.unwrap().to_string(), "2020-04-03");
    assert_eq!(told.people[1].1.phones[0].as_str(), "+447700900123");
    let unmapped: [&str; 0] = [];
    assert_eq!(mapping.unmapped(&read_headers(&path, Format::Csv, Some(b'~')).unwrap()), unmapped);
}

#[test]
fn what_is_wrong_in_a_mapping_is_told() {
    for (text, message) in [
        ("", "a mapping has one table, [people] or [companies]"),
        ("[persons]\n", "a mapping has one table, [people] or [companies]"),
        ("people = 1\n", "a mapping has one table, [people] or [companies]"),
        ("[people]\n[companies]\n", "a mapping has one table, [people] or [companies]"),
        ("[people]\nfull_nam = \"x\"\n", "unknown key `full_nam` in the mapping; did you mean `full_name`?"),
        ("[people]\nemail = \"x\"\n", "unknown key `email` in the mapping; did you mean `emails`?"),
        (
            "[people]\nlegal_name = \"x\"\n",
            "unknown key `legal_name` in the mapping; did you mean `last_name`?",
        ),
        (
            "[people]\ndateformat = \"x\"\n",
            "unknown key `dateformat` in the mapping; did you mean `date_format`?",
        ),
        ("[people]\nqqqq = \"x\"\n", "unknown key `qqqq` in the mapping"),
        (
            "[people]\nfull_name = 1\n",
            "`full_name` in the mapping is neither the name of a column nor a list of names",
        ),
        (
            "[people]\nemails = [1]\n",
            "`emails` in the mapping is neither the name of a column nor a list of names",
        ),
        (
            "[people]\nignore = \"\"\n",
            "`ignore` in the mapping is neither the name of a column nor a list of names",
        ),
        (
            "[people]\ndate_format = \"dd.mm\"\n",
            "`date_format` in the mapping is no form of a date such as %d/%m/%Y",
        ),
        ("[people]\ndelimiter = \"ab\"\n", "`delimiter` in the mapping is no single sign such as ; or tab"),
        ("[people]\ndelimiter = '\"'\n", "`delimiter` in the mapping is no single sign such as ; or tab"),
        ("[people]\nencoding = \"ebcdic\"\n", "`encoding` in the mapping is neither utf-8 nor latin-1"),
        ("[people]\ncountry_default = \"Mars\"\n", "`country_default` in the mapping is no known country"),
    ] {
        assert_eq!(Mapping::from_toml(text).unwrap_err().to_string(), message, "{text}");
    }
    let broken = Mapping::from_toml("[people]\nfull_name = \n").unwrap_err().to_string();
    assert!(broken.starts_with("the mapping cannot be read: line 2: "), "{broken}");
    assert!(matches!(Mapping::from_toml(&"#".repeat(2 << 20)), Err(Error::MappingUnreadable(_))));
}

#[test]
fn a_mapping_must_fit_the_file() {
    let headers = headers(&["Full Name", "E-Mail", "Shoe size"]);
    for (text, message) in [
        (
            "[people]\nfull_name = \"FullName\"",
            "there is no column `FullName`, which the mapping names for `full_name`; did you mean `Full Name`?",
        ),
        ("[people]\nemails = \"zzz\"", "there is no column `zzz`, which the mapping names for `emails`"),
        (
            "[people]\nfull_name = \"Full Name\"\nignore = [\"shoe size\"]",
            "there is no column `shoe size`, which the mapping names for `ignore`; did you mean `Shoe size`?",
        ),
        (
            "[people]\nemails = \"E-Mail\"\nignore = [\"E-Mail\"]",
            "column `E-Mail` is both mapped and ignored",
        ),
        (
            "[people]\ntitle = \"E-Mail\"",
            "the mapping names no column that tells whom a row is about: every row would be rejected",
        ),
    ] {
        let mapping = Mapping::from_toml(text).unwrap();
        assert_eq!(mapping.check(&headers).unwrap_err().to_string(), message, "{text}");
    }
    assert!(Mapping::from_toml("[people]\nemails = \"E-Mail\"").unwrap().check(&headers).is_ok());
}

#[test]
fn a_column_that_may_still_come_is_not_refused_in_a_long_file_of_json_lines() {
    let folder = Folder::new();
    let mapping = Mapping::from_toml("[people]\nfull_name = \"name\"\nemails = \"late\"").unwrap();
    let short = folder.write("short.jsonl", "{\"name\":\"Jane\"}\n");
    assert!(matches!(open(&short, &mapping, Default::default()), Err(Error::UnknownColumn { .. })));
    let mut text = "{\"name\":\"Jane\"}\n".repeat(20_000);
    text.push_str("{\"name\":\"Jo\",\"late\":\"jo@acme.example\"}\n");
    let long = folder.write("long.jsonl", text);
    let told = read_with(&long, &mapping).unwrap();
    assert_eq!(told.people.last().unwrap().1.emails[0].address.as_str(), "jo@acme.example");
}
