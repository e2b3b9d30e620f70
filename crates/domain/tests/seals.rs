//! Sealing: what goes in comes out for its owner, and for nobody else.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails, also in a function it calls")]

use assay_domain::{MasterKey, SealError, Sealed, Sealer};
use proptest::prelude::*;

fn sealer(purpose: &'static str) -> Sealer {
    MasterKey::parse(&"5a".repeat(32)).unwrap().sealer(purpose)
}

/// A nonce that is the same in every run.
fn nonce(seed: u8) -> impl FnMut(&mut [u8]) {
    move |out| out.fill(seed)
}

fn seal(plain: &[u8], owner: &[u8], seed: u8) -> Vec<u8> {
    sealer("reply").seal(owner, plain, &mut nonce(seed)).unwrap().into_bytes()
}

proptest! {
    #[test]
    fn what_was_sealed_opens_for_its_owner(
        plain in proptest::collection::vec(any::<u8>(), 0..3_000),
        owner in proptest::collection::vec(any::<u8>(), 0..80),
        seed: u8,
    ) {
        let sealed = seal(&plain, &owner, seed);
        prop_assert_eq!(sealed.len(), plain.len() + 1 + 24 + 16);
        prop_assert_eq!(sealer("reply").open(&owner, &sealed), Ok(plain));
    }

    #[test]
    fn any_flipped_bit_and_any_cut_is_refused(
        plain in proptest::collection::vec(any::<u8>(), 0..200),
        seed: u8,
        at: prop::sample::Index,
        bit in 0_u32..8,
    ) {
        let sealed = seal(&plain, b"owner", seed);
        let mut changed = sealed.clone();
        changed[at.index(sealed.len())] ^= 1 << bit;
        prop_assert_eq!(sealer("reply").open(b"owner", &changed), Err(SealError));
        prop_assert_eq!(sealer("reply").open(b"owner", &sealed[..at.index(sealed.len())]), Err(SealError));
    }

    #[test]
    fn another_owner_and_another_purpose_are_refused(
        plain in proptest::collection::vec(any::<u8>(), 0..200),
        owner in proptest::collection::vec(any::<u8>(), 0..40),
        other in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        prop_assume!(owner != other);
        let sealed = seal(&plain, &owner, 1);
        prop_assert_eq!(sealer("reply").open(&other, &sealed), Err(SealError));
        prop_assert_eq!(sealer("secret").open(&owner, &sealed), Err(SealError));
    }
}

#[test]
fn every_bit_of_a_short_one_counts() {
    let sealed = seal(b"a secret", b"owner", 3);
    for at in 0..sealed.len() {
        for bit in 0..8 {
            let mut changed = sealed.clone();
            changed[at] ^= 1 << bit;
            assert_eq!(sealer("reply").open(b"owner", &changed), Err(SealError), "byte {at}, bit {bit}");
        }
    }
}

#[test]
fn it_is_what_an_independent_implementation_computes() {
    // Python, PyNaCl: crypto_aead_xchacha20poly1305_ietf_encrypt(b"a secret", aad, bytes([9]) * 24, bytes([7]) * 32)
    // with aad = bytes([1]) + (5).to_bytes(8, "big") + b"reply" + b"owner".
    let sealed = Sealer::new(&[7; 32], "reply").seal(b"owner", b"a secret", &mut nonce(9)).unwrap();
    let (head, hidden) = sealed.as_bytes().split_at(25);
    assert_eq!(head[0], 1);
    assert_eq!(hex::encode(hidden), "df5291ef1fd81c169ed503aa1b10780d4ba861e2fff594ff");
}

#[test]
fn one_text_sealed_twice_is_two_texts_and_neither_shows() {
    assert_ne!(seal(b"a secret", b"owner", 1), seal(b"a secret", b"owner", 2));
    let sealed = Sealed::from_bytes(seal(b"a secret", b"owner", 1));
    assert!(!sealed.as_bytes().windows(6).any(|six| six == b"secret"));
    assert_eq!(format!("{sealed:?}"), "Sealed(49 bytes)");
    assert_eq!(format!("{:?}", sealer("reply")), "Sealer(reply, ***)");
}
