//! What judgements are made of what was said, and that a verification asks for no more than it must.

mod driving;

use std::collections::BTreeSet;
use std::time::Duration;

use assay_domain::Email;
use assay_domain::taxonomy::EmailStatus::{self, CatchAll, Disposable, Invalid, Risky, Unknown, Valid};
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::*;
use crate::address::check;
use crate::classify::{Complaint, Meaning};
use crate::exchange::{DnsFailure, Exchange, Exchanges};
use crate::probe::{Ended, Probed, RecipientAnswer, Unreachable};
use crate::provider::MailService;
use crate::reply::ReplyReader;

const KNOW_NOTHING: DomainKnowledge = DomainKnowledge { catch_all: None };

fn anna() -> Checked {
    check("anna.moss@acme.test").unwrap()
}

fn exchanges(host: &str) -> Exchanges {
    Exchanges::Hosts(vec![Exchange { preference: 10, host: host.to_owned() }])
}

fn service(host: &str) -> MailService {
    MailService::of_exchanges(&[Exchange { preference: 10, host: host.to_owned() }]).unwrap()
}

fn answer(email: &str, meaning: Meaning) -> RecipientAnswer {
    RecipientAnswer {
        email: Email::parse(email).unwrap(),
        meaning,
        code: 250,
        enhanced: None,
        text: Default::default(),
    }
}

/// An answer as the prober makes it of a reply's line.
fn said(email: &str, line: &str) -> RecipientAnswer {
    let reply = ReplyReader::default().read(&mut format!("{line}\r\n").as_bytes()).unwrap().unwrap();
    let meaning = crate::classify::classify(crate::classify::Stage::Rcpt, &reply);
    RecipientAnswer {
        enhanced: reply.enhanced(),
        text: reply.text(),
        code: reply.code(),
        ..answer(email, meaning)
    }
}

fn ended(recipients: Vec<RecipientAnswer>, host: &str, ended: Ended) -> Probed {
    Probed { recipients, host: host.to_owned(), tls: false, ended, refusal: None, took: Duration::ZERO }
}

/// Anna's answer, and those of strangers.
fn answers(own: Meaning, strangers: &[Meaning]) -> Vec<RecipientAnswer> {
    let own = answer("anna.moss@acme.test", own);
    let strangers = (0..).zip(strangers).map(|(n, it)| answer(&format!("stranger{n}@acme.test"), *it));
    std::iter::once(own).chain(strangers).collect()
}

fn judge_at(host: &str, recipients: Vec<RecipientAnswer>, end: Ended, known: DomainKnowledge) -> Verdict {
    let probed = ended(recipients, host, end);
    judge(&anna(), &exchanges(host), Some(&service(host)), Some(&probed), known)
}

fn judge_answers(own: Meaning, strangers: &[Meaning]) -> Verdict {
    judge_at("mx.acme.test", answers(own, strangers), Ended::Normally, KNOW_NOTHING)
}

fn told(own: Meaning, strangers: &[Meaning]) -> (EmailStatus, Reason) {
    let verdict = judge_answers(own, strangers);
    (verdict.status, verdict.reason)
}

use Meaning::{
    Accepted, Deferred, Greylisted, MailboxDisabled, MailboxFull, Malformed, NeedsTls, NoMailHere,
    NoSuchMailbox, OurReputation, PolicyOther, ReceivingTooFast, SessionLimit,
};

#[test]
fn who_is_taken_where_strangers_are_not_is_valid() {
    let verdict = judge_answers(Accepted, &[NoSuchMailbox, NoSuchMailbox]);
    assert_eq!((verdict.status, verdict.reason), (Valid, Reason::Accepted));
    assert_eq!(
        (verdict.mailbox_exists, verdict.catch_all, verdict.mx_found),
        (Some(true), Some(false), Some(true))
    );
    assert_eq!((verdict.full_inbox, verdict.disabled, verdict.retry), (Some(false), Some(false), None));
    assert_eq!(verdict.operator.unwrap().name(), "acme.test");
    assert_eq!(told(Accepted, &[NoSuchMailbox]), (Valid, Reason::Accepted));
    assert_eq!(told(ReceivingTooFast, &[NoSuchMailbox; 2]), (Valid, Reason::ReceivingTooFast));
}

#[test]
fn where_strangers_are_taken_too_nothing_is_known_of_the_mailbox() {
    let verdict = judge_answers(Accepted, &[Accepted, Accepted]);
    assert_eq!((verdict.status, verdict.catch_all, verdict.mailbox_exists), (CatchAll, Some(true), None));
    assert_eq!(told(ReceivingTooFast, &[ReceivingTooFast; 2]).0, CatchAll);
    assert_eq!(told(Accepted, &[Accepted, NoSuchMailbox]), (Risky, Reason::CatchAllUnknown));
    assert_eq!(told(Accepted, &[Accepted]), (Risky, Reason::CatchAllUnknown));
    assert_eq!(told(Accepted, &[PolicyOther, PolicyOther]), (Risky, Reason::CatchAllUnknown));
    assert_eq!(told(Accepted, &[]), (Risky, Reason::CatchAllUnknown));
}

#[test]
fn strangers_who_are_put_off_make_another_try_worth_while() {
    let verdict = judge_answers(Accepted, &[Greylisted, Greylisted]);
    assert_eq!((verdict.status, verdict.retry), (Unknown, Some(Retry::Greylisted)));
    assert_eq!(judge_answers(Accepted, &[Accepted, Deferred]).retry, Some(Retry::Deferred));
    let blamed = judge_answers(Accepted, &[OurReputation(Complaint::Blocklist)]);
    assert_eq!((blamed.status, blamed.blames_us), (Unknown, true));
    for (end, reason) in [
        (Ended::HungUp, Reason::HungUp),
        (Ended::Deadline, Reason::TimedOut),
        (Ended::OutOfStep, Reason::NotUnderstood),
    ] {
        let verdict = judge_at("mx.acme.test", answers(Accepted, &[]), end, KNOW_NOTHING);
        assert_eq!((verdict.status, verdict.reason), (Unknown, reason));
    }
}

#[test]
fn a_refusal_passed_on_as_not_now_tells_strangers_apart_only_in_plain_words() {
    let own = || answer("anna.moss@acme.test", Accepted);
    let unverified = "450 4.1.1 <x@acme.test>: Recipient address rejected: unverified address: host b said:";
    let unknown = format!("{unverified} 550 5.1.1 User unknown in virtual mailbox table");
    let down = format!("{unverified} connect to b: Operation timed out");
    let with = |line: &str| {
        let strangers = ["s1@acme.test", "s2@acme.test"].map(|stranger| said(stranger, line));
        judge_at("mx.acme.test", [vec![own()], strangers.into()].concat(), Ended::Normally, KNOW_NOTHING)
    };
    assert_eq!(with(&unknown).status, Valid);
    assert_eq!(with(&down).status, Unknown);
    assert_eq!(with(&down).retry, Some(Retry::Deferred));
    let alone =
        judge_at("mx.acme.test", vec![said("anna.moss@acme.test", &unknown)], Ended::Normally, KNOW_NOTHING);
    assert_eq!((alone.status, alone.retry), (Unknown, Some(Retry::Deferred)));
}

#[test]
fn what_is_said_of_the_mailbox_is_passed_on() {
    let missing = judge_answers(NoSuchMailbox, &[]);
    assert_eq!((missing.status, missing.mailbox_exists), (Invalid, Some(false)));
    let disabled = judge_answers(MailboxDisabled, &[]);
    assert_eq!((disabled.status, disabled.disabled, disabled.mailbox_exists), (Invalid, Some(true), None));
    let full = judge_answers(MailboxFull, &[]);
    assert_eq!((full.status, full.full_inbox, full.mailbox_exists), (Risky, Some(true), Some(true)));
}

#[test]
fn what_is_said_of_us_or_of_nothing_leaves_the_mailbox_unknown() {
    for (meaning, reason, retry) in [
        (Greylisted, Reason::Greylisted, Some(Retry::Greylisted)),
        (Deferred, Reason::Deferred, Some(Retry::Deferred)),
        (SessionLimit, Reason::Deferred, Some(Retry::Deferred)),
        (OurReputation(Complaint::Rate), Reason::OurReputation, Some(Retry::Deferred)),
        (OurReputation(Complaint::Blocklist), Reason::OurReputation, None),
        (PolicyOther, Reason::Policy, None),
        (NoMailHere, Reason::NoMailHere, None),
        (NeedsTls, Reason::TlsFailed, None),
        (Malformed, Reason::NotUnderstood, None),
    ] {
        let of_recipient = judge_answers(meaning, &[]);
        let of_us = judge_at("mx.acme.test", Vec::new(), Ended::Refused(meaning), KNOW_NOTHING);
        for verdict in [of_recipient, of_us] {
            assert_eq!((verdict.status, verdict.reason, verdict.retry), (Unknown, reason, retry));
            assert_eq!(verdict.blames_us, reason == Reason::OurReputation);
        }
    }
    for meaning in [NoSuchMailbox, MailboxDisabled, MailboxFull, ReceivingTooFast, Accepted] {
        let verdict = judge_at("mx.acme.test", Vec::new(), Ended::Refused(meaning), KNOW_NOTHING);
        assert_eq!(verdict.status, Unknown, "{meaning:?} before anyone was asked for");
    }
}

#[test]
fn a_server_that_cannot_be_heard_leaves_the_mailbox_unknown() {
    for (end, reason) in [
        (Ended::HungUp, Reason::HungUp),
        (Ended::Deadline, Reason::TimedOut),
        (Ended::OutOfStep, Reason::NotUnderstood),
        (Ended::Unreachable(Unreachable::ConnectionRefused), Reason::Unreachable),
        (Ended::Normally, Reason::NotAsciiOnly),
    ] {
        let verdict = judge_at("mx.acme.test", Vec::new(), end, KNOW_NOTHING);
        assert_eq!((verdict.status, verdict.reason, verdict.retry), (Unknown, reason, None));
        assert_eq!(verdict.mx_found, Some(true));
    }
}

#[test]
fn a_domain_that_takes_no_mail_is_invalid_and_one_that_dns_hides_is_not() {
    for (exchanges, status, reason, mx_found) in [
        (Exchanges::NoDomain, Invalid, Reason::NoDomain, Some(false)),
        (Exchanges::NullMx, Invalid, Reason::NullMx, Some(false)),
        (Exchanges::Nothing, Invalid, Reason::NoMailServer, Some(false)),
        (Exchanges::Failed(DnsFailure::TimedOut), Unknown, Reason::DnsFailed, None),
        (exchanges("mx.acme.test"), Unknown, Reason::DnsFailed, Some(true)),
        (Exchanges::Implicit, Unknown, Reason::DnsFailed, Some(true)),
    ] {
        let verdict = judge(&anna(), &exchanges, None, None, KNOW_NOTHING);
        assert_eq!((verdict.status, verdict.reason, verdict.mx_found), (status, reason, mx_found));
        assert_eq!(verdict.operator, None);
    }
}

#[test]
fn what_was_learnt_of_the_domain_spares_the_strangers() {
    let with = |catch_all| {
        let known = DomainKnowledge { catch_all: Some(catch_all) };
        judge_at("mx.acme.test", answers(Accepted, &[]), Ended::Normally, known)
    };
    assert_eq!((with(true).status, with(true).catch_all), (CatchAll, Some(true)));
    assert_eq!((with(false).status, with(false).catch_all), (Valid, Some(false)));
}

#[test]
fn operators_are_believed_as_far_as_they_can_be() {
    let at = |host| judge_at(host, answers(Accepted, &[]), Ended::Normally, KNOW_NOTHING);
    let gmail = at("gmail-smtp-in.l.google.com");
    assert_eq!((gmail.status, gmail.free_provider, gmail.provider.as_deref()), (Valid, true, Some("Gmail")));
    let yahoo = at("mta7.am0.yahoodns.net");
    assert_eq!((yahoo.status, yahoo.reason), (Unknown, Reason::CannotBeTold));
    let gateway = at("mx1.antispamcloud.com");
    assert_eq!((gateway.status, gateway.reason), (Risky, Reason::CatchAllUnknown));
    assert_eq!((gateway.gateway.as_deref(), gateway.provider), (Some("SpamExperts"), None));
    let refused =
        judge_at("mta7.am0.yahoodns.net", answers(NoSuchMailbox, &[]), Ended::Normally, KNOW_NOTHING);
    assert_eq!(refused.status, Invalid);
}

#[test]
fn an_address_to_throw_away_is_that_and_nothing_else() {
    let checked = check("anna@mailinator.com").unwrap();
    let verdict = judge(&checked, &Exchanges::NoDomain, None, None, KNOW_NOTHING);
    assert_eq!((verdict.status, verdict.disposable, verdict.mailbox_exists), (Disposable, true, None));
}

#[test]
fn a_text_that_is_no_address_is_invalid_and_may_be_mended() {
    let verdict = Verdict::of_text("anna@gmail,com");
    assert_eq!((verdict.status, verdict.reason), (Invalid, Reason::Syntax));
    assert_eq!(verdict.did_you_mean, Some(Email::parse("anna@gmail.com").unwrap()));
    assert_eq!(Verdict::of_text("anna").did_you_mean, None);
}

#[test]
fn what_the_lists_say_stands_beside_the_status() {
    let checked = check("info@acme.test").unwrap();
    let own = answer("info@acme.test", Accepted);
    let probed = ended(vec![own, answer("s@acme.test", NoSuchMailbox)], "mx.acme.test", Ended::Normally);
    let service = service("mx.acme.test");
    let verdict = judge(&checked, &exchanges("mx.acme.test"), Some(&service), Some(&probed), KNOW_NOTHING);
    assert_eq!((verdict.status, verdict.generic), (Valid, true));
}

#[test]
fn every_reason_has_a_word_of_its_own_and_a_score_that_fits_its_status() {
    let words: BTreeSet<&str> = Reason::ALL.iter().map(|reason| reason.as_str()).collect();
    assert_eq!(words.len(), Reason::ALL.len());
    for reason in Reason::ALL {
        let fitting = match reason.status() {
            Valid => 85..=100,
            Invalid => 0..=5,
            Disposable => 6..=15,
            _ => 15..=70,
        };
        assert!(fitting.contains(&reason.score()), "{reason:?}");
    }
}

#[test]
fn debug_output_of_a_verdict_does_not_show_the_address() {
    let checked = check("anna.moss@gmial.com").unwrap();
    let verdict = judge(&checked, &Exchanges::NoDomain, None, None, KNOW_NOTHING);
    assert!(verdict.did_you_mean.is_some());
    assert!(!format!("{verdict:?}").contains("anna"));
}

fn meanings() -> impl Strategy<Value = Meaning> {
    prop::sample::select(vec![
        Accepted,
        Accepted,
        NoSuchMailbox,
        NoSuchMailbox,
        MailboxDisabled,
        MailboxFull,
        ReceivingTooFast,
        Greylisted,
        Deferred,
        OurReputation(Complaint::Blocklist),
        OurReputation(Complaint::Rate),
        OurReputation(Complaint::Helo),
        NoMailHere,
        NeedsTls,
        SessionLimit,
        PolicyOther,
        Malformed,
    ])
}

fn ends() -> impl Strategy<Value = Ended> {
    prop_oneof![
        Just(Ended::Normally),
        Just(Ended::HungUp),
        Just(Ended::Deadline),
        Just(Ended::OutOfStep),
        Just(Ended::Unreachable(Unreachable::TimedOut)),
        meanings().prop_map(Ended::Refused),
    ]
}

fn hosts() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "mx.acme.test",
        "mta7.am0.yahoodns.net",
        "mx1.antispamcloud.com",
        "aspmx.l.google.com",
    ])
}

proptest! {
    #[test]
    fn nothing_is_called_valid_or_invalid_without_the_word_of_a_server(
        own in prop::option::of(meanings()),
        strangers in prop::collection::vec(meanings(), 0..3),
        end in ends(), host in hosts(), known in prop::option::of(any::<bool>()),
    ) {
        let mut said = answers(own.unwrap_or(Malformed), &strangers);
        if own.is_none() {
            said.remove(0);
        }
        let verdict = judge_at(host, said, end, DomainKnowledge { catch_all: known });
        let is_taken = matches!(own, Some(Accepted | ReceivingTooFast));
        let is_stranger_refused = strangers.iter().any(|it| matches!(it, NoSuchMailbox | MailboxDisabled));
        let is_stranger_taken = strangers.iter().any(|it| matches!(it, Accepted | ReceivingTooFast | MailboxFull));
        match verdict.status {
            Valid => {
                prop_assert!(is_taken);
                prop_assert!(known == Some(false) || is_stranger_refused && !is_stranger_taken);
            }
            Invalid => prop_assert!(matches!(own, Some(NoSuchMailbox | MailboxDisabled))),
            CatchAll => prop_assert!(is_taken && (known == Some(true) || strangers.len() == 2)),
            Risky => prop_assert!(is_taken || own == Some(MailboxFull)),
            _ => prop_assert_eq!(verdict.mailbox_exists, None),
        }
        if own.is_some_and(Meaning::is_about_us) || own.is_none() {
            prop_assert_eq!(verdict.status, Unknown);
        }
        prop_assert!(verdict.retry.is_none() || verdict.status == Unknown);
        prop_assert!(verdict.score <= 100);
        prop_assert_eq!(verdict.mx_found, Some(true));
    }

    #[test]
    fn strangers_are_long_plain_names_and_a_seed_draws_the_same_ones(seed in any::<u64>()) {
        let draw = || draw_strangers("acme.test", &mut StdRng::seed_from_u64(seed));
        let drawn = draw();
        prop_assert_eq!(&drawn, &draw());
        prop_assert_eq!(drawn.len(), 2);
        prop_assert_ne!(&drawn[0], &drawn[1]);
        for stranger in &drawn {
            prop_assert!((12..=16).contains(&stranger.local().len()));
            prop_assert!(stranger.local().bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()));
        }
    }
}
