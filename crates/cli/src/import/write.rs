//! Writing one file, portion by portion: rejects first, then records and position in one commit.

use super::feed::{Feed, Portion, Records};
use super::layout::Layout;
use super::progress::Progress;
use super::record_kind;
use super::rejects::Rejects;
use super::report::{FileReport, Remarks};
use crate::failure::Failure;
use crate::out;
use assay_domain::Clock;
use assay_engine::Engine;
use assay_engine::import::{ImportFile, ImportRun, Imported, Source};
use assay_intake::{Position, Reader};
use chrono::{DateTime, Utc};
use std::path::{Path, PathBuf};

/// One file on its way into the graph.
pub struct Import<'a> {
    pub engine: &'a Engine,
    pub source: &'a Source,
    pub layout: &'a Layout,
    pub clock: Clock,
}

impl Import<'_> {
    /// Tells what would come of the file, from its beginning.
    pub async fn preview(&self, batch_rows: usize) -> Result<FileReport, Failure> {
        let reader = self.layout.open(Position::START)?;
        let progress = self.progress(&reader, Position::START);
        let mut feed = self.feed(reader, batch_rows, self.clock.now());
        let mut counts = Imported::default();
        let mut remarks = Remarks::default();
        let mut rows = 0;
        while let Some(portion) = feed.next().await {
            let portion = portion?;
            remarks.add(&portion);
            for reject in &portion.rejects {
                remarks.add_reject(reject);
            }
            let (position, done_bytes) = (portion.position, portion.done_bytes);
            counts.rejected += count(portion.rejects.len());
            let told = match portion.records {
                Records::People(records) => self.engine.preview_people(self.source, records).await,
                Records::Companies(records) => self.engine.preview_companies(self.source, records).await,
            };
            counts.add(told?);
            rows = position.rows;
            progress.reach(rows, done_bytes);
        }
        progress.finish();
        Ok(FileReport {
            path: self.layout.path().to_owned(),
            rows,
            resumed_after: None,
            counts,
            remarks,
            rejects: None,
        })
    }

    /// Writes the file, or what an earlier run has left of it.
    pub async fn write(
        &self,
        mut run: ImportRun,
        batch_rows: usize,
        rejects: Option<&Path>,
    ) -> Result<FileReport, Failure> {
        let from = place(&run)?;
        if run.finished {
            return Ok(self.done_before(run, from));
        }
        if from.rows > 0 {
            out::note(&format!("{}: going on after row {}", self.layout.path().display(), from.rows));
        }
        let reader = self.layout.open(from)?;
        let mut rejects = Rejects::open(&self.rejects_path(rejects), from.rows)?;
        let progress = self.progress(&reader, from);
        let mut feed = self.feed(reader, batch_rows, run.at);
        let mut remarks = Remarks::default();
        let mut rows = from.rows;
        while let Some(portion) = feed.next().await {
            let portion = portion?;
            remarks.add(&portion);
            // Before the commit that counts them: after a kill between the two, the rows beyond the position are dropped.
            rejects.append(&portion.rejects)?;
            let done_bytes = portion.done_bytes;
            rows = portion.position.rows;
            self.commit(&mut run, portion).await?;
            progress.reach(rows, done_bytes);
        }
        self.engine.finish_import(&mut run).await?;
        progress.finish();
        Ok(FileReport {
            path: self.layout.path().to_owned(),
            rows,
            resumed_after: (from.rows > 0).then_some(from.rows),
            counts: run.counts,
            remarks,
            rejects: rejects.path(),
        })
    }

    /// The run this file is imported with: one that goes on, a new one, or one that is through although the command it
    /// belongs to is not. `at` is when that command was first given.
    pub async fn begin(&self, at: DateTime<Utc>) -> Result<ImportRun, Failure> {
        let file = ImportFile {
            kind: record_kind(self.layout.kind()),
            fingerprint: self.layout.fingerprint()?,
            mapping: self.layout.canonical_mapping(),
        };
        let done = self.engine.finished_import(self.source, &file).await?;
        if let Some(done) = done.filter(|done| done.at == at) {
            return Ok(done);
        }
        Ok(self.engine.begin_import(self.source, &file, at).await?)
    }

    fn done_before(&self, run: ImportRun, end: Position) -> FileReport {
        out::note(&format!("{}: was imported before the command was stopped", self.layout.path().display()));
        FileReport {
            path: self.layout.path().to_owned(),
            rows: end.rows,
            resumed_after: Some(end.rows),
            counts: run.counts,
            remarks: Remarks::default(),
            rejects: None,
        }
    }

    async fn commit(&self, run: &mut ImportRun, portion: Portion) -> Result<(), Failure> {
        let (rejected, position) = (count(portion.rejects.len()), portion.position.to_string());
        let written = match portion.records {
            Records::People(records) => {
                self.engine.import_people(self.source, run, records, rejected, position).await
            }
            Records::Companies(records) => {
                self.engine.import_companies(self.source, run, records, rejected, position).await
            }
        };
        Ok(written.map(drop)?)
    }

    /// What does not say when it was true was true when the import was begun.
    fn feed(&self, reader: Reader, batch_rows: usize, at: DateTime<Utc>) -> Feed {
        let records = self.engine.record_reader(self.source);
        Feed::start(self.layout.path(), reader, records, batch_rows, at.date_naive())
    }

    fn progress(&self, reader: &Reader, from: Position) -> Progress {
        Progress::start(self.layout.kind().as_str(), reader.total_bytes(), (from.rows, reader.done_bytes()))
    }

    fn rejects_path(&self, told: Option<&Path>) -> PathBuf {
        if let Some(path) = told {
            return path.to_owned();
        }
        let mut name = self.layout.path().as_os_str().to_owned();
        name.push(".rejects.csv");
        name.into()
    }
}

/// Where an earlier run has stopped.
fn place(run: &ImportRun) -> Result<Position, Failure> {
    if run.position.is_empty() {
        return Ok(Position::START);
    }
    run.position.parse().map_err(|error: assay_intake::Error| {
        Failure::new(format!("the run cannot go on: {error}"), "report it, with the output of assay doctor")
    })
}

fn count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}
