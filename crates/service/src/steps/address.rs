//! Somebody's business address: known, worked out from those of colleagues, or told by a vendor.

use super::somebody::{Who, ask, name_of};
use crate::context::Context;
use crate::fault::Fault;
use assay_domain::limits::FINDER_EXAMPLES_READ_MAX;
use assay_domain::person::{EmailKind, KnownEmail};
use assay_domain::taxonomy::EmailStatus;
use assay_domain::{Confidence, Domain, Email, Lookup, Person, PersonId, PersonName};
use assay_engine::finder::{Example, Setting};
use assay_engine::mail::{AddressQuery, AddressSearch, Freshness};
use assay_index::{Asker, Clause, Page, Question, Term};
use assay_replica::Side;
use chrono::{DateTime, Utc};
use std::sync::Arc;

/// What a search for somebody's business address came to; none for a profile that is nobody's.
pub async fn business_address(
    context: &Context,
    who: &Who,
    freshness: Freshness,
    person: Option<&Person>,
) -> Result<Option<AddressSearch>, Fault> {
    let Some(query) = query(context, who, freshness, person).await? else { return Ok(None) };
    let ask = ask(context, Lookup::WorkEmail, who, person, freshness);
    let searching = Box::pin(context.engine.find_address(&query, &ask, context.now));
    Ok(Some(context.slot.aside(searching).await?))
}

/// What is known before anybody is asked; nothing for a profile that is nobody's.
async fn query(
    context: &Context,
    who: &Who,
    freshness: Freshness,
    person: Option<&Person>,
) -> Result<Option<AddressQuery>, Fault> {
    let employer = person.and_then(|person| person.company.as_ref());
    let (name, domain) = match who {
        Who::Named(name, domain) => (Some(name.clone()), Some(domain.clone())),
        Who::Network(_) => {
            let name = person.and_then(name_of);
            (name, employer.and_then(|employer| employer.domain.clone()))
        }
    };
    let Some(name) = name else { return Ok(None) };
    let employer = employer.filter(|employer| employer.domain == domain);
    let people = employer.and_then(|employer| employer.employee_count);
    let country = person.and_then(|person| person.facts.location.as_ref()?.country.as_deref());
    let (setting, examples) = match &domain {
        Some(domain) => {
            let examples = examples(context, domain, &name, person.map(|person| person.id)).await?;
            (Setting::of(domain, people, country), examples)
        }
        None => (Setting::default(), Vec::new()),
    };
    let known = person.map(|person| known(person, domain.as_ref())).unwrap_or_default();
    Ok(Some(AddressQuery { name, domain, setting, known, examples, freshness }))
}

/// Business addresses they were listed with. With another company they left them behind.
fn known(person: &Person, domain: Option<&Domain>) -> Vec<Email> {
    let listed = person.facts.emails.iter().filter(|known| known.kind == EmailKind::Business);
    let listed = listed.map(|known| known.address.clone());
    listed.filter(|email| domain.is_none_or(|domain| email.domain() == *domain)).collect()
}

/// Addresses of colleagues, those of the same family name first: one of them may have the address that would be theirs.
async fn examples(
    context: &Context,
    domain: &Domain,
    name: &PersonName,
    own: Option<PersonId>,
) -> Result<Vec<Example>, Fault> {
    // A node whose index is being filled knows no colleagues, which is worse, but no reason to refuse.
    let Ok((indexes, _)) = context.replica.newest() else { return Ok(Vec::new()) };
    let account = context.memory.account();
    let colleagues = Question {
        all: vec![Clause::OneOf(Term::CompanyDomain, vec![domain.as_str().to_owned()])],
        none: Vec::new(),
        asker: Asker::Account(account.uuid()),
    };
    let page = Page { after: None, limit: FINDER_EXAMPLES_READ_MAX, count_to: 0, unchanged_since: None };
    let hits = indexes.search(Side::People, &Arc::new(colleagues), page).await?;
    let ids: Vec<PersonId> = hits.rows.iter().map(|place| PersonId::from_uuid(place.id)).collect();
    let people = context.engine.people_seen_by(account, &ids).await?;
    let others = people.iter().filter(|person| Some(person.id) != own);
    let mut examples: Vec<Example> =
        others.flat_map(|person| examples_of(person, domain, context.now)).collect();
    examples.sort_by_key(|example| example.name.last() != name.last());
    Ok(examples)
}

fn examples_of(person: &Person, domain: &Domain, now: DateTime<Utc>) -> Vec<Example> {
    let Some(name) = name_of(person) else { return Vec::new() };
    let listed = person.facts.emails.iter().filter(|known| known.address.domain() == *domain);
    let example = |known: &KnownEmail| {
        let seen = known.verified_at.unwrap_or(person.refreshed_at);
        Example {
            name: name.clone(),
            email: known.address.clone(),
            confidence: trust(known.status),
            age_days: u32::try_from((now - seen).num_days()).unwrap_or(0),
        }
    };
    listed.map(example).collect()
}

/// How sure a listed address shows how the company writes its addresses.
fn trust(status: Option<EmailStatus>) -> Confidence {
    use EmailStatus::{CatchAllValid, Disposable, Invalid, Valid};
    match status {
        Some(Valid | CatchAllValid) => Confidence::percent(97),
        Some(Invalid | Disposable) => Confidence::percent(30),
        _ => Confidence::percent(80),
    }
}
