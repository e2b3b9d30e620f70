//! Resolving: one identifier in, one person or company out, with how sure it is and what it was matched on.

use crate::{Engine, EngineError};
use assay_domain::name::fold_company;
use assay_domain::suppression::end_alike;
use assay_domain::{Company, Confidence, Digest, Domain, Email, NetworkUrl, Person, PersonName, Phone};
use assay_store::graph::Sighting;

/// What a person may be asked for by.
#[derive(Debug, Clone)]
pub enum PersonQuery {
    NetworkUrl(NetworkUrl),
    Email(Email),
    Phone(Phone),
    NameAtDomain(PersonName, Domain),
    NameAtCompany(PersonName, String),
}

/// What a company may be asked for by.
#[derive(Debug, Clone)]
pub enum CompanyQuery {
    Domain(Domain),
    NetworkUrl(NetworkUrl),
    Name { name: String, country: Option<String> },
}

/// A record, how sure it is the one meant, and what it was matched on.
#[derive(Debug, Clone)]
pub struct Found<T> {
    pub record: T,
    pub confidence: Confidence,
    pub matched_on: &'static [&'static str],
}

impl<T> Found<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> Found<U> {
        Found { record: change(self.record), confidence: self.confidence, matched_on: self.matched_on }
    }
}

impl Engine {
    /// The person the graph knows under this identifier. Several equally good candidates share the confidence.
    pub async fn resolve_person(&self, query: &PersonQuery) -> Result<Option<Found<Person>>, EngineError> {
        let (digest, certainty, matched_on) = self.person_digest(query);
        let mut candidates = self.graph.people_by_digest(digest).await?;
        if let PersonQuery::Phone(phone) = query {
            candidates.retain(|person| !is_of_another(person, phone));
        }
        Ok(choose(candidates, certainty, matched_on))
    }

    /// Who is meant by each of many identifiers: as [`Self::resolve_person`], without reading their records.
    pub async fn sight_people(
        &self,
        queries: &[&PersonQuery],
    ) -> Result<Vec<Option<Found<Sighting>>>, EngineError> {
        let digests: Vec<Digest> = queries.iter().map(|query| self.person_digest(query).0).collect();
        let sighted = self.graph.sightings_by_digests(&digests).await?;
        let mut found = Vec::with_capacity(queries.len());
        for (query, candidates) in queries.iter().zip(sighted) {
            found.push(match query {
                // Whose number it is takes the records to tell.
                PersonQuery::Phone(_) if !candidates.is_empty() => {
                    self.resolve_person(query).await?.map(|found| found.map(|person| Sighting::from(&person)))
                }
                _ => {
                    let (_, certainty, matched_on) = self.person_digest(query);
                    choose(candidates, certainty, matched_on)
                }
            });
        }
        Ok(found)
    }

    pub async fn resolve_company(&self, query: &CompanyQuery) -> Result<Option<Found<Company>>, EngineError> {
        let key = &self.identity;
        let (digest, certainty, matched_on): (Digest, u8, &'static [&'static str]) = match query {
            CompanyQuery::Domain(domain) => (key.digest_domain(domain), 99, &["domain"]),
            CompanyQuery::NetworkUrl(url) => (key.digest_network_url(url), 99, &["networkUrl"]),
            CompanyQuery::Name { name, country: None } => {
                (key.digest_company_name(&fold_company(name)), 85, &["name"])
            }
            CompanyQuery::Name { name, country: Some(_) } => {
                (key.digest_company_name(&fold_company(name)), 90, &["name", "country"])
            }
        };
        let mut candidates = self.graph.companies_by_digest(digest).await?;
        if let CompanyQuery::Name { country: Some(country), .. } = query {
            candidates.retain(|company| is_in(company, country));
        }
        Ok(choose(candidates, certainty, matched_on))
    }

    /// What the graph knows this identifier by: the same for two spellings of one, and nobody can read it back.
    pub fn person_key(&self, query: &PersonQuery) -> Digest {
        self.person_digest(query).0
    }

    fn person_digest(&self, query: &PersonQuery) -> (Digest, u8, &'static [&'static str]) {
        let key = &self.identity;
        match query {
            PersonQuery::NetworkUrl(url) => (key.digest_network_url(url), 99, &["networkUrl"]),
            PersonQuery::Email(email) => (key.digest_email(email), 98, &["email"]),
            PersonQuery::Phone(phone) => (key.digest_phone(phone), 95, &["phone"]),
            PersonQuery::NameAtDomain(name, domain) => {
                (key.digest_name_at_domain(name, domain), 90, &["name", "company_domain"])
            }
            PersonQuery::NameAtCompany(name, company) => {
                (key.digest_name_at_company(name, &fold_company(company)), 85, &["name", "company_name"])
            }
        }
    }
}

fn choose<T>(candidates: Vec<T>, certainty: u8, matched_on: &'static [&'static str]) -> Option<Found<T>> {
    let confidence = Confidence::percent(certainty).shared_by(candidates.len());
    let record = candidates.into_iter().next()?;
    Some(Found { record, confidence, matched_on })
}

/// Digests take the last ten digits of a number, which another country may have given to somebody else.
fn is_of_another(person: &Person, asked: &Phone) -> bool {
    let mut alike = person.facts.phones.iter().filter(|known| end_alike(&known.number, asked)).peekable();
    alike.peek().is_some() && alike.all(|known| known.number != *asked)
}

fn is_in(company: &Company, country: &str) -> bool {
    let home = company.facts.headquarters.iter().chain(&company.facts.locations);
    home.filter_map(|place| place.country.as_deref()).any(|code| code.eq_ignore_ascii_case(country))
}
