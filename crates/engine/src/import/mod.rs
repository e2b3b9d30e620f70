//! Imports: records of sources in, people and companies out.
//!
//! A batch is one transaction: what is known is read, whose each record is is decided by the matcher, everybody touched is
//! made anew of all their records, and how far the run is is written with it. So a run that is killed goes on where its
//! last commit ended, and a record that is imported twice changes nothing.

mod changes;
mod companies;
mod employers;
mod firm;
mod fuse;
mod incoming;
mod namesakes;
mod people;
mod reading;
pub mod record;
pub mod rows;
mod somebody;
mod upkeep;

pub use assay_store::graph::{ImportFile, RecordKind, Source, SourceRights};
pub use reading::{PersonReading, RecordReader};
pub use record::{CompanyRecord, Imported, PersonRecord, RecordJob};
pub use upkeep::ExplainedRecord;

use crate::{Engine, EngineError};
use assay_domain::limits::WRITE_BATCH_MAX;
use assay_store::StoreError;
use assay_store::graph::{ImportProgress, ImportRun as StoredRun, ImportTurn, ImportWrite};
use chrono::{DateTime, Utc};
use people::Turn;
use std::collections::HashMap;
use uuid::Uuid;

/// A source and how much of it is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceListing {
    pub source: Source,
    pub people: u64,
    pub companies: u64,
}

/// One import of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRun {
    pub id: Uuid,
    /// Where the last commit ended, in the reader's words; empty at the start.
    pub position: String,
    /// What came of it so far.
    pub counts: Imported,
    pub finished: bool,
    /// When it was begun, also when it goes on later: what it writes does not depend on how often it was stopped.
    pub at: DateTime<Utc>,
}

impl ImportRun {
    fn of_stored(StoredRun { id, position, counts, started_at }: StoredRun) -> Self {
        let counts = serde_json::from_str(&counts).unwrap_or_default();
        Self { id, position, counts, finished: false, at: started_at }
    }
}

impl Engine {
    /// Makes a source, or gives one that is there other rights.
    pub async fn declare_source(&self, name: &str, rights: &SourceRights) -> Result<Source, EngineError> {
        Ok(self.graph.declare_source(name, rights).await?)
    }

    pub async fn source(&self, name: &str) -> Result<Option<Source>, EngineError> {
        Ok(self.graph.source(name).await?)
    }

    pub async fn sources(&self) -> Result<Vec<SourceListing>, EngineError> {
        let mut listed = Vec::new();
        for source in self.graph.all_sources().await? {
            let counts = self.graph.count_records(&source).await?;
            listed.push(SourceListing { source, people: counts.people, companies: counts.companies });
        }
        Ok(listed)
    }

    /// The unfinished run of this very file, or a new one.
    pub async fn begin_import(
        &self,
        source: &Source,
        file: &ImportFile,
        at: DateTime<Utc>,
    ) -> Result<ImportRun, EngineError> {
        let id = Uuid::from_u128(rand::random());
        Ok(ImportRun::of_stored(self.graph.begin_import(source, file, (id, at)).await?))
    }

    /// The last run of this very file, if it is through.
    pub async fn finished_import(
        &self,
        source: &Source,
        file: &ImportFile,
    ) -> Result<Option<ImportRun>, EngineError> {
        let run = self.graph.finished_import(source, file).await?;
        Ok(run.map(|run| ImportRun { finished: true, ..ImportRun::of_stored(run) }))
    }

    /// One transaction: the records, what they change, and how far the run is. `rejected` rows of the file were not read.
    pub async fn import_people(
        &self,
        source: &Source,
        run: &mut ImportRun,
        records: Vec<PersonReading>,
        rejected: u64,
        position: String,
    ) -> Result<Imported, EngineError> {
        let mut turn = self.turn(source, records.len(), run.at).await?;
        turn.decide(records).await?;
        let (graph, write, mut imported) = turn.finish();
        imported.rejected += rejected;
        commit(graph, write, run, imported, position).await
    }

    pub async fn import_companies(
        &self,
        source: &Source,
        run: &mut ImportRun,
        records: Vec<CompanyRecord>,
        rejected: u64,
        position: String,
    ) -> Result<Imported, EngineError> {
        check_size(records.len())?;
        let mut graph = self.graph.import_turn().await?;
        let sources = self.known_sources().await?;
        let (write, mut imported) =
            companies::decide(&mut graph, &self.identity, (source, &sources), records, run.at).await?;
        imported.rejected += rejected;
        commit(graph, write, run, imported, position).await
    }

    /// One record that came in answer to a question: no file, and no run to go on with.
    pub(crate) async fn import_one_person(
        &self,
        source: &Source,
        reading: PersonReading,
        at: DateTime<Utc>,
    ) -> Result<(), EngineError> {
        let mut turn = self.turn(source, 1, at).await?;
        turn.decide(vec![reading]).await?;
        let (graph, write, _) = turn.finish();
        graph.commit(write).await?;
        Ok(())
    }

    /// The same of a company.
    pub(crate) async fn import_one_company(
        &self,
        source: &Source,
        record: CompanyRecord,
        at: DateTime<Utc>,
    ) -> Result<(), EngineError> {
        let mut graph = self.graph.import_turn().await?;
        let sources = self.known_sources().await?;
        let (write, _) =
            companies::decide(&mut graph, &self.identity, (source, &sources), vec![record], at).await?;
        graph.commit(write).await?;
        Ok(())
    }

    /// What an import of these would do; nothing is written.
    pub async fn preview_people(
        &self,
        source: &Source,
        records: Vec<PersonReading>,
    ) -> Result<Imported, EngineError> {
        let mut turn = self.turn(source, records.len(), DateTime::UNIX_EPOCH).await?;
        turn.decide(records).await?;
        let (_, _, imported) = turn.finish();
        Ok(imported)
    }

    pub async fn preview_companies(
        &self,
        source: &Source,
        records: Vec<CompanyRecord>,
    ) -> Result<Imported, EngineError> {
        check_size(records.len())?;
        let mut graph = self.graph.import_turn().await?;
        let sources = self.known_sources().await?;
        let at = DateTime::UNIX_EPOCH;
        let (_, imported) =
            companies::decide(&mut graph, &self.identity, (source, &sources), records, at).await?;
        Ok(imported)
    }

    pub async fn finish_import(&self, run: &mut ImportRun) -> Result<(), EngineError> {
        self.graph.finish_import(run.id).await?;
        run.finished = true;
        Ok(())
    }

    async fn turn<'a>(
        &'a self,
        source: &'a Source,
        size: usize,
        at: DateTime<Utc>,
    ) -> Result<Turn<'a>, EngineError> {
        check_size(size)?;
        let graph = self.graph.import_turn().await?;
        Ok(Turn::new(graph, &self.identity, (source, self.known_sources().await?), at))
    }

    async fn known_sources(&self) -> Result<HashMap<i16, Source>, EngineError> {
        let listed = self.graph.all_sources().await?;
        Ok(listed.into_iter().map(|source| (source.id, source)).collect())
    }
}

fn check_size(records: usize) -> Result<(), EngineError> {
    if records > WRITE_BATCH_MAX { Err(StoreError::Overloaded.into()) } else { Ok(()) }
}

async fn commit(
    graph: ImportTurn,
    mut write: ImportWrite,
    run: &mut ImportRun,
    mut imported: Imported,
    position: String,
) -> Result<Imported, EngineError> {
    let mut counts = run.counts;
    counts.add(imported);
    write.progress = Some(ImportProgress {
        run: run.id,
        position: position.clone(),
        counts: Box::new(move |suppressed| {
            let counts = Imported { suppressed: counts.suppressed + suppressed, ..counts };
            serde_json::to_string(&counts).unwrap_or_else(|_| "{}".to_owned())
        }),
    });
    let (_, left_out) = graph.commit(write).await?;
    imported.suppressed = u64::try_from(left_out.len()).unwrap_or(u64::MAX);
    run.counts.add(imported);
    run.position = position;
    Ok(imported)
}
