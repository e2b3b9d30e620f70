//! The bars of the project: `assay-bench NAME [--short]` proves one promise by a run, or fails.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::indexing_slicing,
    clippy::float_arithmetic,
    clippy::disallowed_methods,
    reason = "a measuring program prints, does statistics, keeps its own time, and ends by a panic when it is wrong itself"
)]

mod auth;
mod bar;
mod billed;
mod bulk;
mod bulk_kill;
mod bulk_speed;
mod canaries;
mod crash;
mod csv;
mod cut_proxy;
mod dirt;
mod enrich_scale;
mod erasure;
mod failover;
mod folder;
mod fuzz;
mod http_client;
mod idempotency;
mod import_files;
mod import_kill;
mod import_rate;
mod ledger;
mod limits;
mod lookalike;
mod machine_time;
mod mail;
mod mutants;
mod open_loop;
mod overload;
mod powercut;
mod prices;
mod program;
mod queue_health;
mod reference;
mod research;
mod resolution;
mod resolve;
mod rig;
mod rolling;
mod sandbox;
mod schemathesis;
mod search;
mod signals;
mod slowloris;
mod soak;
mod ssrf;
mod titles;
mod tool_cache;
mod upstream;
mod watching;
mod webhook_flaky;
mod webhook_interop;
mod world;
mod zombie;

use bar::{Bar, Verdict};
use std::process::ExitCode;

/// Every bar. `cargo xtask bar --list` says what each promises.
const BARS: &[Bar] = &[
    Bar { name: "prices", run: |short| Box::pin(prices::run(short)) },
    Bar { name: "world", run: |short| Box::pin(world::run(short)) },
    Bar { name: "enrich-scale", run: |short| Box::pin(enrich_scale::run(short)) },
    Bar { name: "titles", run: |short| Box::pin(titles::run(short)) },
    Bar { name: "resolution", run: |short| Box::pin(resolution::run(short)) },
    Bar { name: "resolve", run: |short| Box::pin(resolve::run(short)) },
    Bar { name: "lookalike", run: |short| Box::pin(lookalike::run(short)) },
    Bar { name: "reference", run: |short| Box::pin(reference::run(short)) },
    Bar { name: "schemathesis", run: |short| Box::pin(schemathesis::run(short)) },
    Bar { name: "mutants", run: |short| Box::pin(mutants::run(short)) },
    Bar { name: "ledger", run: |short| Box::pin(ledger::run(short)) },
    Bar { name: "crash", run: |short| Box::pin(crash::run(short)) },
    Bar { name: "powercut", run: |short| Box::pin(powercut::run(short)) },
    Bar { name: "failover", run: |short| Box::pin(failover::run(short)) },
    Bar { name: "idempotency", run: |short| Box::pin(idempotency::run(short)) },
    Bar { name: "auth", run: |short| Box::pin(auth::run(short)) },
    Bar { name: "limits", run: |short| Box::pin(limits::run(short)) },
    Bar { name: "csv", run: |short| Box::pin(csv::run(short)) },
    Bar { name: "webhook-interop", run: |short| Box::pin(webhook_interop::run(short)) },
    Bar { name: "ssrf", run: |short| Box::pin(ssrf::run(short)) },
    Bar { name: "canaries", run: |short| Box::pin(canaries::run(short)) },
    Bar { name: "erasure", run: |short| Box::pin(erasure::run(short)) },
    Bar { name: "billed", run: |short| Box::pin(billed::run(short)) },
    Bar { name: "overload", run: |short| Box::pin(overload::run(short)) },
    Bar { name: "slowloris", run: |short| Box::pin(slowloris::run(short)) },
    Bar { name: "soak", run: |short| Box::pin(soak::run(short)) },
    Bar { name: "sandbox", run: |short| Box::pin(sandbox::run(short)) },
    Bar { name: "webhook-flaky", run: |short| Box::pin(webhook_flaky::run(short)) },
    Bar { name: "bulk-kill", run: |short| Box::pin(bulk_kill::run(short)) },
    Bar { name: "zombie", run: |short| Box::pin(zombie::run(short)) },
    Bar { name: "bulk-speed", run: |short| Box::pin(bulk_speed::run(short)) },
    Bar { name: "queue-health", run: |short| Box::pin(queue_health::run(short)) },
    Bar { name: "import-rate", run: |short| Box::pin(import_rate::run(short)) },
    Bar { name: "import-kill", run: |short| Box::pin(import_kill::run(short)) },
    Bar { name: "search-exact", run: |short| Box::pin(search::exact::run(short)) },
    Bar { name: "search-scale", run: |short| Box::pin(search::scale::run(short)) },
    Bar { name: "freshness", run: |short| Box::pin(search::freshness::run(short)) },
    Bar { name: "cold-start", run: |short| Box::pin(search::cold_start::run(short)) },
    Bar { name: "restore", run: |short| Box::pin(search::restore::run(short)) },
    Bar { name: "cursors", run: |short| Box::pin(search::cursors::run(short)) },
    Bar { name: "rolling", run: |short| Box::pin(rolling::run(short)) },
    Bar { name: "smtp-matrix", run: |short| Box::pin(mail::matrix::run(short)) },
    Bar { name: "smtp-bounds", run: |short| Box::pin(mail::bounds::run(short)) },
    Bar { name: "fuzz", run: |short| Box::pin(fuzz::run(short)) },
    Bar { name: "fuzz-vendors", run: |short| Box::pin(fuzz::run_vendors(short)) },
    Bar { name: "smtp-pace", run: |short| Box::pin(mail::pace::run(short)) },
    Bar { name: "verify-speed", run: |short| Box::pin(mail::speed::run(short)) },
    Bar { name: "finder", run: |short| Box::pin(mail::finder::run(short)) },
    Bar { name: "waterfall", run: |short| Box::pin(upstream::waterfall::run(short)) },
    Bar { name: "provider-outage", run: |short| Box::pin(upstream::provider_outage::run(short)) },
    Bar { name: "contacts", run: |short| Box::pin(upstream::contacts::run(short)) },
    Bar { name: "vendor-size", run: |short| Box::pin(upstream::vendor_size::run(short)) },
    Bar { name: "signals-extract", run: |short| Box::pin(signals::extract::run(short)) },
    Bar { name: "feed-cost", run: |short| Box::pin(signals::cost::run(short)) },
    Bar { name: "streams", run: |short| Box::pin(signals::streams::run(short)) },
    Bar { name: "signals-freshness", run: |short| Box::pin(signals::freshness::run(short)) },
    Bar { name: "decision-maker", run: |short| Box::pin(research::decision_maker::run(short)) },
    Bar { name: "committee", run: |short| Box::pin(research::committee::run(short)) },
    Bar { name: "recipes", run: |short| Box::pin(research::recipes::run(short)) },
    Bar { name: "windows", run: |short| Box::pin(research::windows::run(short)) },
    Bar { name: "coverage", run: |short| Box::pin(research::coverage::run(short)) },
    Bar { name: "critical-path", run: |short| Box::pin(research::critical_path::run(short)) },
    Bar { name: "signals-dedupe", run: |short| Box::pin(signals::dedupe::run(short)) },
    Bar { name: "watch-once", run: |short| Box::pin(watching::run(short)) },
];

fn main() -> ExitCode {
    let args = std::env::args().skip(1).collect::<Vec<_>>();
    let args = args.iter().map(String::as_str).collect::<Vec<_>>();
    let (name, short) = match args.as_slice() {
        [name] => (*name, false),
        [name, "--short"] => (*name, true),
        _ => return usage(),
    };
    let Some(bar) = BARS.iter().find(|bar| bar.name == name) else { return usage() };
    match run(bar, short) {
        Ok(Verdict { figure, passed }) => {
            println!("{figure}");
            if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            println!("{name}: not measured");
            ExitCode::FAILURE
        }
    }
}

fn run(bar: &Bar, short: bool) -> anyhow::Result<Verdict> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on((bar.run)(short))
}

fn usage() -> ExitCode {
    let names = BARS.iter().map(|bar| bar.name).collect::<Vec<_>>().join("|");
    eprintln!("assay-bench {names} [--short]");
    ExitCode::from(2)
}
