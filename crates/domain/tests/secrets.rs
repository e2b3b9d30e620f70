//! Digests, derived keys and API keys: what must differ differs, what must not show does not.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails, also in a function it calls")]

use std::collections::HashSet;

use assay_domain::api_key::{ApiKey, KeyMode};
use assay_domain::identity::IdentityKind;
use assay_domain::suppression::HashList;
use assay_domain::{
    Digest, Domain, Email, IdentityKey, ListHash, MasterKey, NetworkHosts, NetworkUrl, ParseError,
    PersonName, Phone,
};

const BASE62: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Numbers that are the same in every run (xorshift).
fn bytes_from(mut state: u64) -> impl FnMut(&mut [u8]) {
    move |out| {
        for slot in out {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            *slot = state.to_le_bytes()[3];
        }
    }
}

fn digests(key: &IdentityKey) -> Vec<Digest> {
    let hosts = NetworkHosts::default();
    let url = |text: &str| NetworkUrl::parse(text, &hosts).unwrap();
    let name = PersonName::parse("acme").unwrap();
    let domain = Domain::parse("acme.example").unwrap();
    vec![
        key.digest_email(&Email::parse("a@acme.example").unwrap()),
        key.digest_phone(&Phone::parse("+12025550100").unwrap()),
        key.digest_network_url(&url("network.example/in/acme")),
        key.digest_network_url(&url("network.example/company/acme")),
        key.digest_domain(&domain),
        key.digest_name_at_domain(&name, &domain),
        key.digest_name_at_company(&name, "acme"),
        key.digest_company_name("acme"),
        // The same text cut elsewhere.
        key.digest_name_at_company(&PersonName::parse("acme acme").unwrap(), "acme"),
        key.digest_name_at_company(&name, "acme acme"),
    ]
}

#[test]
fn digests_differ_by_kind_by_text_and_by_key_and_are_stable() {
    let mut seen = HashSet::new();
    for byte in 0..20 {
        let key = IdentityKey::new([byte; 32]);
        let all = digests(&key);
        assert_eq!(all, digests(&key));
        for digest in all {
            assert!(seen.insert(digest));
            assert_eq!(Digest::from_slice(digest.as_bytes()), Some(digest));
            assert_eq!(Digest::from_bytes(*digest.as_bytes()), digest);
            assert_eq!(digest.to_string().len(), 32);
        }
    }
    for length in (0..40).filter(|length| *length != 16) {
        assert_eq!(Digest::from_slice(&vec![0; length]), None);
    }
}

#[test]
fn a_digest_is_the_hmac_an_independent_implementation_computes() {
    // Python: hmac.new(bytes(range(32)), bytes([kind]) + text, "sha256").hexdigest()[:32], where the text of an address
    // is its SHA-256, and that of a number the SHA-256 of its last ten digits.
    let key = IdentityKey::new(std::array::from_fn(|i| u8::try_from(i).unwrap()));
    let domain = Domain::parse("acme.example").unwrap();
    assert_eq!(
        key.digest_email(&Email::parse("Jane@acme.example").unwrap()).to_string(),
        "db0287e00bb1f9101cec25a1f8741475"
    );
    assert_eq!(
        key.digest_phone(&Phone::parse("+1 415 555 9317").unwrap()).to_string(),
        "760d997e6aa62fc9d6baaf462541547e"
    );
    assert_eq!(
        key.digest_name_at_domain(&PersonName::parse("Dr Jane Doe").unwrap(), &domain).to_string(),
        "cc84965bf47a5746e5a998806c4fbb1c"
    );
}

#[test]
fn an_entry_of_a_deletion_list_leads_to_the_digest_of_what_it_hides() {
    let key = IdentityKey::new([7; 32]);
    let listed = |list, text: &str| key.digest_hash(list, ListHash::parse(text).unwrap());
    // Python: base64.b64encode(hashlib.sha256(b"jane@acme.example").digest())
    assert_eq!(
        listed(HashList::Email, "zV3syR9+9v6N6w8KE+vdDnbFOELYi07bvnhm2Utw2J0="),
        key.digest_email(&Email::parse(" Jane@ACME.example").unwrap())
    );
    assert_eq!(
        listed(HashList::Phone, "vGM7y5n+hBXRSEAklhHDPCbysyNgYTmXdMcagGUOY8E="),
        key.digest_phone(&Phone::parse("+14155559317").unwrap())
    );
    let same_text = ListHash::parse("vGM7y5n+hBXRSEAklhHDPCbysyNgYTmXdMcagGUOY8E=").unwrap();
    assert_ne!(key.digest_hash(HashList::Email, same_text), key.digest_hash(HashList::Phone, same_text));
}

#[test]
fn spellings_of_one_identity_share_a_digest() {
    let key = IdentityKey::new([7; 32]);
    let name = |text: &str| PersonName::parse(text).unwrap();
    let domain = |text: &str| Domain::parse(text).unwrap();
    assert_eq!(
        key.digest_name_at_domain(&name("Dr. Jane Q. Doe"), &domain("https://www.acme.example/")),
        key.digest_name_at_domain(&name("JANE DOE"), &domain("acme.example"))
    );
    assert_eq!(
        key.digest_name_at_company(&name("Jane Doe"), "The Acme Corp."),
        key.digest_name_at_company(&name("jane doe"), "acme")
    );
    assert_eq!(key.digest_company_name("ACME, Inc."), key.digest_company_name("acme"));
    let other = NetworkHosts::new(["other.example"]).unwrap();
    assert_eq!(
        key.digest_network_url(&NetworkUrl::parse("other.example/in/JANE", &other).unwrap()),
        key.digest_network_url(
            &NetworkUrl::parse("network.example/in/jane", &NetworkHosts::default()).unwrap()
        )
    );
}

#[test]
fn kinds_keep_their_numbers() {
    for (kind, byte) in IdentityKind::ALL.iter().zip(1..) {
        assert_eq!(kind.byte(), byte);
        assert_eq!(IdentityKind::from_byte(byte), Some(*kind));
    }
    assert_eq!(IdentityKind::ALL.len(), 8);
    for byte in (9..=255).chain([0]) {
        assert_eq!(IdentityKind::from_byte(byte), None);
    }
}

#[test]
fn a_master_key_reads_alike_in_every_encoding() {
    let hex = "fbff".repeat(16);
    let forms = [
        hex.clone(),
        hex.to_uppercase(),
        format!(" {hex}\n"),
        "+//7//v/+//7//v/+//7//v/+//7//v/+//7//v/+/8=".to_owned(),
        "+//7//v/+//7//v/+//7//v/+//7//v/+//7//v/+/8".to_owned(),
        "-__7__v_-__7__v_-__7__v_-__7__v_-__7__v_-_8=".to_owned(),
        "-__7__v_-__7__v_-__7__v_-__7__v_-__7__v_-_8".to_owned(),
    ];
    let first = MasterKey::parse(&forms[0]).unwrap();
    for form in &forms {
        let key = MasterKey::parse(form).unwrap_or_else(|e| panic!("{form}: {e}"));
        assert_eq!(key.derive("x"), first.derive("x"));
        assert_eq!(key.fingerprint(), first.fingerprint());
        assert_eq!(format!("{key:?}"), "MasterKey(***)");
    }
    assert_eq!(first.fingerprint().len(), 16);
    let labels = ["identity", "pepper", "fingerprint", "webhook", ""];
    assert_eq!(labels.iter().map(|label| first.derive(label)).collect::<HashSet<_>>().len(), labels.len());
    for text in ["", "abc", &hex[..62], &"z".repeat(64), &format!("{hex}00"), "AAAA", "not base64 !"] {
        assert_eq!(MasterKey::parse(text).expect_err(text).code(), "invalid_master_key");
    }
    assert_eq!(format!("{:?}", IdentityKey::new([1; 32])), "IdentityKey(***)");
}

#[test]
fn every_generated_key_round_trips() {
    let mut seen = HashSet::new();
    for seed in 1..500 {
        for mode in KeyMode::ALL {
            let key = ApiKey::generate(*mode, &mut bytes_from(seed * 7_919));
            let text = key.reveal();
            assert_eq!(text.len(), 62);
            assert!(text.starts_with(&format!("assay_{}_{}_", mode.as_str(), key.id())));
            let again = ApiKey::parse(text).unwrap();
            assert_eq!((again.reveal(), again.id(), again.mode()), (text, key.id(), *mode));
            assert_eq!(again.secret_hash(&[9; 32]), key.secret_hash(&[9; 32]));
            assert_eq!(format!("{key:?}"), format!("ApiKey(assay_{}_{}_***)", mode.as_str(), key.id()));
            assert!(seen.insert(text.to_owned()));
        }
    }
}

#[test]
fn every_single_character_change_is_noticed() {
    for (mode, seed) in KeyMode::ALL.iter().zip([11, 12]) {
        let key = ApiKey::generate(*mode, &mut bytes_from(seed));
        let text = key.reveal();
        for at in 0..text.len() {
            for c in BASE62.chars().chain("_-. é".chars()).filter(|c| !text[at..].starts_with(*c)) {
                let changed = format!("{}{c}{}", &text[..at], &text[at + 1..]);
                let error = ApiKey::parse(&changed).expect_err(&changed);
                assert!(matches!(error, ParseError::ApiKeyMalformed | ParseError::ApiKeyChecksum));
                // Past the prefix, a key that still looks like one fails by its checksum alone.
                if at >= 11 && at != 23 && BASE62.contains(c) {
                    assert_eq!(error, ParseError::ApiKeyChecksum);
                }
            }
            let (mut dropped, mut doubled) = (text.to_owned(), text.to_owned());
            dropped.remove(at);
            doubled.insert(at, text[at..].chars().next().unwrap());
            assert!(ApiKey::parse(&dropped).is_err() && ApiKey::parse(&doubled).is_err());
        }
        let swapped =
            text.replacen("live", "tset", 1).replacen("test", "live", 1).replacen("tset", "test", 1);
        assert_eq!(ApiKey::parse(&swapped).unwrap_err(), ParseError::ApiKeyChecksum);
        for text in [
            "",
            "assay_live_",
            "assay_live__",
            &format!(" {text}"),
            &format!("{text}\n"),
            &text.to_lowercase(),
        ] {
            assert_eq!(ApiKey::parse(text).expect_err(text).code(), "invalid_api_key");
        }
    }
}

#[test]
fn the_checksum_is_the_crc32_an_independent_implementation_computes() {
    // Python: zlib.crc32(b"assay_live_" + b"0" * 12 + b"_" + b"0" * 32) in base62, six digits.
    let key = ApiKey::generate(KeyMode::Live, &mut |bytes| bytes.fill(0));
    assert_eq!(key.reveal(), format!("assay_live_{}_{}2R9myW", "0".repeat(12), "0".repeat(32)));
}

#[test]
fn every_symbol_is_drawn_by_exactly_four_of_the_256_bytes() {
    let mut drawn_by = std::collections::HashMap::new();
    for byte in 0..=255 {
        let mut calls = 0;
        let mut byte_then_zeros = |bytes: &mut [u8]| {
            bytes.fill(if calls == 0 { byte } else { 0 });
            calls += 1;
        };
        let key = ApiKey::generate(KeyMode::Live, &mut byte_then_zeros);
        // A byte that is thrown away needs a second call.
        if calls == 1 {
            *drawn_by.entry(key.id().to_owned()).or_insert(0) += 1;
        } else {
            assert!(byte >= 248);
        }
    }
    assert_eq!(drawn_by.len(), 62);
    assert!(drawn_by.values().all(|count| *count == 4));
}

#[test]
fn a_hash_matches_its_own_secret_and_pepper_only() {
    let keys: Vec<ApiKey> =
        (1..20).map(|seed| ApiKey::generate(KeyMode::Live, &mut bytes_from(seed))).collect();
    let peppers = [[1; 32], [2; 32]];
    for (i, key) in keys.iter().enumerate() {
        for pepper in &peppers {
            let stored = key.secret_hash(pepper);
            for (j, other) in keys.iter().enumerate() {
                assert_eq!(other.hash_matches(pepper, &stored), i == j);
            }
            assert_eq!(peppers.iter().filter(|other| key.hash_matches(other, &stored)).count(), 1);
        }
    }
}
