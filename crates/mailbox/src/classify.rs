//! What a reply means, by where in the session it came, by its enhanced code first and its words second.
//!
//! Servers refuse strangers far more often than they tell the truth of a mailbox, with the same codes. So a mailbox is
//! said not to exist only when the reply says so plainly and says nothing of us; where code and words contradict each
//! other, the reading is taken that cannot wrongly call an address invalid.

mod complaints;
mod languages;
mod mailboxes;
mod phrases;
mod words;

use crate::reply::{EnhancedCode, Reply};
use words::{Phrases, Words};

/// The question that was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    Greeting,
    Helo,
    Mail,
    Rcpt,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Meaning {
    Accepted,
    NoSuchMailbox,
    /// It was there once, or will be: disabled, suspended, not yet activated.
    MailboxDisabled,
    /// It exists, and takes nothing until its owner clears it.
    MailboxFull,
    /// It exists: its owner is sent more than the server takes.
    ReceivingTooFast,
    Greylisted,
    Deferred,
    /// The server complains of us, which says nothing of the mailbox.
    OurReputation(Complaint),
    /// This server does not take mail for the domain, or for anyone.
    NoMailHere,
    NeedsTls,
    /// Enough was asked in this session; another may ask more.
    SessionLimit,
    /// A rule of theirs of which it is not clear whom it is about.
    PolicyOther,
    /// The server calls the command or the address ill-formed, or its reply answers no such question.
    Malformed,
}

/// What a server has against us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Complaint {
    /// Our address or name is on a list.
    Blocklist,
    /// We ask too much or too fast.
    Rate,
    ReverseDns,
    /// SPF, DKIM or DMARC of the sender.
    SenderPolicy,
    Helo,
    /// The sender's address.
    Sender,
    Reputation,
}

impl Meaning {
    /// Whether the server is to be left alone for a while, whoever is asked for.
    pub fn is_about_us(self) -> bool {
        matches!(self, Self::OurReputation(_))
    }

    /// A word for a table or a test: `our_reputation/blocklist`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::NoSuchMailbox => "no_such_mailbox",
            Self::MailboxDisabled => "mailbox_disabled",
            Self::MailboxFull => "mailbox_full",
            Self::ReceivingTooFast => "receiving_too_fast",
            Self::Greylisted => "greylisted",
            Self::Deferred => "deferred",
            Self::OurReputation(Complaint::Blocklist) => "our_reputation/blocklist",
            Self::OurReputation(Complaint::Rate) => "our_reputation/rate",
            Self::OurReputation(Complaint::ReverseDns) => "our_reputation/reverse_dns",
            Self::OurReputation(Complaint::SenderPolicy) => "our_reputation/sender_policy",
            Self::OurReputation(Complaint::Helo) => "our_reputation/helo",
            Self::OurReputation(Complaint::Sender) => "our_reputation/sender",
            Self::OurReputation(Complaint::Reputation) => "our_reputation/reputation",
            Self::NoMailHere => "no_mail_here",
            Self::NeedsTls => "needs_tls",
            Self::SessionLimit => "session_limit",
            Self::PolicyOther => "policy_other",
            Self::Malformed => "malformed",
        }
    }
}

pub fn classify(stage: Stage, reply: &Reply) -> Meaning {
    match (reply.class(), stage) {
        // 252 promises nothing: the server will try.
        (2, Stage::Rcpt) if reply.code() == 252 => return Meaning::PolicyOther,
        (2, Stage::Rcpt) if !matches!(reply.code(), 250 | 251) => return Meaning::Malformed,
        (2, _) => return Meaning::Accepted,
        (4 | 5, _) => {}
        _ => return Meaning::Malformed,
    }
    let words = Words::of(reply.lines());
    let code = Code::of(reply);
    if let Some(meaning) = read_either(code, &words) {
        return meaning;
    }
    // Either half of a contradiction that says "not now" is believed.
    let is_final = reply.class() == 5 && code.class != Some(4);
    match (is_final, stage) {
        (false, _) => read_deferral(code, &words),
        (true, Stage::Rcpt) => read_refusal(reply.code(), code, &words),
        (true, _) => read_refusal_of_us(stage, reply.code(), &words),
    }
}

/// Whether a text says plainly, in whatever reply, that a mailbox does not exist.
pub(crate) fn names_no_mailbox(text: &str) -> bool {
    say_unknown(&Words::of(&[text.to_owned()]))
}

fn say_unknown(words: &Words) -> bool {
    words.have(mailboxes::UNKNOWN) || languages::say_unknown(words)
}

fn say_full(code: Code, words: &Words) -> bool {
    code.is(2, 2) || words.have(mailboxes::FULL) || languages::say_full(words)
}

/// The enhanced code in a form to match on; zeros where there is none, which no table knows.
#[derive(Clone, Copy)]
struct Code {
    class: Option<u8>,
    subject: u16,
    detail: u16,
}

impl Code {
    fn of(reply: &Reply) -> Self {
        match reply.enhanced() {
            Some(EnhancedCode { class, subject, detail }) => Self { class: Some(class), subject, detail },
            None => Self { class: None, subject: 0, detail: 0 },
        }
    }

    fn is(self, subject: u16, detail: u16) -> bool {
        self.class.is_some() && (self.subject, self.detail) == (subject, detail)
    }
}

/// What is meant alike by a deferral and by a refusal, at any stage.
fn read_either(code: Code, words: &Words) -> Option<Meaning> {
    if code.is(7, 10) || words.have(phrases::TLS) {
        return Some(Meaning::NeedsTls);
    }
    if words.have(phrases::GREYLIST) {
        return Some(Meaning::Greylisted);
    }
    if code.is(2, 122) || words.have(phrases::TOO_FAST) {
        return Some(Meaning::ReceivingTooFast);
    }
    if words.have(phrases::SESSION_LIMIT) {
        return Some(Meaning::SessionLimit);
    }
    find_complaint(code, words).map(Meaning::OurReputation)
}

fn find_complaint(code: Code, words: &Words) -> Option<Complaint> {
    let by_words: &[(Phrases, Complaint)] = &[
        (complaints::SENDER_POLICY, Complaint::SenderPolicy),
        (complaints::REVERSE_DNS, Complaint::ReverseDns),
        (complaints::HELO, Complaint::Helo),
        (complaints::BLOCKLIST, Complaint::Blocklist),
        (complaints::RATE, Complaint::Rate),
        (complaints::SENDER, Complaint::Sender),
        (complaints::REPUTATION, Complaint::Reputation),
    ];
    if let Some((_, complaint)) = by_words.iter().find(|(phrases, _)| words.have(phrases)) {
        return Some(*complaint);
    }
    match (code.class?, code.subject, code.detail) {
        (_, 1, 7 | 8) => Some(Complaint::Sender),
        (_, 2, 121) => Some(Complaint::Rate),
        (_, 7, 20..=24 | 26 | 27) => Some(Complaint::SenderPolicy),
        (_, 7, 25) => Some(Complaint::ReverseDns),
        (_, 7, 28) | (4, 7, 500..=699) => Some(Complaint::Rate),
        (_, 7, 500..=699 | 703..=750) => Some(Complaint::Blocklist),
        _ => None,
    }
}

fn read_deferral(code: Code, words: &Words) -> Meaning {
    if say_full(code, words) {
        return Meaning::MailboxFull;
    }
    // 4.7 is what policy servers say of strangers, and also what a server in trouble says to everyone.
    let is_plain = words.have(phrases::LATER)
        || languages::say_later(words)
        || words.have(mailboxes::RELAY)
        || say_unknown(words);
    let is_complaint = code.subject == 7 && code.detail != 3 && !is_plain;
    if is_complaint { Meaning::OurReputation(Complaint::Reputation) } else { Meaning::Deferred }
}

fn read_refusal(plain_code: u16, code: Code, words: &Words) -> Meaning {
    if say_full(code, words) {
        return Meaning::MailboxFull;
    }
    if words.have(mailboxes::RELAY) {
        return Meaning::NoMailHere;
    }
    if words.have(phrases::NOT_NOW) || languages::say_later(words) {
        return Meaning::Deferred;
    }
    if code.is(1, 3) || words.have(phrases::SYNTAX) {
        return Meaning::Malformed;
    }
    // A rule beats a code, whatever the code says: the rule may be about us.
    let is_ruled =
        (words.have(phrases::POLICY) || languages::say_rule(words)) && !words.have(mailboxes::IDLE);
    if !is_ruled && let Some(meaning) = read_mailbox(code, words) {
        return meaning;
    }
    match plain_code {
        521 | 556 if !is_ruled => Meaning::NoMailHere,
        500..=504 | 555 => Meaning::Malformed,
        _ => Meaning::PolicyOther,
    }
}

/// What is said of the mailbox, if anything is.
fn read_mailbox(code: Code, words: &Words) -> Option<Meaning> {
    let is_of_mailboxes = code.class.is_some() && matches!(code.subject, 1 | 2);
    let has_state = words.have(mailboxes::STATE) && (is_of_mailboxes || words.have(mailboxes::MAILBOX));
    if has_state || words.have(mailboxes::DISABLED) || languages::say_disabled(words) {
        return Some(Meaning::MailboxDisabled);
    }
    // Outlook.com says 5.5.0 of those it does not know.
    let may_be_weak = code.class.is_none() || is_of_mailboxes || code.is(5, 0);
    let says_weakly = words.have(mailboxes::UNKNOWN_BY_CODE) || languages::say_unknown_by_code(words);
    if say_unknown(words) || may_be_weak && says_weakly {
        return Some(Meaning::NoSuchMailbox);
    }
    match (code.class?, code.subject, code.detail) {
        (5, 1, 0 | 1 | 6 | 10) => Some(Meaning::NoSuchMailbox),
        (5, 2, 1) | (5, 7, 13) => Some(Meaning::MailboxDisabled),
        (5, 1, 2) => Some(Meaning::NoMailHere),
        // Microsoft 365 says "access denied" of every recipient that its directory does not hold.
        (5, 4, 1) if words.have(mailboxes::DIRECTORY) => Some(Meaning::NoSuchMailbox),
        _ => None,
    }
}

/// Nobody has been asked for yet, so the refusal is about us, unless the server takes no mail at all.
fn read_refusal_of_us(stage: Stage, plain_code: u16, words: &Words) -> Meaning {
    if words.have(mailboxes::NO_SERVICE) || matches!(plain_code, 521 | 556) {
        return Meaning::NoMailHere;
    }
    let complaint = if stage == Stage::Helo { Complaint::Helo } else { Complaint::Reputation };
    Meaning::OurReputation(complaint)
}
