//! The catalogue: 30 ways a mail domain can behave, 20 addresses each, and what is true of every address.
//!
//! The truth is what the servers are configured to have, never what some verifier says of them.

use super::mailboxes::{
    ADDRESSES, BUSY, Mailbox, OLD_FIRM, SMALL_FIRM, STAFF, STATES, SYSTEM_USERS, State, UNICODE,
};

/// How many behaviours there are.
pub const BEHAVIOUR_COUNT: usize = 30;

/// What answers for the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Server {
    Postfix,
    Exim,
    OpenSmtpd,
    /// Threads of this process, for what no real server does.
    Scripted,
    /// No mail server is ever reached.
    DnsOnly,
}

/// What can be told about the addresses of a domain from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// The server says of each address what it has.
    Told,
    /// The server says so, but slowly or seldom: giving up is right too.
    ToldToThePatient,
    /// As told, but for a missing mailbox the server only says that it could not make sure.
    OnlyMailboxesTold,
    /// Every address is delivered to somebody.
    CatchAll,
    /// Every address is accepted; those without a mailbox bounce later.
    AcceptAll,
    /// Nothing can be told.
    Hidden,
    /// The domain takes no mail at all.
    NoMail,
}

/// One way to behave, and the domain that does.
#[derive(Debug, Clone, Copy)]
pub struct Behaviour {
    pub name: &'static str,
    pub domain: &'static str,
    pub server: Server,
    /// The last numbers of its mail servers' addresses, the best MX first.
    pub hosts: &'static [u8],
    /// Labels below `domain` that the addresses go round; empty: the domain itself.
    pub(super) labels: &'static [&'static str],
    pub(super) mailboxes: &'static [Mailbox; ADDRESSES],
    rule: Rule,
}

/// What is true of one address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truth {
    pub address: String,
    /// The statuses that are right as a final verdict, once all retries are done.
    pub expected: &'static [&'static str],
    /// The statuses that would harm whoever believes them. A status in neither list is wrong, but not harmful.
    pub never: &'static [&'static str],
}

impl Behaviour {
    /// The 20 addresses and what is true of each.
    #[must_use]
    pub fn truths(&self) -> Vec<Truth> {
        let domains = self.domains();
        let turns = domains.iter().cycle();
        let judged = self.mailboxes.iter().zip(turns).map(|(mailbox, domain)| {
            let (expected, never) = self.rule.judge(mailbox.state);
            Truth { address: format!("{}@{domain}", mailbox.local), expected, never }
        });
        judged.collect()
    }

    /// Every domain the addresses are at.
    #[must_use]
    pub fn domains(&self) -> Vec<String> {
        if self.labels.is_empty() {
            return vec![self.domain.to_owned()];
        }
        self.labels.iter().map(|label| format!("{label}.{}", self.domain)).collect()
    }
}

type Statuses = &'static [&'static str];

impl Rule {
    /// What is right, and what must never be said.
    fn judge(self, state: State) -> (Statuses, Statuses) {
        match self {
            Self::Told => told(state),
            Self::ToldToThePatient if state == State::Role => (&["valid", "risky", "unknown"], &["invalid"]),
            Self::ToldToThePatient if state.is_mailbox() => (&["valid", "unknown"], &["invalid"]),
            Self::ToldToThePatient => (&["invalid", "unknown"], &["valid", "catch_all_valid"]),
            Self::OnlyMailboxesTold if state.is_mailbox() => told(state),
            Self::OnlyMailboxesTold => (&["invalid", "unknown"], &["valid", "catch_all_valid"]),
            Self::CatchAll => (&["catch_all", "catch_all_valid"], &["valid", "invalid"]),
            Self::AcceptAll if state.is_mailbox() => {
                (&["catch_all", "catch_all_valid", "risky", "unknown"], &["valid", "invalid"])
            }
            Self::AcceptAll => (&["catch_all", "risky", "unknown"], &["valid", "catch_all_valid"]),
            Self::Hidden => (&["unknown"], &["valid", "catch_all", "catch_all_valid", "invalid"]),
            Self::NoMail => (&["invalid"], &["valid", "catch_all", "catch_all_valid"]),
        }
    }
}

fn told(state: State) -> (Statuses, Statuses) {
    match state {
        State::Exists => (&["valid"], &["invalid"]),
        State::Role => (&["valid", "risky"], &["invalid"]),
        State::Missing | State::Disabled => (&["invalid"], &["valid", "catch_all_valid"]),
        // There is a mailbox, but what is sent to it today comes back.
        State::FullForNow | State::FullForGood => (&["risky", "unknown"], &["valid", "invalid"]),
        State::TooFast => (&["valid", "risky", "unknown"], &["invalid"]),
        // A verifier that does not speak SMTPUTF8 is right to say that it does not know.
        State::Unicode => (&["valid", "unknown"], &["invalid"]),
        State::UnicodeMissing => (&["invalid", "unknown"], &["valid", "catch_all_valid"]),
    }
}

const fn row(
    name: &'static str,
    domain: &'static str,
    server: Server,
    hosts: &'static [u8],
    mailboxes: &'static [Mailbox; ADDRESSES],
    rule: Rule,
) -> Behaviour {
    Behaviour { name, domain, server, hosts, labels: &[], mailboxes, rule }
}

const fn below(behaviour: Behaviour, labels: &'static [&'static str]) -> Behaviour {
    Behaviour { labels, ..behaviour }
}

use Rule::{AcceptAll, CatchAll, Hidden, NoMail, OnlyMailboxesTold, Told, ToldToThePatient};
use Server::{DnsOnly, Exim, OpenSmtpd, Postfix, Scripted};

/// Labels of the domain without mail: one with a null MX, one that does not exist.
pub(super) const NO_MAIL_LABELS: &[&str] = &["null-mx", "gone"];
/// Labels of the domain whose DNS fails: one with SERVFAIL, one without any answer.
pub(super) const DNS_FAILURE_LABELS: &[&str] = &["servfail", "silent"];

/// All of them.
pub const BEHAVIOURS: &[Behaviour; BEHAVIOUR_COUNT] = &[
    row("postfix-plain", "postfix-plain.test", Postfix, &[10], STAFF, Told),
    // Hangs up after the first unknown user, too.
    row("postfix-local", "postfix-local.test", Postfix, &[12], SYSTEM_USERS, Told),
    row("postfix-catch-all", "postfix-catch-all.test", Postfix, &[13], SMALL_FIRM, CatchAll),
    row("postfix-states", "postfix-states.test", Postfix, &[14], STATES, Told),
    row("postfix-starttls", "postfix-starttls.test", Postfix, &[15], OLD_FIRM, Told),
    row("postfix-tls-required", "postfix-tls-required.test", Postfix, &[16], SMALL_FIRM, Told),
    row("postfix-smtputf8", "postfix-smtputf8.test", Postfix, &[17], UNICODE, Told),
    row("postfix-greylist", "postfix-greylist.test", Postfix, &[20], STAFF, Told),
    row("postfix-dnsbl", "postfix-dnsbl.test", Postfix, &[21], OLD_FIRM, Hidden),
    row("postfix-pbl", "postfix-pbl.test", Postfix, &[22], SMALL_FIRM, Hidden),
    row("postfix-rate", "postfix-rate.test", Postfix, &[23], OLD_FIRM, ToldToThePatient),
    row("postfix-rdns", "postfix-rdns.test", Postfix, &[24], STAFF, Hidden),
    row("postfix-unverified", "postfix-unverified.test", Postfix, &[25], SMALL_FIRM, OnlyMailboxesTold),
    row("postfix-postscreen", "postfix-postscreen.test", Postfix, &[26], OLD_FIRM, Told),
    row("exim-plain", "exim-plain.test", Exim, &[30], STAFF, Told),
    row("exim-callout", "exim-callout.test", Exim, &[31], OLD_FIRM, Told),
    row("exim-defer", "exim-defer.test", Exim, &[32], SMALL_FIRM, Hidden),
    row("opensmtpd-plain", "opensmtpd-plain.test", OpenSmtpd, &[40], OLD_FIRM, Told),
    row("opensmtpd-catch-all", "opensmtpd-catch-all.test", OpenSmtpd, &[41], STAFF, CatchAll),
    // No MX record: the domain's own address counts.
    row("implicit-mx", "implicit-mx.test", OpenSmtpd, &[42], SMALL_FIRM, Told),
    row("exchange-denied", "exchange-denied.test", Scripted, &[50], OLD_FIRM, Told),
    row("accept-all", "accept-all.test", Scripted, &[51], STAFF, AcceptAll),
    row("drops-at-rcpt", "drops-at-rcpt.test", Scripted, &[52], OLD_FIRM, Hidden),
    // The best MX says 421, the other 554.
    row("refuses-at-greeting", "refuses-at-greeting.test", Scripted, &[53, 54], SMALL_FIRM, Hidden),
    row("tarpit", "tarpit.test", Scripted, &[55], STAFF, Hidden),
    row("slow-bytes", "slow-bytes.test", Scripted, &[56], SMALL_FIRM, ToldToThePatient),
    row("too-fast", "too-fast.test", Scripted, &[57], BUSY, Told),
    // Nobody listens at the best MX; the other one speaks German and knows no enhanced codes.
    row("second-mx-german", "second-mx-german.test", Scripted, &[9, 58], OLD_FIRM, Told),
    below(row("no-mail", "no-mail.test", DnsOnly, &[], STAFF, NoMail), NO_MAIL_LABELS),
    below(row("dns-failure", "dns-failure.test", DnsOnly, &[], OLD_FIRM, Hidden), DNS_FAILURE_LABELS),
];

/// A behaviour by its name.
pub fn behaviour(name: &str) -> anyhow::Result<&'static Behaviour> {
    let found = BEHAVIOURS.iter().find(|behaviour| behaviour.name == name);
    found.ok_or_else(|| anyhow::anyhow!("the catalogue has no behaviour {name}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const STATUSES: &[&str] =
        &["valid", "catch_all", "catch_all_valid", "invalid", "disposable", "risky", "unknown"];

    #[test]
    fn every_address_of_the_mail_catalogue_is_asked_once_and_has_one_truth() {
        let truths = BEHAVIOURS.iter().flat_map(Behaviour::truths).collect::<Vec<_>>();
        let addresses = truths.iter().map(|truth| truth.address.to_lowercase()).collect::<BTreeSet<_>>();
        assert_eq!(addresses.len(), BEHAVIOUR_COUNT * ADDRESSES);
        for truth in truths {
            assert!(!truth.expected.is_empty());
            assert!(truth.expected.iter().chain(truth.never).all(|word| STATUSES.contains(word)));
            assert!(!truth.expected.iter().any(|word| truth.never.contains(word)), "{truth:?}");
            assert!(truth.address.split_once('@').unwrap().0.len() <= 64, "{truth:?}");
        }
    }

    #[test]
    fn mail_domains_are_named_after_their_behaviour_and_share_no_server() {
        let mut hosts = BTreeSet::new();
        for behaviour in BEHAVIOURS {
            assert_eq!(behaviour.domain, format!("{}.test", behaviour.name));
            assert!(behaviour.hosts.iter().all(|host| hosts.insert(*host)), "{}", behaviour.name);
        }
    }
}
