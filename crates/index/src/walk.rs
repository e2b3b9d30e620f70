//! Reading the documents of one segment that a question meets, in their order, and no further than needed.

use crate::columns::{Columns, KeptColumns};
use crate::document::Place;
use crate::search::Page;
use tantivy::query::Weight;
use tantivy::{DocId, SegmentReader, TERMINATED};

/// What one segment, or several, have for a page.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// In order; never more than the page takes.
    pub(crate) rows: Vec<Place>,
    /// Documents that were counted.
    pub(crate) count: u64,
}

/// Reads a segment from where the page begins until it is full and enough is counted.
pub(crate) fn walk(
    weight: &dyn Weight,
    segment: &SegmentReader,
    kept: &KeptColumns,
    page: &Page,
) -> tantivy::Result<Found> {
    let mut documents = weight.scorer(segment, 1.0)?;
    let mut document = documents.doc();
    if document == TERMINATED {
        return Ok(Found::default());
    }
    let columns = kept.of(segment)?;
    let alive = segment.alive_bitset();
    if let Some(after) = page.after {
        let first = columns.first_of_order(after.order);
        if document < first {
            document = if first < segment.max_doc() { documents.seek(first) } else { TERMINATED };
        }
    }
    let mut found = Found::default();
    let mut is_full = false;
    while document != TERMINATED {
        if alive.is_none_or(|alive| alive.is_alive(document)) {
            found.count += 1;
            if !is_full {
                is_full = !take(&columns, document, page, &mut found.rows);
            }
            if is_full && found.count >= page.count_to {
                break;
            }
        }
        document = documents.advance();
    }
    found.rows.sort_unstable();
    found.rows.truncate(page.limit);
    Ok(found)
}

/// Adds a document to the page if it belongs to it; false when the page is full. Documents of one order stand in no order of
/// their own, so all of them are taken along.
fn take(columns: &Columns, document: DocId, page: &Page, rows: &mut Vec<Place>) -> bool {
    let last = page.limit.checked_sub(1).and_then(|last| rows.get(last));
    let order = columns.order.get_val(document);
    if page.limit == 0 || last.is_some_and(|last| order < last.order) {
        return false;
    }
    let place = columns.place(document);
    let is_unchanged = page.unchanged_since.is_none_or(|seq| columns.seq.get_val(document) <= seq);
    if is_unchanged && page.after.is_none_or(|after| place > after) {
        rows.push(place);
    }
    true
}
