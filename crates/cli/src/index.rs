//! `assay index`: what operators do about the nodes' indexes.

use crate::failure::Failure;
use crate::{Session, connect, out};
use clap::Subcommand;
use serde_json::json;

#[derive(Debug, Subcommand)]
pub enum IndexCommand {
    /// Make every node fill its index anew from the graph; each answers from its old one until the new one is filled. Search
    /// cursors given out so far are answered 410. A graph restored from a dump is noticed without it; to be run after a restore of
    /// its server's files.
    Rebuild,
}

impl IndexCommand {
    pub async fn run(self, session: &Session) -> Result<(), Failure> {
        match self {
            Self::Rebuild => rebuild(session).await,
        }
    }
}

/// A log under another name is one that no index has read: whoever follows it begins anew.
async fn rebuild(session: &Session) -> Result<(), Failure> {
    let config = session.settings()?.config;
    let graph = connect::graph(&config).await?;
    let epoch = graph.mint_epoch().await?;
    if session.json {
        out::json(&json!({"log_epoch": epoch}));
    } else {
        out::data("every node fills its index anew; /readyz and the logs of a node say when it has");
    }
    Ok(())
}
