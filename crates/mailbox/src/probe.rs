//! Asks mail servers for recipients: connects, encrypts, keeps to deadlines, goes on to the next host, and never sends
//! mail.

mod guard;
mod tls;
mod visit;
mod wire;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use assay_domain::clock::Stopwatch;
use assay_domain::limits::{
    DOMAIN_CHARS_MAX, MAIL_COMMAND_DEADLINE, MAIL_DEADLINE, MAIL_GREETING_DEADLINE, MAIL_HOST_ADDRESSES_MAX,
    MAIL_HOSTS_MAX, MAIL_RECIPIENTS_MAX,
};
use assay_domain::{Email, IpRange};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::classify::{Meaning, Stage};
use crate::error::MailboxError;
use crate::reply::{EnhancedCode, ReplyText};
use crate::session::{Answer, Outcome};

/// As whom to ask, and how.
#[derive(Debug, Clone)]
pub struct ProbeSettings {
    /// The name we go by; its address should be the source's, and the source's name it.
    pub helo: String,
    /// Nobody is the empty path that bounces come from.
    pub sender: Option<Email>,
    /// The address to connect from; hosts that have only addresses of the other kind are then out of reach.
    pub source: Option<IpAddr>,
    pub port: u16,
    /// Ranges that may be connected to although they are not public.
    pub allowed: Vec<IpRange>,
    pub patience: Patience,
}

/// How long a server may take.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Until the connection stands and the server has greeted.
    pub greeting: Duration,
    /// Until a command is answered, or encryption stands.
    pub command: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { greeting: MAIL_GREETING_DEADLINE, command: MAIL_COMMAND_DEADLINE }
    }
}

/// A mail host of a domain, and what its name resolves to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailHost {
    pub name: String,
    pub addresses: Vec<IpAddr>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probed {
    /// Those that were answered, in the order they were asked for. Of any other nothing is known.
    pub recipients: Vec<RecipientAnswer>,
    /// The host that was asked last, or that told more than those after it.
    pub host: String,
    /// Whether the answers came over an encrypted connection.
    pub tls: bool,
    pub ended: Ended,
    /// What the server wrote when it refused us before it was asked for anyone.
    pub refusal: Option<ReplyText>,
    pub took: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientAnswer {
    pub email: Email,
    pub meaning: Meaning,
    pub code: u16,
    pub enhanced: Option<EnhancedCode>,
    pub text: ReplyText,
}

impl From<Answer> for RecipientAnswer {
    fn from(answer: Answer) -> Self {
        Self {
            email: answer.recipient,
            meaning: answer.meaning,
            code: answer.reply.code(),
            enhanced: answer.reply.enhanced(),
            text: answer.reply.text(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Normally,
    HungUp,
    Deadline,
    /// At the greeting, HELO or MAIL; or encryption is wanted and fails.
    Refused(Meaning),
    Unreachable(Unreachable),
    /// The server answered what was not asked: nothing it said is believed.
    OutOfStep,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreachable {
    /// No host, or none with an address of the source's kind.
    NoAddress,
    /// None of its addresses is on the public internet.
    NotPublic,
    ConnectionRefused,
    TimedOut,
    Network,
}

/// Asks mail servers. Cheap to clone.
#[derive(Clone)]
pub struct Prober {
    settings: ProbeSettings,
    connector: TlsConnector,
}

impl std::fmt::Debug for Prober {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Prober").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Prober {
    pub fn new(settings: ProbeSettings) -> Result<Self, MailboxError> {
        if !is_host_name(&settings.helo) {
            return Err(MailboxError::HeloName);
        }
        Ok(Self { settings, connector: tls::connector()? })
    }

    /// Asks the hosts, best first, until one has answered, for at most `MAIL_RECIPIENTS_MAX` recipients. `within` is
    /// what is left of `MAIL_DEADLINE`; what was answered by then is kept.
    pub async fn probe(&self, hosts: &[MailHost], recipients: &[Email], within: Duration) -> Probed {
        self.probe_from(Progress::new(recipients), hosts, within).await
    }

    /// The same, but the recipients after the first are asked for only while they tell something: a server that
    /// refuses the first has said all there is to say, and every further refusal is held against us.
    pub async fn probe_first(&self, hosts: &[MailHost], recipients: &[Email], within: Duration) -> Probed {
        let progress = Progress { first_decides: true, ..Progress::new(recipients) };
        self.probe_from(progress, hosts, within).await
    }

    async fn probe_from(&self, mut progress: Progress, hosts: &[MailHost], within: Duration) -> Probed {
        let watch = Stopwatch::start();
        let asking = Box::pin(self.ask(hosts, &mut progress));
        let is_late = timeout(within.min(MAIL_DEADLINE), asking).await.is_err();
        let is_answered = progress.remaining().is_empty() && !progress.answers.is_empty();
        if is_late {
            progress.ended = if is_answered { Ended::Normally } else { Ended::Deadline };
        }
        Probed {
            recipients: progress.answers,
            host: progress.host,
            tls: progress.tls,
            ended: progress.ended,
            refusal: progress.refusal,
            took: watch.elapsed(),
        }
    }

    async fn ask(&self, hosts: &[MailHost], progress: &mut Progress) {
        for host in hosts.iter().take(MAIL_HOSTS_MAX) {
            for target in self.targets(host, progress).into_iter().take(MAIL_HOST_ADDRESSES_MAX) {
                if self.ask_at(host, target, progress).await == Next::Done {
                    return;
                }
            }
        }
    }

    /// Where the host may be connected to; why not, if nowhere.
    fn targets(&self, host: &MailHost, progress: &mut Progress) -> Vec<SocketAddr> {
        let is_of_kind = |address: &IpAddr| {
            self.settings.source.is_none_or(|source| source.is_ipv4() == address.to_canonical().is_ipv4())
        };
        let reachable: Vec<IpAddr> = host.addresses.iter().copied().filter(is_of_kind).collect();
        let public = reachable.iter().filter_map(|address| guard::judge(*address, &self.settings.allowed));
        let targets: Vec<SocketAddr> =
            public.map(|address| SocketAddr::new(address, self.settings.port)).collect();
        if targets.is_empty() {
            let why = if reachable.is_empty() { Unreachable::NoAddress } else { Unreachable::NotPublic };
            progress.note(&host.name, Ended::Unreachable(why));
        }
        targets
    }

    /// One address of a host: again without encryption if that fails, and again for those whom the server did not
    /// want to hear of in the same session. Both once.
    async fn ask_at(&self, host: &MailHost, target: SocketAddr, progress: &mut Progress) -> Next {
        let mut may_encrypt = true;
        let mut may_return = true;
        loop {
            let before = progress.answers.len();
            let outcome = match self.visit(host, target, may_encrypt, progress).await {
                Ok(outcome) => outcome,
                Err((ended, next)) => {
                    progress.note(&host.name, ended);
                    return if progress.answers.is_empty() { next } else { Next::Done };
                }
            };
            let has_answers = progress.answers.len() > before;
            let has_more = !progress.remaining().is_empty();
            match &outcome {
                Outcome::EncryptionFailed if may_encrypt => may_encrypt = false,
                Outcome::Limited | Outcome::HungUp { stage: Stage::Rcpt }
                    if has_answers && has_more && may_return =>
                {
                    may_return = false;
                }
                _ => return progress.conclude(&host.name, outcome, before),
            }
        }
    }
}

/// Letters, digits, dots and hyphens, or an address in brackets: nothing that could end a command and begin another.
fn is_host_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    !name.is_empty() && name.len() <= DOMAIN_CHARS_MAX && name.chars().all(is_plain)
}

#[derive(Debug, PartialEq, Eq)]
enum Next {
    /// This one is of no use: another may be.
    Host,
    Done,
}

/// What is known so far; survives a deadline that cuts the asking off.
struct Progress {
    asked_for: Vec<Email>,
    /// Whether the others are of interest only if the first may exist.
    first_decides: bool,
    answers: Vec<RecipientAnswer>,
    host: String,
    tls: bool,
    ended: Ended,
    refusal: Option<ReplyText>,
}

impl Progress {
    fn new(recipients: &[Email]) -> Self {
        Self {
            asked_for: recipients.iter().take(MAIL_RECIPIENTS_MAX).cloned().collect(),
            first_decides: false,
            answers: Vec::new(),
            host: String::new(),
            tls: false,
            ended: Ended::Unreachable(Unreachable::NoAddress),
            refusal: None,
        }
    }

    /// Whether the first was answered so that the others tell nothing. A server that makes everyone wait is told of
    /// all at once, so that none has to wait alone later.
    fn is_settled(&self) -> bool {
        let goes_on =
            |meaning| matches!(meaning, Meaning::Accepted | Meaning::ReceivingTooFast | Meaning::Greylisted);
        let mut first = self.answers.iter().filter(|answer| self.asked_for.first() == Some(&answer.email));
        self.first_decides && first.any(|answer| !goes_on(answer.meaning))
    }

    fn remaining(&self) -> Vec<Email> {
        if self.is_settled() {
            return Vec::new();
        }
        let is_open = |email: &&Email| !self.answers.iter().any(|answer| answer.email == **email);
        self.asked_for.iter().filter(is_open).cloned().collect()
    }

    /// Whether it counts: beside no answers, the host that told most is the one to tell of.
    fn note(&mut self, host: &str, ended: Ended) -> bool {
        let counts = self.host.is_empty() || !self.answers.is_empty() || tells(ended) >= tells(self.ended);
        if counts {
            self.ended = ended;
            host.clone_into(&mut self.host);
        }
        counts
    }

    /// `before` is how many answers there were when the conversation began.
    fn conclude(&mut self, host: &str, outcome: Outcome, before: usize) -> Next {
        let mut refusal = None;
        let (ended, next) = match outcome {
            Outcome::Finished | Outcome::Limited => (Ended::Normally, Next::Done),
            Outcome::Closing => (Ended::HungUp, Next::Done),
            Outcome::HungUp { stage } => (Ended::HungUp, next_after(stage)),
            Outcome::EncryptionFailed => (Ended::Refused(Meaning::NeedsTls), Next::Host),
            Outcome::OutOfStep { stage } => {
                self.answers.truncate(before);
                (Ended::OutOfStep, next_after(stage))
            }
            Outcome::Refused { stage, meaning, reply } => {
                refusal = Some(reply.text());
                let may_go_on = reply.class() == 4 || meaning == Meaning::NoMailHere;
                let next = if may_go_on { next_after(stage) } else { Next::Done };
                (Ended::Refused(meaning), next)
            }
        };
        if self.note(host, ended) {
            self.refusal = refusal;
        }
        if self.answers.is_empty() { next } else { Next::Done }
    }
}

/// How much an end without answers tells: a refusal in words more than silence, silence more than nobody there.
fn tells(ended: Ended) -> u8 {
    match ended {
        Ended::Unreachable(_) => 0,
        Ended::HungUp | Ended::OutOfStep | Ended::Deadline => 1,
        Ended::Refused(_) => 2,
        Ended::Normally => 3,
    }
}

/// Where only the host has been heard, and not what it says of senders and recipients, another may do better.
fn next_after(stage: Stage) -> Next {
    if matches!(stage, Stage::Greeting | Stage::Helo) { Next::Host } else { Next::Done }
}

fn why_unreachable(error: &io::Error) -> Unreachable {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Unreachable::ConnectionRefused,
        io::ErrorKind::TimedOut => Unreachable::TimedOut,
        _ => Unreachable::Network,
    }
}

#[cfg(test)]
mod script;
#[cfg(test)]
mod tests;
