//! What is asked: bodies, paths, methods, cursors and idempotency keys.

use super::{ADA, Lesson};
use crate::fault::{Code, Fault};
use crate::reference::calls::{Calls, Sample};
use assay_domain::limits::BODY_BYTES_MAX;

const NOBODY: &str = r#"{"email":"nobody@northwind-robotics.example"}"#;
/// A cursor of a list that there never was: as good as one that was rebuilt.
const EXPIRED: &str = r#"{"seniority":"vp","cursor":"eyJlcG9jaCI6IjAxOTdmN2EwLTVjM2EtN2QxMi1hNGIxLWMyZDNlNGY1MDYzMSIsInNlcSI6Nywib3JkZXIiOjEsImlkIjoiMDE5N2Y3YTAtNWMzYS03ZDEyLWE0YjEtYzJkM2U0ZjUwNjAxIiwidG90YWwiOjQwLCJleGFjdCI6dHJ1ZSwib24iOiIyMDI2LTExLTAxIiwiZmlsdGVyIjoiNDM0ZWE3Yzc4N2FkMTFkYSJ9"}"#;

pub(super) static LESSONS: &[Lesson] = &[
    Lesson {
        code: Code::InvalidJson,
        meaning: "The body cannot be read as JSON. The detail says where reading stopped; what stood there is not \
                  repeated, because it may be personal data.",
        given: "",
        failing: Calls::InTurn(&[Sample::post(
            "/v1/enrich",
            r#"{"email":"ada.okafor@northwind-robotics.example""#,
        )]),
        fault: || Fault::new(Code::InvalidJson, "reading stopped at line 1 column 48"),
        mended: "The object is closed.",
        corrected: Calls::InTurn(&[Sample::post("/v1/enrich", ADA)]),
    },
    Lesson {
        code: Code::InvalidIdempotencyKey,
        meaning: "An `Idempotency-Key` is 1 to 255 visible ASCII characters. This one is empty, longer, or has others.",
        given: "",
        failing: Calls::InTurn(&[
            Sample::post("/v1/enrich", ADA).with_headers(&[("Idempotency-Key", "première")])
        ]),
        fault: || Fault::new(Code::InvalidIdempotencyKey, "the key is empty, too long or not visible ASCII"),
        mended: "The key is plain ASCII; a UUID is a good one.",
        corrected: Calls::InTurn(&[Sample::post("/v1/enrich", ADA)
            .with_headers(&[("Idempotency-Key", "5b0d1c6e-0f5a-4d0e-9d57-0f2b8a1c7e11")])]),
    },
    Lesson {
        code: Code::NotFound,
        meaning: "No endpoint has this path, or nothing of yours has this id: what belongs to another account is not \
                  found either. A person or a company that is not known is no error: that is 200 with `found: false`.",
        given: "",
        failing: Calls::InTurn(&[Sample::get("/v1/mee")]),
        fault: || Fault::new(Code::NotFound, "no endpoint has this path"),
        mended: "The path is one of the reference.",
        corrected: Calls::InTurn(&[Sample::get("/v1/me")]),
    },
    Lesson {
        code: Code::MethodNotAllowed,
        meaning: "The path is right and the method is not. The `Allow` header of the answer lists the methods it takes.",
        given: "",
        failing: Calls::InTurn(&[Sample::get("/v1/enrich")]),
        fault: || Fault::new(Code::MethodNotAllowed, "no endpoint of this path takes this method"),
        mended: "Looking somebody up is a POST with a body.",
        corrected: Calls::InTurn(&[Sample::post("/v1/enrich", ADA)]),
    },
    Lesson {
        code: Code::RequestTimeout,
        meaning: "The request was announced, but the whole of it did not arrive in the time a request may take. Nothing was \
                  run and nothing was charged.",
        given: "The connection is too slow for the body; here, half of it comes late.",
        failing: Calls::InTurn(&[Sample::post_slowly(
            "/v1/enrich",
            r#"{"email":"#,
            r#""ada.okafor@northwind-robotics.example"}"#,
        )]),
        fault: || Fault::new(Code::RequestTimeout, "the body did not arrive in time"),
        mended: "The body is sent at once.",
        corrected: Calls::InTurn(&[Sample::post("/v1/enrich", ADA)]),
    },
    Lesson {
        code: Code::RequestInProgress,
        meaning: "A request with the same `Idempotency-Key` is still running, so this one did nothing. Sent again later it \
                  gets the first one's answer and is not charged.",
        given: "The first of the two calls is still running when the second arrives.",
        failing: Calls::Together(&[
            Sample::post("/v1/enrich", ADA).with_headers(&[("Idempotency-Key", "import-7")]),
            Sample::post("/v1/enrich", ADA).with_headers(&[("Idempotency-Key", "import-7")]),
        ]),
        fault: || Fault::new(Code::RequestInProgress, "the first request with this key has not ended yet"),
        mended: "The same call after as many seconds as `Retry-After` says.",
        corrected: Calls::InTurn(&[
            Sample::post("/v1/enrich", ADA).with_headers(&[("Idempotency-Key", "import-7")])
        ]),
    },
    Lesson {
        code: Code::CursorExpired,
        meaning: "The list that the cursor points into was rebuilt since, for example after a restore. A cursor that \
                  never was one is 422 `validation_failed` instead.",
        given: "The cursor was given by a list that has been rebuilt since.",
        failing: Calls::InTurn(&[Sample::post("/v1/search/people", EXPIRED)]),
        fault: || Fault::new(Code::CursorExpired, "the list was rebuilt since the cursor was given"),
        mended: "Reading starts again at the first page.",
        corrected: Calls::InTurn(&[Sample::post("/v1/search/people", r#"{"seniority":"vp"}"#)]),
    },
    Lesson {
        code: Code::BodyTooLarge,
        meaning: "The body is longer than the endpoint reads. Nothing of it was looked at.",
        given: "",
        failing: Calls::InTurn(&[Sample::post_spaces("/v1/enrich", BODY_BYTES_MAX + 1)]),
        fault: || Fault::new(Code::BodyTooLarge, format!("a body may have {BODY_BYTES_MAX} bytes")),
        mended: "The body holds one request and no more.",
        corrected: Calls::InTurn(&[Sample::post("/v1/enrich", ADA)]),
    },
    Lesson {
        code: Code::UnsupportedMediaType,
        meaning: "The `Content-Type` header declares something else than JSON. A body without that header is read as JSON.",
        given: "",
        failing: Calls::InTurn(&[Sample::post("/v1/enrich", ADA)
            .with_headers(&[("Content-Type", "application/x-www-form-urlencoded")])]),
        fault: || {
            let detail = "the declared type of the body is not application/json";
            Fault::new(Code::UnsupportedMediaType, detail)
        },
        mended: "The body is declared as what it is.",
        corrected: Calls::InTurn(&[Sample::post("/v1/enrich", ADA)]),
    },
    Lesson {
        code: Code::ValidationFailed,
        meaning: "The body is JSON, but does not fit the endpoint: a field that is not known, missing, of the wrong type \
                  or out of bounds. `errors` lists every reason found, each with a JSON pointer and a fix.",
        given: "",
        failing: Calls::InTurn(&[Sample::post(
            "/v1/enrich",
            r#"{"emial":"ada.okafor@northwind-robotics.example"}"#,
        )]),
        fault: || {
            let fix = "did you mean `email`?";
            Fault::field("/emial", "unknown_field", "the field is not known here", fix)
        },
        mended: "The field has its right name.",
        corrected: Calls::InTurn(&[Sample::post("/v1/enrich", ADA)]),
    },
    Lesson {
        code: Code::IdempotencyKeyReused,
        meaning: "The `Idempotency-Key` was used within the last 24 hours for a request with another body. Answering with \
                  the first answer would be wrong, and so would be a second charge under the same key.",
        given: "",
        failing: Calls::InTurn(&[
            Sample::post("/v1/enrich", ADA).with_headers(&[("Idempotency-Key", "import-8")]),
            Sample::post("/v1/enrich", NOBODY).with_headers(&[("Idempotency-Key", "import-8")]),
        ]),
        fault: || Fault::new(Code::IdempotencyKeyReused, "the key belongs to a request with another body"),
        mended: "Another request has a key of its own.",
        corrected: Calls::InTurn(&[
            Sample::post("/v1/enrich", NOBODY).with_headers(&[("Idempotency-Key", "import-9")])
        ]),
    },
];
