//! Signals told to a node as an operator tells them.

use crate::http_client::{Client, Exchange, Post};
use crate::rig::{Rig, Server};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

const PATH: &str = "/v1/ingest/signals";
const SOURCE: &str = "bar";

pub struct Teller {
    client: Client,
    api_key: String,
}

impl Teller {
    pub fn new(rig: &Rig, server: &Server) -> Result<Self> {
        let account = rig.accounts.first().context("no account")?.id.to_string();
        let key = rig.cli(&["key", "create", "--account", &account, "--scopes", "operator"])?;
        Ok(Self { client: server.client(), api_key: key.trim().to_owned() })
    }

    /// Returns when all of them are committed.
    pub async fn tell(&mut self, signals: &[Value]) -> Result<()> {
        let body = json!({ "source": SOURCE, "signals": signals }).to_string();
        let post = Post { path: PATH, api_key: &self.api_key, idempotency_key: None, body: body.as_bytes() };
        match self.client.post(&post).await {
            Exchange::Whole(reply) if reply.status == 200 => {
                let told: Value = serde_json::from_slice(reply.body)?;
                ensure!(
                    told["accepted"].as_u64() == u64::try_from(signals.len()).ok(),
                    "not all taken: {told}"
                );
                Ok(())
            }
            Exchange::Whole(reply) => {
                bail!("{PATH}: {} {}", reply.status, String::from_utf8_lossy(reply.body))
            }
            Exchange::Half | Exchange::Nothing => bail!("{PATH}: no whole answer"),
        }
    }
}
