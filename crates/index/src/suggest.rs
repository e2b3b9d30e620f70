//! The values of a field that begin like a text, the commonest first, as far as whoever asks may see who has them.

use crate::document::Term;
use crate::error::IndexError;
use crate::question::{Asker, Clause, Question};
use crate::schema::{ANY_OWNER, value_key};
use crate::search::{Index, Page};
use assay_domain::limits::SEARCH_COUNTED_MAX;
use std::collections::BTreeMap;

/// Values looked at for one text, in each segment: a single letter begins far more than anybody reads.
const VALUES_LOOKED_AT: usize = 5_000;
/// So many values are looked at for each that is wanted: some are another account's, or nobody's any more.
const LOOKED_AT_FOR_EACH: usize = 2;

/// A value, and how many documents have it; of common ones give or take those deleted a moment ago.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    pub value: String,
    pub count: u64,
}

impl Index {
    pub fn suggest(
        &self,
        field: Term,
        beginning: &str,
        asker: Asker,
        limit: usize,
    ) -> Result<Vec<Suggestion>, IndexError> {
        let mut seen = Vec::new();
        for suggestion in self.commonest(field, beginning, limit.saturating_mul(LOOKED_AT_FOR_EACH))? {
            seen.extend(self.as_seen(field, suggestion, asker)?);
            if seen.len() == limit {
                break;
            }
        }
        Ok(seen)
    }

    /// The dictionary has the values of documents that only one account may see, and of some that are gone: each value is
    /// asked for again as a question, which tells neither. What is common is counted only so far; from the dictionary's count
    /// what others have is taken.
    fn as_seen(
        &self,
        field: Term,
        Suggestion { value, count }: Suggestion,
        asker: Asker,
    ) -> Result<Option<Suggestion>, IndexError> {
        let has_it = Clause::OneOf(field, vec![value.clone()]);
        let question = Question { all: vec![has_it.clone()], none: Vec::new(), asker };
        let page = Page { after: None, limit: 0, count_to: SEARCH_COUNTED_MAX, unchanged_since: None };
        let counted = self.search(&question, &page)?.counted;
        if counted < SEARCH_COUNTED_MAX {
            return Ok((counted > 0).then_some(Suggestion { value, count: counted }));
        }
        let owned = Clause::OneOf(Term::Owner, vec![ANY_OWNER.to_owned()]);
        let mine = match asker {
            Asker::Account(account) => vec![Clause::OneOf(Term::Owner, vec![account.to_string()])],
            Asker::Anybody | Asker::Keeper => Vec::new(),
        };
        let hidden = match asker {
            Asker::Keeper => 0,
            _ => self.count(&Question { all: vec![has_it, owned], none: mine, asker: Asker::Keeper })?,
        };
        Ok(Some(Suggestion { value, count: count.saturating_sub(hidden).max(counted) }))
    }

    /// What the dictionary has, whoever it belongs to.
    fn commonest(&self, field: Term, beginning: &str, limit: usize) -> Result<Vec<Suggestion>, IndexError> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let (all, begun) = (value_key(field, ""), value_key(field, beginning));
        for partition in &self.partitions {
            for segment in partition.searcher().segment_readers() {
                let values = segment.inverted_index(partition.fields.terms)?;
                let mut stream = values.terms().range().ge(&begun).into_stream()?;
                for _ in 0..VALUES_LOOKED_AT {
                    if !stream.advance() || !stream.key().starts_with(&begun) {
                        break;
                    }
                    let value = stream.key().get(all.len()..).unwrap_or_default();
                    *counts.entry(String::from_utf8_lossy(value).into_owned()).or_default() +=
                        u64::from(stream.value().doc_freq);
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
