//! Reading the feed: in the order of the change log, from a place on. Whoever goes on from where a page ended misses nothing and
//! sees no revision twice, however many write meanwhile.

use super::{SignalFacets, kind_of, number};
use crate::StoreError;
use crate::graph::Graph;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{FEED_HEAD_KEPT, SIGNAL_CLOCKS_APART, SIGNAL_SCAN_MAX};
use assay_domain::{SignalId, SignalKind};
use chrono::{DateTime, Utc};
use serde_json::value::RawValue;
use sqlx::postgres::{PgArguments, PgRow, Postgres};
use sqlx::query::Query;
use sqlx::types::Json;
use sqlx::{AssertSqlSafe, Row};
use std::sync::PoisonError;
use uuid::Uuid;

pub(super) const COLUMNS: &str =
    "f.seq, f.signal_id, f.revision, f.kind, f.body, f.occurred_at, f.domain, f.other_domain, f.country,
    f.industry, f.department, f.stage, f.amount, f.applicants, f.currency";
const PAGE_COLUMNS: &str = "seq, signal_id, revision, body";
/// How many rows a statement may ask for. The number is a part of its text, because a plan that is kept must know it, and the
/// texts must be few, because connections keep a plan for each.
const ROWS_ASKED: [u32; 4] = [10, 25, 50, 100];

/// Which signals are wanted. Of a list that is not empty, one has to fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedFilter {
    pub kind: SignalKind,
    /// When it happened: at or after, before.
    pub since: Option<DateTime<Utc>>,
    pub until: Option<DateTime<Utc>>,
    /// Of either side of a deal.
    pub domains: Vec<String>,
    pub countries: Vec<String>,
    pub industries: Vec<String>,
    pub departments: Vec<String>,
    pub stages: Vec<String>,
    /// In minor units of the currency.
    pub min_amount: Option<(i64, String)>,
    pub max_applicants: Option<i32>,
}

impl FeedFilter {
    pub const fn all(kind: SignalKind) -> Self {
        Self {
            kind,
            since: None,
            until: None,
            domains: Vec::new(),
            countries: Vec::new(),
            industries: Vec::new(),
            departments: Vec::new(),
            stages: Vec::new(),
            min_amount: None,
            max_applicants: None,
        }
    }
}

impl FeedFilter {
    /// As the database decides it.
    pub fn fits(&self, row: &FeedRow) -> bool {
        let facets = &row.facets;
        let is_one = |wanted: &[String], has: &[&Option<String>]| {
            wanted.is_empty() || has.iter().copied().flatten().any(|has| wanted.contains(has))
        };
        let is_enough = |(least, currency): &(i64, String)| {
            facets.amount.is_some_and(|amount| amount >= *least) && row.currency.as_ref() == Some(currency)
        };
        row.kind == self.kind
            && self.since.is_none_or(|since| row.occurred_at >= since)
            && self.until.is_none_or(|until| row.occurred_at < until)
            && is_one(&self.domains, &[&facets.domain, &facets.other_domain])
            && is_one(&self.countries, &[&facets.country])
            && is_one(&self.industries, &[&facets.industry])
            && is_one(&self.departments, &[&facets.department])
            && is_one(&self.stages, &[&facets.stage])
            && self.min_amount.as_ref().is_none_or(is_enough)
            && self.max_applicants.is_none_or(|most| facets.applicants.is_some_and(|count| count <= most))
    }
}

/// Where reading begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedStart {
    /// After this place.
    After(i64),
    /// With the newest, as many as fit one page.
    Newest,
}

/// Where the feed stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedHead {
    pub epoch: Uuid,
    pub seq: i64,
    pub at: DateTime<Utc>,
    /// Since when the oldest change waits for its place; none when all have theirs.
    pub waiting_since: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone)]
pub struct FeedRow {
    pub seq: i64,
    pub id: SignalId,
    pub revision: i64,
    pub kind: SignalKind,
    pub occurred_at: DateTime<Utc>,
    pub facets: SignalFacets,
    /// What the amount is in.
    pub currency: Option<String>,
    pub body: Box<RawValue>,
}

/// A signal of a page.
#[derive(Debug, Clone)]
pub struct FeedEntry {
    pub seq: i64,
    pub id: SignalId,
    pub revision: i64,
    pub body: Box<str>,
}

/// A page of the feed.
#[derive(Debug, Clone)]
pub struct FeedPage {
    /// In the order of `seq`.
    pub rows: Vec<FeedEntry>,
    /// Where to go on. Beyond the last row where nothing else is there to be found.
    pub upto: i64,
}

impl Graph {
    pub async fn feed_head(&self) -> Result<FeedHead, StoreError> {
        let (epoch, seq, at, waiting_since) = sqlx::query_as(
            "select log_epoch, seq, now(), (select at from change_inbox order by id limit 1)
             from graph_meta cross join change_log_head",
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(FeedHead { epoch, seq, at, waiting_since })
    }

    /// The place after which everything stands that was written at or after this time. The log is in the order of time but for
    /// moments, so it is found by halving: a few dozen rows are looked at, however long the log is.
    pub async fn feed_place_of(&self, since: DateTime<Utc>, head: i64) -> Result<i64, StoreError> {
        let place = sqlx::query_scalar(
            "with recursive halving (low, high) as (
                 select 0::bigint, $2::bigint + 1
                 union all
                 select case when is_before then middle else low end, case when is_before then high else middle end
                 from halving
                 cross join lateral (select (low + high) / 2 as middle) as half
                 cross join lateral (
                     select coalesce((select at < $1 from change_log where seq = middle), true) as is_before
                 ) as looked_at
                 where high - low > 1
             )
             select max(low) from halving",
        )
        .bind(since - SIGNAL_CLOCKS_APART)
        .bind(head);
        Ok(place.fetch_one(&self.pool).await?)
    }

    /// The rows of all kinds after a place and not beyond `head`.
    pub async fn feed_of_all(&self, after: i64, head: i64, limit: i64) -> Result<Vec<FeedRow>, StoreError> {
        let kinds: Vec<i16> = SignalKind::ALL.into_iter().map(number).collect();
        let query = sqlx::query(AssertSqlSafe(format!(
            "select {COLUMNS} from unnest($4::smallint[]) as kinds (kind) cross join lateral (
                 select * from signal_feed where signal_feed.kind = kinds.kind and seq > $1 and seq <= $2
                 order by seq limit $3
             ) as f order by f.seq limit $3",
        )));
        let rows = query.bind(after).bind(head).bind(limit).bind(kinds).fetch_all(&self.pool).await?;
        rows.iter().map(read).collect()
    }

    /// Where the feed stood a moment ago, as this process last read it.
    pub async fn recent_feed_head(&self) -> Result<FeedHead, StoreError> {
        let kept = *self.last_head.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((head, watch)) = kept
            && watch.elapsed() < FEED_HEAD_KEPT
        {
            return Ok(head);
        }
        let watch = Stopwatch::start();
        let head = self.feed_head().await?;
        *self.last_head.lock().unwrap_or_else(PoisonError::into_inner) = Some((head, watch));
        Ok(head)
    }

    /// One page: at most `limit` rows of those after `start`, and at most `SIGNAL_SCAN_MAX` looked at. `head` is where the feed
    /// stood at some moment before: all up to there is seen, and perhaps what came since.
    pub async fn feed(
        &self,
        filter: &FeedFilter,
        start: FeedStart,
        head: i64,
        limit: u32,
    ) -> Result<FeedPage, StoreError> {
        let after = match start {
            FeedStart::After(seq) => seq,
            FeedStart::Newest => -1,
        };
        let rows_asked = ROWS_ASKED.into_iter().find(|rows| *rows >= limit).unwrap_or(limit);
        let statement = statement(filter, start, rows_asked);
        let found =
            bind(sqlx::query(AssertSqlSafe(statement)), filter).bind(after).fetch_all(&self.pool).await?;
        let (mut rows, mut looked_upto) = (Vec::with_capacity(found.len()), None);
        for row in &found {
            match read_entry(row)? {
                Some(entry) => rows.push(entry),
                None => looked_upto = row.try_get(0)?,
            }
        }
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        rows.truncate(limit);
        let is_full = rows.len() >= limit;
        let last = |rows: &[FeedEntry]| rows.last().map_or(head, |row| row.seq.max(head));
        let upto = match start {
            FeedStart::Newest => {
                rows.reverse();
                last(&rows)
            }
            FeedStart::After(_) if is_full => rows.last().map_or(head, |row| row.seq),
            FeedStart::After(_) => looked_upto.unwrap_or_else(|| last(&rows)),
        };
        Ok(FeedPage { rows, upto: upto.max(after.min(head)) })
    }
}

/// The rows of a page in their order. Where few of many fit, one more tells how far was looked.
fn statement(filter: &FeedFilter, start: FeedStart, rows: u32) -> String {
    let order = if start == FeedStart::Newest { "desc" } else { "asc" };
    let fits = conditions(filter);
    if fits.is_empty() && filter.domains.is_empty() {
        // All that is looked at is found: the rows end where the feed does, or the page is full.
        return looked_at(filter, PAGE_COLUMNS, order, i64::from(rows));
    }
    // What is looked at comes in its order, and the first that fit are the page: to sort here would be to look at all of it. How
    // far was looked is asked only where the page is short, and in the same moment: rows move to the end while it is read.
    format!(
        "with found as materialized (select {PAGE_COLUMNS} from ({}) as looked_at {fits} limit {rows})
         select {PAGE_COLUMNS} from found
         union all
         select max(seq), null, null, null from ({}) as looked_at
         where (select count(*) from found) < {rows} having count(*) >= {SIGNAL_SCAN_MAX}",
        looked_at(filter, "*", order, SIGNAL_SCAN_MAX),
        looked_at(filter, "seq", order, SIGNAL_SCAN_MAX)
    )
}

/// The rows among which the page is looked for, in their order.
fn looked_at(filter: &FeedFilter, columns: &str, order: &str, limit: i64) -> String {
    let place = "kind = $1 and seq > $12";
    let one_index = |whose: &str| {
        format!("select {columns} from signal_feed where {whose}{place} order by seq {order} limit {limit}")
    };
    if filter.domains.is_empty() {
        return one_index("");
    }
    // Each company and each side has an order of its own in its index; together they are read as far as the page needs.
    let of_company = |number: usize| {
        let asked = format!("($4::text[])[{number}]");
        let other = format!("other_domain = {asked} and (domain = any($4)) is not true and ");
        format!("({}) union all ({})", one_index(&format!("domain = {asked} and ")), one_index(&other))
    };
    let companies: Vec<String> = (1..=filter.domains.len()).map(of_company).collect();
    format!("select * from ({}) as sides order by seq {order} limit {limit}", companies.join(" union all "))
}

/// What is asked for beside kind, place and domain.
fn conditions(filter: &FeedFilter) -> String {
    let asked = [
        (filter.since.is_some(), "occurred_at >= $2"),
        (filter.until.is_some(), "occurred_at < $3"),
        (!filter.countries.is_empty(), "country = any($5)"),
        (!filter.industries.is_empty(), "industry = any($6)"),
        (!filter.departments.is_empty(), "department = any($7)"),
        (!filter.stages.is_empty(), "stage = any($8)"),
        (filter.min_amount.is_some(), "amount >= $9 and currency = $10"),
        (filter.max_applicants.is_some(), "applicants <= $11"),
    ];
    let asked: Vec<&str> =
        asked.into_iter().filter(|(is_asked, _)| *is_asked).map(|(_, text)| text).collect();
    if asked.is_empty() { String::new() } else { format!("where {}", asked.join(" and ")) }
}

fn bind<'q>(
    query: Query<'q, Postgres, PgArguments>,
    filter: &'q FeedFilter,
) -> Query<'q, Postgres, PgArguments> {
    query
        .bind(number(filter.kind))
        .bind(filter.since)
        .bind(filter.until)
        .bind(&filter.domains)
        .bind(&filter.countries)
        .bind(&filter.industries)
        .bind(&filter.departments)
        .bind(&filter.stages)
        .bind(filter.min_amount.as_ref().map(|(least, _)| *least))
        .bind(filter.min_amount.as_ref().map(|(_, currency)| currency))
        .bind(filter.max_applicants)
}

/// None in the row that only tells how far was looked. The text is taken as it is: whoever reads it finds out whether it can be.
fn read_entry(row: &PgRow) -> Result<Option<FeedEntry>, StoreError> {
    let Some(id) = row.try_get::<Option<Uuid>, _>(1)? else { return Ok(None) };
    let body: &str = row.try_get_unchecked(3)?;
    let (seq, revision) = (row.try_get(0)?, row.try_get(2)?);
    Ok(Some(FeedEntry { seq, id: SignalId::from_uuid(id), revision, body: body.into() }))
}

pub(super) fn read(row: &PgRow) -> Result<FeedRow, StoreError> {
    let Json(body): Json<Box<RawValue>> = row.try_get(4)?;
    let facets = SignalFacets {
        domain: row.try_get(6)?,
        other_domain: row.try_get(7)?,
        country: row.try_get(8)?,
        industry: row.try_get(9)?,
        department: row.try_get(10)?,
        stage: row.try_get(11)?,
        amount: row.try_get(12)?,
        applicants: row.try_get(13)?,
    };
    Ok(FeedRow {
        seq: row.try_get(0)?,
        id: SignalId::from_uuid(row.try_get(1)?),
        revision: row.try_get(2)?,
        kind: kind_of(row.try_get(3)?)?,
        occurred_at: row.try_get(5)?,
        facets,
        currency: row.try_get(14)?,
        body,
    })
}
