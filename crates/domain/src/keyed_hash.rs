//! HMAC-SHA256 with keys of at most a block, which all keys of this service are, in a form that cannot fail.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use siphasher::sip::SipHasher24;
use std::hash::Hasher as _;

/// The hash's block: the longest key that HMAC takes as it is.
pub const BLOCK_BYTES: usize = 64;

/// HMAC-SHA256 over the parts, one after the other. The caller makes sure that the parts cannot run into each other.
pub fn hmac_sha256(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    hmac_sha256_block(&whole_block(key), parts)
}

/// The same under a key of another length, filled up with zeros to a whole block. HMAC does that to a short key itself;
/// done beforehand, it picks the constructor that takes a whole block and so has no error to handle.
pub fn hmac_sha256_block(block: &[u8; BLOCK_BYTES], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new(&(*block).into());
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// A key that is used again and again: what HMAC makes of the key alone is half of the work for a short text.
#[derive(Clone)]
pub(crate) struct KeyedHash(Hmac<Sha256>);

impl KeyedHash {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        Self(Hmac::<Sha256>::new(&whole_block(key).into()))
    }

    /// The same as [`hmac_sha256`].
    pub(crate) fn of(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = self.0.clone();
        for part in parts {
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

/// SipHash-2-4: a keyed hash of eight bytes, for what is looked up in great numbers and needs no more. Ten times as fast as
/// the first eight bytes of an HMAC, and nobody without the key can make one either.
#[derive(Clone)]
pub(crate) struct ShortKeyedHash(SipHasher24);

impl ShortKeyedHash {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        let mut first = [0; 16];
        for (slot, byte) in first.iter_mut().zip(key) {
            *slot = *byte;
        }
        Self(SipHasher24::new_with_key(&first))
    }

    /// Over the parts, each with its length, so that no two lists of them feed the same bytes.
    pub(crate) fn of(&self, parts: &[&[u8]]) -> i64 {
        let mut hasher = self.0;
        for part in parts {
            hasher.write(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
            hasher.write(part);
        }
        i64::from_le_bytes(hasher.finish().to_le_bytes())
    }
}

fn whole_block(key: &[u8; 32]) -> [u8; BLOCK_BYTES] {
    let mut block = [0_u8; BLOCK_BYTES];
    for (slot, byte) in block.iter_mut().zip(key) {
        *slot = *byte;
    }
    block
}

#[cfg(test)]
mod tests {
    use super::{KeyedHash, ShortKeyedHash, hmac_sha256};
    use siphasher::sip::SipHasher24;
    use std::hash::Hasher as _;

    #[test]
    fn it_agrees_with_an_independent_implementation() {
        // Python: hmac.new(bytes(range(32)), b"what do ya want for nothing?", "sha256").hexdigest()
        let key: [u8; 32] = std::array::from_fn(|i| u8::try_from(i).unwrap());
        let want = "099805f4ac310786968565c098db515cc50862b420ae31e20238312344bed36a";
        for cut in 0..28 {
            let (a, b) = b"what do ya want for nothing?".split_at(cut);
            assert_eq!(hex::encode(hmac_sha256(&key, &[a, b])), want);
            assert_eq!(hex::encode(KeyedHash::new(&key).of(&[a, b])), want);
        }
    }

    #[test]
    fn the_short_one_is_siphash_as_it_was_published_and_keeps_parts_apart() {
        // The vectors of the paper: the key 00 01 … 0f, over 00 01 … 0e.
        let key: [u8; 16] = std::array::from_fn(|i| u8::try_from(i).unwrap());
        let mut published = SipHasher24::new_with_key(&key);
        published.write(&std::array::from_fn::<u8, 15, _>(|i| u8::try_from(i).unwrap()));
        assert_eq!(published.finish(), 0xa129_ca61_49be_45e5);
        let hash = ShortKeyedHash::new(&[7; 32]);
        assert_ne!(hash.of(&[b"ab", b"c"]), hash.of(&[b"a", b"bc"]));
        assert_ne!(hash.of(&[b"a", b""]), hash.of(&[b"a"]));
        assert_ne!(hash.of(&[b"a"]), ShortKeyedHash::new(&[8; 32]).of(&[b"a"]));
        assert_eq!(hash.of(&[b"a"]), ShortKeyedHash::new(&[7; 32]).of(&[b"a"]));
    }
}
