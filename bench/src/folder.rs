//! A folder that a bar has while it runs.

use anyhow::Context;
use std::path::{Path, PathBuf};

/// Names a folder in which the logs of all bars are kept for the bar `canaries`.
pub const KEPT_LOGS: &str = "ASSAY_BAR_LOGS";

/// A folder for logs and mount points; removed when dropped, unless it is to be kept.
#[derive(Debug)]
pub struct Folder {
    pub path: PathBuf,
    is_kept: bool,
}

impl Folder {
    pub fn make(purpose: &str) -> anyhow::Result<Self> {
        let path = std::env::temp_dir().join(format!("assay-bar-{purpose}-{:016x}", rand::random::<u64>()));
        std::fs::create_dir_all(&path).with_context(|| format!("cannot create {}", path.display()))?;
        Ok(Self { path, is_kept: false })
    }

    /// One that stays for the next bar.
    pub fn kept(path: PathBuf) -> anyhow::Result<Self> {
        std::fs::create_dir_all(&path).with_context(|| format!("cannot create {}", path.display()))?;
        Ok(Self { path, is_kept: true })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Some(kept) = std::env::var_os(KEPT_LOGS) {
            keep_logs(&self.path, Path::new(&kept));
        }
        if !self.is_kept {
            drop(std::fs::remove_dir_all(&self.path));
        }
    }
}

/// Puts the logs of a run where the bar `canaries` can search them. Failing to is no reason to fail a bar.
fn keep_logs(from: &Path, to: &Path) {
    let run = from.file_name().unwrap_or_default().to_string_lossy();
    for entry in std::fs::read_dir(from).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "log") {
            let name = entry.file_name();
            drop(std::fs::create_dir_all(to));
            drop(std::fs::copy(&path, to.join(format!("{run}-{}", name.to_string_lossy()))));
        }
    }
}
