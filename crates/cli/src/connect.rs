//! Opens the databases, and refuses those whose schema or master key is not ours.

use crate::config::Config;
use crate::failure::Failure;
use assay_domain::Clock;
use assay_domain::limits::ERASING_BATCH;
use assay_engine::{Engine, Settled};
use assay_service::Service;
use assay_service::sandbox::Door;
use assay_store::{Database, Graph, Ledger, SandboxCounter, StoreError};
use std::sync::Arc;

/// The ledger, with the schema this program needs.
pub async fn ledger(config: &Config) -> Result<Ledger, Failure> {
    let ledger = open_ledger(&config.ledger).await?;
    check_schema("ledger", ledger.schema_versions().await)?;
    Ok(ledger)
}

/// The graph, with the schema this program needs.
pub async fn graph(config: &Config) -> Result<Graph, Failure> {
    let graph = open_graph(&config.graph).await?;
    check_schema("graph", graph.schema_versions().await)?;
    Ok(graph)
}

/// The sandbox with its counter, unless the operator has none.
pub async fn sandbox(config: &Config, service: &Service) -> Result<Option<Arc<Door>>, Failure> {
    if !config.sandbox_enabled {
        return Ok(None);
    }
    let daily_limit = config.sandbox_daily_limit;
    let counter = SandboxCounter::connect(&config.ledger, daily_limit).await;
    let counter = counter.map_err(|error| unreachable("ledger", error))?;
    let signup_url = config.signup_url.clone();
    Ok(Some(Arc::new(Door::new(service.sandbox(), counter, daily_limit, signup_url, Clock::system()))))
}

pub async fn open_ledger(database: &Database) -> Result<Ledger, Failure> {
    Ledger::connect(database, Clock::system()).await.map_err(|error| unreachable("ledger", error))
}

pub async fn open_graph(database: &Database) -> Result<Graph, Failure> {
    Graph::connect(database).await.map_err(|error| unreachable("graph", error))
}

/// Refuses a master key other than the one the stored hashes were made with.
pub async fn check_key(config: &Config, ledger: &Ledger, graph: Option<&Graph>) -> Result<(), Failure> {
    ledger.check_key(&config.master_key()?.fingerprint()).await.map_err(wrong_key)?;
    match graph {
        Some(graph) => check_graph_key(config, graph).await,
        None => Ok(()),
    }
}

/// The same of the graph alone.
pub async fn check_graph_key(config: &Config, graph: &Graph) -> Result<(), Failure> {
    graph.check_key(&config.master_key()?.fingerprint()).await.map_err(wrong_key)
}

fn wrong_key(error: StoreError) -> Failure {
    match error {
        StoreError::Schema(what) => {
            Failure::new(what, "set the master key these databases were first used with")
        }
        other => other.into(),
    }
}

/// What has to be true before anybody is answered: the graph keeps out whomever either side knows to be erased, and the ledger has
/// forgotten them. After a restore that is work; otherwise it is a look at each.
pub async fn settle(engine: &Engine) -> Result<Settled, Failure> {
    let settled = engine.settle_suppressions().await?;
    while i64::try_from(engine.finish_erasures().await?).unwrap_or(i64::MAX) >= ERASING_BATCH {}
    Ok(settled)
}

/// What is wrong with a schema, if anything is: the version needed and the version found.
pub fn schema_trouble(side: &str, (needed, found): (i64, Option<i64>)) -> Option<Failure> {
    match found {
        Some(found) if found == needed => None,
        Some(found) if found > needed => Some(Failure::new(
            format!("the {side} database has schema {found}, newer than the {needed} this program knows"),
            "run the newer program",
        )),
        found => {
            let found = found.map_or("none".to_owned(), |found| found.to_string());
            let what = format!("the {side} database has schema {found}, this program needs {needed}");
            Some(Failure::new(what, "run `assay migrate`"))
        }
    }
}

fn check_schema(side: &str, versions: Result<(i64, Option<i64>), StoreError>) -> Result<(), Failure> {
    schema_trouble(side, versions?).map_or(Ok(()), Err)
}

pub fn unreachable(side: &str, error: StoreError) -> Failure {
    let mut failure = Failure::from(error);
    for reason in &mut failure.reasons {
        reason.what = format!("the {side} database cannot be reached: {}", reason.what);
        reason.fix =
            format!("start PostgreSQL, create the database, and check {side}.url: assay config show");
    }
    failure
}
