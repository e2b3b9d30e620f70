//! What both reverse lookups share: an identifier in, whose it is out.

use crate::context::Context;
use crate::endpoint::{Outcome, Trace};
use crate::example;
use crate::fault::Fault;
use crate::upstream::ask_for_person;
use crate::view::{EmployerView, PersonView};
use assay_domain::Confidence;
use assay_domain::clock::Stopwatch;
use assay_engine::PersonQuery;
use schemars::JsonSchema;
use serde::Serialize;

/// Whose it is.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct ReverseResponse {
    pub found: bool,
    pub person: Option<PersonView>,
    /// Of the person's profile.
    pub network_url: Option<String>,
    /// Where they work now.
    pub company: Option<EmployerView>,
}

impl ReverseResponse {
    pub(super) fn example() -> Self {
        Self::of(example::person())
    }

    fn of(person: assay_domain::Person) -> Self {
        let network_url = person.facts.network_url.as_ref().map(ToString::to_string);
        let company = person.company.clone().map(EmployerView::from);
        Self { found: true, person: Some(person.into()), network_url, company }
    }
}

/// In the graph, or else by whoever of the vendors knows them.
pub(super) async fn find(context: &Context, query: &PersonQuery) -> Result<Outcome<ReverseResponse>, Fault> {
    let watch = Stopwatch::start();
    let known = context.engine.resolve_person(query, context.memory.account()).await?;
    let known = known.filter(|found| found.confidence >= Confidence::ENOUGH);
    let mut trace = Trace::graph(known.is_some(), watch.elapsed());
    let found = match known {
        Some(known) => Some(known),
        None => ask_for_person(context, query, &mut trace).await?,
    };
    let Some(found) = found.filter(|found| found.confidence >= Confidence::ENOUGH) else {
        return Ok(Outcome::found(ReverseResponse::default(), 0, trace));
    };
    trace.people.push(found.record.id);
    Ok(Outcome::found(ReverseResponse::of(found.record), 1, trace))
}
