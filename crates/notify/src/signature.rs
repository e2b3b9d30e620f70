//! Signatures after Standard Webhooks 1.0: with the secret they share, a receiver sees who sent a delivery, and when.

use std::fmt;

use assay_domain::keyed_hash::{BLOCK_BYTES, hmac_sha256_block};
use assay_domain::limits::{
    WEBHOOK_SECRET_BYTES_MAX, WEBHOOK_SECRET_BYTES_MIN, WEBHOOK_SIGNATURES_MAX, WEBHOOK_TOLERANCE,
};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use subtle::{Choice, ConstantTimeEq};

const PREFIX: &str = "whsec_";
/// HMAC-SHA256 under a shared secret. A signature of another kind stands beside it under another name.
const VERSION: &str = "v1,";
/// As long as what the hash gives out: more would not be harder to guess.
const GENERATED_BYTES: usize = 32;

/// What an endpoint's owner and this service both know: `whsec_<base64>`, 24 to 64 bytes.
#[derive(Clone)]
pub struct Secret {
    /// Filled up with zeros, as HMAC does to a key that is shorter than a block.
    block: [u8; BLOCK_BYTES],
    length: usize,
}

impl Secret {
    /// Makes a new secret from a source of random bytes.
    pub fn generate(random: &mut dyn FnMut(&mut [u8])) -> Self {
        let mut bytes = [0_u8; GENERATED_BYTES];
        random(&mut bytes);
        Self::fill(&bytes)
    }

    /// Reads a secret as it is shown; nothing is trimmed.
    pub fn parse(text: &str) -> Result<Self, SecretError> {
        let encoded = text.strip_prefix(PREFIX).ok_or(SecretError::Prefix)?;
        let bytes = STANDARD.decode(encoded).map_err(|_| SecretError::Base64)?;
        Self::from_bytes(&bytes)
    }

    /// What was kept before, as [`Secret::as_bytes`] gave it out.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SecretError> {
        if !(WEBHOOK_SECRET_BYTES_MIN..=WEBHOOK_SECRET_BYTES_MAX).contains(&bytes.len()) {
            return Err(SecretError::Length(bytes.len()));
        }
        Ok(Self::fill(bytes))
    }

    /// The bytes themselves, to be sealed and kept.
    pub fn as_bytes(&self) -> &[u8] {
        self.block.get(..self.length).unwrap_or_default()
    }

    /// The whole secret, to be shown to its owner.
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(self.as_bytes()))
    }

    /// Longer than a block it would be cut off, which no caller lets happen.
    fn fill(bytes: &[u8]) -> Self {
        let mut block = [0_u8; BLOCK_BYTES];
        for (slot, byte) in block.iter_mut().zip(bytes) {
            *slot = *byte;
        }
        Self { block, length: bytes.len().min(BLOCK_BYTES) }
    }

    /// The dots keep the parts apart as long as neither id nor timestamp has one.
    fn signature(&self, id: &str, timestamp: &str, body: &[u8]) -> String {
        let parts = [id.as_bytes(), b".", timestamp.as_bytes(), b".", body];
        STANDARD.encode(hmac_sha256_block(&self.block, &parts))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret(whsec_***)")
    }
}

/// Why a text is no secret. It never holds the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    #[error("the secret does not start with whsec_")]
    Prefix,
    #[error("the secret is not base64 after whsec_")]
    Base64,
    #[error(
        "the secret has {0} bytes; it needs {WEBHOOK_SECRET_BYTES_MIN} to {WEBHOOK_SECRET_BYTES_MAX} of them"
    )]
    Length(usize),
}

/// The header `webhook-signature`: one signature for each secret, in their order. While a secret is being replaced both
/// sign, the newest first, and a receiver that knows either is content.
///
/// `timestamp` is of the attempt, in seconds, and is the header `webhook-timestamp`. `id` is the same in every attempt and
/// holds no dot.
pub fn sign(secrets: &[Secret], id: &str, timestamp: i64, body: &[u8]) -> String {
    let timestamp = timestamp.to_string();
    let signatures = secrets.iter().map(|it| format!("{VERSION}{}", it.signature(id, &timestamp, body)));
    signatures.collect::<Vec<_>>().join(" ")
}

/// What a receiver does: one signature in the header must fit one of the secrets, and be of now. `id`, `timestamp` and
/// `header` are as they were received, `now` is in seconds.
pub fn verify(
    secrets: &[Secret],
    id: &str,
    timestamp: &str,
    header: &str,
    body: &[u8],
    now: i64,
) -> Result<(), SignatureError> {
    let at: i64 = timestamp.parse().map_err(|_| SignatureError::Timestamp)?;
    let tolerance = i64::try_from(WEBHOOK_TOLERANCE.as_secs()).unwrap_or(i64::MAX);
    if at < now.saturating_sub(tolerance) {
        return Err(SignatureError::TooOld);
    }
    if at > now.saturating_add(tolerance) {
        return Err(SignatureError::TooNew);
    }
    let expected: Vec<String> = secrets.iter().map(|it| it.signature(id, timestamp, body)).collect();
    let given = header.split(' ').take(WEBHOOK_SIGNATURES_MAX).filter_map(|it| it.strip_prefix(VERSION));
    let mut fits = Choice::from(0);
    for given in given {
        for expected in &expected {
            // In constant time: how long it takes would otherwise tell how much of a forged signature is right.
            fits |= expected.as_bytes().ct_eq(given.as_bytes());
        }
    }
    // A dot in the id would let its end pass for the timestamp.
    if bool::from(fits) && !id.contains('.') { Ok(()) } else { Err(SignatureError::Mismatch) }
}

/// Why a delivery is not believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    #[error("the timestamp is not a number of seconds")]
    Timestamp,
    #[error("the delivery was signed too long ago")]
    TooOld,
    #[error("the delivery was signed in the future")]
    TooNew,
    #[error("no signature fits the delivery")]
    Mismatch,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The example of the standard's own libraries.
    const SECRET: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    const ID: &str = "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk";
    const AT: i64 = 1_649_367_553;
    const BODY: &[u8] = br#"{"email":"test@example.com","username":"test_user"}"#;
    const SIGNATURE: &str = "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=";

    fn secret(seed: u8, length: usize) -> Secret {
        let bytes: Vec<u8> = (0..length).map(|at| seed.wrapping_add(u8::try_from(at).unwrap())).collect();
        Secret::from_bytes(&bytes).unwrap()
    }

    fn check(secrets: &[Secret], header: &str, now: i64) -> Result<(), SignatureError> {
        verify(secrets, ID, &AT.to_string(), header, BODY, now)
    }

    #[test]
    fn a_delivery_is_signed_as_the_standard_shows_it() {
        let secret = Secret::parse(SECRET).unwrap();
        assert_eq!(sign(std::slice::from_ref(&secret), ID, AT, BODY), SIGNATURE);
        assert_eq!(check(&[secret], SIGNATURE, AT), Ok(()));
    }

    #[test]
    fn secrets_of_every_length_sign_as_an_independent_implementation_does() {
        // Python: base64(hmac.new(bytes(range(1, n + 1)), b"msg_1.7.{}", "sha256").digest()) for n in 24, 32, 33, 64
        let signatures = [
            (24, "4esV6gKI2Q4XPiUetP64swaD7MMDfOPX6R00tc1HPYs="),
            (32, "B4ogANzLk2wmgCzy71Za81rspjBDGheWANQAF9tIJtc="),
            (33, "x6+RK7Y9e4mYiCQOGWVJE1QIq4my3oOgMufwmSUjDHM="),
            (64, "BilQdG191QK2u1RcBDzsmubCUqt1UPzhguuwqG1gVoo="),
        ];
        for (length, signature) in signatures {
            assert_eq!(sign(&[secret(1, length)], "msg_1", 7, b"{}"), format!("v1,{signature}"), "{length}");
        }
    }

    #[test]
    fn a_new_secret_is_32_random_bytes_and_reads_back() {
        let secret = Secret::generate(&mut |bytes| bytes.fill(0xAB));
        assert_eq!(secret.as_bytes(), [0xAB; 32]);
        assert_eq!(secret.reveal(), "whsec_q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=");
        assert_eq!(Secret::parse(&secret.reveal()).unwrap().as_bytes(), secret.as_bytes());
    }

    #[test]
    fn what_is_no_secret_is_refused_with_its_reason() {
        let of = |length: usize| format!("whsec_{}", STANDARD.encode(vec![7; length]));
        for (text, error) in [
            (of(23), SecretError::Length(23)),
            (of(65), SecretError::Length(65)),
            (of(0), SecretError::Length(0)),
            (of(24).replace("whsec_", ""), SecretError::Prefix),
            (of(24).replace("whsec_", "WHSEC_"), SecretError::Prefix),
            (format!("{}!", of(24)), SecretError::Base64),
            (of(25).trim_end_matches('=').to_owned(), SecretError::Base64),
        ] {
            assert_eq!(Secret::parse(&text).err(), Some(error), "{text}");
        }
        for length in [24, 64] {
            assert_eq!(Secret::parse(&of(length)).unwrap().as_bytes().len(), length);
        }
    }

    #[test]
    fn a_secret_in_a_log_line_shows_nothing() {
        assert_eq!(format!("{:?}", Secret::parse(SECRET).unwrap()), "Secret(whsec_***)");
    }

    #[test]
    fn while_a_secret_is_replaced_either_one_verifies_and_a_third_does_not() {
        let (new, old, other) = (secret(1, 32), secret(2, 32), secret(3, 32));
        let header = sign(&[new.clone(), old.clone()], ID, AT, BODY);
        assert_eq!(header.split(' ').next(), Some(sign(std::slice::from_ref(&new), ID, AT, BODY).as_str()));
        assert_eq!(header.split(' ').count(), 2);
        for secrets in [vec![new.clone()], vec![old.clone()], vec![other.clone(), old]] {
            assert_eq!(check(&secrets, &header, AT), Ok(()));
        }
        assert_eq!(check(&[other], &header, AT), Err(SignatureError::Mismatch));
        assert_eq!(check(&[], &header, AT), Err(SignatureError::Mismatch));
        let unknown = format!("v2,abc v1a,def {header} v1, ,");
        assert_eq!(check(&[new], &unknown, AT), Ok(()));
    }

    #[test]
    fn a_delivery_counts_for_five_minutes_on_either_side() {
        let secrets = [Secret::parse(SECRET).unwrap()];
        for (now, verdict) in [
            (AT - 301, Err(SignatureError::TooNew)),
            (AT - 300, Ok(())),
            (AT + 300, Ok(())),
            (AT + 301, Err(SignatureError::TooOld)),
            (i64::MAX, Err(SignatureError::TooOld)),
            (i64::MIN, Err(SignatureError::TooNew)),
        ] {
            assert_eq!(check(&secrets, SIGNATURE, now), verdict, "{now}");
        }
    }

    #[test]
    fn only_the_signature_itself_fits() {
        let secrets = [Secret::parse(SECRET).unwrap()];
        let bare = SIGNATURE.trim_start_matches("v1,");
        for header in [
            "",
            "v1,",
            bare,
            &format!("v1a,{bare}"),
            &format!("v1 {bare}"),
            &SIGNATURE.replace('=', ""),
            &format!("{SIGNATURE}="),
            &SIGNATURE.to_lowercase(),
        ] {
            assert_eq!(check(&secrets, header, AT), Err(SignatureError::Mismatch), "{header}");
        }
        let far = format!("{}{SIGNATURE}", "v1,x ".repeat(WEBHOOK_SIGNATURES_MAX));
        assert_eq!(check(&secrets, &far, AT), Err(SignatureError::Mismatch));
        let near = format!("{}{SIGNATURE}", "v1,x ".repeat(WEBHOOK_SIGNATURES_MAX - 1));
        assert_eq!(check(&secrets, &near, AT), Ok(()));
    }

    #[test]
    fn a_timestamp_counts_as_it_was_written() {
        let secrets = [Secret::parse(SECRET).unwrap()];
        for (timestamp, error) in [
            ("", SignatureError::Timestamp),
            ("now", SignatureError::Timestamp),
            ("1649367553.0", SignatureError::Timestamp),
            ("+1649367553", SignatureError::Mismatch),
            ("01649367553", SignatureError::Mismatch),
        ] {
            assert_eq!(verify(&secrets, ID, timestamp, SIGNATURE, BODY, AT), Err(error), "{timestamp}");
        }
    }

    #[test]
    fn a_dot_in_an_id_moves_no_border() {
        let secrets = [secret(1, 32)];
        // Signed with the id "msg_1" over the body "7.{}", and with the id "msg_1.7" over "{}": the same bytes.
        let header = sign(&secrets, "msg_1", 7, b"7.{}");
        assert_eq!(verify(&secrets, "msg_1", "7", &header, b"7.{}", 7), Ok(()));
        assert_eq!(verify(&secrets, "msg_1.7", "7", &header, b"{}", 7), Err(SignatureError::Mismatch));
    }

    proptest! {
        #[test]
        fn one_changed_bit_is_noticed(
            key in proptest::collection::vec(any::<u8>(), 24..=64),
            id in "msg_[a-zA-Z0-9]{1,24}",
            at in 0_i64..4_000_000_000,
            body in proptest::collection::vec(any::<u8>(), 1..200),
            place in any::<proptest::sample::Index>(),
            bit in 0_u32..8,
        ) {
            let secrets = [Secret::from_bytes(&key).unwrap()];
            let (header, timestamp) = (sign(&secrets, &id, at, &body), at.to_string());
            prop_assert_eq!(verify(&secrets, &id, &timestamp, &header, &body, at), Ok(()));
            let mut changed = body.clone();
            *place.get_mut(&mut changed) ^= 1 << bit;
            let mismatch = Err(SignatureError::Mismatch);
            prop_assert_eq!(verify(&secrets, &id, &timestamp, &header, &changed, at), mismatch);
            let mut other = key.clone();
            *place.get_mut(&mut other) ^= 1 << bit;
            let others = [Secret::from_bytes(&other).unwrap()];
            prop_assert_eq!(verify(&others, &id, &timestamp, &header, &body, at), mismatch);
            let later = (at + 1).to_string();
            prop_assert_eq!(verify(&secrets, &id, &later, &header, &body, at), mismatch);
            let longer = format!("{id}0");
            prop_assert_eq!(verify(&secrets, &longer, &timestamp, &header, &body, at), mismatch);
        }
    }
}
