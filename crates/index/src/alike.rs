//! Documents that have much of what is sought: each thing they have counts by its weight, the heaviest come first.
//!
//! Unlike a search this cannot end when a page is full, so that what it may read is bounded: what few documents have tells
//! most, is read first, and what is too common to be read as well is left out.

use crate::document::{Place, Term, Text};
use crate::error::IndexError;
use crate::partition::Partition;
use crate::question::{Clause, Question};
use crate::schema::Fields;
use crate::search::{Index, Page};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tantivy::postings::SegmentPostings;
use tantivy::query::{EnableScoring, Scorer};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, SegmentReader};
use uuid::Uuid;

/// So many documents are weighed at once: their sums stay in the processor's cache.
const WINDOW: u16 = 1 << 14;

/// One thing that a document may have. Values and words are written as documents have them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    Value(Term, String),
    Word(Text, String),
}

impl Feature {
    fn term(&self, fields: &Fields) -> tantivy::Term {
        match self {
            Self::Value(term, value) => fields.value(*term, value),
            Self::Word(text, word) => fields.word(*text, word),
        }
    }

    fn clause(&self) -> Clause {
        match self {
            Self::Value(term, value) => Clause::OneOf(*term, vec![value.clone()]),
            Self::Word(text, word) => Clause::Words(*text, word.clone()),
        }
    }
}

/// What is sought.
#[derive(Debug, Clone)]
pub struct Sought {
    /// Each once, with what having it is worth.
    pub features: Vec<(Feature, u32)>,
    /// What every candidate must meet, and who asks.
    pub question: Question,
    pub limit: usize,
    /// Entries of the index that may be read.
    pub postings_max: u64,
}

/// A document, and what it has of what is sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    pub weight: u32,
    pub id: Uuid,
}

/// How many documents there are, and how many of them have each of several features, give or take those deleted a moment ago.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commonness {
    pub documents: u64,
    pub counts: Vec<u64>,
}

impl Index {
    pub fn commonness<'a>(
        &self,
        features: impl IntoIterator<Item = &'a Feature>,
    ) -> Result<Commonness, IndexError> {
        let searchers: Vec<_> =
            self.partitions.iter().map(|one| (one.fields.clone(), one.searcher())).collect();
        let count = |feature: &Feature| -> Result<u64, IndexError> {
            let each = searchers.iter().map(|(fields, searcher)| searcher.doc_freq(&feature.term(fields)));
            Ok(each.sum::<tantivy::Result<u64>>()?)
        };
        let counts = features.into_iter().map(count).collect::<Result<Vec<u64>, IndexError>>()?;
        Ok(Commonness { documents: searchers.iter().map(|(_, searcher)| searcher.num_docs()).sum(), counts })
    }

    /// The heaviest documents, of equal ones those that stand first.
    pub fn alike(&self, sought: &Sought) -> Result<Vec<Candidate>, IndexError> {
        let Commonness { counts, .. } =
            self.commonness(sought.features.iter().map(|(feature, _)| feature))?;
        let mut features: Vec<(u64, &Feature, u32)> = sought
            .features
            .iter()
            .zip(counts)
            .filter(|((_, weight), count)| *weight > 0 && *count > 0)
            .map(|((feature, weight), count)| (count, feature, *weight))
            .collect();
        features.sort_unstable();
        let Some((rarest, feature, weight)) = features.first().copied() else { return Ok(Vec::new()) };
        if rarest > sought.postings_max {
            return self.first_with(feature, weight, sought);
        }
        let mut left = sought.postings_max;
        let read: Vec<(&Feature, u32)> = features
            .into_iter()
            .map_while(|(count, feature, weight)| {
                left = left.checked_sub(count)?;
                Some((feature, weight))
            })
            .collect();
        let each = self.threads.install(|| {
            let found = self.partitions.par_iter().map(|one| one.alike(&read, sought));
            found.collect::<Result<Vec<_>, _>>()
        })?;
        let mut found: Vec<(Reverse<u32>, Place)> = each.into_iter().flatten().collect();
        found.sort_unstable();
        found.truncate(sought.limit);
        Ok(found.into_iter().map(|(Reverse(weight), place)| Candidate { weight, id: place.id }).collect())
    }

    /// Where even the rarest feature is too common to be read to its end, the first who have it are as good as any.
    fn first_with(
        &self,
        feature: &Feature,
        weight: u32,
        sought: &Sought,
    ) -> Result<Vec<Candidate>, IndexError> {
        let mut question = sought.question.clone();
        question.all.push(feature.clause());
        let page = Page { after: None, limit: sought.limit, count_to: 0, unchanged_since: None };
        let rows = self.search(&question, &page)?.rows;
        Ok(rows.into_iter().map(|place| Candidate { weight, id: place.id }).collect())
    }
}

impl Partition {
    fn alike(
        &self,
        features: &[(&Feature, u32)],
        sought: &Sought,
    ) -> Result<Vec<(Reverse<u32>, Place)>, IndexError> {
        let searcher = self.searcher();
        let query = sought.question.query(&self.fields, &self.kept);
        let weight = query.weight(EnableScoring::disabled_from_searcher(&searcher))?;
        let terms: Vec<(tantivy::Term, u32)> =
            features.iter().map(|(feature, weight)| (feature.term(&self.fields), *weight)).collect();
        let mut found = Vec::new();
        for segment in searcher.segment_readers() {
            let mut scales = Scales {
                segment,
                allowed: weight.scorer(segment, 1.0)?,
                best: BinaryHeap::new(),
                limit: sought.limit,
            };
            scales.weigh(&terms)?;
            let columns = self.columns.of(segment)?;
            let best = scales.best.into_iter();
            found.extend(best.map(|Reverse((weight, Reverse(at)))| (Reverse(weight), columns.place(at))));
        }
        Ok(found)
    }
}

/// Weighs the documents of one segment.
struct Scales<'a> {
    segment: &'a SegmentReader,
    /// The documents that meet the question, read as far as the best have come.
    allowed: Box<dyn Scorer>,
    /// The heaviest so far, the lightest of them on top.
    best: BinaryHeap<Reverse<(u32, Reverse<DocId>)>>,
    limit: usize,
}

impl Scales<'_> {
    fn weigh(&mut self, terms: &[(tantivy::Term, u32)]) -> Result<(), IndexError> {
        let mut postings: Vec<(SegmentPostings, u32)> = Vec::new();
        for (term, weight) in terms {
            let found = self
                .segment
                .inverted_index(term.field())?
                .read_postings(term, IndexRecordOption::Basic)
                .map_err(tantivy::TantivyError::from)?;
            postings.extend(found.map(|found| (found, *weight)));
        }
        let mut sums = vec![0_u32; usize::from(WINDOW)];
        loop {
            let first = postings.iter().map(|(postings, _)| postings.doc()).min();
            let Some(first) = first.filter(|first| *first < self.segment.max_doc()) else { return Ok(()) };
            for (postings, weight) in &mut postings {
                add(postings, *weight, first, &mut sums);
            }
            for (document, sum) in (first..).zip(&mut sums) {
                let weight = std::mem::take(sum);
                if weight > 0 {
                    self.take(document, weight);
                }
            }
        }
    }

    /// Documents come in their order: a later one has to be heavier to take an earlier one's place.
    fn take(&mut self, document: DocId, weight: u32) {
        let is_full = self.best.len() >= self.limit;
        let lightest = self.best.peek().map_or(0, |Reverse((weight, _))| *weight);
        if is_full && weight <= lightest {
            return;
        }
        let is_alive = self.segment.alive_bitset().is_none_or(|alive| alive.is_alive(document));
        if !is_alive || !self.is_allowed(document) {
            return;
        }
        if is_full {
            self.best.pop();
        }
        if self.best.len() < self.limit {
            self.best.push(Reverse((weight, Reverse(document))));
        }
    }

    fn is_allowed(&mut self, document: DocId) -> bool {
        let next = self.allowed.doc();
        let next = if next < document { self.allowed.seek(document) } else { next };
        next == document
    }
}

/// Adds a weight to each document of a window that has what it is given for.
fn add(postings: &mut SegmentPostings, weight: u32, first: DocId, sums: &mut [u32]) {
    loop {
        let offset = postings.doc().saturating_sub(first);
        let place = usize::try_from(offset).ok().and_then(|offset| sums.get_mut(offset));
        let Some(sum) = place else { return };
        *sum = sum.saturating_add(weight);
        postings.advance();
    }
}
