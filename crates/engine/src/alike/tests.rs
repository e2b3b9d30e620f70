//! What must hold of any likeness, whatever is compared.

use super::{Aspect, Profile, Rarity, Sketch};
use assay_domain::Similarity;
use assay_domain::company::CompanyFacts;
use assay_index::{Commonness, Feature};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;

const WORDS: [&str; 8] = ["enzymes", "robots", "tax", "cloud", "freight", "bakery", "courses", "insurance"];
const TECHNOLOGIES: [&str; 6] = ["Slack", "SAP S/4HANA", "Figma", "Odoo", "Epic", "Zoom"];
const INDUSTRIES: [&str; 3] = ["Biotechnology", "Retail", "Machinery"];
const CITIES: [(&str, &str); 3] = [("Lyon", "FR"), ("Paris", "FR"), ("Leeds", "GB")];

#[derive(Debug, Clone)]
struct Firm {
    words: BTreeSet<usize>,
    technologies: BTreeSet<usize>,
    industry: Option<usize>,
    city: Option<usize>,
    employees: Option<u32>,
    growth: Option<i32>,
}

impl Firm {
    fn facts(&self) -> CompanyFacts {
        let words: Vec<&str> = self.words.iter().map(|at| WORDS[*at]).collect();
        let seen = json!("2026-01-01");
        let technologies = self.technologies.iter().map(
            |at| json!({"name": TECHNOLOGIES[*at], "category": "any", "first_seen": seen, "last_seen": seen}),
        );
        let seat = self.city.map(|at| json!({"city": CITIES[at].0, "country": CITIES[at].1}));
        serde_json::from_value(json!({
            "name": "Acme 24",
            "description": format!("Acme 24 in Lyon since 1990: {}", words.join(" and ")),
            "technologies": technologies.collect::<Vec<_>>(),
            "industry": self.industry.map(|at| INDUSTRIES[at]),
            "headquarters": seat,
            "employee_count": self.employees,
            "employee_growth_percent": self.growth,
        }))
        .unwrap()
    }

    fn sketch(&self) -> Sketch {
        Sketch::of_company(&self.facts())
    }
}

fn firms() -> impl Strategy<Value = Firm> {
    (
        prop::collection::btree_set(0..WORDS.len(), 0..6),
        prop::collection::btree_set(0..TECHNOLOGIES.len(), 0..5),
        prop::option::of(0..INDUSTRIES.len()),
        prop::option::of(0..CITIES.len()),
        prop::option::of(0_u32..100_000),
        prop::option::of(-50_i32..80),
    )
        .prop_map(|(words, technologies, industry, city, employees, growth)| Firm {
            words,
            technologies,
            industry,
            city,
            employees,
            growth,
        })
}

/// As if these had been counted in an index of a thousand.
fn profile(sources: &[Firm], counts: &[u64]) -> Profile {
    let sketches: Vec<Sketch> = sources.iter().map(Firm::sketch).collect();
    let features: BTreeSet<&Feature> = sketches.iter().flat_map(Sketch::features).collect();
    let features: Vec<Feature> = features.into_iter().cloned().collect();
    let counts = counts.iter().copied().cycle().take(features.len()).collect();
    let rarity = Rarity::of(features, &Commonness { documents: 1_000, counts });
    Profile::new(sketches, rarity)
}

fn counts() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(1_u64..1_000, 1..20)
}

proptest! {
    #[test]
    fn whoever_is_the_same_is_wholly_alike(firm in firms(), counts in counts()) {
        let likeness = profile(std::slice::from_ref(&firm), &counts).compare(&firm.sketch());
        // Unless there is nothing to compare by.
        prop_assert!(likeness.similarity == Similarity::WHOLE || likeness.reasons.is_empty());
    }

    #[test]
    fn a_likeness_is_the_sum_of_its_reasons(
        sources in prop::collection::vec(firms(), 1..5),
        candidate in firms(),
        counts in counts(),
    ) {
        let likeness = profile(&sources, &counts).compare(&candidate.sketch());
        let shares: Vec<u16> = likeness.reasons.iter().map(|reason| reason.share.thousandths()).collect();
        prop_assert!(likeness.similarity <= Similarity::WHOLE);
        prop_assert!(shares.is_sorted_by(|one, other| one >= other));
        let sum = usize::from(shares.iter().sum::<u16>());
        prop_assert!(shares.is_empty() || (1_000 - shares.len()..=1_000).contains(&sum), "{:?}", shares);
        let aspects: BTreeSet<Aspect> = likeness.reasons.iter().map(|reason| reason.aspect).collect();
        prop_assert_eq!(aspects.len(), likeness.reasons.len());
    }

    #[test]
    fn neither_the_order_of_sources_nor_naming_them_twice_matters(
        sources in prop::collection::vec(firms(), 1..5),
        candidate in firms(),
        counts in counts(),
    ) {
        let likeness = |sources: &[Firm]| profile(sources, &counts).compare(&candidate.sketch());
        let reversed: Vec<Firm> = sources.iter().rev().cloned().collect();
        let twice: Vec<Firm> = sources.iter().chain(&sources).cloned().collect();
        prop_assert_eq!(likeness(&sources).similarity, likeness(&reversed).similarity);
        prop_assert_eq!(likeness(&sources).similarity, likeness(&twice).similarity);
    }

    #[test]
    fn what_is_shared_makes_no_less_alike_and_what_is_not_no_more(
        source in firms(),
        candidate in firms(),
        technology in 0..TECHNOLOGIES.len(),
        counts in counts(),
    ) {
        let mut richer = candidate.clone();
        richer.technologies.insert(technology);
        let profile = profile(std::slice::from_ref(&source), &counts);
        let of = |firm: &Firm| profile.compare(&firm.sketch()).similarity;
        if source.technologies.contains(&technology) {
            prop_assert!(of(&richer) >= of(&candidate));
        } else {
            prop_assert!(of(&richer) <= of(&candidate));
        }
    }

    #[test]
    fn candidates_are_looked_for_by_what_sources_have(
        sources in prop::collection::vec(firms(), 1..5),
        counts in counts(),
    ) {
        let sketches: Vec<Sketch> = sources.iter().map(Firm::sketch).collect();
        let all: BTreeSet<&Feature> = sketches.iter().flat_map(Sketch::features).collect();
        let features = profile(&sources, &counts).features();
        prop_assert!(features.iter().all(|(feature, _)| all.contains(feature)));
        let distinct: BTreeSet<&Feature> = features.iter().map(|(feature, _)| feature).collect();
        prop_assert_eq!(distinct.len(), features.len());
        let sum: u64 = features.iter().map(|(_, weight)| u64::from(*weight)).sum();
        prop_assert!(sum <= 100_000 * u64::try_from(sources.len()).unwrap());
    }
}

#[test]
fn reasons_say_what_is_shared() {
    let source = Firm {
        words: [0, 1, 2].into(),
        technologies: [0, 1, 2, 3, 4].into(),
        industry: Some(0),
        city: Some(0),
        employees: Some(100),
        growth: Some(10),
    };
    let candidate = Firm {
        words: [0, 2, 5].into(),
        technologies: [0, 1, 2].into(),
        city: Some(1),
        employees: Some(150),
        growth: Some(60),
        ..source.clone()
    };
    let likeness = profile(std::slice::from_ref(&source), &[50]).compare(&candidate.sketch());
    let texts: BTreeSet<&str> = likeness.reasons.iter().map(|reason| reason.text.as_str()).collect();
    let expected = [
        "same industry",
        "3 of 5 technologies shared",
        // The name, the place and the year are no part of it.
        "4 of 5 words of the description shared",
        "same country",
        "similar size",
    ];
    assert_eq!(texts, expected.into());
    let shared =
        |aspect| likeness.reasons.iter().find(|reason| reason.aspect == aspect).unwrap().shared.clone();
    assert_eq!(shared(Aspect::Technologies), ["Figma", "SAP S/4HANA", "Slack"]);
    assert_eq!(shared(Aspect::Description), ["and", "enzymes", "since", "tax"]);
    let other = Firm { industry: Some(1), ..source.clone() };
    let likeness = profile(&[source, other], &[50]).compare(&candidate.sketch());
    assert!(likeness.reasons.iter().any(|reason| reason.text == "same industry as 1 of 2 sources"));
}
