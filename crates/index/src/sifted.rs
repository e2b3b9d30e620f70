//! A short list of documents, of which those are left that have all of several common terms.
//!
//! Whoever is on the list is looked for in each term by itself, a bit or an entry: to put the terms together around them would be
//! to read thousands of documents for one.

use crate::together::{Common, place};
use std::sync::Arc;
use tantivy::{DocId, DocSet, TERMINATED};

/// Walks the list.
pub(crate) struct Sifted<W> {
    walked: W,
    sieves: Vec<Sieve>,
}

impl<W: DocSet> Sifted<W> {
    pub(crate) fn of(walked: W, common: Vec<Common>) -> Self {
        let sieves = common.into_iter().map(|common| Sieve { common, from: 0 }).collect();
        let mut documents = Self { walked, sieves };
        let first = documents.walked.doc();
        documents.first_from(first);
        documents
    }

    /// The first of the list that has all, where the list stands at this document.
    fn first_from(&mut self, mut document: DocId) -> DocId {
        while document != TERMINATED && !self.sieves.iter_mut().all(|sieve| sieve.lets_through(document)) {
            document = self.walked.advance();
        }
        document
    }
}

impl<W: DocSet> DocSet for Sifted<W> {
    fn advance(&mut self) -> DocId {
        let next = self.walked.advance();
        self.first_from(next)
    }

    fn seek(&mut self, target: DocId) -> DocId {
        let next = self.walked.seek(target);
        self.first_from(next)
    }

    fn doc(&self) -> DocId {
        self.walked.doc()
    }

    fn size_hint(&self) -> u32 {
        self.walked.size_hint()
    }

    fn cost(&self) -> u64 {
        self.walked.cost()
    }
}

/// Walks a list that is kept.
pub(crate) struct Listed {
    list: Arc<[DocId]>,
    at: usize,
}

impl Listed {
    pub(crate) fn of(list: Arc<[DocId]>) -> Self {
        Self { list, at: 0 }
    }
}

impl DocSet for Listed {
    fn advance(&mut self) -> DocId {
        self.at += 1;
        self.doc()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.at = first_not_before(&self.list, self.at, target);
        self.doc()
    }

    fn doc(&self) -> DocId {
        self.list.get(self.at).copied().unwrap_or(TERMINATED)
    }

    fn size_hint(&self) -> u32 {
        u32::try_from(self.list.len()).unwrap_or(u32::MAX)
    }
}

/// A term, asked for one document after the other in their order.
struct Sieve {
    common: Common,
    /// Entries of a list before this one are of documents that were asked for, or passed.
    from: usize,
}

impl Sieve {
    fn lets_through(&mut self, document: DocId) -> bool {
        match &self.common {
            Common::Bits(bits, _) => {
                let (at, bit) = place(document);
                bits.get(at).is_some_and(|word| word & bit != 0)
            }
            Common::List(list) => {
                self.from = first_not_before(list, self.from, document);
                list.get(self.from) == Some(&document)
            }
        }
    }
}

/// Looks from a place on in steps that double: the next one asked for is seldom far.
fn first_not_before(list: &[DocId], from: usize, document: DocId) -> usize {
    let (mut low, mut high, mut step) = (from, from, 1_usize);
    while list.get(high).is_some_and(|entry| *entry < document) {
        low = high + 1;
        high = high.saturating_add(step);
        step = step.saturating_mul(2);
    }
    let between = list.get(low..high.min(list.len())).unwrap_or_default();
    low + between.partition_point(|entry| *entry < document)
}

#[cfg(test)]
mod tests {
    use super::first_not_before;

    #[test]
    fn an_entry_is_found_from_any_place_before_it() {
        let list: Vec<u32> = (0..200).map(|number| number * 3).collect();
        for document in 0..620 {
            let expected = list.partition_point(|entry| *entry < document);
            for from in 0..=expected {
                assert_eq!(first_not_before(&list, from, document), expected, "{document} from {from}");
            }
        }
        assert_eq!(first_not_before(&[], 0, 7), 0);
    }
}
