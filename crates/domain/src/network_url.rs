//! `NetworkUrl`: the page of a person or a company on the professional network, reduced to what identifies it.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::{Deserialize, Serialize};

use crate::masked::Masked;
use crate::parse_error::ParseError;
use crate::site::{Address, ascii_host, composed_lower};

/// RFC 3986: everything but the unreserved characters is encoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Of the decoded slug. Longer than any real one, short enough for an index entry.
const SLUG_OCTETS_MAX: usize = 400;

/// The hosts that are the network, subdomains included. The first one is written into canonical addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkHosts(Vec<String>);

impl NetworkHosts {
    pub fn new<T: AsRef<str>>(hosts: impl IntoIterator<Item = T>) -> Result<Self, ParseError> {
        let hosts: Vec<String> = hosts
            .into_iter()
            .map(|host| ascii_host(host.as_ref().trim()).map_err(ParseError::NetworkUrl))
            .collect::<Result<_, _>>()?;
        if hosts.is_empty() {
            return Err(ParseError::NetworkUrl("has no configured host"));
        }
        Ok(Self(hosts))
    }

    /// The host in canonical addresses.
    pub fn canonical(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }

    /// Whether it is one of them, or of their subdomains.
    pub fn contains(&self, host: &str) -> bool {
        self.0.iter().any(|known| {
            host.strip_suffix(known.as_str())
                .is_some_and(|subdomain| subdomain.is_empty() || subdomain.ends_with('.'))
        })
    }
}

impl Default for NetworkHosts {
    fn default() -> Self {
        Self(vec!["network.example".to_owned()])
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NetworkUrlKind {
    Person,
    Company,
}

impl NetworkUrlKind {
    fn prefix(self) -> &'static str {
        match self {
            Self::Person => "/in/",
            Self::Company => "/company/",
        }
    }
}

/// Every spelling of one page's address gives one value: scheme, subdomain, port, query, fragment, one trailing slash,
/// letter case and percent-encoding make no difference.
///
/// Deserialising cannot know the configured hosts, so it takes any host: it reads back what this type has written. Text
/// that comes from outside goes through [`NetworkUrl::parse`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NetworkUrl {
    canonical: String,
    identity: String,
    kind: NetworkUrlKind,
}

impl NetworkUrl {
    pub fn parse(text: &str, hosts: &NetworkHosts) -> Result<Self, ParseError> {
        Self::read(text, |host| hosts.contains(host).then(|| hosts.canonical().to_owned()))
            .map_err(ParseError::NetworkUrl)
    }

    /// `place` answers the host to write for the host that was read, or nothing when it is not the network's.
    fn read(text: &str, place: impl FnOnce(&str) -> Option<String>) -> Result<Self, &'static str> {
        let address = Address::split(text)?;
        let host = place(&ascii_host(address.host)?).ok_or("is not on a host of the network")?;
        let path = address.path.strip_suffix('/').unwrap_or(address.path);
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        let [section, slug] = segments.as_slice() else {
            return Err("does not have the path of a profile or company page");
        };
        let kind = match decode(section)?.as_str() {
            "in" => NetworkUrlKind::Person,
            "company" => NetworkUrlKind::Company,
            _ => return Err("does not have the path of a profile or company page"),
        };
        let slug = decode(slug)?;
        check_slug(&slug)?;
        let prefix = kind.prefix();
        let canonical = format!("https://{host}{prefix}{}", utf8_percent_encode(&slug, ENCODED));
        Ok(Self { canonical, identity: format!("{prefix}{slug}"), kind })
    }

    /// The canonical address, percent-encoded.
    pub fn as_str(&self) -> &str {
        &self.canonical
    }

    /// The decoded path, the same whatever the network's host is called: `/in/<slug>` or `/company/<slug>`.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    pub fn kind(&self) -> NetworkUrlKind {
        self.kind
    }

    /// The decoded, lower-cased name of the page.
    pub fn slug(&self) -> &str {
        self.identity.strip_prefix(self.kind.prefix()).unwrap_or_default()
    }
}

/// Undoes percent-encoding once, then lower-cases and composes (NFC), so that both ways to write é are one.
fn decode(segment: &str) -> Result<String, &'static str> {
    let broken = segment
        .split('%')
        .skip(1)
        .any(|rest| !rest.get(..2).is_some_and(|s| s.bytes().all(|b| b.is_ascii_hexdigit())));
    if broken {
        return Err("has a broken percent escape");
    }
    let decoded =
        percent_decode_str(segment).decode_utf8().map_err(|_| "is not utf-8 after percent-decoding")?;
    Ok(composed_lower(&decoded))
}

fn check_slug(slug: &str) -> Result<(), &'static str> {
    if slug.is_empty() || slug == "." || slug == ".." {
        return Err("does not name a page");
    }
    if slug.len() > SLUG_OCTETS_MAX {
        return Err("is too long");
    }
    if slug.chars().any(|c| c.is_control() || c.is_whitespace() || matches!(c, '/' | '\\')) {
        return Err("has a character in the page name that is not allowed there");
    }
    Ok(())
}

impl TryFrom<String> for NetworkUrl {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Self, ParseError> {
        Self::read(&text, |host| Some(host.to_owned())).map_err(ParseError::NetworkUrl)
    }
}

impl From<NetworkUrl> for String {
    fn from(url: NetworkUrl) -> Self {
        url.canonical
    }
}

impl fmt::Display for NetworkUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.canonical)
    }
}

impl fmt::Debug for NetworkUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NetworkUrl({}{})", self.kind.prefix(), Masked(self.slug()))
    }
}
