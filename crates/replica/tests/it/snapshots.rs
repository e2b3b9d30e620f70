//! Snapshots, in a folder and in a bucket alike: a new node begins with the newest that is whole, and goes on from there.

use crate::setting::{PEOPLE, Setting};
use crate::shelf::{Shelf, files, folders};
use assay_domain::Clock;
use assay_index::{Clause, Question, Text};
use assay_replica::{Replica, Turn};
use std::path::PathBuf;
use std::time::Duration;

pub const EVERY: Duration = Duration::from_hours(1);

/// A node that was filled from the tables and has made a snapshot.
pub async fn publisher(setting: &Setting, shelf: &Shelf) -> Replica {
    setting.write_everybody().await;
    let first = shelf.node(setting, "first");
    assert_eq!(first.turn().await.unwrap(), Turn::Built);
    assert!(first.publish(EVERY, Clock::system().now()).await.unwrap().is_some());
    first
}

pub fn everybody(replica: &Replica) -> u64 {
    replica.indexes().unwrap().people.count(&Question::default()).unwrap()
}

mod in_a_folder {
    use super::*;

    #[tokio::test]
    async fn a_new_node_begins_with_a_snapshot_and_follows_the_log_from_there() {
        let setting = Setting::new().await;
        begin_and_follow(&setting, &Shelf::in_folder(&setting)).await;
    }

    #[tokio::test]
    async fn a_snapshot_that_is_not_whole_or_of_another_log_is_not_begun_with() {
        let setting = Setting::new().await;
        leave_what_is_not_whole(&setting, &Shelf::in_folder(&setting)).await;
    }

    #[tokio::test]
    async fn one_snapshot_in_a_while_is_enough_and_only_the_newest_are_kept() {
        let setting = Setting::new().await;
        keep_the_newest(&setting, &Shelf::in_folder(&setting)).await;
    }
}

mod in_a_bucket {
    use super::*;

    #[tokio::test]
    async fn a_new_node_begins_with_a_snapshot_and_follows_the_log_from_there() {
        let setting = Setting::new().await;
        begin_and_follow(&setting, &Shelf::in_bucket(&setting).await).await;
    }

    #[tokio::test]
    async fn a_snapshot_that_is_not_whole_or_of_another_log_is_not_begun_with() {
        let setting = Setting::new().await;
        leave_what_is_not_whole(&setting, &Shelf::in_bucket(&setting).await).await;
    }

    #[tokio::test]
    async fn one_snapshot_in_a_while_is_enough_and_only_the_newest_are_kept() {
        let setting = Setting::new().await;
        keep_the_newest(&setting, &Shelf::in_bucket(&setting).await).await;
    }
}

async fn begin_and_follow(setting: &Setting, shelf: &Shelf) {
    let first = publisher(setting, shelf).await;
    assert_eq!(folders(&setting.folder.join("first")).len(), 1, "nothing is left beside the generation");
    let mut person = setting.person(5);
    person.experience[0].title = "Chief Zymurgist".to_owned();
    setting.write(vec![person.clone()], Vec::new()).await;
    setting.erase(setting.person(7).id).await;

    let second = shelf.node(setting, "second");
    // What has changed since is in before anybody is answered.
    assert_eq!(second.turn().await.unwrap(), Turn::Fetched);
    assert!(matches!(first.turn().await.unwrap(), Turn::Followed { changes: 2, .. }));
    for replica in [&first, &second] {
        assert!(matches!(replica.turn().await.unwrap(), Turn::Followed { changes: 0, .. }));
        let indexes = replica.indexes().unwrap();
        let all = vec![Clause::Words(Text::Title, "zymurgist".to_owned())];
        assert_eq!(indexes.people.count(&Question { all, ..Question::default() }).unwrap(), 1);
        assert_eq!(everybody(replica), PEOPLE - 1);
    }
    // What was downloaded is there after a restart.
    drop(second);
    assert_eq!(everybody(&shelf.node(setting, "second")), PEOPLE - 1);
}

async fn leave_what_is_not_whole(setting: &Setting, shelf: &Shelf) {
    let first = publisher(setting, shelf).await;
    let list = shelf.folders().pop().unwrap().join("manifest.json");
    let listed = std::fs::read_to_string(&list).unwrap();

    // Whoever made it was stopped before its list was written.
    std::fs::remove_file(&list).unwrap();
    assert_eq!(shelf.node(setting, "unfinished").turn().await.unwrap(), Turn::Built);

    // A list of files that lead elsewhere is not ours, and neither is what is no list.
    std::fs::write(&list, listed.replace("known-since", "../known-since")).unwrap();
    assert_eq!(shelf.node(setting, "elsewhere").turn().await.unwrap(), Turn::Built);
    std::fs::write(&list, "no list").unwrap();
    assert_eq!(shelf.node(setting, "unreadable").turn().await.unwrap(), Turn::Built);

    // A file lost its end, or has one that it did not have.
    std::fs::write(&list, &listed).unwrap();
    let is_terms = |path: &&PathBuf| path.extension().is_some_and(|kind| kind == "term");
    let lies_there = files(&list.parent().unwrap().join("people"));
    let terms = lies_there.iter().find(is_terms).unwrap();
    let terms = std::fs::OpenOptions::new().write(true).open(terms).unwrap();
    let size = terms.metadata().unwrap().len();
    for (name, size) in [("short", size - 1), ("long", size + 1)] {
        terms.set_len(size).unwrap();
        let node = shelf.node(setting, name);
        assert_eq!(node.turn().await.unwrap(), Turn::Built);
        assert_eq!(everybody(&node), PEOPLE);
    }

    // After a restore the log is another one, and so are the places in it.
    first.publish(Duration::ZERO, Clock::system().now()).await.unwrap().unwrap();
    assert_eq!(shelf.node(setting, "same").turn().await.unwrap(), Turn::Fetched);
    setting.graph.mint_epoch().await.unwrap();
    assert_eq!(shelf.node(setting, "restored").turn().await.unwrap(), Turn::Built);
}

async fn keep_the_newest(setting: &Setting, shelf: &Shelf) {
    let first = publisher(setting, shelf).await;
    let foreign = shelf.folder.join("of-somebody-else/notes");
    std::fs::create_dir(foreign.parent().unwrap()).unwrap();
    std::fs::write(&foreign, "keep").unwrap();
    let now = Clock::system().now();
    assert_eq!(first.publish(EVERY, now).await.unwrap(), None);
    let second = shelf.node(setting, "second");
    assert_eq!(second.publish(EVERY, now).await.unwrap(), None, "it has nothing to show");
    let later = now + chrono::TimeDelta::hours(2);
    assert!(first.publish(EVERY, later).await.unwrap().is_some());
    assert!(first.publish(Duration::ZERO, later).await.unwrap().is_some());
    let left = shelf.folders();
    assert_eq!(left.len(), 3, "{left:?}");
    assert!(foreign.is_file());
    // What is left is the newest, and whole.
    assert_eq!(shelf.node(setting, "third").turn().await.unwrap(), Turn::Fetched);
}
