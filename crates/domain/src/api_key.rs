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

#[cfg(test)]
mod tests {
    use super::*;

    const LIVE: &str = "assay_live_stuvwxyz0123_456789ABCDEFGHIJKLMNOPQRSTUVWXYZ1a6Gbp";
    const TEST: &str = "assay_test_stuvwxyz0123_456789ABCDEFGHIJKLMNOPQRSTUVWXYZ4PT14Z";

    /// Bytes that count up from 240, so that some are thrown away.
    fn counting() -> impl FnMut(&mut [u8]) {
        let mut next = 240_u8;
        move |bytes| {
            for byte in bytes {
                *byte = next;
                next = next.wrapping_add(1);
            }
        }
    }

    #[test]
    fn keys_are_made_as_an_independent_implementation_makes_them() {
        // Python: base62 of the bytes below 248, and of zlib.crc32 of all that stands before the checksum.
        for (mode, text, name) in [(KeyMode::Live, LIVE, "live"), (KeyMode::Test, TEST, "test")] {
            let key = ApiKey::generate(mode, &mut counting());
            assert_eq!((key.reveal(), key.id(), key.mode()), (text, "stuvwxyz0123", mode));
            assert_eq!(mode.as_str(), name);
            let read = ApiKey::parse(text).unwrap();
            assert_eq!((read.reveal(), read.id(), read.mode()), (text, "stuvwxyz0123", mode));
        }
        let padded = "assay_live_000000000238_00000000000000000000000000000000000OqR";
        assert_eq!(ApiKey::parse(padded).unwrap().reveal(), padded);
    }

    #[test]
    fn more_bytes_are_drawn_until_there_are_enough_symbols() {
        let mut calls = 0;
        let key = ApiKey::generate(KeyMode::Live, &mut |bytes| {
            calls += 1;
            bytes.fill(if calls < 3 { 255 } else { 61 });
            bytes[..10].fill(10);
        });
        assert_eq!(calls, 3);
        assert_eq!((key.id(), key.reveal().len()), ("AAAAAAAAAAAA", LIVE.len()));
        assert_eq!(key.secret(), "AAAAAAAAAAAAAAAAAAzzzzzzzzzzzzzz");
    }

    #[test]
    fn only_the_secret_is_hashed_and_only_the_right_one_matches() {
        let key = ApiKey::parse(LIVE).unwrap();
        let hash = key.secret_hash(&[9; 32]);
        // Python: hmac.new(bytes([9] * 32), b"456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", "sha256").hexdigest()
        assert_eq!(hex::encode(hash), "0cf091ea511549dbd25b9fdcf41c531720b17caab002428e91d5df5e2eb9592b");
        assert!(key.hash_matches(&[9; 32], &hash));
        assert!(!key.hash_matches(&[8; 32], &hash));
        assert!(!key.hash_matches(&[9; 32], &[0; 32]));
    }

    #[test]
    fn a_text_of_another_shape_is_no_key_and_a_mistyped_key_is_noticed() {
        let cut = &LIVE[..LIVE.len() - 1];
        let shapes = [
            "",
            "assay_live_",
            cut,
            &format!("{LIVE}0"),
            &format!(" {LIVE}"),
            &LIVE.replace("live", "gold"),
            &LIVE.replace("stuvwxyz0123_", "stuvwxyz012_3"),
            &LIVE.replace("stuvwxyz0123_", "stuvwxyz01234_"),
            &LIVE.replace("stuvwxyz0123_", "stuvwxyz012-_"),
            &LIVE.replace("456789", "45678-"),
            &LIVE.replace("stuvwxyz0123_", "stuvwxyz0123"),
        ];
        for shape in shapes {
            assert_eq!(ApiKey::parse(shape).err(), Some(ParseError::ApiKeyMalformed), "{shape}");
        }
        for place in [11, 22, 24, 55, 56, 61] {
            let mut typo = LIVE.to_owned();
            let other = if typo[place..].starts_with('Q') { "R" } else { "Q" };
            typo.replace_range(place..=place, other);
            assert_eq!(ApiKey::parse(&typo).err(), Some(ParseError::ApiKeyChecksum), "{place}");
        }
    }

    #[test]
    fn a_key_in_a_log_line_shows_its_id_only() {
        assert_eq!(format!("{:?}", ApiKey::parse(LIVE).unwrap()), "ApiKey(assay_live_stuvwxyz0123_***)");
    }
}
