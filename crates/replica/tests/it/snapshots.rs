//! Snapshots in a folder: a new node begins with the newest that is whole, and goes on from there.

use crate::setting::{PEOPLE, Setting};
use assay_domain::Clock;
use assay_index::{Clause, Question, Text};
use assay_replica::{Replica, Snapshots, Turn};
use std::path::{Path, PathBuf};
use std::time::Duration;

const EVERY: Duration = Duration::from_hours(1);

fn shelf(setting: &Setting) -> PathBuf {
    setting.folder.join("snapshots")
}

fn node(setting: &Setting, name: &str) -> Replica {
    let snapshots = Snapshots::in_folder(&shelf(setting)).unwrap();
    let opened = Replica::open(setting.graph.clone(), &setting.folder.join(name), 2).unwrap();
    opened.with_snapshots(Some(snapshots))
}

/// A node that was filled from the tables and has made a snapshot.
async fn publisher(setting: &Setting) -> Replica {
    setting.write_everybody().await;
    let first = node(setting, "first");
    assert_eq!(first.turn().await.unwrap(), Turn::Built);
    assert!(first.publish(EVERY, Clock::system().now()).await.unwrap().is_some());
    first
}

fn folders(at: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(at).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    paths.sort();
    paths
}

fn everybody(replica: &Replica) -> u64 {
    replica.indexes().unwrap().people.count(&Question::default()).unwrap()
}

#[tokio::test]
async fn a_new_node_begins_with_a_snapshot_and_follows_the_log_from_there() {
    let setting = Setting::new().await;
    let first = publisher(&setting).await;
    assert_eq!(folders(&setting.folder.join("first")).len(), 1, "nothing is left beside the generation");
    let mut person = setting.person(5);
    person.experience[0].title = "Chief Zymurgist".to_owned();
    setting.write(vec![person.clone()], Vec::new()).await;
    setting.erase(setting.person(7).id).await;

    let second = node(&setting, "second");
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
    assert_eq!(everybody(&node(&setting, "second")), PEOPLE - 1);
}

#[tokio::test]
async fn a_snapshot_that_is_not_whole_or_of_another_log_is_not_begun_with() {
    let setting = Setting::new().await;
    let first = publisher(&setting).await;
    let shelf = shelf(&setting);
    let snapshot = folders(&shelf).pop().unwrap();
    let listed = std::fs::read_to_string(snapshot.join("manifest.json")).unwrap();

    // Whoever made it was stopped before its list was written.
    std::fs::remove_file(snapshot.join("manifest.json")).unwrap();
    assert_eq!(node(&setting, "unfinished").turn().await.unwrap(), Turn::Built);

    // A list of files that lead elsewhere is not ours.
    std::fs::write(snapshot.join("manifest.json"), listed.replace("known-since", "../known-since")).unwrap();
    assert_eq!(node(&setting, "elsewhere").turn().await.unwrap(), Turn::Built);

    // A file lost its end.
    std::fs::write(snapshot.join("manifest.json"), &listed).unwrap();
    let terms = folders(&snapshot.join("people")).iter().find_map(|partition| {
        let files = std::fs::read_dir(partition).unwrap().map(|entry| entry.unwrap().path());
        files.into_iter().find(|path| path.extension().is_some_and(|kind| kind == "term"))
    });
    let terms = std::fs::OpenOptions::new().write(true).open(terms.unwrap()).unwrap();
    terms.set_len(terms.metadata().unwrap().len() - 1).unwrap();
    let short = node(&setting, "short");
    assert_eq!(short.turn().await.unwrap(), Turn::Built);
    assert_eq!(everybody(&short), PEOPLE);

    // After a restore the log is another one, and so are the places in it.
    first.publish(Duration::ZERO, Clock::system().now()).await.unwrap().unwrap();
    assert_eq!(node(&setting, "same").turn().await.unwrap(), Turn::Fetched);
    setting.graph.mint_epoch().await.unwrap();
    assert_eq!(node(&setting, "restored").turn().await.unwrap(), Turn::Built);
}

#[tokio::test]
async fn one_snapshot_in_a_while_is_enough_and_only_the_newest_are_kept() {
    let setting = Setting::new().await;
    let first = publisher(&setting).await;
    let shelf = shelf(&setting);
    std::fs::create_dir(shelf.join("of-somebody-else")).unwrap();
    std::fs::write(shelf.join("of-somebody-else/notes"), "keep").unwrap();
    let now = Clock::system().now();
    assert_eq!(first.publish(EVERY, now).await.unwrap(), None);
    assert_eq!(node(&setting, "second").publish(EVERY, now).await.unwrap(), None, "it has nothing to show");
    let later = now + chrono::TimeDelta::hours(2);
    assert!(first.publish(EVERY, later).await.unwrap().is_some());
    assert!(first.publish(Duration::ZERO, later).await.unwrap().is_some());
    let left = folders(&shelf);
    assert_eq!(left.len(), 3, "{left:?}");
    assert!(shelf.join("of-somebody-else/notes").is_file());
}
