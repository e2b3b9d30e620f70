//! What is asked on behalf of a job of the queue counts only while the job is the asker's.

use super::*;
use crate::ledger::bulk::{AnsweredSlice, BulkCounts};
use crate::ledger::op::Deed;
use crate::queue::Lease;
use assay_domain::{BulkId, JobId};

fn lease(attempt: i32) -> Lease {
    Lease { job: JobId::from_uuid(Uuid::from_u128(9)), attempt }
}

/// A settlement that ends a slice of a bulk job.
fn slice(till: &mut Till, attempt: i32, hold: Option<HoldId>, credits: i64) -> Settle {
    let answered = AnsweredSlice {
        lease: lease(attempt),
        bulk: BulkId::from_uuid(Uuid::from_u128(8)),
        number: 0,
        content: Vec::new(),
        counts: BulkCounts::default(),
        whole: true,
        bound_reached: false,
        at: moment(),
    };
    Settle { deed: Some(Deed::AnswerSlice(Box::new(answered))), ..till.settle(hold, credits) }
}

#[test]
fn nothing_is_held_or_paid_for_a_job_that_is_anothers_by_now() {
    let mut till = Till::with(10);
    till.loaded.leases.insert(lease(2));
    for (attempt, ours) in [(1, false), (2, true)] {
        let wish = HoldWish { lease: Some(lease(attempt)), ..till.wish(1) };
        let answer = till.ask(Op::Hold(wish.clone()));
        assert_eq!(matches!(answer, Answer::Held { .. }), ours, "{answer:?}");
        assert_eq!(refusal(&answer), (!ours).then_some(Refusal::ClaimLost));
        let ends = slice(&mut till, attempt, ours.then_some(wish.hold), 2);
        let answer = till.pay(&ends);
        assert_eq!(matches!(answer, Answer::Settled(_)), ours, "{answer:?}");
        assert_eq!(refusal(&answer), (!ours).then_some(Refusal::ClaimLost));
    }
    assert_eq!(till.book.balance(), Credits::whole(8));
    till.check();
}

#[test]
fn a_slice_whose_hold_is_gone_is_done_again_rather_than_given_away() {
    let mut till = Till::with(4);
    till.loaded.leases.insert(lease(1));
    let hold = till.hold(2);
    till.ask(Op::Release(hold));
    let spent = till.settle(None, 4);
    till.pay(&spent);
    let unpaid = slice(&mut till, 1, Some(hold), 2);
    assert_eq!(refusal(&till.pay(&unpaid)), Some(Refusal::HoldLost));
    till.check();
}

#[test]
fn a_hold_over_several_lots_captures_no_more_than_was_used() {
    let mut till = Till::new();
    for reason in ["a", "b", "c"] {
        till.grant(reason, 5, None);
    }
    let hold = till.hold(7);
    let settle = till.settle(Some(hold), 6);
    let answer = till.pay(&settle);
    assert!(matches!(answer, Answer::Settled(settled) if settled.credits == Credits::whole(6)), "{answer:?}");
    let [_, available, held, spent, _] = till.sides();
    assert_eq!((available, held, spent), (9_000, 0, 6_000));
    till.check();
}
