//! The same walk for rows that money is spent on upstream. Whom they would be of is gathered first, by what is known; then all of them
//! are asked for side by side, and no more than are sure to be paid for.

use super::recent::{Row, Walk, WalkWish, complete_all};
use super::rows::FoundRows;
use crate::context::Context;
use crate::fault::Fault;
use assay_domain::limits::{RECENT_COMPLETED_AT_ONCE, RECENT_READS_MAX};
use assay_engine::signals::{Moment, RecentFilter};
use futures_util::{StreamExt, TryStreamExt, stream};
use std::collections::VecDeque;
use uuid::Uuid;

/// A row that may cost something before it is whole. An answer has one of each unit.
pub trait SpendingRow: Sized + Send {
    /// What is known of it before anything is spent.
    type Draft: Row;

    /// The row with all that is promised of it; none where something is missing.
    fn spend(
        context: &Context,
        sieve: &<Self::Draft as Row>::Sieve,
        draft: Self::Draft,
    ) -> impl Future<Output = Result<Option<Self>, Fault>> + Send;
}

/// Walks back through what happened until the page is full.
pub async fn walk_spending<R: SpendingRow>(
    context: &Context,
    wish: &WalkWish,
    filter: &RecentFilter,
    sieve: &<R::Draft as Row>::Sieve,
) -> Result<FoundRows<R>, Fault> {
    let mut walk = Walk::begin(context, wish, filter).await?;
    let go_on = fill(context, &mut walk, sieve).await?;
    Ok(walk.end(context, wish, go_on))
}

/// Where more may be: after the last one money was spent on, or after the last one looked at.
async fn fill<R: SpendingRow>(
    context: &Context,
    walk: &mut Walk<'_, R>,
    sieve: &<R::Draft as Row>::Sieve,
) -> Result<Option<Moment>, Fault> {
    let mut drafts: Drafts<R::Draft> =
        Drafts { waiting: VecDeque::new(), ahead: Some(walk.before), reads: 0 };
    loop {
        // One at least, also where nothing more can be spent: whether there is another is told.
        drafts.gather(context, walk, sieve, walk.filling.room().max(1)).await?;
        let some = drafts.waiting.len().min(walk.filling.room());
        if some == 0 {
            return Ok(drafts.end(walk));
        }
        let spending = drafts.waiting.drain(..some).map(|(place, draft)| async move {
            let unit = draft.unit();
            R::spend(context, sieve, draft).await.map(|row| (place, unit, row))
        });
        let spending: Vec<_> = spending.collect();
        let spent: Vec<(Moment, Uuid, Option<R>)> =
            stream::iter(spending).buffered(RECENT_COMPLETED_AT_ONCE).try_collect().await?;
        for (place, unit, row) in spent {
            // There is room for all of them: no more were asked for.
            if let Some(row) = row {
                walk.filling.add(unit, row);
            }
            walk.before = place;
        }
    }
}

/// Rows to be, in their order.
struct Drafts<D> {
    waiting: VecDeque<(Moment, D)>,
    /// From where on nothing was read; none at the end.
    ahead: Option<Moment>,
    reads: u32,
}

impl<D: Row> Drafts<D> {
    /// Reads once, and then until there are as many as are wanted.
    async fn gather<R>(
        &mut self,
        context: &Context,
        walk: &Walk<'_, R>,
        sieve: &D::Sieve,
        wanted: usize,
    ) -> Result<(), Fault> {
        while self.reads == 0 || self.reads < RECENT_READS_MAX && self.waiting.len() < wanted {
            let Some(before) = self.ahead else { return Ok(()) };
            self.reads += 1;
            let recent = walk.read(context, before).await?;
            for (place, draft) in complete_all::<D>(context, sieve, recent.signals).await? {
                self.waiting
                    .extend(draft.filter(|draft| self.is_new(walk, draft)).map(|draft| (place, draft)));
            }
            self.ahead = recent.go_on;
        }
        Ok(())
    }

    fn is_new<R>(&self, walk: &Walk<'_, R>, draft: &D) -> bool {
        let unit = draft.unit();
        !walk.filling.has(unit) && self.waiting.iter().all(|(_, other)| other.unit() != unit)
    }

    /// Where the next page begins, once nothing more is spent on this one.
    fn end<R>(&self, walk: &mut Walk<'_, R>) -> Option<Moment> {
        let go_on = if self.waiting.is_empty() { self.ahead } else { Some(walk.before) };
        if go_on.is_some() && walk.filling.room() == 0 {
            walk.filling.cut();
        }
        go_on
    }
}
