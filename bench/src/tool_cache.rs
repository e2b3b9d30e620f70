//! What the bars borrow from other languages: programs and libraries in exact versions, kept between runs.

use crate::bar::progress;
use crate::rig::run_command;
use anyhow::{Context, Result, bail};
use assay_testkit::workspace_root;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Python of its own with the libraries that a list of the repository names. Its programs are in `bin`.
pub fn python_with(name: &str, requirements: &str) -> Result<PathBuf> {
    cached(name, |folder| {
        need_program("python3", &["-m", "venv", "--help"], "python3-venv")?;
        let requirements = workspace_root()?.join(requirements);
        run_command("python3", &["-m", "venv", text(folder)?])?;
        let pip = folder.join("bin/pip");
        run_command(text(&pip)?, &["install", "--quiet", "--requirement", text(&requirements)?])
    })
}

/// A folder of the cache, filled by `install` if need be. Its name says what it holds: other versions live in another one.
/// It is complete when its mark is there: an installation that broke off starts anew.
pub fn cached(name: &str, install: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    let folder = cache_folder()?.join(name);
    let mark = folder.join("complete");
    if mark.exists() {
        return Ok(folder);
    }
    progress(format!("installing into {}", folder.display()));
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    install(&folder)?;
    std::fs::write(mark, "")?;
    Ok(folder)
}

fn cache_folder() -> Result<PathBuf> {
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(".cache")));
    Ok(cache.context("neither XDG_CACHE_HOME nor HOME is set")?.join("assay-bars"))
}

/// Makes sure that a program runs, by installing its Debian package if need be.
pub fn need_program(program: &str, probe: &[&str], package: &str) -> Result<()> {
    let runs = || Command::new(program).args(probe).output().is_ok_and(|output| output.status.success());
    if runs() {
        return Ok(());
    }
    progress(format!("installing the Debian package {package}"));
    let installed = run_command("apt-get", &["update", "--quiet"])
        .and_then(|()| run_command("apt-get", &["install", "--quiet", "--yes", package]));
    if let Err(error) = installed {
        bail!("{program} is missing and cannot be installed: {error:#}");
    }
    if runs() { Ok(()) } else { bail!("{program} does not run, also after installing {package}") }
}

pub fn text(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| format!("{} is not readable text", path.display()))
}
