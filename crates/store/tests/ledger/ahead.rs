//! Charges that are begun before their answer is there: made once when they are wanted, and never when they are not.

use super::money::{Bank, bank, settle};
use assay_domain::{Clock, Credits};
use assay_store::ledger::Begun;
use assay_store::ledger::op::{Answer, Settle};
use assay_store::{Database, Ledger};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sqlx::{Connection, PgConnection};
use std::time::Duration;

async fn another_node(bank: &Bank) -> Ledger {
    Ledger::connect(&Database::at(&bank.database.url()), Clock::system()).await.unwrap()
}

/// A charge that was begun. The node has served the account before.
async fn begin(bank: &Bank, credits: i64) -> (Settle, Begun) {
    bank.charge(0).await;
    bank.charge(1).await;
    let settle = settle(Credits::whole(credits));
    let begun = bank.ledger.begin(bank.account, settle.clone()).expect("it may be begun");
    (settle, begun)
}

fn left(answer: &Answer) -> Credits {
    match answer {
        Answer::Settled(settled) => settled.balance,
        other => panic!("not settled: {other:?}"),
    }
}

async fn settled(bank: &Bank, settle: Settle, begun: Option<Begun>) -> Credits {
    left(&bank.ledger.settle(bank.account, settle, begun).await.unwrap())
}

/// How many connections have ended a transaction so last.
fn ended(bank: &Bank, how: &str) -> i64 {
    let last = "select count(*) from pg_stat_activity where datname = current_database() and query ilike";
    bank.database.psql(&format!("{last} '{how}%'")).unwrap().trim().parse().unwrap()
}

#[tokio::test]
async fn what_was_begun_is_charged_once_when_it_is_wanted() {
    let bank = bank().await;
    let (mut settle, begun) = begin(&bank, 5).await;
    let before = ended(&bank, "commit");
    // How long a call took is known only when it has ended.
    settle.record.latency += Duration::from_millis(2);
    assert_eq!(settled(&bank, settle.clone(), Some(begun)).await, Credits::whole(494));
    assert_eq!(ended(&bank, "commit"), before + 1, "on the connection for it");
    assert_eq!(bank.balance().await.0, Credits::whole(494));
    // The book is known as that charge left it.
    assert_eq!(left(&bank.charge(4).await), Credits::whole(490));
    bank.is_sound().await;
}

#[tokio::test]
async fn what_is_not_wanted_leaves_nothing() {
    let bank = bank().await;
    drop(begin(&bank, 5).await);
    assert_eq!(left(&bank.charge(9).await), Credits::whole(490));
    bank.is_sound().await;
}

#[tokio::test]
async fn what_came_to_something_else_is_charged_as_that() {
    let bank = bank().await;
    let (settle, begun) = begin(&bank, 5).await;
    let fewer = Settle { charge: Credits::whole(4), ..settle };
    assert_eq!(settled(&bank, fewer, Some(begun)).await, Credits::whole(495));
    bank.is_sound().await;
    let bank = super::money::bank().await;
    let (settle, begun) = begin(&bank, 5).await;
    let mut with_others = settle.clone();
    with_others.record.subjects.push(settle.request.uuid());
    assert_eq!(settled(&bank, with_others, Some(begun)).await, Credits::whole(494));
    bank.is_sound().await;
}

#[tokio::test]
async fn nobody_waits_for_long_behind_an_answer_that_does_not_come() {
    let bank = bank().await;
    let node = another_node(&bank).await;
    let (settle, begun) = begin(&bank, 5).await;
    let other = super::money::settle(Credits::whole(9));
    let other = node.ask(bank.account, assay_store::ledger::op::Op::Settle(Box::new(other)));
    let other = tokio::time::timeout(Duration::from_secs(5), other).await.unwrap().unwrap();
    assert_eq!(left(&other), Credits::whole(490));
    assert_eq!(settled(&bank, settle, Some(begun)).await, Credits::whole(485));
    bank.is_sound().await;
}

#[tokio::test]
async fn one_is_begun_at_a_time_and_none_that_is_not_plain_or_cannot_be_paid() {
    let bank = bank().await;
    let node = another_node(&bank).await;
    assert!(node.begin(bank.account, settle(Credits::whole(1))).is_none(), "of an unknown book");
    let (first, begun) = begin(&bank, 5).await;
    assert!(bank.ledger.begin(bank.account, settle(Credits::whole(1))).is_none());
    assert_eq!(settled(&bank, first, Some(begun)).await, Credits::whole(494));
    assert!(bank.ledger.begin(bank.account, settle(Credits::whole(495))).is_none());
    assert_eq!(bank.balance().await.0, Credits::whole(494));
}

/// All connections break while charges are begun, wait, or are on their way to the disk.
#[tokio::test]
async fn broken_connections_neither_lose_nor_repeat_a_charge() {
    const BREAK: &str = "select count(pg_terminate_backend(pid)) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()";
    let bank = bank().await;
    let mut other = PgConnection::connect(&bank.database.url()).await.unwrap();
    let mut expected = 500;
    for round in 0..30_u64 {
        bank.charge(0).await;
        bank.charge(1).await;
        let asked = settle(Credits::whole(5));
        let begun = bank.ledger.begin(bank.account, asked.clone());
        let broken = async {
            tokio::time::sleep(Duration::from_micros(round * 200)).await;
            sqlx::query(BREAK).execute(&mut other).await.unwrap();
        };
        let (balance, ()) = tokio::join!(settled(&bank, asked, begun), broken);
        expected -= 6;
        assert_eq!(balance, Credits::whole(expected), "round {round}");
    }
    // Whoever only looks is told of a broken connection.
    let bank = Bank { ledger: another_node(&bank).await, ..bank };
    assert_eq!(bank.balance().await.0, Credits::whole(expected));
    bank.is_sound().await;
}

#[derive(Debug, Clone)]
struct Call {
    node: usize,
    credits: i64,
    /// Begun, and then wanted, come to something else, or given up.
    ahead: Option<Then>,
}

#[derive(Debug, Clone, Copy)]
enum Then {
    Wanted,
    Fewer,
    GivenUp,
}

fn calls() -> impl Strategy<Value = Vec<Vec<Call>>> {
    let then = prop_oneof![4 => Just(Then::Wanted), 1 => Just(Then::Fewer), 1 => Just(Then::GivenUp)];
    let call = (0..2_usize, 1..30_i64, proptest::option::weighted(0.7, then));
    let call = call.prop_map(|(node, credits, ahead)| Call { node, credits, ahead });
    proptest::collection::vec(proptest::collection::vec(call, 1..4), 1..12)
}

/// What it was charged.
async fn play(bank: &Bank, nodes: &[Ledger; 2], call: &Call) -> i64 {
    let (node, asked) = (&nodes[call.node], settle(Credits::whole(call.credits)));
    let begun = call.ahead.and_then(|_| node.begin(bank.account, asked.clone()));
    let (asked, charge) = match call.ahead {
        Some(Then::GivenUp) => return 0,
        Some(Then::Fewer) => (Settle { charge: Credits::whole(1), ..asked }, 1),
        _ => (asked, call.credits),
    };
    match node.settle(bank.account, asked, begun).await.unwrap() {
        Answer::Settled(_) => charge,
        _ => 0,
    }
}

#[test]
fn whoever_begins_what_the_books_are_right() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut runner = TestRunner::new(Config { cases: 16, ..Config::default() });
    runner
        .run(&calls(), |rounds| {
            runtime.block_on(async {
                let bank = bank().await;
                let nodes = [bank.ledger.clone(), another_node(&bank).await];
                let mut expected = 500;
                for at_once in rounds {
                    let charged =
                        futures_util::future::join_all(at_once.iter().map(|call| play(&bank, &nodes, call)));
                    expected -= charged.await.iter().sum::<i64>();
                    assert_eq!(bank.balance().await.0, Credits::whole(expected));
                }
                bank.is_sound().await;
            });
            Ok(())
        })
        .unwrap();
}
