//! Ends every process that lives in a rig's folder, also of rigs whose owner was killed before it could tidy up.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;

use crate::processes::{is_running, signal, wait_gone};

const GONE_WAIT: Duration = Duration::from_secs(10);
/// A server may fork while its processes are listed; each round catches the children of the one before.
const ROUNDS: u32 = 5;
const OWNER_FILE: &str = "owner";
const FOLDER_START: &str = "assay-mail-";
/// Somebody may look into a rig's folder while it stands.
const SPARED: &[&str] = &["sh", "dash", "bash", "zsh", "fish"];

/// A new folder that says who owns it. Servers run as several users, so all may enter.
pub(super) fn create_folder(number: u64) -> anyhow::Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("{FOLDER_START}{number:016x}"));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let pid = std::process::id();
    let owner = format!("{pid} {}", start_of(pid).unwrap_or_default());
    std::fs::write(folder.join(OWNER_FILE), owner)?;
    Ok(folder)
}

/// Removes a rig: its processes, then its folder.
pub(super) fn remove(folder: &Path) -> anyhow::Result<()> {
    for _ in 0..ROUNDS {
        let pids = processes_in(folder)?;
        if pids.is_empty() {
            break;
        }
        signal("KILL", &pids)?;
        wait_gone(&pids, GONE_WAIT)?;
    }
    std::fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))
}

/// Removes the rigs of processes that are gone.
pub(super) fn sweep() -> anyhow::Result<()> {
    for entry in std::fs::read_dir(std::env::temp_dir())? {
        let folder = entry?.path();
        let named = folder.file_name().and_then(|name| name.to_str());
        if named.is_some_and(|name| name.starts_with(FOLDER_START)) && owner_is_gone(&folder) {
            // Another rig may be sweeping the same folder; whoever is later finds nothing.
            drop(remove(&folder));
        }
    }
    Ok(())
}

fn owner_is_gone(folder: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(folder.join(OWNER_FILE)) else { return false };
    let Some((pid, start)) = text.split_once(' ') else { return false };
    let Ok(pid) = pid.parse::<u32>() else { return false };
    // The number may since have been given to another process, which started later.
    !is_running(pid) || start_of(pid).is_some_and(|now| now != start)
}

/// When a process started, in clock ticks since boot.
fn start_of(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(19).map(str::to_owned)
}

/// Servers keep their folder as the current one, or as their root.
fn processes_in(folder: &Path) -> anyhow::Result<Vec<u32>> {
    let entries = std::fs::read_dir("/proc").context("cannot read /proc; the test kit needs Linux")?;
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let own = std::process::id();
    Ok(pids.filter(|pid| *pid != own && is_running(*pid) && lives_in(*pid, folder)).collect())
}

fn lives_in(pid: u32, folder: &Path) -> bool {
    let inside = |link: &str| {
        std::fs::read_link(format!("/proc/{pid}/{link}")).is_ok_and(|target| target.starts_with(folder))
    };
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    inside("root") || inside("cwd") && !SPARED.contains(&name.trim())
}
