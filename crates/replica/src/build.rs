//! Filling a new generation from the graph's tables.

use crate::describe;
use crate::error::ReplicaError;
use crate::follow::blocking;
use crate::indexes::{Batch, Indexes};
use crate::replica::Replica;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{
    INDEX_CHANGES_KNOWN, INDEX_NUMBERING_PATIENCE, INDEX_READ_BATCH, SEQUENCER_BATCH, SEQUENCER_IDLE,
};
use assay_domain::{Company, Person};
use assay_index::{Document, Index};
use assay_store::graph::{Followed, LogHead};
use assay_store::{Graph, StoreError};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use uuid::Uuid;

/// Which entry of the log an entity last changed with, of those that changed lately.
type LastSeen = HashMap<Uuid, u64>;

impl Replica {
    /// Reads everybody. What changes meanwhile is in the log after the entry it began at, and is taken in again from there.
    pub(crate) async fn fill(&self, folder: &Path, partitions: usize) -> Result<Indexes, ReplicaError> {
        let head = self.settled_head().await?;
        let known_since = (head.seq - INDEX_CHANGES_KNOWN).max(0);
        let last_seen = Arc::new(self.last_seen(head.epoch, known_since).await?);
        let path = folder.to_owned();
        let create = move || Indexes::create(&path, partitions, head.epoch, known_since);
        let indexes = Arc::new(blocking(create).await?);
        fill_with::<Company>(&self.graph, &indexes, &last_seen).await?;
        fill_with::<Person>(&self.graph, &indexes, &last_seen).await?;
        let finish = {
            let indexes = Arc::clone(&indexes);
            move || indexes.apply(&Batch::default(), &Batch::default(), head.seq)
        };
        blocking(finish).await?;
        Arc::into_inner(indexes).ok_or(ReplicaError::BrokeDown)
    }

    /// Where the log ends, as soon as most of what was written has its number: after a load of everybody all of it would be
    /// taken in a second time, in small batches. Where nobody numbers changes, it does without after a while.
    async fn settled_head(&self) -> Result<LogHead, ReplicaError> {
        let mut head = self.graph.log_head().await?;
        let mut patience = Stopwatch::start();
        while self.graph.is_numbering_behind().await? && patience.elapsed() < INDEX_NUMBERING_PATIENCE {
            tokio::time::sleep(SEQUENCER_IDLE).await;
            let now = self.graph.log_head().await?;
            if now != head {
                (head, patience) = (now, Stopwatch::start());
            }
        }
        Ok(head)
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

/// One kind of record: how it is read, and which index it goes into.
trait Indexed: Sized + Send + 'static {
    fn read(
        graph: &Graph,
        after: Uuid,
        most: i64,
    ) -> impl Future<Output = Result<Vec<Self>, StoreError>> + Send;

    fn uuid(&self) -> Uuid;

    fn describe(&self, seq: u64) -> Document;

    fn index(indexes: &Indexes) -> &Index;
}

impl Indexed for Company {
    async fn read(graph: &Graph, after: Uuid, most: i64) -> Result<Vec<Self>, StoreError> {
        graph.companies_after(after, most).await
    }

    fn uuid(&self) -> Uuid {
        self.id.uuid()
    }

    fn describe(&self, seq: u64) -> Document {
        describe::company(self, seq)
    }

    fn index(indexes: &Indexes) -> &Index {
        &indexes.companies
    }
}

impl Indexed for Person {
    async fn read(graph: &Graph, after: Uuid, most: i64) -> Result<Vec<Self>, StoreError> {
        graph.people_after(after, most).await
    }

    fn uuid(&self) -> Uuid {
        self.id.uuid()
    }

    fn describe(&self, seq: u64) -> Document {
        describe::person(self, seq)
    }

    fn index(indexes: &Indexes) -> &Index {
        &indexes.people
    }
}

/// Reads all of one kind, and puts the documents of one batch in while the next is read.
async fn fill_with<T: Indexed>(
    graph: &Graph,
    indexes: &Arc<Indexes>,
    last_seen: &Arc<LastSeen>,
) -> Result<(), ReplicaError> {
    let batch = i64::from(INDEX_READ_BATCH);
    let mut records = T::read(graph, Uuid::nil(), batch).await?;
    while let Some(last) = records.last().map(T::uuid) {
        let (indexes, last_seen) = (Arc::clone(indexes), Arc::clone(last_seen));
        let put = blocking(move || {
            let seq = |record: &T| last_seen.get(&record.uuid()).copied().unwrap_or(0);
            let documents: Vec<Document> =
                records.iter().map(|record| record.describe(seq(record))).collect();
            Ok(T::index(&indexes).fill(&documents)?)
        });
        let read = async { Ok::<_, ReplicaError>(T::read(graph, last, batch).await?) };
        ((), records) = tokio::try_join!(put, read)?;
    }
    Ok(())
}
