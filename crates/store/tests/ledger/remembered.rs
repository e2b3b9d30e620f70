//! Charges of accounts that a node has just served: one statement, on the book as it was left, and never on another one.

use super::money::{Bank, bank, settle};
use assay_domain::{Clock, Credits, LotId};
use assay_store::ledger::op::{Answer, Grant, LotSource, Op, Refusal};
use assay_store::{Database, Ledger};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::time::Duration;

async fn charge(ledger: &Ledger, bank: &Bank, credits: i64) -> Answer {
    ledger.ask(bank.account, Op::Settle(Box::new(settle(Credits::whole(credits))))).await.unwrap()
}

fn left(answer: &Answer) -> Credits {
    match answer {
        Answer::Settled(settled) => settled.balance,
        other => panic!("not settled: {other:?}"),
    }
}

async fn another_node(bank: &Bank) -> Ledger {
    Ledger::connect(&Database::at(&bank.database.url()), Clock::system()).await.unwrap()
}

/// How many of the ledger's connections have charged by the one statement last.
fn by_one_statement(bank: &Bank) -> i64 {
    let last = "select count(*) from pg_stat_activity where datname = current_database() and query like 'with met as%'";
    bank.database.psql(last).unwrap().trim().parse().unwrap()
}

#[tokio::test]
async fn the_second_charge_of_an_account_is_one_statement() {
    let bank = bank().await;
    let node = another_node(&bank).await;
    assert_eq!(left(&charge(&node, &bank, 1).await), Credits::whole(499));
    assert_eq!(by_one_statement(&bank), 0);
    assert_eq!(left(&charge(&node, &bank, 1).await), Credits::whole(498));
    assert_eq!(by_one_statement(&bank), 1);
    bank.is_sound().await;
}

#[tokio::test]
async fn what_another_node_spent_is_not_spent_again_and_what_it_granted_is_there() {
    let bank = bank().await;
    let other = another_node(&bank).await;
    for _ in 0..2 {
        bank.charge(1).await;
    }
    assert_eq!(left(&charge(&other, &bank, 497).await), Credits::whole(1));
    let refused = bank.charge(2).await;
    let why = Refusal::Insufficient { available: Credits::whole(1), waiting: Credits::ZERO };
    assert!(matches!(refused, Answer::Refused { why: said, .. } if said == why), "{refused:?}");
    other.top_up(bank.account, Credits::whole(10), "invoice").await.unwrap();
    assert_eq!(left(&bank.charge(11).await), Credits::ZERO);
    bank.is_sound().await;
}

#[tokio::test]
async fn a_book_of_the_same_version_and_other_content_is_not_taken_for_the_one_that_was_left() {
    let bank = bank().await;
    for _ in 0..2 {
        bank.charge(1).await;
    }
    // As after a restore of a backup from which another node went on.
    bank.database
        .psql("update balance set available = 100000, lots = jsonb_set(lots, '{0,n}', '100000')")
        .unwrap();
    assert_eq!(left(&bank.charge(30).await), Credits::whole(70));
    // An end that is moved leaves balance and version alone.
    bank.database
        .psql("update balance set lots = jsonb_set(lots, '{0,x}', '\"2020-01-01T00:00:00Z\"')")
        .unwrap();
    let refused = bank.charge(1).await;
    assert!(matches!(refused, Answer::Refused { .. }), "{refused:?}");
}

#[tokio::test]
async fn credits_whose_time_is_over_are_not_spent_from_memory() {
    let bank = bank().await;
    let soon = Clock::system().now() + chrono::TimeDelta::milliseconds(600);
    let grant = Grant {
        lot: LotId::mint(soon),
        source: LotSource::Adjustment,
        reason: "soon".into(),
        amount: Credits::whole(10),
        expires_at: Some(soon),
    };
    bank.ask(Op::Grant(grant)).await;
    for _ in 0..2 {
        bank.charge(1).await;
    }
    tokio::time::sleep(Duration::from_millis(800)).await;
    assert_eq!(left(&bank.charge(1).await), Credits::whole(499));
    bank.is_sound().await;
}

/// Who does what next.
#[derive(Debug, Clone)]
enum Move {
    Charge { node: usize, credits: i64 },
    Together { credits: Vec<i64> },
    Grant { node: usize, credits: i64 },
    Expire,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        6 => (0..2_usize, 0..40_i64).prop_map(|(node, credits)| Move::Charge { node, credits }),
        2 => proptest::collection::vec(1..20_i64, 2..12).prop_map(|credits| Move::Together { credits }),
        1 => (0..2_usize, 1..60_i64).prop_map(|(node, credits)| Move::Grant { node, credits }),
        1 => Just(Move::Expire),
    ];
    proptest::collection::vec(one, 1..40)
}

#[test]
fn whoever_charges_in_whatever_order_the_books_are_right() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut runner = TestRunner::new(Config { cases: 24, ..Config::default() });
    runner
        .run(&moves(), |moves| {
            runtime.block_on(async {
                let bank = bank().await;
                let nodes = [bank.ledger.clone(), another_node(&bank).await];
                let mut expected = 500;
                for (number, step) in moves.into_iter().enumerate() {
                    expected = play(&bank, &nodes, step, number, expected).await;
                    assert_eq!(bank.balance().await.0, Credits::whole(expected));
                }
                bank.is_sound().await;
            });
            Ok(())
        })
        .unwrap();
}

/// What is left after a move.
async fn play(bank: &Bank, nodes: &[Ledger; 2], step: Move, number: usize, before: i64) -> i64 {
    match step {
        Move::Charge { node, credits } => match charge(&nodes[node], bank, credits).await {
            Answer::Settled(settled) => {
                assert_eq!(settled.balance, Credits::whole(before - credits));
                before - credits
            }
            refused => {
                assert!(credits > before, "{refused:?} with {before} left");
                before
            }
        },
        Move::Together { credits } => {
            let all = credits.iter().enumerate().map(|(at, credits)| charge(&nodes[at % 2], bank, *credits));
            let answers = futures_util::future::join_all(all).await;
            let paid =
                answers.iter().zip(&credits).filter(|(answer, _)| matches!(answer, Answer::Settled(_)));
            let left = before - paid.map(|(_, credits)| credits).sum::<i64>();
            assert!(left >= 0);
            left
        }
        Move::Grant { node, credits } => {
            let reason = format!("invoice-{number}");
            nodes[node].top_up(bank.account, Credits::whole(credits), &reason).await.unwrap();
            before + credits
        }
        Move::Expire => {
            bank.ask(Op::ExpireLots).await;
            before
        }
    }
}
