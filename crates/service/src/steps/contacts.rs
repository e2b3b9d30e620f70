//! A list of contacts against the feed: what happened to each of them within a window.

use super::rows::FoundRows;
use super::window::{Since, Window};
use crate::context::Context;
use crate::endpoint::Step;
use crate::fault::Fault;
use crate::search::TruncatedBy;
use crate::search::values::OneValue;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{
    CONTACTS_MAX, EMAIL_CHARS_MAX, RECENT_COMPLETED_AT_ONCE, URL_CHARS_MAX, WINDOW_DAYS_MAX,
};
use assay_domain::network_url::NetworkUrlKind;
use assay_domain::watch::{Happening, Transition};
use assay_domain::{Confidence, Digest, Email, NetworkHosts, NetworkUrl, Person, Signal, SignalId};
use assay_engine::PersonQuery;
use assay_engine::signals::Watched;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::{StreamExt, TryStreamExt, stream};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Somebody you know, by their profile or their address.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Contact")]
pub struct ContactGiven {
    /// Of their profile.
    #[serde(rename = "networkUrl")]
    #[garde(length(chars, max = URL_CHARS_MAX))]
    network_url: Option<String>,
    #[garde(length(chars, max = EMAIL_CHARS_MAX))]
    email: Option<String>,
    /// What you call them; it comes back as it was sent.
    #[garde(length(chars, max = 200))]
    id: Option<String>,
}

/// A contact as it was sent.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ContactTold")]
pub struct ContactView {
    #[serde(skip_serializing_if = "Option::is_none")]
    network_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

impl From<ContactGiven> for ContactView {
    fn from(ContactGiven { network_url, email, id }: ContactGiven) -> Self {
        Self { network_url, email, id }
    }
}

impl ContactView {
    pub fn example() -> Self {
        let network_url = Some("https://network.example/in/ada-okafor".to_owned());
        Self { network_url, email: None, id: Some("crm-4417".to_owned()) }
    }
}

/// Contacts, and how far back is looked.
#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct ContactsRequest {
    /// Each with `networkUrl` or `email`; the same one twice is one.
    #[garde(length(min = 1, max = CONTACTS_MAX), dive)]
    #[schemars(length(min = 1, max = CONTACTS_MAX))]
    contacts: Vec<ContactGiven>,
    /// What happened in the last so many times 24 hours; 30 if nothing is said.
    #[garde(range(min = 1, max = WINDOW_DAYS_MAX))]
    #[schemars(range(min = 1, max = WINDOW_DAYS_MAX))]
    days: Option<u32>,
    /// What happened on this day or time and since then, in place of `days`.
    since: Option<OneValue<Since>>,
}

#[derive(Debug)]
pub struct ContactsQuestion {
    contacts: Vec<(ContactGiven, PersonQuery)>,
    window: Window,
}

impl ContactsQuestion {
    pub fn read(request: ContactsRequest, hosts: &NetworkHosts) -> Result<Self, Fault> {
        let window = Window::read(request.days, request.since)?;
        Self::within(request.contacts, window, hosts)
    }

    pub fn within(given: Vec<ContactGiven>, window: Window, hosts: &NetworkHosts) -> Result<Self, Fault> {
        let mut contacts = Vec::with_capacity(given.len());
        for (place, contact) in given.into_iter().enumerate() {
            let query = query(&contact, &format!("/contacts/{place}"), hosts)?;
            contacts.push((contact, query));
        }
        Ok(Self { contacts, window })
    }

    /// Each of them is a unit at most.
    pub fn units_max(&self) -> u32 {
        u32::try_from(self.contacts.len()).unwrap_or(u32::MAX)
    }
}

fn query(contact: &ContactGiven, pointer: &str, hosts: &NetworkHosts) -> Result<PersonQuery, Fault> {
    match (&contact.network_url, &contact.email) {
        (Some(url), None) => {
            let pointer = format!("{pointer}/networkUrl");
            let url = NetworkUrl::parse(url, hosts).map_err(|error| Fault::unreadable(&pointer, &error))?;
            if url.kind() != NetworkUrlKind::Person {
                let fix = "send the address of a person's profile";
                return Err(Fault::field(&pointer, "not_a_person", "not the profile of a person", fix));
            }
            Ok(PersonQuery::NetworkUrl(url))
        }
        (None, Some(email)) => {
            let email = Email::parse(email);
            Ok(PersonQuery::Email(
                email.map_err(|error| Fault::unreadable(&format!("{pointer}/email"), &error))?,
            ))
        }
        _ => {
            let fix = "send networkUrl or email of each contact, not both";
            Err(Fault::field(pointer, "one_of", "the contact is given twice or not at all", fix))
        }
    }
}

/// Somebody to whom something happened, and the newest of it that is meant.
#[derive(Debug)]
pub struct ChangedContact<D> {
    pub contact: ContactView,
    pub person: Person,
    pub detail: D,
    pub detected_at: DateTime<Utc>,
}

impl<D> ChangedContact<D> {
    pub fn example(detail: D) -> Self {
        let (person, detected_at) = (crate::example::person(), crate::example::moment());
        Self { contact: ContactView::example(), person, detail, detected_at }
    }
}

/// What `meant` makes of the newest thing that happened to each contact; who is not known, and who is not told of, is left out.
pub async fn changed<D>(
    context: &Context,
    asked: ContactsQuestion,
    meant: impl Fn(Transition, &Signal) -> Option<D>,
) -> Result<FoundRows<ChangedContact<D>>, Fault> {
    let watch = Stopwatch::start();
    let (window, now) = (asked.window, context.now);
    let known = known(context, asked.contacts).await?;
    let watched: Vec<Watched> = known.iter().map(|one| Watched::Person(one.url.clone())).collect();
    // From the day before on: a day begins before any time of it.
    let happened = context.engine.happened_to(&watched, window.begin(now) - TimeDelta::days(1)).await?;
    let happened: Vec<Happening> =
        happened.into_iter().filter(|it| window.holds(it.occurred_at, now)).collect();
    let ids: Vec<SignalId> = happened.iter().map(|it| it.signal).collect();
    let signals = context.engine.signals(&ids).await?;
    // They come oldest first: the last that is meant is the newest.
    let mut newest: HashMap<Digest, (D, DateTime<Utc>)> = HashMap::new();
    for it in &happened {
        let Some(signal) = signals.get(&it.signal) else { continue };
        if let Some(detail) = meant(it.transition, signal) {
            newest.insert(it.subject, (detail, signal.detected_at));
        }
    }
    let mut changed = Vec::new();
    for Known { contact, person, url } in known {
        let subject = context.engine.watch_digest(&Watched::Person(url));
        if let Some((detail, detected_at)) = newest.remove(&subject) {
            changed.push(ChangedContact { contact: contact.into(), person, detail, detected_at });
        }
    }
    let most = usize::try_from(context.units_affordable).unwrap_or(usize::MAX);
    let truncated_by = (changed.len() > most).then_some(TruncatedBy::Credits);
    changed.truncate(most);
    let outcome = if changed.is_empty() { "not_found" } else { "found" };
    Ok(FoundRows {
        units: u32::try_from(changed.len()).unwrap_or(u32::MAX),
        rows: changed,
        truncated_by,
        next_cursor: None,
        steps: vec![Step::own("signals", outcome, watch.elapsed())],
    })
}

/// A contact the graph knows, with a profile that signals name them by.
struct Known {
    contact: ContactGiven,
    person: Person,
    url: NetworkUrl,
}

async fn known(context: &Context, contacts: Vec<(ContactGiven, PersonQuery)>) -> Result<Vec<Known>, Fault> {
    let account = context.memory.account();
    let resolving = contacts.into_iter().map(|(contact, query)| async move {
        let found = context.engine.resolve_person(&query, account).await?;
        let person = found.filter(|found| found.confidence >= Confidence::ENOUGH).map(|found| found.record);
        let Some(person) = person else { return Ok(None) };
        let url = match query {
            PersonQuery::NetworkUrl(url) => Some(url),
            _ => person.facts.network_url.clone(),
        };
        Ok::<_, Fault>(url.map(|url| Known { contact, person, url }))
    });
    let resolving: Vec<_> = resolving.collect();
    let found: Vec<Option<Known>> =
        stream::iter(resolving).buffered(RECENT_COMPLETED_AT_ONCE).try_collect().await?;
    let mut seen = std::collections::HashSet::new();
    Ok(found.into_iter().flatten().filter(|one| seen.insert(one.person.id)).collect())
}
