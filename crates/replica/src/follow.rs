//! Taking in what the log says has changed: the records are read anew, whatever the log's entry was about.

use crate::describe;
use crate::error::ReplicaError;
use crate::indexes::{Batch, Indexes};
use crate::replica::Replica;
use assay_domain::limits::{INDEX_COLLEAGUES_BATCH, INDEX_READ_BATCH};
use assay_domain::{CompanyId, PersonId};
use assay_index::{Asker, Clause, Document, Page, Place, Question, Term};
use assay_store::graph::{Change, EntityKind};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use uuid::Uuid;

/// Entities, each with the last entry of the log about it.
type Touched = BTreeMap<Uuid, Touch>;

/// The last entry about an entity.
#[derive(Debug, Clone, Copy, Default)]
struct Touch {
    seq: u64,
    /// The version the entry is about; none where the entry is about another entity, a company of somebody.
    version: Option<i64>,
}

impl Touch {
    /// Which entry a record of this version came with. A record newer than the entry has one of its own still to come, and it
    /// is not known which: until then it counts as changed since whatever entry a cursor may name.
    fn seq_of(self, version: i64) -> u64 {
        if self.version.is_some_and(|known| version > known) { u64::MAX } else { self.seq }
    }
}

impl Replica {
    pub(crate) async fn take_in(
        &self,
        indexes: &Arc<Indexes>,
        changes: Vec<Change>,
    ) -> Result<(), ReplicaError> {
        let Some(last) = changes.last().map(|change| change.seq) else { return Ok(()) };
        let touched = |kind: EntityKind| -> Touched {
            let of_kind = changes.iter().filter(|change| change.kind == kind);
            let touch = |change: &Change| Touch {
                seq: u64::try_from(change.seq).unwrap_or(0),
                version: Some(change.version),
            };
            of_kind.map(|change| (change.entity_id, touch(change))).collect()
        };
        let (mut people, companies) = (touched(EntityKind::Person), touched(EntityKind::Company));
        // Whoever works at a company is found by what it is.
        for (company, touch) in &companies {
            for colleague in colleagues(indexes, *company).await? {
                let known = people.entry(colleague).or_default();
                known.seq = known.seq.max(touch.seq);
            }
        }
        let mut companies = self.companies(&companies).await?;
        // A company may have any number of people. Only when the last of them are in has the index come this far.
        let mut left = people;
        loop {
            let next = left.keys().nth(usize::from(INDEX_READ_BATCH)).copied();
            let rest = next.map(|next| left.split_off(&next)).unwrap_or_default();
            let (people, also) = (self.people(&left).await?, std::mem::take(&mut companies));
            let seq = if rest.is_empty() { last } else { indexes.seq() };
            let target = Arc::clone(indexes);
            blocking(move || target.apply(&people, &also, seq)).await?;
            if rest.is_empty() {
                return Ok(());
            }
            left = rest;
        }
    }

    async fn people(&self, touched: &Touched) -> Result<Batch, ReplicaError> {
        let ids: Vec<PersonId> = touched.keys().copied().map(PersonId::from_uuid).collect();
        let people = self.graph.people_by_ids(&ids).await?;
        let there = people.iter().map(|one| (one.id.uuid(), one.version, |seq| describe::person(one, seq)));
        Ok(batch(touched, there))
    }

    async fn companies(&self, touched: &Touched) -> Result<Batch, ReplicaError> {
        let ids: Vec<CompanyId> = touched.keys().copied().map(CompanyId::from_uuid).collect();
        let companies = self.graph.companies_by_ids(&ids).await?;
        let there =
            companies.iter().map(|one| (one.id.uuid(), one.version, |seq| describe::company(one, seq)));
        Ok(batch(touched, there))
    }
}

/// Who is there is put in; who is not, because they were erased or merged into another, goes.
fn batch<D: FnOnce(u64) -> Document>(
    touched: &Touched,
    there: impl Iterator<Item = (Uuid, i64, D)>,
) -> Batch {
    let mut gone: HashSet<Uuid> = touched.keys().copied().collect();
    let mut put = Vec::new();
    for (id, version, describe) in there {
        gone.remove(&id);
        // Whom another was merged into has an entry of their own, here or later.
        if let Some(touch) = touched.get(&id) {
            put.push(describe(touch.seq_of(version)));
        }
    }
    Batch { put, delete: gone.into_iter().collect() }
}

async fn colleagues(indexes: &Arc<Indexes>, company: Uuid) -> Result<Vec<Uuid>, ReplicaError> {
    let question = Question {
        all: vec![Clause::OneOf(Term::Employer, vec![company.to_string()])],
        none: Vec::new(),
        asker: Asker::Keeper,
    };
    let indexes = Arc::clone(indexes);
    blocking(move || {
        let (mut ids, mut after): (Vec<Uuid>, Option<Place>) = (Vec::new(), None);
        loop {
            let page = Page { after, limit: INDEX_COLLEAGUES_BATCH, count_to: 0, unchanged_since: None };
            let rows = indexes.people.search(&question, &page)?.rows;
            after = rows.last().copied();
            ids.extend(rows.iter().map(|row| row.id));
            if rows.len() < INDEX_COLLEAGUES_BATCH {
                return Ok(ids);
            }
        }
    })
    .await
}

/// Reading and writing an index waits for the disk: not on a thread that others wait for.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ReplicaError> + Send + 'static,
) -> Result<T, ReplicaError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| ReplicaError::BrokeDown)?
}
