//! From sources to ranked answers: the index gives candidates, their records decide.

use super::profile::{Likeness, Profile};
use super::rarity::Rarity;
use super::sketch::Sketch;
use crate::{Engine, EngineError};
use assay_domain::limits::{ALIKE_CANDIDATES_LEAST, ALIKE_CANDIDATES_PER_RESULT, ALIKE_POSTINGS_MAX};
use assay_domain::name::fold_company;
use assay_domain::{AccountId, Company, CompanyId, Person, PersonId};
use assay_index::{Clause, Feature, Index, IndexError, Question, Sought, Term};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use uuid::Uuid;

/// A record, how alike it is to the sources, and in what.
#[derive(Debug, Clone)]
pub struct Alike<T> {
    pub record: T,
    pub likeness: Likeness,
}

/// Whom to look for in an index.
#[derive(Debug)]
pub struct Lookout {
    sources: Vec<Sketch>,
    source_ids: Vec<Uuid>,
    question: Question,
    limit: usize,
}

/// Candidates for an answer, whose records are not read yet.
#[derive(Debug)]
pub struct Shortlist {
    profile: Profile,
    ids: Vec<Uuid>,
    limit: usize,
}

impl Lookout {
    /// Companies like these, of those that a question allows: none of them, and no other record under one of their domains.
    pub fn companies(sources: &[Company], mut question: Question, limit: usize) -> Self {
        let facts = sources.iter().map(|company| &company.facts);
        let domains = facts.clone().flat_map(|facts| facts.domain.iter().chain(&facts.domains));
        let domains: BTreeSet<String> = domains.map(ToString::to_string).collect();
        question.none.push(Clause::OneOf(Term::CompanyDomain, domains.into_iter().collect()));
        let source_ids = sources.iter().map(|company| company.id.uuid()).collect();
        Self { sources: facts.map(Sketch::of_company).collect(), source_ids, question, limit }
    }

    /// People like this one, of those that a question allows; nobody at the same company.
    pub fn people(source: &Person, mut question: Question, limit: usize) -> Self {
        let employer = source.company.iter().map(|company| company.id.uuid().to_string());
        question.none.push(Clause::OneOf(Term::Employer, employer.collect()));
        let source_ids = vec![source.id.uuid()];
        Self { sources: vec![Sketch::of_person(source)], source_ids, question, limit }
    }

    /// Asks an index. It reads from the disk, and is not for a thread that others wait for.
    pub fn find(self, index: &Index) -> Result<Shortlist, IndexError> {
        let features: BTreeSet<&Feature> = self.sources.iter().flat_map(Sketch::features).collect();
        let features: Vec<Feature> = features.into_iter().cloned().collect();
        let commonness = index.commonness(&features)?;
        let profile = Profile::new(self.sources, Rarity::of(features, &commonness));
        let wanted = self.limit.saturating_mul(ALIKE_CANDIDATES_PER_RESULT).max(ALIKE_CANDIDATES_LEAST);
        let sought = Sought {
            features: profile.features(),
            question: self.question,
            limit: wanted + self.source_ids.len(),
            postings_max: ALIKE_POSTINGS_MAX,
        };
        let found = index.alike(&sought)?.into_iter().map(|candidate| candidate.id);
        let ids = found.filter(|id| !self.source_ids.contains(id)).collect();
        Ok(Shortlist { profile, ids, limit: self.limit })
    }
}

impl Shortlist {
    /// The candidates, roughly the likeliest first.
    pub fn ids(&self) -> &[Uuid] {
        &self.ids
    }

    /// Ranks the records of candidates: the most alike first, of equals whoever came first.
    pub fn rank<T>(&self, records: Vec<T>, sketch: impl Fn(&T) -> Sketch) -> Vec<Alike<T>> {
        let compared = records.into_iter().map(|record| {
            let likeness = self.profile.compare(&sketch(&record));
            Alike { record, likeness }
        });
        let mut ranked: Vec<Alike<T>> = compared.collect();
        ranked.sort_by_key(|one| Reverse(one.likeness.similarity));
        ranked.truncate(self.limit);
        ranked
    }
}

impl Engine {
    /// Reads and ranks the companies of a shortlist, as far as they still exist and `asker` may see them.
    pub async fn companies_alike(
        &self,
        sources: &[Company],
        shortlist: &Shortlist,
        asker: AccountId,
    ) -> Result<Vec<Alike<Company>>, EngineError> {
        let ids: Vec<CompanyId> = shortlist.ids.iter().copied().map(CompanyId::from_uuid).collect();
        let mut companies = self.companies_seen_by(asker, &ids).await?;
        companies.retain(|company| sources.iter().all(|source| source.id != company.id));
        Ok(shortlist.rank(companies, |company| Sketch::of_company(&company.facts)))
    }

    /// Reads and ranks the people of a shortlist, as far as they still exist, `asker` may see them, and they are not at the
    /// company of the source.
    pub async fn people_alike(
        &self,
        source: &Person,
        shortlist: &Shortlist,
        asker: AccountId,
    ) -> Result<Vec<Alike<Person>>, EngineError> {
        let ids: Vec<PersonId> = shortlist.ids.iter().copied().map(PersonId::from_uuid).collect();
        let mut people = self.people_seen_by(asker, &ids).await?;
        people.retain(|person| person.id != source.id && !are_colleagues(person, source));
        Ok(shortlist.rank(people, Sketch::of_person))
    }
}

/// Whether two work at one company, which the graph may know by its name only.
fn are_colleagues(one: &Person, other: &Person) -> bool {
    let named = |person: &Person| person.current().map(|job| fold_company(&job.company_name));
    match (&one.company, &other.company) {
        (Some(one), Some(other)) => one.id == other.id,
        _ => named(one).is_some() && named(one) == named(other),
    }
}
