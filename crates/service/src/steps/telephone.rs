//! Somebody's telephone: known, kept from an earlier search, or told by a vendor.

use super::somebody::{Who, subject};
use crate::context::Context;
use crate::endpoint::{Step, Trace};
use crate::fault::Fault;
use crate::upstream::not_silent;
use assay_domain::Person;
use assay_domain::clock::Stopwatch;
use assay_engine::upstream::{PhoneFound, PhoneQuery, PhoneSearch};
use std::time::Duration;

/// What is looked for, and how old it may be.
#[derive(Debug)]
pub struct Wanted {
    pub who: Who,
    /// Whether a number that is not a mobile's will do.
    pub any_line: bool,
    pub max_age: Option<Duration>,
}

impl Wanted {
    pub fn new(who: Who, any_line: bool, max_age_days: Option<u32>) -> Self {
        let max_age = max_age_days.map(|days| Duration::from_hours(24 * u64::from(days)));
        Self { who, any_line, max_age }
    }
}

/// The number, if there is one, and how it was come by.
pub async fn search(context: &Context, wanted: Wanted) -> Result<(Option<PhoneFound>, Trace), Fault> {
    let person = wanted.who.person(context).await?;
    let (search, trace) = look(context, wanted, person).await?;
    // Our own graph's word is enough where it knows the person; else a vendor has to say it.
    if search.found.is_none() && !search.graph_has_none {
        not_silent(&search.trail)?;
    }
    Ok((search.found, trace))
}

/// What came of it, whoever said so.
pub async fn look(
    context: &Context,
    wanted: Wanted,
    person: Option<Person>,
) -> Result<(PhoneSearch, Trace), Fault> {
    let watch = Stopwatch::start();
    let Wanted { who, any_line, max_age } = wanted;
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
    if let Some(found) = &search.found {
        trace.cache_age_seconds = found.kept_from.map(|from| (context.now - from).num_seconds().max(0));
        trace.is_own_key = found.is_own_key;
        trace.people = people;
    }
    Ok((search, trace))
}
