//! The program that bars run: built when it must be, and kept beside its variant with crash points.

use crate::bar::progress;
use anyhow::{Context, bail};
use assay_testkit::workspace_root;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A text that is in the program only when the crash points are.
const CRASH_MARK: &[u8] = b"ASSAY_CRASH_POSTGRES_PID_FILE";
const BUILDS_MAX: usize = 3;
/// Names the profile the program is built with; `dist` is what is shipped.
const PROFILE: &str = "ASSAY_BAR_PROFILE";
/// Names a program that is built already: a debug build, to try a bar with.
const PROGRAM: &str = "ASSAY_BAR_PROGRAM";

/// Builds the program and keeps it beside the other variant: the next build overwrites cargo's own copy. Another build
/// at the same time may do so before it is copied, so the copy is looked at.
pub fn build(failpoints: bool) -> anyhow::Result<PathBuf> {
    if let Some(program) = std::env::var_os(PROGRAM) {
        return Ok(program.into());
    }
    let (name, features): (_, &[&str]) = if failpoints {
        ("assay-failpoints", &["--features", "assay-cli/failpoints"])
    } else {
        ("assay", &[])
    };
    let root = workspace_root()?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = target_folder(&cargo, &root)?;
    let profile = std::env::var(PROFILE).unwrap_or_else(|_| "release".to_owned());
    let kept = target.join("bars");
    std::fs::create_dir_all(&kept)?;
    for _ in 0..BUILDS_MAX {
        progress(format!("building {name}"));
        let built = Command::new(&cargo)
            .current_dir(&root)
            // Chosen together with this crate, as `xtask bar` does: else both would build what they share, twice.
            .args([
                "build",
                "--quiet",
                "-p",
                "assay-cli",
                "-p",
                "assay-bench",
                "--bin",
                "assay",
                "--profile",
                &profile,
            ])
            .args(features)
            .status()
            .context("cannot run cargo")?;
        if !built.success() {
            bail!("the program does not build");
        }
        let program =
            std::fs::read(target.join(&profile).join("assay")).context("cannot read the program")?;
        if program.windows(CRASH_MARK.len()).any(|bytes| bytes == CRASH_MARK) == failpoints {
            return keep(&kept, name, &program);
        }
    }
    bail!("another build keeps replacing the program: wait until it is over")
}

/// Renamed into place: a running copy cannot be written to, but it can be replaced.
fn keep(folder: &Path, name: &str, program: &[u8]) -> anyhow::Result<PathBuf> {
    let fresh = folder.join(format!(".{name}-{}", std::process::id()));
    std::fs::write(&fresh, program).context("cannot copy the program")?;
    std::fs::set_permissions(&fresh, std::fs::Permissions::from_mode(0o755))?;
    let kept = folder.join(name);
    std::fs::rename(&fresh, &kept)?;
    Ok(kept)
}

pub fn target_folder(cargo: &std::ffi::OsStr, root: &Path) -> anyhow::Result<PathBuf> {
    let metadata = Command::new(cargo)
        .current_dir(root)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo metadata")?;
    let metadata: Value = serde_json::from_slice(&metadata.stdout).context("cargo metadata is no JSON")?;
    let folder = metadata["target_directory"].as_str().context("cargo metadata names no target folder")?;
    Ok(folder.into())
}
