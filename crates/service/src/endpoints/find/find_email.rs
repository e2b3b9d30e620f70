//! `POST /v1/find-email`: somebody's address at the company they work for.

use super::somebody::{FindEmailQuestion, FindEmailRequest, FindEmailResponse, Who, ask, name_of, outcome};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::clock::Stopwatch;
use assay_domain::limits::FINDER_EXAMPLES_READ_MAX;
use assay_domain::person::EmailKind;
use assay_domain::{Credits, Domain, Email, Lookup, NetworkHosts, Person, PersonId, PersonName, Plan, Price};
use assay_engine::finder::{Example, Setting};
use assay_engine::mail::AddressQuery;
use assay_index::{Asker, Clause, Page, Question, Term};
use assay_replica::Side;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use std::sync::Arc;

#[derive(Debug)]
pub enum FindEmail {}

impl Endpoint for FindEmail {
    const SPEC: Spec = Spec {
        name: "find-email",
        verb: Verb::Post,
        path: "/v1/find-email",
        status: 200,
        group: Group::Find,
        price: Price::Flat(Credits::whole(2)),
        unit: "address",
        units_max: 1,
        plan: Plan::Trial,
        scope: Scope::Lookup,
        spends_upstream: true,
        summary: "Find somebody's business address",
        description: "A profile, or a name and the domain of a company, gives a business address whose mail server was asked less \
                      than 30 days ago. An address somebody is listed with is validated again; else one is worked out from how \
                      the company writes its addresses, and asked for; else vendors the operator has connected are asked. Charged \
                      only when one is found.",
    };
    type Request = FindEmailRequest;
    type Question = FindEmailQuestion;
    type Response = FindEmailResponse;

    fn parse(request: FindEmailRequest, hosts: &NetworkHosts) -> Result<FindEmailQuestion, Fault> {
        FindEmailQuestion::read(&request, hosts)
    }

    fn example() -> (Value, FindEmailResponse) {
        let request = json!({ "kind": "network", "networkUrl": "https://network.example/in/ada-okafor" });
        let response = FindEmailResponse::example("ada.okafor@northwind-robotics.example", "google", false);
        (request, response)
    }

    fn not_found() -> Option<FindEmailResponse> {
        Some(FindEmailResponse::nothing(None))
    }

    async fn run(
        context: &Context,
        question: FindEmailQuestion,
    ) -> Result<Outcome<FindEmailResponse>, Fault> {
        let watch = Stopwatch::start();
        let person = question.person(context).await?;
        let who = question.who.clone();
        let Some(query) = query(context, question, person.as_ref()).await? else {
            return Ok(Outcome::nothing(FindEmailResponse::nothing(None)));
        };
        let ask = ask(context, Lookup::WorkEmail, &who, person.as_ref(), query.freshness);
        let searching = Box::pin(context.engine.find_address(&query, &ask, context.now));
        let search = context.slot.aside(searching).await?;
        outcome(search, person.as_ref(), watch, context.now)
    }
}

/// What is known before anybody is asked; nothing for a profile that is nobody's.
async fn query(
    context: &Context,
    question: FindEmailQuestion,
    person: Option<&Person>,
) -> Result<Option<AddressQuery>, Fault> {
    let employer = person.and_then(|person| person.company.as_ref());
    let (name, domain) = match question.who {
        Who::Named(name, domain) => (Some(name), Some(domain)),
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
    Ok(Some(AddressQuery { name, domain, setting, known, examples, freshness: question.freshness }))
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
    let example = |known: &assay_domain::person::KnownEmail| {
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
fn trust(status: Option<assay_domain::taxonomy::EmailStatus>) -> assay_domain::Confidence {
    use assay_domain::Confidence;
    use assay_domain::taxonomy::EmailStatus::{CatchAllValid, Disposable, Invalid, Valid};
    match status {
        Some(Valid | CatchAllValid) => Confidence::percent(97),
        Some(Invalid | Disposable) => Confidence::percent(30),
        _ => Confidence::percent(80),
    }
}
