//! Who pays: balances, caps, plans and trials.

use super::{ADA, Lesson};
use crate::fault::{Code, Fault};
use crate::reference::calls::{Calls, Sample};
use assay_domain::{Credits, Price};

pub(super) static LESSONS: &[Lesson] = &[
    Lesson {
        code: Code::InsufficientCredits,
        meaning: "The call could not pay for a single unit, so it was not run and nothing was charged. When running calls \
                  hold the credits that are missing, `retryable` is true: they may give some back.",
        given: "The account has half a credit left.",
        failing: Calls::InTurn(&[Sample::post("/v1/enrich", ADA)]),
        fault: || Fault::insufficient(Credits::whole(1), Credits::from_thousandths(500), Credits::ZERO),
        mended: "The account was topped up; the call is the same.",
        corrected: Calls::InTurn(&[Sample::post("/v1/enrich", ADA)]),
    },
    Lesson {
        code: Code::SpendCapReached,
        meaning: "The key has a monthly cap, and what is left of it does not pay for one unit. The account may have \
                  credits; this key may not spend them before the next month (UTC).",
        given: "`CAPPED_KEY` is a key whose monthly cap is spent.",
        failing: Calls::InTurn(&[Sample::post("/v1/enrich", ADA).with_key("$CAPPED_KEY")]),
        fault: || Fault::new(Code::SpendCapReached, "one unit costs 1 credits, more than the cap leaves"),
        mended: "A key without a cap is used; or the cap is raised.",
        corrected: Calls::InTurn(&[Sample::post("/v1/enrich", ADA)]),
    },
    Lesson {
        code: Code::MaxCreditsTooLow,
        meaning: "The request says how much it may cost at most, and that does not pay for one unit.",
        given: "",
        failing: Calls::InTurn(&[Sample::post(
            "/v1/enrich",
            r#"{"email":"ada.okafor@northwind-robotics.example","max_credits":0.5}"#,
        )]),
        fault: || Fault::max_credits_too_low(Price::Flat(Credits::whole(1)), Credits::from_thousandths(500)),
        mended: "`max_credits` covers one unit. `?dry_run=true` tells the price of a call, free.",
        corrected: Calls::InTurn(&[Sample::post(
            "/v1/enrich",
            r#"{"email":"ada.okafor@northwind-robotics.example","max_credits":1}"#,
        )]),
    },
    Lesson {
        code: Code::PlanRequired,
        meaning: "The call belongs to a higher plan. The page of each endpoint names the lowest plan that may call it.",
        given: "The account is a trial, and webhooks begin with the plan `pro`; `SCALE_KEY` is a key of an account with a \
                higher one.",
        failing: Calls::InTurn(&[Sample::get("/v1/webhooks")]),
        fault: || Fault::new(Code::PlanRequired, "the call needs the plan pro or a higher one"),
        mended: "The account moved to the plan that the detail names.",
        corrected: Calls::InTurn(&[Sample::get("/v1/webhooks").with_key("$SCALE_KEY")]),
    },
    Lesson {
        code: Code::TrialEnded,
        meaning: "The account's trial is over, and with it its credits. What belongs to the account (its history, the \
                  people it found, its keys) can still be read.",
        given: "The account is a trial whose days are over.",
        failing: Calls::InTurn(&[Sample::post("/v1/enrich", ADA)]),
        fault: || Fault::new(Code::TrialEnded, "the account's trial is over"),
        mended: "The account has a plan now; the call is the same.",
        corrected: Calls::InTurn(&[Sample::post("/v1/enrich", ADA)]),
    },
];
