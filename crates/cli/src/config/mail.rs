//! Mail servers: how they are asked, and by what name.

use super::key::{Key, Kind};
use super::values::{at_most, listed, read_number, read_ranges};
use crate::failure::Failure;
use assay_domain::limits::{MAIL_TIME_SCALE_MAX, SMTP_PORT};
use assay_domain::{Email, IdentityKey, IpRange};
use assay_engine::mail::{Blocklists, MailSettings, Mailroom, PaceBook};
use assay_mailbox::{BLOCKLIST_ZONES, Dns, DnsSettings, Patience, ProbeSettings, Verifier};
use assay_store::{Graph, Ledger};
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;

const DNS_PORT: u16 = 53;

/// The settings of `[mail]`.
#[derive(Debug, Clone, Default)]
pub struct MailConfig {
    /// None: no mail server is asked.
    helo: Option<String>,
    sender: Option<Email>,
    source: Option<IpAddr>,
    port: u16,
    nameservers: Vec<SocketAddr>,
    allowed: Vec<IpRange>,
    paces: PaceBook,
    blocklists: Vec<String>,
    time_scale: u32,
}

impl MailConfig {
    pub fn mailroom(
        &self,
        graph: &Graph,
        ledger: &Ledger,
        identity: IdentityKey,
    ) -> Result<Mailroom, Failure> {
        let dns = DnsSettings {
            nameservers: self.nameservers.clone(),
            ipv6_first: false,
            private_hosts: !self.allowed.is_empty(),
        };
        let dns = Dns::new(&dns).map_err(|error| {
            Failure::new(format!("names cannot be looked up: {error}"), "name resolvers in mail.nameservers")
        })?;
        let verifier = match &self.helo {
            None => Verifier::without_servers(dns.clone()),
            Some(helo) => Verifier::new(dns.clone(), self.probing(helo)).map_err(|error| {
                Failure::new(
                    error.to_string(),
                    "set mail.helo to this machine's name, such as mail.example.com",
                )
            })?,
        };
        let watched = self.source.filter(|_| self.helo.is_some());
        let blocklists = watched.map(|source| Blocklists { dns, source, zones: self.blocklists.clone() });
        let settings = MailSettings {
            paces: self.paces.clone(),
            time_scale: NonZeroU32::new(self.time_scale).unwrap_or(NonZeroU32::MIN),
            blocklists,
        };
        Ok(Mailroom::new(graph.clone(), ledger.jobs().clone(), identity, verifier, settings))
    }

    fn probing(&self, helo: &str) -> ProbeSettings {
        ProbeSettings {
            helo: helo.to_owned(),
            sender: self.sender.clone(),
            source: self.source,
            port: self.port,
            allowed: self.allowed.clone(),
            patience: Patience::default(),
        }
    }
}

pub static MAIL_KEYS: &[Key] = &[
    Key {
        section: "mail",
        name: "helo",
        kind: Kind::Text,
        default: String::new,
        doc: &[
            "The name to greet mail servers with: this machine's name in DNS, whose address should lead back to it. Empty: no mail",
            "server is asked, as where port 25 is closed; whether a mailbox exists is then unknown.",
        ],
        set: |config, text| {
            config.mail.helo = Some(text.to_owned()).filter(|helo| !helo.is_empty());
            Ok(())
        },
    },
    Key {
        section: "mail",
        name: "sender",
        kind: Kind::Text,
        default: String::new,
        doc: &[
            "The address that is named as the sender, such as verify@example.com. Empty: nobody, as bounces do.",
        ],
        set: |config, text| {
            let sender = Some(text).filter(|text| !text.is_empty()).map(Email::parse).transpose();
            sender.map(|sender| config.mail.sender = sender).map_err(|error| error.to_string())
        },
    },
    Key {
        section: "mail",
        name: "source",
        kind: Kind::Text,
        default: String::new,
        doc: &[
            "The address of this machine to connect from; it is looked up in the blocklists every hour. Empty: whichever the",
            "system takes, and none is looked up.",
        ],
        set: |config, text| {
            let source = Some(text).filter(|text| !text.is_empty()).map(str::parse).transpose();
            let reason = |_| "is not an IP address such as 192.0.2.7".to_owned();
            source.map(|source| config.mail.source = source).map_err(reason)
        },
    },
    Key {
        section: "mail",
        name: "nameservers",
        kind: Kind::List,
        default: String::new,
        doc: &["Resolvers to ask for mail exchanges, such as \"192.0.2.53\". Empty: those of the system."],
        set: |config, text| {
            let servers: Option<Vec<SocketAddr>> = listed(text).map(read_server).collect();
            let reason = || "is not a list of addresses such as 192.0.2.53".to_owned();
            servers.map(|servers| config.mail.nameservers = servers).ok_or_else(reason)
        },
    },
    Key {
        section: "mail",
        name: "pace",
        kind: Kind::List,
        default: String::new,
        doc: &[
            "Questions a minute to an operator of mail servers, such as \"google=30\" or, for all that are not named, \"*=6\"; 0 asks",
            "none. An operator is a provider's name, or the domain of its hosts. Else each begins with 6, earns more by good",
            "answers, and has less for complaints. All nodes together keep the pace.",
        ],
        set: |config, text| {
            let paces = PaceBook::parse(listed(text));
            paces.map(|paces| config.mail.paces = paces).map_err(|error| error.to_string())
        },
    },
    Key {
        section: "mail",
        name: "blocklists",
        kind: Kind::List,
        default: || BLOCKLIST_ZONES.join(","),
        doc: &[
            "Lists in which mail.source is looked up. Some of them want to be asked from resolvers of your own.",
        ],
        set: |config, text| {
            config.mail.blocklists = listed(text).map(str::to_owned).collect();
            Ok(())
        },
    },
    Key {
        section: "mail",
        name: "allow_ranges",
        kind: Kind::List,
        default: String::new,
        doc: &[
            "Ranges that mail servers may stand in although they are not on the public internet: for development.",
        ],
        set: |config, text| read_ranges(text).map(|ranges| config.mail.allowed = ranges),
    },
    Key {
        section: "mail",
        name: "port",
        kind: Kind::Number,
        default: || SMTP_PORT.to_string(),
        doc: &["For tests: the port of mail servers."],
        set: |config, text| {
            let port = text.parse().ok().filter(|port| *port > 0);
            port.map(|port| config.mail.port = port).ok_or_else(|| "is not a port such as 25".to_owned())
        },
    },
    Key {
        section: "mail",
        name: "time_scale",
        kind: Kind::Number,
        default: || "1".to_owned(),
        doc: &["For tests: divides the waits before a server that put us off is asked again."],
        set: |config, text| {
            let scale = read_number(text, 1).and_then(|scale| at_most(scale, MAIL_TIME_SCALE_MAX))?;
            config.mail.time_scale = scale;
            Ok(())
        },
    },
];

fn read_server(text: &str) -> Option<SocketAddr> {
    text.parse().ok().or_else(|| Some(SocketAddr::new(text.parse().ok()?, DNS_PORT)))
}
