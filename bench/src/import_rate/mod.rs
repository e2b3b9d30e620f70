//! The bar `import-rate`: rows a second of an import of people, against a bare COPY of the rows that came of it.
//!
//! The program imports a file into a graph that knows the companies. What it wrote is then copied out, and into a second
//! database that was the same before the import: the same tables with the same indexes, on one connection, in one
//! transaction. So the ratio says what it costs to read the file, to find out who is who and to write in batches that can be
//! gone on from, and does not depend on the machine.

mod bare;

use crate::bar::{Verdict, a_second, grouped, number_in, progress};
use crate::import_files::{person_lines, write_companies, write_people};
use crate::rig::{Folder, Rig, RigOptions};
use anyhow::{Context, Result, ensure};
use assay_testkit::{PostgresOptions, Stopwatch};
use assay_world::{DEMO_AS_OF, World};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

const ROWS: u64 = 1_000_000;
const ROWS_SHORT: u64 = 20_000;
/// Not the demo world's, which an installation brings along in part.
const SEED: u64 = 20_261_116;
/// The bar: import rows a second as a share of bare COPY rows a second.
const RATIO_MIN: f64 = 0.25;
/// Names another number of rows, to try other sizes.
const OTHER_ROWS: &str = "ASSAY_BAR_ROWS";
const SOURCE: &str = "bar";
/// The same for both sides. The disk is left out: neither waits for it, and the log stays small.
const SETTINGS: [(&str, &str); 7] = [
    ("fsync", "off"),
    ("full_page_writes", "off"),
    ("autovacuum", "off"),
    ("shared_buffers", "3GB"),
    ("max_wal_size", "1GB"),
    ("min_wal_size", "80MB"),
    ("checkpoint_timeout", "30min"),
];

pub async fn run(short: bool) -> Result<Verdict> {
    let usual = if short { ROWS_SHORT } else { ROWS };
    let rows = number_in(OTHER_ROWS)?.unwrap_or(usual);
    let folder = Folder::make("import-rate")?;
    let rig = start()?;
    let (people, companies) = (folder.path.join("people.csv"), folder.path.join("companies.csv"));
    progress(format!("writing a file of {} people", grouped(usize::try_from(rows)?)));
    let world = World::new(SEED, rows, DEMO_AS_OF);
    write_companies(&companies, &world)?;
    write_people(&people, person_lines(&world, 0..rows))?;
    rig.cli(&["source", "add", SOURCE, "--licence", "made up"])?;
    progress(format!("importing {} companies", grouped(usize::try_from(world.company_count())?)));
    import(&rig, "companies", &companies)?;
    let before = bare::Before::keep(&rig).await?;
    progress("importing the people");
    let watch = Stopwatch::start();
    let told = import(&rig, "people", &people)?;
    let took = watch.elapsed();
    ensure!(told["rows"] == rows, "{} of {rows} rows were imported", told["rows"]);
    ensure!(told["rejected"] == 0, "{} rows were rejected", told["rejected"]);
    progress(format!("{} are new, {} were linked, {} s", told["new"], told["linked"], took.as_secs()));
    std::fs::remove_file(&people)?;
    let copied = before.copy(&rig, &folder.path).await?;
    Ok(verdict(rows, took, &copied))
}

fn start() -> Result<Rig> {
    Rig::start(RigOptions {
        failpoints: false,
        accounts: 0,
        people: 0,
        postgres: PostgresOptions::with_settings(&SETTINGS),
        one_database: false,
    })
}

fn import(rig: &Rig, kind: &str, file: &Path) -> Result<Value> {
    let path = file.to_str().context("a path that is no text")?;
    let told = rig.cli(&["import", kind, path, "--source", SOURCE, "--yes", "--json"])?;
    serde_json::from_str(&told).context("the import printed no JSON")
}

fn verdict(rows: u64, took: Duration, copied: &bare::Copied) -> Verdict {
    let ratio = copied.took.as_secs_f64() / took.as_secs_f64();
    let figure = format!(
        "import-rate: {} people at {}/s, bare COPY of the same {} rows and indexes at {}/s: ratio {ratio:.3} (bar {RATIO_MIN})",
        grouped(usize::try_from(rows).unwrap_or_default()),
        grouped(usize::try_from(a_second(rows, took)).unwrap_or_default()),
        grouped(copied.rows),
        grouped(usize::try_from(a_second(rows, copied.took)).unwrap_or_default()),
    );
    Verdict { figure, passed: ratio >= RATIO_MIN }
}
