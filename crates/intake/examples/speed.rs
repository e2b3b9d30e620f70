//! How fast people's rows of twelve columns are read on one core, from each format, and that memory stays where it is.
//!
//! `cargo run --release -p assay-intake --example speed -- 500000`
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::float_arithmetic,
    clippy::as_conversions,
    reason = "a tool for a person"
)]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use assay_domain::NetworkHosts;
use assay_domain::clock::Stopwatch;
use assay_intake::{Format, Kind, Mapping, Position, Reader, read_headers};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

/// The one that the binary has.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const COLUMNS: [&str; 12] = [
    "id",
    "full_name",
    "first_name",
    "last_name",
    "job_title",
    "email",
    "mobile_phone",
    "network_url",
    "company",
    "company_domain",
    "city",
    "country",
];
const BATCH_ROWS: usize = 5_000;
const GROUP_ROWS: u64 = 100_000;

fn main() {
    let rows: u64 = std::env::args().nth(1).map_or(500_000, |rows| rows.parse().unwrap());
    for format in [Format::Csv, Format::Jsonl, Format::Parquet] {
        let name = format!("assay-intake-speed-{}.{}", std::process::id(), format.as_str());
        let path = std::env::temp_dir().join(name);
        match format {
            Format::Csv => write_csv(&path, rows),
            Format::Jsonl => write_jsonl(&path, rows),
            Format::Parquet => write_parquet(&path, rows),
        }
        (0..3).for_each(|_| measure(&path, format));
        std::fs::remove_file(&path).unwrap();
    }
}

fn measure(path: &Path, format: Format) {
    let hosts = NetworkHosts::default();
    let headers = read_headers(path, format, None).unwrap();
    let mapping = Mapping::guess(Kind::People, &headers, &hosts);
    assert_eq!(mapping.columns.len(), COLUMNS.len());
    let (watch, busy_before) = (Stopwatch::start(), busy_seconds());
    let mut reader = Reader::open(path, format, &mapping, hosts, Position::START).unwrap();
    let (mut read, mut lost) = (0, 0);
    while let Some(batch) = reader.next_batch(BATCH_ROWS).unwrap() {
        read += batch.rows.len();
        lost += batch.rejects.len() + batch.notes.len();
    }
    let (seconds, busy) = (watch.elapsed().as_secs_f64(), busy_seconds() - busy_before);
    println!(
        "{}: {read} rows ({lost} rejects and notes) in {seconds:.2} s: {:.0} rows/s; {:.0} rows and {:.0} MB a second of \
         processor; {}",
        format.as_str(),
        read as f64 / seconds,
        read as f64 / busy,
        reader.total_bytes() as f64 / 1e6 / busy,
        memory()
    );
}

fn cells(row: u64) -> [String; 12] {
    // Numbers that are reserved for fiction, or of a numbering plan that has them: as slow to check as any.
    let phone = match row % 4 {
        0 => format!("+1 {} 555 01{:02}", 202 + row % 7, row % 100),
        1 => format!("+44 7700 900{:03}", row % 1_000),
        2 => format!("+49 30 {}", 901_800_000 + row % 90_000),
        _ => format!("+33 1 42 68 {:02} {:02}", row % 100, row / 100 % 100),
    };
    let firm = row % 5_000;
    [
        row.to_string(),
        format!("Jane{row} van der Doe"),
        format!("Jane{row}"),
        "van der Doe".to_owned(),
        "Head of Sales, EMEA".to_owned(),
        format!("jane.doe{row}@firm{firm}.example"),
        phone,
        format!("https://www.network.example/in/jane-doe-{row}"),
        format!("Firm {firm} GmbH"),
        format!("firm{firm}.example"),
        "Berlin".to_owned(),
        "Germany".to_owned(),
    ]
}

fn write_csv(path: &Path, rows: u64) {
    let mut out = csv::Writer::from_path(path).unwrap();
    out.write_record(COLUMNS).unwrap();
    (0..rows).for_each(|row| out.write_record(cells(row)).unwrap());
    out.flush().unwrap();
}

fn write_jsonl(path: &Path, rows: u64) {
    let mut out = BufWriter::new(File::create(path).unwrap());
    for row in 0..rows {
        let object: serde_json::Map<_, _> =
            COLUMNS.iter().zip(cells(row)).map(|(name, cell)| ((*name).to_owned(), cell.into())).collect();
        writeln!(out, "{}", serde_json::Value::Object(object)).unwrap();
    }
    out.flush().unwrap();
}

fn write_parquet(path: &Path, rows: u64) {
    let fields: String = COLUMNS.iter().map(|name| format!("required binary {name} (UTF8);")).collect();
    let schema = Arc::new(parse_message_type(&format!("message rows {{ {fields} }}")).unwrap());
    let settings = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let file = File::create(path).unwrap();
    let mut out = SerializedFileWriter::new(file, schema, Arc::new(settings)).unwrap();
    let mut begin = 0;
    while begin < rows {
        let end = rows.min(begin + GROUP_ROWS);
        let mut columns: Vec<Vec<ByteArray>> = vec![Vec::new(); COLUMNS.len()];
        for row in begin..end {
            let cells = cells(row);
            columns.iter_mut().zip(&cells).for_each(|(column, cell)| column.push(cell.as_str().into()));
        }
        let mut group = out.next_row_group().unwrap();
        for column in columns {
            let mut writer = group.next_column().unwrap().unwrap();
            writer.typed::<ByteArrayType>().write_batch(&column, None, None).unwrap();
            writer.close().unwrap();
        }
        group.close().unwrap();
        begin = end;
    }
    out.close().unwrap();
}

/// How long this thread was on a processor: on a machine with other work, the time by the clock says little.
fn busy_seconds() -> f64 {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    schedule.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).unwrap_or_default()
        / 1e9
}

fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or("memory unknown").replace('\t', " ")
}
