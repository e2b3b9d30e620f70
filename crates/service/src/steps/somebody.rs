//! Somebody, as a request names them or as the graph knows them; and the same question to vendors.

use super::account::read_domain;
use crate::context::Context;
use crate::fault::Fault;
use assay_domain::{Confidence, Digest, Domain, Lookup, NetworkUrl, Person, PersonName};
use assay_engine::PersonQuery;
use assay_engine::mail::Freshness;
use assay_engine::upstream::{EmailAsk, Subject};

/// Who is asked for.
#[derive(Debug, Clone)]
pub enum Who {
    Network(NetworkUrl),
    Named(PersonName, Domain),
}

impl Who {
    /// Reads the name and the domain of a request.
    pub fn named(first: &str, last: &str, domain: &str) -> Result<Self, Fault> {
        let name =
            PersonName::from_parts(first, last).map_err(|error| Fault::unreadable("/lastName", &error))?;
        Ok(Self::Named(name, read_domain(domain, "/domain")?))
    }

    /// Somebody the graph knows, by their profile or their name where they work.
    pub fn of(person: &Person) -> Option<Self> {
        let domain = || person.company.as_ref()?.domain.clone();
        let by_profile = person.facts.network_url.clone().map(Self::Network);
        by_profile.or_else(|| Some(Self::Named(name_of(person)?, domain()?)))
    }

    fn query(&self) -> PersonQuery {
        match self.clone() {
            Self::Network(url) => PersonQuery::NetworkUrl(url),
            Self::Named(name, domain) => PersonQuery::NameAtDomain(name, domain),
        }
    }

    /// The person meant, if the graph knows them well enough.
    pub async fn person(&self, context: &Context) -> Result<Option<Person>, Fault> {
        let found = context.engine.resolve_person(&self.query(), context.memory.account()).await?;
        Ok(found.filter(|found| found.confidence >= Confidence::ENOUGH).map(|found| found.record))
    }
}

/// The same question to vendors.
pub fn ask(
    context: &Context,
    lookup: Lookup,
    who: &Who,
    person: Option<&Person>,
    freshness: Freshness,
) -> EmailAsk {
    let (subject, question) = subject(context, who, person);
    EmailAsk { lookup, subject, question, asker: context.memory.account(), freshness }
}

/// Whom vendors are asked for, with all that is known of them; and what the question is remembered by.
pub fn subject(context: &Context, who: &Who, person: Option<&Person>) -> (Subject, Digest) {
    let query = who.query();
    let question = person.map_or_else(
        || context.engine.person_key(&query),
        |person| Digest::from_bytes(person.id.uuid().into_bytes()),
    );
    let employer = person.and_then(|person| person.company.as_ref());
    let mut subject = Subject {
        name: person.and_then(name_of),
        domain: employer.and_then(|employer| employer.domain.clone()),
        company_name: employer.map(|employer| employer.name.clone()),
        network_url: person.and_then(|person| person.facts.network_url.clone()),
        country: person.and_then(|person| person.facts.location.as_ref()?.country.clone()),
        ..Subject::default()
    };
    match who.clone() {
        Who::Network(url) => subject.network_url = Some(url),
        Who::Named(name, domain) => {
            if subject.domain.as_ref() != Some(&domain) {
                subject.company_name = None;
            }
            subject.name = Some(name);
            subject.domain = Some(domain);
        }
    }
    (subject, question)
}

pub fn name_of(person: &Person) -> Option<PersonName> {
    let facts = &person.facts;
    match (&facts.first_name, &facts.last_name) {
        (Some(first), Some(last)) => PersonName::from_parts(first, last).ok(),
        _ => PersonName::parse(&facts.full_name).ok(),
    }
}
