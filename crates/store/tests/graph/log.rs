//! The change log: everything once, in an order that never goes back.

use super::people::{graph, person};
use assay_domain::limits::SEQUENCER_LEASE;
use assay_store::Graph;
use assay_store::graph::{Change, Followed, GraphBatch, Turn};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;
use uuid::Uuid;

const NODE_A: Uuid = Uuid::from_u128(0xa);
const NODE_B: Uuid = Uuid::from_u128(0xb);

async fn write(graph: &Graph, people: std::ops::Range<u64>, headline: String) {
    let mut people: Vec<_> = people.map(|number| person(number, 1)).collect();
    people.iter_mut().for_each(|person| person.facts.headline = Some(headline.clone()));
    graph.write(GraphBatch { companies: Vec::new(), people }).await.unwrap();
}

async fn changes(graph: &Graph, epoch: Uuid, seq: i64) -> Vec<Change> {
    match graph.changes_after(epoch, seq, 100).await.unwrap() {
        Followed::Changes(changes) => {
            assert!(changes.head >= seq);
            changes.rows
        }
        Followed::EpochChanged(_) => panic!("the epoch changed"),
    }
}

fn assert_dense_and_never_back(seen: &[Change]) {
    let seqs: Vec<i64> = seen.iter().map(|change| change.seq).collect();
    let dense: Vec<i64> = (1..=i64::try_from(seen.len()).unwrap()).collect();
    assert_eq!(seqs, dense);
    let mut versions: HashMap<Uuid, i64> = HashMap::new();
    for change in seen {
        let last = versions.insert(change.entity_id, change.version).unwrap_or(0);
        assert_eq!(change.version, last + 1, "{:?}", change.entity_id);
    }
}

/// Until told to stop, and then until nothing is left.
async fn sequence_until(graph: Graph, node: Uuid, done: Arc<AtomicBool>) {
    loop {
        let last = done.load(Ordering::SeqCst);
        let turn = graph.sequence(node).await.unwrap();
        if last && matches!(turn, Turn::Sequenced { moved: 0, .. } | Turn::NotLeader) {
            return;
        }
    }
}

async fn follow(graph: Graph, epoch: Uuid, wanted: usize) -> Vec<Change> {
    let mut seen: Vec<Change> = Vec::new();
    while seen.len() < wanted {
        let last = seen.last().map_or(0, |change| change.seq);
        seen.extend(changes(&graph, epoch, last).await);
    }
    seen
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_follower_sees_every_version_once_while_eight_writers_write() {
    let (_db, graph) = graph().await;
    let epoch = graph.log_head().await.unwrap().epoch;
    let done = Arc::new(AtomicBool::new(false));
    let (mut sequencer, mut follower, mut writers) = (JoinSet::new(), JoinSet::new(), JoinSet::new());
    sequencer.spawn(sequence_until(graph.clone(), NODE_A, Arc::clone(&done)));
    follower.spawn(follow(graph.clone(), epoch, 8 * 20 * 30));
    for writer in 0..8_u64 {
        let graph = graph.clone();
        writers.spawn(async move {
            for round in 0..20 {
                write(&graph, writer * 3..writer * 3 + 30, format!("{writer} {round}")).await;
            }
        });
    }
    writers.join_all().await;
    done.store(true, Ordering::SeqCst);
    sequencer.join_all().await;
    let seen = tokio::time::timeout(Duration::from_secs(30), follower.join_all()).await.unwrap().remove(0);
    assert_eq!(seen.len(), 8 * 20 * 30);
    assert_dense_and_never_back(&seen);
    let distinct: HashSet<_> = seen.iter().map(|change| (change.entity_id, change.version)).collect();
    assert_eq!(distinct.len(), seen.len());
}

#[tokio::test]
async fn a_change_that_commits_late_is_not_skipped() {
    let (db, graph) = graph().await;
    let epoch = graph.log_head().await.unwrap().epoch;
    write(&graph, 0..2, "first".into()).await;
    // Takes an inbox id, and stays uncommitted while a later one is moved.
    let late = {
        let url = db.url();
        tokio::task::spawn_blocking(move || {
            assay_testkit::psql(
                &url,
                "begin; insert into change_inbox (entity_kind, entity_id, version) values (1, gen_random_uuid(), 1);
                 select pg_sleep(1.5); commit;",
            )
        })
    };
    tokio::time::sleep(Duration::from_millis(700)).await;
    write(&graph, 2..4, "second".into()).await;
    assert_eq!(graph.sequence(NODE_A).await.unwrap(), Turn::Sequenced { moved: 4, lagging: false });
    assert_eq!(changes(&graph, epoch, 0).await.len(), 4);
    late.await.unwrap().unwrap();
    assert_eq!(graph.sequence(NODE_A).await.unwrap(), Turn::Sequenced { moved: 1, lagging: false });
    let seen = changes(&graph, epoch, 0).await;
    assert_eq!(seen.len(), 5);
    assert_dense_and_never_back(&seen);
}

#[tokio::test]
async fn of_two_sequencers_one_leads_and_the_other_takes_over_when_the_lease_ends() {
    let (db, graph) = graph().await;
    let epoch = graph.log_head().await.unwrap().epoch;
    write(&graph, 0..10, "one".into()).await;
    assert_eq!(graph.sequence(NODE_A).await.unwrap(), Turn::Sequenced { moved: 10, lagging: false });
    write(&graph, 0..10, "two".into()).await;
    assert_eq!(graph.sequence(NODE_B).await.unwrap(), Turn::NotLeader);
    // The holder goes silent until its lease is over.
    db.psql(&format!("update lease set until = until - interval '{} s'", SEQUENCER_LEASE.as_secs() + 1))
        .unwrap();
    assert_eq!(graph.sequence(NODE_B).await.unwrap(), Turn::Sequenced { moved: 10, lagging: false });
    write(&graph, 0..10, "three".into()).await;
    assert_eq!(graph.sequence(NODE_A).await.unwrap(), Turn::NotLeader);
    // And a holder that stops hands over at once.
    graph.stop_sequencing(NODE_A).await.unwrap();
    assert_eq!(graph.sequence(NODE_A).await.unwrap(), Turn::NotLeader);
    graph.stop_sequencing(NODE_B).await.unwrap();
    assert_eq!(graph.sequence(NODE_A).await.unwrap(), Turn::Sequenced { moved: 10, lagging: false });
    assert_dense_and_never_back(&changes(&graph, epoch, 0).await);
    assert_eq!(db.psql("select fence from lease").unwrap(), "3");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sequencers_that_lose_the_lease_at_any_moment_skip_and_double_nothing() {
    let (db, graph) = graph().await;
    let epoch = graph.log_head().await.unwrap().epoch;
    let done = Arc::new(AtomicBool::new(false));
    let mut sequencers = JoinSet::new();
    for node in [NODE_A, NODE_B] {
        sequencers.spawn(sequence_until(graph.clone(), node, Arc::clone(&done)));
    }
    for round in 0..30 {
        write(&graph, 0..40, format!("{round}")).await;
        db.psql("update lease set until = now() - interval '1 s'").unwrap();
    }
    let seen = follow(graph.clone(), epoch, 30 * 40);
    let seen = tokio::time::timeout(Duration::from_secs(30), seen).await.unwrap();
    done.store(true, Ordering::SeqCst);
    sequencers.join_all().await;
    assert_eq!(graph.log_head().await.unwrap().seq, 30 * 40);
    assert_eq!(seen.len(), 30 * 40);
    assert_dense_and_never_back(&seen);
    assert!(db.psql("select fence from lease").unwrap().parse::<i64>().unwrap() > 1);
}

#[tokio::test]
async fn a_cursor_of_another_epoch_or_from_beyond_the_head_is_refused() {
    let (_db, graph) = graph().await;
    let before = graph.log_head().await.unwrap();
    let minted = graph.mint_epoch().await.unwrap();
    let after = graph.log_head().await.unwrap();
    assert_eq!(after.epoch, minted);
    assert_ne!(before.epoch, minted);
    let refused = Followed::EpochChanged(after);
    assert_eq!(graph.changes_after(before.epoch, 0, 10).await.unwrap(), refused);
    assert_eq!(graph.changes_after(minted, 1, 10).await.unwrap(), refused);
    assert!(matches!(graph.changes_after(minted, 0, 10).await.unwrap(), Followed::Changes(_)));
}

#[tokio::test]
async fn a_database_that_lives_elsewhere_than_its_log_was_written_begins_a_new_one() {
    let (db, graph) = graph().await;
    let begun = graph.log_head().await.unwrap().epoch;
    write(&graph, 0..3, "before".into()).await;
    let turn = || async {
        db.psql("update lease set until = now()").unwrap();
        graph.sequence(NODE_A).await.unwrap();
        graph.log_head().await.unwrap()
    };
    // A new installation moves in without losing anybody who follows.
    assert_eq!(turn().await.epoch, begun);
    assert_eq!(turn().await.epoch, begun);
    db.psql("update graph_meta set home = 'another server/5'").unwrap();
    write(&graph, 3..6, "after".into()).await;
    let restored = turn().await;
    assert_ne!(restored.epoch, begun);
    let refused = graph.changes_after(begun, 0, 10).await.unwrap();
    assert_eq!(refused, Followed::EpochChanged(restored));
    assert_eq!(turn().await.epoch, restored.epoch);
    assert_eq!(changes(&graph, restored.epoch, 0).await.len(), 6);
}

#[tokio::test]
async fn a_node_that_follows_while_a_dump_is_being_restored_does_not_hinder_it() {
    let (db, graph) = graph().await;
    graph.follow_as("learnt", NODE_A).await.unwrap();
    let url = db.url();
    // Rows are restored first and indexes after them.
    assay_testkit::psql(&url, "alter table follower drop constraint follower_pkey").unwrap();
    assay_testkit::psql(
        &url,
        "update follower set until = now() + interval '1 hour', holder = gen_random_uuid()",
    )
    .unwrap();
    graph.follow_as("learnt", NODE_B).await.unwrap_err();
    assay_testkit::psql(&url, "alter table follower add primary key (name)").unwrap();
    assert!(graph.follow_as("learnt", NODE_B).await.unwrap().is_none());
}
