//! Who is calling: keys that are missing, wrong, over or used in the wrong place.

use super::{ADA, Lesson};
use crate::fault::{Code, Fault};
use crate::reference::calls::{Calls, Sample};
use assay_domain::ParseError;

pub(super) static LESSONS: &[Lesson] = &[
    Lesson {
        code: Code::MissingApiKey,
        meaning: "Every call but those of the sandbox needs a key, and the key goes into the `Authorization` header. A key \
                  in the query string or in another header is not looked at.",
        given: "",
        failing: Calls::InTurn(&[Sample::get("/v1/me").without_key()]),
        fault: || Fault::new(Code::MissingApiKey, "the Authorization header is missing"),
        mended: "The key is sent as a bearer token.",
        corrected: Calls::InTurn(&[Sample::get("/v1/me")]),
    },
    Lesson {
        code: Code::InvalidApiKey,
        meaning: "The text after `Bearer` is no key of this installation: mistyped, cut off, or made somewhere else. A key \
                  carries a checksum, so a typing mistake is noticed without a look into the database.",
        given: "",
        failing: Calls::InTurn(&[Sample::get("/v1/me").with_key("assay_live_typo")]),
        fault: || Fault::new(Code::InvalidApiKey, ParseError::ApiKeyMalformed.to_string()),
        mended: "The whole key is sent, as it was shown when it was made.",
        corrected: Calls::InTurn(&[Sample::get("/v1/me")]),
    },
    Lesson {
        code: Code::ExpiredApiKey,
        meaning: "The key was made with an end, and that has passed. Expired keys stay listed, so that it can be seen \
                  which one stopped.",
        given: "`EXPIRED_KEY` is a key whose time is over.",
        failing: Calls::InTurn(&[Sample::get("/v1/me").with_key("$EXPIRED_KEY")]),
        fault: || Fault::new(Code::ExpiredApiKey, "the key's time is over"),
        mended: "A newer key is used.",
        corrected: Calls::InTurn(&[Sample::get("/v1/me")]),
    },
    Lesson {
        code: Code::RevokedApiKey,
        meaning: "Somebody revoked the key. It does not come back; all nodes refuse it within seconds.",
        given: "`REVOKED_KEY` is a key that was revoked.",
        failing: Calls::InTurn(&[Sample::get("/v1/me").with_key("$REVOKED_KEY")]),
        fault: || Fault::new(Code::RevokedApiKey, "the key was revoked"),
        mended: "Another key of the account is used.",
        corrected: Calls::InTurn(&[Sample::get("/v1/me")]),
    },
    Lesson {
        code: Code::InsufficientScope,
        meaning: "A key may do only what its scopes say. The page of each endpoint names the scope it needs; `GET /v1/me` \
                  lists the scopes of the calling key.",
        given: "`HISTORY_KEY` is a key with the scope `history` alone.",
        failing: Calls::InTurn(&[Sample::post("/v1/enrich", ADA).with_key("$HISTORY_KEY")]),
        fault: || Fault::new(Code::InsufficientScope, "the call needs the scope lookup"),
        mended: "A key with the scope `lookup` is used.",
        corrected: Calls::InTurn(&[Sample::post("/v1/enrich", ADA)]),
    },
    Lesson {
        code: Code::IpNotAllowed,
        meaning: "The key has an allow-list of addresses, and this call came from another one. Behind a proxy the address \
                  that counts is the client's own, if the operator trusts the proxy.",
        given: "`OFFICE_KEY` is a key that may be used from 192.0.2.0/24 only.",
        failing: Calls::InTurn(&[Sample::get("/v1/me").with_key("$OFFICE_KEY")]),
        fault: || Fault::new(Code::IpNotAllowed, "the key's allow-list does not name this address"),
        mended: "A key without an allow-list is used; or the address is added to the list.",
        corrected: Calls::InTurn(&[Sample::get("/v1/me")]),
    },
];
