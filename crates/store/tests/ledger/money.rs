//! The ledger on a real PostgreSQL: what is charged, held, given back and refused.

use crate::support;
use assay_domain::{AccountId, Clock, Credits, HoldId, KeyId, LotId, PersonId, Plan, Price, RequestId};
use assay_store::ledger::op::{
    Answer, Cap, Grant, HoldWish, LotSource, Op, Record, Refund, Refusal, ReplyDraft, Settle,
};
use assay_store::ledger::{Claimed, HistoryFilter, NewAccount};
use assay_store::{Database, Ledger};
use assay_testkit::TestDatabase;
use chrono::{DateTime, Utc};
use std::sync::Arc;
use std::time::Duration;

pub(super) struct Bank {
    pub(super) ledger: Ledger,
    pub(super) account: AccountId,
    pub(super) database: TestDatabase,
}

/// A ledger with one Indie account, which has 500 credits.
pub(super) async fn bank() -> Bank {
    let database = support::ledger_db().await;
    let ledger = Ledger::connect(&Database::at(&database.url()), Clock::system()).await.unwrap();
    let new = NewAccount { name: "test".into(), plan: Plan::Indie };
    let account = ledger.create_account(&new).await.unwrap();
    Bank { ledger, account, database }
}

impl Bank {
    pub(super) async fn ask(&self, op: Op) -> Answer {
        self.ledger.ask(self.account, op).await.unwrap()
    }

    pub(super) async fn balance(&self) -> (Credits, Credits) {
        let overview = self.ledger.overview(self.account).await.unwrap().unwrap();
        (overview.available, overview.held)
    }

    pub(super) async fn charge(&self, credits: i64) -> Answer {
        self.ask(Op::Settle(Box::new(settle(Credits::whole(credits))))).await
    }

    pub(super) async fn is_sound(&self) {
        assert_eq!(self.ledger.audit().await.unwrap(), []);
    }
}

fn now() -> DateTime<Utc> {
    Clock::system().now()
}

pub(super) fn settle(charge: Credits) -> Settle {
    Settle {
        request: RequestId::mint(now()),
        hold: None,
        charge,
        cap: None,
        record: Record {
            in_history: true,
            key: KeyId::new("k"),
            at: now(),
            endpoint: "enrich",
            status: 200,
            found: charge.is_positive(),
            latency: Duration::from_millis(3),
            cached: false,
            cache_age_seconds: None,
            providers: vec!["graph".into()],
            upstream_micros: 0,
            subjects: Vec::new(),
        },
        people: Vec::new(),
        reply: None,
        deed: None,
    }
}

fn wish(units_max: u32, unit: i64) -> HoldWish {
    HoldWish {
        hold: HoldId::mint(now()),
        request: RequestId::mint(now()),
        price: Price::PerUnit(Credits::whole(unit)),
        units_max,
        max_credits: None,
        cap: None,
        lifetime: Duration::from_secs(60),
        lease: None,
        starts: None,
    }
}

#[tokio::test]
async fn a_new_account_has_its_plans_credits_once() {
    let bank = bank().await;
    let again = bank.ledger.grant_plan(bank.account, Plan::Indie, None).await.unwrap();
    assert!(matches!(again, Answer::Granted { repeated: true, .. }));
    assert_eq!(bank.balance().await, (Credits::whole(500), Credits::ZERO));
    bank.is_sound().await;
}

#[tokio::test]
async fn a_charge_above_the_balance_changes_nothing() {
    let bank = bank().await;
    let answer = bank.charge(501).await;
    let why = Refusal::Insufficient { available: Credits::whole(500), waiting: Credits::ZERO };
    assert_eq!(answer, Answer::Refused { why, version: 1 });
    assert_eq!(bank.balance().await.0, Credits::whole(500));
    bank.is_sound().await;
}

#[tokio::test]
async fn four_hundred_concurrent_charges_spend_the_balance_exactly_and_no_more() {
    let bank = Arc::new(bank().await);
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..400 {
        let bank = Arc::clone(&bank);
        calls.spawn(async move { bank.charge(2).await });
    }
    let answers = calls.join_all().await;
    let settled = answers.iter().filter(|answer| matches!(answer, Answer::Settled(_))).count();
    assert_eq!(settled, 250);
    assert_eq!(bank.balance().await.0, Credits::ZERO);
    bank.is_sound().await;
}

#[tokio::test]
async fn two_nodes_on_one_database_never_overdraw_one_account() {
    let bank = bank().await;
    let other = Ledger::connect(&Database::at(&bank.database.url()), Clock::system()).await.unwrap();
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..600 {
        let ledger = if number % 2 == 0 { bank.ledger.clone() } else { other.clone() };
        let account = bank.account;
        calls
            .spawn(async move { ledger.ask(account, Op::Settle(Box::new(settle(Credits::whole(1))))).await });
    }
    let answers = calls.join_all().await;
    let settled = answers.iter().filter(|answer| matches!(answer, Ok(Answer::Settled(_)))).count();
    assert_eq!(settled, 500);
    bank.is_sound().await;
}

#[tokio::test]
async fn a_top_up_told_twice_is_booked_once() {
    let bank = bank().await;
    for repeated_expected in [false, true] {
        let answer = bank.ledger.top_up(bank.account, Credits::whole(7), "invoice-1").await.unwrap();
        assert!(matches!(answer, Answer::Granted { repeated, .. } if repeated == repeated_expected));
    }
    assert_eq!(bank.balance().await.0, Credits::whole(507));
}

#[tokio::test]
async fn a_hold_is_as_large_as_fits_and_gives_back_the_rest() {
    let bank = bank().await;
    let wish = wish(100, 30);
    let held = bank.ask(Op::Hold(wish.clone())).await;
    assert_eq!(held, Answer::Held { amount: Credits::whole(480), units: 16, version: 2 });
    assert_eq!(bank.balance().await, (Credits::whole(20), Credits::whole(480)));
    let capture = Settle { hold: Some(wish.hold), ..settle(Credits::whole(90)) };
    let Answer::Settled(settled) = bank.ask(Op::Settle(Box::new(capture))).await else {
        panic!("not settled")
    };
    assert_eq!((settled.credits, settled.balance), (Credits::whole(90), Credits::whole(410)));
    assert_eq!(bank.balance().await, (Credits::whole(410), Credits::ZERO));
    bank.is_sound().await;
}

#[tokio::test]
async fn a_hold_that_does_not_fit_says_what_running_calls_keep_back() {
    let bank = bank().await;
    bank.ask(Op::Hold(wish(1, 450))).await;
    let Answer::Refused { why, .. } = bank.ask(Op::Hold(wish(1, 60))).await else { panic!("not refused") };
    assert_eq!(why, Refusal::Insufficient { available: Credits::whole(50), waiting: Credits::whole(450) });
}

#[tokio::test]
async fn a_hold_past_its_time_is_swept_and_its_capture_is_charged_directly_once() {
    let bank = bank().await;
    let mut brief = wish(1, 40);
    brief.lifetime = Duration::ZERO;
    bank.ask(Op::Hold(brief.clone())).await;
    let swept = bank.ledger.sweep().await.unwrap();
    assert_eq!(swept.holds_released, 1);
    assert_eq!(bank.balance().await, (Credits::whole(500), Credits::ZERO));
    let late = Settle { hold: Some(brief.hold), ..settle(Credits::whole(40)) };
    bank.ask(Op::Settle(Box::new(late))).await;
    assert_eq!(bank.balance().await, (Credits::whole(460), Credits::ZERO));
    bank.is_sound().await;
}

#[tokio::test]
async fn credits_that_end_first_are_spent_first_and_end_on_time() {
    let bank = bank().await;
    let soon = now() + chrono::TimeDelta::milliseconds(700);
    let grant = Grant {
        lot: LotId::mint(now()),
        source: LotSource::Adjustment,
        reason: "soon".into(),
        amount: Credits::whole(10),
        expires_at: Some(soon),
    };
    bank.ask(Op::Grant(grant)).await;
    bank.charge(4).await;
    assert_eq!(bank.balance().await.0, Credits::whole(506));
    tokio::time::sleep(Duration::from_millis(900)).await;
    assert_eq!(bank.ledger.sweep().await.unwrap().lots_expired, 1);
    assert_eq!(bank.balance().await.0, Credits::whole(500));
    bank.is_sound().await;
}

#[tokio::test]
async fn a_capped_key_stops_at_its_cap_and_holds_count_against_it() {
    let bank = bank().await;
    let cap = Some(Cap { key: KeyId::new("capped"), monthly: Credits::whole(100) });
    let held = HoldWish { cap: cap.clone(), ..wish(1, 60) };
    bank.ask(Op::Hold(held.clone())).await;
    let over = Settle { cap: cap.clone(), ..settle(Credits::whole(50)) };
    let answer = bank.ask(Op::Settle(Box::new(over))).await;
    assert!(matches!(answer, Answer::Refused { why: Refusal::SpendCapReached, .. }));
    bank.ask(Op::Release(held.hold)).await;
    let within = Settle { cap: cap.clone(), ..settle(Credits::whole(100)) };
    assert!(matches!(bank.ask(Op::Settle(Box::new(within))).await, Answer::Settled(_)));
    let spent = bank.ledger.key_spend(bank.account, &KeyId::new("capped")).await.unwrap();
    assert_eq!(spent, Credits::whole(100));
    bank.is_sound().await;
}

#[tokio::test]
async fn a_refund_gives_back_once_and_never_more_than_was_charged() {
    let bank = bank().await;
    let call = settle(Credits::whole(25));
    bank.ask(Op::Settle(Box::new(call.clone()))).await;
    let refund =
        |amount| Refund { lot: LotId::mint(now()), request: call.request, amount: Credits::whole(amount) };
    let Answer::Refused { why, .. } = bank.ask(Op::Refund(refund(26))).await else { panic!("not refused") };
    assert_eq!(why, Refusal::NothingToRefund);
    bank.ask(Op::Refund(refund(25))).await;
    let again = bank.ask(Op::Refund(refund(25))).await;
    assert!(matches!(again, Answer::Refunded { repeated: true, .. }));
    assert_eq!(bank.balance().await.0, Credits::whole(500));
    bank.is_sound().await;
}

#[tokio::test]
async fn a_worker_whose_claim_was_taken_over_charges_nothing() {
    let bank = bank().await;
    let Claimed::Run(first) = bank.ledger.claim(bank.account, [7; 32], [1; 32]).await.unwrap() else {
        panic!("a fresh key was taken")
    };
    sqlx::query("update reply set lease_until = now() - interval '1 second'")
        .execute(bank.ledger.pool())
        .await
        .unwrap();
    let Claimed::Run(second) = bank.ledger.claim(bank.account, [7; 32], [1; 32]).await.unwrap() else {
        panic!("an abandoned key was not taken over")
    };
    let reply = |claim| Some(ReplyDraft { claim, render: Arc::new(|_| b"answer".to_vec()) });
    let zombie = Settle { reply: reply(first.claim()), ..settle(Credits::whole(5)) };
    let answer = bank.ask(Op::Settle(Box::new(zombie))).await;
    assert!(matches!(answer, Answer::Refused { why: Refusal::ClaimLost, .. }));
    let live = Settle { reply: reply(second.claim()), ..settle(Credits::whole(5)) };
    assert!(matches!(bank.ask(Op::Settle(Box::new(live))).await, Answer::Settled(_)));
    let replay = bank.ledger.claim(bank.account, [7; 32], [1; 32]).await.unwrap();
    assert!(matches!(replay, Claimed::Replay { status: 200, body } if body == b"answer"));
    assert_eq!(bank.balance().await.0, Credits::whole(495));
    bank.is_sound().await;
}

#[tokio::test]
async fn a_failed_run_frees_its_key_for_the_next_try() {
    let bank = bank().await;
    for _ in 0..3 {
        let Claimed::Run(claim) = bank.ledger.claim(bank.account, [9; 32], [1; 32]).await.unwrap() else {
            panic!("the key was not freed")
        };
        claim.release().await.unwrap();
    }
}

#[tokio::test]
async fn history_pages_newest_first_and_people_are_kept_once() {
    let bank = bank().await;
    let person = PersonId::mint(now());
    for number in 0..7 {
        let mut call = settle(Credits::whole(1));
        call.people = vec![person];
        call.record.endpoint = if number % 2 == 0 { "enrich" } else { "reverse-email" };
        bank.ask(Op::Settle(Box::new(call))).await;
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let page = bank.ledger.history(bank.account, &HistoryFilter::default(), after, 3).await.unwrap();
        seen.extend(page.rows.iter().map(|row| row.id));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 7);
    let totals = bank.ledger.history_totals(bank.account, &HistoryFilter::default()).await.unwrap();
    assert_eq!((totals.requests, totals.credits), (7, Credits::whole(7)));
    assert!(seen.is_sorted_by(|left, right| left > right));
    let people = bank.ledger.resolved_people(bank.account, None, 10).await.unwrap();
    assert_eq!(people.len(), 1);
    assert_eq!(people[0].endpoints, ["enrich", "reverse-email"]);
    let other = AccountId::mint(now());
    assert!(bank.ledger.history(other, &HistoryFilter::default(), None, 10).await.unwrap().rows.is_empty());
    assert!(bank.ledger.resolved_people(other, None, 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn what_was_booked_cannot_be_changed() {
    let bank = bank().await;
    for statement in ["update posting set amount = 1", "delete from posting", "truncate posting"] {
        assert!(sqlx::query(statement).execute(bank.ledger.pool()).await.is_err(), "{statement}");
    }
}
