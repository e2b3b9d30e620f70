//! Idempotency keys: what a client's key stands for, and what becomes of the second request that names it.

use crate::call::Call;
use crate::fault::{Code, Fault};
use crate::spec::Verb;
use assay_domain::keyed_hash::hmac_sha256;
use assay_domain::{AccountId, MasterKey, Sealed, Sealer, limits};
use assay_store::Ledger;
use assay_store::ledger::op::{Claim, Render, ReplyDraft};
use assay_store::ledger::{ClaimGuard, Claimed};
use rand::Rng;
use std::fmt;
use std::sync::Arc;

/// What a call with an idempotency key has to do.
#[derive(Debug)]
pub enum Turn {
    /// No key was named.
    Free,
    Run(ClaimGuard),
    Replay {
        status: u16,
        body: Vec<u8>,
    },
}

/// What stored replies are kept under. They carry people and new keys: in the database they are sealed, and what is
/// kept of a request is a keyed digest, because an address or a number could be found by trying.
#[derive(Clone)]
pub struct ReplyKeys {
    digests: [u8; 32],
    sealer: Sealer,
}

impl fmt::Debug for ReplyKeys {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ReplyKeys(***)")
    }
}

impl ReplyKeys {
    pub fn new(master: &MasterKey) -> Self {
        Self { digests: master.derive("idempotency"), sealer: master.sealer("reply") }
    }

    /// Claims the client's key for this call.
    pub(crate) async fn take_turn(
        &self,
        ledger: &Ledger,
        account: AccountId,
        call: &Call,
    ) -> Result<Turn, Fault> {
        let verb = call.entry.spec.verb;
        let Some(key) = call.idempotency_key.as_deref().filter(|_| verb == Verb::Post) else {
            return Ok(Turn::Free);
        };
        check_key(key)?;
        let scoped = self.digest(&[verb.as_str().as_bytes(), call.path.as_bytes(), key.as_bytes()]);
        match ledger.claim(account, scoped, self.fingerprint(&call.body)).await? {
            Claimed::Run(claim) => Ok(Turn::Run(claim)),
            Claimed::Replay { status, body } => {
                let body = self.sealer.open(&owner(account, &scoped), &body).map_err(|error| {
                    tracing::error!(%error, "a stored reply is not what was stored");
                    Fault::new(Code::Internal, "the first answer cannot be read back")
                })?;
                Ok(Turn::Replay { status, body })
            }
            Claimed::Mismatch => {
                Err(Fault::new(Code::IdempotencyKeyReused, "the key belongs to a request with another body"))
            }
            Claimed::Running => {
                Err(Fault::new(Code::RequestInProgress, "the first request with this key has not ended yet"))
            }
        }
    }

    /// What is stored of a reply: the same body, sealed for the place it is stored in.
    pub(crate) fn draft(&self, render: &Render, account: AccountId, claim: Claim) -> ReplyDraft {
        let (sealer, render, owner) = (self.sealer.clone(), Arc::clone(render), owner(account, &claim.key));
        let render: Render = Arc::new(move |settled| {
            let random = &mut |bytes: &mut [u8]| rand::rng().fill_bytes(bytes);
            // What cannot be sealed is not stored: its replay fails, which is better than a readable copy.
            sealer.seal(&owner, &render(settled), random).map(Sealed::into_bytes).unwrap_or_default()
        });
        ReplyDraft { claim, render }
    }

    /// The same request however it is spaced and whatever the order of its fields.
    fn fingerprint(&self, body: &[u8]) -> [u8; 32] {
        match serde_json::from_slice::<serde_json::Value>(body) {
            Ok(mut value) => {
                value.sort_all_objects();
                self.digest(&[value.to_string().as_bytes()])
            }
            Err(_) => self.digest(&[body]),
        }
    }

    fn digest(&self, parts: &[&[u8]]) -> [u8; 32] {
        let lengths: Vec<[u8; 8]> =
            parts.iter().map(|part| u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes()).collect();
        let fed: Vec<&[u8]> =
            lengths.iter().zip(parts).flat_map(|(length, part)| [length.as_slice(), part]).collect();
        hmac_sha256(&self.digests, &fed)
    }
}

fn owner(account: AccountId, key: &[u8; 32]) -> Vec<u8> {
    [account.uuid().as_bytes().as_slice(), key].concat()
}

/// Whether a client's key can be one.
pub fn check_key(key: &str) -> Result<(), Fault> {
    let visible = |byte: u8| (0x20..0x7f).contains(&byte);
    if key.is_empty() || key.len() > limits::IDEMPOTENCY_KEY_CHARS_MAX || !key.bytes().all(visible) {
        return Err(Fault::new(
            Code::InvalidIdempotencyKey,
            "the key is empty, too long or not visible ASCII",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_ledger::TestLedger;
    use assay_domain::{Credits, KeyId, RequestId};
    use assay_store::ledger::op::{Answer, Op, Record, Settle};

    #[test]
    fn spacing_and_order_do_not_make_another_request() {
        let keys = ReplyKeys::new(&MasterKey::parse(&"11".repeat(32)).unwrap());
        let fingerprint = |body: &[u8]| keys.fingerprint(body);
        let first = fingerprint(br#"{"a":1,"b":{"c":2,"d":[1,2]}}"#);
        assert_eq!(first, fingerprint(br#" { "b" : {"d":[1,2],"c":2}, "a":1 }"#));
        for other in
            [&br#"{"a":1,"b":{"c":2,"d":[2,1]}}"#[..], br#"{"a":2,"b":{"c":2,"d":[1,2]}}"#, b"", b"{}"]
        {
            assert_ne!(first, fingerprint(other));
        }
        let other = ReplyKeys::new(&MasterKey::parse(&"22".repeat(32)).unwrap());
        assert_ne!(first, other.fingerprint(br#"{"a":1,"b":{"c":2,"d":[1,2]}}"#));
    }

    #[test]
    fn a_key_is_1_to_255_visible_characters() {
        for good in ["a", " ", "~", "a b", &"x".repeat(limits::IDEMPOTENCY_KEY_CHARS_MAX)] {
            assert!(check_key(good).is_ok(), "{good}");
        }
        for bad in ["", "\u{7f}", "\u{1f}", "a\nb", "é", &"x".repeat(limits::IDEMPOTENCY_KEY_CHARS_MAX + 1)]
        {
            assert_eq!(check_key(bad).unwrap_err().code, Code::InvalidIdempotencyKey, "{bad}");
        }
    }

    #[test]
    fn the_keys_of_stored_replies_are_not_written_anywhere() {
        assert_eq!(format!("{:?}", reply_keys()), "ReplyKeys(***)");
    }

    #[test]
    fn texts_that_are_cut_elsewhere_have_another_digest() {
        let keys = reply_keys();
        assert_eq!(keys.digest(&[b"ab", b"c"]), keys.digest(&[b"ab", b"c"]));
        assert_ne!(keys.digest(&[b"ab", b"c"]), keys.digest(&[b"a", b"bc"]));
        let account = |number| AccountId::from_uuid(uuid::Uuid::from_u128(number));
        let owners = [owner(account(1), &[1; 32]), owner(account(2), &[1; 32]), owner(account(1), &[2; 32])];
        assert!(owners.iter().all(|text| text.len() == 48));
        assert!(owners[0] != owners[1] && owners[0] != owners[2] && owners[1] != owners[2]);
    }

    fn reply_keys() -> ReplyKeys {
        ReplyKeys::new(&MasterKey::parse(&"11".repeat(32)).unwrap())
    }

    fn call(name: &str, key: Option<&str>, body: &'static str) -> Call {
        Call {
            entry: crate::CATALOG.iter().find(|entry| entry.spec.name == name).unwrap(),
            path: "/v1/somewhere".into(),
            path_fields: Vec::new(),
            query: Vec::new(),
            body: bytes::Bytes::from_static(body.as_bytes()),
            authorization: None,
            idempotency_key: key.map(str::to_owned),
            wants_events: false,
            sandbox_outcome: None,
            client: std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST),
            unattended: false,
            slot: crate::slot::Slot::default(),
        }
    }

    fn settle(reply: ReplyDraft, now: chrono::DateTime<chrono::Utc>) -> Settle {
        let record = Record {
            in_history: true,
            key: KeyId::new("a1B2c3D4e5F6"),
            at: now,
            endpoint: "enrich",
            status: 200,
            found: false,
            latency: std::time::Duration::ZERO,
            cached: false,
            cache_age_seconds: None,
            providers: Vec::new(),
            upstream_micros: 0,
            subjects: Vec::new(),
        };
        Settle {
            request: RequestId::mint(now),
            hold: None,
            charge: Credits::ZERO,
            cap: None,
            record,
            people: Vec::new(),
            reply: Some(reply),
            deed: None,
        }
    }

    #[tokio::test]
    async fn a_key_runs_once_waits_while_it_runs_and_then_answers_the_same() {
        let test = TestLedger::new().await;
        let (ledger, account, keys) = (&test.ledger, test.account, reply_keys());
        let turn = async |call: Call| keys.take_turn(ledger, account, &call).await;
        assert!(matches!(turn(call("enrich", None, "{}")).await, Ok(Turn::Free)));
        assert!(matches!(turn(call("keys-change", Some("k"), "{}")).await, Ok(Turn::Free)), "POST only");
        let refused = turn(call("enrich", Some(""), "{}")).await.unwrap_err();
        assert_eq!(refused.code, Code::InvalidIdempotencyKey);
        let Ok(Turn::Run(claim)) = turn(call("enrich", Some("k"), "{}")).await else { panic!("no turn") };
        let running = turn(call("enrich", Some("k"), "{}")).await.unwrap_err();
        assert_eq!(running.code, Code::RequestInProgress);
        let render: Render = Arc::new(|settled| format!("{} left", settled.balance).into_bytes());
        let draft = keys.draft(&render, account, claim.claim());
        let settled = settle(draft, assay_domain::Clock::system().now());
        let answer = ledger.ask(account, Op::Settle(Box::new(settled))).await.unwrap();
        let Answer::Settled(settled) = answer else { panic!("{answer:?}") };
        claim.settled();
        let Ok(Turn::Replay { status, body }) = turn(call("enrich", Some("k"), " {} ")).await else {
            panic!("no replay")
        };
        assert_eq!((status, body), (200, render(&settled)));
        let reused = turn(call("enrich", Some("k"), "{\"email\":\"a\"}")).await.unwrap_err();
        assert_eq!(reused.code, Code::IdempotencyKeyReused);
        let elsewhere = Call { path: "/v1/elsewhere".into(), ..call("enrich", Some("k"), "{}") };
        assert!(matches!(turn(elsewhere).await, Ok(Turn::Run(_))), "a key belongs to its path");
        // What is stored cannot be read with another master key.
        let stranger = ReplyKeys {
            digests: keys.digests,
            ..ReplyKeys::new(&MasterKey::parse(&"22".repeat(32)).unwrap())
        };
        let broken = stranger.take_turn(ledger, account, &call("enrich", Some("k"), "{}")).await.unwrap_err();
        assert_eq!(broken.code, Code::Internal);
    }
}
