//! HMAC-SHA256 with keys of at most a block, which all keys of this service are, in a form that cannot fail.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

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

fn whole_block(key: &[u8; 32]) -> [u8; BLOCK_BYTES] {
    let mut block = [0_u8; BLOCK_BYTES];
    for (slot, byte) in block.iter_mut().zip(key) {
        *slot = *byte;
    }
    block
}

#[cfg(test)]
mod tests {
    use super::{KeyedHash, hmac_sha256};

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
}
