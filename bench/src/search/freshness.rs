//! The bar `freshness`: how long after its commit a change is found, while a file is imported, and that none is lost.
//!
//! People change at a steady rate while the program imports a file and a transaction that changed somebody stays open for a
//! minute. Some of the changes are looked for, by a word nobody else has, on the node that does not number them, until they
//! are found. Then both nodes are killed in turn, and at last everything is compared with the tables.

use super::updates::{CHANGE, Made, Updates};
use super::{PEOPLE, ask, rig};
use crate::bar::{Complaints, Verdict, grouped, number_in, progress, quantile};
use crate::http_client::Client;
use crate::import_files::{person_lines, write_people};
use crate::rig::{Folder, Rig, Server};
use anyhow::{Context, Result, ensure};
use assay_domain::PersonId;
use assay_domain::clock::Stopwatch;
use assay_world::{DEMO_AS_OF, World};
use serde_json::json;
use sqlx::{Connection, PgConnection};
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::task::JoinSet;

const ACCOUNTS: usize = 8;
const CHANGES_A_SECOND: usize = 200;
/// One of so many changes is looked for.
const LOOKED_FOR_ONE_OF: usize = 40;
const LOOK: Duration = Duration::from_millis(100);
/// What is not found by then is not looked for any longer.
const GIVEN_UP_AFTER: Duration = Duration::from_secs(60);
/// The bar, at the 99th percentile.
const FOUND_WITHIN: Duration = Duration::from_secs(2);
const SEED: u64 = 62;
/// Not the demo world's.
const FILE_SEED: u64 = 20_261_117;
const SOURCE: &str = "bar";
const OTHER_ROWS: &str = "ASSAY_BAR_ROWS";
/// Between a kill and the next.
const BETWEEN_KILLS: Duration = Duration::from_secs(5);
const COMPARED: usize = 400;
const SETTLED_WITHIN: Duration = Duration::from_mins(15);

struct Size {
    people: u64,
    rows: u64,
    open_seconds: u32,
}

const FULL: Size = Size { people: 100_000, rows: 1_000_000, open_seconds: 60 };
const SHORT: Size = Size { people: 4_000, rows: 10_000, open_seconds: 5 };

pub async fn run(short: bool) -> Result<Verdict> {
    let size = if short { SHORT } else { FULL };
    let rows = number_in(OTHER_ROWS)?.unwrap_or(size.rows);
    let rig = rig(size.people, ACCOUNTS)?;
    let folder = Folder::make("freshness")?;
    let file = folder.path.join("people.csv");
    progress(format!("writing a file of {} people", grouped(usize::try_from(rows)?)));
    write_people(&file, person_lines(&World::new(FILE_SEED, rows, DEMO_AS_OF), 0..rows))?;
    rig.cli(&["source", "add", SOURCE, "--licence", "made up"])?;
    let nodes = Nodes::start(&rig, &folder)?;
    let mut updates = Updates::start(&rig, CHANGES_A_SECOND, SEED).await?;
    let mut searches = Searches::new(&rig, nodes.follower.address);
    let began = Stopwatch::start();
    let mut importing = import(&rig, &file)?;
    let mut held = Some(tokio::spawn(hold(rig.graph_url(), somebody(&rig), size.open_seconds)));
    let mut count = 0_usize;
    while importing.try_wait()?.is_none() || held.is_some() {
        tokio::time::sleep(LOOK).await;
        if let Some(committed) = held.take_if(|held| held.is_finished()) {
            searches.look_for(committed.await??);
        }
        while let Ok(made) = updates.made.try_recv() {
            count += 1;
            if count.is_multiple_of(LOOKED_FOR_ONE_OF) {
                searches.look_for(made);
            }
        }
    }
    let imported = began.elapsed();
    ensure!(importing.wait()?.success(), "the import failed");
    let mut found = searches.end().await?;
    found.sort_unstable();
    let (p50, p99) = (quantile(&found, 500), quantile(&found, 990));
    progress(format!("{} rows imported in {} s", grouped(usize::try_from(rows)?), imported.as_secs()));
    let mut complaints = Complaints::default();
    let never = found.iter().filter(|took| **took > GIVEN_UP_AFTER).count();
    if never > 0 {
        complaints.add(format!("{never} changes were not found within {GIVEN_UP_AFTER:?}"));
    }
    let nodes = nodes.kill_in_turn(&rig).await?;
    let (changes, _) = updates.stop().await?;
    compare(&rig, &nodes, &mut complaints).await?;
    let figure = format!(
        "freshness: {} of {} changes looked for during an import of {} rows, a transaction open for {} s: found after {:.0} ms \
         (p50), {:.0} ms (p99; bar {} ms), {:.0} ms at most; {} wrong, also after both nodes were killed",
        grouped(found.len()),
        grouped(changes),
        grouped(usize::try_from(rows)?),
        size.open_seconds,
        p50.as_secs_f64() * 1e3,
        p99.as_secs_f64() * 1e3,
        FOUND_WITHIN.as_millis(),
        quantile(&found, 1_000).as_secs_f64() * 1e3,
        complaints.count(),
    );
    Ok(Verdict { figure, passed: p99 <= FOUND_WITHIN && complaints.is_empty() })
}

fn import(rig: &Rig, file: &Path) -> Result<std::process::Child> {
    let path = file.to_str().context("a path that is no text")?;
    let mut command = rig.command(&["import", "people", path, "--source", SOURCE, "--yes", "--json"]);
    command.stdout(Stdio::null()).spawn().context("cannot start the import")
}

/// The last of the world, who is not among those that change in turn.
fn somebody(rig: &Rig) -> PersonId {
    rig.world().person(rig.world().people_count() - 1).id
}

/// Changes somebody and commits much later; whatever is committed meanwhile is not held up by it.
async fn hold(url: String, person: PersonId, seconds: u32) -> Result<Made> {
    let word = "wheldopenforlong".to_owned();
    let mut connection = PgConnection::connect(&url).await?;
    let mut transaction = connection.begin().await?;
    let changed = sqlx::query(CHANGE).bind([person.uuid()]).bind([&word]);
    changed.execute(&mut *transaction).await?;
    tokio::time::sleep(Duration::from_secs(seconds.into())).await;
    transaction.commit().await?;
    Ok(Made { person, word, at: Stopwatch::start() })
}

/// Changes that are being looked for.
struct Searches {
    node: SocketAddr,
    api_keys: Vec<String>,
    running: JoinSet<Result<Duration>>,
    count: usize,
}

impl Searches {
    fn new(rig: &Rig, node: SocketAddr) -> Self {
        let api_keys = rig.accounts.iter().map(|account| account.api_key.clone()).collect();
        Self { node, api_keys, running: JoinSet::new(), count: 0 }
    }

    fn look_for(&mut self, made: Made) {
        self.count += 1;
        let api_key = self.api_keys[self.count % self.api_keys.len()].clone();
        let mut client = Client::new(self.node);
        self.running.spawn(async move {
            loop {
                let page =
                    ask(&mut client, &api_key, PEOPLE, &json!({ "keywords": made.word, "limit": 1 })).await?;
                let took = made.at.elapsed();
                let id = format!("per_{}", made.person.uuid().simple());
                if page["results"][0]["id"].as_str() == Some(&id) || took > GIVEN_UP_AFTER {
                    return Ok(took);
                }
                tokio::time::sleep(LOOK).await;
            }
        });
    }

    async fn end(self) -> Result<Vec<Duration>> {
        self.running.join_all().await.into_iter().collect()
    }
}

/// The first numbers changes, and both follow them.
struct Nodes {
    sequencer: Server,
    follower: Server,
    folders: [String; 2],
}

impl Nodes {
    fn start(rig: &Rig, folder: &Folder) -> Result<Self> {
        let folders = ["one", "other"].map(|name| folder.path.join(name).display().to_string());
        let serve = |folder: &str| rig.serve(&[("ASSAY_INDEX_FOLDER", folder)]);
        Ok(Self { sequencer: serve(&folders[0])?, follower: serve(&folders[1])?, folders })
    }

    /// Kills each without warning while changes go on, and starts it again on what it left.
    async fn kill_in_turn(self, rig: &Rig) -> Result<Self> {
        let Self { sequencer, follower, folders } = self;
        let serve = |folder: &str| rig.serve(&[("ASSAY_INDEX_FOLDER", folder)]);
        tokio::time::sleep(BETWEEN_KILLS).await;
        follower.kill_dash_nine()?;
        let follower = serve(&folders[1])?;
        tokio::time::sleep(BETWEEN_KILLS).await;
        sequencer.kill_dash_nine()?;
        tokio::time::sleep(BETWEEN_KILLS).await;
        let sequencer = serve(&folders[0])?;
        Ok(Self { sequencer, follower, folders })
    }
}

/// On both nodes everybody is counted, and of many it is looked whether they are found by what the tables say of them now.
async fn compare(rig: &Rig, nodes: &Nodes, complaints: &mut Complaints) -> Result<()> {
    let select = |sql: &str| rig.postgres.psql(rig.graph_name(), sql);
    let there: u64 = select("select count(*) from person where merged_into is null")?.trim().parse()?;
    let told = select(&format!(
        "select json_agg(json_build_array('per_' || replace(id::text, '-', ''), facts->>'headline'))
         from (select id, facts from person where facts->>'headline' like 'w________________' order by random() limit {COMPARED}) as p"
    ))?;
    let told: Vec<(String, String)> = serde_json::from_str(&told).context("nobody changed")?;
    for node in [&nodes.sequencer, &nodes.follower] {
        let (mut client, api_key) = (node.client(), &rig.accounts[0].api_key);
        let watch = Stopwatch::start();
        loop {
            let page = ask(&mut client, api_key, PEOPLE, &json!({ "count": "exact", "limit": 1 })).await?;
            if page["total"].as_u64() == Some(there)
                && select("select exists (select from change_inbox)")?.trim() == "f"
            {
                break;
            }
            if watch.elapsed() > SETTLED_WITHIN {
                complaints.add(format!("{} people are found of {there}", page["total"]));
                break;
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        // The last entries may have been numbered this moment.
        tokio::time::sleep(FOUND_WITHIN).await;
        for (id, word) in &told {
            let page = ask(&mut client, api_key, PEOPLE, &json!({ "keywords": word, "limit": 1 })).await?;
            if page["results"][0]["id"].as_str() != Some(id) {
                complaints.add(format!("{id} is not found by what the tables say"));
            }
        }
    }
    Ok(())
}
