//! What is our fault: nothing in the call has to change, and none of these is charged.

use super::{ADA, Lesson};
use crate::fault::{Code, Fault};
use crate::reference::calls::{Calls, Sample};

/// A call that may be sent again without a second charge.
const SAFE: &[Sample] = &[Sample::post("/v1/enrich", ADA).with_headers(&[("Idempotency-Key", "import-10")])];
const AGAIN: &str =
    "The same call, later. With an `Idempotency-Key` it is charged once, however often it is sent.";

pub(super) static LESSONS: &[Lesson] = &[
    Lesson {
        code: Code::Internal,
        meaning: "Something broke that should not. It was recorded under the `request_id`; nothing was charged.",
        given: "Something is broken on the server.",
        failing: Calls::InTurn(SAFE),
        fault: || Fault::new(Code::Internal, "the failure was recorded"),
        mended: AGAIN,
        corrected: Calls::InTurn(SAFE),
    },
    Lesson {
        code: Code::Overloaded,
        meaning: "More work is waiting than can be done in time, so this call was turned away at once instead of being \
                  left to wait. It did nothing and cost nothing.",
        given: "The server has more work than it can do.",
        failing: Calls::InTurn(SAFE),
        fault: || Fault::new(Code::Overloaded, "too many calls are being worked on"),
        mended: AGAIN,
        corrected: Calls::InTurn(SAFE),
    },
    Lesson {
        code: Code::Unavailable,
        meaning: "A database cannot be reached. If the connection broke on the very commit, the outcome may be unknown \
                  for a moment; a charge that was booked all the same is given back.",
        given: "The server has lost its database.",
        failing: Calls::InTurn(SAFE),
        fault: || Fault::new(Code::Unavailable, "the database cannot be reached"),
        mended: AGAIN,
        corrected: Calls::InTurn(SAFE),
    },
    Lesson {
        code: Code::UpstreamError,
        meaning: "A source that had to be asked failed or answered nonsense. Where other sources gave something, the call \
                  succeeds with `partial: true` instead. Nothing was charged.",
        given: "The sandbox gives this answer to those who ask for it, so that a client can be tested for it.",
        failing: Calls::InTurn(&[Sample::post("/v1/sandbox/enrich", ADA)
            .without_key()
            .with_headers(&[("Sandbox-Outcome", "upstream_error")])]),
        fault: || Fault::new(Code::UpstreamError, "forced by the header Sandbox-Outcome"),
        mended: "The same call, later; here, without the header.",
        corrected: Calls::InTurn(&[Sample::post("/v1/sandbox/enrich", ADA).without_key()]),
    },
    Lesson {
        code: Code::DeadlineExceeded,
        meaning: "The call did not end within the time a call may take, and was stopped. It was not charged.",
        given: "Answering takes longer than a call may take.",
        failing: Calls::InTurn(SAFE),
        fault: || Fault::new(Code::DeadlineExceeded, "the deadline passed"),
        mended: AGAIN,
        corrected: Calls::InTurn(SAFE),
    },
];
