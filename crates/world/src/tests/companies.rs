//! What holds for local businesses, and that the hidden kinds of companies can be seen in their facts.

use std::collections::{HashMap, HashSet};

use assay_domain::company::CompanyFacts;
use assay_domain::taxonomy::Seniority;

use super::{SEEDS_PEOPLE, worlds};
use crate::{DEMO_AS_OF, World};

#[test]
fn about_one_company_in_eight_is_local_and_small() {
    for world in worlds() {
        let companies = world.company_count();
        let local: Vec<u64> = (0..companies).filter(|at| world.is_local_business(*at)).collect();
        let share = u64::try_from(local.len()).unwrap() * 100 / companies;
        assert!((8..=16).contains(&share), "{share} %");
        for company in local {
            let facts = world.company(company).facts;
            assert!((1..=25).contains(&facts.employee_count.unwrap()), "{company}");
            assert!(facts.industry.is_some() && facts.funding_rounds.is_empty(), "{company}");
            assert_eq!(facts.locations.len(), 1);
            let range = facts.revenue_range.unwrap();
            assert!(["$0-$1M", "$1M-$10M"].contains(&range.as_str()), "{range}");
        }
    }
}

#[test]
fn local_businesses_have_one_owner_at_the_top_and_posts_by_size() {
    for world in worlds() {
        for company in (0..world.company_count()).filter(|at| world.is_local_business(*at)) {
            let owner = world.owner_index(company).unwrap();
            let people: Vec<u64> =
                (owner..SEEDS_PEOPLE).take_while(|person| world.employer_index(*person) == company).collect();
            let ranks: Vec<Seniority> =
                people.iter().map(|person| world.person(*person).experience[0].seniority.unwrap()).collect();
            assert_eq!(ranks[0], Seniority::Owner);
            assert!(ranks[1..].iter().all(|rank| *rank > Seniority::Owner), "{company}: {ranks:?}");
            let managed = ranks.contains(&Seniority::Manager);
            assert!(ranks.len() < 6 || managed, "{company}: {ranks:?}");
            assert!(
                world.person(owner).experience[0].title.contains("Owner") || {
                    world.person(owner).experience[0].title == "Proprietor"
                }
            );
            let facts = world.company(company).facts;
            for person in people {
                assert_eq!(world.person(person).facts.location, facts.headquarters);
            }
        }
    }
}

#[test]
fn a_company_without_an_owner_says_so() {
    let world = World::new(7, SEEDS_PEOPLE, DEMO_AS_OF);
    let (mut owned, mut others) = (0, 0);
    for company in (0..world.company_count()).filter(|at| !world.is_local_business(*at)) {
        match world.owner_index(company) {
            Some(owner) => {
                assert_eq!(world.person(owner).experience[0].seniority, Some(Seniority::Owner));
                assert_eq!(world.employer_index(owner), company);
                owned += 1;
            }
            None => others += 1,
        }
    }
    assert!(owned > 0 && others > 0);
    assert_eq!(World::new(7, 0, DEMO_AS_OF).owner_index(0), None);
}

fn words(facts: &CompanyFacts) -> HashSet<String> {
    let technologies = facts.technologies.iter().filter(|known| known.category != "Email");
    technologies.map(|known| known.name.clone()).chain(facts.keywords.iter().cloned()).collect()
}

/// How many words of one company another has, in percent, on average over pairs.
fn overlap(pairs: &[(&HashSet<String>, &HashSet<String>)]) -> usize {
    let shares = pairs.iter().map(|(one, other)| one.intersection(other).count() * 100 / one.len().max(1));
    shares.sum::<usize>() / pairs.len().max(1)
}

#[test]
fn companies_of_one_segment_resemble_each_other_and_others_do_not() {
    let world = World::new(7, 100_000, DEMO_AS_OF);
    let truth = world.truth();
    let mut segments: HashMap<u16, Vec<HashSet<String>>> = HashMap::new();
    for company in 0..world.company_count() {
        assert!(truth.segment_of(company) < truth.segment_count());
        let facts = world.company(company).facts;
        segments.entry(truth.segment_of(company)).or_default().push(words(&facts));
    }
    assert!(segments.len() >= 60, "{}", segments.len());
    let mut within = Vec::new();
    for companies in segments.values() {
        within.extend(companies.iter().zip(companies.iter().skip(1)));
    }
    let all: Vec<&HashSet<String>> = segments.values().flatten().collect();
    let half = all.len() / 2;
    let across: Vec<_> = all.iter().copied().zip(all.iter().copied().skip(half)).collect();
    let (within, across) = (overlap(&within), overlap(&across));
    assert!(within >= 25 && across * 3 <= within, "{within} % within, {across} % across");
}

#[test]
fn an_industry_does_not_tell_the_segment() {
    let world = World::new(7, 100_000, DEMO_AS_OF);
    let truth = world.truth();
    let mut segments: HashMap<&str, HashSet<u16>> = HashMap::new();
    for company in 0..world.company_count() {
        let industry = world.company(company).facts.industry.unwrap().as_str();
        segments.entry(industry).or_default().insert(truth.segment_of(company));
    }
    assert!(segments["Computer Software"].len() >= 6, "{segments:?}");
    let shared = segments.values().filter(|segments| segments.len() > 1).count();
    assert!(shared >= 25, "{shared} of {}", segments.len());
}
