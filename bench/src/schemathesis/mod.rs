//! The `schemathesis` bar: the served API document is valid, and calls drawn from it are answered as it promises.
//!
//! schemathesis makes calls that fit the document and calls that do not, and checks every answer. Which of its checks are
//! set differently, and why, is in `data/schemathesis/`.

mod report;
mod tools;

use crate::bar::{Complaints, Verdict, grouped, progress};
use crate::http_client::{Exchange, Post};
use crate::rig::{Folder, Rig, RigOptions, Server};
use anyhow::{Context, Result, bail, ensure};
use assay_service::spec::Scope;
use assay_testkit::{PostgresOptions, workspace_root};
use report::Report;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tools::Tools;

const PEOPLE: u64 = 1_000;
const EXAMPLES: u32 = 200;
const EXAMPLES_SHORT: u32 = 10;
/// The same calls in every run, as far as the server's own ids allow.
const SEED: u32 = 20_261_115;
/// Rows with an id in their path: each gets something of its own to work on.
const KEY_ROWS: [&str; 4] = ["keys-get", "keys-change", "keys-rotate", "keys-revoke"];
const WEBHOOK_ROWS: [&str; 7] = [
    "webhooks-get",
    "webhooks-change",
    "webhooks-delete",
    "webhooks-rotate",
    "webhooks-test",
    "webhooks-deliveries",
    "webhooks-redeliver",
];

/// The key all calls are made with, and what the rows with ids may work on.
struct Caller {
    api_key: String,
    key_id: String,
    spares: String,
}

pub async fn run(short: bool) -> Result<Verdict> {
    let tools = Tools::ready()?;
    let options = RigOptions {
        failpoints: false,
        accounts: 0,
        people: PEOPLE,
        postgres: PostgresOptions::default(),
        one_database: false,
    };
    let rig = Rig::start(options)?;
    raise_rates(&rig).await?;
    let server = rig.serve(&[("ASSAY_SANDBOX_DAILY_LIMIT", "100000000")])?;
    let caller = make_caller(&rig, &server).await?;
    let folder = Folder::make("schemathesis")?;
    let mut complaints = Complaints::default();

    let document = fetch_document(&tools, &server, &folder)?;
    let valid = tools.validate(&document)?;
    let linted = tools.lint(&document, &workspace_root()?.join("redocly.yaml"))?;
    for trouble in [&valid, &linted].into_iter().filter_map(|verdict| verdict.as_ref().err()) {
        complaints.add(trouble);
    }

    let examples = if short { EXAMPLES_SHORT } else { EXAMPLES };
    progress(format!("schemathesis, {examples} examples an operation, seed {SEED}"));
    let events = folder.path.join("events.ndjson");
    let all_passed = call_all(&tools, &server, &caller, &events, examples)?;
    let report = Report::read(&events)?;
    for line in report.complaints() {
        complaints.add(line);
    }
    if !all_passed && complaints.is_empty() {
        complaints.add("schemathesis failed without naming a check: see its output above");
    }
    ensure!(server.is_running(), "the server is gone");
    let figure = figure(&report, &valid, &linted);
    Ok(Verdict { figure, passed: complaints.is_empty() && report.calls > 0 })
}

fn figure(report: &Report, valid: &Result<(), String>, linted: &Result<(), String>) -> String {
    let word = |verdict: &Result<(), String>| if verdict.is_ok() { "ok" } else { "FAILED" };
    format!(
        "schemathesis: {} operations, {} calls, {} server errors, {} schema violations, {} auth failures, {} with a 2xx; \
         validator {}, redocly {}",
        report.operations.len(),
        grouped(report.calls),
        report.server_errors(),
        report.schema_violations(),
        report.auth_failures(),
        report.answered(),
        word(valid),
        word(linted)
    )
}

/// A run is no customer: it must not be told to slow down.
async fn raise_rates(rig: &Rig) -> Result<()> {
    let pool = sqlx::PgPool::connect(&rig.ledger_url()).await?;
    sqlx::query("update plan set requests_per_minute = 1000000").execute(&pool).await?;
    pool.close().await;
    Ok(())
}

async fn make_caller(rig: &Rig, server: &Server) -> Result<Caller> {
    let account = told(rig, &["account", "create", "--name", "schemathesis", "--plan", "scale", "--json"])?;
    let account = text(&account, "/id")?;
    let scopes: Vec<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
    let scopes = scopes.join(",");
    let make_key = |name: &str| {
        told(rig, &["key", "create", "--account", &account, "--name", name, "--scopes", &scopes, "--json"])
    };
    let key = make_key("schemathesis")?;
    let (api_key, key_id) = (text(&key, "/key")?, text(&key, "/id")?);
    let mut spares = Vec::new();
    for row in KEY_ROWS {
        spares.push(format!("{row}={}", text(&make_key("spare")?, "/id")?));
    }
    spares.push(format!("suppressions-lift={}", make_suppression(server, &api_key).await?));
    for row in WEBHOOK_ROWS {
        spares.push(format!("{row}={}", make_webhook(server, &api_key).await?));
    }
    let webhook = make_webhook(server, &api_key).await?;
    let (delivery, _) = post(server, &api_key, &format!("/v1/webhooks/{webhook}/test"), &json!({})).await?;
    spares.push(format!("webhooks-deliveries-redeliver={}", text(&delivery, "/id")?));
    Ok(Caller { api_key, key_id, spares: spares.join(",") })
}

async fn make_suppression(server: &Server, api_key: &str) -> Result<String> {
    let body = json!({ "email": "nobody@spare.example" });
    let (answer, status) = post(server, api_key, "/v1/suppressions", &body).await?;
    text(&answer, "/results/0/id").with_context(|| format!("a suppression was answered {status}"))
}

async fn make_webhook(server: &Server, api_key: &str) -> Result<String> {
    let body = json!({ "url": "https://hooks.spare.example/" });
    let (answer, status) = post(server, api_key, "/v1/webhooks", &body).await?;
    text(&answer, "/id").with_context(|| format!("a webhook was answered {status}"))
}

async fn post(server: &Server, api_key: &str, path: &str, body: &Value) -> Result<(Value, u16)> {
    let body = body.to_string();
    let mut client = server.client();
    let post = Post { path, api_key, idempotency_key: None, body: body.as_bytes() };
    let Exchange::Whole(reply) = client.post(&post).await else { bail!("{path} was not answered") };
    Ok((serde_json::from_slice(reply.body)?, reply.status))
}

fn told(rig: &Rig, args: &[&str]) -> Result<Value> {
    Ok(serde_json::from_str(&rig.cli(args)?)?)
}

fn text(value: &Value, pointer: &str) -> Result<String> {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.map(str::to_owned).with_context(|| format!("no {pointer} in {value}"))
}

/// The document as the server serves it, which is the one this program knows.
fn fetch_document(tools: &Tools, server: &Server, folder: &Folder) -> Result<PathBuf> {
    let path = folder.path.join("openapi.json");
    tools.download(&address_of(server), &path)?;
    let served: Value = serde_json::from_slice(&std::fs::read(&path)?).context("the document is no JSON")?;
    ensure!(served == assay_service::openapi::document(), "the served document is not this program's");
    Ok(path)
}

fn address_of(server: &Server) -> String {
    format!("http://{}/openapi.json", server.address)
}

/// Every phase and every check. Its own output is shown where it failed.
fn call_all(tools: &Tools, server: &Server, caller: &Caller, events: &Path, examples: u32) -> Result<bool> {
    let settings = workspace_root()?.join("bench/data/schemathesis");
    let output = Command::new(tools.schemathesis())
        .arg("--config-file")
        .arg(settings.join("schemathesis.toml"))
        .args(["run", &address_of(server), "--no-color", "--checks", "all", "--continue-on-failure"])
        .args(["--phases", "examples,coverage,fuzzing,stateful", "--generation-database", "none"])
        .args(["--max-examples", &examples.to_string(), "--seed", &SEED.to_string()])
        .args(["--request-timeout", "30", "--header", &format!("Authorization: Bearer {}", caller.api_key)])
        .args(["--report", "ndjson", "--report-ndjson-path"])
        .arg(events)
        .env("PYTHONPATH", &settings)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("ASSAY_BAR_KEY_ID", &caller.key_id)
        .env("ASSAY_BAR_SPARES", &caller.spares)
        .current_dir(events.parent().unwrap_or(Path::new("/")))
        .stdin(Stdio::null())
        .output()
        .context("cannot run schemathesis")?;
    if !output.status.success() {
        eprint!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    }
    Ok(output.status.success())
}
