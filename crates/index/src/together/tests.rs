//! Terms that are kept and terms that are walked give the same documents, whatever is asked for together and whichever of it is common.

use super::*;
use tantivy::collector::{Count, DocSetCollector};
use tantivy::query::{BooleanQuery, Occur, TermQuery};
use tantivy::schema::{Field, STRING, Schema};
use tantivy::{Index, IndexWriter, Searcher, TantivyDocument};

/// A value whose number is n has every (n + 1)-th document, so that some are common and some are rare.
const VALUES: u64 = 40;
const DOCUMENTS: u64 = 10_000;

fn searcher() -> (Searcher, Field) {
    let mut schema = Schema::builder();
    let field = schema.add_text_field("value", STRING);
    let index = Index::create_in_ram(schema.build());
    let mut writer: IndexWriter = index.writer_with_num_threads(1, 15_000_000).unwrap();
    for document in 0..DOCUMENTS {
        let mut one = TantivyDocument::new();
        for value in (0..VALUES).filter(|value| document % (value + 1) == 0) {
            one.add_text(field, value.to_string());
        }
        one.add_text(field, format!("number {document}"));
        writer.add_document(one).unwrap();
        // Several segments, of sizes that end inside a word and at its edge, and one of several blocks.
        if [63, 191, 700].contains(&document) {
            writer.commit().unwrap();
        }
    }
    // Whoever is gone is in the bits still.
    writer.delete_term(Term::from_field_text(field, "number 60"));
    writer.commit().unwrap();
    (index.reader().unwrap().searcher(), field)
}

fn as_lists(terms: &[Term]) -> BooleanQuery {
    let one = |term: &Term| -> (Occur, Box<dyn Query>) {
        (Occur::Must, Box::new(TermQuery::new(term.clone(), IndexRecordOption::Basic)))
    };
    BooleanQuery::new(terms.iter().map(one).collect())
}

#[test]
fn terms_that_are_kept_find_what_terms_that_are_walked_find() {
    let (searcher, field) = searcher();
    // All are kept, as bits and as lists; most of them, some, only what every document has.
    for share in [u32::MAX, 36, 10, 1] {
        let kept = Arc::new(KeptTerms { documents_min: 1, share, kept: Mutex::default() });
        for first in 0..VALUES {
            for second in first..VALUES {
                let values = [first, second, (first + second) % VALUES];
                let terms: Vec<Term> =
                    values.iter().map(|value| Term::from_field_text(field, &value.to_string())).collect();
                let lists = as_lists(&terms);
                let bits = AllTerms { terms, kept: Arc::clone(&kept) };
                // Beside another clause it is the one that is asked about single documents.
                let rare = Term::from_field_text(field, "6");
                let beside = |query: Box<dyn Query>| {
                    let rare: Box<dyn Query> =
                        Box::new(TermQuery::new(rare.clone(), IndexRecordOption::Basic));
                    BooleanQuery::new(vec![(Occur::Must, rare), (Occur::Must, query)])
                };
                let found = searcher.search(&bits, &DocSetCollector).unwrap();
                assert_eq!(
                    found,
                    searcher.search(&lists, &DocSetCollector).unwrap(),
                    "{values:?} of {share}"
                );
                assert_eq!(found.len(), searcher.search(&bits, &Count).unwrap());
                assert_eq!(
                    searcher.search(&beside(Box::new(bits)), &DocSetCollector).unwrap(),
                    searcher.search(&beside(Box::new(lists)), &DocSetCollector).unwrap(),
                    "{values:?} of {share} beside another"
                );
            }
        }
        // The first value is every document's, and kept whatever the share.
        assert!(kept.kept.lock().unwrap().bytes > 0, "nothing was kept");
    }
}

#[test]
fn what_has_no_room_makes_room_by_forgetting() {
    let kept = KeptTerms::default();
    let half = Common::Bits(vec![0; INDEX_COMMON_BYTES_MAX / 16].into(), 0);
    let key =
        |value: &str| (SegmentId::generate_random(), Term::from_field_text(Field::from_field_id(0), value));
    let (first, second, third) = (key("one"), key("two"), key("three"));
    kept.keep(first.clone(), &half);
    kept.keep(second.clone(), &half);
    assert!(kept.get(&first).is_some() && kept.get(&second).is_some());
    kept.keep(third.clone(), &half);
    assert!(kept.get(&first).is_none() && kept.get(&second).is_none() && kept.get(&third).is_some());
}
