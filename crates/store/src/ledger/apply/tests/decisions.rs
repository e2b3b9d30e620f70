//! What each operation answers, books and leaves behind, one rule a test.

use super::*;
use crate::ledger::op::{Claim, ReplyDraft};
use std::sync::Arc;

#[test]
fn a_grant_is_booked_once_for_its_reason() {
    let mut till = Till::new();
    let first = till.grant("topup-1", 5, None);
    assert_eq!(first, Answer::Granted { balance: Credits::whole(5), version: 1, repeated: false });
    let again = till.grant("topup-1", 5, None);
    assert_eq!(again, Answer::Granted { balance: Credits::whole(5), version: 1, repeated: true });
    let nothing = till.grant("topup-2", 0, None);
    assert_eq!(nothing, Answer::Granted { balance: Credits::whole(5), version: 1, repeated: true });
    assert_eq!((till.writes.lots.len(), till.book.postings.len()), (1, 1));
    let posting = till.book.postings[0];
    assert_eq!((posting.kind, posting.from, posting.to), (Kind::Grant, Side::Issued, Side::Available));
    till.check();
}

#[test]
fn an_account_has_so_many_lots_and_a_refused_grant_may_be_asked_for_again() {
    let mut till = Till::new();
    for number in 0..limits::LOTS_PER_ACCOUNT_MAX {
        let answer = till.grant(&format!("lot-{number}"), 1, None);
        assert!(matches!(answer, Answer::Granted { repeated: false, .. }), "{answer:?}");
    }
    for _ in 0..2 {
        assert_eq!(refusal(&till.grant("one more", 1, None)), Some(Refusal::TooManyLots));
    }
    till.check();
}

#[test]
fn what_ends_first_is_spent_first() {
    let mut till = Till::new();
    let day = |days| Some(moment() + TimeDelta::days(days));
    for (reason, credits, end) in [("a", 4, None), ("b", 4, day(9)), ("c", 4, day(3)), ("d", 4, day(9))] {
        till.grant(reason, credits, end);
    }
    assert_eq!(till.book.next_expiry(), day(3));
    let settle = till.settle(None, 9);
    till.pay(&settle);
    let left: Vec<(i64, Option<DateTime<Utc>>)> =
        till.book.lots.iter().map(|lot| (lot.left, lot.expires_at)).collect();
    assert_eq!(left, [(3_000, day(9)), (4_000, None)]);
    let spent: Vec<i64> =
        till.book.postings.iter().filter(|it| it.kind == Kind::Charge).map(|it| it.amount).collect();
    assert_eq!(spent, [4_000, 4_000, 1_000]);
    till.check();
}

#[test]
fn a_hold_takes_what_fits_and_its_end_gives_back_what_was_not_spent() {
    let mut till = Till::with(9);
    let wish = till.wish(10);
    let held = till.ask(Op::Hold(wish.clone()));
    assert_eq!(held, Answer::Held { amount: Credits::whole(8), units: 4, version: 2 });
    assert_eq!((till.book.balance(), till.book.waiting()), (Credits::whole(1), Credits::whole(8)));
    assert_eq!(till.writes.new_holds[0].stored.expires_at, moment() + HOUR);
    // The same wish again, as after a lost answer: nothing is held twice.
    assert_eq!(till.ask(Op::Hold(wish.clone())), held);
    let settle = till.settle(Some(wish.hold), 6);
    let settled = Settled { credits: Credits::whole(6), balance: Credits::whole(3), version: 3 };
    assert_eq!(till.pay(&settle), Answer::Settled(settled));
    let ended = &till.writes.ended_holds[0];
    assert_eq!((ended.captured, ended.state), (6_000, HoldState::Captured));
    assert_eq!(till.ask(Op::Release(wish.hold)), Answer::Released { amount: Credits::ZERO, version: 3 });
    till.check();
}

#[test]
fn a_price_of_nothing_holds_nothing() {
    let mut till = Till::with(1);
    let wish = HoldWish { price: Price::Free, ..till.wish(3) };
    assert_eq!(till.ask(Op::Hold(wish)), Answer::Held { amount: Credits::ZERO, units: 3, version: 1 });
    assert!(till.writes.new_holds.is_empty() && till.loaded.holds.is_empty());
    till.check();
}

#[test]
fn a_hold_that_found_nothing_is_released_and_never_more_than_held_is_captured() {
    let mut till = Till::with(10);
    let (first, second) = (till.hold(2), till.hold(2));
    let nothing = till.settle(Some(first), 0);
    till.pay(&nothing);
    let too_much = till.settle(Some(second), 9);
    let answer = till.pay(&too_much);
    assert!(matches!(answer, Answer::Settled(settled) if settled.credits == Credits::whole(4)), "{answer:?}");
    let states: Vec<(i64, HoldState)> =
        till.writes.ended_holds.iter().map(|hold| (hold.captured, hold.state)).collect();
    assert_eq!(states, [(0, HoldState::Released), (4_000, HoldState::Captured)]);
    assert_eq!(till.book.balance(), Credits::whole(6));
    till.check();
}

#[test]
fn a_refusal_names_the_narrowest_bound_and_changes_nothing() {
    let mut till = Till::with(3);
    till.hold(1);
    let (available, waiting) = (Credits::whole(1), Credits::whole(2));
    let ask = |till: &mut Till, max_credits: Option<i64>, capped: Option<i64>| {
        let wish =
            HoldWish { max_credits: max_credits.map(Credits::whole), cap: capped.map(cap), ..till.wish(2) };
        refusal(&till.ask(Op::Hold(wish)))
    };
    let insufficient = Some(Refusal::Insufficient { available, waiting });
    assert_eq!(ask(&mut till, None, None), insufficient);
    assert_eq!(ask(&mut till, Some(9), Some(9)), insufficient);
    assert_eq!(ask(&mut till, Some(1), None), Some(Refusal::MaxCreditsTooLow));
    assert_eq!(ask(&mut till, Some(1), Some(1)), Some(Refusal::MaxCreditsTooLow));
    assert_eq!(ask(&mut till, Some(9), Some(1)), Some(Refusal::SpendCapReached));
    assert_eq!((till.book.version, till.writes.new_holds.len()), (2, 1));
    till.check();
}

#[test]
fn a_charge_without_a_hold_needs_the_balance_and_the_cap() {
    let mut till = Till::with(5);
    let free = till.settle(None, 0);
    assert!(matches!(till.pay(&free), Answer::Settled(settled) if settled.credits.is_zero()));
    assert_eq!(till.book.version, 1, "nothing was moved");
    let dear = till.settle(None, 6);
    let (available, waiting) = (Credits::whole(5), Credits::ZERO);
    assert_eq!(refusal(&till.pay(&dear)), Some(Refusal::Insufficient { available, waiting }));
    let capped = |till: &mut Till, credits| Settle { cap: Some(cap(4)), ..till.settle(None, credits) };
    let over = capped(&mut till, 5);
    assert_eq!(refusal(&till.pay(&over)), Some(Refusal::SpendCapReached));
    let most = capped(&mut till, 4);
    assert!(matches!(till.pay(&most), Answer::Settled(settled) if settled.credits == Credits::whole(4)));
    let one_more = capped(&mut till, 1);
    assert_eq!(refusal(&till.pay(&one_more)), Some(Refusal::SpendCapReached));
    let last = till.settle(None, 1);
    let settled = Settled { credits: Credits::whole(1), balance: Credits::ZERO, version: 3 };
    assert_eq!(till.pay(&last), Answer::Settled(settled));
    till.check();
}

#[test]
fn a_hold_counts_against_the_cap_until_it_ends_and_then_what_it_cost() {
    let mut till = Till::with(50);
    let spent = |till: &mut Till| {
        let month = till.loaded.moment.month;
        let spend = *till.loaded.spend(till.account, &cap(10).key, month);
        (spend.spent, spend.held)
    };
    let wish = HoldWish { cap: Some(cap(10)), ..till.wish(4) };
    till.ask(Op::Hold(wish.clone()));
    assert_eq!(spent(&mut till), (0, 8_000));
    let settle = Settle { cap: Some(cap(10)), ..till.settle(Some(wish.hold), 2) };
    till.pay(&settle);
    assert_eq!(spent(&mut till), (2_000, 0));
    let wish = HoldWish { cap: Some(cap(10)), ..till.wish(9) };
    let answer = till.ask(Op::Hold(wish.clone()));
    assert!(matches!(answer, Answer::Held { units: 4, .. }), "{answer:?}");
    till.ask(Op::Release(wish.hold));
    assert_eq!(spent(&mut till), (2_000, 0));
    let direct = Settle { cap: Some(cap(10)), ..till.settle(None, 3) };
    till.pay(&direct);
    assert_eq!(spent(&mut till), (5_000, 0));
    till.check();
}

#[test]
fn a_settled_call_answers_the_same_again_and_is_not_charged_twice() {
    let mut till = Till::with(5);
    let settle = till.settle(None, 2);
    let Answer::Settled(settled) = till.pay(&settle) else { panic!("not settled") };
    till.loaded.settled.insert((till.account, settle.request), settled);
    till.grant("later", 7, None);
    assert_eq!(till.pay(&settle), Answer::Settled(settled));
    till.check();
}

#[test]
fn a_reply_is_stored_only_while_its_claim_is_ours() {
    let mut till = Till::with(5);
    let claim = Claim { key: [7; 32], attempt: 2 };
    till.loaded.claims.insert((till.account, claim.key, claim.attempt));
    let with_reply = |till: &mut Till, attempt| {
        let reply = ReplyDraft { claim: Claim { attempt, ..claim }, render: Arc::new(|_| b"{}".to_vec()) };
        Settle { reply: Some(reply), ..till.settle(None, 1) }
    };
    let stale = with_reply(&mut till, 1);
    assert_eq!(refusal(&till.pay(&stale)), Some(Refusal::ClaimLost));
    let ours = with_reply(&mut till, 2);
    assert!(matches!(till.pay(&ours), Answer::Settled(_)));
    let twice = with_reply(&mut till, 2);
    assert_eq!(refusal(&till.pay(&twice)), Some(Refusal::ClaimLost));
    assert_eq!(till.book.balance(), Credits::whole(4));
    till.check();
}

#[test]
fn work_whose_hold_is_over_is_paid_from_the_balance_or_given_away() {
    let mut till = Till::with(4);
    let hold = till.hold(2);
    till.ask(Op::Release(hold));
    let paid = till.settle(Some(hold), 4);
    let answer = till.pay(&paid);
    assert!(matches!(answer, Answer::Settled(settled) if settled.credits == Credits::whole(4)), "{answer:?}");
    let given = till.settle(Some(hold), 4);
    let answer = till.pay(&given);
    assert!(matches!(answer, Answer::Settled(settled) if settled.credits.is_zero()), "{answer:?}");
    till.check();
}

#[test]
fn nobody_ends_the_hold_of_another_account() {
    let mut till = Till::with(4);
    let hold = till.hold(2);
    let stranger = AccountId::from_uuid(Uuid::from_u128(2));
    let answer = till.ask_for(stranger, Op::Release(hold));
    assert_eq!(answer, Answer::Released { amount: Credits::ZERO, version: 2 });
    assert_eq!(till.ask(Op::Release(hold)), Answer::Released { amount: Credits::whole(4), version: 3 });
    till.check();
}

#[test]
fn a_hold_expires_at_its_end_and_not_before() {
    let mut till = Till::with(4);
    let hold = till.hold(2);
    let early = Answer::Released { amount: Credits::ZERO, version: 2 };
    assert_eq!(till.ask(Op::ExpireHold(hold)), early);
    till.loaded.moment.now += HOUR;
    assert_eq!(till.ask(Op::ExpireHold(hold)), Answer::Released { amount: Credits::whole(4), version: 3 });
    assert_eq!(till.writes.ended_holds[0].state, HoldState::Expired);
    till.check();
}

#[test]
fn a_lot_ends_at_its_time_whatever_is_asked() {
    let mut till = Till::with(1);
    till.grant("short", 4, Some(moment() + HOUR));
    assert_eq!(till.ask(Op::ExpireLots), Answer::Expired { amount: Credits::ZERO, version: 2 });
    let hold = till.hold(1);
    till.loaded.moment.now += HOUR;
    // Two of the short lot's credits are held, two are over.
    assert_eq!(till.ask(Op::ExpireLots), Answer::Expired { amount: Credits::whole(2), version: 4 });
    assert_eq!(till.ask(Op::ExpireLots), Answer::Expired { amount: Credits::ZERO, version: 4 });
    assert_eq!(till.ask(Op::Release(hold)), Answer::Released { amount: Credits::whole(2), version: 5 });
    assert_eq!(till.book.balance(), Credits::whole(1), "the held part's time is over too");
    till.grant("short again", 3, Some(moment() + HOUR + HOUR));
    till.loaded.moment.now += HOUR;
    let settle = till.settle(None, 1);
    let settled = Settled { credits: Credits::whole(1), balance: Credits::ZERO, version: 8 };
    assert_eq!(till.pay(&settle), Answer::Settled(settled), "the end is booked before the charge");
    till.check();
}

#[test]
fn a_refund_gives_back_what_was_charged_and_only_once() {
    let mut till = Till::with(5);
    let settle = till.settle(None, 3);
    let Answer::Settled(settled) = till.pay(&settle) else { panic!("not settled") };
    till.loaded.settled.insert((till.account, settle.request), settled);
    let refund = |till: &mut Till, credits: i64| {
        let (lot, request) = (LotId::from_uuid(till.id()), settle.request);
        till.ask(Op::Refund(Refund { lot, request, amount: Credits::whole(credits) }))
    };
    for wrong in [-1, 0, 4] {
        assert_eq!(refusal(&refund(&mut till, wrong)), Some(Refusal::NothingToRefund), "{wrong}");
    }
    let given = Answer::Refunded { balance: Credits::whole(5), version: 3, repeated: false };
    assert_eq!(refund(&mut till, 3), given);
    let again = Answer::Refunded { balance: Credits::whole(5), version: 3, repeated: true };
    assert_eq!(refund(&mut till, 3), again);
    let posting = till.book.postings.last().unwrap();
    assert_eq!((posting.kind, posting.from, posting.to), (Kind::Refund, Side::Spent, Side::Available));
    assert_eq!(posting.request, Some(settle.request));
    let unknown = Refund {
        lot: LotId::from_uuid(till.id()),
        request: RequestId::from_uuid(till.id()),
        amount: Credits::whole(1),
    };
    assert_eq!(refusal(&till.ask(Op::Refund(unknown))), Some(Refusal::NothingToRefund));
    till.check();
}

#[test]
fn what_happens_once_has_its_reason() {
    let mut till = Till::new();
    let (lot, request) = (LotId::from_uuid(till.id()), RequestId::from_uuid(till.id()));
    let amount = Credits::whole(1);
    let grant =
        Grant { lot, source: LotSource::Plan, reason: "plan:2026-11".into(), amount, expires_at: None };
    assert_eq!(reason_of(&Op::Grant(grant)), Some("plan:2026-11".into()));
    assert_eq!(reason_of(&Op::Refund(Refund { lot, request, amount })), Some(format!("refund:{request}")));
    assert_eq!(reason_of(&Op::ExpireLots), None);
}

#[test]
fn what_is_written_to_the_database_keeps_its_numbers() {
    let sides = [Side::Issued, Side::Available, Side::Held, Side::Spent, Side::Expired];
    assert_eq!(sides.map(Side::code), [0, 1, 2, 3, 4]);
    let kinds =
        [Kind::Grant, Kind::Hold, Kind::Capture, Kind::Release, Kind::Charge, Kind::Refund, Kind::Expire];
    assert_eq!(kinds.map(Kind::code), [0, 1, 2, 3, 4, 5, 6]);
}
