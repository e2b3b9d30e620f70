//! Keyed digests under which the graph looks up identifiers, and the master key every secret is derived from.
//!
//! The lookup table holds digests only: who steals it learns no address, and without the key cannot even guess.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

use crate::email::Email;
use crate::keyed_hash::{KeyedHash, ShortKeyedHash, hmac_sha256};
use crate::name::{PersonName, fold_company};
use crate::network_url::{NetworkUrl, NetworkUrlKind};
use crate::parse_error::ParseError;
use crate::phone::Phone;
use crate::seal::Sealer;
use crate::site::Domain;
use crate::suppression::{HashList, ListHash};

/// Between the two halves of a compound identity; no folded name and no domain can hold it.
const SEPARATOR: &[u8] = b"\x1f";

/// Under which the key of match keys is made. It cannot be taken for a kind, which is one low byte, or for a sealer's label.
const MATCH_KEY_LABEL: &[u8] = b"match-key";

/// What a digest was taken of. The numbers are stored and never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdentityKind {
    Email = 1,
    Phone = 2,
    PersonUrl = 3,
    CompanyUrl = 4,
    Domain = 5,
    NameAtDomain = 6,
    NameAtCompany = 7,
    CompanyName = 8,
}

impl IdentityKind {
    pub const ALL: &[Self] = &[
        Self::Email,
        Self::Phone,
        Self::PersonUrl,
        Self::CompanyUrl,
        Self::Domain,
        Self::NameAtDomain,
        Self::NameAtCompany,
        Self::CompanyName,
    ];

    pub const fn byte(self) -> u8 {
        match self {
            Self::Email => 1,
            Self::Phone => 2,
            Self::PersonUrl => 3,
            Self::CompanyUrl => 4,
            Self::Domain => 5,
            Self::NameAtDomain => 6,
            Self::NameAtCompany => 7,
            Self::CompanyName => 8,
        }
    }

    pub fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.byte() == byte)
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Phone => "phone",
            Self::PersonUrl => "network_url",
            Self::CompanyUrl => "company_url",
            Self::Domain => "domain",
            Self::NameAtDomain => "name_at_domain",
            Self::NameAtCompany => "name_at_company",
            Self::CompanyName => "company_name",
        }
    }

    /// Whether it leads to people; the others lead to companies.
    pub const fn is_persons(self) -> bool {
        matches!(self, Self::Email | Self::Phone | Self::PersonUrl | Self::NameAtDomain | Self::NameAtCompany)
    }
}

/// The first 16 bytes of HMAC-SHA256 over the kind and the canonical text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 16]);

impl Digest {
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Reads a stored digest; none when it is not 16 bytes long.
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// The secret behind all digests of one installation.
#[derive(Clone)]
pub struct IdentityKey(KeyedHash, ShortKeyedHash);

impl IdentityKey {
    pub fn new(key: [u8; 32]) -> Self {
        let hash = KeyedHash::new(&key);
        let short = ShortKeyedHash::new(&hash.of(&[MATCH_KEY_LABEL]));
        Self(hash, short)
    }

    pub fn digest_email(&self, email: &Email) -> Digest {
        self.digest_hash(HashList::Email, ListHash::of_email(email))
    }

    /// Numbers that end in the same ten digits share a digest: whoever looks one up compares the whole number after.
    pub fn digest_phone(&self, phone: &Phone) -> Digest {
        self.digest_hash(HashList::Phone, ListHash::of_phone(phone))
    }

    /// The digest behind an entry of a deletion list. Addresses and numbers are hashed before they are keyed so that
    /// such an entry, which is a hash already, leads straight to whom it means.
    pub fn digest_hash(&self, list: HashList, hash: ListHash) -> Digest {
        self.digest(list.identity(), &[hash.as_bytes()])
    }

    /// Over the path alone, so that renaming the network's host keeps every digest.
    pub fn digest_network_url(&self, url: &NetworkUrl) -> Digest {
        let kind = match url.kind() {
            NetworkUrlKind::Person => IdentityKind::PersonUrl,
            NetworkUrlKind::Company => IdentityKind::CompanyUrl,
        };
        self.digest(kind, &[url.identity().as_bytes()])
    }

    pub fn digest_domain(&self, domain: &Domain) -> Digest {
        self.digest(IdentityKind::Domain, &[domain.as_str().as_bytes()])
    }

    pub fn digest_name_at_domain(&self, name: &PersonName, domain: &Domain) -> Digest {
        self.digest(
            IdentityKind::NameAtDomain,
            &[name.fold().as_bytes(), SEPARATOR, domain.as_str().as_bytes()],
        )
    }

    /// The company name may be folded already; folding twice changes nothing.
    pub fn digest_name_at_company(&self, name: &PersonName, company: &str) -> Digest {
        let company = fold_company(company);
        self.digest(IdentityKind::NameAtCompany, &[name.fold().as_bytes(), SEPARATOR, company.as_bytes()])
    }

    /// The company name may be folded already; folding twice changes nothing.
    pub fn digest_company_name(&self, company: &str) -> Digest {
        self.digest(IdentityKind::CompanyName, &[fold_company(company).as_bytes()])
    }

    /// Under which records are looked up that may be alike. Short, because a person has several of them and a stranger
    /// who shares one is told apart by a comparison; keyed, because they are made of names.
    pub fn match_key(&self, parts: &[&[u8]]) -> i64 {
        self.1.of(parts)
    }

    /// A key for sealing what belongs to the digests. The label cannot be taken for a kind, which is one low byte.
    pub fn sealer(&self, purpose: &'static str) -> Sealer {
        Sealer::new(&self.0.of(&[b"seal:", purpose.as_bytes()]), purpose)
    }

    fn digest(&self, kind: IdentityKind, text: &[&[u8]]) -> Digest {
        let kind = [kind.byte()];
        let parts: Vec<&[u8]> = std::iter::once(kind.as_slice()).chain(text.iter().copied()).collect();
        let full = self.0.of(&parts);
        let mut short = [0_u8; 16];
        for (slot, byte) in short.iter_mut().zip(full) {
            *slot = byte;
        }
        Digest(short)
    }
}

impl fmt::Debug for IdentityKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdentityKey(***)")
    }
}

/// The one secret an operator sets; every purpose gets a key of its own from it.
#[derive(Clone)]
pub struct MasterKey([u8; 32]);

impl MasterKey {
    /// Reads 32 bytes as 64 hexadecimal digits or as base64, with either alphabet, padded or not.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let text = text.trim();
        let bytes = if text.len() == 64 {
            hex::decode(text).ok()
        } else {
            [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD]
                .iter()
                .find_map(|engine| engine.decode(text).ok())
        };
        let bytes = bytes.ok_or(ParseError::MasterKey("is neither hexadecimal nor base64"))?;
        bytes.try_into().map(Self).map_err(|_| ParseError::MasterKey("is not 32 bytes long"))
    }

    /// The key for one purpose. The label names it and must never change.
    pub fn derive(&self, label: &str) -> [u8; 32] {
        hmac_sha256(&self.0, &[label.as_bytes()])
    }

    /// Seals for one purpose, with a key of its own.
    pub fn sealer(&self, purpose: &'static str) -> Sealer {
        Sealer::new(&self.derive(&format!("seal:{purpose}")), purpose)
    }

    /// Tells two master keys apart without revealing either; safe to store and to log.
    pub fn fingerprint(&self) -> String {
        self.derive("fingerprint").iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterKey(***)")
    }
}
