//! The bar `resolution`: records of three careless sources, and of two public sets, are put together as they belong.
//!
//! People of the made-up world are written down three times, dirtily, and imported by the program into an empty graph that
//! knows the companies. Whoever made the records knows whose each is; every pair of records is counted. The world gives
//! figures that can be compared from one version to the next, and says nothing about anybody's real data.

mod febrl;
pub mod pairs;

use crate::bar::{Verdict, grouped, number_in, progress};
use crate::dirt::{self, DirtyRow, Kind};
use crate::import_files::{write_companies, write_people};
use crate::rig::{Folder, Rig, RigOptions};
use anyhow::{Context, Result, ensure};
use assay_testkit::PostgresOptions;
use assay_world::{DEMO_AS_OF, World};
use pairs::Pairs;
use serde_json::{Value, json};
use sqlx::PgPool;
use std::collections::HashMap;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use uuid::Uuid;

const PEOPLE: u64 = 200_000;
const PEOPLE_SHORT: u64 = 5_000;
const WORLD_SEED: u64 = 20_261_118;
const DIRT_SEED: u64 = 31;
/// Names another pair of seeds, for whoever tunes: what is tuned on must not be what is measured.
const OTHER_SEED: &str = "ASSAY_BAR_SEED";
/// Names another number of people.
const OTHER_PEOPLE: &str = "ASSAY_BAR_PEOPLE";
/// Names a file into which the pairs that were taken wrongly are written.
const MISTAKES: &str = "ASSAY_BAR_MISTAKES";

/// The bars.
const PRECISION_LEAST: f64 = 0.995;
const RECALL_LEAST: f64 = 0.95;
const FEBRL_LEAST: f64 = 0.95;
const NAMESAKES_LEAST: f64 = 0.05;

pub const SETTINGS: [(&str, &str); 5] = [
    ("fsync", "off"),
    ("full_page_writes", "off"),
    ("shared_buffers", "2GB"),
    ("max_wal_size", "2GB"),
    ("checkpoint_timeout", "30min"),
];

pub async fn run(short: bool) -> Result<Verdict> {
    let people = number_in(OTHER_PEOPLE)?.unwrap_or(if short { PEOPLE_SHORT } else { PEOPLE });
    let seed = number_in(OTHER_SEED)?.unwrap_or(0);
    let (pairs, namesakes) = world_pairs(people, seed).await?;
    progress(format!("namesakes: {:.1} % of the people", 100.0 * namesakes));
    let febrl = febrl::run().await?;
    let (precision, recall) = (pairs.precision(), pairs.recall());
    let figure = format!(
        "resolution: {} people of the made-up world in three sources: precision {precision:.4} (bar {PRECISION_LEAST}), recall \
         {recall:.4} (bar {RECALL_LEAST}), {:.0} % have a namesake; {} (bar {FEBRL_LEAST} each)",
        grouped(usize::try_from(people)?),
        100.0 * namesakes,
        febrl.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    );
    let passed = precision >= PRECISION_LEAST
        && recall >= RECALL_LEAST
        && namesakes >= NAMESAKES_LEAST
        && febrl.iter().all(|set| set.pairs.precision() >= FEBRL_LEAST && set.pairs.recall() >= FEBRL_LEAST);
    Ok(Verdict { figure, passed })
}

/// Of all pairs of records, and the share of people whose name somebody else has.
async fn world_pairs(people: u64, seed: u64) -> Result<(Pairs, f64)> {
    let world = World::new(WORLD_SEED + seed, people, DEMO_AS_OF);
    let rig = empty_rig()?;
    let folder = Folder::make("resolution")?;
    let companies = folder.path.join("companies.csv");
    write_companies(&companies, &world)?;
    rig.cli(&["source", "add", "register", "--licence", "made up"])?;
    import(&rig, "companies", "register", &companies)?;
    let mut truth = HashMap::new();
    let mut all = Vec::new();
    for kind in Kind::ALL {
        let rows = dirt::rows(&world, kind, DIRT_SEED + seed);
        let file = write(&folder.path, kind, &rows)?;
        progress(format!("importing {} records of {}", grouped(rows.len()), kind.name()));
        rig.cli(&["source", "add", kind.name(), "--licence", "made up"])?;
        let told = import(&rig, "people", kind.name(), &file)?;
        ensure!(told["rejected"] == 0, "{} rows were rejected", told["rejected"]);
        progress(format!("{} new, {} linked, {} merged", told["new"], told["linked"], told["merged"]));
        truth.extend(rows.iter().map(|row| (row.line.id.clone(), row.who)));
        all.extend(rows);
    }
    let entities = entities(&rig.graph_url()).await?;
    let pairs =
        Pairs::count(entities.iter().filter_map(|(record, entity)| Some((*truth.get(record)?, *entity))));
    ensure!(pairs.records == truth.len(), "{} of {} records are there", pairs.records, truth.len());
    if let Ok(path) = std::env::var(MISTAKES) {
        pairs::write_mistakes(Path::new(&path), &all, &entities)?;
    }
    Ok((pairs, namesakes(&world)))
}

pub fn empty_rig() -> Result<Rig> {
    Rig::start(RigOptions {
        failpoints: false,
        accounts: 0,
        people: 0,
        postgres: PostgresOptions::with_settings(&SETTINGS),
        one_database: false,
    })
}

pub fn import(rig: &Rig, kind: &str, source: &str, file: &Path) -> Result<Value> {
    let path = file.to_str().context("a path that is no text")?;
    let told = rig.cli(&["import", kind, path, "--source", source, "--yes", "--json"])?;
    serde_json::from_str(&told).context("the import printed no JSON")
}

/// Whose each record is now.
pub async fn entities(graph: &str) -> Result<HashMap<String, Uuid>> {
    let pool = PgPool::connect(graph).await?;
    let rows: Vec<(String, Uuid)> =
        sqlx::query_as("select ref, entity_id from source_record").fetch_all(&pool).await?;
    Ok(rows.into_iter().collect())
}

fn write(folder: &Path, kind: Kind, rows: &[DirtyRow]) -> Result<PathBuf> {
    if kind == Kind::Network {
        let path = folder.join("network.jsonl");
        write_pages(&path, rows)?;
        return Ok(path);
    }
    let path = folder.join(kind.name()).with_extension("csv");
    write_people(&path, rows.iter().map(|row| row.line.clone()))?;
    Ok(path)
}

/// With careers and schools, which take more than a row.
pub fn write_pages(path: &Path, rows: &[DirtyRow]) -> Result<()> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    for row in rows {
        let line = &row.line;
        let past = row.past.iter().map(|job| {
            json!({"company": job.company_name, "title": job.title, "started_on": job.started_on, "ended_on": job.ended_on})
        });
        let page = json!({
            "id": line.id, "first_name": line.first_name, "last_name": line.last_name, "email": line.email,
            "phone": line.phone, "title": line.title, "company": line.company, "company_domain": line.company_domain,
            "profile_url": line.profile_url, "city": line.city, "country": line.country,
            "last_updated": line.last_updated, "school": line.school, "experience": past.collect::<Vec<_>>(),
        });
        writeln!(out, "{page}")?;
    }
    Ok(out.flush()?)
}

fn namesakes(world: &World) -> f64 {
    let mut bearers: HashMap<String, u32> = HashMap::new();
    for person in world.people(0..world.people_count()) {
        *bearers.entry(person.facts.full_name).or_default() += 1;
    }
    let shared: u32 = bearers.values().filter(|count| **count > 1).sum();
    f64::from(shared) / f64::from(bearers.values().sum::<u32>())
}
