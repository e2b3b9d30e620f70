//! Whose service takes a domain's mail: told from the names of its exchanges and from its sender policy.

use std::collections::HashMap;
use std::sync::LazyLock;

use assay_domain::Domain;

use crate::exchange::Exchange;

const PROVIDERS: &str = include_str!("../data/providers.txt");
const INCLUDE: &str = "include:";

/// Read once; a test holds that every line can be read.
static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(PROVIDERS));

/// What a service does with the mail it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Keeps it.
    Mailbox,
    /// Looks through it and hands it on to where it is kept.
    Gateway,
    /// Sends it on to an address elsewhere, or to a program.
    Forwarding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Provider {
    pub name: &'static str,
    pub class: Class,
    /// Nobody comes through these hosts but those who have a mailbox at no cost.
    pub free: bool,
}

/// Why a recipient that was accepted may still not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Doubt {
    BouncesLater,
    TakesEverything,
}

impl Doubt {
    pub fn reason(self) -> &'static str {
        match self {
            Self::BouncesLater => "accepts every recipient and sends a bounce later",
            Self::TakesEverything => "accepts every recipient, since it has no mailboxes",
        }
    }
}

/// Who runs the hosts that are asked: the unit of pacing, since such hosts share what they think of us.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Operator {
    name: String,
    doubt: Option<Doubt>,
}

impl Operator {
    /// By the table, else the registrable domain of the host. Some hosts have an underscore, which no domain may have: then
    /// what stands above it, so that a firm is not taken for as many as it has hosts.
    pub fn of_host(host: &str) -> Self {
        if let Some(row) = TABLE.find_exchange(host) {
            return Self { name: row.operator.to_owned(), doubt: row.doubt };
        }
        let host =
            host.strip_suffix('.').filter(|name| !name.is_empty()).unwrap_or(host).to_ascii_lowercase();
        let above = std::iter::successors(Some(host.as_str()), |name| Some(name.split_once('.')?.1));
        let domain = above.filter_map(|name| Domain::parse(name).ok()).next();
        Self { name: domain.map_or_else(|| host.clone(), String::from), doubt: None }
    }

    /// The key under which it is paced.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the answer to a recipient says that the mailbox exists. A refusal is always believed.
    pub fn settles_by_rcpt(&self) -> bool {
        self.doubt.is_none()
    }

    pub fn doubt(&self) -> Option<Doubt> {
        self.doubt
    }
}

/// Whose services stand between a sender and a domain's mailboxes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailService {
    /// Where the mail ends up, as far as can be seen.
    pub provider: Option<Provider>,
    /// What stands before it.
    pub gateway: Option<Provider>,
    /// Of the host that is asked first. Another host may have another: `Operator::of_host`.
    pub operator: Operator,
    /// Nobody there takes mail for made-up recipients, or the question costs more than it tells.
    pub skip_catch_all_probe: bool,
}

impl MailService {
    /// From exchanges in the order in which they are tried; nothing without one. A domain that takes its mail itself is
    /// its own exchange.
    pub fn of_exchanges(exchanges: &[Exchange]) -> Option<Self> {
        let first = exchanges.first()?;
        let best = exchanges.iter().take_while(|exchange| exchange.preference == first.preference);
        let main = best.filter_map(|exchange| TABLE.find_exchange(&exchange.host)).next();
        let mut service = Self {
            provider: main.map(|row| row.provider).filter(|provider| provider.class != Class::Gateway),
            gateway: main.map(|row| row.provider).filter(|provider| provider.class == Class::Gateway),
            operator: Operator::of_host(&first.host),
            skip_catch_all_probe: main.is_some_and(|row| row.skip_catch_all),
        };
        if service.gateway.is_some() {
            // Many keep the way around their gateway open, as a last resort for senders.
            let kept = exchanges.iter().filter_map(|exchange| TABLE.find_exchange(&exchange.host));
            service.provider = kept.map(|row| row.provider).find(|provider| provider.class == Class::Mailbox);
        }
        Some(service)
    }

    /// Whether the domain's texts could tell more.
    pub fn wants_texts(&self) -> bool {
        self.gateway.is_some() && self.provider.is_none()
    }

    /// Completes what the exchanges hide: who sends a domain's mail usually keeps it too. Two such senders settle nothing.
    pub fn read_texts(&mut self, texts: &[String]) {
        if !self.wants_texts() {
            return;
        }
        let policies = texts.iter().filter(|text| is_spf(text));
        let mut found = policies.flat_map(|text| included(text)).filter_map(|name| TABLE.find_include(&name));
        if let Some(sender) = found.next()
            && found.all(|other| other.provider.name == sender.provider.name)
        {
            self.provider = Some(sender.provider);
        }
    }
}

/// Whether a text is a sender policy (RFC 7208, section 4.5).
pub(crate) fn is_spf(text: &str) -> bool {
    text.split(' ').next().is_some_and(|version| version.eq_ignore_ascii_case("v=spf1"))
}

/// The domains whose policies are part of this one; those that are included in order to be refused are not.
fn included(policy: &str) -> impl Iterator<Item = String> {
    policy.split_ascii_whitespace().filter_map(|term| {
        let term = term.to_ascii_lowercase();
        let mechanism = term.strip_prefix(['+', '~', '?']).unwrap_or(&term);
        let name = mechanism.strip_prefix(INCLUDE).or_else(|| term.strip_prefix("redirect="))?;
        Some(name.trim_end_matches('.').to_owned())
    })
}

#[derive(Debug, Clone, Copy)]
struct Row {
    provider: Provider,
    operator: &'static str,
    doubt: Option<Doubt>,
    skip_catch_all: bool,
}

#[derive(Debug, Default)]
struct Table {
    exchanges: HashMap<&'static str, Row>,
    includes: HashMap<&'static str, Row>,
}

impl Table {
    fn read(text: &'static str) -> Self {
        let mut table = Self::default();
        for (suffix, row) in text.lines().filter_map(read_line) {
            match suffix.strip_prefix(INCLUDE) {
                Some(name) => table.includes.insert(name, row),
                None => table.exchanges.insert(suffix, row),
            };
        }
        table
    }

    fn find_exchange(&self, host: &str) -> Option<Row> {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let row = *find_longest(&self.exchanges, &host)?;
        if row.provider.name == "Microsoft 365" && is_consumer_name(&host) {
            return self.exchanges.get("olc.protection.outlook.com").copied();
        }
        Some(row)
    }

    fn find_include(&self, name: &str) -> Option<Row> {
        find_longest(&self.includes, name).copied()
    }
}

fn find_longest<'table>(rows: &'table HashMap<&'static str, Row>, name: &str) -> Option<&'table Row> {
    let mut rest = name;
    loop {
        if let Some(row) = rows.get(rest) {
            return Some(row);
        }
        rest = rest.split_once('.')?.1;
    }
}

/// `hotmail-co-uk.mail.protection.outlook.com` is for a consumer's mailbox like any that ends in
/// `olc.protection.outlook.com`; `live-nation-com…` is a company's.
fn is_consumer_name(host: &str) -> bool {
    let label = host.split('.').next().unwrap_or_default();
    let Some((brand, suffix)) = label.split_once('-') else { return false };
    let country = suffix.strip_prefix("co-").or_else(|| suffix.strip_prefix("com-")).unwrap_or(suffix);
    let is_suffix = matches!(country.len(), 2 | 3) && country.bytes().all(|b| b.is_ascii_alphabetic());
    matches!(brand, "hotmail" | "outlook" | "live" | "msn" | "windowslive") && is_suffix
}

fn read_line(line: &'static str) -> Option<(&'static str, Row)> {
    let mut fields = line.split('|');
    let (suffix, name) = (fields.next()?, fields.next()?);
    let class = match fields.next()? {
        "mailbox" => Class::Mailbox,
        "gateway" => Class::Gateway,
        "forwarding" => Class::Forwarding,
        _ => return None,
    };
    let free = fields.next() == Some("free");
    let operator = fields.next().filter(|operator| !operator.is_empty()).unwrap_or(name);
    let notes = fields.next().unwrap_or_default();
    let has = |note: &str| notes.split(',').any(|known| known == note);
    let doubt = if has("bounces-later") {
        Some(Doubt::BouncesLater)
    } else {
        has("takes-everything").then_some(Doubt::TakesEverything)
    };
    let provider = Provider { name, class, free };
    Some((suffix, Row { provider, operator, doubt, skip_catch_all: has("skip-catch-all") }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn service(hosts: &[(u16, &str)]) -> MailService {
        let exchanges: Vec<Exchange> = hosts
            .iter()
            .map(|(preference, host)| Exchange { preference: *preference, host: (*host).to_owned() })
            .collect();
        MailService::of_exchanges(&exchanges).unwrap()
    }

    fn provider_of(host: &str) -> Option<&'static str> {
        service(&[(1, host)]).provider.map(|provider| provider.name)
    }

    fn behind_gateway(texts: &[&str]) -> Option<&'static str> {
        let mut service = service(&[(10, "eu-smtp-inbound-1.mimecast.com")]);
        assert!(service.wants_texts());
        service.read_texts(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        assert_eq!(service.operator.name(), "Mimecast");
        service.provider.map(|provider| provider.name)
    }

    #[test]
    fn every_line_of_the_table_can_be_read() {
        let lines = || PROVIDERS.lines().filter(|line| !line.starts_with('#'));
        for line in lines() {
            let (suffix, row) = read_line(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(suffix, suffix.to_ascii_lowercase());
            assert!(suffix.contains('.') && !row.provider.name.is_empty(), "{line}");
            let fields: Vec<&str> = line.split('|').collect();
            assert!(fields.len() <= 6, "{line}");
            assert!(matches!(fields.get(3), None | Some(&"" | &"free")), "{line}");
            let known = ["", "bounces-later", "takes-everything", "skip-catch-all"];
            assert!(fields.get(5).is_none_or(|notes| notes.split(',').all(|n| known.contains(&n))), "{line}");
            assert!(!suffix.starts_with(INCLUDE) || row.provider.class == Class::Mailbox, "{line}");
        }
        assert_eq!(TABLE.exchanges.len() + TABLE.includes.len(), lines().count(), "a suffix twice");
    }

    #[test]
    fn the_longest_ending_wins_at_the_border_of_labels() {
        for (host, name) in [
            ("alt4.gmail-smtp-in.l.google.com", Some("Gmail")),
            ("ALT1.ASPMX.L.GOOGLE.COM.", Some("Google Workspace")),
            ("aspmx3.googlemail.com", Some("Google Workspace")),
            ("acme-com.mail.protection.outlook.com", Some("Microsoft 365")),
            ("acme-com.h-v1.mx.microsoft", Some("Microsoft 365")),
            ("hotmail-com.olc.protection.outlook.com", Some("Outlook.com")),
            ("hotmail-co-uk.mail.protection.outlook.com", Some("Outlook.com")),
            ("live-nation-com.mail.protection.outlook.com", Some("Microsoft 365")),
            ("mta5.am0.yahoodns.net", Some("Yahoo")),
            ("mx-biz.mail.am0.yahoodns.net", Some("Yahoo Small Business")),
            ("mxs.mail.ru", Some("Mail.ru")),
            ("route1.mx.cloudflare.net", Some("Cloudflare Email Routing")),
            ("notzoho.com", None),
            ("zoho.com.evil.test", None),
            ("mx.acme.test", None),
        ] {
            assert_eq!(provider_of(host), name, "{host}");
        }
    }

    #[test]
    fn behind_a_gateway_the_sender_policy_names_the_mailboxes() {
        let microsoft = "V=SPF1 ip4:192.0.2.1 Include:spf.protection.outlook.com. include:sendgrid.net -all";
        assert_eq!(behind_gateway(&["site-proof=1", microsoft]), Some("Microsoft 365"));
        assert_eq!(behind_gateway(&["v=spf1 redirect=_spf.google.com"]), Some("Google Workspace"));
        assert_eq!(behind_gateway(&["v=spf1 ~include:eu._spf.google.com ~all"]), Some("Google Workspace"));
        assert_eq!(behind_gateway(&["v=spf1 -include:_spf.google.com ~all"]), None);
        assert_eq!(behind_gateway(&["v=spf10 include:_spf.google.com", "include:_spf.google.com"]), None);
        assert_eq!(behind_gateway(&[]), None);
        let both = "v=spf1 include:_spf.google.com include:spf.protection.outlook.com ~all";
        assert_eq!(behind_gateway(&[both]), None);
    }

    #[test]
    fn an_exchange_behind_the_gateway_names_the_mailboxes_too() {
        let seen = service(&[(10, "mxa-1.gslb.pphosted.com"), (50, "acme-com.mail.protection.outlook.com")]);
        assert_eq!(seen.gateway.map(|gateway| gateway.name), Some("Proofpoint"));
        assert_eq!(seen.provider.map(|provider| provider.name), Some("Microsoft 365"));
        assert!(!seen.wants_texts());
        let unknown_first = service(&[(10, "mx.acme.test"), (20, "mx.zoho.com")]);
        assert_eq!(unknown_first.provider, None);
        let unknown_beside = service(&[(10, "mx.acme.test"), (10, "mx.zoho.com")]);
        assert_eq!(unknown_beside.provider.map(|provider| provider.name), Some("Zoho Mail"));
    }

    #[test]
    fn an_operator_is_whoever_runs_the_hosts() {
        for (host, name) in [
            ("gmail-smtp-in.l.google.com", "Google"),
            ("aspmx.l.google.com", "Google"),
            ("mx1.mail.acme.co.uk", "acme.co.uk"),
            ("MX.Acme.test", "acme.test"),
            ("co.uk", "co.uk"),
            ("MX.Acme.test.", "acme.test"),
            ("mx_1.mail.acme.co.uk", "acme.co.uk"),
            ("mx.in_bound.acme.co.uk.", "acme.co.uk"),
            ("acme_1.co.uk", "acme_1.co.uk"),
            ("MX.Acme._tcp.", "mx.acme._tcp"),
        ] {
            assert_eq!(Operator::of_host(host).name(), name, "{host}");
        }
    }

    #[test]
    fn what_a_recipient_accepted_by_yahoo_means_is_not_known() {
        let yahoo = service(&[(1, "mta7.am0.yahoodns.net")]);
        assert!(!yahoo.operator.settles_by_rcpt());
        assert_eq!(yahoo.operator.doubt().map(Doubt::reason), Some(Doubt::BouncesLater.reason()));
        assert!(service(&[(1, "aspmx.l.google.com")]).operator.settles_by_rcpt());
    }

    #[test]
    fn only_services_that_never_take_everything_are_spared_the_question() {
        for (host, skip) in [
            ("gmail-smtp-in.l.google.com", true),
            ("hotmail-com.olc.protection.outlook.com", true),
            ("mta7.am0.yahoodns.net", true),
            ("mx1.antispamcloud.com", true),
            ("aspmx.l.google.com", false),
            ("acme-com.mail.protection.outlook.com", false),
            ("mx.acme.test", false),
        ] {
            assert_eq!(service(&[(1, host)]).skip_catch_all_probe, skip, "{host}");
        }
    }

    proptest! {
        #[test]
        fn any_texts_can_be_read(texts in prop::collection::vec("(v=spf1 )?.{0,80}", 0..5), host in ".{1,40}") {
            let mut service = service(&[(10, "mx.pphosted.com")]);
            service.read_texts(&texts);
            prop_assert!(!Operator::of_host(&host).name().is_empty());
        }
    }
}
