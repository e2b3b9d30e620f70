//! Who takes a domain's mail: its exchanges, their addresses and its texts, asked of DNS within one deadline.
//!
//! A failure to learn something is never told as its absence: "no such domain" is only what a server has said in so
//! many words. What strangers publish is read by `choose_exchanges` and `choose_texts`; the bytes on the wire are
//! read by the library alone.

#[cfg(test)]
pub(crate) mod loopback;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use assay_domain::limits::{
    DNS_ANSWER_LIFETIME_MAX, DNS_ANSWERS_KEPT, DNS_DEADLINE, DNS_TEXT_BYTES_MAX, DNS_TEXTS_MAX,
    MAIL_HOST_ADDRESSES_MAX, MAIL_HOSTS_MAX,
};
use assay_domain::why_not_public;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{
    ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::proto::rr::rdata::TXT;
use hickory_resolver::proto::rr::{Name, RData, RecordType};

use crate::provider::is_spf;

/// How DNS is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DnsSettings {
    /// Resolvers that recurse; none means those of the system.
    pub nameservers: Vec<SocketAddr>,
    /// Addresses of version 6 come before those of version 4, not after.
    pub ipv6_first: bool,
    /// Hosts may stand at loopback and private addresses. Otherwise such addresses do not count: anyone may publish a
    /// record that points into our own network, and we would knock there on their behalf.
    pub private_hosts: bool,
}

/// A host that takes mail. The name is lower-case, without a final dot, and safe to log and to connect to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exchange {
    pub preference: u16,
    pub host: String,
}

/// Who takes a domain's mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exchanges {
    /// In the order in which to try them; never empty.
    Hosts(Vec<Exchange>),
    /// The domain itself: it has no exchange but an address.
    Implicit,
    /// Nobody, the domain says (RFC 7505).
    NullMx,
    /// There is no such domain.
    NoDomain,
    /// The domain exists, but has neither an exchange nor an address; or only such that nobody can reach.
    Nothing,
    /// It is not known; asking later may help.
    Failed(DnsFailure),
}

/// Why DNS gave no answer. Says nothing of the name that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DnsFailure {
    #[error("no nameserver is configured")]
    NoNameserver,
    #[error("the name cannot be asked for")]
    NotAName,
    #[error("dns did not answer in time")]
    TimedOut,
    #[error("no nameserver can be reached")]
    Unreachable,
    #[error("the nameserver failed")]
    ServerFailed,
    #[error("the nameserver refused to answer")]
    Refused,
    #[error("the nameserver does not look names up for us")]
    Referred,
    #[error("the answer cannot be read")]
    Unreadable,
}

/// What a nameserver said, as opposed to that it failed.
pub(crate) enum Answer {
    /// May be empty: the name exists, with records of other types.
    Records(Vec<RData>),
    NoName,
}

/// Asks DNS and remembers the answers. Clones share what they remember.
#[derive(Debug, Clone)]
pub struct Dns {
    resolver: TokioResolver,
    ipv6_first: bool,
    private_hosts: bool,
    deadline: Duration,
}

impl Dns {
    pub fn new(settings: &DnsSettings) -> Result<Self, DnsFailure> {
        Self::with_deadline(settings, DNS_DEADLINE)
    }

    fn with_deadline(settings: &DnsSettings, deadline: Duration) -> Result<Self, DnsFailure> {
        let mut builder = if settings.nameservers.is_empty() {
            TokioResolver::builder_tokio().map_err(|_| DnsFailure::NoNameserver)?
        } else {
            let servers = settings.nameservers.iter().map(configure_server).collect();
            let config = ResolverConfig::from_name_servers(servers);
            TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
        };
        *builder.options_mut() = choose_options(deadline);
        let resolver = builder.build().map_err(|_| DnsFailure::NoNameserver)?;
        let DnsSettings { ipv6_first, private_hosts, .. } = *settings;
        Ok(Self { resolver, ipv6_first, private_hosts, deadline })
    }

    /// Who takes the mail of the domain `host`.
    pub async fn exchanges(&self, host: &str) -> Exchanges {
        self.in_time(self.find_exchanges(host)).await.unwrap_or_else(Exchanges::Failed)
    }

    /// Where a host stands; nowhere is an answer too.
    pub async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, DnsFailure> {
        self.in_time(self.find_addresses(host)).await
    }

    /// The texts of a name, sender policies first; none is an answer too.
    pub async fn texts(&self, host: &str) -> Result<Vec<String>, DnsFailure> {
        let records = self.in_time(self.ask(host, RecordType::TXT)).await?.into_records();
        Ok(choose_texts(&records))
    }

    /// The addresses of version 4 as published, for zones that answer with codes in the form of addresses.
    pub(crate) async fn codes(&self, name: &str) -> Result<Vec<Ipv4Addr>, DnsFailure> {
        let records = self.in_time(self.ask(name, RecordType::A)).await?.into_records();
        Ok(records
            .iter()
            .filter_map(|record| if let RData::A(a) = record { Some(a.0) } else { None })
            .collect())
    }

    /// Whether a question about this address makes sense to strangers.
    pub(crate) fn can_name(&self, address: IpAddr) -> bool {
        self.private_hosts || why_not_public(address).is_none()
    }

    async fn in_time<T>(
        &self,
        question: impl Future<Output = Result<T, DnsFailure>>,
    ) -> Result<T, DnsFailure> {
        tokio::time::timeout(self.deadline, question).await.unwrap_or(Err(DnsFailure::TimedOut))
    }

    async fn find_exchanges(&self, host: &str) -> Result<Exchanges, DnsFailure> {
        let records = match self.ask(host, RecordType::MX).await? {
            Answer::NoName => return Ok(Exchanges::NoDomain),
            Answer::Records(records) => records,
        };
        let named = named_exchanges(&records);
        if !named.is_empty() {
            return Ok(choose_exchanges(&named, &mut rand::random::<u64>));
        }
        let addresses = self.find_addresses(host).await?;
        Ok(if addresses.is_empty() { Exchanges::Nothing } else { Exchanges::Implicit })
    }

    async fn find_addresses(&self, host: &str) -> Result<Vec<IpAddr>, DnsFailure> {
        let (four, six) = tokio::join!(self.ask(host, RecordType::A), self.ask(host, RecordType::AAAA));
        let (first, second) = if self.ipv6_first { (six, four) } else { (four, six) };
        let mut found: Vec<IpAddr> = Vec::new();
        let mut failure = None;
        for answer in [first, second] {
            match answer {
                Ok(answer) => found.extend(answer.into_records().iter().filter_map(RData::ip_addr)),
                Err(why) => failure = failure.or(Some(why)),
            }
        }
        found.retain(|address| self.can_name(*address));
        found.truncate(MAIL_HOST_ADDRESSES_MAX);
        match failure {
            Some(why) if found.is_empty() => Err(why),
            _ => Ok(found),
        }
    }

    async fn ask(&self, host: &str, kind: RecordType) -> Result<Answer, DnsFailure> {
        let mut name = Name::from_ascii(host).map_err(|_| DnsFailure::NotAName)?;
        // Else the search list of the system is tried too, and a stranger's domain found in our own.
        name.set_fqdn(true);
        if name.is_root() {
            return Err(DnsFailure::NotAName);
        }
        match self.resolver.lookup(name, kind).await {
            Ok(found) => Ok(Answer::Records(found.answers().iter().map(|r| r.data.clone()).collect())),
            Err(error) => read_error(&error),
        }
    }
}

impl Answer {
    pub(crate) fn into_records(self) -> Vec<RData> {
        match self {
            Self::Records(records) => records,
            Self::NoName => Vec::new(),
        }
    }
}

fn configure_server(address: &SocketAddr) -> NameServerConfig {
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut connection| {
        connection.port = address.port();
        connection
    });
    NameServerConfig::new(address.ip(), true, connections.into())
}

fn choose_options(deadline: Duration) -> ResolverOpts {
    let mut options = ResolverOpts::default();
    // Three tries fit into the deadline.
    options.attempts = 2;
    options.timeout = deadline / 3;
    options.cache_size = DNS_ANSWERS_KEPT;
    options.positive_max_ttl = Some(DNS_ANSWER_LIFETIME_MAX);
    options.negative_max_ttl = Some(DNS_ANSWER_LIFETIME_MAX);
    // Mail is delivered by DNS; what this machine calls its neighbours is no answer.
    options.use_hosts_file = ResolveHosts::Never;
    options
}

pub(crate) fn read_error(error: &NetError) -> Result<Answer, DnsFailure> {
    match error {
        NetError::Dns(DnsError::NoRecordsFound(none)) => match none.response_code {
            ResponseCode::NXDomain => Ok(Answer::NoName),
            // An empty answer with the names of other servers is no answer, but the advice to ask there.
            ResponseCode::NoError if none.soa.is_none() && none.ns.is_some() => Err(DnsFailure::Referred),
            ResponseCode::NoError => Ok(Answer::Records(Vec::new())),
            _ => Err(DnsFailure::ServerFailed),
        },
        NetError::Dns(DnsError::ResponseCode(ResponseCode::Refused)) => Err(DnsFailure::Refused),
        NetError::Dns(_) => Err(DnsFailure::ServerFailed),
        NetError::Timeout => Err(DnsFailure::TimedOut),
        NetError::Io(_) | NetError::NoConnections | NetError::Busy => Err(DnsFailure::Unreachable),
        _ => Err(DnsFailure::Unreadable),
    }
}

/// Preference and name of each exchange among the records, as published.
pub(crate) fn named_exchanges(records: &[RData]) -> Vec<(u16, String)> {
    let named = records.iter().filter_map(|record| match record {
        RData::MX(mx) => Some((mx.preference, mx.exchange.to_ascii())),
        _ => None,
    });
    named.collect()
}

/// Orders what a domain published, preference and name of each exchange, equal preferences by chance as RFC 5321 wants.
pub(crate) fn choose_exchanges(named: &[(u16, String)], random: &mut dyn FnMut() -> u64) -> Exchanges {
    // A null exchange beside others contradicts itself (RFC 7505, section 3); the others are believed.
    if named.iter().all(|(_, name)| name == ".") {
        return Exchanges::NullMx;
    }
    let mut usable: Vec<(u16, u64, String)> = named
        .iter()
        .filter_map(|(preference, name)| Some((*preference, random(), read_host(name)?)))
        .collect();
    usable.sort();
    let mut hosts: Vec<Exchange> = Vec::new();
    for (preference, _, host) in usable {
        if hosts.len() < MAIL_HOSTS_MAX && hosts.iter().all(|known| known.host != host) {
            hosts.push(Exchange { preference, host });
        }
    }
    // A domain with exchanges is not asked itself, even if none of them can be used (RFC 5321, section 5.1).
    if hosts.is_empty() { Exchanges::Nothing } else { Exchanges::Hosts(hosts) }
}

/// A published host name, if it can be one: not our own machine, not an IP address, which mailers refuse as well, and
/// nothing that could break a log line.
fn read_host(name: &str) -> Option<String> {
    let host = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    let (_, last) = host.rsplit_once('.')?;
    let plain = host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    let number = last.bytes().all(|b| b.is_ascii_digit());
    (plain && !number && !matches!(last, "localhost" | "localdomain")).then_some(host)
}

/// The texts among the records, sender policies first: large companies have dozens of texts, in an order that changes
/// with every answer.
pub(crate) fn choose_texts(records: &[RData]) -> Vec<String> {
    let texts = records.iter().filter_map(|record| match record {
        RData::TXT(text) => Some(read_text(text)),
        _ => None,
    });
    let mut texts: Vec<String> = texts.collect();
    texts.sort_by_key(|text| !is_spf(text));
    texts.truncate(DNS_TEXTS_MAX);
    texts
}

/// The pieces of a text run together, as SPF reads them (RFC 7208, section 3.3).
fn read_text(text: &TXT) -> String {
    let bytes: Vec<u8> =
        text.txt_data.iter().flat_map(|piece| piece.iter().copied()).take(DNS_TEXT_BYTES_MAX).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
