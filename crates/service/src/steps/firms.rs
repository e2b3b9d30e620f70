//! Companies one after the other, each completed to a row, until the page is full.

use super::account::domains_of;
use super::rows::FoundRows;
use crate::context::Context;
use crate::endpoint::Step;
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
    /// What is known of it before anything is spent upstream.
    type Draft: Send;

    /// By what is known; none where something is missing, or was not asked for.
    fn draft(
        context: &Context,
        sieve: &Self::Sieve,
        company: Company,
    ) -> impl Future<Output = Result<Option<Self::Draft>, Fault>> + Send;

    /// The row with all that is promised of it; none where something is missing.
    fn complete(
        context: &Context,
        sieve: &Self::Sieve,
        draft: Self::Draft,
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
    let mut rows: Vec<R> = Vec::new();
    let count = |rows: &Vec<R>| u32::try_from(rows.len()).unwrap_or(u32::MAX);
    let mut firms = Firms { conditions, wish, cursor: None, pages: 0, steps: Vec::new() };
    loop {
        let drafts = firms.gather::<R>(context, sieve, most.saturating_sub(count(&rows))).await?;
        let completing = drafts.into_iter().map(|draft| R::complete(context, sieve, draft));
        let completed: Vec<Option<R>> =
            stream::iter(completing).buffered(FIRMS_COMPLETED_AT_ONCE).try_collect().await?;
        rows.extend(completed.into_iter().flatten());
        if count(&rows) >= most || firms.are_through() {
            break;
        }
    }
    let next_cursor = firms.cursor.clone();
    let is_cut = next_cursor.is_some() && wish.limit() > context.units_affordable && count(&rows) >= most;
    // Whether there would have been another is looked for, and nothing is spent on it.
    let is_short = is_cut && !firms.gather::<R>(context, sieve, 1).await?.is_empty();
    let truncated_by = is_short.then_some(TruncatedBy::Credits);
    Ok(FoundRows { units: count(&rows), rows, truncated_by, next_cursor, steps: firms.steps })
}

/// What meets the conditions, and how far it was looked through.
struct Firms<'a> {
    conditions: &'a Conditions,
    wish: &'a PageWish,
    cursor: Option<String>,
    pages: u32,
    steps: Vec<Step>,
}

impl Firms<'_> {
    /// As many as there is room for, if there are, before anything is spent on one of them: then all are asked for side by side.
    async fn gather<R: FirmRow>(
        &mut self,
        context: &Context,
        sieve: &R::Sieve,
        room: u32,
    ) -> Result<Vec<R::Draft>, Fault> {
        let mut drafts: Vec<R::Draft> = Vec::new();
        loop {
            // No more than there is room for, so that the next page begins after the last row told.
            let free = room.saturating_sub(u32::try_from(drafts.len()).unwrap_or(u32::MAX));
            let page = self.wish.go_on(self.cursor.as_deref(), free)?;
            let found = find::<Company>(context, self.conditions.clone(), &page).await?;
            let drafting = found.rows.into_iter().map(|company| R::draft(context, sieve, company));
            let drafted: Vec<Option<R::Draft>> =
                stream::iter(drafting).buffered(FIRMS_COMPLETED_AT_ONCE).try_collect().await?;
            drafts.extend(drafted.into_iter().flatten());
            self.steps.extend(found.steps);
            self.cursor = found.next_cursor;
            self.pages += 1;
            if u32::try_from(drafts.len()).unwrap_or(u32::MAX) >= room || self.are_through() {
                return Ok(drafts);
            }
        }
    }

    fn are_through(&self) -> bool {
        self.cursor.is_none() || self.pages >= FIRM_PAGES_MAX
    }
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
