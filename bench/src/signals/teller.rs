//! Signals told to a node as an operator tells them.

use crate::http_client::{Client, Exchange, Post};
use crate::rig::{Account, Rig, Server};
use anyhow::{Context, Result, bail, ensure};
use assay_domain::clock::Stopwatch;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;

const PATH: &str = "/v1/ingest/signals";
const SOURCE: &str = "bar";
const RETRY_EVERY: Duration = Duration::from_millis(200);
/// Longer than any node is away.
const GIVEN_UP_AFTER: Duration = Duration::from_secs(90);

pub struct Teller {
    client: Client,
    api_key: String,
}

impl Teller {
    pub fn new(rig: &Rig, server: &Server) -> Result<Self> {
        let account = rig.accounts.first().context("no account")?;
        Ok(Self { client: server.client(), api_key: operator_key(rig, account)? })
    }

    /// Returns when all of them are committed.
    pub async fn tell(&mut self, signals: &[Value]) -> Result<()> {
        let body = json!({ "source": SOURCE, "signals": signals }).to_string();
        let post = Post { path: PATH, api_key: &self.api_key, idempotency_key: None, body: body.as_bytes() };
        match self.client.post(&post).await {
            Exchange::Whole(reply) if reply.status == 200 => are_taken(reply.body, signals),
            Exchange::Whole(reply) => {
                bail!("{PATH}: {} {}", reply.status, String::from_utf8_lossy(reply.body))
            }
            Exchange::Half | Exchange::Nothing => bail!("{PATH}: no whole answer"),
        }
    }
}

fn are_taken(answer: &[u8], signals: &[Value]) -> Result<()> {
    let told: Value = serde_json::from_slice(answer)?;
    ensure!(told["accepted"].as_u64() == u64::try_from(signals.len()).ok(), "not all taken: {told}");
    Ok(())
}

pub fn operator_key(rig: &Rig, account: &Account) -> Result<String> {
    let account = account.id.to_string();
    let key = rig.cli(&["key", "create", "--account", &account, "--scopes", "operator"])?;
    Ok(key.trim().to_owned())
}

/// Tells a node, and the other one when it is gone: the same again, which is one signal each. Says when whoever took them all was
/// asked.
pub async fn tell_either(
    nodes: [SocketAddr; 2],
    first: usize,
    api_key: &str,
    (source, signals): (&str, &[Value]),
    clock: Stopwatch,
) -> Result<Duration> {
    let body = json!({ "source": source, "signals": signals }).to_string();
    let post = Post { path: PATH, api_key, idempotency_key: None, body: body.as_bytes() };
    let trying = Stopwatch::start();
    for attempt in first.. {
        let at = clock.elapsed();
        let mut client = Client::new(nodes[attempt % nodes.len()]);
        if let Exchange::Whole(reply) = client.post(&post).await
            && reply.status == 200
        {
            are_taken(reply.body, signals)?;
            return Ok(at);
        }
        ensure!(trying.elapsed() < GIVEN_UP_AFTER, "no node takes signals");
        tokio::time::sleep(RETRY_EVERY).await;
    }
    bail!("there are no more numbers")
}
