//! Who is like whom, from the index to the records.

use crate::setting::{PEOPLE, Setting};
use assay_domain::{AccountId, Company, CompanyId, Person, PersonId};
use assay_engine::alike::{Alike, Aspect, Lookout, Sketch};
use assay_index::{Asker, Clause, Document, Feature, Question, Term};
use assay_replica::{Indexes, describe};
use std::collections::BTreeSet;
use uuid::Uuid;

const ASKER: AccountId = AccountId::from_uuid(Uuid::from_u128(77));
const WANTED: usize = 100;

fn has(document: &Document, feature: &Feature) -> bool {
    match feature {
        Feature::Value(term, value) => document.terms.contains(&(*term, value.clone())),
        Feature::Word(text, word) => {
            let texts = document.texts.iter().filter(|(of, _)| of == text);
            let texts = texts.map(|(_, text)| assay_domain::name::fold_text(text));
            texts
                .flat_map(|text| text.split(' ').map(str::to_owned).collect::<Vec<_>>())
                .any(|it| it == *word)
        }
    }
}

#[tokio::test]
async fn whatever_is_sought_by_is_what_documents_have() {
    let setting = Setting::new().await;
    setting.write_everybody().await;
    let (people, companies) = (
        setting.graph.people_after(Uuid::nil(), 1_000).await.unwrap(),
        setting.graph.companies_after(Uuid::nil(), 1_000).await.unwrap(),
    );
    assert!(people.len() == usize::try_from(PEOPLE).unwrap() && !companies.is_empty());
    let people = people.iter().map(|one| (Sketch::of_person(one), describe::person(one, 0)));
    let companies = companies.iter().map(|one| (Sketch::of_company(&one.facts), describe::company(one, 0)));
    for (sketch, document) in people.chain(companies) {
        assert!(sketch.features().count() > 4);
        for feature in sketch.features() {
            assert!(has(&document, feature), "{feature:?}");
        }
    }
}

/// Asked as an account, about one of the companies of a setting.
async fn companies_like(setting: &Setting, source: &Company, indexes: &Indexes) -> Vec<Alike<Company>> {
    let (engine, _ledger) = setting.engine().await;
    let question = Question { asker: Asker::Account(ASKER.uuid()), ..Question::default() };
    let sources = [source.clone()];
    let shortlist = Lookout::companies(&sources, question, WANTED).find(&indexes.companies).unwrap();
    engine.companies_alike(&sources, &shortlist, ASKER).await.unwrap()
}

async fn people_like(setting: &Setting, source: &Person, indexes: &Indexes) -> Vec<Alike<Person>> {
    let (engine, _ledger) = setting.engine().await;
    let question = Question { asker: Asker::Account(ASKER.uuid()), ..Question::default() };
    let shortlist = Lookout::people(source, question, WANTED).find(&indexes.people).unwrap();
    engine.people_alike(source, &shortlist, ASKER).await.unwrap()
}

async fn company(setting: &Setting, number: u64) -> Company {
    let id = setting.world.company(number).id;
    setting.graph.companies_by_ids(&[id]).await.unwrap().remove(0)
}

#[tokio::test]
async fn a_twin_of_a_company_comes_first_and_what_is_somebody_elses_never() {
    let setting = Setting::new().await;
    setting.write_everybody().await;
    let source = company(&setting, 3).await;
    // Twins under another name: one for everybody, one of the asker, one of somebody else.
    let owners = [None, Some(ASKER), Some(AccountId::from_uuid(Uuid::from_u128(78)))];
    let twins: Vec<_> = (0_u128..)
        .zip(owners)
        .map(|(number, owner)| {
            let mut twin = setting.company(3);
            twin.id = CompanyId::from_uuid(Uuid::from_u128(900 + number));
            twin.facts.domain = None;
            twin.facts.network_url = None;
            twin.rights.owner = owner;
            twin
        })
        .collect();
    let [shared, own, foreign] = [0, 1, 2].map(|at| twins[at].id);
    setting.write(Vec::new(), twins).await;
    let indexes = setting.indexes().await;
    let found = companies_like(&setting, &source, &indexes).await;
    let ids: Vec<CompanyId> = found.iter().map(|one| one.record.id).collect();
    assert_eq!(ids[..2].iter().collect::<BTreeSet<_>>(), [shared, own].iter().collect());
    assert!(!ids.contains(&foreign) && !ids.contains(&source.id));
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "each comes once");
    assert!(found.windows(2).all(|two| two[0].likeness.similarity >= two[1].likeness.similarity));
    let first = &found[0].likeness;
    assert_eq!(first.similarity, assay_domain::Similarity::WHOLE);
    let technologies = source.facts.technologies.len();
    let reason = first.reasons.iter().find(|reason| reason.aspect == Aspect::Technologies).unwrap();
    assert_eq!(reason.text, format!("{technologies} of {technologies} technologies shared"));
    // The index need not have heard yet that one was given to somebody.
    let mut taken = setting.company(3);
    taken.id = shared;
    taken.rights.owner = Some(AccountId::from_uuid(Uuid::from_u128(78)));
    setting.write(Vec::new(), vec![taken]).await;
    let found = companies_like(&setting, &source, &indexes).await;
    assert!(found.iter().all(|one| one.record.id != shared));
}

#[tokio::test]
async fn filters_hold_for_whoever_is_alike() {
    let setting = Setting::new().await;
    setting.write_everybody().await;
    let indexes = setting.indexes().await;
    let source = company(&setting, 0).await;
    let everybody = companies_like(&setting, &source, &indexes).await;
    let elsewhere = |company: &Company| {
        company.facts.industry.filter(|_| company.facts.industry != source.facts.industry)
    };
    let industry = everybody.iter().find_map(|one| elsewhere(&one.record)).unwrap();
    let (engine, _ledger) = setting.engine().await;
    let all = vec![Clause::OneOf(Term::Industry, vec![industry.as_str().to_owned()])];
    let question = Question { all, ..Question::default() };
    let sources = [source];
    let shortlist = Lookout::companies(&sources, question, WANTED).find(&indexes.companies).unwrap();
    let found = engine.companies_alike(&sources, &shortlist, ASKER).await.unwrap();
    assert!(!found.is_empty() && found.iter().all(|one| one.record.facts.industry == Some(industry)));
}

#[tokio::test]
async fn people_like_somebody_are_at_other_companies_and_the_erased_are_not_among_them() {
    let setting = Setting::new().await;
    setting.write_everybody().await;
    let indexes = setting.indexes().await;
    let id = setting.person(5).id;
    let source = setting.graph.people_by_ids(&[id]).await.unwrap().remove(0);
    let employer = |person: &Person| person.company.as_ref().map(|company| company.id);
    let found = people_like(&setting, &source, &indexes).await;
    let best = &found[0];
    assert!(found.iter().all(|one| employer(&one.record) != employer(&source) && one.record.id != id));
    assert!(best.likeness.reasons.iter().any(|reason| reason.text == "same department"));
    let shares: u16 = best.likeness.reasons.iter().map(|reason| reason.share.thousandths()).sum();
    assert!((990..=1_000).contains(&shares), "{shares}");
    // The index has not heard of it, and the records have.
    let gone: PersonId = best.record.id;
    setting.erase(gone).await;
    let found = people_like(&setting, &source, &indexes).await;
    assert!(!found.is_empty() && found.iter().all(|one| one.record.id != gone));
}
