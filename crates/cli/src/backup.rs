//! `assay backup`: both databases as they were at one moment, in a folder that is either whole or not there.

pub mod manifest;
pub mod pg_program;
pub mod shelf;

use crate::config::Config;
use crate::failure::Failure;
use crate::{Session, connect, out};
use assay_store::{Database, HeldSnapshot, Site, StoreError};
use chrono::SecondsFormat;
use clap::Args;
use manifest::{DumpFile, GraphLog, Manifest};
use pg_program::{PgPrograms, Watched, megabytes};
use serde_json::json;
use shelf::Shelf;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct Backup {
    /// Where backups are kept: each gets a folder of its own in it.
    #[arg(long, value_name = "FOLDER")]
    to: PathBuf,
    /// How many are kept there, the newest; the others are removed when this one is whole. All by default.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
    /// The folder of pg_dump, if it is not found by itself.
    #[arg(long, value_name = "FOLDER")]
    programs: Option<PathBuf>,
}

impl Backup {
    pub async fn run(self, session: &Session) -> Result<(), Failure> {
        let config = session.settings()?.config;
        let programs = PgPrograms::in_folder(self.programs);
        let shelf = Shelf::open(&self.to)?;
        let (ledger, graph) = hold_both(&config).await?;
        let key = key_of_both(&ledger, &graph)?;
        let half = shelf.begin(ledger.moment)?;
        let (ledger_path, graph_path) = (half.path().join("ledger.dump"), half.path().join("graph.dump"));
        let watched = Watched::start("written", vec![ledger_path.clone(), graph_path.clone()]);
        watched
            .until(async {
                tokio::try_join!(
                    programs.dump(&config.ledger, &ledger.name, &ledger_path),
                    programs.dump(&config.graph, &graph.name, &graph_path),
                )
            })
            .await?;
        let manifest = Manifest {
            format: manifest::FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            master_key: key,
            ledger: describe(&ledger_path, &ledger)?,
            graph: describe(&graph_path, &graph)?,
            log: graph.log.map(|(epoch, seq)| GraphLog { epoch, seq }),
        };
        manifest.write(half.path())?;
        let whole = half.finish()?;
        let removed = self.keep.map_or(Ok(0), |keep| shelf.keep(keep))?;
        tell(session, &whole, &manifest, removed);
        Ok(())
    }
}

/// The ledger first: whatever it says was found and paid for is in the graph then. The other way round it might name people who came into
/// the graph in between.
async fn hold_both(config: &Config) -> Result<(HeldSnapshot, HeldSnapshot), Failure> {
    let ledger = open(&config.ledger, "ledger").await?.hold_ledger().await;
    let ledger = ledger.map_err(|error| unfit("ledger", error))?;
    let graph = open(&config.graph, "graph").await?.hold_graph().await;
    Ok((ledger, graph.map_err(|error| unfit("graph", error))?))
}

pub async fn open(database: &Database, side: &str) -> Result<Site, Failure> {
    Site::open(database).await.map_err(|error| connect::unreachable(side, error))
}

fn unfit(side: &str, error: StoreError) -> Failure {
    match error {
        StoreError::Schema(what) => {
            Failure::new(format!("the {side} database cannot be backed up: {what}"), "run `assay migrate`")
        }
        other => other.into(),
    }
}

/// Two databases of different installations are no backup.
fn key_of_both(ledger: &HeldSnapshot, graph: &HeldSnapshot) -> Result<Option<String>, Failure> {
    match (&ledger.key_fingerprint, &graph.key_fingerprint) {
        (Some(ledger), Some(graph)) if ledger != graph => Err(Failure::new(
            "the two databases were written with different master keys",
            "check ledger.url and graph.url: assay config show",
        )),
        (ledger, graph) => Ok(ledger.clone().or_else(|| graph.clone())),
    }
}

fn describe(path: &Path, held: &HeldSnapshot) -> Result<DumpFile, Failure> {
    DumpFile::describe(path, held.schema, held.moment)
}

fn tell(session: &Session, whole: &Path, manifest: &Manifest, removed: usize) {
    let moment = manifest.ledger.moment.to_rfc3339_opts(SecondsFormat::Millis, true);
    let (ledger, graph) = (manifest.ledger.bytes, manifest.graph.bytes);
    if session.json {
        return out::json(&json!({
            "backup": whole.display().to_string(), "moment": moment, "ledger_bytes": ledger, "graph_bytes": graph,
            "removed": removed,
        }));
    }
    let removed = if removed > 0 { format!("; {removed} older ones removed") } else { String::new() };
    out::data(&format!(
        "{}: as of {moment}, ledger {}, graph {}{removed}",
        whole.display(),
        megabytes(ledger),
        megabytes(graph)
    ));
}
