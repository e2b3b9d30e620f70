//! Resolving: one identifier in, one person or company out, with how sure it is and what it was matched on.

use crate::likeness::CompanyWords;
use crate::matching::{
    CompanyProfile, MatchKey, Profile, Ranked, Workplace, asked_keys, company_asked_keys, rank,
    settle_company,
};
use crate::{Engine, EngineError, may_see};
use assay_domain::limits::LOOKUP_BATCH_MAX;
use assay_domain::name::fold_company;
use assay_domain::suppression::end_alike;
use assay_domain::{
    AccountId, Company, CompanyId, Confidence, Digest, Domain, Email, NetworkUrl, Person, PersonName, Phone,
};
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

/// What a question by one identifier is looked up under.
struct Lookup {
    digest: Digest,
    certainty: u8,
    matched_on: &'static [&'static str],
}

impl Engine {
    /// The person meant, as far as `asker` may see them. Several equally good candidates share the confidence.
    pub async fn resolve_person(
        &self,
        query: &PersonQuery,
        asker: AccountId,
    ) -> Result<Option<Found<Person>>, EngineError> {
        let Lookup { digest, certainty, matched_on } = self.lookup(query);
        if matches!(query, PersonQuery::NameAtDomain(..) | PersonQuery::NameAtCompany(..)) {
            let best = self.people_named(query, asker).await?.into_iter().next();
            return Ok(best.map(|(record, ranked)| Found {
                record,
                confidence: ranked.confidence,
                matched_on,
            }));
        }
        let mut candidates =
            visible(self.graph.people_by_digest(digest).await?, asker, |person| person.owner);
        if let PersonQuery::Phone(phone) = query {
            candidates.retain(|person| !is_of_another(person, phone));
        }
        Ok(choose(candidates, certainty, matched_on))
    }

    /// Who is meant by each of many identifiers: as [`Self::resolve_person`], without reading their records.
    pub async fn sight_people(
        &self,
        queries: &[&PersonQuery],
        asker: AccountId,
    ) -> Result<Vec<Option<Found<Sighting>>>, EngineError> {
        let digests: Vec<Digest> = queries.iter().map(|query| self.lookup(query).digest).collect();
        let sighted = self.graph.sightings_by_digests(&digests).await?;
        let mut found = Vec::with_capacity(queries.len());
        for (query, candidates) in queries.iter().zip(sighted) {
            let needs_records = match query {
                // Whose number it is, and who is written down in another way, takes the records to tell.
                PersonQuery::Phone(_) => !candidates.is_empty(),
                PersonQuery::NameAtDomain(..) | PersonQuery::NameAtCompany(..) => true,
                PersonQuery::NetworkUrl(_) | PersonQuery::Email(_) => false,
            };
            found.push(if needs_records {
                let person = self.resolve_person(query, asker).await?;
                person.map(|found| found.map(|person| Sighting::from(&person)))
            } else {
                let Lookup { certainty, matched_on, .. } = self.lookup(query);
                choose(visible(candidates, asker, |sighting| sighting.owner), certainty, matched_on)
            });
        }
        Ok(found)
    }

    pub async fn resolve_company(
        &self,
        query: &CompanyQuery,
        asker: AccountId,
    ) -> Result<Option<Found<Company>>, EngineError> {
        let key = &self.identity;
        let (digest, certainty, matched_on): (Digest, u8, &'static [&'static str]) = match query {
            CompanyQuery::Domain(domain) => (key.digest_domain(domain), 99, &["domain"]),
            CompanyQuery::NetworkUrl(url) => (key.digest_network_url(url), 99, &["networkUrl"]),
            CompanyQuery::Name { name, country } => {
                return self.resolve_company_name(name, country.as_deref(), asker).await;
            }
        };
        let candidates = self.graph.companies_by_digest(digest).await?;
        Ok(choose(visible(candidates, asker, |company| company.owner), certainty, matched_on))
    }

    /// How many of these addresses belong to somebody `asker` may see.
    pub async fn count_known(&self, emails: &[Email], asker: AccountId) -> Result<usize, EngineError> {
        let mut known = 0;
        for some in emails.chunks(LOOKUP_BATCH_MAX) {
            let digests: Vec<Digest> = some.iter().map(|email| self.identity.digest_email(email)).collect();
            let sighted = self.graph.sightings_by_digests(&digests).await?;
            let seen = |owners: &&Vec<Sighting>| owners.iter().any(|owner| may_see(owner.owner, asker));
            known += sighted.iter().filter(seen).count();
        }
        Ok(known)
    }

    /// What a question asks by, in the words of an answer.
    pub(crate) fn matched_on(&self, query: &PersonQuery) -> &'static [&'static str] {
        self.lookup(query).matched_on
    }

    /// What the graph knows this identifier by: the same for two spellings of one, and nobody can read it back.
    pub fn person_key(&self, query: &PersonQuery) -> Digest {
        self.lookup(query).digest
    }

    /// Everybody who may be meant by a name at a company, the likeliest first; nobody for a question by anything else.
    pub async fn people_named(
        &self,
        query: &PersonQuery,
        asker: AccountId,
    ) -> Result<Vec<(Person, Ranked)>, EngineError> {
        let (name, workplace) = match query {
            PersonQuery::NameAtDomain(name, domain) => (name, self.workplace_at(domain, asker).await?),
            PersonQuery::NameAtCompany(name, company) => (name, self.workplace_named(company, asker).await?),
            PersonQuery::NetworkUrl(_) | PersonQuery::Email(_) | PersonQuery::Phone(_) => {
                return Ok(Vec::new());
            }
        };
        let question = Profile::asked(name, workplace);
        let keys: Vec<i64> =
            asked_keys(&question, &self.identity).into_iter().map(|MatchKey(key)| key).collect();
        let candidates = visible(self.graph.people_by_match_keys(&keys).await?, asker, |person| person.owner);
        let profiles: Vec<Profile> =
            candidates.iter().map(|person| Profile::of(&person.facts, &person.experience)).collect();
        let ranked = rank(&question, &profiles.iter().collect::<Vec<_>>());
        let mut candidates: Vec<Option<Person>> = candidates.into_iter().map(Some).collect();
        let person = |mut ranked: Ranked| {
            let person = candidates.get_mut(ranked.candidate)?.take()?;
            if !could_work_at(&person, query) {
                ranked.confidence = ranked.confidence.min(Confidence::percent(UNPLACED_PERCENT_MAX));
            }
            Some((person, ranked))
        };
        Ok(ranked.into_iter().filter_map(person).collect())
    }

    async fn workplace_at(&self, domain: &Domain, asker: AccountId) -> Result<Workplace, EngineError> {
        let digest = self.identity.digest_domain(domain);
        let found = visible(self.graph.companies_by_digest(digest).await?, asker, |company| company.owner);
        let ids: Vec<CompanyId> = found.iter().map(|company| company.id).collect();
        Ok(at_one_of(Workplace::at_domain(domain), &ids))
    }

    async fn workplace_named(&self, name: &str, asker: AccountId) -> Result<Workplace, EngineError> {
        let (companies, settled) = self.companies_named(name, None, asker).await?;
        let possible = settled.into_iter().filter_map(|(place, _)| companies.get(place));
        Ok(at_one_of(Workplace::named(name), &possible.map(|company| company.id).collect::<Vec<_>>()))
    }

    async fn resolve_company_name(
        &self,
        name: &str,
        country: Option<&str>,
        asker: AccountId,
    ) -> Result<Option<Found<Company>>, EngineError> {
        let (mut companies, possible) = self.companies_named(name, country, asker).await?;
        let matched_on: &[&str] = if country.is_some() { &["name", "country"] } else { &["name"] };
        let Some((best, confidence)) = possible.first().copied() else { return Ok(None) };
        if best >= companies.len() {
            return Ok(None);
        }
        let record = companies.swap_remove(best);
        Ok(Some(Found { record, confidence, matched_on }))
    }

    /// The companies a name may mean, and which of them how surely, the best first.
    async fn companies_named(
        &self,
        name: &str,
        country: Option<&str>,
        asker: AccountId,
    ) -> Result<(Vec<Company>, Vec<(usize, Confidence)>), EngineError> {
        let digest = self.identity.digest_company_name(&fold_company(name));
        let mut companies = self.graph.companies_by_digest(digest).await?;
        if companies.is_empty() {
            let keys = company_asked_keys(&CompanyWords::of(name), &self.identity);
            let keys: Vec<i64> = keys.into_iter().map(|MatchKey(key)| key).collect();
            companies = self.graph.companies_by_match_keys(&keys).await?;
        }
        let mut companies = visible(companies, asker, |company| company.owner);
        if let Some(country) = country {
            companies.retain(|company| is_in(company, country));
        }
        let profiles: Vec<CompanyProfile> =
            companies.iter().map(|company| CompanyProfile::of(&company.facts)).collect();
        let asked = CompanyProfile::new(Some(name), None, None, country);
        let settled = settle_company(&asked, &profiles.iter().collect::<Vec<_>>());
        Ok((companies, settled.possible))
    }

    fn lookup(&self, query: &PersonQuery) -> Lookup {
        let key = &self.identity;
        let (digest, certainty, matched_on): (Digest, u8, &'static [&'static str]) = match query {
            PersonQuery::NetworkUrl(url) => (key.digest_network_url(url), 99, &["networkUrl"]),
            PersonQuery::Email(email) => (key.digest_email(email), 98, &["email"]),
            PersonQuery::Phone(phone) => (key.digest_phone(phone), 95, &["phone"]),
            PersonQuery::NameAtDomain(name, domain) => {
                (key.digest_name_at_domain(name, domain), 90, &["name", "company_domain"])
            }
            PersonQuery::NameAtCompany(name, company) => {
                (key.digest_name_at_company(name, &fold_company(company)), 85, &["name", "company_name"])
            }
        };
        Lookup { digest, certainty, matched_on }
    }
}

/// How sure it can be that somebody is meant of whom nobody knows where they work: less than is enough for anybody.
const UNPLACED_PERCENT_MAX: u8 = 50;

/// Whether anything places them anywhere: a job, or an address at the company's own site. A name alone is too many people's.
fn could_work_at(person: &Person, query: &PersonQuery) -> bool {
    let is_at = |domain: &Domain| person.facts.emails.iter().any(|known| known.address.domain() == *domain);
    let by_address = matches!(query, PersonQuery::NameAtDomain(_, domain) if is_at(domain));
    by_address || person.company.is_some() || !person.experience.is_empty()
}

/// Another account's record is as good as none; one's own goes before everybody's.
fn visible<T>(candidates: Vec<T>, asker: AccountId, owner: impl Fn(&T) -> Option<AccountId>) -> Vec<T> {
    let (own, shared): (Vec<T>, Vec<T>) = candidates
        .into_iter()
        .filter(|candidate| may_see(owner(candidate), asker))
        .partition(|candidate| owner(candidate).is_some());
    if own.is_empty() { shared } else { own }
}

fn at_one_of(workplace: Workplace, companies: &[CompanyId]) -> Workplace {
    match companies {
        [only] => Workplace { company: Some(*only), ..workplace },
        several => Workplace { possible: several.to_vec(), ..workplace },
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
