//! API keys: `assay_live_<12 base62 id>_<32 base62 secret><6 base62 CRC32>`, and `assay_test_…` for the sandbox.
//!
//! The checksum lets a scanner recognise a leaked key, and lets a mistyped one be refused without a look-up.

use std::fmt;

use subtle::ConstantTimeEq;

use crate::keyed_hash::hmac_sha256;
use crate::parse_error::ParseError;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID_CHARS: usize = 12;
const SECRET_CHARS: usize = 32;
const CHECKSUM_CHARS: usize = 6;
/// Both prefixes are this long.
const PREFIX_CHARS: usize = 11;
const SECRET_START: usize = PREFIX_CHARS + ID_CHARS + 1;
const CHECKSUM_START: usize = SECRET_START + SECRET_CHARS;

/// Whether calls with a key reach real data and cost credits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyMode {
    Live,
    Test,
}

impl KeyMode {
    pub const ALL: &[Self] = &[Self::Live, Self::Test];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Test => "test",
        }
    }

    const fn prefix(self) -> &'static str {
        match self {
            Self::Live => "assay_live_",
            Self::Test => "assay_test_",
        }
    }
}

/// A whole key. It exists when a key is issued and while a request is being authenticated, and is never stored.
#[derive(Clone)]
pub struct ApiKey {
    text: String,
    mode: KeyMode,
}

impl ApiKey {
    /// Makes a new key from a source of random bytes.
    pub fn generate(mode: KeyMode, random: &mut dyn FnMut(&mut [u8])) -> Self {
        let symbols = random_symbols(ID_CHARS + SECRET_CHARS, random);
        let (id, secret) = symbols.split_at_checked(ID_CHARS).unwrap_or_default();
        let mut text = format!("{}{id}_{secret}", mode.prefix());
        text.push_str(&checksum(&text));
        Self { text, mode }
    }

    /// Reads a key exactly as it was issued; nothing is trimmed.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let mode = KeyMode::ALL.iter().copied().find(|mode| text.starts_with(mode.prefix()));
        let mode = mode.ok_or(ParseError::ApiKeyMalformed)?;
        let body = text.get(PREFIX_CHARS..).unwrap_or_default();
        let (id, rest) = body.split_once('_').ok_or(ParseError::ApiKeyMalformed)?;
        let base62 = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if id.len() != ID_CHARS || rest.len() != SECRET_CHARS + CHECKSUM_CHARS || !base62(id) || !base62(rest)
        {
            return Err(ParseError::ApiKeyMalformed);
        }
        let (signed, given) = text.split_at_checked(CHECKSUM_START).ok_or(ParseError::ApiKeyMalformed)?;
        if checksum(signed) != given {
            return Err(ParseError::ApiKeyChecksum);
        }
        Ok(Self { text: text.to_owned(), mode })
    }

    /// The public part, under which the key is stored and listed.
    pub fn id(&self) -> &str {
        self.text.get(PREFIX_CHARS..PREFIX_CHARS + ID_CHARS).unwrap_or_default()
    }

    pub fn mode(&self) -> KeyMode {
        self.mode
    }

    /// The whole key, to be shown once to its owner.
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// What is stored instead of the secret.
    pub fn secret_hash(&self, pepper: &[u8; 32]) -> [u8; 32] {
        hmac_sha256(pepper, &[self.secret().as_bytes()])
    }

    /// Compares in constant time, so that the answer's timing says nothing about the stored hash.
    pub fn hash_matches(&self, pepper: &[u8; 32], stored: &[u8; 32]) -> bool {
        self.secret_hash(pepper).ct_eq(stored).into()
    }

    fn secret(&self) -> &str {
        self.text.get(SECRET_START..CHECKSUM_START).unwrap_or_default()
    }
}

/// Base62 symbols, each equally likely: bytes from 248 up are thrown away, since 256 is no multiple of 62.
fn random_symbols(count: usize, random: &mut dyn FnMut(&mut [u8])) -> String {
    let mut symbols = String::with_capacity(count);
    while symbols.len() < count {
        let mut bytes = [0_u8; 64];
        random(&mut bytes);
        let drawn =
            bytes.iter().filter(|byte| **byte < 248).filter_map(|byte| ALPHABET.get(usize::from(byte % 62)));
        symbols.extend(drawn.take(count - symbols.len()).copied().map(char::from));
    }
    symbols
}

/// CRC32 in base62, most significant digit first, padded with zeros.
fn checksum(signed: &str) -> String {
    let mut value = u64::from(crc32fast::hash(signed.as_bytes()));
    let mut digits = [b'0'; CHECKSUM_CHARS];
    for digit in digits.iter_mut().rev() {
        let at = usize::try_from(value % 62).unwrap_or_default();
        *digit = ALPHABET.get(at).copied().unwrap_or(b'0');
        value /= 62;
    }
    digits.iter().copied().map(char::from).collect()
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey({}{}_***)", self.mode.prefix(), self.id())
    }
}
