//! `assay doctor`: looks at everything the service depends on; each line says what is wrong and how to mend it.

use crate::config::Config;
use crate::failure::Failure;
use crate::snapshots::SnapshotsPlace;
use crate::{Session, connect, out};
use assay_store::{Graph, Ledger};
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;

const POSTGRES_MIN: u32 = 15;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Good,
    Doubtful,
    Bad,
}

/// One thing that was looked at.
struct Finding {
    what: &'static str,
    mark: Mark,
    detail: String,
    fix: String,
}

impl Finding {
    fn good(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, mark: Mark::Good, detail: detail.into(), fix: String::new() }
    }

    fn of(what: &'static str, mark: Mark, failure: Failure) -> Self {
        let (details, fixes): (Vec<_>, Vec<_>) =
            failure.reasons.into_iter().map(|reason| (reason.what, reason.fix)).unzip();
        Self { what, mark, detail: details.join("; "), fix: fixes.join("; ") }
    }

    fn bad(what: &'static str, failure: Failure) -> Self {
        Self::of(what, Mark::Bad, failure)
    }
}

pub async fn run(session: &Session) -> Result<ExitCode, Failure> {
    let mut findings = Vec::new();
    match session.settings() {
        Err(failure) => findings.push(Finding::bad("settings", failure)),
        Ok(effective) => {
            let file = effective.file.map(|path| path.display().to_string());
            findings.push(Finding::good(
                "settings",
                file.unwrap_or_else(|| "no file; defaults and environment".into()),
            ));
            examine(&effective.config, &mut findings).await;
        }
    }
    report(session, &findings);
    let bad = findings.iter().any(|finding| finding.mark == Mark::Bad);
    Ok(if bad { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

async fn examine(config: &Config, findings: &mut Vec<Finding>) {
    findings.push(index(config));
    if let Some(place) = &config.index_snapshots {
        findings.push(snapshots(place).await);
    }
    let ledger = connect::open_ledger(&config.ledger).await;
    let graph = connect::open_graph(&config.graph).await;
    if let Ok(ledger) = &ledger {
        findings.push(server(ledger).await);
        findings.push(durability(ledger).await);
    }
    let (ledger, ledger_ready) = match ledger {
        Err(failure) => (None, Finding::bad("ledger", failure)),
        Ok(ledger) => {
            let versions = ledger.schema_versions().await.map_err(Failure::from);
            (Some(ledger), schema("ledger", versions))
        }
    };
    let (graph, graph_ready) = match graph {
        Err(failure) => (None, Finding::bad("graph", failure)),
        Ok(graph) => {
            let versions = graph.schema_versions().await.map_err(Failure::from);
            (Some(graph), schema("graph", versions))
        }
    };
    let ready = ledger_ready.mark == Mark::Good && graph_ready.mark == Mark::Good;
    findings.extend([ledger_ready, graph_ready]);
    if let (Some(ledger), Some(graph), true) = (ledger, graph, ready) {
        findings.push(master_key(config, &ledger, &graph).await);
        findings.push(audit(&ledger).await);
        findings.push(people(&graph).await);
    }
}

/// Whether a node could keep its index where the settings say.
fn index(config: &Config) -> Finding {
    let folder = &config.index_folder;
    match folder.metadata() {
        Ok(found) if found.is_dir() && !found.permissions().readonly() => {
            Finding::good("index", format!("kept in {}", folder.display()))
        }
        Ok(_) => Finding::bad("index", unusable(folder, "it is no folder that may be written to")),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Finding::good("index", format!("to be made in {}", folder.display()))
        }
        Err(error) => Finding::bad("index", unusable(folder, &error.to_string())),
    }
}

fn unusable(folder: &Path, why: &str) -> Failure {
    let what = format!("{} cannot be used: {why}", folder.display());
    Failure::new(what, "set index.folder to a folder that this program may write to")
}

/// Whether a new node could begin with a snapshot. One starts without, too, only later.
async fn snapshots(place: &SnapshotsPlace) -> Finding {
    if let SnapshotsPlace::Folder(folder) = place
        && matches!(folder.try_exists(), Ok(false))
    {
        return Finding::good("snapshots", format!("to be kept in {place}"));
    }
    let opened = match place.open() {
        Ok(opened) => opened,
        Err(failure) => return Finding::bad("snapshots", failure),
    };
    match opened.newest().await {
        Ok(Some(newest)) => {
            let made_at = newest.manifest.made_at.format("%Y-%m-%dT%H:%M:%SZ");
            Finding::good("snapshots", format!("the newest in {place} is of {made_at}"))
        }
        Ok(None) => Finding::good("snapshots", format!("none in {place} yet")),
        Err(error) => {
            let fix = match place {
                SnapshotsPlace::Folder(_) => {
                    "let this program read and write there, or set index.snapshots to another place"
                }
                SnapshotsPlace::Bucket(_) => {
                    "check AWS_ENDPOINT_URL, AWS_REGION and the credentials, and that they may list, read, write and delete"
                }
            };
            Finding::of("snapshots", Mark::Doubtful, Failure::new(format!("{place}: {error}"), fix))
        }
    }
}

fn schema(side: &'static str, versions: Result<(i64, Option<i64>), Failure>) -> Finding {
    let trouble = versions.map(|versions| (versions.0, connect::schema_trouble(side, versions)));
    match trouble {
        Ok((needed, None)) => Finding::good(side, format!("reachable, schema {needed}")),
        Ok((_, Some(failure))) | Err(failure) => Finding::bad(side, failure),
    }
}

async fn server(ledger: &Ledger) -> Finding {
    let facts = match ledger.server_facts().await {
        Ok(facts) => facts,
        Err(error) => return Finding::bad("PostgreSQL", error.into()),
    };
    let major = facts.version.split(['.', ' ']).next().and_then(|text| text.parse::<u32>().ok());
    if major.is_some_and(|major| major >= POSTGRES_MIN) {
        return Finding::good("PostgreSQL", format!("version {}", facts.version));
    }
    let what = format!("version {} is older than {POSTGRES_MIN}", facts.version);
    Finding::bad("PostgreSQL", Failure::new(what, format!("move to PostgreSQL {POSTGRES_MIN} or newer")))
}

async fn durability(ledger: &Ledger) -> Finding {
    let facts = match ledger.server_facts().await {
        Ok(facts) => facts,
        Err(error) => return Finding::bad("durability", error.into()),
    };
    if facts.fsync != "on" {
        let failure = Failure::new(
            "fsync is off: a power cut can destroy the ledger",
            "set fsync = on and restart PostgreSQL",
        );
        return Finding::bad("durability", failure);
    }
    match facts.synchronous_commit.as_str() {
        "off" => {
            let what = "synchronous_commit is off: a power cut loses charges that were acknowledged";
            Finding::bad("durability", Failure::new(what, "set synchronous_commit = on"))
        }
        level => Finding::good("durability", format!("fsync on, synchronous_commit {level}")),
    }
}

async fn master_key(config: &Config, ledger: &Ledger, graph: &Graph) -> Finding {
    if let Err(failure) = config.master_key() {
        return Finding::of("master key", Mark::Doubtful, failure);
    }
    match connect::check_key(config, ledger, Some(graph)).await {
        Ok(()) => Finding::good("master key", "the one both databases were first used with"),
        Err(failure) => Finding::bad("master key", failure),
    }
}

async fn audit(ledger: &Ledger) -> Finding {
    match ledger.audit().await {
        Err(error) => Finding::bad("audit", error.into()),
        Ok(violations) if violations.is_empty() => Finding::good("audit", "the ledger keeps its invariants"),
        Ok(violations) => {
            let lines =
                violations.iter().map(|violation| format!("{}: {}", violation.invariant, violation.detail));
            let what = lines.collect::<Vec<_>>().join("; ");
            Finding::bad(
                "audit",
                Failure::new(what, "stop the service, keep a copy of the ledger, and report it"),
            )
        }
    }
}

async fn people(graph: &Graph) -> Finding {
    match graph.counts().await {
        Err(error) => Finding::bad("people", error.into()),
        Ok(counts) if counts.people == 0 => {
            let failure = Failure::new("the graph is empty: nothing will be found", "try `assay world load`");
            Finding::of("people", Mark::Doubtful, failure)
        }
        Ok(counts) => {
            Finding::good("people", format!("{} people at {} companies", counts.people, counts.companies))
        }
    }
}

fn report(session: &Session, findings: &[Finding]) {
    if session.json {
        let rows: Vec<Value> = findings.iter().map(as_json).collect();
        let ok = findings.iter().all(|finding| finding.mark != Mark::Bad);
        return out::json(&json!({"ok": ok, "checks": rows}));
    }
    for Finding { what, mark, detail, fix } in findings {
        let sign = match mark {
            Mark::Good => "✓",
            Mark::Doubtful => "!",
            Mark::Bad => "✗",
        };
        out::data(&format!("{sign} {what}: {detail}"));
        if !fix.is_empty() {
            out::data(&format!("  fix: {fix}"));
        }
    }
}

fn as_json(finding: &Finding) -> Value {
    let state = match finding.mark {
        Mark::Good => "ok",
        Mark::Doubtful => "warning",
        Mark::Bad => "failed",
    };
    json!({"check": finding.what, "state": state, "detail": finding.detail, "fix": finding.fix})
}
