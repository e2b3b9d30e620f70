//! What was written is read back, by every way in.

use super::people::{KEY, company, graph, person, stored, stored_company};
use assay_domain::limits::CANDIDATES_MAX;
use assay_domain::{CompanyId, Email, PersonId};
use assay_store::graph::{GraphBatch, Sighting};
use assay_store::{Graph, StoreError};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use uuid::Uuid;

#[test]
fn a_person_is_found_by_every_identity_and_reads_back_as_written() {
    let runtime = Runtime::new().unwrap();
    let (_db, graph) = runtime.block_on(graph());
    let cases = (any::<u32>(), 0_usize..6, 1_u64..12);
    let mut runner = TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
    runner
        .run(&cases, |(first, jobs, people)| {
            runtime.block_on(write_and_read(&graph, u64::from(first), jobs, people));
            Ok(())
        })
        .unwrap();
}

async fn write_and_read(graph: &Graph, first: u64, jobs: usize, people: u64) {
    let people: Vec<_> = (first..first + people).map(|number| person(number, jobs)).collect();
    let mut companies: Vec<_> = (first / 10..=(first + 12) / 10).map(company).collect();
    companies.dedup_by_key(|company| company.id);
    let batch = GraphBatch { companies: companies.clone(), people: people.clone() };
    graph.write(batch).await.unwrap();
    for write in &people {
        let employer = write.experience.first().and_then(|job| job.company_id);
        let employer = companies.iter().find(|company| Some(company.id) == employer);
        for (digest, _) in &write.identities {
            let found = graph.people_by_digest(*digest).await.unwrap();
            let versions: Vec<_> = found.iter().map(|person| person.version).collect();
            assert_eq!(found, [stored(write, versions[0], employer)]);
            assert_eq!(graph.companies_by_digest(*digest).await.unwrap(), []);
            let sighted = graph.sightings_by_digests(&[*digest, *digest]).await.unwrap();
            let known: Vec<_> = found.iter().map(Sighting::from).collect();
            assert_eq!(sighted, [known.clone(), known]);
        }
        assert_eq!(graph.people_by_ids(&[write.id]).await.unwrap().len(), 1);
    }
    for write in &companies {
        for (digest, _) in &write.identities {
            assert_eq!(graph.companies_by_digest(*digest).await.unwrap(), [stored_company(write, 1)]);
        }
    }
}

#[tokio::test]
async fn ids_are_answered_in_the_order_asked_and_unknown_ones_left_out() {
    let (_db, graph) = graph().await;
    let people: Vec<_> = (0..4).map(|number| person(number, 1)).collect();
    let companies = vec![company(0), company(1)];
    graph.write(GraphBatch { companies: companies.clone(), people: people.clone() }).await.unwrap();
    let nobody = PersonId::from_uuid(Uuid::nil());
    let asked = [people[2].id, nobody, people[0].id, people[2].id];
    let found: Vec<_> =
        graph.people_by_ids(&asked).await.unwrap().into_iter().map(|person| person.id).collect();
    assert_eq!(found, [people[2].id, people[0].id]);
    let asked = [companies[1].id, CompanyId::from_uuid(Uuid::nil()), companies[0].id];
    let found = graph.companies_by_ids(&asked).await.unwrap();
    assert_eq!(found, [stored_company(&companies[1], 1), stored_company(&companies[0], 1)]);
    assert_eq!(graph.people_by_ids(&[]).await.unwrap(), []);
    assert_eq!(graph.counts().await.unwrap().people, 4);
}

#[tokio::test]
async fn a_merged_person_reads_as_the_one_it_was_merged_into() {
    let (db, graph) = graph().await;
    let people: Vec<_> = (0..4).map(|number| person(number * 10, 1)).collect();
    let companies: Vec<_> = (0..4).map(company).collect();
    graph.write(GraphBatch { companies: companies.clone(), people: people.clone() }).await.unwrap();
    let merge = |table: &str, from: Uuid, into: Uuid| {
        db.psql(&format!("update {table} set merged_into = '{into}' where id = '{from}'")).unwrap();
    };
    // 0 → 1 → 2, and the company that 2 works at went into another one.
    merge("person", people[0].id.uuid(), people[1].id.uuid());
    merge("person", people[1].id.uuid(), people[2].id.uuid());
    merge("company", companies[2].id.uuid(), companies[3].id.uuid());
    let expected = stored(&people[2], 1, Some(&companies[3]));
    for gone in &people[..2] {
        let found = graph.people_by_digest(gone.identities[0].0).await.unwrap();
        assert_eq!(found, std::slice::from_ref(&expected));
    }
    let found = graph.people_by_ids(&[people[0].id, people[1].id, people[2].id]).await.unwrap();
    assert_eq!(found, [expected]);
    let found = graph.companies_by_digest(companies[2].identities[0].0).await.unwrap();
    assert_eq!(found, [stored_company(&companies[3], 1)]);
    assert_eq!(graph.counts().await.unwrap().people, 2);
}

#[tokio::test]
async fn a_record_that_does_not_read_back_takes_no_other_with_it() {
    let (db, graph) = graph().await;
    let mut people: Vec<_> = (0..5).map(|number| person(number * 10, 1)).collect();
    let mut companies: Vec<_> = (0..5).map(company).collect();
    graph.write(GraphBatch { companies: companies.clone(), people: people.clone() }).await.unwrap();
    people.sort_unstable_by_key(|one| one.id.uuid());
    companies.sort_unstable_by_key(|one| one.id.uuid());
    // Two in a row: a page of them alone is not the end.
    for broken in 1..=2 {
        db.psql(&format!(
            "update person set facts = '{{\"first_name\": 7}}' where id = '{}'",
            people[broken].id.uuid()
        ))
        .unwrap();
        db.psql(&format!(
            "update company set facts = '{{\"name\": 7}}' where id = '{}'",
            companies[broken].id.uuid()
        ))
        .unwrap();
    }
    let asked: Vec<PersonId> = people.iter().map(|one| one.id).collect();
    let left = [asked[0], asked[3], asked[4]];
    let found = graph.people_by_ids(&asked).await.unwrap();
    assert_eq!(found.iter().map(|one| one.id).collect::<Vec<_>>(), left);
    let firms: Vec<CompanyId> = companies.iter().map(|one| one.id).collect();
    let firms_left = [firms[0], firms[3], firms[4]];
    let found = graph.companies_by_ids(&firms).await.unwrap();
    assert_eq!(found.iter().map(|one| one.id).collect::<Vec<_>>(), firms_left);
    let (mut walked, mut after) = (Vec::new(), Uuid::nil());
    while let Some(next) = graph.people_after(after, 1).await.unwrap().first() {
        walked.push(next.id);
        after = next.id.uuid();
    }
    assert_eq!(walked, left);
    let (mut walked, mut after) = (Vec::new(), Uuid::nil());
    while let Some(next) = graph.companies_after(after, 1).await.unwrap().first() {
        walked.push(next.id);
        after = next.id.uuid();
    }
    assert_eq!(walked, firms_left);
}

#[tokio::test]
async fn a_circle_of_merges_ends_in_nothing_found() {
    let (db, graph) = graph().await;
    let people: Vec<_> = (0..2).map(|number| person(number, 1)).collect();
    graph.write(GraphBatch { companies: Vec::new(), people: people.clone() }).await.unwrap();
    for (from, into) in [(0, 1), (1, 0)] {
        let (from, into) = (people[from].id.uuid(), people[into].id.uuid());
        db.psql(&format!("update person set merged_into = '{into}' where id = '{from}'")).unwrap();
    }
    assert_eq!(graph.people_by_digest(people[0].identities[0].0).await.unwrap(), []);
}

#[tokio::test]
async fn an_identity_of_many_gives_one_more_than_may_be_used() {
    let (_db, graph) = graph().await;
    let shared = KEY.digest_email(&Email::parse("office@firm0.de").unwrap());
    let mut people: Vec<_> = (0..30).map(|number| person(number, 0)).collect();
    for person in &mut people {
        person.identities.push((shared, assay_domain::identity::IdentityKind::Email));
    }
    graph.write(GraphBatch { companies: Vec::new(), people: people.clone() }).await.unwrap();
    let found: Vec<_> =
        graph.people_by_digest(shared).await.unwrap().iter().map(|person| person.id).collect();
    let lowest: Vec<_> = people.iter().map(|person| person.id).take(found.len()).collect();
    assert_eq!(i64::try_from(found.len()).unwrap(), CANDIDATES_MAX + 1);
    assert_eq!(found, lowest);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_callers_get_each_their_own_rows() {
    let (_db, graph) = graph().await;
    let people: Vec<_> = (0..150).map(|number| person(number, 2)).collect();
    graph.write(GraphBatch { companies: Vec::new(), people: people.clone() }).await.unwrap();
    let mut callers = JoinSet::new();
    for number in 0..200_u64 {
        let graph = graph.clone();
        callers.spawn(async move {
            // Some ask for the same person as another caller, some for nobody.
            let number = number * 7 % 180;
            let write = person(number, 2);
            let expected = if number < 150 { vec![stored(&write, 1, None)] } else { Vec::new() };
            for (digest, _) in &write.identities {
                assert_eq!(graph.people_by_digest(*digest).await.unwrap(), expected);
            }
        });
    }
    callers.join_all().await;
}

#[tokio::test]
async fn a_row_that_does_not_decode_fails_only_who_asked_for_it() {
    let (db, graph) = graph().await;
    let people: Vec<_> = (0..3).map(|number| person(number, 2)).collect();
    graph.write(GraphBatch { companies: Vec::new(), people: people.clone() }).await.unwrap();
    db.psql(&format!("update person set facts = '{{}}' where id = '{}'", people[0].id.uuid())).unwrap();
    db.psql(&format!("update person set experience = '[{{}}]' where id = '{}'", people[1].id.uuid()))
        .unwrap();
    let digests = people.iter().map(|person| person.identities[0].0).collect();
    let answers = graph.read_people_by_digests(digests).await;
    assert!(matches!(answers[0], Err(StoreError::Corrupt(_))));
    assert!(matches!(answers[1], Err(StoreError::Corrupt(_))));
    assert_eq!(answers[2].as_ref().unwrap(), &[stored(&people[2], 1, None)]);
}

#[tokio::test]
async fn another_master_key_is_refused() {
    let (_db, graph) = graph().await;
    graph.check_key("aaaa").await.unwrap();
    graph.check_key("aaaa").await.unwrap();
    assert!(matches!(graph.check_key("bbbb").await, Err(StoreError::Schema(_))));
    graph.ping().await.unwrap();
    assert_eq!(graph.schema_versions().await.unwrap(), (14, Some(14)));
}
