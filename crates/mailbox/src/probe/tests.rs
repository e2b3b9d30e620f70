//! Probes of real sockets: servers that are polite, slow, rude, mad or gone.

use std::time::Duration;

use super::script::{Act, Server, begin, polite, say};
use super::*;
use crate::classify::Complaint;

const UNKNOWN: &str = "550 5.1.1 <jane.roe@acme.test>: Recipient address rejected: User unknown";

fn email(text: &str) -> Email {
    Email::parse(text).unwrap()
}

fn settings(port: u16) -> ProbeSettings {
    ProbeSettings {
        helo: "probe.example.net".to_owned(),
        sender: Some(email("check@example.net")),
        source: None,
        port,
        allowed: vec!["127.0.0.0/8".parse().unwrap()],
        patience: Patience { greeting: Duration::from_secs(10), command: Duration::from_secs(10) },
    }
}

fn hosts(servers: &[&Server]) -> Vec<MailHost> {
    let named = (1..).zip(servers);
    named.map(|(n, it)| MailHost { name: format!("mx{n}.acme.test"), addresses: vec![it.address] }).collect()
}

/// Asks the servers for so many recipients.
async fn ask(servers: &[&Server], count: usize) -> Probed {
    ask_with(settings(servers[0].port), servers, count).await
}

async fn ask_with(settings: ProbeSettings, servers: &[&Server], count: usize) -> Probed {
    let recipients: Vec<Email> = ["jane.roe", "b", "c", "d", "e", "f", "g"]
        .iter()
        .take(count)
        .map(|it| email(&format!("{it}@acme.test")))
        .collect();
    Prober::new(settings).unwrap().probe(&hosts(servers), &recipients, Duration::from_secs(60)).await
}

/// With little patience, for servers that want a lot.
async fn ask_soon(servers: &[&Server], count: usize) -> Probed {
    let patience = Patience { greeting: Duration::from_millis(700), command: Duration::from_millis(700) };
    ask_with(ProbeSettings { patience, ..settings(servers[0].port) }, servers, count).await
}

fn meanings(probed: &Probed) -> Vec<Meaning> {
    probed.recipients.iter().map(|it| it.meaning).collect()
}

#[tokio::test]
async fn recipients_are_answered_one_by_one() {
    let server = Server::start(vec![polite(&["250 2.1.5 ok", UNKNOWN])]);
    let probed = ask(&[&server], 2).await;
    assert_eq!(probed.ended, Ended::Normally);
    assert_eq!(meanings(&probed), [Meaning::Accepted, Meaning::NoSuchMailbox]);
    assert_eq!((probed.host.as_str(), probed.tls), ("mx1.acme.test", false));
    assert_eq!(probed.recipients[1].code, 550);
    assert_eq!(probed.recipients[1].enhanced.unwrap().to_string(), "5.1.1");
    assert!(probed.recipients[1].text.as_str().contains("jane.roe@acme.test"));
    assert!(!format!("{probed:?}").contains("jane"), "{probed:?}");
    assert_eq!(
        server.heard()[1..],
        [
            "EHLO probe.example.net",
            "MAIL FROM:<check@example.net>",
            "RCPT TO:<jane.roe@acme.test>",
            "RCPT TO:<b@acme.test>",
            "QUIT",
        ]
    );
}

#[tokio::test]
async fn no_more_are_asked_for_than_the_limit() {
    let server = Server::start(vec![polite(&["250 ok"; MAIL_RECIPIENTS_MAX])]);
    let probed = ask(&[&server], MAIL_RECIPIENTS_MAX + 2).await;
    assert_eq!((probed.recipients.len(), probed.ended), (MAIL_RECIPIENTS_MAX, Ended::Normally));
}

#[tokio::test]
async fn encryption_is_used_with_any_certificate() {
    let mut script =
        vec![say("220 hi"), Act::Hear("EHLO"), say("250-hello\r\n250 STARTTLS"), Act::Hear("STARTTLS")];
    // What is slipped in before encryption is not taken for an answer after it.
    script.extend([say("220 go\r\n250 slipped in"), Act::Encrypt, Act::Hear("EHLO"), say("250 hello again")]);
    script.extend([
        Act::Hear("MAIL"),
        say("250 ok"),
        Act::Hear("RCPT"),
        say(UNKNOWN),
        Act::Hear("QUIT"),
        say("221 bye"),
    ]);
    let server = Server::start(vec![script]);
    let probed = ask(&[&server], 1).await;
    assert_eq!((meanings(&probed), probed.tls), (vec![Meaning::NoSuchMailbox], true));
    assert_eq!(server.heard_verbs(), "CONNECTED EHLO STARTTLS EHLO MAIL RCPT QUIT");
}

#[tokio::test]
async fn encryption_that_fails_is_done_without_on_a_new_connection() {
    let offer = [say("220 hi"), Act::Hear("EHLO"), say("250-hello\r\n250 STARTTLS")];
    for failure in [say("this is not TLS, whatever it was called"), Act::Wait(Duration::ZERO)] {
        let broken = [&offer[..], &[Act::Hear("STARTTLS"), say("220 go"), failure]].concat();
        let plain = [
            &offer[..],
            &[Act::Hear("MAIL"), say("250 ok"), Act::Hear("RCPT"), say("250 ok"), Act::Hear("QUIT")],
        ];
        let server = Server::start(vec![broken, plain.concat()]);
        let probed = ask(&[&server], 1).await;
        assert_eq!(
            (meanings(&probed), probed.tls, probed.ended),
            (vec![Meaning::Accepted], false, Ended::Normally)
        );
    }
    let silent = [&offer[..], &[Act::Hear("STARTTLS"), say("220 go"), Act::Linger]].concat();
    let wants =
        [&offer[..], &[Act::Hear("MAIL"), say("530 5.7.0 Must issue a STARTTLS command first")]].concat();
    let server = Server::start(vec![silent, wants]);
    let probed = ask_soon(&[&server], 1).await;
    assert_eq!(probed.ended, Ended::Refused(Meaning::NeedsTls));
    assert!(probed.refusal.unwrap().as_str().starts_with("Must issue"));
}

#[tokio::test]
async fn the_next_host_is_asked_when_one_cannot_be_reached_or_does_not_want_to() {
    let blocked = say("421 4.7.0 mx1 too many connections");
    for first in [
        vec![],
        vec![vec![blocked]],
        vec![vec![]],
        vec![vec![say("452 not now")]],
        vec![vec![say("554 No SMTP service here")]],
        vec![vec![Act::Say(b"\xff\xfe\x00garbage\n".to_vec())]],
        vec![vec![say("220 hi"), Act::Hear("EHLO"), say("421 4.3.2 shutting down")]],
        vec![vec![say("220 hi"), Act::Hear("EHLO")]],
    ] {
        let servers = Server::start_all(vec![first, vec![polite(&["250 ok"])]]);
        let probed = ask(&[&servers[0], &servers[1]], 1).await;
        assert_eq!(meanings(&probed), [Meaning::Accepted], "{:?}", servers[0]);
        assert_eq!(
            (probed.host.as_str(), probed.ended, probed.refusal),
            ("mx2.acme.test", Ended::Normally, None)
        );
    }
}

#[tokio::test]
async fn a_host_that_does_not_want_us_is_not_gone_around() {
    let blocked = "554 5.7.1 Client host [192.0.2.1] blocked using zen.spamhaus.org";
    let mail = [
        say("220 hi"),
        Act::Hear("EHLO"),
        say("250 hello"),
        Act::Hear("MAIL"),
        say(blocked),
        Act::Hear("QUIT"),
    ];
    for script in [vec![say(blocked)], mail.to_vec()] {
        let servers = Server::start_all(vec![vec![script], vec![polite(&["250 ok"])]]);
        let probed = ask(&[&servers[0], &servers[1]], 1).await;
        assert_eq!(probed.ended, Ended::Refused(Meaning::OurReputation(Complaint::Blocklist)));
        assert!(probed.refusal.unwrap().as_str().contains("spamhaus"));
        assert!(probed.recipients.is_empty() && servers[1].heard().is_empty());
    }
}

/// The second host is gone, or hangs up before it has said a word.
#[tokio::test]
async fn a_refusal_tells_more_than_a_host_that_says_nothing() {
    for second in [vec![], vec![vec![]]] {
        let servers = Server::start_all(vec![vec![vec![say("421 4.7.0 rate limited")]], second]);
        let probed = ask(&[&servers[0], &servers[1]], 1).await;
        assert_eq!(probed.ended, Ended::Refused(Meaning::OurReputation(Complaint::Rate)));
        assert_eq!(probed.host, "mx1.acme.test");
        assert!(probed.refusal.is_some());
    }
}

#[tokio::test]
async fn those_left_over_when_a_server_hangs_up_are_asked_for_once_more() {
    let first = [begin(), vec![Act::Hear("RCPT"), say(UNKNOWN)]].concat();
    let server = Server::start(vec![first.clone(), polite(&["250 ok", UNKNOWN])]);
    let probed = ask(&[&server], 3).await;
    assert_eq!(meanings(&probed), [Meaning::NoSuchMailbox, Meaning::Accepted, Meaning::NoSuchMailbox]);
    assert_eq!(probed.ended, Ended::Normally);

    let server = Server::start(vec![first.clone(), first, polite(&["250 ok"])]);
    let probed = ask(&[&server], 3).await;
    assert_eq!((probed.recipients.len(), probed.ended), (2, Ended::HungUp));
    assert_eq!(server.heard_verbs().matches("CONNECTED").count(), 2);
}

/// As Postfix does at its limit of errors: the answer and the end come in one piece.
#[tokio::test]
async fn what_was_said_before_a_server_says_unasked_that_it_closes_is_kept() {
    let mut first = begin();
    first.extend([
        Act::Hear("RCPT TO:"),
        Act::Say(format!("{UNKNOWN}\r\n421 4.7.0 mx.acme.test Error: too many errors\r\n").into_bytes()),
    ]);
    let server = Server::start(vec![first, polite(&["250 2.1.5 ok"])]);
    let probed = ask(&[&server], 2).await;
    assert_eq!(meanings(&probed), [Meaning::NoSuchMailbox, Meaning::Accepted]);
}

#[tokio::test]
async fn those_over_a_limit_are_asked_for_in_a_new_session() {
    for limit in ["452 4.5.3 Error: too many recipients", "421 4.7.0 mx.acme.test Error: too many errors"] {
        let first = [begin(), vec![Act::Hear("RCPT"), say(UNKNOWN), Act::Hear("RCPT"), say(limit)]].concat();
        let server = Server::start(vec![first, polite(&["250 ok"])]);
        let probed = ask(&[&server], 2).await;
        assert_eq!(meanings(&probed), [Meaning::NoSuchMailbox, Meaning::Accepted]);
    }
}

#[tokio::test]
async fn a_server_that_hangs_up_leaves_nothing_said() {
    for length in 0..=begin().len() {
        let mut script: Vec<Act> = begin().into_iter().take(length).collect();
        if length == begin().len() {
            script.push(Act::Hear("RCPT"));
        }
        let server = Server::start(vec![script]);
        let probed = ask(&[&server], 1).await;
        assert_eq!((probed.ended, probed.recipients.len()), (Ended::HungUp, 0), "after {length} acts");
    }
    // Half a refusal is none.
    let half = [begin(), vec![Act::Hear("RCPT"), Act::Say(b"550 5.1.1 User unkn".to_vec())]].concat();
    let probed = ask(&[&Server::start(vec![half])], 1).await;
    assert_eq!((probed.ended, probed.recipients.len()), (Ended::HungUp, 0));
}

#[tokio::test]
async fn a_slow_greeting_is_waited_for_and_nothing_said_before_it() {
    let pause = Duration::from_millis(300);
    let script = [vec![Act::HearNothing(pause)], polite(&["250 ok"])].concat();
    assert_eq!(meanings(&ask(&[&Server::start(vec![script])], 1).await), [Meaning::Accepted]);
}

#[tokio::test]
async fn nothing_is_said_ahead_of_a_reply() {
    let quiet = Act::HearNothing(Duration::from_millis(50));
    let script = polite(&[UNKNOWN, "250 ok"]).into_iter().flat_map(|act| match act {
        Act::Hear(_) => vec![act, quiet.clone()],
        _ => vec![act],
    });
    let script = script.collect();
    let probed = ask(&[&Server::start(vec![script])], 2).await;
    assert_eq!(meanings(&probed), [Meaning::NoSuchMailbox, Meaning::Accepted]);
}

#[tokio::test]
async fn a_reply_that_drips_has_no_more_time_than_another() {
    let drip = |bytes: &str| Act::Drip(bytes.as_bytes().to_vec(), Duration::from_millis(30));
    let tarpit = [begin(), vec![Act::Hear("RCPT"), drip(&"550-5.1.1 User unknown\r\n".repeat(9))]].concat();
    let probed = ask_soon(&[&Server::start(vec![tarpit])], 1).await;
    assert_eq!((probed.ended, probed.recipients.len()), (Ended::Deadline, 0));
    assert!(probed.took < Duration::from_secs(5), "{:?}", probed.took);

    let slow = [vec![drip("220 hi\r\n")], polite(&["250 ok"]).split_off(1)].concat();
    assert_eq!(meanings(&ask(&[&Server::start(vec![slow])], 1).await), [Meaning::Accepted]);
}

#[tokio::test]
async fn silence_ends_with_what_was_said_before_it() {
    let script = [begin(), vec![Act::Hear("RCPT"), say("250 ok"), Act::Hear("RCPT"), Act::Linger]].concat();
    let probed = ask_soon(&[&Server::start(vec![script.clone()])], 2).await;
    assert_eq!((meanings(&probed), probed.ended), (vec![Meaning::Accepted], Ended::Deadline));

    let server = Server::start(vec![script]);
    let recipients = [email("jane.roe@acme.test"), email("b@acme.test")];
    let prober = Prober::new(settings(server.port)).unwrap();
    let probed = prober.probe(&hosts(&[&server]), &recipients, Duration::from_millis(900)).await;
    assert_eq!((meanings(&probed), probed.ended), (vec![Meaning::Accepted], Ended::Deadline));
    assert!(probed.took < Duration::from_secs(5), "{:?}", probed.took);

    let mute = [begin(), vec![Act::Hear("RCPT"), say("250 ok"), Act::Hear("QUIT"), Act::Linger]].concat();
    let probed = ask(&[&Server::start(vec![mute])], 1).await;
    assert_eq!((meanings(&probed), probed.ended), (vec![Meaning::Accepted], Ended::Normally));
    assert!(probed.took < Duration::from_secs(8), "{:?}", probed.took);
}

#[tokio::test]
async fn what_is_no_reply_ends_it() {
    for nonsense in [
        b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
        b"550-User unknown\r\n".repeat(1000),
        [b"550 ".to_vec(), vec![b'x'; 100_000]].concat(),
        vec![0; 10_000],
        b"550-no\r\n250 yes\r\n".to_vec(),
        b"354 go ahead\r\n".to_vec(),
    ] {
        let script = [begin(), vec![Act::Hear("RCPT"), Act::Say(nonsense.clone()), Act::Linger]].concat();
        let probed = ask_soon(&[&Server::start(vec![script])], 1).await;
        assert!(probed.recipients.is_empty());
        let is_endless = nonsense.iter().all(|byte| *byte == 0);
        assert!(probed.ended == Ended::OutOfStep || is_endless, "{probed:?}");
    }
}

#[tokio::test]
async fn replies_in_another_encoding_are_read() {
    let latin1 = Act::Say(b"550 Empf\xe4nger unbekannt\n".to_vec());
    let script = [begin(), vec![Act::Hear("RCPT"), latin1, Act::Hear("QUIT"), say("221 bye")]].concat();
    let probed = ask(&[&Server::start(vec![script])], 1).await;
    assert_eq!(probed.recipients[0].text.as_str(), "Empfänger unbekannt");
    assert_eq!(meanings(&probed), [Meaning::NoSuchMailbox]);
}

#[tokio::test]
async fn a_server_that_says_more_than_it_was_asked_is_not_believed() {
    let twice = [vec![say("220 hi\r\n220 hi again")], polite(&["250 ok"]).split_off(1)].concat();
    let probed = ask(&[&Server::start(vec![twice])], 1).await;
    assert_eq!((probed.ended, probed.recipients.len()), (Ended::OutOfStep, 0));

    // A reply too many, late enough that each answer is taken for the one before: seen when leaving.
    let mut shifted =
        vec![say("220 hi"), Act::Hear("EHLO"), say("250 hello"), Act::Hear("MAIL"), say("250 ok")];
    shifted.extend([
        Act::Hear("RCPT"),
        say("250 stray"),
        Act::Hear("QUIT"),
        say(UNKNOWN),
        say("221 bye"),
        Act::Linger,
    ]);
    let probed = ask(&[&Server::start(vec![shifted])], 1).await;
    assert_eq!((probed.ended, probed.recipients.len()), (Ended::OutOfStep, 0));
}

#[tokio::test]
async fn addresses_that_are_not_public_are_not_connected_to() {
    let server = Server::start(vec![polite(&["250 ok"])]);
    let closed = ProbeSettings { allowed: Vec::new(), ..settings(server.port) };
    let probed = ask_with(closed, &[&server], 1).await;
    assert_eq!(probed.ended, Ended::Unreachable(Unreachable::NotPublic));
    assert!(server.heard().is_empty());
}

#[tokio::test]
async fn hosts_that_are_not_there_are_said_to_be_unreachable() {
    let gone = Server::start(vec![]);
    let other_kind = ProbeSettings { source: Some("::1".parse().unwrap()), ..settings(gone.port) };
    assert_eq!(ask_with(other_kind, &[&gone], 1).await.ended, Ended::Unreachable(Unreachable::NoAddress));
    let prober = Prober::new(settings(gone.port)).unwrap();
    let probed = prober.probe(&[], &[email("a@acme.test")], MAIL_DEADLINE).await;
    assert_eq!(probed.ended, Ended::Unreachable(Unreachable::NoAddress));
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let host = MailHost { name: "mx.acme.test".to_owned(), addresses: vec!["127.0.0.1".parse().unwrap()] };
    let probed =
        Prober::new(settings(free)).unwrap().probe(&[host], &[email("a@acme.test")], MAIL_DEADLINE).await;
    assert_eq!(probed.ended, Ended::Unreachable(Unreachable::ConnectionRefused));
}

#[tokio::test]
async fn the_source_is_the_configured_one() {
    let server = Server::start(vec![polite(&["250 ok"])]);
    let from = ProbeSettings { source: Some("127.0.0.9".parse().unwrap()), ..settings(server.port) };
    assert_eq!(meanings(&ask_with(from, &[&server], 1).await), [Meaning::Accepted]);
    assert_eq!(server.peer(), Some("127.0.0.9".parse().unwrap()));
}

#[test]
fn a_name_that_could_end_a_command_is_refused() {
    for name in ["", "a b", "a\r\nRSET", "ä.example", &"a".repeat(254)] {
        let bad = ProbeSettings { helo: name.to_owned(), ..settings(25) };
        assert!(matches!(Prober::new(bad), Err(MailboxError::HeloName)), "{name}");
    }
    assert!(Prober::new(ProbeSettings { helo: "[192.0.2.1]".to_owned(), ..settings(25) }).is_ok());
}
