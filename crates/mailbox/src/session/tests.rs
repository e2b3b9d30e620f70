//! Conversations, played without a socket.

use super::*;
use crate::reply::ReplyReader;
use proptest::prelude::*;

fn email(text: &str) -> Email {
    Email::parse(text).unwrap()
}

fn envelope(recipients: &[&str]) -> Envelope {
    Envelope {
        helo: "probe.example.net".to_owned(),
        sender: Some(email("check@example.net")),
        recipients: recipients.iter().map(|it| email(it)).collect(),
        tls: true,
    }
}

fn reply(text: &str) -> Reply {
    let bytes = format!("{text}\r\n");
    ReplyReader::default().read(&mut bytes.as_bytes()).unwrap().unwrap()
}

/// Feeds replies in order (`TLS` and `CLOSED` stand for those events); returns the lines sent, the meanings
/// and the outcome.
fn play(envelope: Envelope, replies: &[&str]) -> (Vec<String>, Vec<Meaning>, Option<Outcome>) {
    let mut session = Session::new(envelope);
    let (mut sent, mut meanings) = (Vec::new(), Vec::new());
    for text in replies {
        let step = match *text {
            "TLS" => session.on_encrypted(),
            "CLOSED" => session.on_closed(),
            text => session.on_reply(reply(text)),
        };
        meanings.extend(session.take_answer().map(|it| it.meaning));
        match step {
            Step::Send(line) => sent.push(line.trim_end().to_owned()),
            Step::End(outcome) => return (sent, meanings, Some(outcome)),
            Step::Listen | Step::Encrypt => {}
        }
    }
    (sent, meanings, None)
}

#[test]
fn recipients_are_asked_for_one_after_the_other_and_then_it_leaves() {
    let replies = ["220 hi", "250 hello", "250 ok", "250 ok", "550 5.1.1 User unknown", "221 bye"];
    let (sent, meanings, outcome) = play(envelope(&["a@acme.test", "b@acme.test"]), &replies);
    let expected = [
        "EHLO probe.example.net",
        "MAIL FROM:<check@example.net>",
        "RCPT TO:<a@acme.test>",
        "RCPT TO:<b@acme.test>",
        "QUIT",
    ];
    assert_eq!(sent, expected);
    assert_eq!(meanings, [Meaning::Accepted, Meaning::NoSuchMailbox]);
    assert_eq!(outcome, Some(Outcome::Finished));
}

#[test]
fn encryption_is_begun_when_offered_and_greeted_again() {
    let replies = [
        "220 hi",
        "250-hello\r\n250-Size 1\r\n250 StartTLS",
        "220 go",
        "TLS",
        "250-a\r\n250 STARTTLS",
        "250",
        "250",
    ];
    let (sent, ..) = play(envelope(&["a@acme.test"]), &replies);
    let verbs: Vec<&str> = sent.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(verbs, ["EHLO", "STARTTLS", "EHLO", "MAIL", "RCPT", "QUIT"]);
}

#[test]
fn encryption_that_is_offered_and_not_given_is_done_without() {
    let replies = ["220 hi", "250-hello\r\n250 STARTTLS", "454 4.7.0 TLS not available", "250 ok"];
    let (sent, ..) = play(envelope(&["a@acme.test"]), &replies);
    assert_eq!(sent.last().unwrap(), "RCPT TO:<a@acme.test>");
    let closed = ["220 hi", "250-hello\r\n250 STARTTLS", "220 go", "CLOSED"];
    assert_eq!(play(envelope(&["a@acme.test"]), &closed).2, Some(Outcome::EncryptionFailed));
}

#[test]
fn a_server_that_wants_encryption_first_gets_it_even_if_it_did_not_offer_it() {
    let first = "530 5.7.0 Must issue a STARTTLS command first";
    for replies in [
        &["220 hi", "250 hello", first, "220 go", "TLS", "250 hello", "250 ok"][..],
        &["220 hi", "250 hello", "250 ok", first, "220 go", "TLS", "250 hello", "250 ok"][..],
    ] {
        let (sent, meanings, _) = play(envelope(&["a@acme.test"]), replies);
        assert!(sent.contains(&"STARTTLS".to_owned()));
        assert_eq!(sent.last().unwrap(), "RCPT TO:<a@acme.test>");
        assert!(meanings.is_empty());
    }
    let without = Envelope { tls: false, ..envelope(&["a@acme.test"]) };
    let (.., outcome) = play(without, &["220 hi", "250-hello\r\n250 STARTTLS", first, "221 bye"]);
    let Some(Outcome::Refused { stage, meaning, .. }) = outcome else { panic!("{outcome:?}") };
    assert_eq!((stage, meaning), (Stage::Mail, Meaning::NeedsTls));
}

#[test]
fn helo_is_said_where_ehlo_is_refused() {
    let (sent, ..) = play(envelope(&["a@acme.test"]), &["220 hi", "502 what", "250 hello"]);
    assert_eq!(sent[1..], ["HELO probe.example.net", "MAIL FROM:<check@example.net>"]);
}

#[test]
fn nobody_can_be_the_sender() {
    let nobody = Envelope { sender: None, ..envelope(&["a@acme.test"]) };
    assert_eq!(play(nobody, &["220 hi", "250 hello"]).0.last().unwrap(), "MAIL FROM:<>");
}

#[test]
fn an_address_beyond_ascii_is_asked_for_only_where_it_can_be_said() {
    let both = ["jürgen@acme.test", "b@acme.test"];
    let (sent, ..) = play(envelope(&both), &["220 hi", "250-hello\r\n250 SMTPUTF8", "250 ok"]);
    assert_eq!(sent[1..], ["MAIL FROM:<check@example.net> SMTPUTF8", "RCPT TO:<jürgen@acme.test>"]);
    let (sent, ..) = play(envelope(&both), &["220 hi", "250 hello", "250 ok"]);
    assert_eq!(sent[1..], ["MAIL FROM:<check@example.net>", "RCPT TO:<b@acme.test>"]);
    let (sent, meanings, outcome) = play(envelope(&both[..1]), &["220 hi", "250 hello", "221 bye"]);
    assert_eq!(
        (sent.last().unwrap().as_str(), meanings.len(), outcome),
        ("QUIT", 0, Some(Outcome::Finished))
    );
    let (sent, ..) = play(envelope(&["b@acme.test"]), &["220 hi", "250-hello\r\n250 SMTPUTF8"]);
    assert_eq!(sent.last().unwrap(), "MAIL FROM:<check@example.net>");
}

#[test]
fn a_refusal_before_any_recipient_says_where_and_why() {
    let blocked = "554 5.7.1 blocked using zen.spamhaus.org";
    for (replies, expected) in [
        (&[blocked][..], Stage::Greeting),
        (&["220 hi", blocked, blocked, "221 bye"][..], Stage::Helo),
        (&["220 hi", "421 4.7.0 reputation"][..], Stage::Helo),
        (&["220 hi", "250 hello", blocked, "221 bye"][..], Stage::Mail),
    ] {
        let (_, meanings, outcome) = play(envelope(&["a@acme.test"]), replies);
        let Some(Outcome::Refused { stage, meaning, .. }) = outcome else { panic!("{outcome:?}") };
        assert_eq!((stage, meaning.is_about_us(), meanings.len()), (expected, true, 0));
    }
}

#[test]
fn a_limit_of_the_session_says_nothing_of_the_recipient_it_met() {
    let limit = "452 4.5.3 Error: too many recipients";
    let begin = ["220 hi", "250 hello", "250 ok", "250 ok", limit, "221 bye"];
    let (_, meanings, outcome) = play(envelope(&["a@acme.test", "b@acme.test"]), &begin);
    assert_eq!((meanings, outcome), (vec![Meaning::Accepted], Some(Outcome::Limited)));
    let first = ["220 hi", "250 hello", "250 ok", limit, "221 bye"];
    let (_, meanings, _) = play(envelope(&["a@acme.test"]), &first);
    assert_eq!(meanings, [Meaning::SessionLimit]);
}

#[test]
fn a_server_that_hangs_up_ends_it_where_it_stood() {
    let begin = ["220 hi", "250 hello", "250 ok", "550 5.1.1 User unknown"];
    let stages = [Stage::Greeting, Stage::Helo, Stage::Mail, Stage::Rcpt, Stage::Rcpt];
    for (length, stage) in stages.into_iter().enumerate() {
        let replies = [&begin[..length], &["CLOSED"]].concat();
        let (.., outcome) = play(envelope(&["a@acme.test", "b@acme.test"]), &replies);
        assert_eq!(outcome, Some(Outcome::HungUp { stage }));
    }
    let at_the_end = [&begin[..], &["CLOSED"]].concat();
    assert_eq!(play(envelope(&["a@acme.test"]), &at_the_end).2, Some(Outcome::Finished));
}

#[test]
fn a_reply_too_many_is_noticed_at_the_latest_when_leaving() {
    // The server greets twice, so that each reply answers the question before; here hidden behind a 250.
    let shifted = ["220 hi", "250 hello", "250 ok", "250 ok", "550 5.1.1 User unknown", "221 bye"];
    let (.., outcome) = play(envelope(&["a@acme.test"]), &shifted);
    assert_eq!(outcome, Some(Outcome::OutOfStep { stage: Stage::Rcpt }));
    for strange in
        [&["220 hi", "220 hi again"][..], &["220 hi", "250 hello", "221 bye"][..], &["354 go on"][..]]
    {
        assert!(matches!(play(envelope(&["a@acme.test"]), strange).2, Some(Outcome::OutOfStep { .. })));
    }
    let odd_but_alone = ["220 hi", "250 hello", "250 ok", "250 ok", "250 bye", "CLOSED"];
    assert_eq!(play(envelope(&["a@acme.test"]), &odd_but_alone).2, Some(Outcome::Finished));
}

#[test]
fn debug_output_of_a_step_holds_no_address() {
    let step = Step::Send("RCPT TO:<jane.roe@acme.test>\r\n".to_owned());
    assert_eq!(format!("{step:?}"), "Send(RCPT)");
}

fn any_reply() -> impl Strategy<Value = Reply> {
    let code =
        prop_oneof![Just(220_u16), Just(250), Just(221), Just(421), Just(530), Just(550), 200_u16..600];
    let text = prop_oneof![
        Just("ok"),
        Just("5.7.0 Must issue a STARTTLS command first"),
        Just("4.5.3 Error: too many recipients"),
        Just("User unknown"),
    ];
    let line = (code, text, any::<bool>()).prop_map(|(code, text, offers)| {
        if offers {
            format!("{code}-{text}\r\n{code}-STARTTLS\r\n{code} SMTPUTF8")
        } else {
            format!("{code} {text}")
        }
    });
    line.prop_map(|text| reply(&text))
}

#[derive(Debug, Clone)]
enum Event {
    Reply(Reply),
    Encrypted,
    Closed,
    Stray,
}

fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        40 => any_reply().prop_map(Event::Reply),
        4 => Just(Event::Encrypted),
        1 => Just(Event::Closed),
        1 => Just(Event::Stray),
    ]
}

proptest! {
    #[test]
    fn whatever_a_server_says_no_message_is_sent_and_it_ends(
        events in prop::collection::vec(any_event(), 40..60), tls in any::<bool>(), recipients in 0_usize..9,
    ) {
        let recipients = (0..recipients).map(|index| email(&format!("a{index}@acme.test"))).collect();
        let mut session = Session::new(Envelope { tls, recipients, ..envelope(&[]) });
        let mut answered = 0;
        let mut ended = None;
        for event in events {
            let step = match event {
                Event::Reply(reply) => session.on_reply(reply),
                Event::Encrypted => session.on_encrypted(),
                Event::Closed => session.on_closed(),
                Event::Stray => session.on_stray(),
            };
            answered += usize::from(session.take_answer().is_some());
            if let Some(outcome) = &ended {
                prop_assert_eq!(&step, &Step::End(Clone::clone(outcome)));
            }
            match step {
                Step::Send(line) => {
                    let verb = line.split([' ', ':', '\r']).next().unwrap();
                    prop_assert!(["EHLO", "HELO", "STARTTLS", "MAIL", "RCPT", "QUIT"].contains(&verb));
                    prop_assert_eq!(line.matches("\r\n").count(), 1);
                    prop_assert!(tls || verb != "STARTTLS");
                }
                Step::End(outcome) => ended = Some(outcome),
                Step::Listen | Step::Encrypt => {}
            }
        }
        prop_assert!(answered <= MAIL_RECIPIENTS_MAX);
        prop_assert!(ended.is_some());
    }
}
