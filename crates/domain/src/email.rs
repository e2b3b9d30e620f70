//! `Email`: one mailbox address, trimmed and lower-cased, with its host in ASCII form.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::masked::Masked;
use crate::parse_error::ParseError;
use crate::site::{Domain, ascii_host, composed_lower};

/// RFC 5321, section 4.5.3.1 as corrected by erratum 1690: octets of a whole address, and of the part before the @.
const ADDRESS_OCTETS_MAX: usize = 254;
const LOCAL_OCTETS_MAX: usize = 64;

/// A dot-atom address (RFC 5321), UTF-8 before the @ allowed (RFC 6531). Quoted local parts are refused: nobody uses
/// them at work, and every mailer quotes them differently.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Email {
    text: String,
    at: usize,
    domain: Domain,
}

impl Email {
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Self::read(text).map_err(ParseError::Email)
    }

    fn read(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        if text.is_empty() {
            return Err("is empty");
        }
        let (local, host) = text.rsplit_once('@').ok_or("has no @ sign")?;
        let local = composed_lower(local);
        check_local(&local)?;
        let host = ascii_host(host)?;
        let domain = Domain::of_host(&host)?;
        let text = format!("{local}@{host}");
        if text.len() > ADDRESS_OCTETS_MAX {
            return Err("is longer than 254 characters");
        }
        Ok(Self { at: local.len(), text, domain })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The part before the @.
    pub fn local(&self) -> &str {
        self.text.get(..self.at).unwrap_or_default()
    }

    /// The whole host after the @, in ASCII form.
    pub fn host(&self) -> &str {
        self.text.get(self.at.saturating_add(1)..).unwrap_or_default()
    }

    /// The registrable domain of the host.
    pub fn domain(&self) -> Domain {
        self.domain.clone()
    }
}

fn check_local(local: &str) -> Result<(), &'static str> {
    if local.is_empty() {
        return Err("has nothing before the @ sign");
    }
    if local.starts_with('"') {
        return Err("is quoted before the @ sign");
    }
    if local.len() > LOCAL_OCTETS_MAX {
        return Err("has more than 64 characters before the @ sign");
    }
    if local.split('.').any(str::is_empty) {
        return Err("has a misplaced dot before the @ sign");
    }
    if !local.chars().all(|c| c == '.' || is_atom(c)) {
        return Err("has a character before the @ sign that is not allowed there");
    }
    Ok(())
}

/// RFC 5322 `atext`, and beyond ASCII whatever is visible: an invisible character is a copying accident that would
/// make two mailboxes of one.
fn is_atom(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c);
    }
    let invisible = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff0}'..='\u{ffff}');
    !(c.is_control() || c.is_whitespace() || invisible)
}

impl TryFrom<String> for Email {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Self, ParseError> {
        Self::parse(&text)
    }
}

impl From<Email> for String {
    fn from(email: Email) -> Self {
        email.text
    }
}

impl std::str::FromStr for Email {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Email({}@{})", Masked(self.local()), self.host())
    }
}
