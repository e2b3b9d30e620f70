//! `assay world load`: fills the graph with made-up people and companies. Loading twice changes nothing.

mod batches;
pub(crate) mod progress;
mod samples;

use crate::failure::Failure;
use crate::{Session, connect, out};
use assay_domain::clock::Stopwatch;
use assay_store::graph::Written;
use assay_store::{Graph, StoreError};
use assay_world::{DEMO_AS_OF, DEMO_PEOPLE, DEMO_SEED, World};
use batches::Batches;
use clap::Subcommand;
use progress::Progress;
use serde_json::json;
use std::sync::Arc;
use tokio::task::JoinSet;

/// Writes at the database at once: with one more than the cores busy making people, both sides stay busy.
const WRITERS: usize = 3;

#[derive(Debug, Subcommand)]
pub enum WorldCommand {
    /// Write made-up people and companies into the graph.
    Load {
        #[arg(long, default_value_t = DEMO_PEOPLE)]
        people: u64,
        /// Another seed makes another world.
        #[arg(long, default_value_t = DEMO_SEED)]
        seed: u64,
    },
}

impl WorldCommand {
    pub async fn run(self, session: &Session) -> Result<(), Failure> {
        let Self::Load { people, seed } = self;
        let config = session.settings()?.config;
        let (ledger, graph) = (connect::ledger(&config).await?, connect::graph(&config).await?);
        connect::check_key(&config, &ledger, Some(&graph)).await?;
        let watch = Stopwatch::start();
        let world = Arc::new(World::new(seed, people, DEMO_AS_OF));
        let key = config.identity_key()?;
        // Companies first: a person's employment refers to one.
        let progress = Progress::start("companies", world.company_count());
        let companies =
            write_all(&graph, Batches::of_companies(Arc::clone(&world), key.clone()), progress).await?;
        let progress = Progress::start("people", world.people_count());
        let written = write_all(&graph, Batches::of_people(Arc::clone(&world), key), progress).await?;
        let (new, unchanged) = (written.people, companies.unchanged + written.unchanged);
        let suppressed = written.suppressed;
        let seconds = watch.elapsed().as_secs();
        if session.json {
            let samples = samples::identifiers(&world);
            out::json(&json!({
                "companies": companies.companies, "people": new, "unchanged": unchanged, "suppressed": suppressed,
                "seconds": seconds,
                "samples": samples,
            }));
            return Ok(());
        }
        let companies = companies.companies;
        out::note(&format!(
            "{companies} companies and {new} people written, {unchanged} unchanged, {suppressed} left out as suppressed, in \
             {seconds} s"
        ));
        for call in samples::calls(&world, config.listen) {
            out::data(&call);
        }
        Ok(())
    }
}

/// Writes batches as they are made, several at once; the first failure ends it.
async fn write_all(graph: &Graph, mut batches: Batches, progress: Progress) -> Result<Written, Failure> {
    let mut total = Written::default();
    let mut writing: JoinSet<(u64, Result<Written, StoreError>)> = JoinSet::new();
    loop {
        let made = if writing.len() < WRITERS { batches.next().await } else { None };
        if let Some((size, batch)) = made {
            let graph = graph.clone();
            writing.spawn(async move { (size, graph.write(batch).await) });
            continue;
        }
        let Some(done) = writing.join_next().await else { break };
        let (size, written) = done.map_err(|_| Failure::new("a writer broke down", "report it"))?;
        let written = written?;
        total.companies += written.companies;
        total.people += written.people;
        total.unchanged += written.unchanged;
        total.suppressed += written.suppressed;
        progress.advance(size);
    }
    progress.finish();
    Ok(total)
}
