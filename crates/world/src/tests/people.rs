//! What holds for every person of several worlds, and how names are spread.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use assay_domain::taxonomy::Seniority;
use chrono::Datelike;

use super::{SEEDS, SEEDS_PEOPLE, worlds};
use crate::firm::Base;
use crate::naming::Naming;
use crate::staff::Staff;
use crate::{DEMO_AS_OF, World};

/// Of everything that a world says, in the order of the indexes.
fn fingerprint(world: &World, indexes: impl Iterator<Item = u64>) -> u64 {
    let mut sum = 0_u64;
    for index in indexes {
        let person = world.person(index);
        let mut hasher = DefaultHasher::new();
        person.id.uuid().hash(&mut hasher);
        serde_json::to_string(&person.facts).unwrap().hash(&mut hasher);
        serde_json::to_string(&person.provenance).unwrap().hash(&mut hasher);
        format!("{:?} {}", person.experience, person.refreshed_at).hash(&mut hasher);
        if let Some(company) = Some(index).filter(|index| *index < world.company_count()) {
            serde_json::to_string(&world.company(company).facts).unwrap().hash(&mut hasher);
        }
        // A sum does not mind the order in which records are made.
        sum = sum.wrapping_add(hasher.finish());
    }
    sum
}

#[test]
fn the_same_seed_gives_the_same_bytes_in_any_order_and_other_seeds_give_others() {
    let people = 3_000;
    let prints = SEEDS.map(|seed| {
        let (one, other) = (World::new(seed, people, DEMO_AS_OF), World::new(seed, people, DEMO_AS_OF));
        let print = fingerprint(&one, 0..people);
        assert_eq!(print, fingerprint(&other, (0..people).rev()));
        print
    });
    assert_eq!(HashSet::from(prints).len(), SEEDS.len());
}

#[test]
fn careers_begin_after_school_and_no_job_overlaps_another() {
    for world in worlds() {
        let truth = world.truth();
        let mut ages: HashMap<i32, u64> = HashMap::new();
        for index in 0..SEEDS_PEOPLE {
            let person = world.person(index);
            let jobs = person.experience;
            for pair in jobs.windows(2) {
                let [later, earlier] = pair else { unreachable!() };
                assert!(earlier.ended_on.unwrap() < later.started_on.unwrap(), "{index}");
            }
            for job in &jobs {
                assert!(job.started_on.unwrap() < job.ended_on.unwrap_or(DEMO_AS_OF), "{index}");
            }
            let born = truth.birth_year(index);
            let first_job = jobs.last().unwrap().started_on.unwrap().year();
            assert!(first_job - born >= 21, "{index}: born {born}, first job {first_job}");
            let left_school = person.facts.education.first().and_then(|school| school.ended_year);
            if let Some(year) = left_school {
                assert!((21..=27).contains(&(year - born)), "{index}: born {born}, left school {year}");
            }
            *ages.entry((DEMO_AS_OF.year() - born) / 10 * 10).or_default() += 1;
        }
        assert!(ages.keys().all(|age| (20..80).contains(age)), "{ages:?}");
        assert!([20, 30, 40, 50, 60].iter().all(|age| ages[age] > SEEDS_PEOPLE / 50), "{ages:?}");
    }
}

#[test]
fn emails_are_unique_and_phones_and_domains_reserved() {
    for world in worlds() {
        let mut emails = HashSet::new();
        for index in 0..SEEDS_PEOPLE {
            let facts = world.person(index).facts;
            let address = facts.emails.first().unwrap().address.clone();
            assert!(address.host().ends_with(".example"), "{}", address.host());
            assert!(emails.insert(address), "{index}");
            for phone in facts.phones {
                let number = phone.number.as_str();
                assert!(super::reserved_country(number).is_some(), "{number}");
            }
        }
    }
}

/// Full names by the desk, without the rest of the record.
fn names(people: u64) -> Vec<(u64, String, i32)> {
    let base = Base::new(7, people, DEMO_AS_OF);
    let mut names = Vec::new();
    for company in 0..base.roster.companies() {
        let firm = base.firm(company);
        let staff = Staff::new(&base, &firm);
        let naming = Naming::new(&staff, base.mail(&firm).pattern);
        for position in 0..firm.people {
            let name = naming.name(position);
            let role = staff.role(position);
            let born = staff.birth_year(position, role, staff.span(position, role));
            names.push((firm.country.number, format!("{} {}", name.given.text, name.family.text), born));
        }
    }
    names
}

#[test]
fn at_two_hundred_thousand_people_many_share_their_full_name_and_common_names_are_common() {
    let people = 200_000;
    let names = names(people);
    let mut bearers: HashMap<&str, u64> = HashMap::new();
    for (_, name, _) in &names {
        *bearers.entry(name).or_default() += 1;
    }
    let sharing: u64 = bearers.values().filter(|count| **count > 1).sum();
    assert!(sharing > people / 20, "{sharing}");
    let smiths = names.iter().filter(|(_, name, _)| name.ends_with(" Smith")).count();
    let yorks = names.iter().filter(|(_, name, _)| name.ends_with(" York")).count();
    assert!(smiths > 8 * yorks && yorks > 0, "{smiths} {yorks}");
}

#[test]
fn given_names_follow_the_generation() {
    let names = names(60_000);
    let share = |given: &str, years: std::ops::Range<i32>| {
        // The first country of the table is the US.
        let born: Vec<&String> = names
            .iter()
            .filter(|(country, _, born)| *country == 0 && years.contains(born))
            .map(|(_, name, _)| name)
            .collect();
        let bearers = born.iter().filter(|name| name.starts_with(given)).count();
        (bearers * 10_000).checked_div(born.len()).unwrap()
    };
    for (given, old, young) in [("Linda ", true, false), ("Donna ", true, false), ("Madison ", false, true)] {
        assert_eq!(share(given, 1940..1962) > 60, old, "{given}");
        assert_eq!(share(given, 1998..2010) > 60, young, "{given}");
    }
    assert!(share("Jennifer ", 1974..1986) > 2 * share("Jennifer ", 1940..1962));
}

#[test]
fn polish_surnames_go_with_the_given_name() {
    let names = names(60_000);
    let polish = names.iter().map(|(_, name, _)| name).filter(|name| {
        name.ends_with("ski") || name.ends_with("ska") || name.ends_with("cki") || name.ends_with("cka")
    });
    let (mut women, mut men) = (0, 0);
    for name in polish.filter(|name| name.ends_with("ńska") || name.ends_with("ński")) {
        let (given, family) = name.split_once(' ').unwrap();
        assert_eq!(given.ends_with('a'), family.ends_with('a'), "{name}");
        if given.ends_with('a') { women += 1 } else { men += 1 }
    }
    assert!(women > 10 && men > 10, "{women} {men}");
}

#[test]
fn interns_are_young_and_owners_are_not() {
    let world = World::new(7, SEEDS_PEOPLE, DEMO_AS_OF);
    let truth = world.truth();
    for index in 0..SEEDS_PEOPLE {
        let age = DEMO_AS_OF.year() - truth.birth_year(index);
        match world.person(index).experience[0].seniority {
            Some(Seniority::Intern) => assert!(age <= 26, "{index}: {age}"),
            Some(Seniority::Owner | Seniority::CSuite | Seniority::Partner) => {
                assert!(age >= 30, "{index}: {age}");
            }
            _ => {}
        }
    }
}

#[test]
fn people_asked_for_in_a_range_are_those_asked_for_one_by_one() {
    for world in worlds() {
        let (from, until) = (SEEDS_PEOPLE / 2 - 300, SEEDS_PEOPLE / 2 + 300);
        let alone: Vec<_> = (from..until).map(|index| world.person(index)).collect();
        assert_eq!(world.people(from..until).collect::<Vec<_>>(), alone);
    }
}
