//! `Domain`: the registrable domain of a company, and the host rules that email addresses and network URLs share.

use std::fmt;

use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};
use psl::{Psl, Type};
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::masked::Masked;
use crate::parse_error::ParseError;

/// A registrable domain by the public suffix list, lower-case and in ASCII (punycode) form.
///
/// A top-level domain the list does not know counts as a suffix of one label, as the list's own default rule says. So
/// the reserved names (`acme.example`, `acme.test`) work, and a new top-level domain needs no release of this service.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Domain(String);

impl Domain {
    /// Reads a bare domain, a host or a web address, and keeps the registrable part of it.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let address = Address::split(text).map_err(ParseError::Domain)?;
        let host = ascii_host(address.host).map_err(ParseError::Domain)?;
        Self::of_host(&host).map_err(ParseError::Domain)
    }

    /// The registrable domain of a host that `ascii_host` has passed.
    pub(crate) fn of_host(host: &str) -> Result<Self, &'static str> {
        let mut rest = host;
        loop {
            if let Some(domain) = psl::domain_str(rest) {
                return Ok(Self(domain.to_owned()));
            }
            let Some((_, parent)) = rest.split_once('.').filter(|_| is_private_suffix(rest)) else {
                return Err("is a public suffix, under which others register domains");
            };
            // A private suffix such as github.io is also its owner's own domain, registered under io.
            if psl::domain_str(parent).is_none() && !is_private_suffix(parent) {
                return Ok(Self(rest.to_owned()));
            }
            rest = parent;
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_private_suffix(host: &str) -> bool {
    psl::List.suffix(host.as_bytes()).is_some_and(|s| s.typ() == Some(Type::Private))
}

/// A web address cut into the two parts that identify something; scheme, port, query and fragment are dropped.
pub(crate) struct Address<'a> {
    pub(crate) host: &'a str,
    /// Starts with a slash or is empty; still percent-encoded.
    pub(crate) path: &'a str,
}

impl<'a> Address<'a> {
    pub(crate) fn split(text: &'a str) -> Result<Self, &'static str> {
        let text = text.trim();
        if text.is_empty() {
            return Err("is empty");
        }
        let after_scheme = match text.split_once("://") {
            Some((scheme, rest)) if ["http", "https"].iter().any(|s| scheme.eq_ignore_ascii_case(s)) => rest,
            // Further on, :// is part of a path or query.
            Some((before, _)) if !before.contains(['/', '?', '#', '.']) => {
                return Err("has a scheme other than http and https");
            }
            _ => text.strip_prefix("//").unwrap_or(text),
        };
        let before_query = after_scheme.split(['?', '#']).next().unwrap_or_default();
        let (authority, path) = match before_query.find('/').and_then(|at| before_query.split_at_checked(at))
        {
            Some(parts) => parts,
            None => (before_query, ""),
        };
        if authority.contains('@') {
            return Err("contains an @ sign");
        }
        let host = match authority.rsplit_once(':') {
            Some((host, port)) if port.is_empty() || port.parse::<u16>().is_ok() => host,
            Some(_) => return Err("has an unreadable port"),
            None => authority,
        };
        Ok(Self { host, path })
    }
}

/// Lower-cased and composed (NFC), so that both ways to write é are one. ASCII, which nearly everything is, needs no
/// composing.
pub(crate) fn composed_lower(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.to_lowercase().nfc().collect() }
}

/// A host name in lower-case ASCII: at least two labels, at most 253 octets, and not an IP address.
pub(crate) fn ascii_host(host: &str) -> Result<String, &'static str> {
    let host = host.strip_suffix('.').unwrap_or(host);
    // Refused before the conversion, whose cost grows with the input.
    if host.len() > 1_024 {
        return Err("is longer than 253 characters");
    }
    let ascii = Uts46::new()
        .to_ascii(host.as_bytes(), AsciiDenyList::STD3, Hyphens::CheckFirstLast, DnsLength::Verify)
        .map_err(|_| "has a label that is empty, too long or holds a character a host name cannot have")?;
    let Some((_, last)) = ascii.rsplit_once('.') else {
        return Err("has no dot");
    };
    // Whatever ends in a number, browsers read as an IPv4 address in one of its many spellings.
    let number = last.strip_prefix("0x").map_or_else(
        || last.bytes().all(|b| b.is_ascii_digit()),
        |hex| hex.bytes().all(|b| b.is_ascii_hexdigit()),
    );
    if number {
        return Err("is an ip address");
    }
    Ok(ascii.into_owned())
}

impl TryFrom<String> for Domain {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Self, ParseError> {
        Self::parse(&text)
    }
}

impl From<Domain> for String {
    fn from(domain: Domain) -> Self {
        domain.0
    }
}

impl std::str::FromStr for Domain {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, suffix) = self.0.split_once('.').unwrap_or((&self.0, ""));
        write!(f, "Domain({}.{suffix})", Masked(name))
    }
}
