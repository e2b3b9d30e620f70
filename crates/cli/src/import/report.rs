//! What came of an import, for people and for programs.

use super::feed::Portion;
use super::progress::a_second;
use crate::{Session, out};
use assay_engine::import::Imported;
use assay_intake::{Kind, Reject};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// Values and rows that could not be read are told one by one up to here; a bad column has one for each row.
const REMARKS_TOLD_MAX: usize = 10;

/// What could not be read of a file, without any of its values.
#[derive(Debug, Default)]
pub struct Remarks {
    told: Vec<String>,
    values_dropped: u64,
}

impl Remarks {
    /// The values that were dropped from rows that were read.
    pub fn add(&mut self, portion: &Portion) {
        let kept = u64::try_from(portion.notes.len()).unwrap_or(u64::MAX);
        self.values_dropped = self.values_dropped.saturating_add(kept).saturating_add(portion.notes_unkept);
        for note in &portion.notes {
            self.tell(note);
        }
    }

    /// A rejected row, where no file of rejects tells of it.
    pub fn add_reject(&mut self, reject: &Reject) {
        self.tell(reject);
    }

    fn tell(&mut self, remark: &impl ToString) {
        if self.told.len() < REMARKS_TOLD_MAX {
            self.told.push(remark.to_string());
        }
    }
}

/// What came of one file.
#[derive(Debug)]
pub struct FileReport {
    pub path: PathBuf,
    /// Rows of the file, read or rejected, by this run and by those it goes on from.
    pub rows: u64,
    /// The row after which an earlier run was stopped.
    pub resumed_after: Option<u64>,
    pub counts: Imported,
    pub remarks: Remarks,
    /// The file of rejects, if there are any.
    pub rejects: Option<PathBuf>,
}

/// What came of all of them.
#[derive(Debug)]
pub struct Report<'a> {
    kind: Kind,
    source: &'a str,
    dry_run: bool,
    files: Vec<FileReport>,
}

impl<'a> Report<'a> {
    pub fn new(kind: Kind, source: &'a str, dry_run: bool) -> Self {
        Self { kind, source, dry_run, files: Vec::new() }
    }

    pub fn add(&mut self, file: FileReport) {
        self.files.push(file);
    }

    pub fn tell(&self, session: &Session, elapsed: Duration) {
        for file in &self.files {
            tell_remarks(file);
        }
        let mut total = Imported::default();
        self.files.iter().for_each(|file| total.add(file.counts));
        let rows: u64 = self.files.iter().map(|file| file.rows).sum();
        // Rows that an earlier run has written took none of this time.
        let here = self.files.iter().map(|file| file.rows - file.resumed_after.unwrap_or(0)).sum();
        let rate = a_second(here, elapsed);
        if session.json {
            return out::json(&self.as_json(rows, total, (elapsed.as_secs(), rate)));
        }
        let (kind, source, seconds) = (self.kind.as_str(), self.source, elapsed.as_secs());
        let would = if self.dry_run { ", as a dry run: nothing was written" } else { "" };
        out::note(&format!("{kind} of {source}: {rows} rows in {seconds} s, {rate} a second{would}"));
        let mut table = out::table(["outcome", "records"]);
        for (name, count) in outcomes(&total) {
            table.add_row([name.replace('_', " "), count.to_string()]);
        }
        out::data(&table.trim_fmt());
    }

    fn as_json(&self, rows: u64, total: Imported, (seconds, rate): (u64, u64)) -> Value {
        let files = self.files.iter().map(|file| {
            let mut value = json!({
                "file": file.path.display().to_string(), "rows": file.rows, "resumed_after_row": file.resumed_after,
                "values_dropped": file.remarks.values_dropped,
                "rejects": file.rejects.as_ref().map(|path| path.display().to_string()),
            });
            add_outcomes(&mut value, &file.counts);
            value
        });
        let files: Vec<Value> = files.collect();
        let mut value = json!({
            "source": self.source, "kind": self.kind.as_str(), "dry_run": self.dry_run, "rows": rows, "seconds": seconds,
            "rows_per_second": rate,
        });
        add_outcomes(&mut value, &total);
        if let Some(fields) = value.as_object_mut() {
            fields.insert("files".to_owned(), files.into());
        }
        value
    }
}

fn tell_remarks(file: &FileReport) {
    let (path, Remarks { told, values_dropped }) = (file.path.display(), &file.remarks);
    for remark in told {
        out::note(&format!("{path}: {remark}"));
    }
    if *values_dropped > 0 {
        out::note(&format!("{path}: {values_dropped} values could not be read and were left out"));
    }
    let rejected = file.counts.rejected;
    match &file.rejects {
        Some(rejects) => {
            out::note(&format!("{path}: {rejected} rows were rejected; they are in {}", rejects.display()));
        }
        None if rejected > 0 => out::note(&format!("{path}: {rejected} rows would be rejected")),
        None => {}
    }
}

fn outcomes(counts: &Imported) -> [(&'static str, u64); 10] {
    [
        ("new", counts.new),
        ("linked", counts.linked),
        ("changed", counts.changed),
        ("unchanged", counts.unchanged),
        ("merged", counts.merged),
        ("suppressed", counts.suppressed),
        ("rejected", counts.rejected),
        ("job_changes", counts.job_changes),
        ("promotions", counts.promotions),
        ("departures", counts.departures),
    ]
}

fn add_outcomes(value: &mut Value, counts: &Imported) {
    let Some(fields) = value.as_object_mut() else { return };
    fields.extend(outcomes(counts).map(|(name, count)| (name.to_owned(), count.into())));
}
