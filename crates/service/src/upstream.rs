//! What vendors have to do with a call: how they show in its trace, and what it means when all of them fail.

use crate::context::Context;
use crate::endpoint::{Step, Trace};
use crate::fault::{Code, Fault};
use assay_domain::{Lookup, Person};
use assay_engine::upstream::{Trail, UpstreamStep};
use assay_engine::{Found, PersonQuery};
use std::borrow::Cow;

impl Trace {
    /// Adds the vendors that were asked.
    pub(crate) fn add_vendors(&mut self, trail: &Trail) {
        let step = |step: &UpstreamStep| Step {
            provider: Cow::Owned(step.provider.to_string()),
            outcome: step.outcome,
            latency: step.latency,
            upstream_cost_micros: step.micros,
        };
        self.steps.extend(trail.steps.iter().map(step));
    }
}

/// That nothing was found is said only if somebody said so: when every vendor failed, the call fails, and costs nothing.
pub(crate) fn not_silent(trail: &Trail) -> Result<(), Fault> {
    if !trail.is_silent() {
        return Ok(());
    }
    let outcomes: Vec<String> =
        trail.steps.iter().map(|step| format!("{} ({})", step.provider, step.outcome)).collect();
    let detail = format!("no source could be asked: {}", outcomes.join(", "));
    Err(Fault::new(Code::UpstreamError, detail))
}

/// Somebody the graph does not know, by a vendor that does.
pub(crate) async fn ask_for_person(
    context: &Context,
    query: &PersonQuery,
    trace: &mut Trace,
) -> Result<Option<Found<Person>>, Fault> {
    let asker = context.memory.account();
    if !context.engine.can_ask(Lookup::Person, asker) {
        return Ok(None);
    }
    context.before_spending()?;
    let asking = Box::pin(context.engine.ask_for_person(query, asker, context.now));
    let search = context.slot.aside(asking).await?;
    trace.add_vendors(&search.trail);
    trace.is_own_key |= search.is_own_key;
    if search.found.is_none() {
        not_silent(&search.trail)?;
    }
    Ok(search.found)
}
