//! What both questions for the alike have in common: how they are asked, cut to what is paid for, and explained.

use crate::context::Context;
use crate::endpoint::Step;
use crate::fault::Fault;
use crate::search::{Conditions, TruncatedBy};
use assay_domain::clock::Stopwatch;
use assay_domain::{Company, Person, Similarity};
use assay_engine::alike::{Alike, Lookout, Reason, Shortlist};
use assay_index::{Asker, Question};
use assay_replica::Side;
use schemars::JsonSchema;
use serde::Serialize;

/// One way in which a result is like the sources.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SimilarityReason")]
pub struct ReasonView {
    /// Of companies `description`, `technologies`, `industry`, `size`, `location` and `growth`; of people `title`, `skills`,
    /// `department`, `seniority`, `industry` and `size`.
    pub aspect: &'static str,
    /// How much of the similarity it makes up; those of all reasons together are 1.
    #[schemars(with = "f64", range(min = 0.0, max = 1.0))]
    pub share: Similarity,
    pub text: String,
    /// What both have, the most telling first; at most ten.
    pub shared: Vec<String>,
}

impl From<Reason> for ReasonView {
    fn from(reason: Reason) -> Self {
        let Reason { aspect, share, text, shared } = reason;
        Self { aspect: aspect.as_str(), share, text, shared }
    }
}

/// The question that candidates must meet.
pub fn question(context: &Context, conditions: Conditions) -> Question {
    let Conditions { all, none } = conditions;
    Question { all, none, asker: Asker::Account(context.memory.account().uuid()) }
}

pub async fn candidates(context: &Context, side: Side, lookout: Lookout) -> Result<Shortlist, Fault> {
    let (indexes, _) = context.replica.newest()?;
    Ok(indexes.ask(side, move |index| lookout.find(index)).await?)
}

/// Leaves what the caller can pay for, and tells whether that was not all.
pub fn affordable<T>(context: &Context, found: &mut Vec<Alike<T>>) -> Option<TruncatedBy> {
    let most = usize::try_from(context.units_affordable).unwrap_or(usize::MAX);
    let is_short = found.len() > most;
    found.truncate(most);
    is_short.then_some(TruncatedBy::Credits)
}

pub fn step<T>(found: &[T], watch: Stopwatch) -> Step {
    let outcome = if found.is_empty() { "not_found" } else { "found" };
    Step::own("index", outcome, watch.elapsed())
}

/// Companies like one other, the most alike first.
pub async fn companies_like(
    context: &Context,
    company: &Company,
    most: usize,
) -> Result<Vec<Alike<Company>>, Fault> {
    let sources = std::slice::from_ref(company);
    let lookout = Lookout::companies(sources, question(context, Conditions::default()), most);
    let shortlist = candidates(context, Side::Companies, lookout).await?;
    Ok(context.engine.companies_alike(sources, &shortlist, context.memory.account()).await?)
}

/// People like somebody, at other companies.
pub async fn people_like(
    context: &Context,
    person: &Person,
    most: usize,
) -> Result<Vec<Alike<Person>>, Fault> {
    let lookout = Lookout::people(person, question(context, Conditions::default()), most);
    let shortlist = candidates(context, Side::People, lookout).await?;
    Ok(context.engine.people_alike(person, &shortlist, context.memory.account()).await?)
}
