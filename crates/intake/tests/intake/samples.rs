//! Made-up people and companies, and files of them in all three formats.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use assay_domain::company::CompanyKind;
use assay_domain::person::EmailKind;
use assay_domain::taxonomy::Industry;
use assay_domain::{Domain, Email, NetworkHosts, NetworkUrl, Phone};
use assay_intake::{CompanyRow, CountryCode, EducationRow, EmailRow, HeadCount, LanguageCode, PersonRow};
use chrono::{Datelike, NaiveDate};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// One column of a file, in its typed form.
pub(super) enum Column {
    Texts(&'static str, Vec<Option<String>>),
    Lists(&'static str, Vec<Vec<String>>),
    Dates(&'static str, Vec<Option<NaiveDate>>),
}

impl Column {
    fn name(&self) -> &'static str {
        match self {
            Self::Texts(name, _) | Self::Lists(name, _) | Self::Dates(name, _) => name,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Texts(_, values) => values.len(),
            Self::Lists(_, values) => values.len(),
            Self::Dates(_, values) => values.len(),
        }
    }
}

fn texts<R, T: ToString>(rows: &[R], name: &'static str, value: impl Fn(&R) -> Option<T>) -> Column {
    Column::Texts(name, rows.iter().map(|row| value(row).map(|value| value.to_string())).collect())
}

fn lists<R, T: ToString>(rows: &[R], name: &'static str, values: impl Fn(&R) -> Vec<T>) -> Column {
    let values = rows.iter().map(|row| values(row).iter().map(T::to_string).collect());
    Column::Lists(name, values.collect())
}

pub(super) fn people_columns(rows: &[PersonRow]) -> Vec<Column> {
    vec![
        texts(rows, "external_ref", |row| Some(row.external_ref.clone())),
        texts(rows, "full_name", |row| row.full_name.clone()),
        texts(rows, "first_name", |row| row.first_name.clone()),
        texts(rows, "middle_name", |row| row.middle_name.clone()),
        texts(rows, "last_name", |row| row.last_name.clone()),
        texts(rows, "headline", |row| row.headline.clone()),
        texts(rows, "summary", |row| row.summary.clone()),
        texts(rows, "title", |row| row.title.clone()),
        lists(rows, "work_emails", |row| addresses(row, Some(EmailKind::Business))),
        lists(rows, "personal_emails", |row| addresses(row, Some(EmailKind::Personal))),
        lists(rows, "emails", |row| addresses(row, None)),
        lists(rows, "phones", |row| row.phones.clone()),
        texts(rows, "network_url", |row| row.network_url.clone()),
        texts(rows, "company_name", |row| row.company_name.clone()),
        texts(rows, "company_domain", |row| row.company_domain.clone()),
        texts(rows, "company_network_url", |row| row.company_network_url.clone()),
        texts(rows, "city", |row| row.city.clone()),
        texts(rows, "region", |row| row.region.clone()),
        texts(rows, "country", |row| row.country),
        Column::Dates("started_on", rows.iter().map(|row| row.started_on).collect()),
        Column::Dates("ended_on", rows.iter().map(|row| row.ended_on).collect()),
        lists(rows, "skills", |row| row.skills.clone()),
        lists(rows, "languages", |row| row.languages.clone()),
        lists(rows, "certifications", |row| row.certifications.clone()),
        texts(rows, "education_school", |row| row.education.first().map(|entry| entry.school.clone())),
        texts(rows, "education_degree", |row| row.education.first().and_then(|entry| entry.degree.clone())),
        texts(rows, "education_field", |row| row.education.first().and_then(|entry| entry.field.clone())),
        Column::Dates("observed_on", rows.iter().map(|row| row.observed_on).collect()),
    ]
}

fn addresses(row: &PersonRow, kind: Option<EmailKind>) -> Vec<Email> {
    row.emails.iter().filter(|email| email.kind == kind).map(|email| email.address.clone()).collect()
}

pub(super) fn companies_columns(rows: &[CompanyRow]) -> Vec<Column> {
    let count = |count: HeadCount| match count.most {
        Some(most) if most == count.least => most.to_string(),
        Some(most) => format!("{}-{most}", count.least),
        None => format!("{}+", count.least),
    };
    let kind = |kind: CompanyKind| serde_json::to_value(kind).unwrap().as_str().unwrap().to_owned();
    vec![
        texts(rows, "external_ref", |row| Some(row.external_ref.clone())),
        texts(rows, "name", |row| row.name.clone()),
        texts(rows, "legal_name", |row| row.legal_name.clone()),
        texts(rows, "domain", |row| row.domain.clone()),
        lists(rows, "domains", |row| row.domains.clone()),
        texts(rows, "network_url", |row| row.network_url.clone()),
        texts(rows, "description", |row| row.description.clone()),
        texts(rows, "industry", |row| row.industry),
        lists(rows, "keywords", |row| row.keywords.clone()),
        texts(rows, "employee_count", |row| row.employee_count.map(count)),
        texts(rows, "revenue_range", |row| row.revenue_range.clone()),
        texts(rows, "founded_year", |row| row.founded_year),
        texts(rows, "kind", |row| row.kind.map(kind)),
        texts(rows, "city", |row| row.city.clone()),
        texts(rows, "region", |row| row.region.clone()),
        texts(rows, "country", |row| row.country),
        texts(rows, "phone", |row| row.phone.clone()),
        lists(rows, "technologies", |row| row.technologies.clone()),
        Column::Dates("observed_on", rows.iter().map(|row| row.observed_on).collect()),
    ]
}

pub(super) fn write_csv(path: &Path, columns: &[Column], delimiter: u8, terminator: csv::Terminator) {
    let mut out =
        csv::WriterBuilder::new().delimiter(delimiter).terminator(terminator).from_path(path).unwrap();
    out.write_record(columns.iter().map(Column::name)).unwrap();
    for row in 0..columns[0].len() {
        let cells = columns.iter().map(|column| match column {
            Column::Texts(_, values) => values[row].clone().unwrap_or_default(),
            Column::Lists(_, values) => values[row].join(";"),
            Column::Dates(_, values) => values[row].map(|day| day.to_string()).unwrap_or_default(),
        });
        out.write_record(cells).unwrap();
    }
    out.flush().unwrap();
}

pub(super) fn write_jsonl(path: &Path, columns: &[Column]) {
    let mut out = File::create(path).unwrap();
    for row in 0..columns[0].len() {
        let mut object = serde_json::Map::new();
        for column in columns {
            let value = match column {
                Column::Texts(_, values) => serde_json::json!(values[row]),
                Column::Lists(_, values) => serde_json::json!(values[row]),
                Column::Dates(_, values) => serde_json::json!(values[row].map(|day| day.to_string())),
            };
            object.insert(column.name().to_owned(), value);
        }
        writeln!(out, "{}", serde_json::Value::Object(object)).unwrap();
    }
}

pub(super) fn write_parquet(path: &Path, columns: &[Column], group_rows: usize, compression: Compression) {
    let fields: Vec<String> = columns
        .iter()
        .map(|column| match column {
            Column::Texts(name, _) => format!("optional binary {name} (UTF8);"),
            Column::Lists(name, _) => format!(
                "optional group {name} (LIST) {{ repeated group list {{ optional binary element (UTF8); }} }}"
            ),
            Column::Dates(name, _) => format!("optional int32 {name} (DATE);"),
        })
        .collect();
    let schema = Arc::new(parse_message_type(&format!("message rows {{ {} }}", fields.join(" "))).unwrap());
    // Small pages, so that rows are skipped by pages as well.
    let settings = WriterProperties::builder()
        .set_compression(compression)
        .set_data_page_row_count_limit(3)
        .set_write_batch_size(2)
        .build();
    let mut out = SerializedFileWriter::new(File::create(path).unwrap(), schema, Arc::new(settings)).unwrap();
    let rows = columns[0].len();
    for begin in (0..rows).step_by(group_rows) {
        let range = begin..rows.min(begin + group_rows);
        let mut group = out.next_row_group().unwrap();
        for column in columns {
            let mut writer = group.next_column().unwrap().unwrap();
            match column {
                Column::Texts(_, values) => {
                    let values = &values[range.clone()];
                    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
                    let values: Vec<ByteArray> =
                        values.iter().flatten().map(|text| text.as_str().into()).collect();
                    writer.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None).unwrap();
                }
                Column::Dates(_, values) => {
                    let values = &values[range.clone()];
                    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
                    let epoch = NaiveDate::default().num_days_from_ce();
                    let days: Vec<i32> =
                        values.iter().flatten().map(|day| day.num_days_from_ce() - epoch).collect();
                    writer.typed::<Int32Type>().write_batch(&days, Some(&levels), None).unwrap();
                }
                Column::Lists(_, values) => {
                    let (mut defined, mut repeated, mut found) = (Vec::new(), Vec::new(), Vec::new());
                    for list in &values[range.clone()] {
                        // A list without entries is one level that says so.
                        if list.is_empty() {
                            defined.push(1);
                            repeated.push(0);
                        }
                        for (index, text) in list.iter().enumerate() {
                            defined.push(3);
                            repeated.push(i16::from(index > 0));
                            found.push(ByteArray::from(text.as_str()));
                        }
                    }
                    writer
                        .typed::<ByteArrayType>()
                        .write_batch(&found, Some(&defined), Some(&repeated))
                        .unwrap();
                }
            }
            writer.close().unwrap();
        }
        group.close().unwrap();
    }
    out.close().unwrap();
}

/// Text that means itself: it begins and ends visibly, and no cell says nothing with it.
fn word() -> impl Strategy<Value = String> {
    "[A-ZÄÉa-zß][a-zäéß0-9 ,\"'&]{0,12}[a-z]"
        .prop_map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn term() -> impl Strategy<Value = String> {
    "[A-Za-z][a-z#]{1,8}".prop_map(|text| format!("{text}1"))
}

/// Different ones, in any order.
fn set<T: PartialEq + std::fmt::Debug>(one: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<T>> {
    vec(one, 0..4).prop_map(|values| {
        let mut different: Vec<T> = Vec::new();
        for value in values {
            if !different.contains(&value) {
                different.push(value);
            }
        }
        different
    })
}

fn day() -> impl Strategy<Value = NaiveDate> {
    (1950_i32..2090, 1_u32..13, 1_u32..29)
        .prop_map(|(year, month, day)| NaiveDate::from_ymd_opt(year, month, day).unwrap())
}

fn email() -> impl Strategy<Value = Email> {
    "[a-z]{1,8}(\\.[a-z]{1,5})?@firm[0-9]{1,2}\\.(example|test|co\\.uk)"
        .prop_map(|text| Email::parse(&text).unwrap())
}

/// Different ones, in the order they are read in.
fn emails() -> impl Strategy<Value = Vec<EmailRow>> {
    let kinds = [Some(EmailKind::Business), Some(EmailKind::Personal), None];
    let places = vec(0_usize..3, 4);
    (set(email()), places).prop_map(move |(addresses, mut places)| {
        places.sort_unstable();
        let rows = addresses.into_iter().zip(places);
        rows.map(|(address, place)| EmailRow { address, kind: kinds[place] }).collect()
    })
}

fn phone() -> impl Strategy<Value = Phone> {
    "\\+1[2-9][0-9]{2}55501[0-9]{2}|\\+447700900[0-9]{3}".prop_map(|text| Phone::parse(&text).unwrap())
}

fn domain() -> impl Strategy<Value = Domain> {
    "[a-z]{2,8}\\.(example|test)".prop_map(|text| Domain::parse(&text).unwrap())
}

fn page(section: &'static str) -> impl Strategy<Value = NetworkUrl> {
    "[a-zé][a-z0-9-]{0,8}".prop_map(move |slug| {
        NetworkUrl::parse(&format!("https://network.example/{section}/{slug}"), &NetworkHosts::default())
            .unwrap()
    })
}

fn country() -> impl Strategy<Value = CountryCode> {
    prop::sample::select(vec!["DE", "US", "GB", "FR", "NA"])
        .prop_map(|code| CountryCode::parse(code).unwrap())
}

fn language() -> impl Strategy<Value = LanguageCode> {
    prop::sample::select(vec!["en", "de", "fr", "es"]).prop_map(|code| LanguageCode::parse(code).unwrap())
}

prop_compose! {
    fn person_name()(full in option::of(word()), parts in [option::of(word()), option::of(word()), option::of(word())])
        -> (Option<String>, [Option<String>; 3]) {
        let full = full.or_else(|| {
            let parts: Vec<String> = parts.iter().flatten().cloned().collect();
            (!parts.is_empty()).then(|| parts.join(" "))
        });
        (full, parts)
    }
}

prop_compose! {
    pub(super) fn person()(
        (full_name, [first_name, middle_name, last_name]) in person_name(),
        (external_ref, headline, summary, title) in (term(), option::of(word()), option::of(word()), option::of(word())),
        (emails, phones, network_url) in (emails(), set(phone()), option::of(page("in"))),
        (company_name, company_domain) in (option::of(word()), option::of(domain())),
        company_network_url in option::of(page("company")),
        (city, region, country) in (option::of(word()), option::of(word()), option::of(country())),
        (started_on, ended_on, observed_on) in (option::of(day()), option::of(day()), option::of(day())),
        (skills, languages, certifications) in (set(term()), set(language()), set(term())),
        education in option::of((word(), option::of(word()), option::of(word()))),
    ) -> PersonRow {
        let education = education.into_iter().map(|(school, degree, field)| {
            EducationRow { school, degree, field, started_on: None, ended_on: None }
        });
        PersonRow {
            external_ref, full_name, first_name, middle_name, last_name, headline, summary, title, emails, phones,
            network_url, company_name, company_domain, company_network_url, city, region, country, started_on, ended_on,
            skills, languages, certifications, education: education.collect(), employments: Vec::new(), observed_on,
        }
    }
}

prop_compose! {
    pub(super) fn company()(
        (external_ref, name, legal_name) in (term(), word(), option::of(word())),
        (domain, domains) in (domain(), set(domain())),
        (network_url, description) in (option::of(page("company")), option::of(word())),
        industry in option::of((0_u8..147).prop_map(|index| Industry::from_index(index).unwrap())),
        (least, most) in (1_u32..2_000_000, option::of(0_u32..5_000)),
        (has_count, revenue_range, founded_year) in (any::<bool>(), option::of(word()), option::of(1500_i32..2050)),
        kind in option::of(prop::sample::select(vec![
            CompanyKind::Private, CompanyKind::Public, CompanyKind::Nonprofit, CompanyKind::Government,
            CompanyKind::Education, CompanyKind::SelfEmployed,
        ])),
        (city, region, country) in (option::of(word()), option::of(word()), option::of(country())),
        (phone, observed_on) in (option::of(phone()), option::of(day())),
        (keywords, technologies) in (set(term()), set(term())),
    ) -> CompanyRow {
        let domains = domains.into_iter().filter(|other| *other != domain).collect();
        let employee_count = has_count.then(|| HeadCount { least, most: most.map(|more| least + more) });
        CompanyRow {
            external_ref, name: Some(name), legal_name, domain: Some(domain), domains, network_url, description, industry,
            keywords, employee_count, revenue_range, founded_year, kind, city, region, country, phone, technologies,
            observed_on,
        }
    }
}
