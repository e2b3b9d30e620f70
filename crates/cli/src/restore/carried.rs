//! What databases that are about to be replaced know of suppressions: in a journal beside the backup, until the restore is through.

use crate::config::Config;
use crate::connect;
use crate::failure::Failure;
use crate::suppression::add_copies;
use crate::suppression::journal::JournalWriter;
use assay_domain::limits::SUPPRESSIONS_PER_CALL_MAX;
use assay_store::{Graph, Ledger};
use std::path::{Path, PathBuf};

const FILE: &str = "carried-over.jsonl";
/// The first schema of the graph that has suppressions, and of the ledger that has copies of them.
const GRAPH_SINCE: i64 = 2;
const LEDGER_SINCE: i64 = 18;

/// At most one file: a restore that failed left it, and the next adds to it.
pub struct Carried {
    files: Vec<PathBuf>,
}

impl Carried {
    /// Of the sides that hold something and will be replaced.
    pub async fn collect(
        folder: &Path,
        config: &Config,
        (ledger, graph): (bool, bool),
    ) -> Result<Self, Failure> {
        let path = folder.join(FILE);
        if ledger || graph {
            let mut journal = JournalWriter::open(&path, &config.master_key()?.fingerprint())?;
            if ledger {
                add_ledgers(config, &mut journal).await.map_err(|failure| unread("ledger", failure))?;
            }
            if graph {
                add_graphs(config, &mut journal).await.map_err(|failure| unread("graph", failure))?;
            }
            journal.finish()?;
        }
        Ok(Self { files: if path.is_file() { vec![path] } else { Vec::new() } })
    }

    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Everything in it is in both databases now.
    pub fn remove(self) -> Result<(), Failure> {
        for path in &self.files {
            std::fs::remove_file(path).map_err(|error| {
                Failure::new(format!("{}: {error}", path.display()), "remove it; all else is done")
            })?;
        }
        Ok(())
    }
}

/// To go on without them is for somebody to decide, not for us.
fn unread(side: &str, mut failure: Failure) -> Failure {
    for reason in &mut failure.reasons {
        reason.what = format!("the {side} database does not tell who was erased: {}", reason.what);
        reason.fix = format!(
            "mend that; or make the {side} database anew by hand, empty, and give --suppressions a journal of whom was erased"
        );
    }
    failure
}

async fn add_ledgers(config: &Config, journal: &mut JournalWriter) -> Result<(), Failure> {
    let ledger: Ledger = connect::open_ledger(&config.ledger).await?;
    let (_, found) = ledger.schema_versions().await?;
    if found.is_none_or(|found| found < LEDGER_SINCE) {
        return Ok(());
    }
    connect::check_key(config, &ledger, None).await?;
    add_copies(&ledger, journal).await
}

async fn add_graphs(config: &Config, journal: &mut JournalWriter) -> Result<(), Failure> {
    let graph: Graph = connect::open_graph(&config.graph).await?;
    let (_, found) = graph.schema_versions().await?;
    if found.is_none_or(|found| found < GRAPH_SINCE) {
        return Ok(());
    }
    connect::check_graph_key(config, &graph).await?;
    let mut after = None;
    let limit = u32::try_from(SUPPRESSIONS_PER_CALL_MAX).unwrap_or(u32::MAX);
    loop {
        let page = graph.suppressions(after, limit).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.id);
        journal.add(&page)?;
    }
}
