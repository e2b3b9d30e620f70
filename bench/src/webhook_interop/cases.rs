//! Deliveries to be verified, and the same with one bit changed.

use assay_notify::{Secret, sign};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use serde_json::{Value, json};

/// What a receiver sees, the secret it knows, and whether it should believe it.
#[derive(Debug, Clone, Serialize)]
pub struct Case {
    pub what: &'static str,
    pub secret: String,
    pub id: String,
    pub timestamp: String,
    pub signature: String,
    pub body: String,
    pub genuine: bool,
}

const SYMBOLS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Pieces of text that are written in more than one way, or cut where they should not be.
const PIECES: &[&str] = &[
    "jane", "Zürich", "漢字", "💥", "é", "e\u{301}", "\u{202e}", "\0", "\n", "\r\n", "\t", "\"", "\\", "/",
    "<b>", "&", "'", ".", " ", "\u{feff}", "\u{2028}", "\u{7f}", "{}", "v1,", "whsec_", "1e5", "0.1",
];

/// The cases of one payload: as it was signed, changed in each place, and under two secrets at once.
pub fn draw(dice: &mut ChaCha8Rng, now: i64) -> Vec<Case> {
    let [new, old, strange] = std::array::from_fn(|_| secret(dice));
    let id = format!("msg_{}", text_of(dice, 26));
    // Old enough to differ, young enough to be believed for the whole run.
    let at = now - dice.random_range(0..30);
    let body = payload(dice, now).to_string();
    let signature = sign(std::slice::from_ref(&new), &id, at, body.as_bytes());
    let genuine = Case {
        what: "as it was signed",
        secret: new.reveal(),
        id: id.clone(),
        timestamp: at.to_string(),
        signature,
        body,
        genuine: true,
    };
    let both = sign(&[new.clone(), old.clone()], &id, at, genuine.body.as_bytes());
    let rotating = |what, secret: &Secret, believed| Case {
        what,
        secret: secret.reveal(),
        signature: both.clone(),
        genuine: believed,
        ..genuine.clone()
    };
    let changed = |what| Case { what, genuine: false, ..genuine.clone() };
    vec![
        Case { body: flip_text(dice, &genuine.body), ..changed("a bit of the body") },
        Case { id: flip_symbol(dice, &genuine.id), ..changed("a bit of the id") },
        Case { timestamp: flip_digit(&genuine.timestamp), ..changed("a bit of the timestamp") },
        Case { signature: flip_signature(dice, &genuine.signature), ..changed("a bit of the signature") },
        Case { secret: strange.reveal(), ..changed("another secret") },
        rotating("two signatures, the new secret", &new, true),
        rotating("two signatures, the old secret", &old, true),
        rotating("two signatures, another secret", &strange, false),
        genuine,
    ]
}

/// Half of them as they are made for an endpoint, the others of any length the standard knows.
fn secret(dice: &mut ChaCha8Rng) -> Secret {
    let length = dice.random_range(24..=64);
    let mut bytes = vec![0; length];
    dice.fill_bytes(&mut bytes);
    let made = Secret::generate(&mut |bytes| dice.fill_bytes(bytes));
    if dice.random() { made } else { Secret::from_bytes(&bytes).unwrap_or(made) }
}

fn text_of(dice: &mut ChaCha8Rng, length: usize) -> String {
    (0..length).map(|_| char::from(SYMBOLS[dice.random_range(0..SYMBOLS.len())])).collect()
}

/// An event with anything in it; one in twenty is as large as events get.
fn payload(dice: &mut ChaCha8Rng, now: i64) -> Value {
    let pieces = if dice.random_ratio(1, 20) { 2_000 } else { dice.random_range(0..40) };
    let text: String = (0..pieces).map(|_| PIECES[dice.random_range(0..PIECES.len())]).collect();
    let counts = (0..dice.random_range(0..5)).map(|_| dice.random::<i32>()).collect::<Vec<_>>();
    json!({
        "type": "webhook.test",
        "timestamp": now,
        "data": { "id": text_of(dice, 12), "text": text, "counts": counts, "none": null, "on": dice.random::<bool>() },
    })
}

/// One bit of an ASCII letter, so that it is still text and the signature is all that can be wrong with it.
fn flip_text(dice: &mut ChaCha8Rng, text: &str) -> String {
    let plain = text.char_indices().filter(|(_, it)| it.is_ascii()).map(|(at, _)| at).collect::<Vec<_>>();
    let at = plain[dice.random_range(0..plain.len())];
    flip(text, at, 1 << dice.random_range(0..7))
}

/// One bit that makes a letter or a digit of a letter or a digit: anything else might not be a header.
fn flip_symbol(dice: &mut ChaCha8Rng, text: &str) -> String {
    loop {
        let changed = flip(text, dice.random_range(4..text.len()), 1 << dice.random_range(0..6));
        if changed.bytes().skip(4).all(|it| it.is_ascii_alphanumeric()) {
            return changed;
        }
    }
}

/// The last bit of the last digit: a second more or less, which is near enough to be believed.
fn flip_digit(text: &str) -> String {
    flip(text, text.len() - 1, 1)
}

/// One of the 256 bits of the signature itself; its text has bits that mean nothing.
fn flip_signature(dice: &mut ChaCha8Rng, signature: &str) -> String {
    let bare = signature.trim_start_matches("v1,");
    let mut bytes = STANDARD.decode(bare).unwrap_or_default();
    let at = dice.random_range(0..bytes.len());
    bytes[at] ^= 1 << dice.random_range(0..8);
    format!("v1,{}", STANDARD.encode(bytes))
}

fn flip(text: &str, at: usize, bit: u8) -> String {
    let changed = text.bytes().enumerate().map(|(number, byte)| if number == at { byte ^ bit } else { byte });
    String::from_utf8_lossy(&changed.collect::<Vec<_>>()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn every_change_is_one_bit_and_leaves_the_rest() {
        let mut dice = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..200 {
            let cases = draw(&mut dice, 1_700_000_000);
            let genuine = cases.iter().find(|case| case.what == "as it was signed").unwrap();
            let bits = |left: &str, right: &str| {
                assert_eq!(left.len(), right.len());
                left.bytes().zip(right.bytes()).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>()
            };
            for case in &cases[..3] {
                let differ = bits(&case.body, &genuine.body)
                    + bits(&case.id, &genuine.id)
                    + bits(&case.timestamp, &genuine.timestamp);
                assert_eq!((differ, &case.signature), (1, &genuine.signature), "{}", case.what);
            }
            let decoded = |case: &Case| STANDARD.decode(&case.signature[3..]).unwrap();
            let pairs = decoded(&cases[3]).into_iter().zip(decoded(genuine));
            assert_eq!(pairs.map(|(a, b)| (a ^ b).count_ones()).sum::<u32>(), 1);
            assert_eq!(cases.iter().filter(|case| case.genuine).count(), 3);
        }
    }
}
