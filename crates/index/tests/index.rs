//! The index against the plainest way to answer: looking at every document.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "what cannot be set up cannot be tested")]

use assay_domain::name::fold_text;
use assay_index::{
    Asker, Changes, Clause, Document, Hits, Index, Mark, Number, Page, Place, Question, Term, Text,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use uuid::Uuid;

const EPOCH: Uuid = Uuid::from_u128(7);

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("assay-index-{}", Uuid::now_v7()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// An index, and beside it what it should hold.
struct Pair {
    folder: Folder,
    index: Index,
    held: BTreeMap<Uuid, Document>,
    seq: u64,
}

impl Pair {
    fn new(partitions: usize) -> Self {
        let folder = Folder::new();
        let index = Index::open(&folder.0, partitions).unwrap();
        Self { folder, index, held: BTreeMap::new(), seq: 0 }
    }

    fn apply(&mut self, put: Vec<Document>, delete: &[Uuid]) {
        self.seq += 1;
        let put: Vec<Document> =
            put.into_iter().map(|document| Document { seq: self.seq, ..document }).collect();
        let mark = Mark { epoch: EPOCH, seq: self.seq };
        // Where there is nothing yet, filling it is the same.
        if self.held.is_empty() {
            self.index.fill(&put).unwrap();
            self.index.apply(&Changes { put: &[], delete, mark }).unwrap();
        } else {
            self.index.apply(&Changes { put: &put, delete, mark }).unwrap();
        }
        for id in delete {
            self.held.remove(id);
        }
        self.held.extend(put.into_iter().map(|document| (document.place.id, document)));
    }

    fn expected(&self, question: &Question) -> Vec<Place> {
        let met = self.held.values().filter(|document| meets(document, question));
        let mut places: Vec<Place> = met.map(|document| document.place).collect();
        places.sort_unstable();
        places
    }

    fn check(&self, question: &Question, limit: usize) {
        let expected = self.expected(question);
        assert_eq!(self.index.count(question).unwrap(), u64::try_from(expected.len()).unwrap());
        let mut walked = Vec::new();
        let mut after = None;
        loop {
            let page = Page { after, limit, count_to: u64::MAX, unchanged_since: None };
            let Hits { rows, counted } = self.index.search(question, &page).unwrap();
            if after.is_none() {
                assert_eq!(counted, u64::try_from(expected.len()).unwrap());
            }
            after = rows.last().copied().or(after);
            let is_last = rows.len() < limit;
            walked.extend(rows);
            if is_last {
                break;
            }
        }
        assert_eq!(walked, expected, "{question:?}");
    }
}

/// What a question means.
fn meets(document: &Document, question: &Question) -> bool {
    let owner = document.terms.iter().find(|(term, _)| *term == Term::Owner).map(|(_, owner)| owner);
    let is_visible = match (owner, question.asker) {
        (None, _) | (_, Asker::Keeper) => true,
        (Some(owner), Asker::Account(account)) => *owner == account.to_string(),
        (Some(_), Asker::Anybody) => false,
    };
    is_visible
        && question.all.iter().all(|clause| holds(document, clause))
        && !question.none.iter().any(|clause| holds(document, clause))
}

fn holds(document: &Document, clause: &Clause) -> bool {
    match clause {
        Clause::OneOf(field, values) => {
            document.terms.iter().any(|(term, value)| term == field && values.contains(value))
        }
        Clause::Words(field, text) => {
            let texts = document.texts.iter().filter(|(of, _)| of == field);
            let has: Vec<String> = texts.flat_map(|(_, text)| words(text)).collect();
            let wanted = words(text);
            !wanted.is_empty() && wanted.iter().all(|word| has.contains(word))
        }
        Clause::Between(number, from, to) => document.numbers.iter().any(|(of, value)| {
            of == number && from.is_none_or(|from| from <= *value) && to.is_none_or(|to| *value <= to)
        }),
        Clause::Any(clauses) => clauses.iter().any(|clause| holds(document, clause)),
        Clause::All(clauses) => clauses.iter().all(|clause| holds(document, clause)),
    }
}

fn words(text: &str) -> Vec<String> {
    fold_text(text).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

const TITLES: [&str; 5] =
    ["Head of Sales", "VP Sales, EMEA", "Développeur", "Head of People & Culture", "Sales-Manager"];
const KEYWORDS: [&str; 4] = ["kubernetes", "data mesh", "Zürich office", "payments data"];

fn documents() -> impl Strategy<Value = Document> {
    let terms = prop::collection::vec(
        prop_oneof![
            (0_u32..3).prop_map(|one| (Term::Skill, format!("skill {one}"))),
            (0_u32..3).prop_map(|one| (Term::City, format!("city {one}"))),
            (0_u32..2).prop_map(|one| (Term::Seniority, format!("rank {one}"))),
        ],
        0..4,
    );
    let owner = prop::option::weighted(0.2, 1_u128..3);
    let texts = (prop::sample::select(&TITLES[..]), prop::sample::select(&KEYWORDS[..]));
    let numbers = prop::option::of(-3_i64..4);
    (1_u128..60, 0_u64..6, terms, owner, texts, numbers).prop_map(
        |(id, order, mut terms, owner, (title, keywords), number)| {
            terms.extend(owner.map(|owner| (Term::Owner, Uuid::from_u128(owner).to_string())));
            Document {
                place: Place { order, id: Uuid::from_u128(id) },
                seq: 0,
                terms,
                texts: vec![(Text::Title, title.to_owned()), (Text::Keywords, keywords.to_owned())],
                numbers: number.map(|number| (Number::JobChangedOn, number)).into_iter().collect(),
            }
        },
    )
}

fn clauses() -> impl Strategy<Value = Clause> {
    let some = || prop::collection::vec(simple_clauses(), 0..3);
    prop_oneof![
        4 => simple_clauses(),
        1 => some().prop_map(Clause::Any),
        1 => some().prop_map(Clause::All),
    ]
}

fn simple_clauses() -> impl Strategy<Value = Clause> {
    let some = |field: Term, name: &'static str| {
        prop::collection::vec((0_u32..4).prop_map(move |one| format!("{name} {one}")), 0..3)
            .prop_map(move |values| Clause::OneOf(field, values))
    };
    prop_oneof![
        some(Term::Skill, "skill"),
        some(Term::City, "city"),
        some(Term::Seniority, "rank"),
        prop::sample::select(vec![
            "head",
            "SALES",
            "sales head",
            "developpeur",
            "people-culture",
            "",
            "boss"
        ])
        .prop_map(|text| Clause::Words(Text::Title, text.to_owned())),
        prop::sample::select(vec!["data", "zurich", "mesh data"])
            .prop_map(|text| Clause::Words(Text::Keywords, text.to_owned())),
        (prop::option::of(-4_i64..5), prop::option::of(-4_i64..5)).prop_map(|(from, to)| Clause::Between(
            Number::JobChangedOn,
            from,
            to
        )),
    ]
}

fn questions() -> impl Strategy<Value = Question> {
    let some = || prop::collection::vec(clauses(), 0..3);
    let askers = prop_oneof![
        Just(Asker::Anybody),
        Just(Asker::Keeper),
        (1_u128..4).prop_map(|account| Asker::Account(Uuid::from_u128(account))),
    ];
    (some(), some(), askers).prop_map(|(all, none, asker)| Question { all, none, asker })
}

/// The last of several that have one id, as a batch of changes has it.
fn each_once(documents: Vec<Document>) -> Vec<Document> {
    let by_id: BTreeMap<Uuid, Document> =
        documents.into_iter().map(|document| (document.place.id, document)).collect();
    by_id.into_values().collect()
}

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

fn plain(id: u128, order: u64) -> Document {
    let place = Place { order, id: Uuid::from_u128(id) };
    Document { place, seq: 0, terms: Vec::new(), texts: Vec::new(), numbers: Vec::new() }
}

fn page(after: Option<Place>, limit: usize) -> Page {
    Page { after, limit, count_to: 0, unchanged_since: None }
}

#[test]
fn counting_ends_where_it_may_and_not_before_the_page_is_full() {
    let mut pair = Pair::new(1);
    pair.apply((1..=500).map(|id| plain(id, 1_000 - u64::try_from(id).unwrap())).collect(), &[]);
    let ask = |limit, count_to| {
        let page = Page { after: None, limit, count_to, unchanged_since: None };
        pair.index.search(&Question::default(), &page).unwrap()
    };
    assert_eq!((ask(5, 100).counted, ask(5, 100).rows.len()), (100, 5));
    assert_eq!(ask(200, 100).rows.len(), 200);
    assert_eq!((ask(5, 501).counted, ask(5, u64::MAX).counted), (500, 500));
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
        let suggestions = pair.index.suggest(Term::Skill, beginning, limit).unwrap();
        suggestions.into_iter().map(|one| (one.value, one.count)).collect::<Vec<_>>()
    };
    assert_eq!(told("ru", 5), [("rust".to_owned(), 3), ("ruby".to_owned(), 2)]);
    assert_eq!(told("", 1), [("rust".to_owned(), 3)]);
    assert!(told("x", 5).is_empty());
}
