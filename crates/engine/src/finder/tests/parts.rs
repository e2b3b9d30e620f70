//! Names, patterns, habits and candidates, one by one.

use std::collections::BTreeSet;

use assay_domain::limits::FINDER_CANDIDATES_MAX;
use assay_domain::{Confidence, Domain, Email, PersonName};
use proptest::prelude::*;

use crate::finder::choice::USUAL;
use crate::finder::{
    Candidate, Example, Habits, Pattern, Probability, Separator, Setting, Shape, Topic, Way, candidates, read,
};

pub(super) fn name(first: &str, last: &str) -> PersonName {
    PersonName::from_parts(first, last).unwrap()
}

pub(super) fn example(first: &str, last: &str, local: &str) -> Example {
    let email = Email::parse(&format!("{local}@northwind.example")).unwrap();
    Example { name: name(first, last), email, confidence: Confidence::percent(97), age_days: 30 }
}

pub(super) fn learnt(people: u32, examples: &[(&str, &str, &str)]) -> Habits {
    let examples: Vec<Example> =
        examples.iter().map(|(first, last, local)| example(first, last, local)).collect();
    Habits::learn(Setting { people: Some(people), country: None }, &examples)
}

fn list(first: &str, last: &str, habits: &Habits) -> Vec<Candidate> {
    candidates(&name(first, last), habits)
}

fn best(first: &str, last: &str, habits: &Habits) -> String {
    list(first, last, habits).first().map(|best| best.local.clone()).unwrap_or_default()
}

fn has(first: &str, last: &str, locals: &[&str]) {
    let habits = learnt(200, &[("Ines", "Fox", "ines.fox")]);
    let list = list(first, last, &habits);
    for local in locals {
        assert!(list.iter().any(|candidate| candidate.local == *local), "{first} {last}: no {local}");
    }
}

#[test]
fn names_are_spelt_in_the_ways_that_mailboxes_have() {
    has("Jürgen", "Müller", &["juergen.mueller", "jurgen.muller"]);
    has("Søren", "Kjær", &["soren.kjaer", "soeren.kjaer"]);
    has("Anna-Lena", "Fox", &["anna-lena.fox", "annalena.fox", "anna.fox"]);
    has("Gabriel", "García Márquez", &["gabriel.garcia", "gabriel.garciamarquez", "gabriel.marquez"]);
    has("Piet", "van der Berg", &["piet.vanderberg", "piet.berg", "piet.vdberg"]);
    has("Shane", "O'Neil", &["shane.oneil", "shane.o'neil"]);
    has("Robert", "Fox", &["robert.fox", "rob.fox"]);
    has("Bob", "Fox", &["bob.fox", "robert.fox"]);
    has("Дмитрий", "Иванов", &["dmitry.ivanov"]);
    has("小明", "王", &["xiaoming.wang"]);
    has("Dr. Ines", "Fox Jr.", &["ines.fox"]);
    has("John Q.", "Fox", &["john.fox", "john.q.fox"]);
}

#[test]
fn no_two_ways_of_writing_umlauts_are_mixed_in_one_address() {
    let list = list("Jürgen", "Müller", &learnt(200, &[("Ines", "Fox", "ines.fox")]));
    assert!(!list.iter().any(|candidate| candidate.local == "juergen.muller"));
}

#[test]
fn an_address_shows_its_pattern_spelling_and_number() {
    let pattern = |first, last, local: &str| read(&name(first, last), local).map(|read| read.pattern);
    let is = |shape, separator| Some(Pattern { shape, separator });
    assert_eq!(pattern("Ines", "Fox", "ines.fox"), is(Shape::FirstLast, Separator::Dot));
    assert_eq!(pattern("Ines", "Fox", "ifox"), is(Shape::InitialLast, Separator::Nothing));
    assert_eq!(pattern("Ines", "Fox", "i.fox"), is(Shape::InitialLast, Separator::Dot));
    assert_eq!(pattern("Ines", "Fox", "inesf"), is(Shape::FirstInitial, Separator::Nothing));
    assert_eq!(pattern("Ines", "Fox", "ines"), is(Shape::First, Separator::Nothing));
    assert_eq!(pattern("Ines", "Fox", "fox"), is(Shape::Last, Separator::Nothing));
    assert_eq!(pattern("Ines", "Fox", "fox.ines"), is(Shape::LastFirst, Separator::Dot));
    assert_eq!(pattern("Ines", "Fox", "foxi"), is(Shape::LastInitial, Separator::Nothing));
    assert_eq!(pattern("Ines", "Fox", "ines_fox"), is(Shape::FirstLast, Separator::Underscore));
    assert_eq!(pattern("Jean-Pierre", "Fox", "jpfox"), is(Shape::InitialLast, Separator::Nothing));
    assert_eq!(pattern("Ines", "Fox", "paul.hill"), None);
    assert_eq!(read(&name("Ines", "Fox"), "ines.fox2").and_then(|read| read.number), Some(2));
    assert_eq!(read(&name("Ines", "Fox"), "ines.fox1987"), None);
    let choices = read(&name("Jürgen", "van der Berg"), "juergen.berg").unwrap().choices;
    assert!(
        choices.contains(&(Topic::Umlauts, Way::Spelt))
            && choices.contains(&(Topic::Particles, Way::LastOnly))
    );
}

#[test]
fn examples_show_the_pattern_and_the_spelling() {
    let habits = learnt(200, &[("Ines", "Fox", "ifox"), ("Paul", "van Dijk", "pdijk")]);
    assert_eq!(best("Maria", "van den Berg", &habits), "mberg");
    let habits = learnt(200, &[("Jürgen", "Fox", "fox.juergen")]);
    assert_eq!(best("Käthe", "Böhm", &habits), "boehm.kaethe");
}

#[test]
fn few_people_have_first_names_and_many_have_both() {
    assert_eq!(best("Ines", "Fox", &learnt(6, &[])), "ines");
    assert_eq!(best("Ines", "Fox", &learnt(6_000, &[])), "ines.fox");
}

#[test]
fn german_is_spelt_in_german_companies() {
    let at = |domain: &str| Setting::of(&Domain::parse(domain).unwrap(), Some(300), None);
    assert_eq!(best("Jörg", "Böhm", &Habits::usual(at("northwind.de"))), "joerg.boehm");
    assert_eq!(best("Jörg", "Böhm", &Habits::usual(at("northwind.se"))), "jorg.bohm");
}

#[test]
fn an_old_or_doubtful_example_counts_less() {
    let mut old = example("Ines", "Fox", "ifox");
    old.age_days = 6_000;
    let mut doubtful = example("Ines", "Fox", "ifox");
    doubtful.confidence = Confidence::percent(30);
    let share = |example: Example| {
        let habits =
            Habits::learn(Setting::default(), &[example, self::example("Paul", "Hill", "paul.hill")]);
        let list = list("Maria", "Reed", &habits);
        list.iter().find(|candidate| candidate.local == "mreed").unwrap().probability
    };
    let new = share(example("Ines", "Fox", "ifox"));
    assert!(share(old) < new && share(doubtful) < new);
}

#[test]
fn mailboxes_of_many_people_teach_nothing() {
    let habits = learnt(200, &[("Ines", "Fox", "info"), ("Paul", "Hill", "sales")]);
    assert_eq!(list("Maria", "Reed", &habits), list("Maria", "Reed", &learnt(200, &[])));
}

#[test]
fn who_comes_after_a_known_namesake_has_a_number() {
    let habits =
        learnt(400, &[("Jane", "Smith", "jsmith"), ("Ines", "Fox", "ifox"), ("Paul", "Hill", "phill2")]);
    assert_eq!(best("John", "Smith", &habits), "jsmith2");
    assert_eq!(best("John", "Reed", &habits), "jreed");
    let alone = learnt(1, &[("Ines", "Fox", "ines"), ("Paul", "Hill", "paul")]);
    assert_eq!(best("Ines", "Hill", &alone), "ines2", "a size that cannot be true does no harm");
}

#[test]
fn debug_output_hides_addresses() {
    let habits = learnt(400, &[("Jane", "Smith", "jsmith")]);
    let shown = format!("{:?} {:?}", habits, list("Paul", "Quetzal", &habits));
    assert!(!shown.contains("smith") && !shown.contains("quetzal"), "{shown}");
}

#[test]
fn what_is_usual_adds_up() {
    for size in [None, Some(5), Some(30), Some(300), Some(3_000)] {
        let list = list("Xq", "Zwyrtk", &Habits::usual(Setting { people: size, country: None }));
        let sum: u64 = list.iter().map(|candidate| u64::from(candidate.probability.billionths())).sum();
        assert!((950_000_000..=1_000_000_000).contains(&sum), "{size:?} {sum}");
    }
    let topics: BTreeSet<Topic> = USUAL.iter().map(|(topic, ..)| *topic).collect();
    for topic in topics {
        let shares = USUAL.iter().filter(|(of, ..)| *of == topic).map(|(.., share)| *share);
        assert_eq!(shares.sum::<u32>(), 1_000, "{topic:?}");
    }
}

proptest! {
    #[test]
    fn candidates_are_distinct_few_and_share_one(first in "\\PC{1,20}", last in "\\PC{1,30}", people in 1_u32..50_000) {
        let Ok(name) = PersonName::from_parts(&first, &last) else { return Ok(()) };
        let list = candidates(&name, &learnt(people, &[("Ines", "Fox", "ifox"), ("Paul", "van Dijk", "pdijk3")]));
        prop_assert!(list.len() <= FINDER_CANDIDATES_MAX);
        prop_assert!(list.windows(2).all(|pair| pair[0].probability >= pair[1].probability));
        let mut locals: Vec<&str> = list.iter().map(|candidate| candidate.local.as_str()).collect();
        locals.sort_unstable();
        locals.dedup();
        prop_assert_eq!(locals.len(), list.len());
        let sum: u64 = list.iter().map(|candidate| u64::from(candidate.probability.billionths())).sum();
        prop_assert!(sum <= u64::from(Probability::CERTAIN.billionths()));
        for candidate in &list {
            let address = format!("{}@northwind.example", candidate.local);
            prop_assert!(Email::parse(&address).is_ok_and(|email| email.as_str() == address));
        }
    }
}
