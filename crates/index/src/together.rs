//! Terms that many documents have, asked for together, a few thousand places of a segment at a time.
//!
//! Lists of documents are walked by seeking, and ten times as many documents are ten times as many seeks. The terms that many
//! documents have (a rank, a country, a skill) are kept instead, as a bit for each place or as a plain list, whichever takes less
//! room: several are put together 64 documents at a time, and whoever walks a short list looks for each of it (`sifted.rs`).
//! Segments never change, so what is kept of one stays true.

use crate::sifted::{Listed, Sifted};
use assay_domain::limits::{INDEX_COMMON_BYTES_MAX, INDEX_COMMON_DOCUMENTS_MIN, INDEX_COMMON_SHARE};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use tantivy::index::SegmentId;
use tantivy::postings::SegmentPostings;
use tantivy::query::{
    ConstScorer, EmptyScorer, EnableScoring, Explanation, Query, Scorer, Weight, intersect_scorers,
};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, Score, SeekDangerResult, SegmentReader, TERMINATED, TantivyError, Term};

const WORD_BITS: u32 = u64::BITS;
/// So many words are put together at a time, which a processor does several at once.
const BLOCK_WORDS: usize = 64;

/// The documents of a segment that have a term.
#[derive(Clone)]
pub(crate) enum Common {
    /// A bit for each document of the segment, and how many of them are set.
    Bits(Arc<[u64]>, u32),
    /// In their order.
    List(Arc<[DocId]>),
}

impl Common {
    fn read(mut postings: SegmentPostings, documents: DocId, count: u32) -> Self {
        let words = place(documents).0.saturating_add(1);
        let listed = usize::try_from(count).unwrap_or(usize::MAX);
        if listed.saturating_mul(size_of::<DocId>()) < words.saturating_mul(size_of::<u64>()) {
            let mut list = Vec::with_capacity(listed);
            while postings.doc() != TERMINATED {
                list.push(postings.doc());
                postings.advance();
            }
            return Self::List(list.into());
        }
        let mut bits = vec![0_u64; words];
        while postings.doc() != TERMINATED {
            let (at, bit) = place(postings.doc());
            if let Some(word) = bits.get_mut(at) {
                *word |= bit;
            }
            postings.advance();
        }
        Self::Bits(bits.into(), count)
    }

    fn count(&self) -> u32 {
        match self {
            Self::Bits(_, count) => *count,
            Self::List(list) => u32::try_from(list.len()).unwrap_or(u32::MAX),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Bits(bits, _) => size_of_val(&**bits),
            Self::List(list) => size_of_val(&**list),
        }
    }
}

/// Common terms that were asked for, as far as they have room.
pub(crate) struct KeptTerms {
    /// Segments with fewer documents are walked.
    documents_min: u32,
    /// Terms that fewer than one of so many documents has are walked.
    share: u32,
    kept: Mutex<Kept>,
}

impl Default for KeptTerms {
    fn default() -> Self {
        Self { documents_min: INDEX_COMMON_DOCUMENTS_MIN, share: INDEX_COMMON_SHARE, kept: Mutex::default() }
    }
}

#[derive(Default)]
struct Kept {
    terms: HashMap<(SegmentId, Term), Common>,
    bytes: usize,
}

impl fmt::Debug for KeptTerms {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        write!(out, "KeptTerms({} of {} bytes)", kept.terms.len(), kept.bytes)
    }
}

impl KeptTerms {
    fn get(&self, key: &(SegmentId, Term)) -> Option<Common> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).terms.get(key).cloned()
    }

    /// Forgets all other segments.
    pub(crate) fn retain(&self, segments: &HashSet<SegmentId>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.terms.retain(|(segment, _), _| segments.contains(segment));
        kept.bytes = kept.terms.values().map(Common::bytes).sum();
    }

    /// Without room all is forgotten; what is asked for is soon there again.
    fn keep(&self, key: (SegmentId, Term), common: &Common) {
        let bytes = common.bytes();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.bytes.saturating_add(bytes) > INDEX_COMMON_BYTES_MAX {
            *kept = Kept::default();
        }
        if kept.terms.insert(key, common.clone()).is_none() {
            kept.bytes = kept.bytes.saturating_add(bytes);
        }
    }
}

/// Documents that have all of these terms.
#[derive(Debug, Clone)]
pub(crate) struct AllTerms {
    pub(crate) terms: Vec<Term>,
    pub(crate) kept: Arc<KeptTerms>,
}

impl Query for AllTerms {
    fn weight(&self, _: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(AllTermsWeight(self.clone())))
    }
}

struct AllTermsWeight(AllTerms);

/// The documents of a segment that have a term, and how they are asked for.
enum Having {
    Kept(Common),
    /// Few have it, or the segment is small.
    Walked(Box<dyn Scorer>),
    Nobody,
}

impl Weight for AllTermsWeight {
    fn scorer(&self, segment: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let mut common: Vec<Common> = Vec::new();
        let mut walked: Vec<Box<dyn Scorer>> = Vec::new();
        for term in &self.0.terms {
            match self.0.kept.having(term, segment, boost)? {
                Having::Kept(documents) => common.push(documents),
                Having::Walked(documents) => walked.push(documents),
                Having::Nobody => return Ok(Box::new(EmptyScorer)),
            }
        }
        if walked.is_empty() && common.is_empty() {
            return Ok(Box::new(EmptyScorer));
        }
        if walked.is_empty() {
            return Ok(put_together(common, boost));
        }
        let walked = intersect_scorers(walked, segment.max_doc());
        if common.is_empty() {
            return Ok(walked);
        }
        Ok(Box::new(ConstScorer::new(Sifted::of(walked, common), boost)))
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Err(TantivyError::InvalidArgument("terms that are asked for together have no score".to_owned()))
    }
}

/// The rarest is walked where it is a list; where it is not, none is, since lists are of what fewer documents have.
fn put_together(mut all: Vec<Common>, boost: Score) -> Box<dyn Scorer> {
    all.sort_unstable_by_key(Common::count);
    if let Some(Common::List(rarest)) = all.first() {
        let rarest = Listed::of(Arc::clone(rarest));
        all.remove(0);
        return Box::new(ConstScorer::new(Sifted::of(rarest, all), boost));
    }
    let bits = all.into_iter().filter_map(|common| match common {
        Common::Bits(bits, count) => Some((bits, count)),
        Common::List(_) => None,
    });
    Box::new(ConstScorer::new(Together::of(bits.collect()), boost))
}

impl KeptTerms {
    fn having(&self, term: &Term, segment: &SegmentReader, boost: Score) -> tantivy::Result<Having> {
        let documents = segment.max_doc();
        let is_large = documents >= self.documents_min;
        let key = (segment.segment_id(), term.clone());
        if is_large && let Some(common) = self.get(&key) {
            return Ok(Having::Kept(common));
        }
        let list = segment.inverted_index(term.field())?;
        let Some(info) = list.get_term_info(term)? else { return Ok(Having::Nobody) };
        let postings = list.read_postings_from_terminfo(&info, IndexRecordOption::Basic)?;
        if !is_large || info.doc_freq < documents / self.share {
            return Ok(Having::Walked(Box::new(ConstScorer::new(postings, boost))));
        }
        let common = Common::read(postings, documents, info.doc_freq);
        self.keep(key, &common);
        Ok(Having::Kept(common))
    }
}

/// The word of a document, and its bit in there.
pub(crate) fn place(document: DocId) -> (usize, u64) {
    (usize::try_from(document / WORD_BITS).unwrap_or(usize::MAX), 1_u64 << (document % WORD_BITS))
}

/// Walks the documents that have all of several terms, whose bits are put together block by block.
struct Together {
    /// The rarest first, with how many have it.
    all: Vec<(Arc<[u64]>, u32)>,
    at: DocId,
    /// The words from `block_at` on; all zero behind the last document.
    block: [u64; BLOCK_WORDS],
    block_at: usize,
    words: usize,
}

impl Together {
    fn of(all: Vec<(Arc<[u64]>, u32)>) -> Self {
        let words = all.first().map_or(0, |(bits, _)| bits.len());
        let mut documents = Self { all, at: 0, block: [0; BLOCK_WORDS], block_at: 0, words };
        documents.put_together(0);
        documents.at = documents.first_from(0);
        documents
    }

    fn put_together(&mut self, block_at: usize) {
        self.block_at = block_at;
        self.block.fill(0);
        let left = self.words.saturating_sub(block_at);
        let Some(block) = self.block.get_mut(..left.min(BLOCK_WORDS)) else { return };
        block.fill(u64::MAX);
        for (bits, _) in &self.all {
            let bits = bits.get(block_at..).unwrap_or_default();
            let left = block.iter_mut().zip(bits).fold(0, |left, (word, other)| {
                *word &= other;
                left | *word
            });
            if left == 0 {
                return;
            }
        }
    }

    /// The word at a place, put together with those around it.
    fn word(&mut self, at: usize) -> u64 {
        let block_at = at - at % BLOCK_WORDS;
        if block_at != self.block_at {
            self.put_together(block_at);
        }
        self.block.get(at - block_at).copied().unwrap_or_default()
    }

    fn first_from(&mut self, document: DocId) -> DocId {
        let (mut at, bit) = place(document);
        // Bits below the document's own are of those before it.
        let mut mask = !(bit - 1);
        while at < self.words {
            let left = self.word(at) & mask;
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

impl DocSet for Together {
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
        if at < self.words && self.word(at) & bit != 0 {
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
        self.all.first().map_or(0, |(_, count)| *count)
    }
}

#[cfg(test)]
mod tests;
