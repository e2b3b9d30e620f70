//! Filling a new generation from the graph's tables.

use crate::describe;
use crate::error::ReplicaError;
use crate::follow::blocking;
use crate::indexes::{Batch, Indexes};
use crate::replica::Replica;
use assay_domain::limits::{INDEX_CHANGES_KNOWN, INDEX_READ_BATCH, SEQUENCER_BATCH};
use assay_index::Document;
use assay_store::StoreError;
use assay_store::graph::Followed;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use uuid::Uuid;

/// Which entry of the log an entity last changed with, of those that changed lately.
type LastSeen = HashMap<Uuid, u64>;

impl Replica {
    /// Reads everybody. What changes meanwhile is in the log after the entry it began at, and is taken in again from there.
    pub(crate) async fn fill(&self, folder: &Path, partitions: usize) -> Result<Indexes, ReplicaError> {
        let head = self.graph.log_head().await?;
        let known_since = (head.seq - INDEX_CHANGES_KNOWN).max(0);
        let last_seen = self.last_seen(head.epoch, known_since).await?;
        let path = folder.to_owned();
        let create = move || Indexes::create(&path, partitions, head.epoch, known_since);
        let indexes = Arc::new(blocking(create).await?);
        let (graph, target) = (&self.graph, &indexes);
        read_all(
            &last_seen,
            async |after, most| graph.companies_after(after, most).await,
            |company| company.id.uuid(),
            describe::company,
            async |documents| {
                let indexes = Arc::clone(target);
                blocking(move || Ok(indexes.companies.fill(&documents)?)).await
            },
        )
        .await?;
        read_all(
            &last_seen,
            async |after, most| graph.people_after(after, most).await,
            |person| person.id.uuid(),
            describe::person,
            async |documents| {
                let indexes = Arc::clone(target);
                blocking(move || Ok(indexes.people.fill(&documents)?)).await
            },
        )
        .await?;
        let finish = {
            let indexes = Arc::clone(&indexes);
            move || indexes.apply(&Batch::default(), &Batch::default(), head.seq)
        };
        blocking(finish).await?;
        Arc::into_inner(indexes).ok_or(ReplicaError::BrokeDown)
    }

    async fn last_seen(&self, epoch: Uuid, after: i64) -> Result<LastSeen, ReplicaError> {
        let (mut seen, mut at) = (LastSeen::new(), after);
        loop {
            let Followed::Changes(changes) = self.graph.changes_after(epoch, at, SEQUENCER_BATCH).await?
            else {
                // The log was begun anew this moment; whoever follows sees it too and comes here again.
                return Ok(seen);
            };
            let Some(last) = changes.rows.last() else { return Ok(seen) };
            at = last.seq;
            seen.extend(changes.rows.iter().map(|row| (row.entity_id, u64::try_from(row.seq).unwrap_or(0))));
        }
    }
}

/// Reads all of one kind, a batch after the other, and hands on their documents.
async fn read_all<T>(
    last_seen: &LastSeen,
    read: impl AsyncFn(Uuid, i64) -> Result<Vec<T>, StoreError>,
    id: impl Fn(&T) -> Uuid,
    describe: impl Fn(&T, u64) -> Document,
    put: impl AsyncFn(Vec<Document>) -> Result<(), ReplicaError>,
) -> Result<(), ReplicaError> {
    let mut after = Uuid::nil();
    loop {
        let records = read(after, i64::from(INDEX_READ_BATCH)).await?;
        let Some(last) = records.last() else { return Ok(()) };
        after = id(last);
        let seq = |record: &T| last_seen.get(&id(record)).copied().unwrap_or(0);
        put(records.iter().map(|record| describe(record, seq(record))).collect()).await?;
    }
}
