//! What happened lately, one after the other, the newest first, each completed to a row, until the page is full.

use super::account::domains_of;
use super::rows::FoundRows;
use super::window::Window;
use crate::context::Context;
use crate::cursor;
use crate::endpoint::Step;
use crate::fault::{Code, Fault};
use crate::search::TruncatedBy;
use crate::search::page::fingerprint;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{
    NEWER_SIGNALS_READ_MAX, PAGE_ROWS_DEFAULT, RECENT_COMPLETED_AT_ONCE, RECENT_READS_MAX, RECENT_ROWS_MIN,
};
use assay_domain::signal::Content;
use assay_domain::{Company, Signal};
use assay_engine::signals::{FeedHead, Moment, Recent, RecentFilter};
use chrono::{DateTime, Utc};
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use uuid::Uuid;

/// What a cursor holds: the feed as the first page had it, when that was, the last row, and what was asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Continuation {
    epoch: Uuid,
    seq: i64,
    now: DateTime<Utc>,
    at: DateTime<Utc>,
    id: Uuid,
    filter: String,
}

/// When the first page was asked for; none where that is this one.
#[derive(Debug, Clone, Copy)]
pub struct FirstAsked(Option<DateTime<Utc>>);

impl FirstAsked {
    pub fn at(self, context: &Context) -> DateTime<Utc> {
        self.0.unwrap_or(context.now)
    }
}

/// Which page is wanted.
#[derive(Debug)]
pub struct WalkWish {
    cursor: Option<Continuation>,
    fingerprint: String,
    window: Option<Window>,
    limit: u32,
}

impl WalkWish {
    /// Reads the cursor of a question for `asked`, which is whatever decides which rows there are.
    pub fn read(
        asked: &impl Serialize,
        window: Option<Window>,
        cursor: Option<&str>,
        limit: Option<u32>,
    ) -> Result<Self, Fault> {
        let fingerprint = fingerprint(&(asked, window));
        let cursor: Option<Continuation> = cursor::read(cursor)?;
        if cursor.as_ref().is_some_and(|cursor| cursor.filter != fingerprint) {
            let fix = "send the same filters with every cursor, or start again without one";
            return Err(Fault::field("/cursor", "invalid_cursor", "the cursor is of another question", fix));
        }
        Ok(Self { cursor, fingerprint, window, limit: limit.unwrap_or(PAGE_ROWS_DEFAULT) })
    }

    /// The page of a workflow, where all that is written of its request decides which rows there are.
    pub fn of(
        name: &str,
        request: &impl Serialize,
        window: Window,
        cursor: &Option<String>,
        limit: Option<u32>,
    ) -> Result<Self, Fault> {
        Self::read(&(name, request), Some(window), cursor.as_deref(), limit)
    }

    pub fn limit(&self) -> u32 {
        self.limit
    }

    pub fn first_asked(&self) -> FirstAsked {
        FirstAsked(self.cursor.as_ref().map(|cursor| cursor.now))
    }

    /// The end of the window: the time of the first page, on all pages.
    pub fn now(&self, context: &Context) -> DateTime<Utc> {
        self.first_asked().at(context)
    }

    /// Where the window begins.
    pub fn since(&self, context: &Context) -> Option<DateTime<Utc>> {
        self.window.map(|window| window.begin(self.now(context)))
    }

    /// Where it ends.
    pub fn until(&self, context: &Context) -> DateTime<Utc> {
        let now = self.now(context);
        self.window.map_or(now, |window| window.end(now))
    }

    /// How much of the feed is walked through, and from where. What changed since the first page is left out of the others, so that
    /// nobody is told, and pays for, the same row twice.
    fn start(&self, context: &Context, head: &FeedHead) -> Result<(i64, Moment), Fault> {
        match &self.cursor {
            None => Ok((head.seq, Moment::after(self.until(context)))),
            Some(cursor) if cursor.epoch == head.epoch && cursor.seq <= head.seq => {
                Ok((cursor.seq, Moment { at: cursor.at, id: cursor.id }))
            }
            Some(_) => {
                Err(Fault::new(Code::CursorExpired, "the feed was restored since the cursor was given"))
            }
        }
    }

    fn write(&self, context: &Context, epoch: Uuid, seq: i64, last: Moment) -> Option<String> {
        let (now, filter) = (self.now(context), self.fingerprint.clone());
        cursor::write(&Continuation { epoch, seq, now, at: last.at, id: last.id, filter })
    }
}

/// A row of an answer, made of a signal.
pub trait Row: Sized + Send {
    /// What is asked of a signal beyond what the database can tell.
    type Sieve: Sync;
    /// Whether an answer has several rows of one unit.
    const REPEATS: bool = true;

    /// The row with all that is promised of it; none where something is missing, or was not asked for.
    fn complete(
        context: &Context,
        sieve: &Self::Sieve,
        signal: Signal,
    ) -> impl Future<Output = Result<Option<Self>, Fault>> + Send;

    /// What is paid for once, however many rows of an answer have it.
    fn unit(&self) -> Uuid;
}

/// The rows of a page, as many as are wanted and can be paid for.
#[derive(Debug)]
pub(super) struct Filling<R> {
    rows: Vec<R>,
    units: HashSet<Uuid>,
    rows_max: usize,
    units_max: usize,
    truncated_by: Option<TruncatedBy>,
}

impl<R> Filling<R> {
    pub(super) fn new(limit: u32, units_affordable: u32) -> Self {
        let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let (rows_max, units_max) = (count(limit), count(units_affordable));
        Self { rows: Vec::new(), units: HashSet::new(), rows_max, units_max, truncated_by: None }
    }

    /// How many more rows there is room for, whoever they are of.
    pub(super) fn room(&self) -> usize {
        let (rows, units) = (self.rows.len(), self.units.len());
        self.rows_max.saturating_sub(rows).min(self.units_max.saturating_sub(units))
    }

    /// Ends the page before all of it was looked at.
    pub(super) fn cut(&mut self) {
        if self.rows.len() < self.rows_max {
            self.truncated_by = Some(TruncatedBy::Credits);
        }
    }

    /// Whether an answer tells of it already.
    pub(super) fn has(&self, unit: Uuid) -> bool {
        self.units.contains(&unit)
    }

    /// Whether there was room for it.
    pub(super) fn add(&mut self, unit: Uuid, row: R) -> bool {
        if self.rows.len() >= self.rows_max {
            return false;
        }
        if self.units.len() >= self.units_max && !self.has(unit) {
            self.truncated_by = Some(TruncatedBy::Credits);
            return false;
        }
        self.units.insert(unit);
        self.rows.push(row);
        true
    }
}

impl<R: Row> Filling<R> {
    /// Whether there was room for it, or no need.
    fn take(&mut self, row: R) -> bool {
        !R::REPEATS && self.has(row.unit()) || self.add(row.unit(), row)
    }
}

/// A walk back through what happened, and the page it fills.
#[derive(Debug)]
pub(super) struct Walk<'a, R> {
    filter: &'a RecentFilter,
    epoch: Uuid,
    seq: i64,
    /// Everything up to here was looked at.
    pub(super) before: Moment,
    pub(super) filling: Filling<R>,
    watch: Stopwatch,
}

impl<'a, R> Walk<'a, R> {
    pub(super) async fn begin(
        context: &Context,
        wish: &WalkWish,
        filter: &'a RecentFilter,
    ) -> Result<Self, Fault> {
        let watch = Stopwatch::start();
        let head = context.engine.feed_head().await?;
        let (seq, before) = wish.start(context, &head)?;
        let filling = Filling::new(wish.limit, context.units_affordable);
        Ok(Self { filter, epoch: head.epoch, seq, before, filling, watch })
    }

    /// What happened before, the newest first.
    pub(super) async fn read(&self, context: &Context, before: Moment) -> Result<Recent, Fault> {
        // One more than wanted tells whether there is a next page.
        let wanted = i64::try_from(self.filling.rows_max.saturating_add(1)).unwrap_or(i64::MAX);
        let batch = wanted.max(RECENT_ROWS_MIN.into());
        Ok(context.engine.recent_signals(self.filter, self.seq, before, batch).await?)
    }

    /// The page; more may be there from `go_on` on.
    pub(super) fn end(self, context: &Context, wish: &WalkWish, go_on: Option<Moment>) -> FoundRows<R> {
        let Filling { rows, units, truncated_by, .. } = self.filling;
        let outcome = if rows.is_empty() { "not_found" } else { "found" };
        FoundRows {
            rows,
            units: u32::try_from(units.len()).unwrap_or(u32::MAX),
            truncated_by,
            next_cursor: go_on.and_then(|last| wish.write(context, self.epoch, self.seq, last)),
            steps: vec![Step::own("signals", outcome, self.watch.elapsed())],
        }
    }
}

/// Walks back through what happened until the page is full.
pub async fn walk<R: Row>(
    context: &Context,
    wish: &WalkWish,
    filter: &RecentFilter,
    sieve: &R::Sieve,
) -> Result<FoundRows<R>, Fault> {
    let mut walk = Walk::begin(context, wish, filter).await?;
    let go_on = fill(context, &mut walk, sieve).await?;
    Ok(walk.end(context, wish, go_on))
}

/// Where more may be: after the last row there was room for, or after the last one looked at.
async fn fill<R: Row>(
    context: &Context,
    walk: &mut Walk<'_, R>,
    sieve: &R::Sieve,
) -> Result<Option<Moment>, Fault> {
    for _ in 0..RECENT_READS_MAX {
        let recent = walk.read(context, walk.before).await?;
        for (place, row) in complete_all::<R>(context, sieve, recent.signals).await? {
            if row.is_some_and(|row| !walk.filling.take(row)) {
                return Ok(Some(walk.before));
            }
            walk.before = place;
        }
        let Some(place) = recent.go_on else { return Ok(None) };
        walk.before = place;
    }
    Ok(Some(walk.before))
}

/// Side by side, in their order.
pub(super) async fn complete_all<R: Row>(
    context: &Context,
    sieve: &R::Sieve,
    signals: Vec<(Moment, Signal)>,
) -> Result<Vec<(Moment, Option<R>)>, Fault> {
    let completing = signals.into_iter().map(|(place, signal)| async move {
        R::complete(context, sieve, signal).await.map(|row| (place, row))
    });
    let completing: Vec<_> = completing.collect();
    stream::iter(completing).buffered(RECENT_COMPLETED_AT_ONCE).try_collect().await
}

/// Whether something newer of the same kind and company is meant too: there the company is told, on whichever page that is.
pub async fn is_told_at_newer(
    context: &Context,
    company: &Company,
    signal: &Signal,
    until: DateTime<Utc>,
    is_meant: impl Fn(&Content) -> bool,
) -> Result<bool, Fault> {
    let filter = RecentFilter {
        since: Some(signal.occurred_at),
        domains: domains_of(company),
        ..RecentFilter::all(signal.content.kind())
    };
    if filter.domains.is_empty() {
        return Ok(false);
    }
    let start = Moment::after(until);
    let newer = context.engine.recent_signals(&filter, i64::MAX, start, NEWER_SIGNALS_READ_MAX).await?;
    let own = (signal.occurred_at, signal.id.uuid());
    Ok(newer.signals.iter().any(|(place, other)| (place.at, place.id) > own && is_meant(&other.content)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Of(u128);

    impl Row for Of {
        type Sieve = ();

        async fn complete(_: &Context, (): &(), _: Signal) -> Result<Option<Self>, Fault> {
            Ok(None)
        }

        fn unit(&self) -> Uuid {
            Uuid::from_u128(self.0)
        }
    }

    #[test]
    fn there_is_room_for_what_is_wanted_and_can_be_paid_for() {
        let mut filling = Filling::new(3, 2);
        assert_eq!(filling.room(), 2);
        assert!(filling.take(Of(1)) && filling.room() == 1 && filling.take(Of(2)));
        filling.cut();
        assert_eq!((filling.room(), filling.truncated_by), (0, Some(TruncatedBy::Credits)));
        let mut full = Filling::new(1, 2);
        assert!(full.take(Of(1)));
        full.cut();
        assert_eq!((full.room(), full.truncated_by), (0, None));
    }

    #[test]
    fn a_page_ends_with_what_is_wanted_or_what_can_be_paid_for() {
        let mut wanted = Filling::new(2, 2);
        assert!(wanted.take(Of(1)) && wanted.take(Of(2)) && !wanted.take(Of(3)));
        assert_eq!(wanted.truncated_by, None);
        let mut paid = Filling::new(5, 1);
        // Who comes twice is paid for once.
        assert!(paid.take(Of(1)) && paid.take(Of(1)) && !paid.take(Of(2)));
        assert_eq!(
            (paid.truncated_by, paid.units.len(), paid.rows.len()),
            (Some(TruncatedBy::Credits), 1, 2)
        );
    }
}
