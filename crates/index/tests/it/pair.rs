//! An index beside the plainest way to answer: looking at every document.

use assay_domain::name::fold_text;
use assay_index::{
    Asker, Changes, Clause, Document, Hits, Index, Mark, Number, Page, Place, Question, Term, Text,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use uuid::Uuid;

pub const EPOCH: Uuid = Uuid::from_u128(7);

/// A folder that goes with the test.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
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
pub struct Pair {
    pub folder: Folder,
    pub index: Index,
    pub held: BTreeMap<Uuid, Document>,
    pub seq: u64,
}

impl Pair {
    pub fn new(partitions: usize) -> Self {
        let folder = Folder::new();
        let index = Index::open(&folder.0, partitions).unwrap();
        Self { folder, index, held: BTreeMap::new(), seq: 0 }
    }

    pub fn apply(&mut self, put: Vec<Document>, delete: &[Uuid]) {
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

    pub fn check(&self, question: &Question, limit: usize) {
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
pub fn meets(document: &Document, question: &Question) -> bool {
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

pub fn holds(document: &Document, clause: &Clause) -> bool {
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

pub fn words(text: &str) -> Vec<String> {
    fold_text(text).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

pub const TITLES: [&str; 5] =
    ["Head of Sales", "VP Sales, EMEA", "Développeur", "Head of People & Culture", "Sales-Manager"];
pub const KEYWORDS: [&str; 4] = ["kubernetes", "data mesh", "Zürich office", "payments data"];

pub fn documents() -> impl Strategy<Value = Document> {
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

pub fn clauses() -> impl Strategy<Value = Clause> {
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

pub fn questions() -> impl Strategy<Value = Question> {
    let some = || prop::collection::vec(clauses(), 0..3);
    let askers = prop_oneof![
        Just(Asker::Anybody),
        Just(Asker::Keeper),
        (1_u128..4).prop_map(|account| Asker::Account(Uuid::from_u128(account))),
    ];
    (some(), some(), askers).prop_map(|(all, none, asker)| Question { all, none, asker })
}

/// The last of several that have one id, as a batch of changes has it.
pub fn each_once(documents: Vec<Document>) -> Vec<Document> {
    let by_id: BTreeMap<Uuid, Document> =
        documents.into_iter().map(|document| (document.place.id, document)).collect();
    by_id.into_values().collect()
}

pub fn plain(id: u128, order: u64) -> Document {
    let place = Place { order, id: Uuid::from_u128(id) };
    Document { place, seq: 0, terms: Vec::new(), texts: Vec::new(), numbers: Vec::new() }
}
