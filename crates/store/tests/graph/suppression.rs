//! Suppressions: whoever is erased is gone, and stays out whatever is imported, also at the same moment.

use super::people::{graph, person};
use assay_domain::clock::Stopwatch;
use assay_domain::identity::IdentityKind;
use assay_domain::limits::ERASE_PEOPLE_MAX;
use assay_domain::suppression::{SuppressedKind, SuppressionReason};
use assay_domain::{Clock, Digest, PersonId, Sealed, SuppressionId};
use assay_store::Graph;
use assay_store::graph::{GraphBatch, NewSuppression, PersonWrite, SuppressWish, Suppressed};
use assay_testkit::TestDatabase;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

fn wish(entries: Vec<NewSuppression>) -> SuppressWish {
    SuppressWish {
        entries,
        reason: SuppressionReason::Request,
        at: Clock::system().now(),
        seal_hashes: Arc::new(|_| Vec::new()),
        match_keys: Arc::new(|_, _| Vec::new()),
    }
}

/// The suppression of one identity of a person, by its place in the list.
fn of_identity(person: &PersonWrite, place: usize) -> NewSuppression {
    let (digest, kind) = person.identities[place];
    NewSuppression { digest, kind: SuppressedKind::Identity(kind), list_hash: None }
}

fn of_people(people: Vec<PersonWrite>) -> GraphBatch {
    GraphBatch { companies: Vec::new(), people }
}

async fn write(graph: &Graph, people: &[PersonWrite]) -> (u64, u64) {
    let written = graph.write(of_people(people.to_vec())).await.unwrap();
    (written.people, written.suppressed)
}

async fn suppress(graph: &Graph, entries: Vec<NewSuppression>) -> Suppressed {
    graph.suppress(&wish(entries)).await.unwrap()
}

fn count(db: &TestDatabase, what: &str) -> u64 {
    db.psql(&format!("select count(*) from {what}")).unwrap().parse().unwrap()
}

/// What always holds: nobody in the graph has a suppressed identifier.
fn nobody_is_suppressed(db: &TestDatabase) {
    assert_eq!(count(db, "identity join suppression using (digest)"), 0);
    assert_eq!(count(db, "person join suppression on digest = uuid_send(person.id)"), 0);
    assert_eq!(count(db, "identity where entity_id not in (select id from person)"), 0);
}

#[tokio::test]
async fn an_erased_person_leaves_nothing_but_digests_and_is_found_by_nothing() {
    let (db, graph) = graph().await;
    let people: Vec<_> = (0..3).map(|number| person(number * 10, 2)).collect();
    write(&graph, &people).await;
    let erased = suppress(&graph, vec![of_identity(&people[1], 0)]).await;
    assert_eq!((erased.added, erased.known, erased.people_erased, erased.more), (6, 0, 1, false));
    let kinds: HashSet<&str> = erased.rows.iter().map(|row| row.kind.as_str()).collect();
    let all = ["person", "email", "phone", "network_url", "name_at_domain", "name_at_company"];
    assert_eq!(kinds, HashSet::from(all));
    for (digest, _) in &people[1].identities {
        assert_eq!(graph.people_by_digest(*digest).await.unwrap(), []);
    }
    assert_eq!(graph.people_by_ids(&[people[1].id]).await.unwrap(), []);
    let id = people[1].id.uuid();
    for table in ["person where id", "identity where entity_id"] {
        assert_eq!(count(&db, &format!("{table} = '{id}'")), 0);
    }
    // Followers are told: one version more than the last.
    let lines = db.psql(&format!("select version from change_inbox where entity_id = '{id}' order by id"));
    assert_eq!(lines.unwrap(), "1\n2");
    assert_eq!(count(&db, "person"), 2);
    assert_eq!(erased.erasures.iter().map(|erasure| erasure.person).collect::<Vec<_>>(), [people[1].id]);
    nobody_is_suppressed(&db);
}

#[tokio::test]
async fn whoever_was_erased_stays_out_by_any_one_of_their_identifiers() {
    let (db, graph) = graph().await;
    let gone = person(7, 1);
    write(&graph, &[gone.clone(), person(8, 1)]).await;
    suppress(&graph, vec![NewSuppression::of_person(gone.id)]).await;
    assert_eq!(write(&graph, &[gone.clone(), person(8, 1), person(9, 1)]).await, (1, 1));
    for place in 0..gone.identities.len() {
        // As another record that shares only this with the one erased: the employer and the name, for example.
        let mut again = person(1_000 + u64::try_from(place).unwrap(), 1);
        again.identities[place] = gone.identities[place];
        assert_eq!(write(&graph, &[again]).await, (0, 1), "identity {place}");
    }
    // Under the same id, with nothing else that was known of it.
    let stranger = PersonWrite { id: gone.id, ..person(2_000, 1) };
    assert_eq!(write(&graph, &[stranger]).await, (0, 1));
    assert_eq!(count(&db, "person"), 2);
    nobody_is_suppressed(&db);
}

#[tokio::test]
async fn what_others_share_is_suppressed_only_when_it_is_asked_for() {
    let (db, graph) = graph().await;
    let (mut left, mut right) = (person(1, 0), person(2, 0));
    let switchboard = person(3, 0).identities[1];
    left.identities.push(switchboard);
    right.identities.push(switchboard);
    write(&graph, &[left.clone(), right.clone()]).await;
    let erased = suppress(&graph, vec![NewSuppression::of_person(left.id)]).await;
    assert_eq!((erased.people_erased, erased.added), (1, 6));
    // The colleague stays, also at the next import.
    assert_eq!(graph.people_by_digest(switchboard.0).await.unwrap().len(), 1);
    right.facts.headline = None;
    assert_eq!(write(&graph, &[left.clone(), right.clone()]).await, (1, 1));
    nobody_is_suppressed(&db);
    let erased =
        suppress(&graph, vec![of_identity(&PersonWrite { identities: vec![switchboard], ..left }, 0)]);
    assert_eq!(erased.await.people_erased, 1);
    assert_eq!((count(&db, "person"), write(&graph, &[right]).await), (0, (0, 1)));
    nobody_is_suppressed(&db);
}

#[tokio::test]
async fn erasing_again_changes_nothing_and_an_unknown_person_looks_like_any_other() {
    let (db, graph) = graph().await;
    let gone = person(4, 1);
    write(&graph, std::slice::from_ref(&gone)).await;
    let entries = || vec![of_identity(&gone, 0), NewSuppression::of_person(gone.id)];
    let first = suppress(&graph, entries()).await;
    let look = "select md5(string_agg(t::text, '' order by t::text)) from
        (select xmin::text, t.* from suppression t) as t";
    let before = db.psql(look).unwrap();
    let again = suppress(&graph, entries()).await;
    assert_eq!((again.added, again.known, again.people_erased), (0, 2, 0));
    let ids = |told: &Suppressed| told.rows.iter().take(2).map(|row| row.id).collect::<Vec<_>>();
    assert_eq!(ids(&first), ids(&again));
    assert_eq!((db.psql(look).unwrap(), again.erasures.len()), (before, 0));
    let unknown = suppress(&graph, vec![NewSuppression::of_person(person(99, 0).id)]).await;
    assert_eq!((unknown.added, unknown.people_erased), (1, 0));
    // The ledger may know whom the graph does not.
    assert_eq!(unknown.erasures.len(), 1);
}

#[tokio::test]
async fn whoever_was_merged_goes_along_in_both_directions() {
    let (db, graph) = graph().await;
    let people: Vec<_> = (0..5).map(|number| person(number * 10, 1)).collect();
    write(&graph, &people).await;
    // 0 → 1 → 2 ← 3, and 4 alone.
    for (from, into) in [(0, 1), (1, 2), (3, 2)] {
        let (from, into) = (people[from].id.uuid(), people[into].id.uuid());
        db.psql(&format!("update person set merged_into = '{into}' where id = '{from}'")).unwrap();
    }
    let erased = suppress(&graph, vec![of_identity(&people[0], 2)]).await;
    assert_eq!((erased.people_erased, erased.erasures.len()), (1, 4));
    assert_eq!(count(&db, "person"), 1);
    assert_eq!(write(&graph, &people).await, (0, 4));
    nobody_is_suppressed(&db);
}

#[tokio::test]
async fn a_record_that_does_not_read_back_is_erased_all_the_same() {
    let (db, graph) = graph().await;
    let gone = person(5, 1);
    write(&graph, std::slice::from_ref(&gone)).await;
    db.psql("update person set facts = '{}'").unwrap();
    assert_eq!(suppress(&graph, vec![of_identity(&gone, 1)]).await.people_erased, 1);
    assert_eq!(count(&db, "person"), 0);
}

#[tokio::test]
async fn more_people_than_one_transaction_erases_go_in_several() {
    let (db, graph) = graph().await;
    let crowd = u64::try_from(ERASE_PEOPLE_MAX).unwrap() + 50;
    let shared = person(9_000, 0).identities[0];
    let people: Vec<_> = (0..crowd)
        .map(|number| {
            let mut one = person(number, 0);
            one.identities.push(shared);
            one
        })
        .collect();
    write(&graph, &people).await;
    let entry = of_identity(&PersonWrite { identities: vec![shared], ..person(0, 0) }, 0);
    let first = suppress(&graph, vec![entry.clone()]).await;
    assert!(first.more && first.people_erased < crowd);
    let second = suppress(&graph, vec![entry]).await;
    assert!(!second.more);
    assert_eq!(first.people_erased + second.people_erased, crowd);
    assert_eq!((count(&db, "person"), write(&graph, &people).await.1), (0, crowd));
    nobody_is_suppressed(&db);
}

#[tokio::test]
async fn suppressions_are_listed_newest_first_and_a_lifted_one_lets_in_again() {
    let (_db, graph) = graph().await;
    let gone = person(6, 1);
    let sealed = Sealed::from_bytes(vec![1, 2, 3]);
    let mut asked = of_identity(&gone, 0);
    asked.list_hash = Some(sealed.clone());
    let first = suppress(&graph, vec![asked]).await.rows.remove(0);
    assert_eq!((first.list_hash, first.reason), (Some(sealed), SuppressionReason::Request));
    for number in 10..15 {
        suppress(&graph, vec![of_identity(&person(number, 0), 0)]).await;
    }
    let (mut listed, mut after): (Vec<SuppressionId>, _) = (Vec::new(), None);
    loop {
        let page = graph.suppressions(after, 2).await.unwrap();
        listed.extend(page.iter().map(|row| row.id));
        match page.last() {
            Some(row) => after = Some(row.id),
            None => break,
        }
    }
    assert_eq!(listed.len(), 6);
    assert!(listed.is_sorted_by(|one, next| one > next));
    assert_eq!(listed.last(), Some(&first.id));
    assert_eq!(write(&graph, std::slice::from_ref(&gone)).await, (0, 1));
    assert!(graph.lift_suppression(first.id).await.unwrap());
    assert!(!graph.lift_suppression(first.id).await.unwrap());
    assert_eq!(write(&graph, &[gone]).await, (1, 0));
}

#[tokio::test]
async fn an_erasure_is_open_until_the_ledger_has_forgotten_twice() {
    let (db, graph) = graph().await;
    let gone = person(3, 0);
    write(&graph, std::slice::from_ref(&gone)).await;
    let erased = suppress(&graph, vec![NewSuppression::of_person(gone.id)]).await;
    let open = graph.open_erasures().await.unwrap();
    assert_eq!((open.len(), open[0].person, open[0].last), (1, gone.id, false));
    assert_eq!(open, erased.erasures);
    // What the ledger finds them by in lists is known for as long as it has to look.
    let pages = gone.identities.iter().filter(|(_, kind)| *kind == IdentityKind::PersonUrl);
    assert_eq!(open[0].profiles, pages.map(|(digest, _)| *digest).collect::<Vec<_>>());
    assert_eq!(open[0].profiles.len(), 1);
    graph.mark_erased(&open).await.unwrap();
    assert_eq!(graph.open_erasures().await.unwrap(), []);
    db.psql("update erasure set asked_at = asked_at - interval '1 hour'").unwrap();
    let again = graph.open_erasures().await.unwrap();
    assert!(again.len() == 1 && again[0].last && again[0].profiles == open[0].profiles);
    // A node that was slow with the first time does not open it again.
    graph.mark_erased(&again).await.unwrap();
    graph.mark_erased(&open).await.unwrap();
    assert_eq!(graph.open_erasures().await.unwrap(), []);
    assert_eq!(count(&db, "erasure where done_at is not null and profiles is null"), 1);
}

/// Writers import the same people over and over, in batches and orders of their own, while others erase them one by one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_import_slips_a_person_in_who_is_being_erased() {
    const PEOPLE: u64 = 60;
    let (db, graph) = graph().await;
    write(&graph, &(0..PEOPLE).map(|number| person(number, 1)).collect::<Vec<_>>()).await;
    let mut racing = JoinSet::new();
    for writer in 0..4_u64 {
        let graph = graph.clone();
        racing.spawn(async move {
            for round in 0..12_u64 {
                let mut people: Vec<_> = (0..PEOPLE).map(|number| person(number, 1)).collect();
                people.rotate_left(usize::try_from((writer * 13 + round) % PEOPLE).unwrap());
                people.truncate(35);
                for one in &mut people {
                    // New content every time, so that every round writes whoever is let in.
                    one.facts.headline = Some(format!("{writer} {round}"));
                }
                graph.write(of_people(people)).await.unwrap();
            }
        });
    }
    for eraser in 0..2_u64 {
        let graph = graph.clone();
        racing.spawn(async move {
            for number in (0..PEOPLE).filter(|number| number % 2 == 0 && number / 2 % 2 == eraser) {
                let gone = person(number, 1);
                let entry = match number % 3 {
                    0 => NewSuppression::of_person(gone.id),
                    place => of_identity(&gone, usize::try_from(place).unwrap()),
                };
                graph.suppress(&wish(vec![entry])).await.unwrap();
                assert_eq!(graph.people_by_ids(&[gone.id]).await.unwrap(), [], "{number}");
            }
        });
    }
    while let Some(ended) = racing.join_next().await {
        ended.unwrap();
    }
    nobody_is_suppressed(&db);
    let ids: Vec<PersonId> = (0..PEOPLE).map(|number| person(number, 1).id).collect();
    let left: Vec<PersonId> = graph.people_by_ids(&ids).await.unwrap().iter().map(|one| one.id).collect();
    let odd: Vec<PersonId> = ids.iter().copied().skip(1).step_by(2).collect();
    assert_eq!(left, odd);
}

/// A list of many who are not here costs no more beside much that was said and asked of others: it once was compared with all of it.
#[tokio::test]
async fn what_a_long_list_costs_is_no_matter_of_how_much_is_kept() {
    let kind = SuppressedKind::Identity(IdentityKind::Email);
    let entry = |digest: u128| NewSuppression {
        digest: Digest::from_bytes(digest.to_be_bytes()),
        kind,
        list_hash: None,
    };
    let mut list: Vec<_> = (1..=10_000).map(entry).collect();
    let (_empty_db, empty) = graph().await;
    let once = list.clone();
    let watch = Stopwatch::start();
    suppress(&empty, once).await;
    let alone = watch.elapsed();
    let (db, full) = graph().await;
    db.psql(
        "insert into signal (id, revision, kind, detected_at, occurred_at, body, subjects)
         select gen_random_uuid(), 1, 4, now(), now(), '{}', array[decode(md5(n::text), 'hex')]
         from generate_series(1, 20000) as n;
         insert into upstream_answer
         select 'email', decode(md5('q' || n), 'hex'), gen_random_uuid(), '{}', array[decode(md5(n::text), 'hex')], 'v', now()
         from generate_series(1, 20000) as n",
    )
    .unwrap();
    // What PostgreSQL calls md5('1').
    list.push(entry(0xc4ca_4238_a0b9_2382_0dcc_509a_6f75_849b));
    let watch = Stopwatch::start();
    suppress(&full, list).await;
    let beside = watch.elapsed();
    assert_eq!((count(&db, "signal"), count(&db, "upstream_answer")), (19_999, 19_999));
    // Compared with all of it, six seconds instead of half a one.
    assert!(beside < alone * 4 + Duration::from_secs(1), "{beside:?} beside much, {alone:?} alone");
}
