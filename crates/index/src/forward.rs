//! Ranges that are asked for places they are past. An intersection inside an exclusion, or inside another intersection, has
//! moved its parts ahead before it is asked for an earlier document; Tantivy's range then reckons with a negative distance,
//! which is a panic where overflow is checked. It is past that place because nothing before met the whole intersection, so
//! that the answer is known without asking the range.

use std::fmt;
use tantivy::query::{EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{DocId, DocSet, Score, SeekDangerResult, SegmentReader};

/// The same documents as a query has, asked for in their order only.
#[derive(Debug)]
pub struct Forward(pub Box<dyn Query>);

impl Clone for Forward {
    fn clone(&self) -> Self {
        Self(self.0.box_clone())
    }
}

impl Query for Forward {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(ForwardWeight(self.0.weight(scoring)?)))
    }
}

struct ForwardWeight(Box<dyn Weight>);

impl Weight for ForwardWeight {
    fn scorer(&self, segment: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        Ok(Box::new(ForwardScorer { inner: self.0.scorer(segment, boost)?, asked: 0 }))
    }

    fn explain(&self, segment: &SegmentReader, document: DocId) -> tantivy::Result<Explanation> {
        self.0.explain(segment, document)
    }
}

struct ForwardScorer {
    inner: Box<dyn Scorer>,
    /// The last place that was asked for.
    asked: DocId,
}

impl fmt::Debug for ForwardScorer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ForwardScorer(at {})", self.asked)
    }
}

impl DocSet for ForwardScorer {
    fn advance(&mut self) -> DocId {
        self.inner.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.asked = self.asked.max(target);
        self.inner.seek(target)
    }

    fn seek_danger(&mut self, target: DocId) -> SeekDangerResult {
        if target < self.asked {
            return SeekDangerResult::SeekLowerBound(self.asked);
        }
        self.asked = target;
        self.inner.seek_danger(target)
    }

    fn doc(&self) -> DocId {
        self.inner.doc()
    }

    fn size_hint(&self) -> u32 {
        self.inner.size_hint()
    }

    fn cost(&self) -> u64 {
        self.inner.cost()
    }
}

impl Scorer for ForwardScorer {
    fn score(&mut self) -> Score {
        self.inner.score()
    }
}
