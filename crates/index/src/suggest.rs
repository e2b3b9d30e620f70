//! The values of a field that begin like a text, the commonest first.

use crate::document::Term;
use crate::error::IndexError;
use crate::search::Index;
use std::collections::BTreeMap;

/// Values looked at for one text, in each segment: a single letter begins far more than anybody reads.
const VALUES_LOOKED_AT: usize = 5_000;

/// A value, and how many documents have it, give or take those deleted a moment ago.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    pub value: String,
    pub count: u64,
}

impl Index {
    pub fn suggest(&self, field: Term, beginning: &str, limit: usize) -> Result<Vec<Suggestion>, IndexError> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for partition in &self.partitions {
            for segment in partition.searcher().segment_readers() {
                let values = segment.inverted_index(partition.fields.term(field))?;
                let mut stream = values.terms().range().ge(beginning.as_bytes()).into_stream()?;
                for _ in 0..VALUES_LOOKED_AT {
                    if !stream.advance() || !stream.key().starts_with(beginning.as_bytes()) {
                        break;
                    }
                    let value = String::from_utf8_lossy(stream.key()).into_owned();
                    *counts.entry(value).or_default() += u64::from(stream.value().doc_freq);
                }
            }
        }
        let mut suggestions: Vec<Suggestion> =
            counts.into_iter().map(|(value, count)| Suggestion { value, count }).collect();
        // Of equally common ones the first in the alphabet: the map has them in its order, and this keeps it.
        suggestions.sort_by_key(|suggestion| std::cmp::Reverse(suggestion.count));
        suggestions.truncate(limit);
        Ok(suggestions)
    }
}
