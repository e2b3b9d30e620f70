//! Companies one after the other, each completed to a row, until the page is full.

use super::account::domains_of;
use super::rows::FoundRows;
use crate::context::Context;
use crate::fault::Fault;
use crate::search::{Conditions, PageWish, TruncatedBy, find};
use assay_domain::Company;
use assay_domain::limits::{FIRM_PAGES_MAX, FIRMS_COMPLETED_AT_ONCE};
use assay_index::{Asker, Clause, Page, Question, Term};
use assay_replica::Side;
use futures_util::{StreamExt, TryStreamExt, stream};
use std::sync::Arc;

/// Companies of one domain that are looked through.
const SAME_DOMAIN_MAX: usize = 16;

/// A row of an answer, made of a company.
pub trait FirmRow: Sized + Send {
    /// What is asked of a company beyond what the index can tell.
    type Sieve: Sync;

    /// The row with all that is promised of it; none where something is missing, or was not asked for.
    fn complete(
        context: &Context,
        sieve: &Self::Sieve,
        company: Company,
    ) -> impl Future<Output = Result<Option<Self>, Fault>> + Send;
}

/// Goes through what meets the conditions until the page is full.
pub async fn walk_firms<R: FirmRow>(
    context: &Context,
    conditions: &Conditions,
    wish: &PageWish,
    sieve: &R::Sieve,
) -> Result<FoundRows<R>, Fault> {
    let most = wish.limit().min(context.units_affordable);
    let (mut rows, mut steps, mut cursor): (Vec<R>, _, Option<String>) = (Vec::new(), Vec::new(), None);
    let count = |rows: &Vec<R>| u32::try_from(rows.len()).unwrap_or(u32::MAX);
    for _ in 0..FIRM_PAGES_MAX {
        // No more than there is room for, so that the next page begins after the last row told.
        let page = wish.go_on(cursor.as_deref(), most - count(&rows).min(most))?;
        let found = find::<Company>(context, conditions.clone(), &page).await?;
        let completing = found.rows.into_iter().map(|company| R::complete(context, sieve, company));
        let completed: Vec<Option<R>> =
            stream::iter(completing).buffered(FIRMS_COMPLETED_AT_ONCE).try_collect().await?;
        rows.extend(completed.into_iter().flatten());
        steps.extend(found.steps);
        cursor = found.next_cursor;
        if count(&rows) >= most || cursor.is_none() {
            break;
        }
    }
    let is_short = cursor.is_some() && wish.limit() > context.units_affordable && count(&rows) >= most;
    let truncated_by = is_short.then_some(TruncatedBy::Credits);
    Ok(FoundRows { units: count(&rows), rows, truncated_by, next_cursor: cursor, steps })
}

/// Whether a company is one of those that meet the conditions.
pub async fn meets(context: &Context, conditions: &Conditions, company: &Company) -> Result<bool, Fault> {
    let Conditions { mut all, none } = conditions.clone();
    all.push(Clause::OneOf(Term::CompanyDomain, domains_of(company)));
    let (indexes, _) = context.replica.newest()?;
    let question = Question { all, none, asker: Asker::Account(context.memory.account().uuid()) };
    // Two of one domain are rare, and more than a few are not.
    let page = Page { after: None, limit: SAME_DOMAIN_MAX, count_to: 0, unchanged_since: None };
    let hits = indexes.search(Side::Companies, &Arc::new(question), page).await?;
    Ok(hits.rows.iter().any(|place| place.id == company.id.uuid()))
}
