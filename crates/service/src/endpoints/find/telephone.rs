//! What both searches for a telephone share: whose it is, and what a number in the answer says.

use super::somebody::{Who, subject};
use crate::context::Context;
use crate::endpoint::{Step, Trace};
use crate::fault::Fault;
use crate::upstream::not_silent;
use assay_domain::clock::Stopwatch;
use assay_domain::person::LineType;
use assay_domain::{Domain, PersonName};
use assay_engine::upstream::{PhoneFound, PhoneQuery};
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;

/// Reads the name and the domain of a request.
pub(super) fn named(first: &str, last: &str, domain: &str) -> Result<Who, Fault> {
    let name = PersonName::from_parts(first, last).map_err(|error| Fault::unreadable("/lastName", &error))?;
    let domain = Domain::parse(domain).map_err(|error| Fault::unreadable("/domain", &error))?;
    Ok(Who::Named(name, domain))
}

/// A number, and whose word it is. The answer is this and, where many sources are asked, who they were.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TelephoneView {
    pub found: bool,
    /// In international format.
    pub phone: Option<String>,
    /// Of the person's profile, where it is known.
    pub network_url: Option<String>,
    /// `graph`, or the name of the vendor whose word it is.
    pub source: Option<String>,
    /// What kind of line it is, by the country's numbering plan or by a carrier's word.
    #[schemars(with = "Option<String>")]
    pub line_type: Option<LineType>,
    /// Whom the number was given to; it may have been taken along to another.
    pub carrier: Option<String>,
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
}

impl TelephoneView {
    pub(super) fn nothing() -> Self {
        Self {
            found: false,
            phone: None,
            network_url: None,
            source: None,
            line_type: None,
            carrier: None,
            country: None,
        }
    }

    pub(super) fn example(phone: &str, line: LineType, carrier: &str, country: &str) -> Self {
        Self {
            found: true,
            phone: Some(phone.to_owned()),
            network_url: Some("https://network.example/in/ada-okafor".to_owned()),
            source: Some("graph".to_owned()),
            line_type: Some(line),
            carrier: Some(carrier.to_owned()),
            country: Some(country.to_owned()),
        }
    }

    fn of(found: PhoneFound) -> Self {
        Self {
            found: true,
            phone: Some(found.number.as_str().to_owned()),
            network_url: found.network_url.map(|url| url.to_string()),
            source: Some(found.source.to_string()),
            line_type: Some(found.line),
            carrier: found.carrier,
            country: found.country,
        }
    }
}

/// What is looked for, and how old it may be.
pub(super) struct Wanted {
    pub(super) who: Who,
    /// Whether a number that is not a mobile's will do.
    pub(super) any_line: bool,
    pub(super) max_age: Option<Duration>,
}

/// The number, if there is one, and how it was come by.
pub(super) async fn search(context: &Context, wanted: Wanted) -> Result<(TelephoneView, Trace), Fault> {
    let watch = Stopwatch::start();
    let Wanted { who, any_line, max_age } = wanted;
    let person = who.person(context).await?;
    let people: Vec<_> = person.iter().map(|person| person.id).collect();
    let (subject, question) = subject(context, &who, person.as_ref());
    let asker = context.memory.account();
    let query = PhoneQuery { subject, question, person, any_line, max_age, asker };
    let finding = Box::pin(context.engine.find_phone(&query, context.now));
    let search = context.slot.aside(finding).await?;
    let own = search.found.as_ref().filter(|found| &*found.source == "graph" || found.kept_from.is_some());
    let (source, outcome) = match own {
        Some(found) if found.kept_from.is_some() => ("kept", "found"),
        Some(_) => ("graph", "found"),
        None => ("graph", "not_found"),
    };
    let mut trace = Trace { steps: vec![Step::own(source, outcome, watch.elapsed())], ..Trace::default() };
    trace.add_vendors(&search.trail);
    let Some(found) = search.found else {
        // Our own graph's word is enough where it knows the person; else a vendor has to say it.
        if !search.graph_has_none {
            not_silent(&search.trail)?;
        }
        return Ok((TelephoneView::nothing(), trace));
    };
    trace.cache_age_seconds = found.kept_from.map(|from| (context.now - from).num_seconds().max(0));
    trace.is_own_key = found.is_own_key;
    trace.people = people;
    Ok((TelephoneView::of(found), trace))
}
