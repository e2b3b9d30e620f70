//! Idempotency keys: what a client's key stands for, and what becomes of the second request that names it.

use crate::fault::{Code, Fault};
use crate::spec::Spec;
use assay_domain::{AccountId, limits};
use assay_store::Ledger;
use assay_store::ledger::{ClaimGuard, Claimed};
use sha2::{Digest as _, Sha256};

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

/// Claims the client's key for this call.
pub async fn take_turn(
    ledger: &Ledger,
    account: AccountId,
    spec: &Spec,
    path: &str,
    key: Option<&str>,
    body: &[u8],
) -> Result<Turn, Fault> {
    let Some(key) = key else { return Ok(Turn::Free) };
    let visible = |byte: u8| (0x20..0x7f).contains(&byte);
    if key.is_empty() || key.len() > limits::IDEMPOTENCY_KEY_CHARS_MAX || !key.bytes().all(visible) {
        return Err(Fault::new(
            Code::InvalidIdempotencyKey,
            "the key is empty, too long or not visible ASCII",
        ));
    }
    let scoped = digest(&[spec.verb.as_str().as_bytes(), path.as_bytes(), key.as_bytes()]);
    match ledger.claim(account, scoped, fingerprint(body)).await? {
        Claimed::Run(claim) => Ok(Turn::Run(claim)),
        Claimed::Replay { status, body } => Ok(Turn::Replay { status, body }),
        Claimed::Mismatch => {
            Err(Fault::new(Code::IdempotencyKeyReused, "the key belongs to a request with another body"))
        }
        Claimed::Running => {
            Err(Fault::new(Code::RequestInProgress, "the first request with this key has not ended yet"))
        }
    }
}

/// The same request however it is spaced and whatever the order of its fields.
fn fingerprint(body: &[u8]) -> [u8; 32] {
    match serde_json::from_slice::<serde_json::Value>(body) {
        Ok(mut value) => {
            value.sort_all_objects();
            digest(&[value.to_string().as_bytes()])
        }
        Err(_) => digest(&[body]),
    }
}

fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spacing_and_order_do_not_make_another_request() {
        let first = fingerprint(br#"{"a":1,"b":{"c":2,"d":[1,2]}}"#);
        assert_eq!(first, fingerprint(br#" { "b" : {"d":[1,2],"c":2}, "a":1 }"#));
        for other in
            [&br#"{"a":1,"b":{"c":2,"d":[2,1]}}"#[..], br#"{"a":2,"b":{"c":2,"d":[1,2]}}"#, b"", b"{}"]
        {
            assert_ne!(first, fingerprint(other));
        }
    }
}
