//! Fuzz target: any bytes as what a mail server sends. However they are cut, they are read alike; no reply says more of a
//! mailbox than it may; and no conversation sends a message, goes on for ever, or ends in a verdict nobody gave.
#![no_main]

use assay_domain::Email;
use assay_domain::limits::{
    MAIL_RECIPIENTS_MAX, MAIL_REPLY_LINE_BYTES_MAX, MAIL_REPLY_LINES_MAX, MAIL_REPLY_TEXT_CHARS_MAX,
};
use assay_domain::taxonomy::EmailStatus;
use assay_mailbox::fuzzing::{Envelope, Outcome, Session, SessionAnswer, Step};
use assay_mailbox::{
    DomainKnowledge, Ended, Exchanges, Garbled, Meaning, Probed, RecipientAnswer, Reply, ReplyReader, Stage,
    check_email, classify, judge,
};
use libfuzzer_sys::{Corpus, fuzz_target};
use std::time::Duration;

/// Before the server's bytes: what is chosen of the conversation, and how long the pieces are.
const CHOICES: usize = 4;
/// Where nobody was asked for yet.
const BEFORE: [Stage; 3] = [Stage::Greeting, Stage::Helo, Stage::Mail];
/// More than a conversation has. Looking for all phrases in thousands would only be slow.
const REPLIES_MAX: usize = 20;
/// No state is entered twice but by the next recipient and, once, for encryption.
const STEPS_MAX: usize = 16 + 2 * MAIL_RECIPIENTS_MAX;
const VERBS: [&str; 6] = ["EHLO", "HELO", "STARTTLS", "MAIL", "RCPT", "QUIT"];

fuzz_target!(|data: &[u8]| -> Corpus {
    let Some((choices, bytes)) = data.split_at_checked(CHOICES) else { return Corpus::Reject };
    let whole = read_all(bytes, &[usize::MAX]);
    let pieces: Vec<usize> = choices[1..].iter().map(|length| usize::from(*length) + 1).collect();
    assert_eq!(read_all(bytes, &pieces), whole, "how bytes are cut changes what they say");
    let before = BEFORE[usize::from(choices[0] >> 4) % BEFORE.len()];
    for reply in whole.replies.iter().take(REPLIES_MAX) {
        see_reply(reply);
        see_meaning(before, reply);
        see_meaning(Stage::Rcpt, reply);
    }
    converse(choices[0], whole);
    Corpus::Keep
});

#[derive(Debug, PartialEq)]
struct Read {
    replies: Vec<Reply>,
    garbled: Option<Garbled>,
    is_inside: bool,
}

fn read_all(bytes: &[u8], pieces: &[usize]) -> Read {
    let mut reader = ReplyReader::default();
    let mut read = Read { replies: Vec::new(), garbled: None, is_inside: false };
    let mut rest = bytes;
    for length in pieces.iter().cycle() {
        let (mut piece, after) = rest.split_at((*length).min(rest.len()));
        rest = after;
        while !piece.is_empty() && read.garbled.is_none() {
            match reader.read(&mut piece) {
                Ok(Some(reply)) => read.replies.push(reply),
                Ok(None) => assert!(piece.is_empty(), "bytes are left although no reply is whole"),
                Err(garbled) => read.garbled = Some(garbled),
            }
        }
        if let Some(garbled) = read.garbled {
            let more = reader.read(&mut b"250 ok\r\n".as_slice());
            assert_eq!(more, Err(garbled), "what was no reply cannot be followed by one");
            return read;
        }
        if rest.is_empty() {
            break;
        }
    }
    read.is_inside = reader.is_inside();
    read
}

/// What every reply is.
fn see_reply(reply: &Reply) {
    assert!((200..600).contains(&reply.code()) && reply.class() == reply.code() / 100);
    assert!((1..=MAIL_REPLY_LINES_MAX).contains(&reply.lines().len()));
    assert!(reply.lines().iter().all(|line| !line.contains(char::is_control)));
    let text = reply.text();
    assert!(text.as_str().chars().count() <= MAIL_REPLY_TEXT_CHARS_MAX);
    let shown = format!("{reply:?} {text:?}");
    assert!(
        !reply.lines().iter().any(|line| line.contains('@') && shown.contains(line)),
        "a log would show it"
    );
    let rewritten = write(reply, "");
    if rewritten.iter().all(|line| line.len() <= MAIL_REPLY_LINE_BYTES_MAX) {
        assert_eq!(read_one(&rewritten).as_ref(), Some(reply), "a reply that is passed on stays what it was");
    }
}

fn see_meaning(stage: Stage, reply: &Reply) {
    let meaning = classify(stage, reply);
    let is_final = reply.class() == 5 && reply.enhanced().is_none_or(|code| code.class != 4);
    match meaning {
        Meaning::NoSuchMailbox | Meaning::MailboxDisabled => {
            assert!(stage == Stage::Rcpt && is_final, "{stage:?} {reply:?} speaks of the mailbox");
        }
        Meaning::Accepted => assert_eq!(reply.class(), 2),
        _ => {}
    }
    if stage != Stage::Rcpt {
        return;
    }
    // An address may be called anything, and says nothing.
    let named = write(reply, " spam.blocked.unknown@no-such-user.test");
    if named.iter().all(|line| line.len() <= MAIL_REPLY_LINE_BYTES_MAX) {
        let named = read_one(&named).expect("a reply with an address is one");
        assert_eq!(classify(stage, &named), meaning, "an address changes what a reply means");
    }
}

/// The lines of a reply with its code, and with something at the end of the last.
fn write(reply: &Reply, end: &str) -> Vec<String> {
    let enhanced = reply.enhanced().map(|code| format!("{code} ")).unwrap_or_default();
    let last = reply.lines().len();
    let lines = (1..).zip(reply.lines()).map(|(number, line)| {
        let (mark, end) = if number == last { (' ', end) } else { ('-', "") };
        format!("{}{mark}{enhanced}{line}{end}", reply.code())
    });
    lines.collect()
}

fn read_one(lines: &[String]) -> Option<Reply> {
    let bytes = format!("{}\r\n", lines.join("\r\n"));
    let mut rest = bytes.as_bytes();
    let reply = ReplyReader::default().read(&mut rest).ok().flatten();
    reply.filter(|_| rest.is_empty())
}

fn email(text: &str) -> Email {
    Email::parse(text).expect("a constant of this file is an address")
}

/// Lets the server's replies answer a conversation, and judges what came of it.
fn converse(choices: u8, read: Read) {
    let tls = choices & 1 != 0;
    let tls_works = choices & 2 != 0;
    let anna = email(if choices & 4 != 0 { "änna@acme.test" } else { "anna@acme.test" });
    let strangers = ["qwertzuiop12@acme.test", "asdfghjkl345@acme.test"].map(email);
    let recipients: Vec<Email> = std::iter::once(anna.clone()).chain(strangers).collect();
    let envelope = Envelope {
        helo: "verifier.test".to_owned(),
        sender: (choices & 8 != 0).then(|| email("probe@verifier.test")),
        recipients: recipients.clone(),
        tls,
    };
    let mut session = Session::new(envelope);
    let mut answers: Vec<SessionAnswer> = Vec::new();
    let is_garbled = read.garbled.is_some();
    let mut replies = read.replies.into_iter();
    let mut step = Step::Listen;
    for _ in 0..STEPS_MAX {
        step = match step {
            Step::Send(line) => {
                see_command(&line, tls);
                Step::Listen
            }
            Step::Listen => match replies.next() {
                Some(reply) => session.on_reply(reply),
                None if is_garbled => session.on_stray(),
                None => session.on_closed(),
            },
            Step::Encrypt if tls_works => session.on_encrypted(),
            Step::Encrypt => session.on_closed(),
            Step::End(outcome) => return conclude(&mut session, &anna, &recipients, answers, outcome),
        };
        if let Some(answer) = session.take_answer() {
            assert!(answers.iter().all(|other| other.recipient != answer.recipient), "answered twice");
            answers.push(answer);
        }
    }
    panic!("a conversation that does not end");
}

fn see_command(line: &str, tls: bool) {
    let verb = line.split([' ', ':', '\r']).next().unwrap_or_default();
    assert!(VERBS.contains(&verb), "{verb} is never said");
    assert!(tls || verb != "STARTTLS");
    assert!(line.ends_with("\r\n") && line.trim_end().chars().all(|c| !c.is_control()));
}

fn conclude(
    session: &mut Session,
    anna: &Email,
    recipients: &[Email],
    answers: Vec<SessionAnswer>,
    outcome: Outcome,
) {
    // Whatever comes later, it is over.
    for step in [session.on_closed(), session.on_encrypted(), session.on_stray()] {
        assert!(step == Step::End(outcome.clone()) && session.take_answer().is_none());
    }
    assert!(answers.len() <= recipients.len());
    assert!(answers.iter().all(|answer| recipients.contains(&answer.recipient)));
    let probed = Probed {
        recipients: answers.into_iter().map(RecipientAnswer::from).collect(),
        host: "mx.acme.test".to_owned(),
        tls: false,
        ended: Ended::Normally,
        refusal: None,
        took: Duration::ZERO,
    };
    let checked = check_email(anna.clone());
    let verdict = judge(&checked, &Exchanges::Implicit, None, Some(&probed), DomainKnowledge::default());
    let own = probed.recipients.iter().find(|answer| answer.email == *anna).map(|answer| answer.meaning);
    let strangers: Vec<Meaning> = probed
        .recipients
        .iter()
        .filter(|answer| answer.email != *anna)
        .map(|answer| answer.meaning)
        .collect();
    match verdict.status {
        EmailStatus::Invalid => {
            assert!(matches!(own, Some(Meaning::NoSuchMailbox | Meaning::MailboxDisabled)), "{own:?}");
        }
        EmailStatus::Valid => {
            assert!(matches!(own, Some(Meaning::Accepted | Meaning::ReceivingTooFast)), "{own:?}");
            assert!(!strangers.is_empty() && !strangers.contains(&Meaning::Accepted), "{strangers:?}");
        }
        EmailStatus::CatchAll => assert!(strangers.len() >= 2, "{strangers:?}"),
        _ => {}
    }
    assert!(!format!("{probed:?}").contains("anna"), "a log would show the address");
}
