//! The bar `import-kill`: an import that is killed at random moments and started again leaves what an undisturbed one leaves.
//!
//! Two files of one source, with people written down twice and a later snapshot with other jobs, are imported by one
//! command into two databases that are the same before. In one of them the program is killed with SIGKILL five times, each
//! time at a row and after a pause that are drawn, and started again with the same command. Then every row of every table
//! and the files of rejects are compared.

mod compare;
mod snapshots;

use crate::bar::{Complaints, Verdict, grouped, progress};
use crate::import_files::write_companies;
use crate::rig::{Folder, Rig, RigOptions};
use anyhow::{Context, Result, bail, ensure};
use assay_testkit::PostgresOptions;
use assay_world::{DEMO_AS_OF, World};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sqlx::PgPool;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const ROWS: u64 = 200_000;
const ROWS_SHORT: u64 = 5_000;
const KILLS: usize = 5;
/// Not the demo world's, which an installation brings along in part.
const SEED: u64 = 20_261_117;
const SOURCE: &str = "bar";
const DISTURBED: &str = "bar_disturbed";
/// Longer than a batch takes, so that a kill falls on any step of one.
const PAUSE_MS_MAX: u64 = 600;
const PAUSE_MS_MAX_SHORT: u64 = 80;
/// What a short run has to have several batches with.
const BATCH_SHORT: &str = "200";
const LOOK_EVERY: Duration = Duration::from_millis(5);
const SETTINGS: [(&str, &str); 4] =
    [("fsync", "off"), ("full_page_writes", "off"), ("shared_buffers", "1GB"), ("max_wal_size", "1GB")];

pub async fn run(short: bool) -> Result<Verdict> {
    let rows = if short { ROWS_SHORT } else { ROWS };
    let seed: u64 = rand::random();
    progress(format!("the kills are drawn with seed {seed}"));
    let scene = Scene::set(rows, short)?;
    progress("importing undisturbed");
    let told = scene.command(None).output().context("cannot run the program")?;
    ensure!(told.status.success(), "the import failed: {}", String::from_utf8_lossy(&told.stderr).trim());
    let kills = scene.import_with_kills(&mut ChaCha8Rng::seed_from_u64(seed)).await?;
    let mut complaints = Complaints::default();
    let compared = compare::tables(&scene.rig.graph_url(), &scene.disturbed_url(), &mut complaints).await?;
    scene.compare_rejects(&mut complaints)?;
    let figure = format!(
        "import-kill: {} rows in two snapshots, killed {kills} times and started again: {} rows of {} tables compared, {} \
         differences (bar 0)",
        grouped(usize::try_from(scene.rows)?),
        grouped(compared.rows),
        compared.tables,
        complaints.count(),
    );
    Ok(Verdict { figure, passed: complaints.is_empty() && kills == KILLS })
}

/// Two databases that are the same, and the files.
struct Scene {
    rig: Rig,
    folder: Folder,
    /// Of both files.
    rows: u64,
    short: bool,
}

impl Scene {
    fn set(rows: u64, short: bool) -> Result<Self> {
        let rig = Rig::start(RigOptions {
            failpoints: false,
            accounts: 0,
            people: 0,
            postgres: PostgresOptions::with_settings(&SETTINGS),
            one_database: false,
        })?;
        let folder = Folder::make("import-kill")?;
        let world = World::new(SEED, rows, DEMO_AS_OF);
        let companies = folder.path.join("companies.csv");
        write_companies(&companies, &world)?;
        let rows = snapshots::write(&folder.path.join("calm"), &world, rows)?;
        std::fs::create_dir(folder.path.join("disturbed"))?;
        for file in snapshots::FILES {
            std::fs::copy(folder.path.join("calm").join(file), folder.path.join("disturbed").join(file))?;
        }
        rig.cli(&["source", "add", SOURCE, "--licence", "made up"])?;
        let companies = companies.to_str().context("a path that is no text")?;
        rig.cli(&["import", "companies", companies, "--source", SOURCE, "--yes"])?;
        for email in snapshots::erased(&world) {
            rig.cli(&["suppression", "add", "--email", &email])?;
        }
        let clone = format!("create database {DISTURBED} template {}", database_of(&rig.graph_url()));
        rig.postgres.psql("postgres", &clone)?;
        Ok(Self { rig, folder, rows, short })
    }

    fn disturbed_url(&self) -> String {
        self.rig.postgres.url(DISTURBED)
    }

    /// The same command for both, but for where it writes.
    fn command(&self, graph_url: Option<&str>) -> Command {
        let folder = if graph_url.is_some() { "disturbed" } else { "calm" };
        let mut command = self.rig.command(&["import", "people"]);
        command.args(snapshots::FILES.map(|file| self.folder.path.join(folder).join(file)));
        command.args(["--source", SOURCE, "--yes", "--json"]);
        if self.short {
            command.args(["--batch", BATCH_SHORT]);
        }
        if let Some(url) = graph_url {
            command.env("ASSAY_GRAPH_URL", url);
        }
        command
    }

    async fn import_with_kills(&self, random: &mut ChaCha8Rng) -> Result<usize> {
        let url = self.disturbed_url();
        let pool = PgPool::connect(&url).await?;
        let mut places: Vec<u64> = (0..KILLS).map(|_| random.random_range(0..self.rows * 9 / 10)).collect();
        places.sort_unstable();
        let pause_max = if self.short { PAUSE_MS_MAX_SHORT } else { PAUSE_MS_MAX };
        let mut kills = 0;
        for place in places {
            let pause = Duration::from_millis(random.random_range(0..pause_max));
            let mut child = self.command(Some(&url)).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
            if wait_for(&pool, &mut child, place).await? {
                tokio::time::sleep(pause).await;
                child.kill().context("cannot kill the import")?;
                kills += 1;
            }
            let status = child.wait()?;
            if status.code().is_some() {
                bail!("the import ended with {status} before it was killed");
            }
            progress(format!("killed at row {} or later, after {} ms", place, pause.as_millis()));
        }
        progress("letting it end");
        let told = self.command(Some(&url)).output().context("cannot run the program")?;
        ensure!(told.status.success(), "the import failed: {}", String::from_utf8_lossy(&told.stderr).trim());
        pool.close().await;
        Ok(kills)
    }

    fn compare_rejects(&self, complaints: &mut Complaints) -> Result<()> {
        for file in snapshots::FILES {
            let read = |folder: &str| {
                let path = self.folder.path.join(folder).join(format!("{file}.rejects.csv"));
                read_if_there(&path)
            };
            let calm = read("calm")?;
            ensure!(
                calm.is_some(),
                "no row of {file} was rejected: the comparison would prove less than it says"
            );
            if calm != read("disturbed")? {
                complaints.add(format!("the rejects of {file} are others"));
            }
        }
        Ok(())
    }
}

/// Until so many rows are committed; false when the program ended before.
async fn wait_for(pool: &PgPool, child: &mut Child, place: u64) -> Result<bool> {
    loop {
        if child.try_wait()?.is_some() {
            return Ok(false);
        }
        let rows: i64 = sqlx::query_scalar(
            "select coalesce(sum(nullif(split_part(position, ':', 1), '')::bigint), 0)::bigint
             from import_run where kind = 1",
        )
        .fetch_one(pool)
        .await?;
        if u64::try_from(rows)? >= place {
            return Ok(true);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn database_of(url: &str) -> &str {
    url.rsplit_once('/').map_or(url, |(_, name)| name)
}
