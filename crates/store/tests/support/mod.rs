//! Databases for the store's tests: each test gets one of its own, cloned from a migrated template.
#![allow(dead_code, reason = "each test binary uses the half it needs")]
#![allow(clippy::unwrap_used, reason = "without a database a test cannot go on")]

use assay_store::{Database, Graph, Ledger};
use assay_testkit::{TestDatabase, workspace_root};

/// An empty graph database.
pub async fn graph_db() -> TestDatabase {
    let prepare = async |url: String| Ok(Graph::migrate(&Database::at(&url)).await?);
    TestDatabase::from_template("graph", &migrations("graph"), prepare).await.unwrap()
}

/// An empty ledger database.
pub async fn ledger_db() -> TestDatabase {
    let prepare = async |url: String| Ok(Ledger::migrate(&Database::at(&url)).await?);
    TestDatabase::from_template("ledger", &migrations("ledger"), prepare).await.unwrap()
}

/// The text of all migrations: when it changes, a new template is made.
fn migrations(side: &str) -> String {
    let folder = workspace_root().unwrap().join("migrations").join(side);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect()
}
