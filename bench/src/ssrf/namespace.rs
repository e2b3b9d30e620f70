//! A network of its own in which every address leads back to this machine: whatever is dialled, a listener sees it.

use crate::bar::{Verdict, progress};
use crate::rig::run_command;
use crate::tool_cache::need_program;
use anyhow::{Context, Result};
use std::process::{Command, Stdio};

/// Set where the network is one of ours.
const INSIDE: &str = "ASSAY_BAR_OWN_NETWORK";
/// As root, and as anybody where the system lets them.
const WAYS: &[&[&str]] = &[&["--net"], &["--user", "--map-root-user", "--net"]];

pub fn is_inside() -> bool {
    std::env::var_os(INSIDE).is_some()
}

/// Runs the bar again inside and passes on what it found; `None` where the system lets nobody have such a network.
pub fn run_inside(bar: &str, short: bool) -> Result<Option<Verdict>> {
    let Some(way) = WAYS.iter().find(|way| can(way)) else {
        progress("no network of its own: unshare is missing or not allowed");
        return Ok(None);
    };
    // Before, since nothing can be fetched inside.
    if let Err(error) = need_program("ip", &["-V"], "iproute2") {
        progress(format!("no network of its own: {error:#}"));
        return Ok(None);
    }
    let program = std::env::current_exe().context("this program has no place")?;
    let output = Command::new("unshare")
        .args(*way)
        .arg("--")
        .arg(program)
        .arg(bar)
        .args(short.then_some("--short"))
        .env(INSIDE, "1")
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run unshare")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let figure = said.lines().last().context("the run inside said nothing")?.to_owned();
    Ok(Some(Verdict { figure, passed: output.status.success() }))
}

fn can(way: &[&str]) -> bool {
    let tried = Command::new("unshare").args(way).args(["--", "true"]).output();
    tried.is_ok_and(|output| output.status.success())
}

/// Makes every address one of this machine's. IPv6 may be switched off.
pub fn make_everything_local() -> Result<()> {
    run_command("ip", &["link", "set", "lo", "up"])?;
    run_command("ip", &["route", "add", "local", "0.0.0.0/0", "dev", "lo"])?;
    if let Err(error) = run_command("ip", &["-6", "route", "add", "local", "::/0", "dev", "lo"]) {
        progress(format!("without IPv6: {error:#}"));
    }
    Ok(())
}
