//! What is found by weight against weighing every document.

use crate::pair::{Pair, documents, each_once, meets, plain, questions, words};
use assay_index::{Candidate, Document, Feature, Place, Question, Sought, Term, Text};
use proptest::prelude::*;
use uuid::Uuid;

/// What a document has of what is sought.
fn weight(document: &Document, features: &[(Feature, u32)]) -> u32 {
    let has = |feature: &Feature| match feature {
        Feature::Value(term, value) => document.terms.contains(&(*term, value.clone())),
        Feature::Word(text, word) => {
            document.texts.iter().any(|(of, value)| of == text && words(value).contains(word))
        }
    };
    features.iter().filter(|(feature, _)| has(feature)).map(|(_, weight)| weight).sum()
}

fn features() -> impl Strategy<Value = Vec<(Feature, u32)>> {
    let value = |term: Term, name: &'static str| {
        (0_u32..4).prop_map(move |one| Feature::Value(term, format!("{name} {one}")))
    };
    let word = |text: Text, words: &'static [&'static str]| {
        prop::sample::select(words).prop_map(move |word| Feature::Word(text, word.to_owned()))
    };
    let feature = prop_oneof![
        value(Term::Skill, "skill"),
        value(Term::City, "city"),
        value(Term::Seniority, "rank"),
        word(Text::Title, &["head", "sales", "of", "boss"]),
        word(Text::Keywords, &["data", "zurich"]),
    ];
    prop::collection::btree_map(feature, 0_u32..50, 0..6).prop_map(|each| each.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_heaviest_are_found_as_by_weighing_everybody(
        partitions in 1_usize..4,
        batches in prop::collection::vec(prop::collection::vec(documents(), 0..40), 1..4),
        deleted in prop::collection::vec(1_u128..60, 0..10),
        sought in prop::collection::vec((features(), questions(), 0_usize..9), 1..6),
    ) {
        let mut pair = Pair::new(partitions);
        for batch in batches {
            // Which of two documents of one order stands first is not said, so none has another's.
            let batch = each_once(batch).into_iter().map(|document| {
                let order = u64::try_from(document.place.id.as_u128()).unwrap();
                Document { place: Place { order, ..document.place }, ..document }
            });
            pair.apply(batch.collect(), &[]);
        }
        pair.apply(Vec::new(), &deleted.into_iter().map(Uuid::from_u128).collect::<Vec<_>>());
        for (features, question, limit) in sought {
            let mut expected: Vec<_> = pair
                .held
                .values()
                .filter(|document| meets(document, &question))
                .map(|document| (std::cmp::Reverse(weight(document, &features)), document.place))
                .filter(|(weight, _)| weight.0 > 0)
                .collect();
            expected.sort_unstable();
            expected.truncate(limit);
            let expected: Vec<Candidate> = expected
                .into_iter()
                .map(|(weight, place)| Candidate { weight: weight.0, id: place.id })
                .collect();
            let all = Sought { features, question, limit, postings_max: u64::MAX };
            prop_assert_eq!(pair.index.alike(&all).unwrap(), expected);
            for postings_max in [0, 5, 20] {
                let bounded = Sought { postings_max, ..all.clone() };
                let found = pair.index.alike(&bounded).unwrap();
                prop_assert!(found.len() <= limit);
                for candidate in found {
                    let document = &pair.held[&candidate.id];
                    prop_assert!(meets(document, &bounded.question));
                    prop_assert!(candidate.weight <= weight(document, &bounded.features));
                }
            }
        }
    }
}

#[test]
fn what_few_have_is_read_before_what_many_have() {
    let mut pair = Pair::new(2);
    let skilled = |id: u128| {
        let skills = [("common", true), ("rare", id % 20 == 7)];
        let has = skills.iter().filter(|(_, has)| *has);
        let terms = has.map(|(skill, _)| (Term::Skill, (*skill).to_owned())).collect();
        Document { terms, ..plain(id, u64::try_from(id).unwrap()) }
    };
    pair.apply((1..=200).map(skilled).collect(), &[]);
    let feature = |skill: &str| Feature::Value(Term::Skill, skill.to_owned());
    let ask = |features: &[(Feature, u32)], postings_max| {
        let sought =
            Sought { features: features.to_vec(), question: Question::default(), limit: 3, postings_max };
        let found = pair.index.alike(&sought).unwrap();
        found.iter().map(|one| (one.id.as_u128(), one.weight)).collect::<Vec<_>>()
    };
    let both = [(feature("common"), 5), (feature("rare"), 2)];
    assert_eq!(ask(&both, 1_000), [(187, 7), (167, 7), (147, 7)]);
    // What would be too much to read is left out; if all of it were, the first who have the rarest are taken.
    assert_eq!(ask(&both, 100), [(187, 2), (167, 2), (147, 2)]);
    assert_eq!(ask(&both[..1], 100), [(200, 5), (199, 5), (198, 5)]);
    let told = pair.index.commonness([&feature("rare"), &feature("none")]).unwrap();
    assert_eq!((told.documents, told.counts), (200, vec![10, 0]));
}
