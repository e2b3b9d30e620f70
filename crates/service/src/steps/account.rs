//! The company or the person that a call is about.

use crate::context::Context;
use crate::endpoint::Trace;
use crate::fault::Fault;
use crate::upstream::ask_for_person;
use assay_domain::clock::Stopwatch;
use assay_domain::{Company, Confidence, Domain, NetworkHosts, NetworkUrl, Person};
use assay_engine::{CompanyQuery, PersonQuery};

pub fn read_domain(text: &str, pointer: &str) -> Result<Domain, Fault> {
    Domain::parse(text).map_err(|error| Fault::unreadable(pointer, &error))
}

pub fn read_network_url(text: &str, hosts: &NetworkHosts) -> Result<NetworkUrl, Fault> {
    NetworkUrl::parse(text, hosts).map_err(|error| Fault::unreadable("/networkUrl", &error))
}

/// All domains of a company, as texts.
pub fn domains_of(company: &Company) -> Vec<String> {
    company.facts.domain.iter().chain(&company.facts.domains).map(ToString::to_string).collect()
}

/// The company with this domain, if it is surely known.
pub async fn known_company(context: &Context, domain: &Domain) -> Result<Option<Company>, Fault> {
    let query = CompanyQuery::Domain(domain.clone());
    let found = context.engine.resolve_company(&query, context.memory.account()).await?;
    Ok(found.filter(|found| found.confidence >= Confidence::ENOUGH).map(|found| found.record))
}

/// The person with this profile, if they are surely known.
pub async fn known_person(context: &Context, url: &NetworkUrl) -> Result<Option<Person>, Fault> {
    let query = PersonQuery::NetworkUrl(url.clone());
    let found = context.engine.resolve_person(&query, context.memory.account()).await?;
    Ok(found.filter(|found| found.confidence >= Confidence::ENOUGH).map(|found| found.record))
}

/// The same, or whoever a vendor knows by it; and who was asked.
pub async fn found_person(context: &Context, url: &NetworkUrl) -> Result<(Option<Person>, Trace), Fault> {
    let watch = Stopwatch::start();
    let known = known_person(context, url).await?;
    let mut trace = Trace::graph(known.is_some(), watch.elapsed());
    let person = match known {
        Some(known) => Some(known),
        None => {
            let query = PersonQuery::NetworkUrl(url.clone());
            let found = ask_for_person(context, &query, &mut trace).await?;
            found.filter(|found| found.confidence >= Confidence::ENOUGH).map(|found| found.record)
        }
    };
    trace.people.extend(person.iter().map(|person| person.id));
    Ok((person, trace))
}

/// The company somebody works at.
pub async fn employer_of(context: &Context, person: &Person) -> Result<Option<Company>, Fault> {
    let Some(employer) = &person.company else { return Ok(None) };
    let companies = context.engine.companies_seen_by(context.memory.account(), &[employer.id]).await?;
    Ok(companies.into_iter().next())
}
