//! Finds the top folder of the repository at run time.

use std::path::PathBuf;

use anyhow::Context;

/// The folder with the workspace manifest. Looked up at run time: a build folder shared by two clones
/// would otherwise hand out the path of the clone that compiled first.
pub fn workspace_root() -> anyhow::Result<PathBuf> {
    let start = match std::env::var_os("CARGO_MANIFEST_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => std::env::current_dir().context("cannot read the current folder")?,
    };
    start
        .ancestors()
        .find(|folder| {
            std::fs::read_to_string(folder.join("Cargo.toml")).is_ok_and(|text| text.contains("[workspace]"))
        })
        .map(std::path::Path::to_path_buf)
        .with_context(|| format!("no workspace manifest above {}", start.display()))
}
