//! Who came to a company and who left it lately, by name.

use super::account::domains_of;
use crate::context::Context;
use crate::fault::Fault;
use assay_domain::limits::{MOVES_SHOWN_MAX, RECENT_COMPLETED_AT_ONCE};
use assay_domain::signal::{Content, Move, Post};
use assay_domain::{Company, Person, PersonId, Signal, SignalKind};
use assay_engine::signals::{Moment, Part, RecentFilter};
use chrono::{NaiveDate, TimeDelta};
use futures_util::{StreamExt, TryStreamExt, stream};
use schemars::JsonSchema;
use serde::Serialize;

/// How long somebody's coming or going is news at the account.
const NEWS_DAYS: i64 = 90;

/// Somebody who came or left.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AccountMove")]
pub struct MoveView {
    pub full_name: String,
    /// Of the job they took or left there.
    pub title: String,
    #[schemars(extend("enum" = ["hire", "leave"]))]
    pub change: &'static str,
    pub on: NaiveDate,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_url: Option<String>,
}

/// The newest first; who is not known is not told.
pub async fn moves_at(context: &Context, company: &Company) -> Result<Vec<(PersonId, MoveView)>, Fault> {
    let filter = RecentFilter {
        since: Some(context.now - TimeDelta::days(NEWS_DAYS)),
        domains: domains_of(company),
        part: Some(Part::Profile),
        ..RecentFilter::all(SignalKind::JobChange)
    };
    if filter.domains.is_empty() {
        return Ok(Vec::new());
    }
    let most = i64::try_from(2 * MOVES_SHOWN_MAX).unwrap_or(i64::MAX);
    let recent = context.engine.recent_signals(&filter, i64::MAX, Moment::after(context.now), most).await?;
    let unmasking = recent.signals.into_iter().map(|(_, signal)| async move {
        let person = context.engine.unmask(&signal, context.memory.account()).await?;
        Ok::<_, Fault>(person.and_then(|person| move_of(person, &signal, company)))
    });
    let moves: Vec<Option<(PersonId, MoveView)>> =
        stream::iter(unmasking).buffered(RECENT_COMPLETED_AT_ONCE).try_collect().await?;
    Ok(moves.into_iter().flatten().take(MOVES_SHOWN_MAX).collect())
}

/// None where both are of the same company, or neither is of this one.
fn move_of(person: Person, signal: &Signal, company: &Company) -> Option<(PersonId, MoveView)> {
    let Content::JobChange(Move { from, to, .. }) = &signal.content else { return None };
    let is_here = |post: &&Post| {
        let domain = post.company.domain.as_ref();
        domain.is_some()
            && company.facts.domain.iter().chain(&company.facts.domains).any(|own| Some(own) == domain)
    };
    let (left, came) = (from.as_ref().filter(is_here), to.as_ref().filter(is_here));
    let (post, change) = match (left, came) {
        (None, Some(came)) => (came, "hire"),
        (Some(left), None) => (left, "leave"),
        _ => return None,
    };
    let view = MoveView {
        title: post.title.clone(),
        change,
        on: post.on.unwrap_or_else(|| signal.occurred_at.date_naive()),
        network_url: person.facts.network_url.as_ref().map(ToString::to_string),
        full_name: person.facts.full_name,
    };
    Some((person.id, view))
}
