//! Checks the house rules that neither the compiler nor clippy can check; ARCHITECTURE.md lists them.

mod accounts;
mod floors;
mod lengths;
mod manifest;
mod papers;
mod strip;
mod words;

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use assay_testkit::workspace_root;

use strip::Stripped;

/// Folders that hold source; everything else in the repository is somebody else's format.
const SOURCE_FOLDERS: [&str; 4] = ["crates", "bench", "xtask", "migrations"];

/// One broken rule: where, what is wrong and how to put it right.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation {
    path: String,
    line: usize,
    what: String,
}

impl Violation {
    fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// A source file, with its path from the top of the repository.
pub(crate) struct Source {
    path: String,
    text: String,
    stripped: Stripped,
}

impl Source {
    fn new(path: &str, text: String) -> Self {
        let stripped = if path.ends_with(".rs") { strip::strip(&text) } else { Stripped::default() };
        Self { path: path.to_owned(), text, stripped }
    }

    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// The folder name of a crate under crates/, or "bench", "xtask", "migrations".
    fn room(&self) -> &str {
        let mut parts = self.path.split('/');
        match parts.next() {
            Some("crates") => parts.next().unwrap_or_default(),
            other => other.unwrap_or_default(),
        }
    }

    /// Whole files of tests; test modules inside other files are known line by line.
    fn is_test_file(&self) -> bool {
        self.path.contains("/tests/") || self.path.ends_with("/tests.rs")
    }

    /// Lines of code that ship: number and text, comments and literals blanked, tests left out.
    fn shipped_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = if self.is_test_file() { "" } else { self.stripped.code.as_str() };
        let tests = &self.stripped.test_lines;
        let numbered = lines.lines().enumerate().map(|(index, line)| (index + 1, line));
        numbered.filter(move |(number, _)| !tests.iter().any(|range| range.contains(number)))
    }
}

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let root = workspace_root()?;
    let mut sources = Vec::new();
    let mut manifests = Vec::new();
    for folder in SOURCE_FOLDERS {
        collect(&root, &root.join(folder), &mut sources, &mut manifests)?;
    }
    let mut found = papers::check(&root);
    for source in &sources {
        found.extend(lengths::check(source));
        found.extend(words::check(source));
        found.extend(accounts::check(source));
    }
    for (path, text) in &manifests {
        found.extend(floors::check(path, &manifest::parse(text)));
    }
    found.sort();
    for violation in &found {
        println!("{violation}");
    }
    println!("tidy: {} files, {} violations", sources.len() + manifests.len(), found.len());
    Ok(if found.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn collect(
    root: &Path,
    folder: &Path,
    sources: &mut Vec<Source>,
    manifests: &mut Vec<(String, String)>,
) -> anyhow::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                collect(root, &path, sources, manifests)?;
            }
            continue;
        }
        let read =
            || std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()));
        let from_root = path.strip_prefix(root)?.to_string_lossy().into_owned();
        if name == "Cargo.toml" {
            manifests.push((from_root, read()?));
        } else if name.ends_with(".rs") || name.ends_with(".sql") {
            sources.push(Source::new(&from_root, read()?));
        }
    }
    Ok(())
}
