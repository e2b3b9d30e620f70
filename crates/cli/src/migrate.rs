//! `assay migrate`: brings both databases to the schema this program needs.

use crate::failure::Failure;
use crate::{Session, connect, out};
use assay_store::{Graph, Ledger};
use clap::Args;
use serde_json::json;

#[derive(Debug, Args)]
pub struct Migrate {
    /// Only show which versions the databases have.
    #[arg(long)]
    status: bool,
}

impl Migrate {
    pub async fn run(self, session: &Session) -> Result<(), Failure> {
        let config = session.settings()?.config;
        if !self.status {
            Ledger::migrate(&config.ledger).await.map_err(|error| connect::unreachable("ledger", error))?;
            Graph::migrate(&config.graph).await.map_err(|error| connect::unreachable("graph", error))?;
        }
        let ledger = connect::open_ledger(&config.ledger).await?.schema_versions().await?;
        let graph = connect::open_graph(&config.graph).await?.schema_versions().await?;
        let sides = [("ledger", ledger), ("graph", graph)];
        if session.json {
            let side = |(needed, found): (i64, Option<i64>)| json!({"needed": needed, "found": found, "up_to_date": found == Some(needed)});
            out::json(&json!({"ledger": side(ledger), "graph": side(graph)}));
            return Ok(());
        }
        for (side, (needed, found)) in sides {
            let found = found.map_or("none".to_owned(), |found| found.to_string());
            out::data(&format!("{side:<7} schema {found} of {needed}"));
        }
        Ok(())
    }
}
