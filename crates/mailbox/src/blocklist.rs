//! Whether our own source address stands on a public list of addresses to refuse (RFC 5782).

use std::net::{IpAddr, Ipv4Addr};

use assay_domain::limits::MAIL_REPLY_TEXT_CHARS_MAX;

use crate::exchange::{Dns, DnsFailure};

/// Asked unless others are configured.
pub const BLOCKLIST_ZONES: [&str; 2] = ["zen.spamhaus.org", "b.barracudacentral.org"];

/// No list may ever list this address (RFC 5782, section 5); one that does has been given up and lists everyone.
const NEVER_LISTED: Ipv4Addr = Ipv4Addr::LOCALHOST;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listing {
    Clear,
    /// With the reason the list gives, if any.
    Listed {
        codes: Vec<Ipv4Addr>,
        reason: Option<String>,
    },
    Unknown(WhyUnknown),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WhyUnknown {
    /// Lists answer so to public resolvers and to those who ask too much; it says nothing of the address.
    #[error("the list refuses our questions")]
    Refused,
    #[error("the list answers with an address that is no code")]
    NotACode,
    #[error("the list lists every address")]
    ListsEverything,
    #[error("the source address is private, so no list can know it")]
    PrivateSource,
    #[error(transparent)]
    Dns(#[from] DnsFailure),
}

/// Looks our address up in one list.
pub async fn look_up(dns: &Dns, source: IpAddr, zone: &str) -> Listing {
    if !dns.can_name(source) {
        return Listing::Unknown(WhyUnknown::PrivateSource);
    }
    let name = name_in_zone(source, zone);
    let codes = match ask(dns, &name).await {
        Ok(codes) if codes.is_empty() => return Listing::Clear,
        Ok(codes) => codes,
        Err(why) => return Listing::Unknown(why),
    };
    let never = match source.to_canonical() {
        IpAddr::V4(_) => reversed_four(NEVER_LISTED, zone),
        IpAddr::V6(_) => name_of_six(&NEVER_LISTED.to_ipv6_mapped().octets(), zone),
    };
    if ask(dns, &never).await.is_ok_and(|codes| !codes.is_empty()) {
        return Listing::Unknown(WhyUnknown::ListsEverything);
    }
    // A reason that cannot be had changes nothing.
    let texts = dns.texts(&name).await.unwrap_or_default();
    let reason = texts.first().map(|text| text.chars().take(MAIL_REPLY_TEXT_CHARS_MAX).collect());
    Listing::Listed { codes, reason }
}

async fn ask(dns: &Dns, name: &str) -> Result<Vec<Ipv4Addr>, WhyUnknown> {
    read_codes(&dns.codes(name).await?)
}

/// Codes that list the address, as published by a stranger; none if it is not listed.
fn read_codes(codes: &[Ipv4Addr]) -> Result<Vec<Ipv4Addr>, WhyUnknown> {
    if codes.iter().any(|code| !code.is_loopback()) {
        return Err(WhyUnknown::NotACode);
    }
    if codes.iter().any(|code| matches!(code.octets(), [127, 255, 255, _])) {
        return Err(WhyUnknown::Refused);
    }
    Ok(codes.to_vec())
}

fn name_in_zone(source: IpAddr, zone: &str) -> String {
    match source.to_canonical() {
        IpAddr::V4(four) => reversed_four(four, zone),
        IpAddr::V6(six) => name_of_six(&six.octets(), zone),
    }
}

fn reversed_four(address: Ipv4Addr, zone: &str) -> String {
    let [a, b, c, d] = address.octets();
    format!("{d}.{c}.{b}.{a}.{zone}")
}

fn name_of_six(octets: &[u8; 16], zone: &str) -> String {
    let nibbles: String =
        octets.iter().rev().map(|octet| format!("{:x}.{:x}.", octet & 0x0f, octet >> 4)).collect();
    format!("{nibbles}{zone}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::DnsSettings;
    use crate::exchange::loopback::{A, Data, DnsServer, Reply, TXT};

    const SOURCE: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 51, 100, 7));
    const NAME: &str = "7.100.51.198.list.test";

    fn code(d: u8) -> Vec<Data> {
        vec![Data::Four(Ipv4Addr::new(127, 0, 0, d))]
    }

    async fn ask_server(server: &DnsServer) -> Listing {
        look_up(&server.dns(), SOURCE, "list.test").await
    }

    #[tokio::test]
    async fn an_address_the_list_does_not_know_is_clear() {
        let server = DnsServer::start();
        assert_eq!(ask_server(&server).await, Listing::Clear);
    }

    #[tokio::test]
    async fn a_listed_address_comes_with_its_reason() {
        let server = DnsServer::start();
        server.records(NAME, A, code(4));
        let codes = vec![Ipv4Addr::new(127, 0, 0, 4)];
        assert_eq!(ask_server(&server).await, Listing::Listed { codes: codes.clone(), reason: None });
        server.records(NAME, TXT, vec![Data::Text(vec![b"seen sending spam".to_vec()])]);
        let reason = Some("seen sending spam".to_owned());
        assert_eq!(ask_server(&server).await, Listing::Listed { codes, reason });
    }

    #[tokio::test]
    async fn an_address_of_version_6_is_asked_for_by_its_nibbles() {
        let server = DnsServer::start();
        let name = "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.list.test";
        server.records(name, A, code(2));
        let source: IpAddr = "2001:db8::1".parse().unwrap();
        assert!(matches!(look_up(&server.dns(), source, "list.test").await, Listing::Listed { .. }));
        let mapped: IpAddr = "::ffff:198.51.100.7".parse().unwrap();
        assert_eq!(name_in_zone(mapped, "list.test"), NAME);
    }

    #[tokio::test]
    async fn a_list_that_refuses_to_answer_has_not_listed_us() {
        let server = DnsServer::start();
        for last in [252, 254, 255] {
            server.records(NAME, A, vec![Data::Four(Ipv4Addr::new(127, 255, 255, last))]);
            assert_eq!(ask_server(&server).await, Listing::Unknown(WhyUnknown::Refused));
        }
        server.records(NAME, A, vec![Data::Four(Ipv4Addr::new(203, 0, 113, 80))]);
        assert_eq!(ask_server(&server).await, Listing::Unknown(WhyUnknown::NotACode));
        server.say(NAME, A, Reply::Code(5));
        assert_eq!(ask_server(&server).await, Listing::Unknown(WhyUnknown::Dns(DnsFailure::Refused)));
    }

    #[tokio::test]
    async fn a_list_that_lists_everyone_is_not_believed() {
        let server = DnsServer::start();
        server.records(NAME, A, code(2)).records("1.0.0.127.list.test", A, code(2));
        assert_eq!(ask_server(&server).await, Listing::Unknown(WhyUnknown::ListsEverything));
    }

    #[tokio::test]
    async fn no_list_knows_a_private_address() {
        let server = DnsServer::start();
        let dns = Dns::new(&DnsSettings { private_hosts: false, ..server.settings() }).unwrap();
        let inner = IpAddr::from([192, 168, 1, 2]);
        assert_eq!(look_up(&dns, inner, "list.test").await, Listing::Unknown(WhyUnknown::PrivateSource));
        assert_eq!(server.asked(), 0);
    }
}
