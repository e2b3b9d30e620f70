//! The decision, step by step.

use assay_domain::Confidence;
use assay_domain::limits::FINDER_PROBES_MAX;

use super::parts::{learnt, name};
use crate::finder::{Answer, Candidate, CatchAll, Heard, MailServer, Next, candidates, next_step};

const TELLING: MailServer = MailServer { catch_all: CatchAll::No, settles: true };
const TAKING: MailServer = MailServer { catch_all: CatchAll::Yes, settles: true };
const SILENT: MailServer = MailServer { catch_all: CatchAll::No, settles: false };
const STRANGE: MailServer = MailServer { catch_all: CatchAll::Unknown, settles: true };

const FLAST: &[(&str, &str, &str)] =
    &[("Ines", "Fox", "ifox"), ("Paul", "Hill", "phill"), ("Eva", "Reed", "ereed")];

fn heard(said: &[(&str, Answer)]) -> Vec<Heard> {
    said.iter().map(|(local, answer)| Heard { local: (*local).to_owned(), answer: *answer }).collect()
}

fn of(first: &str, last: &str, people: u32) -> Vec<Candidate> {
    candidates(&name(first, last), &learnt(people, FLAST))
}

/// Nothing exists but what was heard of already.
fn ask_to_the_end(list: &[Candidate], mut heard: Vec<Heard>) -> Next {
    loop {
        match next_step(list, TELLING, &heard) {
            Next::Probe(local) => heard.push(Heard { local, answer: Answer::Absent }),
            outcome => return outcome,
        }
    }
}

#[test]
fn the_likeliest_is_asked_first_and_answered_when_it_exists() {
    let list = of("Nora", "Quetzalbach", 50);
    assert_eq!(next_step(&list, TELLING, &[]), Next::Probe("nquetzalbach".to_owned()));
    let next = next_step(&list, TELLING, &heard(&[("nquetzalbach", Answer::Exists)]));
    let Next::Answer { local, confidence, verified } = next else { panic!("{next:?}") };
    assert_eq!((local.as_str(), verified), ("nquetzalbach", true));
    assert!(confidence >= Confidence::percent(98));
}

#[test]
fn what_does_not_exist_is_followed_by_the_next_likeliest() {
    let list = of("Nora", "Quetzalbach", 50);
    let next = next_step(&list, TELLING, &heard(&[("nquetzalbach", Answer::Absent)]));
    assert_eq!(next, Next::Probe("nora.quetzalbach".to_owned()));
}

#[test]
fn no_more_is_asked_than_allowed() {
    let list = of("Nora", "Quetzalbach", 50);
    let mut said: Vec<Heard> = Vec::new();
    while let Next::Probe(local) = next_step(&list, TELLING, &said) {
        said.push(Heard { local, answer: Answer::Absent });
    }
    assert!(said.len() <= FINDER_PROBES_MAX && !said.is_empty());
    assert_eq!(next_step(&list, TELLING, &said), Next::GiveUp);
}

#[test]
fn a_common_name_in_a_large_company_is_checked_for_namesakes() {
    let list = of("John", "Smith", 300);
    let first = heard(&[("jsmith", Answer::Exists)]);
    assert_eq!(next_step(&list, TELLING, &first), Next::Probe("jsmith2".to_owned()));
    let both = heard(&[("jsmith", Answer::Exists), ("jsmith2", Answer::Exists)]);
    let next = next_step(&list, TELLING, &both);
    assert!(!matches!(next, Next::Answer { verified: true, .. }), "{next:?}");
    let next = ask_to_the_end(&list, first);
    let Next::Answer { local, confidence, .. } = next else { panic!("{next:?}") };
    assert_eq!(local, "jsmith");
    assert!(confidence < Confidence::percent(99), "a namesake may have been given another name");
}

#[test]
fn of_two_with_the_very_same_name_neither_is_answered_for_the_other() {
    let alone = learnt(50, FLAST);
    let yes = heard(&[("nquetzalbach", Answer::Exists)]);
    let both = heard(&[("nquetzalbach", Answer::Exists), ("nquetzalbach2", Answer::Exists)]);
    let list = |habits| candidates(&name("Nora", "Quetzalbach"), &habits);
    assert!(matches!(next_step(&list(alone.clone()), TELLING, &yes), Next::Answer { verified: true, .. }));
    for said in [yes, both.clone()] {
        let next = ask_to_the_end(&list(alone.clone().with_doubles(1)), said);
        assert!(!matches!(next, Next::Answer { .. }), "{next:?}");
    }
    // Where it is known which mailbox the other one has, the other mailbox is theirs.
    for (known, theirs) in [("nquetzalbach", "nquetzalbach2"), ("nquetzalbach2", "nquetzalbach")] {
        let examples = [FLAST, &[("Nora", "Quetzalbach", known)]].concat();
        let next = ask_to_the_end(&list(learnt(50, &examples).with_doubles(1)), both.clone());
        let Next::Answer { local, .. } = next else { panic!("{known}: {next:?}") };
        assert_eq!(local, theirs);
    }
}

#[test]
fn a_namesake_with_a_high_number_shows_that_those_before_are_taken_not_by_whom() {
    let examples = [FLAST, &[("Nils", "Quetzalbach", "nquetzalbach3")]].concat();
    let list = candidates(&name("Nora", "Quetzalbach"), &learnt(50, &examples));
    let both = heard(&[("nquetzalbach", Answer::Exists), ("nquetzalbach2", Answer::Exists)]);
    let next = ask_to_the_end(&list, both);
    assert!(!matches!(next, Next::Answer { .. }), "{next:?}");
}

#[test]
fn a_mailbox_in_a_crowd_of_namesakes_is_not_even_asked_for() {
    let list = of("John", "Smith", 50_000);
    assert_ne!(next_step(&list, TELLING, &[]), Next::Probe("jsmith".to_owned()));
}

#[test]
fn a_domain_that_takes_everything_is_never_asked() {
    let next = next_step(&of("Nora", "Quetzalbach", 50), TAKING, &[]);
    let Next::Answer { local, confidence, verified } = next else { panic!("{next:?}") };
    assert_eq!((local.as_str(), verified), ("nquetzalbach", false));
    assert!(confidence >= Confidence::percent(80));
    let unknown = candidates(&name("Nora", "Quetzalbach"), &learnt(50, &[]));
    assert_eq!(next_step(&unknown, TAKING, &[]), Next::GiveUp, "a guess of one in two is none");
}

#[test]
fn a_server_that_does_not_say_is_treated_alike() {
    let list = of("Nora", "Quetzalbach", 50);
    assert!(matches!(next_step(&list, SILENT, &[]), Next::Answer { verified: false, .. }));
    let put_off = heard(&[("nquetzalbach", Answer::Unknown), ("nora.quetzalbach", Answer::Unknown)]);
    assert!(matches!(next_step(&list, TELLING, &put_off), Next::Answer { verified: false, .. }));
}

#[test]
fn a_domain_that_may_take_everything_verifies_only_after_a_refusal() {
    let list = of("Nora", "Quetzalbach", 50);
    let yes = heard(&[("nquetzalbach", Answer::Exists)]);
    assert!(!matches!(next_step(&list, STRANGE, &yes), Next::Answer { verified: true, .. }));
    let refused = heard(&[("nora.quetzalbach", Answer::Absent), ("nquetzalbach", Answer::Exists)]);
    assert!(matches!(next_step(&list, STRANGE, &refused), Next::Answer { verified: true, .. }));
}

#[test]
fn nobody_to_think_of_is_given_up() {
    assert_eq!(next_step(&[], TELLING, &[]), Next::GiveUp);
}
