//! What scripted servers say: the parts a script is made of, and the scripts of the catalogue.

use std::collections::BTreeMap;
use std::time::Duration;

use super::behaviours::{BEHAVIOURS, Behaviour, Server};
use super::mailboxes::State;

/// How a server meets a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Greeting {
    /// Says this line and goes on.
    Line(String),
    /// Says this line and hangs up.
    Refuse(String),
    /// Takes the connection and never says a word.
    Never,
}

/// What a server says to RCPT. `{address}` in a reply stands for what was asked; lines end in `\r\n` but the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipients {
    /// Closes the connection.
    HangUp,
    /// The same to everybody.
    Every(String),
    /// By the local part, in lower case and without a tag.
    Listed { replies: BTreeMap<String, String>, otherwise: String },
}

/// One server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    pub greeting: Greeting,
    /// Extensions it offers to EHLO.
    pub extensions: Vec<String>,
    pub recipients: Recipients,
    /// Sends one byte, then waits this long. Zero: all at once.
    pub byte_delay: Duration,
    /// From this connection on it goes by another script. The first is number 1.
    pub later: Option<(u64, Box<Script>)>,
}

const ENHANCED: &str = "ENHANCEDSTATUSCODES";
const ACCEPTED: &str = "250 2.1.5 Recipient OK";
const ACCESS_DENIED: &str = "550 5.4.1 Recipient address rejected: Access denied. \
     [AM7EUR03FT012.eop-EUR03.prod.protection.outlook.com 2026-02-03T10:11:12.345Z 08DE4C2F9A71B3D0]";
const TOO_FAST: &str = "450-4.2.1 The user you are trying to contact is receiving mail at a rate that\r\n\
     450-4.2.1 prevents additional messages from being delivered. Please resend your\r\n\
     450-4.2.1 message at a later time. If the user is able to receive mail at that\r\n\
     450-4.2.1 time, your message will be delivered. For more information, go to\r\n\
     450 4.2.1  https://support.google.com/mail/?p=ReceivingRate 5b1f17b1804b1 - gsmtp";
const NO_ACCOUNT: &str = "550-5.1.1 The email account that you tried to reach does not exist. Please try\r\n\
     550-5.1.1 double-checking the recipient's email address for typos or\r\n\
     550-5.1.1 unnecessary spaces. For more information, go to\r\n\
     550 5.1.1  https://support.google.com/mail/?p=NoSuchUser 5b1f17b1804b1 - gsmtp";
const GERMAN_ACCEPTED: &str = "250 Empfänger angenommen";
const GERMAN_UNKNOWN: &str = "550 <{address}>: Empfänger hier nicht bekannt";
const PLAIN_UNKNOWN: &str = "550 5.1.1 <{address}>: no such user";
const BUSY_GREETING: &str = "421 4.3.2 Service not available, closing transmission channel";
const CLOSED_GREETING: &str = "554 5.7.1 mx2.refuses-at-greeting.test does not take mail from your network";

impl Script {
    /// A server with these recipients that behaves well otherwise.
    #[must_use]
    pub fn plain(host: &str, recipients: Recipients) -> Self {
        Self {
            greeting: Greeting::Line(format!("220 {host} ESMTP ready")),
            extensions: ["PIPELINING", "8BITMIME", ENHANCED].map(str::to_owned).to_vec(),
            recipients,
            byte_delay: Duration::ZERO,
            later: None,
        }
    }

    /// The same until so many connections were taken, and another from then on: a server that has had enough.
    #[must_use]
    pub fn until(self, connections: u64, then: Self) -> Self {
        Self { later: Some((connections.saturating_add(1), Box::new(then))), ..self }
    }

    /// A server that takes every connection and never says a word.
    #[must_use]
    pub fn tarpit() -> Self {
        Self { greeting: Greeting::Never, ..Self::plain("tarpit.test", Recipients::HangUp) }
    }

    /// The enhanced code for a reply, for servers that said they use them.
    pub(super) fn enhanced(&self, code: &str) -> String {
        let said = self.extensions.iter().any(|extension| extension == ENHANCED);
        if said { format!("{code} ") } else { String::new() }
    }

    fn greeting(self, greeting: Greeting) -> Self {
        Self { greeting, ..self }
    }
}

/// The scripts of the catalogue, with the last number of the address each is at.
pub(super) fn of_catalogue() -> Vec<(u8, Script)> {
    let scripted = BEHAVIOURS.iter().filter(|behaviour| behaviour.server == Server::Scripted);
    let hosts = scripted.flat_map(|behaviour| behaviour.hosts.iter().map(move |host| (*host, behaviour)));
    hosts.filter_map(|(host, behaviour)| Some((host, of_host(host, behaviour)?))).collect()
}

/// None: nobody listens there.
fn of_host(host: u8, behaviour: &Behaviour) -> Option<Script> {
    let name = format!("mx1.{}", behaviour.domain);
    let plain = |recipients| Script::plain(&name, recipients);
    let script = match (behaviour.name, host) {
        ("exchange-denied", _) => plain(listed(behaviour, ACCEPTED, ACCESS_DENIED)),
        ("accept-all", _) => plain(Recipients::Every(ACCEPTED.to_owned())),
        ("drops-at-rcpt", _) => plain(Recipients::HangUp),
        ("refuses-at-greeting", 53) => {
            plain(Recipients::HangUp).greeting(Greeting::Refuse(BUSY_GREETING.to_owned()))
        }
        ("refuses-at-greeting", _) => {
            plain(Recipients::HangUp).greeting(Greeting::Refuse(CLOSED_GREETING.to_owned()))
        }
        ("tarpit", _) => Script::tarpit(),
        ("slow-bytes", _) => {
            Script { byte_delay: Duration::from_secs(1), ..plain(listed(behaviour, ACCEPTED, PLAIN_UNKNOWN)) }
        }
        ("too-fast", _) => plain(listed(behaviour, ACCEPTED, NO_ACCOUNT)),
        ("second-mx-german", 58) => {
            let german = Greeting::Line("220 mx2.second-mx-german.test bereit".to_owned());
            Script {
                extensions: vec!["8BITMIME".to_owned()],
                ..plain(listed(behaviour, GERMAN_ACCEPTED, GERMAN_UNKNOWN)).greeting(german)
            }
        }
        _ => return None,
    };
    Some(script)
}

fn listed(behaviour: &Behaviour, accepted: &str, otherwise: &str) -> Recipients {
    let mailboxes = behaviour.mailboxes.iter().filter(|mailbox| mailbox.state.is_mailbox());
    let replies = mailboxes.map(|mailbox| {
        let reply = if mailbox.state == State::TooFast { TOO_FAST } else { accepted };
        (mailbox.kept_name(), reply.to_owned())
    });
    Recipients::Listed { replies: replies.collect(), otherwise: otherwise.to_owned() }
}
