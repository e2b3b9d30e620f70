//! A question: what a document must have, and what it must not.

use crate::document::{Number, Term, Text};
use crate::forward::Forward;
use crate::schema::{self, ANY_OWNER, Fields};
use crate::together::{AllTerms, KeptTerms};
use std::ops::Bound;
use std::sync::Arc;
use tantivy::query::{AllQuery, BooleanQuery, EmptyQuery, ExistsQuery, Occur, Query, RangeQuery, TermQuery};
use tantivy::schema::IndexRecordOption;
use uuid::Uuid;

/// One condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clause {
    /// Has one of these values.
    OneOf(Term, Vec<String>),
    /// Has every word of this text.
    Words(Text, String),
    /// Has a number from the first to the second, both included.
    Between(Number, Option<i64>, Option<i64>),
    /// Meets one of these; nothing meets none.
    Any(Vec<Clause>),
    /// Meets all of these; everything meets none.
    All(Vec<Clause>),
}

/// Who asks: what one account alone may see is shown to nobody else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Asker {
    #[default]
    Anybody,
    Account(Uuid),
    /// Whoever keeps the index, and sees all of it.
    Keeper,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Question {
    pub all: Vec<Clause>,
    pub none: Vec<Clause>,
    pub asker: Asker,
}

impl Question {
    /// `kept` is of the partition that is asked.
    pub(crate) fn query(&self, fields: &Fields, kept: &Arc<KeptTerms>) -> Box<dyn Query> {
        let mut terms = Vec::new();
        let mut parts: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        for clause in &self.all {
            clause.gather(fields, &mut terms, &mut parts);
        }
        if !terms.is_empty() {
            parts.push((Occur::Must, Box::new(AllTerms { terms, kept: Arc::clone(kept) })));
        }
        if parts.is_empty() {
            parts.push((Occur::Must, Box::new(AllQuery)));
        }
        parts.extend(self.none.iter().map(|clause| (Occur::MustNot, clause.query(fields))));
        parts.extend(self.hidden(fields).map(|hidden| (Occur::MustNot, hidden)));
        Box::new(BooleanQuery::new(parts))
    }

    /// What belongs to another account. Few documents belong to anybody, so these are left out rather than the others asked for.
    fn hidden(&self, fields: &Fields) -> Option<Box<dyn Query>> {
        let owned = term(fields, Term::Owner, ANY_OWNER);
        match self.asker {
            Asker::Anybody => Some(owned),
            Asker::Account(account) => {
                let mine = term(fields, Term::Owner, &account.to_string());
                Some(Box::new(BooleanQuery::new(vec![(Occur::Must, owned), (Occur::MustNot, mine)])))
            }
            Asker::Keeper => None,
        }
    }
}

impl Clause {
    /// The terms that a document must have, and what else it must meet. A city in a country, or a title of one phrase, is nothing but
    /// terms: as a query of its own each would walk all who live in the country.
    fn gather(
        &self,
        fields: &Fields,
        terms: &mut Vec<tantivy::Term>,
        parts: &mut Vec<(Occur, Box<dyn Query>)>,
    ) {
        match self {
            Self::OneOf(field, values) if let [value] = values.as_slice() => {
                terms.push(fields.value(*field, value));
            }
            Self::Words(field, text)
                if let words = word_terms(fields, *field, text)
                    && !words.is_empty() =>
            {
                terms.extend(words);
            }
            Self::Any(clauses) if let [clause] = clauses.as_slice() => clause.gather(fields, terms, parts),
            Self::All(clauses) => clauses.iter().for_each(|clause| clause.gather(fields, terms, parts)),
            _ => parts.push((Occur::Must, self.query(fields))),
        }
    }

    fn query(&self, fields: &Fields) -> Box<dyn Query> {
        let each = |clauses: &[Self], occur: Occur| -> Box<dyn Query> {
            Box::new(BooleanQuery::new(clauses.iter().map(|one| (occur, one.query(fields))).collect()))
        };
        match self {
            Self::Any(clauses) if clauses.is_empty() => Box::new(EmptyQuery),
            Self::Any(clauses) => each(clauses, Occur::Should),
            Self::All(clauses) if clauses.is_empty() => Box::new(AllQuery),
            Self::All(clauses) => each(clauses, Occur::Must),
            Self::OneOf(field, values) => match values.as_slice() {
                [] => Box::new(EmptyQuery),
                [value] => term(fields, *field, value),
                values => {
                    let each = values.iter().map(|value| (Occur::Should, term(fields, *field, value)));
                    Box::new(BooleanQuery::new(each.collect()))
                }
            },
            Self::Words(field, text) => words(fields, *field, text),
            Self::Between(number, from, to) => {
                let field = fields.number(*number);
                let bound = |value: &Option<i64>| match value {
                    Some(value) => Bound::Included(tantivy::Term::from_field_i64(field, *value)),
                    None => Bound::Unbounded,
                };
                match (from, to) {
                    (None, None) => Box::new(ExistsQuery::new(number.name().to_owned(), false)),
                    (Some(from), Some(to)) if from > to => Box::new(EmptyQuery),
                    _ => Box::new(Forward(Box::new(RangeQuery::new(bound(from), bound(to))))),
                }
            }
        }
    }
}

fn term(fields: &Fields, of: Term, value: &str) -> Box<dyn Query> {
    Box::new(TermQuery::new(fields.value(of, value), IndexRecordOption::Basic))
}

fn word_terms(fields: &Fields, of: Text, text: &str) -> Vec<tantivy::Term> {
    schema::words(text).iter().map(|word| fields.word(of, word)).collect()
}

fn words(fields: &Fields, of: Text, text: &str) -> Box<dyn Query> {
    let each = word_terms(fields, of, text).into_iter().map(|term| {
        let query: Box<dyn Query> = Box::new(TermQuery::new(term, IndexRecordOption::Basic));
        (Occur::Must, query)
    });
    let each: Vec<_> = each.collect();
    if each.is_empty() { Box::new(EmptyQuery) } else { Box::new(BooleanQuery::new(each)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::schema;

    #[test]
    fn a_city_in_a_country_and_a_title_of_one_phrase_are_nothing_but_terms() {
        let (_, fields) = schema();
        let one_of = |field, value: &str| Clause::OneOf(field, vec![value.to_owned()]);
        let phrase = |text: &str| Clause::Words(Text::Title, text.to_owned());
        let place = Clause::All(vec![one_of(Term::Country, "DE"), one_of(Term::City, "ulm")]);
        let gathered = |clause: &Clause| {
            let (mut terms, mut parts) = (Vec::new(), Vec::new());
            clause.gather(&fields, &mut terms, &mut parts);
            (terms.len(), parts.len())
        };
        assert_eq!(gathered(&place), (2, 0));
        assert_eq!(gathered(&Clause::Any(vec![phrase("head of sales")])), (3, 0));
        assert_eq!(gathered(&Clause::All(Vec::new())), (0, 0));
        // What has a choice, or can be met by nobody, is asked by itself.
        assert_eq!(gathered(&Clause::Any(vec![phrase("cto"), phrase("ceo")])), (0, 1));
        assert_eq!(gathered(&Clause::Any(Vec::new())), (0, 1));
        assert_eq!(gathered(&phrase(" ")), (0, 1));
        let cities = Clause::OneOf(Term::City, vec!["ulm".to_owned(), "bonn".to_owned()]);
        assert_eq!(gathered(&Clause::All(vec![one_of(Term::Country, "DE"), cities])), (1, 1));
    }
}
