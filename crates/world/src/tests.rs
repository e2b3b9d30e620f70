//! What the whole world must keep: sameness, uniqueness, reserved ranges, consistent dates and jobs.

mod chart;
mod companies;
mod events;
mod people;

use std::collections::{HashMap, HashSet};

use assay_domain::company::CompanyKind;
use assay_domain::taxonomy::{EmailStatus, SizeBand};
use chrono::Datelike;

use super::*;

/// Enough for every kind of company; tests without optimisation make some ten thousand people a second.
const PEOPLE: u64 = 12_000;
/// Where clashes are looked for, more people find more of them.
const PEOPLE_UNIQUE: u64 = 50_000;

/// What must hold in any world is looked at in several.
const SEEDS: [u64; 3] = [7, 2_026, 99_991];
const SEEDS_PEOPLE: u64 = 20_000;

fn worlds() -> impl Iterator<Item = World> {
    SEEDS.into_iter().map(|seed| World::new(seed, SEEDS_PEOPLE, DEMO_AS_OF))
}

fn world(people: u64) -> World {
    World::new(7, people, DEMO_AS_OF)
}

#[test]
fn the_same_seed_and_index_give_the_same_record() {
    let (one, other) = (world(2_000), world(2_000));
    for index in (0..2_000).rev() {
        assert_eq!(one.person(index), other.person(index));
    }
    for index in 0..one.company_count() {
        assert_eq!(one.company(index), other.company(index));
    }
}

#[test]
fn different_seeds_give_different_worlds() {
    let (one, other) = (World::new(1, 2_000, DEMO_AS_OF), World::new(2, 2_000, DEMO_AS_OF));
    let same =
        (0..2_000).filter(|index| one.person(*index).facts.full_name == other.person(*index).facts.full_name);
    assert!(same.count() < 20);
    assert!((0..50).all(|index| one.company(index).facts.name != other.company(index).facts.name));
    assert!((0..50).all(|index| one.company(index).id != other.company(index).id));
}

#[test]
fn ids_emails_phones_and_network_urls_of_people_are_unique() {
    let world = world(PEOPLE_UNIQUE);
    let (mut ids, mut emails, mut phones, mut pages) =
        (HashSet::new(), HashSet::new(), HashSet::new(), HashSet::new());
    for index in 0..PEOPLE_UNIQUE {
        let person = world.person(index);
        assert_eq!(person.id.uuid().get_version_num(), 7);
        assert!(ids.insert(person.id.uuid()));
        assert_eq!(person.facts.emails.len(), 1);
        for email in person.facts.emails {
            assert!(emails.insert(email.address.clone()), "{}", email.address);
        }
        for phone in person.facts.phones {
            assert!(phones.insert(phone.number.clone()), "{}", phone.number);
        }
        let page = person.facts.network_url.unwrap();
        assert!(pages.insert(page.identity().to_owned()), "{}", page.as_str());
    }
    for index in 0..world.company_count() {
        assert!(ids.insert(world.company(index).id.uuid()));
    }
}

#[test]
fn names_domains_and_network_urls_of_companies_are_unique_even_when_roots_run_out() {
    let world = world(4_000_000);
    let (mut names, mut domains, mut pages) = (HashSet::new(), HashSet::new(), HashSet::new());
    for index in 0..40_000 {
        let company = world.company(index).facts;
        assert!(names.insert(company.name.clone()), "{}", company.name);
        assert!(domains.insert(company.domain.clone().unwrap()), "{:?}", company.domain);
        assert!(pages.insert(company.network_url.clone().unwrap()), "{:?}", company.network_url);
    }
}

#[test]
fn domains_and_phones_are_reserved_ones() {
    let world = world(PEOPLE);
    for index in 0..world.company_count() {
        let domain = world.company(index).facts.domain.unwrap();
        let label = domain.as_str().strip_suffix(".example").unwrap();
        assert!(!label.contains('.'), "{domain}");
    }
    let mut countries = HashSet::new();
    for index in 0..PEOPLE {
        for phone in world.person(index).facts.phones {
            let number = phone.number.as_str();
            let reserved = reserved_country(number);
            assert!(reserved.is_some(), "{number}");
            assert_eq!(phone.number.country().as_deref(), reserved, "{number}");
            countries.extend(reserved);
        }
    }
    assert_eq!(countries.len(), 4);
}

/// The country that keeps a number for fiction, by the notices of the four regulators.
fn reserved_country(number: &str) -> Option<&'static str> {
    let starts = |starts: &[&str], digits: usize| {
        starts.iter().any(|start| number.strip_prefix(start).is_some_and(|rest| rest.len() == digits))
    };
    let german = ["+493023125", "+496990009", "+494066969", "+492214710", "+498999998"];
    let french = ["+3319900", "+3326191", "+3335301", "+3346571", "+3353649"];
    if number.len() == 12 && number.starts_with("+1") && number.get(5..10) == Some("55501") {
        Some("US")
    } else if starts(&["+447700900", "+442079460"], 3) {
        Some("GB")
    } else if starts(&german, 3) {
        Some("DE")
    } else {
        starts(&french, 4).then_some("FR")
    }
}

#[test]
fn most_people_of_the_demo_have_a_phone_and_a_verified_email() {
    let world = World::demo();
    let (mut phones, mut valid) = (0, 0);
    for index in 0..DEMO_PEOPLE {
        let facts = world.person(index).facts;
        phones += facts.phones.len();
        let verified = |email: &&assay_domain::person::KnownEmail| {
            email.status == Some(EmailStatus::Valid) && email.verified_at.is_some()
        };
        valid += facts.emails.iter().filter(verified).count();
    }
    assert!((2_500..3_500).contains(&phones), "{phones} phones");
    assert!(valid > 3_900, "{valid} valid emails");
}

#[test]
fn dates_follow_one_another() {
    let world = world(PEOPLE);
    for index in 0..PEOPLE {
        let person = world.person(index);
        let (current, past) = person.experience.split_first().unwrap();
        assert!(current.ended_on.is_none() && past.len() <= 3);
        assert_eq!(person.facts.last_job_change_on, current.started_on);
        let mut next = current.started_on.unwrap();
        assert!(next < DEMO_AS_OF);
        for job in past {
            let (start, end) = (job.started_on.unwrap(), job.ended_on.unwrap());
            assert!(start < end && end <= next, "{index}: {start} {end} {next}");
            next = start;
        }
        for school in &person.facts.education {
            assert!(school.ended_year.is_none_or(|year| year <= next.year()), "{index}");
        }
        assert!(person.refreshed_at.date_naive() < DEMO_AS_OF);
        for source in &person.provenance.0 {
            assert!(source.first_seen <= source.last_seen && source.last_seen < DEMO_AS_OF);
        }
        for email in &person.facts.emails {
            assert!(email.verified_at.is_none_or(|at| at <= person.refreshed_at));
        }
    }
}

#[test]
fn companies_exist_before_their_people_rounds_and_technologies() {
    let world = world(PEOPLE);
    let mut founded = HashMap::new();
    for index in 0..world.company_count() {
        let company = world.company(index);
        let year = company.facts.founded_year.unwrap();
        assert!(company.facts.funding_rounds.is_sorted_by_key(|round| round.announced_on));
        for round in &company.facts.funding_rounds {
            assert!(round.announced_on.year() >= year && round.announced_on < DEMO_AS_OF);
            assert!(round.lead_investors.iter().all(|lead| round.investors.contains(lead)));
        }
        for technology in &company.facts.technologies {
            assert!(technology.first_seen.year() >= year && technology.first_seen <= technology.last_seen);
        }
        founded.insert(company.id, (company.facts.name, year));
    }
    for index in 0..PEOPLE {
        for job in world.person(index).experience {
            let (name, year) = &founded[&job.company_id.unwrap()];
            assert_eq!(job.company_name, *name);
            assert!(job.started_on.unwrap().year() >= *year, "{index} at {name}");
        }
    }
}

#[test]
fn every_job_has_a_title_a_seniority_and_a_department_that_agree() {
    let world = world(PEOPLE);
    let mut terms: HashMap<String, HashSet<(&str, &str)>> = HashMap::new();
    for index in 0..PEOPLE {
        let person = world.person(index);
        assert!(person.facts.headline.unwrap().starts_with(&person.experience[0].title));
        for job in person.experience {
            assert!(!job.title.is_empty(), "{index}: {:?} {:?}", job.seniority, job.department);
            let pair = (job.seniority.unwrap().as_str(), job.department.unwrap().as_str());
            terms.entry(job.title).or_default().insert(pair);
        }
    }
    for (title, pairs) in &terms {
        let ambiguous = matches!(title.as_str(), "Partner" | "Managing Partner");
        assert!(pairs.len() == 1 || ambiguous, "{title}: {pairs:?}");
    }
    assert!(terms.len() > 200, "{}", terms.len());
}

#[test]
fn every_email_is_at_the_employers_domain() {
    let world = world(PEOPLE);
    for index in 0..PEOPLE {
        let person = world.person(index);
        let employer = world.company(world.employer_index(index));
        assert_eq!(person.experience[0].company_id, Some(employer.id));
        for email in person.facts.emails {
            assert_eq!(email.address.host(), employer.facts.domain.clone().unwrap().as_str());
        }
    }
}

#[test]
fn sizes_are_skewed_and_match_the_people_of_the_world() {
    let world = world(PEOPLE);
    let mut people: HashMap<u64, u32> = HashMap::new();
    for index in 0..PEOPLE {
        *people.entry(world.employer_index(index)).or_default() += 1;
    }
    let mut bands: HashMap<SizeBand, u64> = HashMap::new();
    for index in 0..world.company_count() {
        let employees = world.company(index).facts.employee_count.unwrap();
        let known = people.get(&index).copied().unwrap_or(0);
        assert!(known <= employees && employees <= known.max(1) * 7, "{known} of {employees}");
        *bands.entry(SizeBand::of_count(employees).unwrap()).or_default() += 1;
    }
    assert!(bands.len() >= 7, "{bands:?}");
    assert!(bands[&SizeBand::UpTo10] > 10 * bands[&SizeBand::UpTo1000], "{bands:?}");
}

#[test]
fn about_one_person_in_a_hundred_shares_name_and_company_with_a_colleague() {
    let world = world(PEOPLE_UNIQUE);
    let mut bearers: HashMap<(u64, String), u64> = HashMap::new();
    for index in 0..PEOPLE_UNIQUE {
        *bearers.entry((world.employer_index(index), world.person(index).facts.full_name)).or_default() += 1;
    }
    let sharing: u64 = bearers.values().filter(|count| **count > 1).sum();
    assert!((PEOPLE_UNIQUE / 200..PEOPLE_UNIQUE / 30).contains(&sharing), "{sharing}");
}

#[test]
fn worlds_of_odd_sizes_are_whole() {
    for people in [0, 1, 19, 800, 801] {
        let world = world(people);
        assert!(world.company_count() >= 20);
        for index in 0..=people {
            assert!(!world.person(index).facts.full_name.is_empty());
        }
        assert!((0..world.company_count()).all(|index| world.company(index).facts.domain.is_some()));
    }
}

#[test]
fn kinds_and_countries_are_mixed() {
    let world = world(PEOPLE);
    let (mut kinds, mut countries, mut industries) = (HashSet::new(), HashSet::new(), HashSet::new());
    for index in 0..world.company_count() {
        let facts = world.company(index).facts;
        kinds.insert(format!("{:?}", facts.kind.unwrap_or(CompanyKind::Private)));
        countries.insert(facts.headquarters.and_then(|place| place.country));
        industries.insert(facts.industry.unwrap());
    }
    assert!(kinds.len() >= 5 && countries.len() == 10 && industries.len() > 55, "{kinds:?} {countries:?}");
}
