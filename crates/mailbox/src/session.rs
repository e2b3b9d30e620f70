//! One conversation with a mail server, without a socket and without a clock: fed replies, it says what to send next.
//!
//! It asks for recipients and leaves. There is no state from which it could send a message. Its length is bounded, since
//! no state is entered twice but by the next recipient and, once, for encryption.

use std::fmt;

use assay_domain::Email;
use assay_domain::limits::MAIL_RECIPIENTS_MAX;

use crate::classify::{Meaning, Stage, classify};
use crate::reply::Reply;

/// Who asks, and for whom.
#[derive(Debug, Clone)]
pub struct Envelope {
    /// The name we go by: a host name, checked by whoever makes it.
    pub helo: String,
    /// Nobody is the empty path that bounces come from.
    pub sender: Option<Email>,
    /// More than `MAIL_RECIPIENTS_MAX` are not asked for.
    pub recipients: Vec<Email>,
    /// Whether to encrypt when the server offers it.
    pub tls: bool,
}

/// What to do next.
#[derive(Clone, PartialEq, Eq)]
pub enum Step {
    /// Send this line, then wait for a reply.
    Send(String),
    /// Wait for a reply.
    Listen,
    /// Begin encryption, then call `on_encrypted`, or `on_closed` if it fails.
    Encrypt,
    End(Outcome),
}

/// Commands hold addresses, so that only the verb is shown.
impl fmt::Debug for Step {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Send(line) => {
                write!(out, "Send({})", line.split([' ', ':', '\r']).next().unwrap_or_default())
            }
            Self::Listen => out.write_str("Listen"),
            Self::Encrypt => out.write_str("Encrypt"),
            Self::End(outcome) => write!(out, "End({outcome:?})"),
        }
    }
}

/// How a conversation went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Everyone was asked for that could be.
    Finished,
    /// The server would not hear of recipients.
    Refused {
        stage: Stage,
        meaning: Meaning,
        reply: Reply,
    },
    /// The server has had enough of this session, but not of us: some were not asked for.
    Limited,
    /// The server said that it closes the connection.
    Closing,
    HungUp {
        stage: Stage,
    },
    EncryptionFailed,
    /// A reply answered no question, so that none can be trusted to answer the right one.
    OutOfStep {
        stage: Stage,
    },
}

/// A recipient, and what was said when it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub recipient: Email,
    pub meaning: Meaning,
    pub reply: Reply,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Greeting,
    Ehlo,
    Helo,
    StartTls,
    Encrypting,
    Mail,
    Rcpt,
    /// QUIT was sent.
    Leaving(Outcome),
    /// QUIT was answered strangely: another reply would prove that all were one question late.
    Doubting(Outcome),
    Over(Outcome),
}

#[derive(Debug)]
pub struct Session {
    envelope: Envelope,
    state: State,
    /// Whether encryption was begun, or tried to.
    tls_tried: bool,
    offers_tls: bool,
    offers_utf8: bool,
    /// The recipient to ask for, or just asked for.
    next: usize,
    asked_any: bool,
    answer: Option<Answer>,
}

impl Session {
    /// Waits for the greeting.
    pub fn new(mut envelope: Envelope) -> Self {
        envelope.recipients.truncate(MAIL_RECIPIENTS_MAX);
        Self {
            envelope,
            state: State::Greeting,
            tls_tried: false,
            offers_tls: false,
            offers_utf8: false,
            next: 0,
            asked_any: false,
            answer: None,
        }
    }

    /// What the last reply said of a recipient, once.
    pub fn take_answer(&mut self) -> Option<Answer> {
        self.answer.take()
    }

    /// Leaves before everyone has been asked for; for whoever has sent nothing since the last answer.
    pub fn leave_early(&mut self) -> Step {
        self.leave(Outcome::Finished)
    }

    /// Whether all has been said, so that it is not worth waiting long.
    pub fn is_leaving(&self) -> bool {
        matches!(self.state, State::Leaving(_) | State::Doubting(_))
    }

    pub fn on_reply(&mut self, reply: Reply) -> Step {
        match std::mem::replace(&mut self.state, State::Over(Outcome::Finished)) {
            State::Greeting => self.greeted(reply),
            State::Ehlo => self.ehlo_answered(reply),
            State::Helo if reply.code() == 250 => self.ask_sender(),
            State::Helo => self.refused(Stage::Helo, reply),
            State::StartTls if reply.code() == 220 => {
                self.state = State::Encrypting;
                Step::Encrypt
            }
            State::StartTls if reply.code() == 421 => self.refused(Stage::Helo, reply),
            // Offered and not given: what can be said is said unencrypted.
            State::StartTls => self.ask_sender(),
            State::Mail => self.sender_answered(reply),
            State::Rcpt => self.recipient_answered(reply),
            State::Leaving(outcome) if matches!(reply.code(), 221 | 421) => self.end(outcome),
            State::Leaving(outcome) => {
                self.state = State::Doubting(outcome);
                Step::Listen
            }
            State::Doubting(_) => self.end(Outcome::OutOfStep { stage: Stage::Rcpt }),
            State::Encrypting => self.end(Outcome::OutOfStep { stage: Stage::Helo }),
            State::Over(outcome) => self.end(outcome),
        }
    }

    /// The connection is encrypted: what was offered before counts no more (RFC 3207).
    pub fn on_encrypted(&mut self) -> Step {
        if self.state != State::Encrypting {
            return self.on_stray();
        }
        self.say_ehlo()
    }

    /// The server closed the connection, or would not encrypt it.
    pub fn on_closed(&mut self) -> Step {
        let stage = self.stage();
        match std::mem::replace(&mut self.state, State::Over(Outcome::Finished)) {
            State::Leaving(outcome) | State::Doubting(outcome) | State::Over(outcome) => self.end(outcome),
            State::Encrypting => self.end(Outcome::EncryptionFailed),
            _ => self.end(Outcome::HungUp { stage }),
        }
    }

    /// The server sent what is no reply, or said more than it was asked.
    pub fn on_stray(&mut self) -> Step {
        if let State::Over(outcome) = &self.state {
            return Step::End(outcome.clone());
        }
        let stage = self.stage();
        self.end(Outcome::OutOfStep { stage })
    }

    /// Which question is open.
    pub fn stage(&self) -> Stage {
        match self.state {
            State::Greeting => Stage::Greeting,
            State::Ehlo | State::Helo | State::StartTls | State::Encrypting => Stage::Helo,
            State::Mail => Stage::Mail,
            State::Rcpt | State::Leaving(_) | State::Doubting(_) | State::Over(_) => Stage::Rcpt,
        }
    }

    fn greeted(&mut self, reply: Reply) -> Step {
        if reply.code() == 220 { self.say_ehlo() } else { self.refused(Stage::Greeting, reply) }
    }

    fn say_ehlo(&mut self) -> Step {
        self.send(State::Ehlo, format!("EHLO {}", self.envelope.helo))
    }

    fn ehlo_answered(&mut self, reply: Reply) -> Step {
        match reply.class() {
            2 if reply.code() == 250 => {
                self.offers_tls = offers(&reply, "STARTTLS");
                self.offers_utf8 = offers(&reply, "SMTPUTF8");
                self.after_ehlo()
            }
            5 => {
                (self.offers_tls, self.offers_utf8) = (false, false);
                self.send(State::Helo, format!("HELO {}", self.envelope.helo))
            }
            _ => self.refused(Stage::Helo, reply),
        }
    }

    fn after_ehlo(&mut self) -> Step {
        if self.offers_tls { self.start_tls() } else { None }.unwrap_or_else(|| self.ask_sender())
    }

    /// Once, and only if encryption is wanted.
    fn start_tls(&mut self) -> Option<Step> {
        if !self.envelope.tls || self.tls_tried {
            return None;
        }
        self.tls_tried = true;
        Some(self.send(State::StartTls, "STARTTLS".to_owned()))
    }

    fn ask_sender(&mut self) -> Step {
        self.skip_unsayable();
        if self.envelope.recipients.get(self.next).is_none() {
            return self.leave(Outcome::Finished);
        }
        let sender = self.envelope.sender.as_ref();
        let everyone = sender.into_iter().chain(&self.envelope.recipients);
        let utf8 = self.offers_utf8 && everyone.into_iter().any(|email| !email.as_str().is_ascii());
        let sender = sender.map(Email::as_str).unwrap_or_default();
        let parameter = if utf8 { " SMTPUTF8" } else { "" };
        let line = format!("MAIL FROM:<{sender}>{parameter}");
        self.send(State::Mail, line)
    }

    fn sender_answered(&mut self, reply: Reply) -> Step {
        if reply.code() == 250 {
            return self.ask_recipient();
        }
        if classify(Stage::Mail, &reply) == Meaning::NeedsTls
            && let Some(step) = self.start_tls()
        {
            return step;
        }
        self.refused(Stage::Mail, reply)
    }

    fn ask_recipient(&mut self) -> Step {
        self.skip_unsayable();
        let Some(recipient) = self.envelope.recipients.get(self.next) else {
            return self.leave(Outcome::Finished);
        };
        let line = format!("RCPT TO:<{recipient}>");
        self.send(State::Rcpt, line)
    }

    fn recipient_answered(&mut self, reply: Reply) -> Step {
        if !matches!(reply.code(), 250..=252 | 400..=599) {
            return self.end(Outcome::OutOfStep { stage: Stage::Rcpt });
        }
        let meaning = classify(Stage::Rcpt, &reply);
        if meaning == Meaning::NeedsTls
            && let Some(step) = self.start_tls()
        {
            return step;
        }
        let is_closing = reply.code() == 421;
        // The limit was reached by those before, and says nothing of this one.
        if meaning == Meaning::SessionLimit && self.asked_any {
            return if is_closing { self.end(Outcome::Limited) } else { self.leave(Outcome::Limited) };
        }
        if let Some(recipient) = self.envelope.recipients.get(self.next) {
            self.answer = Some(Answer { recipient: recipient.clone(), meaning, reply });
        }
        self.asked_any = true;
        self.next = self.next.saturating_add(1);
        if is_closing { self.end(Outcome::Closing) } else { self.ask_recipient() }
    }

    /// A server without SMTPUTF8 cannot be asked for an address beyond ASCII; nothing is said of it.
    fn skip_unsayable(&mut self) {
        let is_sayable = |email: &Email| self.offers_utf8 || email.as_str().is_ascii();
        let unsayable =
            self.envelope.recipients.iter().skip(self.next).take_while(|it| !is_sayable(it)).count();
        self.next = self.next.saturating_add(unsayable);
    }

    fn refused(&mut self, stage: Stage, reply: Reply) -> Step {
        if !matches!(reply.class(), 4 | 5) {
            return self.end(Outcome::OutOfStep { stage });
        }
        let is_closing = reply.code() == 421 || stage == Stage::Greeting;
        let outcome = Outcome::Refused { stage, meaning: classify(stage, &reply), reply };
        if is_closing { self.end(outcome) } else { self.leave(outcome) }
    }

    fn leave(&mut self, outcome: Outcome) -> Step {
        self.send(State::Leaving(outcome), "QUIT".to_owned())
    }

    fn send(&mut self, state: State, line: String) -> Step {
        self.state = state;
        Step::Send(format!("{line}\r\n"))
    }

    fn end(&mut self, outcome: Outcome) -> Step {
        self.state = State::Over(outcome.clone());
        Step::End(outcome)
    }
}

/// Whether a line after the first of an answer to EHLO begins with the keyword.
fn offers(reply: &Reply, keyword: &str) -> bool {
    let mut keywords = reply.lines().iter().skip(1).filter_map(|line| line.split([' ', '=']).next());
    keywords.any(|word| word.eq_ignore_ascii_case(keyword))
}

#[cfg(test)]
mod tests;
