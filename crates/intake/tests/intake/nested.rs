//! Jobs and schools: lists of objects in JSON lines and Parquet, numbered columns in CSV.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use assay_intake::{Mapping, PersonRow, limits};
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::json;

use super::files::{Folder, read_people, read_with};

/// Everything about the jobs and schools of a person, on one line each.
fn told(row: &PersonRow) -> Vec<String> {
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
    let day = |day: Option<chrono::NaiveDate>| day.map_or("-".to_owned(), |day| day.to_string());
    let domain = row.company_domain.as_ref().map_or("-", |domain| domain.as_str());
    let now = format!(
        "now: {} at {} ({domain}) {} {}",
        text(&row.title),
        text(&row.company_name),
        day(row.started_on),
        day(row.ended_on)
    );
    let jobs = row.employments.iter().map(|job| {
        let domain = job.company_domain.as_ref().map_or("-", |domain| domain.as_str());
        let (title, company) = (text(&job.title), text(&job.company_name));
        format!("{title} at {company} ({domain}) {} {}", day(job.started_on), day(job.ended_on))
    });
    let schools = row.education.iter().map(|it| {
        let (degree, field) = (text(&it.degree), text(&it.field));
        format!("{}: {degree}, {field} {} {}", it.school, day(it.started_on), day(it.ended_on))
    });
    [now].into_iter().chain(jobs).chain(schools).collect()
}

fn read_one(line: serde_json::Value) -> Vec<String> {
    let folder = Folder::new();
    let found = read_people(&folder.write("p.jsonl", format!("{line}\n"))).unwrap();
    assert_eq!(found.notes_told(), Vec::<String>::new());
    told(&found.people[0].1)
}

#[test]
fn entries_keep_together_whatever_is_missing_in_them() {
    let found = read_one(json!({
        "full_name": "Jane Doe",
        "job_title": "CEO", "job_company_name": "Acme", "job_company_website": "acme.example",
        "experience": [
            {"company": {"name": "Acme"}, "title": {"name": "ceo", "levels": ["cxo"]}, "start_date": "2020-05"},
            {"company": {"name": "Beta", "website": "www.beta.example"}, "title": null, "end_date": "2019-12"},
            {"company": null, "title": {"name": "Intern"}, "start_date": "2010", "end_date": "2011-01-31"},
            {"start_date": "2001"},
        ],
        "education": [
            {"school": {"name": "School A"}, "degrees": ["MSc", "BSc"], "majors": [], "end_date": "2009"},
            {"degrees": ["none"]},
            {"school": {"name": "School B"}, "majors": ["Physics"], "start_date": "1999"},
        ],
    }));
    assert_eq!(
        found,
        [
            "now: CEO at Acme (acme.example) 2020-05-01 -",
            "- at Beta (beta.example) - 2019-12-01",
            "Intern at - (-) 2010-01-01 2011-01-31",
            "School A: MSc, - - 2009-01-01",
            "School B: -, Physics 1999-01-01 -",
        ]
    );
}

#[test]
fn the_current_job_is_found_among_the_others() {
    let found = read_one(json!({
        "name": "Jane Doe",
        "positions": [
            {"title": "Founder", "company": "Old", "start": "2010", "end": "2012"},
            {"title": "CTO", "company": "New", "company_domain": "new.example", "start": "2013", "end": "Present"},
            {"title": "Advisor", "company": "Side", "start": "2015"},
        ],
    }));
    assert_eq!(
        found,
        [
            "now: CTO at New (new.example) 2013-01-01 -",
            "Founder at Old (-) 2010-01-01 2012-01-01",
            "Advisor at Side (-) 2015-01-01 -",
        ]
    );
    let ended = read_one(json!({
        "name": "Jane Doe",
        "positions": [{"title": "Founder", "company": "Old", "end": "2012"}],
    }));
    assert_eq!(ended, ["now: - at - (-) - -", "Founder at Old (-) - 2012-01-01"]);
    let another = read_one(json!({
        "name": "Jane Doe", "job_title": "CEO",
        "positions": [{"title": "Founder", "company": "Old"}],
    }));
    assert_eq!(another, ["now: CEO at - (-) - -", "Founder at Old (-) - -"]);
}

#[test]
fn numbered_columns_of_a_table_are_entries_too() {
    let folder = Folder::new();
    let path = folder.write("p.csv", "name,t1,c1,t2,c2\nJane,CTO,New,Founder,Old\nJo,,,Founder,Old\n");
    let mapping = Mapping::from_toml(
        "[people]\nfull_name = \"name\"\nemployment_title = [\"t1\", \"t2\"]\nemployment_company_name = [\"c1\", \"c2\"]\n",
    )
    .unwrap();
    let found = read_with(&path, &mapping).unwrap();
    assert_eq!(told(&found.people[0].1), ["now: CTO at New (-) - -", "Founder at Old (-) - -"]);
    assert_eq!(told(&found.people[1].1), ["now: Founder at Old (-) - -"]);
}

#[test]
fn too_many_entries_are_told() {
    let folder = Folder::new();
    let jobs: Vec<_> =
        (0..=limits::ENTRIES_MAX).map(|number| json!({"title": format!("t{number}")})).collect();
    let path = folder.write("p.jsonl", format!("{}\n", json!({"name": "Jane", "jobs": jobs})));
    let found = read_people(&path).unwrap();
    assert_eq!(found.people[0].1.employments.len() + 1, limits::ENTRIES_MAX);
    assert_eq!(
        found.notes_told(),
        ["row 1, line 1, column `jobs.title`: has more than 50 entries: the others are left out"]
    );
}

/// Three people: one with two jobs of which each lacks something, one without a list, one with an empty list.
fn write_jobs(path: PathBuf, compression: Compression) -> PathBuf {
    let schema = "message rows {
        required binary name (UTF8);
        optional group experience (LIST) { repeated group list { optional group element {
            optional binary title (UTF8);
            optional group company { optional binary name (UTF8); }
            optional group tags (LIST) { repeated group list { optional binary element (UTF8); } }
        } } }
    }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let settings = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut out = SerializedFileWriter::new(File::create(&path).unwrap(), schema, settings).unwrap();
    let mut group = out.next_row_group().unwrap();
    // Values, levels of definition, levels of repetition.
    let columns: [(&[&str], &[i16], &[i16]); 4] = [
        (&["Jane", "Jo", "Al"], &[], &[]),
        (&["Founder", "Advisor"], &[4, 3, 4, 0, 1], &[0, 1, 1, 0, 0]),
        (&["New", "Side"], &[3, 5, 5, 0, 1], &[0, 1, 1, 0, 0]),
        (&["x", "y", "z"], &[6, 6, 3, 6, 0, 1], &[0, 2, 1, 1, 0, 0]),
    ];
    for (values, defined, repeated) in columns {
        let values: Vec<ByteArray> = values.iter().map(|text| ByteArray::from(*text)).collect();
        let levels = |levels: &'static [i16]| (!levels.is_empty()).then_some(levels);
        let mut writer = group.next_column().unwrap().unwrap();
        writer.typed::<ByteArrayType>().write_batch(&values, levels(defined), levels(repeated)).unwrap();
        writer.close().unwrap();
    }
    group.close().unwrap();
    out.close().unwrap();
    path
}

#[test]
fn lists_of_objects_in_parquet_keep_together_too() {
    let folder = Folder::new();
    for compression in
        [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(ZstdLevel::default())]
    {
        let path = write_jobs(folder.path("p.parquet"), compression);
        let mapping = Mapping::from_toml(
            "[people]\nfull_name = \"name\"\nemployment_title = \"experience.title\"\n\
             employment_company_name = \"experience.company.name\"\nskills = \"experience.tags\"\n",
        )
        .unwrap();
        let found = read_with(&path, &mapping).unwrap();
        assert_eq!(found.names(), ["Jane", "Jo", "Al"]);
        assert_eq!(
            told(&found.people[0].1),
            ["now: Founder at - (-) - -", "- at New (-) - -", "Advisor at Side (-) - -"]
        );
        assert_eq!(found.people[0].1.skills, ["x", "y", "z"]);
        assert_eq!(told(&found.people[1].1), ["now: - at - (-) - -"]);
        assert_eq!(told(&found.people[2].1), ["now: - at - (-) - -"]);
    }
}
