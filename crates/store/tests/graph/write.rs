//! Writes: idempotent, versioned, and safe beside each other.

use super::people::{company, graph, person, stored};
use assay_domain::AccountId;
use assay_domain::limits::WRITE_BATCH_MAX;
use assay_store::StoreError;
use assay_store::graph::{GraphBatch, ImportWrite, PersonWrite, Rights, Written};
use assay_testkit::TestDatabase;
use chrono::NaiveDate;
use std::time::Duration;
use tokio::task::JoinSet;
use uuid::Uuid;

fn of_people(people: Vec<PersonWrite>) -> GraphBatch {
    GraphBatch { companies: Vec::new(), people }
}

fn count(db: &TestDatabase, what: &str) -> u64 {
    db.psql(&format!("select count(*) from {what}")).unwrap().parse().unwrap()
}

#[tokio::test]
async fn writing_the_same_batch_again_changes_nothing() {
    let (db, graph) = graph().await;
    let batch = || GraphBatch {
        companies: (0..3).map(company).collect(),
        people: (0..20).map(|number| person(number, 3)).collect(),
    };
    let first = graph.write(batch()).await.unwrap();
    assert_eq!(first, Written { companies: 3, people: 20, unchanged: 0, suppressed: 0 });
    let look = "select md5(string_agg(t::text, '' order by t::text)) from
        (select xmin::text, t.* from person t) as t";
    let before = db.psql(look).unwrap();
    let mut again = batch();
    // In another order, with identities in another order, refreshed later: still the same content.
    again.people.reverse();
    again.people.iter_mut().for_each(|person| {
        person.identities.reverse();
        person.refreshed_at += Duration::from_secs(60);
    });
    assert_eq!(
        graph.write(again).await.unwrap(),
        Written { companies: 0, people: 0, unchanged: 23, suppressed: 0 }
    );
    assert_eq!(db.psql(look).unwrap(), before);
    assert_eq!(count(&db, "change_inbox"), 23);
    assert_eq!(graph.write(GraphBatch::default()).await.unwrap(), Written::default());
}

#[tokio::test]
async fn a_changed_person_gets_the_next_version_and_one_line_in_the_log() {
    let (db, graph) = graph().await;
    let old = person(5, 3);
    graph.write(of_people(vec![old.clone(), person(6, 3)])).await.unwrap();
    let mut new = old.clone();
    new.experience.remove(2);
    new.experience[0].title = "Chief of Nothing".into();
    let dropped = new.identities.remove(0);
    let added = person(999, 0).identities[0];
    new.identities.push(added);
    let written = graph.write(of_people(vec![new.clone(), person(6, 3)])).await.unwrap();
    assert_eq!(written, Written { companies: 0, people: 1, unchanged: 1, suppressed: 0 });
    assert_eq!(graph.people_by_digest(dropped.0).await.unwrap(), []);
    for (digest, _) in &new.identities {
        assert_eq!(graph.people_by_digest(*digest).await.unwrap(), [stored(&new, 2, None)]);
    }
    let lines = db
        .psql(&format!("select version from change_inbox where entity_id = '{}' order by id", old.id.uuid()));
    assert_eq!(lines.unwrap(), "1\n2");
    assert_eq!(count(&db, "identity"), 10);
}

#[tokio::test]
async fn a_fact_that_changes_alone_leaves_identities_as_they_are() {
    let (db, graph) = graph().await;
    let mut write = person(5, 3);
    graph.write(of_people(vec![write.clone()])).await.unwrap();
    let look = "select string_agg(xmin::text, ' ') from identity";
    let before = db.psql(look).unwrap();
    write.facts.headline = None;
    graph.write(of_people(vec![write.clone()])).await.unwrap();
    assert_eq!(db.psql(look).unwrap(), before);
    assert_eq!(graph.people_by_ids(&[write.id]).await.unwrap(), [stored(&write, 2, None)]);
    write.experience.clear();
    graph.write(of_people(vec![write.clone()])).await.unwrap();
    assert_eq!(graph.people_by_ids(&[write.id]).await.unwrap(), [stored(&write, 3, None)]);
}

#[tokio::test]
async fn of_two_writes_of_one_person_in_a_batch_the_later_counts() {
    let (_db, graph) = graph().await;
    let (first, mut second) = (person(1, 1), person(1, 1));
    second.facts.headline = Some("later".into());
    let written = graph.write(of_people(vec![first, second.clone()])).await.unwrap();
    assert_eq!(written.people, 1);
    assert_eq!(graph.people_by_ids(&[second.id]).await.unwrap(), [stored(&second, 1, None)]);
}

#[tokio::test]
async fn too_large_a_batch_and_a_text_that_cannot_be_stored_are_refused_whole() {
    let (db, graph) = graph().await;
    let many = vec![person(1, 0); WRITE_BATCH_MAX + 1];
    assert!(matches!(graph.write(of_people(many)).await, Err(StoreError::Overloaded)));
    let mut broken = person(2, 1);
    broken.experience[0].title = "a\0b".into();
    let refused = graph.write(of_people(vec![person(1, 0), broken])).await.unwrap_err();
    assert!(refused.to_string().contains("NUL"), "{refused}");
    assert_eq!(count(&db, "person"), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_writers_of_the_same_people_neither_deadlock_nor_lose() {
    let (db, graph) = graph().await;
    let mut writers = JoinSet::new();
    for writer in 0..8_u64 {
        let graph = graph.clone();
        writers.spawn(async move {
            for round in 0..5_u64 {
                // Overlapping, and each writer in an order of its own.
                let mut people: Vec<_> =
                    (writer * 5..writer * 5 + 60).map(|number| person(number, 2)).collect();
                people.rotate_left(usize::try_from(writer * 7).unwrap());
                for person in &mut people {
                    person.facts.headline = Some(format!("writer {writer}, round {round}"));
                    person.identities.truncate(usize::try_from(writer % 4 + 1).unwrap());
                    person.experience.truncate(usize::try_from(writer % 3).unwrap());
                }
                let mut companies: Vec<_> = (0..10).map(company).collect();
                for company in &mut companies {
                    company.facts.employee_count = u32::try_from(writer * 100 + round).ok();
                }
                let written = graph.write(GraphBatch { companies, people }).await.unwrap();
                assert_eq!(written.unchanged, 0);
            }
        });
    }
    writers.join_all().await;
    // Every write was of new content, so the versions add up, and the log has a line for each.
    assert_eq!(db.psql("select sum(version) from person").unwrap(), (8 * 5 * 60).to_string());
    assert_eq!(db.psql("select sum(version) from company").unwrap(), (8 * 5 * 10).to_string());
    assert_eq!(count(&db, "(select distinct entity_id, version from change_inbox) as t"), 8 * 5 * 70);
    assert_eq!(count(&db, "change_inbox"), 8 * 5 * 70);
    // What belongs to a person is of the same writer as the person.
    for number in 0..95 {
        let asked = person(number, 2);
        let found = graph.people_by_ids(&[asked.id]).await.unwrap().remove(0);
        let headline = found.facts.headline.clone().unwrap();
        let writer: usize = headline.split([' ', ',']).nth(1).unwrap().parse().unwrap();
        assert_eq!(found.experience, asked.experience[..writer % 3]);
        let held = count(&db, &format!("identity where entity_id = '{}'", asked.id.uuid()));
        assert_eq!(held, u64::try_from(writer % 4 + 1).unwrap(), "{headline}");
    }
}

/// An import copies rows that are new, other writers do not; nobody can tell them apart afterwards.
#[tokio::test]
async fn a_turn_of_an_import_stores_what_any_writer_stores() {
    let ((one_db, one), (other_db, other)) = (graph().await, graph().await);
    let first = || {
        let mut people: Vec<PersonWrite> = (0..200).map(|number| person(number, 3)).collect();
        for write in people.iter_mut().step_by(3) {
            write.refreshed_at += Duration::from_micros(1_234_567);
            write.rights = Rights {
                owner: Some(AccountId::from_uuid(Uuid::from_u128(9))),
                expires_on: NaiveDate::from_ymd_opt(2031, 2, 3),
            };
        }
        GraphBatch { companies: (0..20).map(company).collect(), people }
    };
    let second = || {
        let mut batch = first();
        batch.people.iter_mut().step_by(7).for_each(|person| person.facts.headline = None);
        batch.people.push(person(1_000, 2));
        batch
    };
    for batch in [first(), second()] {
        let written = one.write(batch.clone()).await.unwrap();
        let write = ImportWrite { batch, ..ImportWrite::default() };
        let (told, left_out) = other.import_turn().await.unwrap().commit(write).await.unwrap();
        assert_eq!((told, left_out.len()), (written, 0));
    }
    for rows in [
        "person",
        "company",
        "identity",
        "(select entity_kind, entity_id, version, row_number() over (order by id) from change_inbox)",
    ] {
        let look = format!("select md5(string_agg(t::text, '' order by t::text)), count(*) from {rows} as t");
        assert_eq!(other_db.psql(&look).unwrap(), one_db.psql(&look).unwrap(), "{rows}");
    }
}
