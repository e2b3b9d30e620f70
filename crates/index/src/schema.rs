//! The fields of a document in Tantivy. Nothing but numbers is stored: records are read where they are kept.

use crate::document::{Document, Number, Term, Text};
use assay_domain::name::fold_text;
use tantivy::TantivyDocument;
use tantivy::index::{IndexSettings, IndexSortByField, Order};
use tantivy::schema::{BytesOptions, FAST, Field, Schema};

pub(crate) const ORDER: &str = "order";
pub(crate) const SEQ: &str = "seq";
pub(crate) const ID_HIGH: &str = "id_high";
pub(crate) const ID_LOW: &str = "id_low";
/// All that is met whole or word by word, in one dictionary. Opening, writing and merging a dictionary costs the same for one term
/// as for thousands, and most segments are of the few documents that changed a moment ago.
const TERMS: &str = "terms";
/// Between the name of what a term is of and the term itself; no name has it.
const NAME_END: u8 = 0;
const ID: &str = "id";
/// Beside its owner, every document of somebody has this one.
pub(crate) const ANY_OWNER: &str = "*";

/// The handles of the fields.
#[derive(Debug, Clone)]
pub(crate) struct Fields {
    order: Field,
    seq: Field,
    id_high: Field,
    id_low: Field,
    pub(crate) terms: Field,
    numbers: Vec<Field>,
}

pub(crate) fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let fields = Fields {
        order: schema.add_u64_field(ORDER, FAST),
        seq: schema.add_u64_field(SEQ, FAST),
        id_high: schema.add_u64_field(ID_HIGH, FAST),
        id_low: schema.add_u64_field(ID_LOW, FAST),
        // Which documents have it is all that is asked: no counts, no positions, no lengths.
        terms: schema.add_bytes_field(TERMS, BytesOptions::default().set_indexed()),
        numbers: Number::ALL.iter().map(|number| schema.add_i64_field(number.name(), FAST)).collect(),
    };
    (schema.build(), fields)
}

/// Documents stand in their order inside each segment, so that whoever reads them may stop when a page is full.
pub(crate) fn settings() -> IndexSettings {
    let in_order = IndexSortByField { field: ORDER.to_owned(), order: Order::Desc };
    IndexSettings { sort_by_field: Some(in_order), ..IndexSettings::default() }
}

/// A term as the dictionary has it; with the beginning of a value, what all values that begin so begin with.
pub(crate) fn value_key(term: Term, value: &str) -> Vec<u8> {
    key(term.name(), value.as_bytes())
}

/// The words of a text as the dictionary has them.
pub(crate) fn words(text: &str) -> Vec<String> {
    fold_text(text).split_whitespace().map(str::to_owned).collect()
}

fn key(name: &str, value: &[u8]) -> Vec<u8> {
    [name.as_bytes(), &[NAME_END], value].concat()
}

impl Fields {
    pub(crate) fn value(&self, term: Term, value: &str) -> tantivy::Term {
        tantivy::Term::from_field_bytes(self.terms, &value_key(term, value))
    }

    pub(crate) fn word(&self, text: Text, word: &str) -> tantivy::Term {
        tantivy::Term::from_field_bytes(self.terms, &key(text.name(), word.as_bytes()))
    }

    /// What names the document of an id.
    pub(crate) fn id(&self, id: uuid::Uuid) -> tantivy::Term {
        tantivy::Term::from_field_bytes(self.terms, &key(ID, id.as_bytes()))
    }

    /// Every number is in the list it was made from; one that were not would be the first, and a test sees that none is.
    pub(crate) fn number(&self, number: Number) -> Field {
        let place = Number::ALL.iter().position(|one| *one == number);
        place.and_then(|place| self.numbers.get(place)).copied().unwrap_or(Field::from_field_id(0))
    }

    pub(crate) fn write(&self, document: &Document) -> TantivyDocument {
        let mut written = TantivyDocument::default();
        let (high, low) = document.place.id.as_u64_pair();
        written.add_u64(self.order, document.place.order);
        written.add_u64(self.seq, document.seq);
        written.add_u64(self.id_high, high);
        written.add_u64(self.id_low, low);
        let mut term = |key: Vec<u8>| written.add_bytes(self.terms, &key);
        term(key(ID, document.place.id.as_bytes()));
        for (of, value) in &document.terms {
            term(value_key(*of, value));
        }
        if document.terms.iter().any(|(of, _)| *of == Term::Owner) {
            term(value_key(Term::Owner, ANY_OWNER));
        }
        for (text, value) in &document.texts {
            words(value).iter().for_each(|word| term(key(text.name(), word.as_bytes())));
        }
        for (number, value) in &document.numbers {
            written.add_i64(self.number(*number), *value);
        }
        written
    }
}
