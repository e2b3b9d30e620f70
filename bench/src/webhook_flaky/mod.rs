//! The bar `webhook-flaky`: messages to receivers that fail, hang and hang up all arrive, on schedule and each under one id;
//! a receiver that says it is gone hears no more; and one that hangs is waited for by nobody else.

mod flaky;
mod hanging;
pub mod receiver;
mod schedule;

use crate::bar::{Complaints, Verdict, grouped, progress};
use crate::http_client::{Client, Exchange, Post};
use crate::rig::{Account, Rig, RigOptions, Server};
use anyhow::{Context, bail};
use assay_domain::limits::WEBHOOKS_AT_ONCE_PER_ENDPOINT;
use assay_testkit::PostgresOptions;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;

/// How large a run is.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Messages to receivers that fail; and to each that is gone sooner or later.
    events: usize,
    events_gone: usize,
    /// How much faster time runs for the retries.
    scale: u32,
    /// Beside a hanging receiver: how often it is looked, for how long, and how much waits for the hanging one.
    rounds: usize,
    measured: Duration,
    backlog: usize,
}

const FULL: Size = Size {
    events: 5_000,
    events_gone: 60,
    scale: 1_000,
    // Many short ones: what the machine does beside comes in bursts of seconds, and must not fall on half of the rounds.
    rounds: 15,
    measured: Duration::from_secs(5),
    backlog: 1_000,
};

const SHORT: Size = Size {
    events: 200,
    events_gone: 20,
    scale: 10_000,
    rounds: 3,
    measured: Duration::from_secs(4),
    backlog: 200,
};

/// One for each flaky group, one whose receivers are fine, and one whose receiver hangs.
const ACCOUNTS: usize = 6;
/// The bar: how much longer a message may take while another endpoint hangs.
const RATIO_MAX: f64 = 1.5;

pub async fn run(short: bool) -> anyhow::Result<Verdict> {
    let size = if short { SHORT } else { FULL };
    let rig = Rig::start(RigOptions {
        failpoints: false,
        accounts: ACCOUNTS,
        people: 100,
        postgres: PostgresOptions::default(),
        one_database: false,
    })?;
    let ledger = rig.ledger().await?;
    // Messages are what is measured, not rates.
    sqlx::query("update plan set requests_per_minute = 1000000").execute(ledger.pool()).await?;
    let [fine, hanging, flaky @ ..] = rig.accounts.as_slice() else { bail!("the rig has too few accounts") };
    let mut complaints = Complaints::default();
    let told = flaky::run(&rig, &ledger, flaky, size, &mut complaints).await?;
    let waits = hanging::run(&rig, &ledger, (fine, hanging), size).await?;
    let (alone, beside) = (waits.alone.as_secs_f64() * 1e3, waits.beside.as_secs_f64() * 1e3);
    let ratio = waits.ratio;
    if ratio > RATIO_MAX {
        complaints.add(format!("beside a hanging endpoint p99 is {ratio:.2} x"));
    }
    if waits.at_once > WEBHOOKS_AT_ONCE_PER_ENDPOINT {
        complaints.add(format!("{} messages were under way to one endpoint at once", waits.at_once));
    }
    let figure = format!(
        "webhook-flaky: {} events, {} delivered under {} ids in {} tries, {} violations; tries late by p50 {:.2} s, p99 {:.2} s \
         (time {} x); after 410: {} (in flight {}); p99 {alone:.1} ms alone, {beside:.1} ms beside a hanging endpoint: \
         {ratio:.2} x (bar {RATIO_MAX}) over {} messages, at most {} hanging at once (bar {WEBHOOKS_AT_ONCE_PER_ENDPOINT})",
        grouped(size.events),
        grouped(told.delivered),
        grouped(told.ids),
        grouped(told.tries),
        complaints.count(),
        told.late_p50.as_secs_f64(),
        told.late_p99.as_secs_f64(),
        size.scale,
        told.after_gone,
        told.in_flight,
        grouped(waits.messages),
        waits.at_once,
    );
    Ok(Verdict { figure, passed: complaints.is_empty() && told.delivered == size.events })
}

/// A server that may send to a receiver on this machine.
fn serve(rig: &Rig, receiver: SocketAddr, scale: u32) -> anyhow::Result<Server> {
    let (port, scale) = (receiver.port().to_string(), scale.to_string());
    progress(format!("starting a node whose time runs {scale} times as fast"));
    rig.serve(&[
        ("ASSAY_WEBHOOKS_ALLOW_RANGES", "127.0.0.0/8"),
        ("ASSAY_WEBHOOKS_ALLOW_HTTP", "true"),
        ("ASSAY_WEBHOOKS_ALLOW_PORTS", &port),
        ("ASSAY_WEBHOOKS_TIME_SCALE", &scale),
        ("ASSAY_LEDGER_CONNECTIONS_MAX", "40"),
    ])
}

/// A webhook as its owner knows it.
#[derive(Debug, Clone)]
struct Hook {
    id: String,
    secret: String,
    api_key: String,
    /// The path of its URL.
    path: String,
}

async fn post(client: &mut Client, api_key: &str, path: &str, body: &Value) -> anyhow::Result<(u16, Value)> {
    let body = body.to_string();
    let post = Post { path, api_key, idempotency_key: None, body: body.as_bytes() };
    match client.post(&post).await {
        Exchange::Whole(reply) => {
            let json = serde_json::from_slice(reply.body).with_context(|| format!("{path}: no JSON"))?;
            Ok((reply.status, json))
        }
        Exchange::Half | Exchange::Nothing => bail!("{path} was not answered"),
    }
}

fn text(value: &Value, name: &str) -> anyhow::Result<String> {
    value[name].as_str().map(str::to_owned).with_context(|| format!("no {name} in {value}"))
}

impl Hook {
    async fn make(
        client: &mut Client,
        account: &Account,
        receiver: SocketAddr,
        path: &str,
    ) -> anyhow::Result<Self> {
        let wish = json!({ "url": format!("http://{receiver}{path}") });
        let (status, made) = post(client, &account.api_key, "/v1/webhooks", &wish).await?;
        if status != 201 {
            bail!("a webhook was not made: {status} {made}");
        }
        let api_key = account.api_key.clone();
        Ok(Self { id: text(&made, "id")?, secret: text(&made, "secret")?, api_key, path: path.to_owned() })
    }

    /// Sends a test message and gives its id; none when the webhook is disabled.
    async fn tell(&self, client: &mut Client) -> anyhow::Result<Option<String>> {
        let path = format!("/v1/webhooks/{}/test", self.id);
        let (status, told) = post(client, &self.api_key, &path, &json!({})).await?;
        match status {
            202 => text(&told, "id").map(Some),
            409 => Ok(None),
            other => bail!("a test message was answered {other}: {told}"),
        }
    }
}
