//! Domains of the caller's choice: the Postfix that has their mailboxes, and the records that lead to it.

use std::path::Path;

use anyhow::Context;

use super::network::Network;
use super::postfix::{Instance, Listener, config_folder};
use super::{nsd, postgrey};

const NAME: &str = "postfix-hosted";
const SERVICE: &str = "inet n - n - - smtpd";

/// How the server of a domain answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hosting {
    /// Says of each address whether there is a mailbox.
    Plain,
    /// Takes everything.
    CatchAll,
    /// Puts off whoever asks for an address for the first time, then as a plain one.
    Greylisted,
}

/// A domain below `example` that the rig takes mail for. It has a mail host of its own, so that it is its own operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostedDomain {
    pub domain: String,
    pub hosting: Hosting,
    /// What stands before the @ of its mailboxes.
    pub mailboxes: Vec<String>,
}

impl Hosting {
    const ALL: [Self; 3] = [Self::Plain, Self::CatchAll, Self::Greylisted];

    /// The last number of the server's address.
    const fn host(self) -> u8 {
        match self {
            Self::Plain => 70,
            Self::CatchAll => 71,
            Self::Greylisted => 72,
        }
    }

    /// What the server calls itself in its log.
    const fn log_name(self) -> &'static str {
        match self {
            Self::Plain => "hosted-plain",
            Self::CatchAll => "hosted-catch-all",
            Self::Greylisted => "hosted-greylisted",
        }
    }
}

/// Lines of the zone `example`.
pub(super) fn records(hosted: &[HostedDomain]) -> Vec<String> {
    let lines = hosted.iter().flat_map(|HostedDomain { domain, hosting, .. }| {
        let host = hosting.host();
        [format!("{domain}. MX 10 mx.{domain}."), format!("mx.{domain}. A {{net}}.{host}")]
    });
    lines.collect()
}

/// One Postfix with a listener for each way to answer.
pub(super) fn instance(folder: &Path, network: &Network, hosted: &[HostedDomain]) -> Instance {
    let config = config_folder(folder, NAME);
    let config = config.display();
    Instance {
        name: NAME,
        settings: vec![
            ("myhostname", "mail.hosted.test".to_owned()),
            ("virtual_mailbox_domains", format!("hash:{config}/domains")),
            ("virtual_mailbox_maps", format!("hash:{config}/mailboxes")),
            // Nothing here depends on who connects, and the system's resolver may not answer at all.
            ("smtpd_peername_lookup", "no".to_owned()),
        ],
        tables: vec![
            ("domains", hosted.iter().map(|it| format!("{} hosted", it.domain)).collect()),
            ("mailboxes", hosted.iter().flat_map(mailbox_lines).collect()),
        ],
        listeners: Hosting::ALL.iter().map(|hosting| listener(network, *hosting)).collect(),
        name_server: network.address(nsd::HOST).to_string(),
    }
}

fn mailbox_lines(hosted: &HostedDomain) -> Vec<String> {
    let HostedDomain { domain, hosting, mailboxes } = hosted;
    if *hosting == Hosting::CatchAll {
        return vec![format!("@{domain} everybody")];
    }
    mailboxes.iter().map(|local| format!("{local}@{domain} box")).collect()
}

fn listener(network: &Network, hosting: Hosting) -> Listener {
    let mut settings = vec![("syslog_name", hosting.log_name().to_owned())];
    if hosting == Hosting::Greylisted {
        let policy = network.at(postgrey::HOST, postgrey::PORT);
        let restrictions = format!("reject_unauth_destination, check_policy_service inet:{policy}");
        settings.push(("smtpd_recipient_restrictions", restrictions));
    }
    Listener { address: network.smtp(hosting.host()).to_string(), service: SERVICE, settings }
}

/// How many sessions a server had so far, by its log.
pub(super) fn sessions(folder: &Path, hosting: Hosting) -> anyhow::Result<usize> {
    let log = std::fs::read_to_string(folder.join(NAME).join("mail.log"))
        .context("the log of the hosted domains cannot be read")?;
    let mark = format!(" {}/smtpd[", hosting.log_name());
    let is_session = |line: &&str| line.contains(&mark) && line.contains("]: connect from ");
    Ok(log.lines().filter(is_session).count())
}
