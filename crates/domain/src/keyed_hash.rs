//! HMAC-SHA256 with the 32-byte keys this service uses, in a form that cannot fail.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// HMAC-SHA256 over the parts, one after the other. The caller makes sure that the parts cannot run into each other.
pub fn hmac_sha256(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    // HMAC pads a short key with zeros up to the block size of the hash; doing it here picks the constructor that
    // takes a whole block and so has no error to handle.
    let mut block = [0_u8; 64];
    for (slot, byte) in block.iter_mut().zip(key) {
        *slot = *byte;
    }
    let mut mac = Hmac::<Sha256>::new(&block.into());
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::hmac_sha256;

    #[test]
    fn it_agrees_with_an_independent_implementation() {
        // Python: hmac.new(bytes(range(32)), b"what do ya want for nothing?", "sha256").hexdigest()
        let key: [u8; 32] = std::array::from_fn(|i| u8::try_from(i).unwrap());
        let want = "099805f4ac310786968565c098db515cc50862b420ae31e20238312344bed36a";
        for cut in 0..28 {
            let (a, b) = b"what do ya want for nothing?".split_at(cut);
            assert_eq!(hex::encode(hmac_sha256(&key, &[a, b])), want);
        }
    }
}
