//! What is left of an index when its process ends, and when the machine does.

use crate::setting::{PEOPLE, Setting};
use crate::shelf::files;
use assay_domain::Clock;
use assay_index::{Clause, Question, Term};
use assay_replica::{Indexes, Replica, Turn};
use std::path::PathBuf;
use std::sync::Arc;

fn folders_called(beginning: &str, setting: &Setting) -> Vec<PathBuf> {
    let there = std::fs::read_dir(&setting.folder).unwrap().map(|entry| entry.unwrap());
    let called = there.filter(|entry| entry.file_name().to_string_lossy().starts_with(beginning));
    called.map(|entry| entry.path()).collect()
}

/// The machine starts again, and of what was written since its last start nothing had reached the disk.
fn fail_machine(setting: &Setting) {
    for generation in folders_called("generation-", setting) {
        std::fs::write(generation.join("written-since"), "another start").unwrap();
        for file in files(&generation.join("people")) {
            // What is kept may be the same file by another name.
            std::fs::remove_file(&file).unwrap();
            std::fs::File::create(file).unwrap();
        }
    }
}

async fn keep(replica: &Replica) -> bool {
    replica.keep(Clock::system().now()).await.unwrap()
}

/// Gives somebody a skill that nobody else has.
async fn change(setting: &Setting) {
    let mut person = setting.person(7);
    person.facts.skills = vec!["Falconry".to_owned()];
    setting.write(vec![person], Vec::new()).await;
}

fn changed(indexes: &Arc<Indexes>) -> u64 {
    let all = vec![Clause::OneOf(Term::Skill, vec!["falconry".to_owned()])];
    indexes.people.count(&Question { all, ..Question::default() }).unwrap()
}

#[tokio::test]
async fn a_machine_that_failed_goes_on_from_what_was_kept() {
    let setting = Setting::new().await;
    setting.write_everybody().await;
    let replica = setting.replica();
    assert!(!keep(&replica).await, "there is nothing yet");
    replica.turn().await.unwrap();
    assert!(keep(&replica).await);
    assert!(!keep(&replica).await, "it stands where it did");
    let kept_at = replica.indexes().unwrap().seq();
    change(&setting).await;
    replica.turn().await.unwrap();
    drop(replica);

    // A process may end as it likes.
    let again = setting.replica();
    assert_eq!(changed(&again.indexes().unwrap()), 1);
    drop(again);

    fail_machine(&setting);
    let after = setting.replica();
    let indexes = after.indexes().unwrap();
    assert_eq!((indexes.seq(), changed(&indexes)), (kept_at, 0));
    assert_eq!(after.turn().await.unwrap(), Turn::Followed { changes: 1, lagging: false });
    assert_eq!(changed(&indexes), 1);
    assert_eq!(indexes.people.count(&Question::default()).unwrap(), PEOPLE);
    drop((after, indexes));

    // What was gone on from is written to since, and nothing was kept of it.
    fail_machine(&setting);
    let anew = setting.replica();
    assert!(anew.indexes().is_none());
    assert_eq!(anew.turn().await.unwrap(), Turn::Built);
    assert_eq!(changed(&anew.indexes().unwrap()), 1);
}

#[tokio::test]
async fn the_newest_is_kept_and_nothing_of_another_log() {
    let setting = Setting::new().await;
    setting.write_everybody().await;
    let replica = setting.replica();
    replica.turn().await.unwrap();
    keep(&replica).await;
    change(&setting).await;
    replica.turn().await.unwrap();
    assert!(keep(&replica).await);
    assert_eq!(folders_called("kept-", &setting).len(), 1);
    fail_machine(&setting);
    drop(replica);
    assert_eq!(changed(&setting.replica().indexes().unwrap()), 1);

    let replica = setting.replica();
    keep(&replica).await;
    setting.graph.mint_epoch().await.unwrap();
    assert_eq!(replica.turn().await.unwrap(), Turn::Built);
    // With the words of people who may have been erased since.
    assert_eq!(folders_called("kept-", &setting), Vec::<PathBuf>::new());
}
