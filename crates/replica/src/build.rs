//! Filling a new generation from the graph's tables.

use crate::describe;
use crate::error::ReplicaError;
use crate::follow::blocking;
use crate::indexes::{Batch, Indexes};
use crate::replica::Replica;
use assay_domain::limits::{INDEX_CHANGES_KNOWN, INDEX_FILL_BATCH, SEQUENCER_BATCH};
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
        self.fill_companies(&indexes, &last_seen).await?;
        self.fill_people(&indexes, &last_seen).await?;
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

    async fn fill_people(&self, indexes: &Arc<Indexes>, last_seen: &LastSeen) -> Result<(), ReplicaError> {
        let mut after = Uuid::nil();
        loop {
            let people = self.graph.people_after(after, INDEX_FILL_BATCH).await?;
            let Some(last) = people.last() else { return Ok(()) };
            after = last.id.uuid();
            let seq = |id: Uuid| last_seen.get(&id).copied().unwrap_or(0);
            let documents: Vec<_> =
                people.iter().map(|person| describe::person(person, seq(person.id.uuid()))).collect();
            let indexes = Arc::clone(indexes);
            blocking(move || Ok(indexes.people.fill(&documents)?)).await?;
        }
    }

    async fn fill_companies(&self, indexes: &Arc<Indexes>, last_seen: &LastSeen) -> Result<(), ReplicaError> {
        let mut after = Uuid::nil();
        loop {
            let companies = self.graph.companies_after(after, INDEX_FILL_BATCH).await?;
            let Some(last) = companies.last() else { return Ok(()) };
            after = last.id.uuid();
            let seq = |id: Uuid| last_seen.get(&id).copied().unwrap_or(0);
            let documents: Vec<_> =
                companies.iter().map(|company| describe::company(company, seq(company.id.uuid()))).collect();
            let indexes = Arc::clone(indexes);
            blocking(move || Ok(indexes.companies.fill(&documents)?)).await?;
        }
    }
}
