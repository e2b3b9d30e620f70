//! A replica over a real database: filled from the tables, kept up with the log, begun anew when the log is another.

use crate::setting::{PEOPLE, Setting};
use assay_domain::taxonomy::Industry;
use assay_domain::{CompanyId, PersonId};
use assay_index::{Asker, Clause, Page, Question, Term, Text};
use assay_replica::{Indexes, Turn};
use assay_store::Graph;
use uuid::Uuid;

fn having(term: Term, value: &str) -> Question {
    let all = vec![Clause::OneOf(term, vec![value.to_owned()])];
    Question { all, none: Vec::new(), asker: Asker::Anybody }
}

fn people(indexes: &Indexes, question: &Question) -> Vec<PersonId> {
    let page = Page { after: None, limit: 1_000, count_to: 0, unchanged_since: None };
    let rows = indexes.people.search(question, &page).unwrap().rows;
    rows.iter().map(|row| PersonId::from_uuid(row.id)).collect()
}

/// What a filter by a company's industry must find, according to the tables.
async fn in_industry(graph: &Graph, industry: Industry) -> Vec<PersonId> {
    let everybody = graph.people_after(Uuid::nil(), 1_000).await.unwrap();
    let found = everybody
        .iter()
        .filter(|person| person.company.as_ref().and_then(|company| company.industry) == Some(industry));
    found.map(|person| person.id).collect()
}

#[tokio::test]
async fn everybody_in_the_tables_is_found_and_then_whatever_changes() {
    let setting = Setting::new().await;
    setting.write_everybody().await;
    let replica = setting.replica();
    assert!(replica.indexes().is_none());
    assert_eq!(replica.turn().await.unwrap(), Turn::Built);
    let indexes = replica.indexes().unwrap();
    assert_eq!(indexes.people.count(&Question::default()).unwrap(), PEOPLE);
    assert_eq!(indexes.companies.count(&Question::default()).unwrap(), setting.world.company_count());
    assert_eq!(replica.turn().await.unwrap(), Turn::Followed { changes: 0, lagging: false });

    // A new title is found the next moment, and the old one no more.
    let mut person = setting.person(5);
    let title = Question {
        all: vec![Clause::Words(Text::Title, "zymurgist chief".to_owned())],
        ..Question::default()
    };
    assert_eq!(people(&indexes, &title), []);
    person.experience[0].title = "Chief Zymurgist".to_owned();
    setting.write(vec![person.clone()], Vec::new()).await;
    assert_eq!(replica.turn().await.unwrap(), Turn::Followed { changes: 1, lagging: false });
    assert_eq!(people(&indexes, &title), [person.id]);
    assert_eq!(indexes.people.count(&Question::default()).unwrap(), PEOPLE);

    // A company that changes its industry takes its people along.
    let number = setting.world.employer_index(5);
    let mut company = setting.company(number);
    let before = company.facts.industry.unwrap();
    let after = Industry::all().find(|other| *other != before).unwrap();
    company.facts.industry = Some(after);
    setting.write(Vec::new(), vec![company]).await;
    replica.turn().await.unwrap();
    for industry in [before, after] {
        let mut found = people(&indexes, &having(Term::Industry, industry.as_str()));
        found.sort();
        assert_eq!(found, in_industry(&setting.graph, industry).await, "{industry:?}");
    }
    assert!(people(&indexes, &having(Term::Industry, after.as_str())).contains(&person.id));
}

#[tokio::test]
async fn whoever_is_erased_leaves_the_index() {
    let setting = Setting::new().await;
    setting.write_everybody().await;
    let replica = setting.replica();
    replica.turn().await.unwrap();
    let gone = setting.person(9).id;
    setting.erase(gone).await;
    replica.turn().await.unwrap();
    let indexes = replica.indexes().unwrap();
    let left = people(&indexes, &Question::default());
    assert_eq!(u64::try_from(left.len()).unwrap(), PEOPLE - 1);
    assert!(!left.contains(&gone));
}

#[tokio::test]
async fn a_replica_goes_on_where_it_was_and_begins_anew_with_another_log() {
    let setting = Setting::new().await;
    setting.write_everybody().await;
    let first = setting.replica();
    first.turn().await.unwrap();
    let seq = first.indexes().unwrap().seq();
    drop(first);
    let mut person = setting.person(7);
    person.facts.skills = vec!["Falconry".to_owned()];
    setting.write(vec![person.clone()], Vec::new()).await;
    // An operator may have named a folder that has other things in it.
    let foreign = setting.folder.join("letters");
    std::fs::create_dir(&foreign).unwrap();
    std::fs::write(setting.folder.join("list.txt"), "mine").unwrap();
    let second = setting.replica();
    assert_eq!(second.indexes().unwrap().seq(), seq);
    assert_eq!(second.turn().await.unwrap(), Turn::Followed { changes: 1, lagging: false });
    let indexes = second.indexes().unwrap();
    assert_eq!(people(&indexes, &having(Term::Skill, "falconry")), [person.id]);

    // After a restore the log is another, whatever its entries are.
    setting.graph.mint_epoch().await.unwrap();
    assert_eq!(second.turn().await.unwrap(), Turn::Built);
    let anew = second.indexes().unwrap();
    assert_ne!(anew.epoch, indexes.epoch);
    assert_eq!(people(&anew, &having(Term::Skill, "falconry")), [person.id]);
    let left = std::fs::read_dir(&setting.folder).unwrap().count();
    assert_eq!((left, foreign.is_dir()), (3, true), "the old one is gone, and nothing else");
}

#[tokio::test]
async fn what_one_account_brought_is_found_by_nobody_else() {
    let setting = Setting::new().await;
    let owner = assay_domain::AccountId::from_uuid(Uuid::from_u128(77));
    let mut person = setting.person(3);
    person.rights.owner = Some(owner);
    setting.write(vec![person.clone(), setting.person(4)], Vec::new()).await;
    let replica = setting.replica();
    replica.turn().await.unwrap();
    let indexes = replica.indexes().unwrap();
    let asked_by = |asker| people(&indexes, &Question { asker, ..Question::default() });
    assert_eq!(asked_by(Asker::Anybody), [setting.person(4).id]);
    assert_eq!(asked_by(Asker::Account(Uuid::from_u128(78))), [setting.person(4).id]);
    assert_eq!(asked_by(Asker::Account(owner.uuid())).len(), 2);
    let nobody: CompanyId = CompanyId::from_uuid(Uuid::from_u128(1));
    assert_eq!(people(&indexes, &having(Term::Employer, &nobody.uuid().to_string())), []);
}
