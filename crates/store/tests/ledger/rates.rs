//! What nodes tell each other of request rates, on a real PostgreSQL.

use crate::support;
use assay_domain::rate::{Heard, SLOT_MS, Told, Verdict, Window};
use assay_domain::{AccountId, Clock, KeyId};
use assay_store::ledger::{RateNode, WindowId};
use assay_store::{Database, Ledger};
use assay_testkit::TestDatabase;

const QUOTA: u32 = 100;
const NODES: u32 = 2;

/// A database and two nodes on it, each with a connection of its own.
async fn two_nodes() -> (TestDatabase, RateNode, RateNode) {
    let database = support::ledger_db().await;
    let ledger = Ledger::connect(&Database::at(&database.url()), Clock::system()).await.unwrap();
    let (first, second) = (RateNode::new(&ledger), RateNode::new(&ledger));
    (database, first, second)
}

fn now_ms() -> i64 {
    Clock::system().now().timestamp_millis()
}

fn account() -> WindowId {
    WindowId { account: AccountId::mint(Clock::system().now()), key: None }
}

async fn exchange(node: &mut RateNode, id: &WindowId, window: &mut Window, waiting: u32) {
    let told = window.tell(now_ms(), node.id(), waiting);
    let heard = node.exchange(&[(id.clone(), told)]).await.unwrap();
    assert!(heard.iter().all(|(of, _)| of == id));
    window.hear(now_ms(), heard.into_iter().map(|(_, heard)| heard).collect());
}

fn admit(window: &mut Window, most: u32) -> u32 {
    let mut admitted = 0;
    while admitted < most && window.judge(now_ms(), QUOTA, NODES) == Verdict::Fits {
        window.take();
        admitted += 1;
    }
    admitted
}

#[tokio::test]
async fn a_node_sees_what_another_admitted_and_claimed() {
    let (_database, mut first, mut second) = two_nodes().await;
    let id = account();
    let (mut here, mut there) = (Window::new(now_ms()), Window::new(now_ms()));
    here.judge(now_ms(), QUOTA, NODES);
    exchange(&mut first, &id, &mut here, 95).await;
    assert_eq!(admit(&mut here, 95), 95);
    there.judge(now_ms(), QUOTA, NODES);
    exchange(&mut second, &id, &mut there, 50).await;
    assert_eq!(admit(&mut there, 50), 5, "the first node's claim leaves five");
    exchange(&mut first, &id, &mut here, 0).await;
    exchange(&mut second, &id, &mut there, 0).await;
    exchange(&mut first, &id, &mut here, 0).await;
    for window in [&mut here, &mut there] {
        assert_eq!((window.used_at(now_ms()), window.judge(now_ms(), QUOTA, NODES)), (100, Verdict::Full));
    }
}

#[tokio::test]
async fn windows_of_other_accounts_and_keys_are_not_mixed_up() {
    let (_database, mut first, mut second) = two_nodes().await;
    let whole = account();
    let one_key = WindowId { account: whole.account, key: Some(KeyId::new("k1")) };
    let other_key = WindowId { account: whole.account, key: Some(KeyId::new("k2")) };
    let told = |newest| Told { newest, counts: vec![0; 482], claims: 0 };
    let rows = [(whole.clone(), told(1)), (one_key.clone(), told(2)), (account(), told(3))];
    assert_eq!(first.exchange(&rows).await.unwrap(), []);
    let asked = [(whole.clone(), told(8)), (one_key.clone(), told(8)), (other_key, told(8))];
    let mut heard = second.exchange(&asked).await.unwrap();
    heard.sort_by_key(|(_, heard)| heard.told.newest);
    let wanted = [(whole, 1), (one_key, 2)];
    assert_eq!(heard.len(), 2);
    for ((id, Heard { node, told, age_ms }), (wanted, newest)) in heard.iter().zip(&wanted) {
        assert_eq!((id, *node, told.newest), (wanted, first.id(), *newest));
        assert!((0..5_000).contains(age_ms));
    }
}

#[tokio::test]
async fn the_counts_of_a_dead_node_age_out_and_are_swept() {
    let (database, mut first, mut second) = two_nodes().await;
    let id = account();
    let (mut here, mut there) = (Window::new(now_ms()), Window::new(now_ms()));
    here.judge(now_ms(), QUOTA, NODES);
    exchange(&mut first, &id, &mut here, 90).await;
    admit(&mut here, 90);
    exchange(&mut first, &id, &mut here, 0).await;
    exchange(&mut second, &id, &mut there, 0).await;
    assert_eq!(there.used_at(now_ms()), 90);
    assert_eq!(there.used_at(now_ms() + 60_000 + SLOT_MS), 0, "what was heard ages by itself");
    database.psql("update rate_window set told_at = told_at - interval '70 seconds'").unwrap();
    let mut fresh = Window::new(now_ms());
    exchange(&mut second, &id, &mut fresh, 0).await;
    assert_eq!(fresh.used_at(now_ms()), 0, "nobody hears of it any more");
    first.beat().await.unwrap();
    second.beat().await.unwrap();
    database.psql("update rate_node set seen_at = seen_at - interval '70 seconds'").unwrap();
    second.sweep().await.unwrap();
    let left =
        database.psql("select count(*) from rate_window union all select count(*) from rate_node").unwrap();
    assert_eq!(left.split_whitespace().collect::<Vec<_>>(), ["1", "0"], "the second node's own row is new");
}

#[tokio::test]
async fn nodes_know_of_each_other_until_one_is_silent() {
    let (database, mut first, mut second) = two_nodes().await;
    assert_eq!(first.beat().await.unwrap(), 0);
    assert_eq!(second.beat().await.unwrap(), 1);
    assert_eq!(first.beat().await.unwrap(), 1);
    database.psql("update rate_node set seen_at = seen_at - interval '11 seconds'").unwrap();
    assert_eq!(first.beat().await.unwrap(), 0);
}

#[tokio::test]
async fn a_connection_that_was_cut_is_opened_again() {
    let (database, mut first, _) = two_nodes().await;
    first.beat().await.unwrap();
    let cut = "select pg_terminate_backend(pid) from pg_stat_activity
               where datname = current_database() and pid <> pg_backend_pid()";
    database.psql(cut).unwrap();
    assert!(first.beat().await.is_err());
    assert_eq!(first.beat().await.unwrap(), 0);
}
