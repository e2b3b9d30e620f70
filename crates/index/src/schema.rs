//! The fields of a document in Tantivy. Nothing but numbers is stored: records are read where they are kept.

use crate::document::{Document, Number, Term, Text};
use assay_domain::name::fold_text;
use tantivy::TantivyDocument;
use tantivy::index::{IndexSettings, IndexSortByField, Order};
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{TextAnalyzer, TokenizerManager, WhitespaceTokenizer};

pub(crate) const ORDER: &str = "order";
pub(crate) const SEQ: &str = "seq";
pub(crate) const ID_HIGH: &str = "id_high";
pub(crate) const ID_LOW: &str = "id_low";
const ID: &str = "id";
/// Texts come folded: what is left is to part them at their spaces.
const BY_SPACES: &str = "by_spaces";
const WHOLE: &str = "raw";
/// Beside its owner, every document of somebody has this one.
pub(crate) const ANY_OWNER: &str = "*";

/// The handles of the fields.
#[derive(Debug, Clone)]
pub(crate) struct Fields {
    order: Field,
    seq: Field,
    id: Field,
    id_high: Field,
    id_low: Field,
    terms: Vec<Field>,
    texts: Vec<Field>,
    numbers: Vec<Field>,
}

pub(crate) fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let indexed = |tokenizer: &str| {
        // Which documents have it is all that is asked: no counts, no positions, no lengths.
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(tokenizer)
            .set_index_option(IndexRecordOption::Basic)
            .set_fieldnorms(false);
        TextOptions::default().set_indexing_options(indexing)
    };
    let fields = Fields {
        order: schema.add_u64_field(ORDER, FAST),
        seq: schema.add_u64_field(SEQ, FAST),
        id: schema.add_bytes_field(ID, INDEXED),
        id_high: schema.add_u64_field(ID_HIGH, FAST),
        id_low: schema.add_u64_field(ID_LOW, FAST),
        terms: Term::ALL.iter().map(|term| schema.add_text_field(term.name(), indexed(WHOLE))).collect(),
        texts: Text::ALL.iter().map(|text| schema.add_text_field(text.name(), indexed(BY_SPACES))).collect(),
        numbers: Number::ALL.iter().map(|number| schema.add_i64_field(number.name(), FAST)).collect(),
    };
    (schema.build(), fields)
}

/// Documents stand in their order inside each segment, so that whoever reads them may stop when a page is full.
pub(crate) fn settings() -> IndexSettings {
    let in_order = IndexSortByField { field: ORDER.to_owned(), order: Order::Desc };
    IndexSettings { sort_by_field: Some(in_order), ..IndexSettings::default() }
}

pub(crate) fn tokenizers() -> TokenizerManager {
    let tokenizers = TokenizerManager::default();
    tokenizers.register(BY_SPACES, TextAnalyzer::from(WhitespaceTokenizer::default()));
    tokenizers
}

impl Fields {
    pub(crate) fn term(&self, term: Term) -> Field {
        handle(&self.terms, Term::ALL.iter().position(|one| *one == term))
    }

    pub(crate) fn text(&self, text: Text) -> Field {
        handle(&self.texts, Text::ALL.iter().position(|one| *one == text))
    }

    pub(crate) fn number(&self, number: Number) -> Field {
        handle(&self.numbers, Number::ALL.iter().position(|one| *one == number))
    }

    /// What names the document of an id.
    pub(crate) fn id_term(&self, id: uuid::Uuid) -> tantivy::Term {
        tantivy::Term::from_field_bytes(self.id, id.as_bytes())
    }

    pub(crate) fn write(&self, document: &Document) -> TantivyDocument {
        let mut written = TantivyDocument::default();
        let (high, low) = document.place.id.as_u64_pair();
        written.add_u64(self.order, document.place.order);
        written.add_u64(self.seq, document.seq);
        written.add_bytes(self.id, document.place.id.as_bytes());
        written.add_u64(self.id_high, high);
        written.add_u64(self.id_low, low);
        for (term, value) in &document.terms {
            written.add_text(self.term(*term), value);
        }
        if document.terms.iter().any(|(term, _)| *term == Term::Owner) {
            written.add_text(self.term(Term::Owner), ANY_OWNER);
        }
        for (text, value) in &document.texts {
            written.add_text(self.text(*text), fold_text(value));
        }
        for (number, value) in &document.numbers {
            written.add_i64(self.number(*number), *value);
        }
        written
    }
}

/// Every field is in the list it was made from; a field that were not would be the first, and a test sees that none is.
fn handle(fields: &[Field], place: Option<usize>) -> Field {
    place.and_then(|place| fields.get(place)).copied().unwrap_or(Field::from_field_id(0))
}
