//! The readers: Python's csv module, and LibreOffice without a screen, whose sheets are read by the same script.

use crate::bar::progress;
use crate::rig::{Folder, run_command};
use anyhow::{Context, bail, ensure};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

const SCRIPT: &str = include_str!("check.py");
const OFFICE: &str = "soffice";

/// How a sheet is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Import {
    /// "Quoted field as text": what is in the cells can be compared. Read from an XLSX, because LibreOffice leaves tabs out
    /// when it writes a text of several lines into an ODS.
    AsText,
    /// As by a double click.
    Default,
    /// With formulas run, whatever the default is.
    Evaluating,
}

impl Import {
    /// LibreOffice's filter options: separator, quote, character set, first line, formats, language, quoted as text,
    /// special numbers, …, evaluate formulas.
    const fn options(self) -> Option<&'static str> {
        match self {
            Self::AsText => Some("CSV:44,34,76,1,,0,true"),
            Self::Default => None,
            Self::Evaluating => Some("CSV:44,34,76,1,,0,false,true,false,false,false,-1,true"),
        }
    }

    const fn format(self) -> (&'static str, &'static str) {
        match self {
            Self::AsText => ("xlsx", "xlsx"),
            Self::Default | Self::Evaluating => ("fods", "fods:OpenDocument Spreadsheet Flat XML"),
        }
    }
}

/// What a reader found.
#[derive(Debug, Deserialize)]
pub struct Report {
    pub rows_wrong: usize,
    pub formulas: usize,
    pub changed: usize,
}

#[derive(Debug)]
pub struct Checker {
    script: PathBuf,
    work: PathBuf,
    office: bool,
}

impl Checker {
    /// Finds the readers. The long form installs those that are missing; the short one goes without LibreOffice.
    pub fn prepare(folder: &Folder, short: bool) -> anyhow::Result<Self> {
        if !is_there("python3") {
            install("python3")?;
        }
        if !is_there(OFFICE) && !short {
            install("libreoffice-calc-nogui")?;
        }
        let script = folder.path.join("check.py");
        std::fs::write(&script, SCRIPT)?;
        Ok(Self { script, work: folder.path.clone(), office: is_there(OFFICE) })
    }

    pub fn has_office(&self) -> bool {
        self.office
    }

    pub fn readers(&self) -> &'static str {
        if self.office { "python, libreoffice" } else { "python" }
    }

    pub fn read_plain(&self, export: &Path, expected: &Path) -> anyhow::Result<Report> {
        self.script("plain", export, expected)
    }

    pub fn import(&self, export: &Path, expected: &Path, how: Import) -> anyhow::Result<Report> {
        let sheet = self.convert(export, how)?;
        let mode = if how == Import::AsText { "sheet" } else { "formulas" };
        self.script(mode, &sheet, expected)
    }

    /// A check that finds no formula must be able to find one.
    pub fn check_itself(&self, folder: &Folder) -> anyhow::Result<()> {
        let bait = folder.path.join("bait.csv");
        std::fs::write(&bait, "\"=1+1\"\r\n\"=cmd|' /C calc'!A0\"\r\n")?;
        for how in [Import::Default, Import::Evaluating] {
            let sheet = self.convert(&bait, how)?;
            let found = self.script("formulas", &sheet, &bait)?.formulas;
            ensure!(found == 2, "LibreOffice shows {found} of 2 formulas of a file that has them ({how:?})");
        }
        Ok(())
    }

    fn convert(&self, csv: &Path, how: Import) -> anyhow::Result<PathBuf> {
        // A profile of its own: another LibreOffice of this user would be asked instead, and its settings count.
        let profile = format!("-env:UserInstallation=file://{}/office", self.work.display());
        let output = self.work.join(format!("{how:?}"));
        let (ending, format) = how.format();
        let mut command = Command::new(OFFICE);
        command.args([&profile, "--headless", "--convert-to", format]);
        command.args(how.options().map(|options| format!("--infilter={options}")));
        command.arg("--outdir").arg(&output).arg(csv);
        let ran = command.output().context("cannot run LibreOffice")?;
        let sheet = output.join(csv.file_stem().context("no file name")?).with_extension(ending);
        if !sheet.exists() {
            bail!("LibreOffice made no sheet: {}", String::from_utf8_lossy(&ran.stderr).trim());
        }
        Ok(sheet)
    }

    fn script(&self, mode: &str, file: &Path, expected: &Path) -> anyhow::Result<Report> {
        let ran = Command::new("python3").arg(&self.script).arg(mode).arg(file).arg(expected).output()?;
        eprint!("{}", String::from_utf8_lossy(&ran.stderr));
        ensure!(ran.status.success(), "the check {mode} failed");
        serde_json::from_slice(&ran.stdout).context("the check said no JSON")
    }
}

fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Debian's package, as root; the index first, since an old one names files that are gone.
fn install(package: &str) -> anyhow::Result<()> {
    progress(format!("installing {package}"));
    run_command("apt-get", &["update", "-q"])?;
    run_command("apt-get", &["install", "-y", "-q", "--no-install-recommends", package])
        .with_context(|| format!("install {package} by hand"))
}
