//! What is found by questions against looking at every document.

use crate::pair::{EPOCH, Folder, Pair, documents, each_once, plain, questions};
use assay_index::{
    Asker, Changes, Clause, Document, Index, IndexError, Mark, Number, Page, Place, Question, Term,
};
use proptest::prelude::*;
use uuid::Uuid;

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_question_is_answered_as_by_looking_at_everybody(
        partitions in 1_usize..4,
        batches in prop::collection::vec(prop::collection::vec(documents(), 0..40), 1..4),
        deleted in prop::collection::vec(1_u128..60, 0..10),
        questions in prop::collection::vec(questions(), 1..8),
        limit in 1_usize..9,
    ) {
        let mut pair = Pair::new(partitions);
        for batch in batches {
            pair.apply(each_once(batch), &[]);
        }
        pair.apply(Vec::new(), &deleted.into_iter().map(Uuid::from_u128).collect::<Vec<_>>());
        for question in &questions {
            pair.check(question, limit);
        }
        pair.check(&Question::default(), limit);
    }
}

/// Whoever has both, and stands behind many who have one of it: those are asked for when the range is past them already.
#[test]
fn a_range_in_an_exclusion_is_asked_for_those_before_the_first_who_meets_it() {
    let mut pair = Pair::new(1);
    let document = |id: u128| {
        let mut document = plain(id, 1_000 - u64::try_from(id).unwrap());
        document.numbers = vec![(Number::JobChangedOn, i64::try_from(id % 7).unwrap())];
        document.terms.extend((id > 300).then(|| (Term::City, "lyon".to_owned())));
        document
    };
    pair.apply((1..=500).map(document).collect(), &[]);
    let both = || {
        let lyon = Clause::OneOf(Term::City, vec!["lyon".to_owned()]);
        Clause::All(vec![lyon, Clause::Between(Number::JobChangedOn, Some(3), None)])
    };
    pair.check(&Question { none: vec![both()], ..Question::default() }, 50);
    let some = Clause::Between(Number::JobChangedOn, None, Some(5));
    pair.check(&Question { all: vec![some, both()], ..Question::default() }, 50);
}

/// An earlier version wrote others. Who opens it fills a new one.
#[test]
fn an_index_of_other_fields_is_refused() {
    let folder = Folder::new();
    let partition = folder.0.join("partition-0");
    std::fs::create_dir_all(&partition).unwrap();
    let mut schema = tantivy::schema::Schema::builder();
    schema.add_u64_field("order", tantivy::schema::FAST);
    schema.add_text_field("city", tantivy::schema::STRING);
    tantivy::Index::create_in_dir(&partition, schema.build()).unwrap();
    assert!(matches!(Index::open(&folder.0, 1), Err(IndexError::Unreadable { .. })));
}

fn page(after: Option<Place>, limit: usize) -> Page {
    Page { after, limit, count_to: 0, unchanged_since: None }
}

#[test]
fn counting_ends_where_it_may_and_not_before_the_page_is_full() {
    let mut pair = Pair::new(1);
    pair.apply((1..=500).map(|id| plain(id, 1_000 - u64::try_from(id).unwrap())).collect(), &[]);
    let ask = |pair: &Pair, limit, count_to| {
        let page = Page { after: None, limit, count_to, unchanged_since: None };
        pair.index.search(&Question::default(), &page).unwrap()
    };
    assert_eq!((ask(&pair, 5, 100).counted, ask(&pair, 5, 100).rows.len()), (100, 5));
    assert_eq!(ask(&pair, 200, 100).rows.len(), 200);
    assert_eq!((ask(&pair, 5, 501).counted, ask(&pair, 5, u64::MAX).counted), (500, 500));
    // Of a second segment only the page is looked for.
    pair.apply((501..=1_000).map(|id| plain(id, 2_000 - u64::try_from(id).unwrap())).collect(), &[]);
    assert!((100..120).contains(&ask(&pair, 5, 100).counted), "{}", ask(&pair, 5, 100).counted);
    assert_eq!(ask(&pair, 5, u64::MAX).counted, 1_000);
}

#[test]
fn who_moves_while_pages_are_read_comes_once_at_most() {
    let mut pair = Pair::new(2);
    pair.apply((1..=20).map(|id| plain(id, u64::try_from(id).unwrap())).collect(), &[]);
    let everybody = Question::default();
    let first = pair.index.search(&everybody, &page(None, 5)).unwrap().rows;
    let began = pair.seq;
    // The first of the page read falls behind all others, and one that was not read moves up.
    let (seen, unseen) = (first[0].id.as_u128(), 7);
    pair.apply(vec![plain(seen, 0), plain(unseen, 30)], &[]);
    let rest = Page { unchanged_since: Some(began), ..page(first.last().copied(), 100) };
    let rest: Vec<u128> =
        pair.index.search(&everybody, &rest).unwrap().rows.iter().map(|row| row.id.as_u128()).collect();
    let expected: Vec<u128> = (1..=15).rev().filter(|id| *id != unseen).collect();
    assert_eq!(rest, expected);
}

#[test]
fn an_index_opened_again_and_one_of_a_snapshot_are_the_same() {
    let mut pair = Pair::new(2);
    pair.apply((1..=50).map(|id| plain(id, 3)).collect(), &[]);
    pair.apply(vec![plain(60, 9)], &[Uuid::from_u128(4)]);
    let mark = pair.index.mark().unwrap();
    assert_eq!(mark, Some(Mark { epoch: EPOCH, seq: 2 }));
    let copy = Folder::new();
    let manifest = pair.index.snapshot(&copy.0).unwrap().unwrap();
    assert_eq!(Some(manifest.mark), mark);
    assert!(manifest.files.iter().all(|(path, bytes)| copy.0.join(path).metadata().unwrap().len() == *bytes));
    // What happens later is not in it.
    pair.apply(vec![plain(61, 9)], &[Uuid::from_u128(5)]);
    let everybody = Question::default();
    let ids = |index: &Index| index.search(&everybody, &page(None, 100)).unwrap().rows;
    let taken = Index::open(&copy.0, 1).unwrap();
    assert_eq!((taken.mark().unwrap(), ids(&taken).len()), (mark, 50));
    let present = ids(&pair.index);
    let Pair { folder, index, .. } = pair;
    drop(index);
    let again = Index::open(&folder.0, 5).unwrap();
    assert_eq!(ids(&again), present);
    assert_eq!(again.mark().unwrap().map(|mark| mark.seq), Some(3));
}

/// Words of whoever was erased must not go on lying there.
#[test]
fn files_that_came_with_a_snapshot_go_once_nobody_in_them_is_left() {
    let mut pair = Pair::new(1);
    pair.apply((1..=50).map(|id| plain(id, 3)).collect(), &[]);
    let copy = Folder::new();
    pair.index.snapshot(&copy.0).unwrap().unwrap();
    let dictionaries = || {
        let files = std::fs::read_dir(copy.0.join("partition-0")).unwrap();
        files.filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|it| it == "term")).count()
    };
    assert_eq!(dictionaries(), 1);
    let taken = Index::open(&copy.0, 1).unwrap();
    let everybody: Vec<Uuid> = (1..=50).map(Uuid::from_u128).collect();
    for seq in 2..4 {
        // A second time, since whoever reads holds on to what the first has replaced.
        let mark = Mark { epoch: EPOCH, seq };
        taken.apply(&Changes { put: &[], delete: &everybody, mark }).unwrap();
    }
    assert_eq!(dictionaries(), 0);
}

#[test]
fn an_empty_index_has_read_nothing() {
    let pair = Pair::new(2);
    assert_eq!(pair.index.mark().unwrap(), None);
    assert_eq!(pair.index.snapshot(&pair.folder.0.join("copy")).unwrap(), None);
    pair.check(&Question::default(), 3);
}

#[test]
fn what_is_begun_is_completed_by_what_most_have() {
    let mut pair = Pair::new(2);
    let skilled = |id, skill: &str| Document { terms: vec![(Term::Skill, skill.to_owned())], ..plain(id, 1) };
    let skills = ["rust", "ruby", "ruby", "rust", "rust", "go"];
    pair.apply((1..).zip(skills).map(|(id, skill)| skilled(id, skill)).collect(), &[]);
    let told = |beginning, limit| {
        let suggestions = pair.index.suggest(Term::Skill, beginning, Asker::Anybody, limit).unwrap();
        suggestions.into_iter().map(|one| (one.value, one.count)).collect::<Vec<_>>()
    };
    assert_eq!(told("ru", 5), [("rust".to_owned(), 3), ("ruby".to_owned(), 2)]);
    assert_eq!(told("", 1), [("rust".to_owned(), 3)]);
    assert!(told("x", 5).is_empty());
}

#[test]
fn what_others_alone_may_see_is_counted_in_no_suggestion_however_common_a_value_is() {
    let (me, another) = (Uuid::from_u128(1), Uuid::from_u128(2));
    let mut pair = Pair::new(2);
    let document = |number: u64, owner: Option<Uuid>| {
        let id = Uuid::from_u128(u128::from(number) + 100);
        let owner = owner.map(|owner| (Term::Owner, owner.to_string()));
        let terms = owner.into_iter().chain([(Term::Skill, "rust".to_owned())]).collect();
        Document { place: Place { order: number, id }, seq: 0, terms, texts: Vec::new(), numbers: Vec::new() }
    };
    let owners = |number: u64| match number {
        0..10_010 => None,
        10_010..10_017 => Some(me),
        _ => Some(another),
    };
    pair.apply((0..10_040).map(|number| document(number, owners(number))).collect(), &[]);
    let told = |asker: Asker| pair.index.suggest(Term::Skill, "ru", asker, 5).unwrap()[0].count;
    assert_eq!(told(Asker::Anybody), 10_010);
    assert_eq!(told(Asker::Account(me)), 10_017);
    assert_eq!(told(Asker::Account(another)), 10_033);
    assert_eq!(told(Asker::Keeper), 10_040);
}
