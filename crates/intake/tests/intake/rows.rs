//! What is written is read: the same rows out of all three formats.

use assay_intake::{CompanyRow, Kind, PersonRow};
use parquet::basic::{Compression, ZstdLevel};
use proptest::collection::vec;
use proptest::prelude::*;

use super::files::{Folder, guess, read_companies, read_people};
use super::samples::{
    companies_columns, company, people_columns, person, write_csv, write_jsonl, write_parquet,
};

fn names_somebody(row: &PersonRow) -> bool {
    row.full_name.is_some() || !row.emails.is_empty() || !row.phones.is_empty() || row.network_url.is_some()
}

/// What is read of the rows: their numbers, those that name nobody left out.
fn expected<T: Clone>(rows: &[T], is_kept: impl Fn(&T) -> bool) -> Vec<(u64, T)> {
    let numbered =
        rows.iter().enumerate().map(|(index, row)| (u64::try_from(index).unwrap() + 1, row.clone()));
    numbered.filter(|(_, row)| is_kept(row)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn people_are_the_same_in_every_format(
        rows in vec(person(), 1..8),
        group_rows in 1_usize..8,
        delimiter in prop::sample::select(vec![b',', b';', b'\t', b'|']),
        is_crlf: bool,
    ) {
        let folder = Folder::new();
        let columns = people_columns(&rows);
        let terminator = if is_crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
        let [text, lines, plain, snappy, zstd] =
            ["p.csv", "p.jsonl", "p.parquet", "s.parquet", "z.parquet"].map(|name| folder.path(name));
        write_csv(&text, &columns, delimiter, terminator);
        write_jsonl(&lines, &columns);
        write_parquet(&plain, &columns, group_rows, Compression::UNCOMPRESSED);
        write_parquet(&snappy, &columns, group_rows, Compression::SNAPPY);
        write_parquet(&zstd, &columns, group_rows, Compression::ZSTD(ZstdLevel::default()));
        let kept = expected(&rows, names_somebody);
        for path in [text, lines, plain, snappy, zstd] {
            let told = read_people(&path).unwrap();
            prop_assert_eq!(told.notes_told(), Vec::<String>::new());
            prop_assert_eq!(shown(&told.people), shown(&kept), "{:?}", path.file_name());
            let nobodies = rows.iter().filter(|row| !names_somebody(row)).count();
            prop_assert_eq!(told.rejects.len(), nobodies);
        }
    }

    #[test]
    fn companies_are_the_same_in_every_format(rows in vec(company(), 1..8), group_rows in 1_usize..8) {
        let folder = Folder::new();
        let columns = companies_columns(&rows);
        let [text, lines, table] = ["c.csv", "c.jsonl", "c.parquet"].map(|name| folder.path(name));
        write_csv(&text, &columns, b',', csv::Terminator::CRLF);
        write_jsonl(&lines, &columns);
        write_parquet(&table, &columns, group_rows, Compression::UNCOMPRESSED);
        for path in [text, lines, table] {
            let told = read_companies(&path).unwrap();
            prop_assert_eq!(told.notes_told(), Vec::<String>::new());
            prop_assert!(told.companies == expected(&rows, |_: &CompanyRow| true), "{:?}", path.file_name());
            prop_assert_eq!(told.rejects.len(), 0);
        }
    }
}

/// Rows hide themselves from Debug; a failing test has to show them.
fn shown(rows: &[(u64, PersonRow)]) -> Vec<String> {
    let show = |row: &PersonRow| {
        format!(
            "{:?}",
            (
                (&row.external_ref, &row.full_name, &row.first_name, &row.middle_name, &row.last_name),
                (&row.headline, &row.summary, &row.title),
                (&row.emails, &row.phones, &row.network_url, &row.company_name, &row.company_domain),
                (&row.company_network_url, &row.city, &row.region, row.country, row.started_on, row.ended_on),
                (&row.skills, &row.languages, &row.certifications),
                row.education.iter().map(|it| (&it.school, &it.degree, &it.field)).collect::<Vec<_>>(),
                row.observed_on,
            )
        )
    };
    rows.iter().map(|(number, row)| format!("{number}: {}", show(row))).collect()
}

#[test]
fn a_packed_file_is_read_like_an_unpacked_one() {
    let folder = Folder::new();
    let text = "name,email\nJane Doe,jane@acme.example\nJohn Doe,john@acme.example\n";
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packer, text.as_bytes()).unwrap();
    let packed = folder.write("p.csv.gz", packer.finish().unwrap());
    let plain = folder.write("p.csv", text);
    assert_eq!(read_people(&packed).unwrap(), read_people(&plain).unwrap());
    assert_eq!(read_people(&plain).unwrap().names(), ["Jane Doe", "John Doe"]);
}

#[test]
fn nested_objects_and_lists_of_objects_are_read_by_their_paths() {
    let folder = Folder::new();
    let line = serde_json::json!({
        "id": 42,
        "person": {"name": {"first": "Jane", "last": "Doe"}},
        "emails": [{"address": "jane@acme.example"}, {"address": "doe@home.example"}],
        "company": {"name": "Acme", "domain": "www.acme.example"},
        "location": {"city": "Berlin", "country": "Germany"},
        "education": [{"school": "School A", "degree": "MSc"}, {"school": "School B"}],
        "skills": ["Rust, unsafe", "SQL"],
        "company.network_url": "network.example/company/acme",
        "other": {"deep": [[1, 2], [3]]},
    });
    let path = folder.write("p.jsonl", format!("{line}\n"));
    let mapping = guess(&path, Kind::People).unwrap();
    let told = super::files::read_with(&path, &mapping).unwrap();
    let (_, row) = &told.people[0];
    assert_eq!(row.external_ref, "42");
    assert_eq!(row.full_name.as_deref(), Some("Jane Doe"));
    assert_eq!(
        row.emails.iter().map(|email| email.address.as_str()).collect::<Vec<_>>(),
        ["jane@acme.example", "doe@home.example"]
    );
    assert_eq!(row.company_name.as_deref(), Some("Acme"));
    assert_eq!(row.company_domain.as_ref().unwrap().as_str(), "acme.example");
    assert_eq!(row.company_network_url.as_ref().unwrap().slug(), "acme");
    assert_eq!((row.city.as_deref(), row.country.unwrap().as_str()), (Some("Berlin"), "DE"));
    let education: Vec<_> =
        row.education.iter().map(|it| (it.school.as_str(), it.degree.as_deref())).collect();
    assert_eq!(education, [("School A", Some("MSc")), ("School B", None)]);
    assert_eq!(row.skills, ["Rust, unsafe", "SQL"]);
    assert_eq!(told.notes_told(), Vec::<String>::new());
}
