//! `assay reference`: writes the reference's Markdown into a folder, or checks that what lies there is what it would write.

use crate::failure::{Failure, Reason};
use crate::out;
use assay_service::reference::{self, File};
use clap::Args;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct Reference {
    /// Write every page.
    #[arg(long, required_unless_present = "check", conflicts_with = "check")]
    write: bool,
    /// Say which pages are not what this program would write.
    #[arg(long)]
    check: bool,
    /// Where the pages are.
    #[arg(long, value_name = "FOLDER", default_value = "docs/reference")]
    dir: PathBuf,
}

impl Reference {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let files = reference::files();
        let folder = self.dir.display();
        if self.write {
            write(&self.dir, &files)?;
            out::note(&format!("{} pages written to {folder}", files.len()));
        } else {
            check(&self.dir, &files)?;
            out::note(&format!("{folder} is up to date: {} pages", files.len()));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn write(folder: &Path, files: &[File]) -> Result<(), Failure> {
    let cannot = |path: &Path, error: &std::io::Error| {
        Failure::new(
            format!("{} cannot be written: {error}", path.display()),
            "choose another folder with --dir",
        )
    };
    std::fs::create_dir_all(folder).map_err(|error| cannot(folder, &error))?;
    for file in files {
        let path = folder.join(&file.name);
        std::fs::write(&path, &file.text).map_err(|error| cannot(&path, &error))?;
    }
    Ok(())
}

fn check(folder: &Path, files: &[File]) -> Result<(), Failure> {
    let refresh = format!("assay reference --write --dir {}", folder.display());
    let mut reasons = Vec::new();
    for file in files {
        let path = folder.join(&file.name);
        let what = match std::fs::read_to_string(&path) {
            Ok(text) if text == file.text => continue,
            Ok(_) => format!("{} is not what this program would write", path.display()),
            Err(error) => format!("{} cannot be read: {error}", path.display()),
        };
        reasons.push(Reason { what, fix: refresh.clone() });
    }
    // Nothing is removed by --write: a folder may be named by mistake.
    for name in left_over(folder, files) {
        let what = format!("{} is the page of nothing any more", folder.join(name).display());
        reasons.push(Reason { what, fix: "remove it".to_owned() });
    }
    if reasons.is_empty() { Ok(()) } else { Err(Failure { reasons }) }
}

fn left_over(folder: &Path, files: &[File]) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let pages = entries.map(|entry| entry.path()).filter(|path| path.extension() == Some(OsStr::new("md")));
    let names = pages.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
    names.filter(|name| files.iter().all(|file| file.name != *name)).collect()
}
