//! A hash that tells whether something is still the same.
//!
//! Two contents that differ have the same one by an accident that never happens. It is no defence against somebody who looks
//! for such a pair: whoever could feed us one could as well feed us the content they want.

use siphasher::sip128::{Hasher128 as _, SipHasher24};
use std::hash::Hasher as _;

#[derive(Debug, Default)]
pub struct ContentHasher(SipHasher24);

impl ContentHasher {
    /// Adds a part with its length, so that no two lists of parts are hashed alike.
    pub fn feed(&mut self, part: &[u8]) {
        self.0.write(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        self.0.write(part);
    }

    pub fn finish(&self) -> [u8; 16] {
        self.0.finish128().as_bytes()
    }
}

/// Of one part.
pub fn content_hash(part: &[u8]) -> [u8; 16] {
    let mut hasher = ContentHasher::default();
    hasher.feed(part);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart_and_the_hash_never_changes() {
        let of = |parts: &[&[u8]]| {
            let mut hasher = ContentHasher::default();
            parts.iter().for_each(|part| hasher.feed(part));
            hasher.finish()
        };
        assert_ne!(of(&[b"ab", b"c"]), of(&[b"a", b"bc"]));
        assert_ne!(of(&[b"a"]), of(&[b"a", b""]));
        assert_eq!(content_hash(b"a"), of(&[b"a"]));
        // It is stored: another version of the library must not take everything for changed.
        assert_eq!(hex::encode(content_hash(b"what was said")), "c3d822d87af096d78c996bedc7c000a8");
    }
}
