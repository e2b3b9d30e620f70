//! The bars: what the project promises, each a run that fails when the promise is broken.

use std::process::{Command, ExitCode};

use anyhow::{Context, bail};
use assay_testkit::{Stopwatch, workspace_root};

struct Bar {
    name: &'static str,
    promise: &'static str,
}

/// Every bar is a subcommand of the bench crate with the same name.
const BARS: &[Bar] = &[
    Bar { name: "prices", promise: "every endpoint charges what the price list says, to the thousandth" },
    Bar { name: "ledger", promise: "balance = sum of postings, never below zero, under concurrent calls" },
    Bar { name: "crash", promise: "a kill at any step of a call neither loses nor repeats a charge" },
    Bar { name: "powercut", promise: "what was answered before a power cut is there after it" },
    Bar { name: "idempotency", promise: "a repeated key answers the same bytes and charges once" },
    Bar { name: "billed", promise: "paid calls a second on one server, with their latency" },
];

pub(crate) fn list() -> anyhow::Result<ExitCode> {
    for bar in BARS {
        println!("{:<12} {}", bar.name, bar.promise);
        println!("{:<12}   cargo run --release -p assay-bench -- {} [--short]", "", bar.name);
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn run_one(name: &str, rest: &[&str]) -> anyhow::Result<ExitCode> {
    let Some(bar) = BARS.iter().find(|bar| bar.name == name) else {
        bail!("no bar is called {name:?}; see `cargo xtask bar --list`");
    };
    let code = run(bar, rest)?;
    // The bar's own code is passed on; a signal has none.
    Ok(code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Runs every bar, also after one failed, so that one report shows all that is broken.
pub(crate) fn run_all(rest: &[&str]) -> anyhow::Result<ExitCode> {
    let mut rows = Vec::new();
    for bar in BARS {
        println!("== bar {}", bar.name);
        let watch = Stopwatch::start();
        let passed = run(bar, rest)? == Some(0);
        rows.push((bar, passed, watch.elapsed().as_secs()));
    }
    println!("\n{:<12} {:<6} {:>7}  promise", "bar", "result", "seconds");
    for (bar, passed, seconds) in &rows {
        let result = if *passed { "ok" } else { "FAILED" };
        println!("{:<12} {result:<6} {seconds:>7}  {}", bar.name, bar.promise);
    }
    let all_passed = rows.iter().all(|(_, passed, _)| *passed);
    Ok(if all_passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run(bar: &Bar, rest: &[&str]) -> anyhow::Result<Option<i32>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(workspace_root()?)
        .args(["run", "--quiet", "--release", "-p", "assay-bench", "--", bar.name])
        .args(rest)
        .status()
        .context("cannot run cargo")?;
    Ok(status.code())
}
