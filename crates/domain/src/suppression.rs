//! What keeps a person out: the hash a deletion list carries, what a suppression is of, and why it was made.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::email::Email;
use crate::identity::IdentityKind;
use crate::parse_error::ParseError;
use crate::phone::Phone;

/// Base64 of 32 bytes, padding included.
pub const LIST_HASH_CHARS: usize = 44;
/// A list knows no country codes: it takes the last ten digits of a number.
const PHONE_DIGITS: usize = 10;

/// SHA-256 of a standardised identifier, as California's deletion lists (DROP) carry it.
///
/// It is no secret to anyone who can guess the identifier, and phone numbers can be tried out one by one: it is sealed
/// before it is stored, and never logged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListHash([u8; 32]);

impl ListHash {
    /// Of the address, trimmed and in lower case.
    pub fn of_email(email: &Email) -> Self {
        Self::of(email.as_str())
    }

    /// Of every way the address may have been written before it was hashed: an international host is stored in its ASCII
    /// form, but its owner types the other one.
    pub fn spellings_of_email(email: &Email) -> Vec<Self> {
        let mut hashes = vec![Self::of_email(email)];
        if email.host().split('.').any(|label| label.starts_with("xn--")) {
            let (host, _) = idna::domain_to_unicode(email.host());
            hashes.push(Self::of(&format!("{}@{host}", email.local())));
        }
        hashes
    }

    /// Of the last ten digits; numbers of several countries may share them.
    pub fn of_phone(phone: &Phone) -> Self {
        Self::of(last_digits(phone))
    }

    fn of(standardised: &str) -> Self {
        Self(Sha256::digest(standardised.as_bytes()).into())
    }

    /// Reads a hash as a list writes it.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        if text.len() != LIST_HASH_CHARS {
            return Err(ParseError::ListHash("is not 44 characters long"));
        }
        let bytes = STANDARD.decode(text).map_err(|_| ParseError::ListHash("is not base64"))?;
        Self::from_slice(&bytes).ok_or(ParseError::ListHash("is not 32 bytes long"))
    }

    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The form that lists exchange.
    pub fn to_base64(self) -> String {
        STANDARD.encode(self.0)
    }
}

impl fmt::Debug for ListHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ListHash(***)")
    }
}

/// Whether two different numbers look the same to a list.
pub fn end_alike(one: &Phone, other: &Phone) -> bool {
    last_digits(one) == last_digits(other)
}

fn last_digits(phone: &Phone) -> &str {
    let digits = phone.as_str().trim_start_matches('+');
    let start = digits.len().saturating_sub(PHONE_DIGITS);
    digits.get(start..).unwrap_or(digits)
}

/// The lists of hashes that can be matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HashList {
    Email,
    Phone,
}

impl HashList {
    pub const ALL: &[Self] = &[Self::Email, Self::Phone];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Phone => "phone",
        }
    }

    pub const fn identity(self) -> IdentityKind {
        match self {
            Self::Email => IdentityKind::Email,
            Self::Phone => IdentityKind::Phone,
        }
    }
}

/// What a suppression keeps out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SuppressedKind {
    /// One record, whatever identifies it.
    Person,
    /// Everybody whom this identifier leads to.
    Identity(IdentityKind),
}

impl SuppressedKind {
    /// The number it is stored under.
    pub const fn byte(self) -> u8 {
        match self {
            Self::Person => 0,
            Self::Identity(kind) => kind.byte(),
        }
    }

    pub fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Person),
            byte => IdentityKind::from_byte(byte).filter(|kind| kind.is_persons()).map(Self::Identity),
        }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Identity(kind) => kind.as_str(),
        }
    }
}

/// Why a suppression was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum SuppressionReason {
    /// The person asked.
    #[default]
    Request,
    /// A deletion list named them.
    Drop,
    /// The operator decided.
    Operator,
}

impl SuppressionReason {
    pub const ALL: &[Self] = &[Self::Request, Self::Drop, Self::Operator];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Drop => "drop",
            Self::Operator => "operator",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|reason| reason.as_str() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phone(text: &str) -> Phone {
        Phone::parse(text).unwrap()
    }

    #[test]
    fn hashes_are_those_of_the_published_list_format() {
        // The two examples the list's own documentation gives for phones.
        let hash = ListHash::of_phone(&phone("+1 415 555 9317"));
        assert_eq!(hash.to_base64(), "vGM7y5n+hBXRSEAklhHDPCbysyNgYTmXdMcagGUOY8E=");
        assert_eq!(ListHash::of("4901234567").to_base64(), "ptzVkgbv9DonwvPCHmXmJ2SEOaolSh37z3ZzY/Gmm+U=");
        // Python: base64.b64encode(hashlib.sha256(b"jane.doe@acme.example").digest())
        let email = Email::parse("  Jane.Doe@ACME.example ").unwrap();
        assert_eq!(ListHash::of_email(&email).to_base64(), "fw2k0tGeeO1X4H+fYehlRqrdXPgG3R9yS9Ef7NVccAw=");
    }

    #[test]
    fn only_the_last_ten_digits_of_a_number_count() {
        assert_eq!(ListHash::of_phone(&phone("+14155559317")), ListHash::of("4155559317"));
        assert_eq!(ListHash::of_phone(&phone("+442079460123")), ListHash::of("2079460123"));
        // A number with fewer is taken whole.
        assert_eq!(ListHash::of_phone(&phone("+376312345")), ListHash::of("376312345"));
        assert!(end_alike(&phone("+919725550100"), &phone("+19725550100")));
        assert!(!end_alike(&phone("+14155559317"), &phone("+14155559318")));
    }

    #[test]
    fn an_international_host_is_hashed_in_both_its_spellings() {
        let email = Email::parse("jane@bücher.example").unwrap();
        let hashes = ListHash::spellings_of_email(&email);
        assert_eq!(hashes, [ListHash::of("jane@xn--bcher-kva.example"), ListHash::of("jane@bücher.example")]);
        assert_eq!(ListHash::spellings_of_email(&Email::parse("j@a.example").unwrap()).len(), 1);
    }

    #[test]
    fn a_hash_reads_back_and_nothing_else_does() {
        let hash = ListHash::of("x");
        assert_eq!(ListHash::parse(&hash.to_base64()), Ok(hash));
        assert_eq!(ListHash::from_slice(hash.as_bytes()), Some(hash));
        assert_eq!(format!("{hash:?}"), "ListHash(***)");
        let good = hash.to_base64();
        let broken =
            [String::new(), good.replace('=', ""), format!("{good} "), "!".repeat(44), "A".repeat(44)];
        for text in broken {
            assert_eq!(ListHash::parse(&text).unwrap_err().code(), "invalid_list_hash", "{text}");
        }
    }

    #[test]
    fn kinds_read_back_from_their_bytes_and_no_companys_kind_does() {
        let kinds: Vec<SuppressedKind> = (0..=255).filter_map(SuppressedKind::from_byte).collect();
        assert_eq!(kinds.len(), 6);
        assert!(kinds.iter().all(|kind| SuppressedKind::from_byte(kind.byte()) == Some(*kind)));
        let names: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(names, ["person", "email", "phone", "network_url", "name_at_domain", "name_at_company"]);
        for reason in SuppressionReason::ALL {
            assert_eq!(SuppressionReason::parse(reason.as_str()), Some(*reason));
        }
    }
}
