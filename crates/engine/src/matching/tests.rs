//! Records that are somebody's, and records that only look like it.

use super::*;
use assay_domain::person::{EmailKind, Employment, KnownEmail, Location, PersonFacts};
use assay_domain::{CompanyId, Email, NetworkHosts, NetworkUrl};
use proptest::prelude::*;
use uuid::Uuid;

/// What a record says; what is empty is not said.
#[derive(Debug, Clone, Copy, Default)]
struct Sketch {
    name: &'static str,
    /// Companies by number, the present one first.
    jobs: &'static [(u128, &'static str)],
    email: &'static str,
    city: &'static str,
    page: &'static str,
    landline: &'static str,
    source: u32,
}

fn profile(sketch: Sketch) -> Profile {
    let mut facts = PersonFacts {
        full_name: sketch.name.to_owned(),
        first_name: None,
        last_name: None,
        headline: None,
        emails: Vec::new(),
        phones: Vec::new(),
        network_url: None,
        location: None,
        education: Vec::new(),
        skills: Vec::new(),
        languages: Vec::new(),
        certifications: Vec::new(),
        last_job_change_on: None,
    };
    if let Ok(address) = Email::parse(sketch.email) {
        facts.emails.push(KnownEmail { address, kind: EmailKind::Business, status: None, verified_at: None });
    }
    if !sketch.city.is_empty() {
        facts.location = Some(Location { city: Some(sketch.city.to_owned()), ..Location::default() });
    }
    if !sketch.page.is_empty() {
        let page = format!("https://network.example/in/{}", sketch.page);
        facts.network_url = NetworkUrl::parse(&page, &NetworkHosts::default()).ok();
    }
    let jobs: Vec<Employment> = sketch
        .jobs
        .iter()
        .enumerate()
        .map(|(place, (company, title))| Employment {
            company_id: Some(CompanyId::from_uuid(Uuid::from_u128(*company))),
            company_name: format!("Company {company}"),
            title: (*title).to_owned(),
            seniority: None,
            department: None,
            started_on: None,
            ended_on: (place > 0).then(|| chrono::NaiveDate::from_ymd_opt(2020, 1, 1)).flatten(),
        })
        .collect();
    let mut profile = Profile::of(&facts, &jobs);
    profile.phones.extend(PhoneLine::read(sketch.landline, true));
    profile.sources.push(sketch.source);
    profile
}

fn decide(record: Sketch, candidates: &[Sketch]) -> Decision {
    let candidates: Vec<Profile> = candidates.iter().map(|candidate| profile(*candidate)).collect();
    settle(&profile(record), &candidates.iter().collect::<Vec<_>>()).decision
}

const KNOWN: Sketch = Sketch {
    name: "Roberta Ashwell",
    jobs: &[(1, "Head of Sales"), (2, "Account Manager")],
    email: "roberta.ashwell@company-1.example",
    city: "Leeds",
    page: "roberta-ashwell-1",
    landline: "",
    source: 1,
};

#[test]
fn ways_of_writing_one_colleague_are_linked() {
    let record =
        |name| Sketch { name, jobs: &[(1, "Head of Sales")], city: "Leeds", source: 2, ..Sketch::default() };
    for name in
        ["Roberta Ashwell", "Bobbie Ashwell", "Roberta Ashwel", "Ashwell Roberta", "Roberta J. Ashwell"]
    {
        assert_eq!(decide(record(name), &[KNOWN]), Decision::Link(0), "{name}");
    }
    for name in ["Robert Ashton", "Linda Ashwell", "Roberta Miller"] {
        assert_eq!(decide(record(name), &[KNOWN]), Decision::New, "{name}");
    }
}

#[test]
fn an_identifier_suffices_unless_the_name_is_anothers() {
    let record = |name| Sketch { name, email: KNOWN.email, source: 2, ..Sketch::default() };
    assert_eq!(decide(record("R. Ashwell"), &[KNOWN]), Decision::Link(0));
    assert_eq!(decide(record("Roberta Cole"), &[KNOWN]), Decision::Link(0));
    assert_eq!(decide(record("Piet Janssen"), &[KNOWN]), Decision::New);
}

#[test]
fn a_record_of_yesterday_meets_the_former_employer() {
    let record = Sketch {
        name: "Roberta Ashwell",
        jobs: &[(2, "Account Manager")],
        city: "Leeds",
        source: 2,
        ..Sketch::default()
    };
    assert_eq!(decide(record, &[KNOWN]), Decision::Link(0));
    let elsewhere = Sketch { name: "John Smith", jobs: &[(9, "Driver")], city: "Bath", ..record };
    let smith = Sketch { name: "John Smith", email: "", page: "", ..KNOWN };
    assert_eq!(decide(elsewhere, &[smith]), Decision::New);
}

#[test]
fn a_slip_in_the_city_is_not_another_city() {
    let weight = |city| {
        let record = Sketch { city, email: "", page: "", source: 2, ..KNOWN };
        compare(&profile(record), &profile(KNOWN), Rarity::UNKNOWN).weight
    };
    assert!(weight("Leeds") > weight("Ledes") && weight("Ledes") > weight("") && weight("") > weight("Bath"));
}

#[test]
fn colleagues_of_one_name_with_two_addresses_are_two() {
    let record = Sketch { email: "roberta.ashwell2@company-1.example", page: "", source: 2, ..KNOWN };
    assert_eq!(decide(record, &[KNOWN]), Decision::New);
    let other_page = Sketch { page: "roberta-ashwell-77", email: "", source: 2, ..KNOWN };
    assert_eq!(
        decide(Sketch { jobs: &[(1, "Accountant")], city: "", ..other_page }, &[KNOWN]),
        Decision::New
    );
}

#[test]
fn between_two_namesakes_nobody_is_chosen() {
    let one = Sketch { email: "", page: "", city: "", jobs: &[(1, "")], ..KNOWN };
    let other = Sketch { email: "", page: "other", source: 1, ..one };
    let two = [Sketch { page: "one", ..one }, other];
    let record = Sketch { page: "", source: 2, ..one };
    assert_eq!(decide(record, &two), Decision::New);
}

#[test]
fn who_shares_a_switchboard_is_not_the_same() {
    let line = "+44 113 496 0000";
    let known = Sketch { landline: line, ..KNOWN };
    let record =
        |name| Sketch { name, landline: line, jobs: &[(1, "Clerk")], source: 2, ..Sketch::default() };
    for name in ["Linda Ashwell", "Roberta Nkemelu", "Piet Janssen"] {
        assert_eq!(decide(record(name), &[known]), Decision::New, "{name}");
    }
}

#[test]
fn two_halves_that_a_record_shows_to_be_one_are_merged() {
    let by_mail = Sketch { page: "", jobs: &[(1, "Head of Sales")], ..KNOWN };
    let by_page = Sketch { email: "", jobs: &[], source: 2, ..KNOWN };
    let record = Sketch { source: 3, ..KNOWN };
    assert_eq!(decide(record, &[by_mail, by_page]), Decision::Merge(vec![0, 1]));
}

/// Two that weigh the same against the record, and only one of whom leads to the other.
#[test]
fn of_two_that_weigh_the_same_neither_is_chosen_for_where_it_stands() {
    let record = Sketch {
        name: "Ana Lima Costa",
        jobs: &[(1, "CFO")],
        email: "ana@two.example",
        city: "Leeds",
        source: 1,
        ..Sketch::default()
    };
    let short =
        Sketch { name: "Costa Ana", email: "r.ashwell@one.example", page: "b-2", ..Sketch::default() };
    let long = Sketch { jobs: &[(3, ""), (2, "Clerk")], city: "Leeds", ..short };
    assert_eq!(decide(record, &[long, short]), Decision::Merge(vec![0, 1]));
    assert_eq!(decide(record, &[short, long]), Decision::Merge(vec![1, 0]));
}

fn sketches() -> impl Strategy<Value = Sketch> {
    let names = prop::sample::select(vec![
        "Roberta Ashwell",
        "Bobbie Ashwell",
        "R. Ashwell",
        "Ana Lima Costa",
        "Costa Ana",
        "Jean-Pierre Le Goff",
        "J Smith",
    ]);
    let jobs: Vec<&'static [(u128, &'static str)]> =
        vec![&[], &[(1, "CFO")], &[(2, "Clerk"), (1, "Trainee")], &[(3, ""), (2, "Clerk")]];
    let emails =
        prop::sample::select(vec!["", "r.ashwell@one.example", "info@one.example", "ana@two.example"]);
    let cities = prop::sample::select(vec!["", "Leeds", "Porto"]);
    let pages = prop::sample::select(vec!["", "a-1", "b-2"]);
    (names, prop::sample::select(jobs), emails, cities, pages, 0_u32..3).prop_map(
        |(name, jobs, email, city, page, source)| Sketch {
            name,
            jobs,
            email,
            city,
            page,
            landline: "",
            source,
        },
    )
}

proptest! {
    #[test]
    fn a_comparison_is_the_same_whichever_comes_first(one in sketches(), other in sketches()) {
        let (one, other) = (profile(one), profile(other));
        prop_assert_eq!(compare(&one, &other, Rarity::UNKNOWN), compare(&other, &one, Rarity::UNKNOWN));
    }

    #[test]
    fn whose_record_it_is_does_not_depend_on_the_order(
        record in sketches(),
        candidates in prop::collection::vec(sketches(), 0..5),
    ) {
        let backwards: Vec<Sketch> = candidates.iter().rev().copied().collect();
        // Twins among the candidates may stand for each other, so what they say is compared.
        let told = |decision: Decision, candidates: &[Sketch]| {
            let said = |place: usize| candidates.get(place).map(|one| format!("{one:?}"));
            match decision {
                Decision::New => Vec::new(),
                Decision::Link(place) => vec![said(place)],
                Decision::Merge(places) => {
                    let mut ones: Vec<_> = places.into_iter().map(said).collect();
                    ones.sort();
                    ones
                }
            }
        };
        let forwards = told(decide(record, &candidates), &candidates);
        prop_assert_eq!(forwards, told(decide(record, &backwards), &backwards));
    }

    /// Whoever asks with exactly what is stored is met.
    #[test]
    fn what_is_stored_is_met_by_who_asks_the_same(sketch in sketches()) {
        let key = assay_domain::IdentityKey::new([7; 32]);
        let profile = profile(sketch);
        let stored = stored_keys(&profile, &key);
        let asked = asked_keys(&profile, &key);
        prop_assert!(asked.iter().any(|key| stored.contains(key)), "{:?}", sketch);
    }
}
