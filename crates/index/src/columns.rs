//! Where the documents of a segment stand, and which record each is of.

use crate::document::Place;
use crate::schema::{ID_HIGH, ID_LOW, ORDER, SEQ};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use tantivy::columnar::ColumnValues;
use tantivy::index::SegmentId;
use tantivy::{DocId, SegmentReader};
use uuid::Uuid;

type Column = Arc<dyn ColumnValues<u64>>;

/// Columns of segments that were read, since opening them takes longer than a question of a small segment. Segments never
/// change.
#[derive(Default)]
pub(crate) struct KeptColumns(Mutex<HashMap<SegmentId, Arc<Columns>>>);

impl KeptColumns {
    pub(crate) fn of(&self, segment: &SegmentReader) -> tantivy::Result<Arc<Columns>> {
        let id = segment.segment_id();
        let known = self.kept().get(&id).cloned();
        if let Some(columns) = known {
            return Ok(columns);
        }
        let columns = Arc::new(Columns::of(segment)?);
        self.kept().insert(id, Arc::clone(&columns));
        Ok(columns)
    }

    /// Forgets all other segments: what is kept of one keeps its files open.
    pub(crate) fn retain(&self, segments: &HashSet<SegmentId>) {
        self.kept().retain(|id, _| segments.contains(id));
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, HashMap<SegmentId, Arc<Columns>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where the documents of a segment stand.
pub(crate) struct Columns {
    pub(crate) order: Column,
    pub(crate) seq: Column,
    id_high: Column,
    id_low: Column,
    documents: DocId,
}

impl Columns {
    fn of(segment: &SegmentReader) -> tantivy::Result<Self> {
        let column =
            |name: &str| segment.fast_fields().u64(name).map(|column| column.first_or_default_col(0));
        Ok(Self {
            order: column(ORDER)?,
            seq: column(SEQ)?,
            id_high: column(ID_HIGH)?,
            id_low: column(ID_LOW)?,
            documents: segment.max_doc(),
        })
    }

    pub(crate) fn place(&self, document: DocId) -> Place {
        let id = Uuid::from_u64_pair(self.id_high.get_val(document), self.id_low.get_val(document));
        Place { order: self.order.get_val(document), id }
    }

    /// The first document that does not stand before all those of this order.
    pub(crate) fn first_of_order(&self, order: u64) -> DocId {
        let (mut low, mut high) = (0, self.documents);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.order.get_val(middle) > order { low = middle + 1 } else { high = middle }
        }
        low
    }
}
