//! Terms that many documents have, asked for together: their documents as bits, one for each place in a segment.
//!
//! Lists of documents are walked by seeking, and ten times as many documents are ten times as many seeks. The few terms that many
//! documents have (a rank, a country, a size) are kept as bits instead: several are put together 64 documents at a time, and
//! whoever walks a short list looks at a bit. Segments never change, so what is kept of one stays true.

use assay_domain::limits::{INDEX_BITS_BYTES_MAX, INDEX_BITS_DOCUMENTS_MIN, INDEX_BITS_SHARE};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use tantivy::index::SegmentId;
use tantivy::query::{
    ConstScorer, EmptyScorer, EnableScoring, Explanation, Query, Scorer, TermQuery, Weight, intersect_scorers,
};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, Score, SeekDangerResult, SegmentReader, TERMINATED, TantivyError, Term};

const WORD_BITS: u32 = u64::BITS;

/// One bit for each document of a segment, and how many of them are set.
#[derive(Clone)]
struct Bits {
    words: Arc<[u64]>,
    count: u32,
}

/// The bits that were asked for, as far as they have room.
pub(crate) struct KeptBits {
    /// Segments with fewer documents are walked.
    documents_min: u32,
    /// Terms that fewer than one of so many documents has are walked.
    share: u32,
    kept: Mutex<Kept>,
}

impl Default for KeptBits {
    fn default() -> Self {
        Self { documents_min: INDEX_BITS_DOCUMENTS_MIN, share: INDEX_BITS_SHARE, kept: Mutex::default() }
    }
}

#[derive(Default)]
struct Kept {
    bits: HashMap<(SegmentId, Term), Bits>,
    bytes: usize,
}

impl fmt::Debug for KeptBits {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        write!(out, "KeptBits({} of {} bytes)", kept.bits.len(), kept.bytes)
    }
}

impl KeptBits {
    fn get(&self, key: &(SegmentId, Term)) -> Option<Bits> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).bits.get(key).cloned()
    }

    /// Without room all is forgotten, segments that are gone among it; what is asked for is soon there again.
    fn keep(&self, key: (SegmentId, Term), bits: &Bits) {
        let bytes = size_of_val(&*bits.words);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.bytes.saturating_add(bytes) > INDEX_BITS_BYTES_MAX {
            *kept = Kept::default();
        }
        if kept.bits.insert(key, bits.clone()).is_none() {
            kept.bytes = kept.bytes.saturating_add(bytes);
        }
    }
}

/// Documents that have all of these terms.
#[derive(Debug, Clone)]
pub(crate) struct AllTerms {
    pub(crate) terms: Vec<Term>,
    pub(crate) kept: Arc<KeptBits>,
}

impl Query for AllTerms {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        let parts = self.terms.iter().map(|term| {
            let query = TermQuery::new(term.clone(), IndexRecordOption::Basic);
            Ok((term.clone(), query.weight(scoring)?))
        });
        Ok(Box::new(AllTermsWeight {
            parts: parts.collect::<tantivy::Result<_>>()?,
            kept: Arc::clone(&self.kept),
        }))
    }
}

struct AllTermsWeight {
    parts: Vec<(Term, Box<dyn Weight>)>,
    kept: Arc<KeptBits>,
}

impl Weight for AllTermsWeight {
    fn scorer(&self, segment: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let mut common: Vec<Bits> = Vec::new();
        let mut scorers: Vec<Box<dyn Scorer>> = Vec::new();
        for (term, weight) in &self.parts {
            match self.bits_of(term, segment)? {
                Some(bits) => common.push(bits),
                None => scorers.push(weight.scorer(segment, boost)?),
            }
        }
        if !common.is_empty() {
            scorers.push(Box::new(ConstScorer::new(BitDocuments::of(common), boost)));
        }
        if scorers.is_empty() {
            return Ok(Box::new(EmptyScorer));
        }
        Ok(intersect_scorers(scorers, segment.max_doc()))
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Err(TantivyError::InvalidArgument("terms that are asked for together have no score".to_owned()))
    }
}

impl AllTermsWeight {
    /// None for a term that few documents have, and in small segments, where seeking costs nothing.
    fn bits_of(&self, term: &Term, segment: &SegmentReader) -> tantivy::Result<Option<Bits>> {
        let documents = segment.max_doc();
        if documents < self.kept.documents_min {
            return Ok(None);
        }
        let key = (segment.segment_id(), term.clone());
        if let Some(bits) = self.kept.get(&key) {
            return Ok(Some(bits));
        }
        let list = segment.inverted_index(term.field())?;
        let Some(info) =
            list.get_term_info(term)?.filter(|info| info.doc_freq >= documents / self.kept.share)
        else {
            return Ok(None);
        };
        let mut words = vec![0_u64; place(documents).0.saturating_add(1)];
        let mut postings = list.read_postings_from_terminfo(&info, IndexRecordOption::Basic)?;
        while postings.doc() != TERMINATED {
            let (at, bit) = place(postings.doc());
            if let Some(word) = words.get_mut(at) {
                *word |= bit;
            }
            postings.advance();
        }
        let bits = Bits { words: words.into(), count: info.doc_freq };
        self.kept.keep(key, &bits);
        Ok(Some(bits))
    }
}

/// The word of a document, and its bit in there.
fn place(document: DocId) -> (usize, u64) {
    (usize::try_from(document / WORD_BITS).unwrap_or(usize::MAX), 1_u64 << (document % WORD_BITS))
}

/// Walks the documents whose bits are set in all. They are put together word by word as they are walked, so that whoever has a
/// short list beside them pays for no more than is on it.
struct BitDocuments {
    all: Vec<Bits>,
    at: DocId,
}

impl BitDocuments {
    fn of(all: Vec<Bits>) -> Self {
        let mut documents = Self { all, at: 0 };
        documents.at = documents.first_from(0);
        documents
    }

    /// None behind the last one.
    fn word(&self, at: usize) -> Option<u64> {
        self.all.iter().try_fold(u64::MAX, |word, bits| Some(word & bits.words.get(at)?))
    }

    fn first_from(&self, document: DocId) -> DocId {
        let (mut at, bit) = place(document);
        // Bits below the document's own are of those before it.
        let mut mask = !(bit - 1);
        while let Some(word) = self.word(at) {
            let left = word & mask;
            if left != 0 {
                let base = u32::try_from(at).unwrap_or(0).saturating_mul(WORD_BITS);
                return base.saturating_add(left.trailing_zeros());
            }
            mask = u64::MAX;
            at += 1;
        }
        TERMINATED
    }
}

impl DocSet for BitDocuments {
    fn advance(&mut self) -> DocId {
        if self.at != TERMINATED {
            self.at = self.first_from(self.at + 1);
        }
        self.at
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if target > self.at {
            self.at = self.first_from(target);
        }
        self.at
    }

    fn seek_danger(&mut self, target: DocId) -> SeekDangerResult {
        let (at, bit) = place(target);
        if self.word(at).is_some_and(|word| word & bit != 0) {
            self.at = target;
            return SeekDangerResult::Found;
        }
        // Where the next one is, whoever asks finds out with the next place.
        SeekDangerResult::SeekLowerBound(target.saturating_add(1).min(TERMINATED))
    }

    fn doc(&self) -> DocId {
        self.at
    }

    fn size_hint(&self) -> u32 {
        self.all.iter().map(|bits| bits.count).min().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
