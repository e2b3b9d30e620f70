//! Where a webhook goes: a url that was read once, whole, by one parser, and judged as far as it can be without asking
//! for the addresses of its name.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};

use assay_domain::limits::URL_CHARS_MAX;
use hyper::header::HeaderValue;
use hyper::http::uri::PathAndQuery;
use url::{Host, Url};

use crate::guard::Guard;
use crate::refusal::Refusal;

const HTTPS_PORT: u16 = 443;
const HTTP_PORT: u16 = 80;

/// The host of a target. Every spelling of an address has become the address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Name(String),
    Address(IpAddr),
}

/// A url that deliveries may be sent to. Connecting to it reads no text again: what one parser takes for a name, another
/// might take for an address.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    url: String,
    pub(crate) place: Place,
    pub(crate) port: u16,
    pub(crate) is_encrypted: bool,
    /// What the header `Host` says.
    pub(crate) authority: HeaderValue,
    pub(crate) path: PathAndQuery,
}

impl Target {
    /// Reads what a customer wrote.
    pub fn parse(text: &str, guard: &Guard) -> Result<Self, Refusal> {
        if text.len() > URL_CHARS_MAX {
            return Err(Refusal::TooLong);
        }
        // A browser would leave some of them out and turn others round, and call a third place.
        if text.chars().any(|it| it.is_control() || it.is_whitespace() || it == '\\') {
            return Err(Refusal::Characters);
        }
        let url = Url::parse(text).map_err(|error| unreadable(text, error))?;
        let own_port = match url.scheme() {
            "https" => HTTPS_PORT,
            "http" if guard.allow_http => HTTP_PORT,
            "http" => return Err(Refusal::PlainHttp),
            _ => return Err(Refusal::Scheme),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refusal::UserInfo);
        }
        if url.fragment().is_some() {
            return Err(Refusal::Fragment);
        }
        // Encoding may have made it longer, and it is this form that is kept.
        if url.as_str().len() > URL_CHARS_MAX {
            return Err(Refusal::TooLong);
        }
        let place = judge_host(url.host(), guard)?;
        let port = url.port().unwrap_or(own_port);
        guard.judge_port(port, own_port)?;
        Self::assemble(&url, place, port).ok_or(Refusal::Characters)
    }

    fn assemble(url: &Url, place: Place, port: u16) -> Option<Self> {
        let host = url.host_str()?;
        // The port only where it is not the scheme's own.
        let authority = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let path = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        Some(Self {
            url: url.as_str().to_owned(),
            place,
            port,
            is_encrypted: url.scheme() == "https",
            authority: HeaderValue::try_from(authority).ok()?,
            path: PathAndQuery::try_from(path).ok()?,
        })
    }

    /// The url in the one form that all its spellings have in common; it reads back as the same target.
    pub fn as_str(&self) -> &str {
        &self.url
    }
}

/// An address is judged at once. A name has to wait until it is looked up, except the one that always means this host.
fn judge_host(host: Option<Host<&str>>, guard: &Guard) -> Result<Place, Refusal> {
    let address = match host {
        None => return Err(Refusal::Malformed(url::ParseError::EmptyHost)),
        Some(Host::Ipv4(v4)) => IpAddr::V4(v4),
        Some(Host::Ipv6(v6)) => IpAddr::V6(v6),
        Some(Host::Domain(name)) => {
            let bare = name.strip_suffix('.').unwrap_or(name);
            if bare == "localhost" || bare.ends_with(".localhost") {
                guard.judge(IpAddr::V4(Ipv4Addr::LOCALHOST))?;
            }
            return Ok(Place::Name(name.to_owned()));
        }
    };
    guard.judge(address).map(|judged| Place::Address(judged.address()))
}

fn unreadable(text: &str, error: url::ParseError) -> Refusal {
    match error {
        url::ParseError::InvalidIpv6Address if text.contains('%') => Refusal::Scope,
        other => Refusal::Malformed(other),
    }
}

/// Path and query are left out: a receiver's secret may be in them.
impl fmt::Debug for Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_encrypted { "https" } else { "http" };
        write!(out, "Target({scheme}://{}/***)", self.authority.to_str().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn strict(text: &str) -> Result<Target, Refusal> {
        Target::parse(text, &Guard::default())
    }

    fn lax() -> Guard {
        Guard { allowed: vec!["127.0.0.0/8".parse().unwrap()], allow_http: true, ports: vec![8080, 8443] }
    }

    #[test]
    fn a_public_https_url_is_taken_apart() {
        let target = strict("https://Hooks.Acme.Example/a%20b/c?x=1&y=%2F").unwrap();
        assert_eq!(target.as_str(), "https://hooks.acme.example/a%20b/c?x=1&y=%2F");
        assert_eq!(target.place, Place::Name("hooks.acme.example".to_owned()));
        assert_eq!((target.port, target.is_encrypted), (443, true));
        assert_eq!(
            (target.authority.to_str().unwrap(), target.path.as_str()),
            ("hooks.acme.example", "/a%20b/c?x=1&y=%2F")
        );
        let bare = strict("https://8.8.8.8").unwrap();
        assert_eq!((bare.path.as_str(), bare.as_str()), ("/", "https://8.8.8.8/"));
        assert_eq!(bare.place, Place::Address("8.8.8.8".parse().unwrap()));
        let six = Target::parse("http://[2606:4700::1111]:8080/?q", &lax()).unwrap();
        assert_eq!(six.place, Place::Address("2606:4700::1111".parse().unwrap()));
        assert_eq!((six.port, six.is_encrypted), (8080, false));
        assert_eq!((six.authority.to_str().unwrap(), six.path.as_str()), ("[2606:4700::1111]:8080", "/?q"));
    }

    #[test]
    fn a_port_that_is_the_schemes_own_is_not_told() {
        let target = strict("https://acme.example:443/").unwrap();
        assert_eq!((target.as_str(), target.port), ("https://acme.example/", 443));
        assert_eq!(target.authority.to_str().unwrap(), "acme.example");
        assert_eq!(Target::parse("http://acme.example/", &lax()).unwrap().port, 80);
    }

    #[test]
    fn every_spelling_of_an_inner_address_is_that_address() {
        for host in [
            "127.0.0.1",
            "127.1",
            "127.0.1",
            "0x7f.1",
            "0x7f000001",
            "0X7F000001",
            "2130706433",
            "017700000001",
            "0177.0.0.01",
            "127.0.0.1.",
            "%31%32%37.0.0.1",
            "127%2e0%2e0%2e1",
            "１２７.0.0.1",
            "127。0。0。1",
            "127．0．0．1",
            "①②⑦.⓪.⓪.①",
            "localhost",
            "LOCALHOST",
            "localhost.",
            "a.b.localhost",
            "loc%61lhost",
            "0",
            "0.0.0.0",
            "[::1]",
            "[::]",
            "[0:0:0:0:0:0:0:1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[::127.0.0.1]",
        ] {
            let found = strict(&format!("https://{host}/"));
            assert_eq!(
                found,
                Err(Refusal::Address(if host == "[::127.0.0.1]" {
                    "IPv4 inside of IPv6"
                } else {
                    "this host itself"
                })),
                "{host}"
            );
        }
    }

    #[test]
    fn what_a_url_may_not_have_is_refused_with_its_reason() {
        let malformed = Refusal::Malformed;
        for (text, refusal) in [
            ("", malformed(url::ParseError::RelativeUrlWithoutBase)),
            ("hooks.acme.example", malformed(url::ParseError::RelativeUrlWithoutBase)),
            ("//acme.example/", malformed(url::ParseError::RelativeUrlWithoutBase)),
            ("https://", malformed(url::ParseError::EmptyHost)),
            ("https://acme.example:port/", malformed(url::ParseError::InvalidPort)),
            ("https://acme.example:65536/", malformed(url::ParseError::InvalidPort)),
            ("https://1.2.3.256/", malformed(url::ParseError::InvalidIpv4Address)),
            ("https://[::1/", malformed(url::ParseError::InvalidIpv6Address)),
            ("https://[fe80::1%25eth0]/", Refusal::Scope),
            ("https://[::1%lo]/", Refusal::Scope),
            ("http://acme.example/", Refusal::PlainHttp),
            ("HTTP://acme.example/", Refusal::PlainHttp),
            ("ftp://acme.example/", Refusal::Scheme),
            ("file:///etc/passwd", Refusal::Scheme),
            ("gopher://acme.example/", Refusal::Scheme),
            ("unix:/run/x.sock", Refusal::Scheme),
            ("data:,x", Refusal::Scheme),
            ("https://me@acme.example/", Refusal::UserInfo),
            ("https://me:secret@acme.example/", Refusal::UserInfo),
            ("https://:secret@acme.example/", Refusal::UserInfo),
            ("https://acme.example@127.0.0.1/", Refusal::UserInfo),
            ("https://acme.example/#top", Refusal::Fragment),
            ("https://acme.example/#", Refusal::Fragment),
            ("https://acme.example:22/", Refusal::Port(22)),
            ("https://acme.example:80/", Refusal::Port(80)),
            ("https://acme.example:0/", Refusal::Port(0)),
            (" https://acme.example/", Refusal::Characters),
            ("https://acme.example/a b", Refusal::Characters),
            ("https://ac\tme.example/", Refusal::Characters),
            ("https://acme.example/\r\nx: y", Refusal::Characters),
            ("https:\\\\acme.example\\", Refusal::Characters),
            ("https://acme.example\\@127.0.0.1/", Refusal::Characters),
        ] {
            assert_eq!(strict(text).err(), Some(refusal), "{text}");
        }
    }

    #[test]
    fn a_url_may_be_2048_characters_long_also_after_encoding() {
        let with = |length: usize, filler: &str| {
            let mut text = "https://acme.example/".to_owned();
            text.push_str(&filler.repeat((length - text.len()) / filler.len()));
            text
        };
        assert!(strict(&with(2_048, "a")).is_ok());
        assert_eq!(strict(&with(2_049, "a")), Err(Refusal::TooLong));
        assert_eq!(strict(&with(1_000, "ü")), Err(Refusal::TooLong), "each becomes six characters");
    }

    #[test]
    fn an_operator_may_allow_http_ports_and_ranges() {
        for text in [
            "http://127.0.0.1/",
            "http://127.0.0.1:8080/",
            "https://127.9.9.9:8443/",
            "http://localhost:8080/",
            "https://acme.example/",
        ] {
            assert!(Target::parse(text, &lax()).is_ok(), "{text}");
        }
        assert_eq!(Target::parse("http://10.0.0.1/", &lax()), Err(Refusal::Address("a private network")));
        assert_eq!(Target::parse("http://acme.example:443/", &lax()), Err(Refusal::Port(443)));
    }

    #[test]
    fn a_target_in_a_log_line_does_not_show_its_path() {
        let target = strict("https://acme.example/secret?token=x").unwrap();
        assert_eq!(format!("{target:?}"), "Target(https://acme.example/***)");
    }

    proptest! {
        #[test]
        fn what_is_read_reads_back_as_the_same(path in "[ -~äß]{0,40}", query in "[ -~]{0,20}") {
            let text = format!("https://acme.example/{path}?{query}");
            if let Ok(target) = strict(&text) {
                prop_assert_eq!(strict(target.as_str()), Ok(target.clone()));
                prop_assert_eq!(target.place, Place::Name("acme.example".to_owned()));
            }
        }

        #[test]
        fn no_text_reads_as_a_forbidden_address(host in "[0-9a-fx.:%\\[\\]①②⑦⓪。]{1,30}") {
            if let Ok(target) = strict(&format!("https://{host}/"))
                && let Place::Address(address) = target.place
            {
                prop_assert!(Guard::default().judge(address).is_ok());
            }
        }
    }
}
