//! Looks at and signals processes through /proc and the shell's kill; `unsafe` calls are forbidden here.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail};

use crate::clock::{Deadline, POLL};

/// State letter and parent of a process, from /proc/PID/stat.
fn state_and_parent(pid: u32) -> Option<(char, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The command name may hold spaces and brackets; the fields start after the last bracket.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.next()?.parse().ok()?))
}

/// A zombie counts as gone: it holds no file, no lock and no memory, only a line in the process table.
pub(crate) fn is_running(pid: u32) -> bool {
    state_and_parent(pid).is_some_and(|(state, _)| state != 'Z' && state != 'X')
}

pub(crate) fn children_of(parent: u32) -> anyhow::Result<Vec<u32>> {
    let entries = std::fs::read_dir("/proc").context("cannot read /proc; the test kit needs Linux")?;
    Ok(entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| state_and_parent(*pid).is_some_and(|(_, its_parent)| its_parent == parent))
        .collect())
}

/// Sends a signal to all the processes in one command; those that are gone already are no error.
pub(crate) fn signal(name: &str, pids: &[u32]) -> anyhow::Result<()> {
    let output = Command::new("sh")
        .args(["-c", "kill -s \"$@\"", "sh", name])
        .args(pids.iter().map(u32::to_string))
        .output()
        .context("cannot run sh to send a signal")?;
    if !output.status.success() && pids.iter().all(|pid| is_running(*pid)) {
        bail!("kill -s {name}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

pub(crate) fn wait_gone(pids: &[u32], allowed: Duration) -> anyhow::Result<()> {
    let deadline = Deadline::after(allowed);
    while let Some(pid) = pids.iter().find(|pid| is_running(**pid)) {
        if deadline.passed() {
            bail!("process {pid} is still running after {allowed:?}");
        }
        std::thread::sleep(POLL);
    }
    Ok(())
}
