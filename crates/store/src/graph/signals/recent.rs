//! Going back through what happened, the newest first: a window of time, and what must be there to be of use.

use super::feed::{COLUMNS, FeedRow, read};
use super::number;
use crate::StoreError;
use crate::graph::Graph;
use assay_domain::SignalKind;
use assay_domain::limits::SIGNAL_SCAN_MAX;
use chrono::{DateTime, NaiveTime, Utc};
use sqlx::postgres::{PgArguments, Postgres};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Row};
use uuid::Uuid;

/// Which signals are wanted. An empty list asks for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentFilter {
    pub kind: SignalKind,
    /// Happened then or later. What is known by its day alone (midnight) is compared as a day.
    pub since: Option<DateTime<Utc>>,
    /// Of either side of a move.
    pub domains: Vec<String>,
    pub countries: Vec<String>,
    pub departments: Vec<String>,
    pub part: Option<Part>,
}

impl RecentFilter {
    pub const fn all(kind: SignalKind) -> Self {
        Self {
            kind,
            since: None,
            domains: Vec::new(),
            countries: Vec::new(),
            departments: Vec::new(),
            part: None,
        }
    }
}

/// What a signal must have; each but the last is found by an index of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A page, and what its owner wrote of their change of jobs.
    Announcement,
    /// A count of applicants, of at most so many; 24 and fewer.
    Applicants { max: i32 },
    /// The page of whoever changed jobs.
    Profile,
}

/// A place in the order of time, which two signals never share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    pub at: DateTime<Utc>,
    pub id: Uuid,
}

impl Moment {
    /// Before which everything stands that happened at this time or earlier, to the microsecond.
    pub fn after(at: DateTime<Utc>) -> Self {
        Self { at: at + chrono::TimeDelta::microseconds(1), id: Uuid::nil() }
    }
}

#[derive(Debug, Clone)]
pub struct RecentPage {
    /// The newest first.
    pub rows: Vec<FeedRow>,
    /// Where more may be; none at the end.
    pub go_on: Option<Moment>,
}

impl Graph {
    /// The next signals back in time, as the feed had them at `head`: at most `limit`, and at most `SIGNAL_SCAN_MAX` looked at.
    pub async fn recent(
        &self,
        filter: &RecentFilter,
        head: i64,
        before: Moment,
        limit: i64,
    ) -> Result<RecentPage, StoreError> {
        // Without filters that no index knows, whatever is looked at is wanted.
        let is_sifted = !filter.countries.is_empty() || !filter.departments.is_empty();
        let looked_at = if is_sifted || has_page(filter) { SIGNAL_SCAN_MAX } else { limit };
        let statement = format!(
            "select {COLUMNS} from ({} limit {looked_at}) as f where {} order by occurred_at desc, signal_id desc limit {limit}",
            places(filter, "*"),
            sieve(filter),
        );
        let query = bind(sqlx::query(AssertSqlSafe(statement)), filter, head, before);
        let found = query.fetch_all(&self.pool).await?;
        let rows: Vec<FeedRow> = found.iter().map(read).collect::<Result<_, StoreError>>()?;
        let is_full = i64::try_from(rows.len()).is_ok_and(|count| count >= limit);
        let go_on = match rows.last() {
            Some(last) if is_full => Some(Moment { at: last.occurred_at, id: last.id.uuid() }),
            _ if looked_at > limit => self.last_looked_at(filter, head, before).await?,
            _ => None,
        };
        Ok(RecentPage { rows, go_on })
    }

    /// The last one that was looked at where there were more.
    async fn last_looked_at(
        &self,
        filter: &RecentFilter,
        head: i64,
        before: Moment,
    ) -> Result<Option<Moment>, StoreError> {
        let offset = SIGNAL_SCAN_MAX - 1;
        let statement = format!("{} offset {offset} limit 1", places(filter, "occurred_at, signal_id"));
        let query = bind(sqlx::query(AssertSqlSafe(statement)), filter, head, before);
        let last = query.fetch_optional(&self.pool).await?;
        last.map(|row| Ok(Moment { at: row.try_get(0)?, id: row.try_get(1)? })).transpose()
    }
}

fn has_page(filter: &RecentFilter) -> bool {
    matches!(filter.part, Some(Part::Profile | Part::Announcement))
}

/// What an index finds, in order. Numbers stand in the text, because a partial index is only used for what is sure to be in it.
fn places(filter: &RecentFilter, columns: &str) -> String {
    let kind = number(filter.kind);
    let part = match filter.part {
        Some(Part::Announcement) => " and body #>> '{content,said,announcement_text}' is not null".to_owned(),
        Some(Part::Applicants { max }) => format!(" and applicants < 25 and applicants <= {max}"),
        Some(Part::Profile) | None => String::new(),
    };
    let domains = if filter.domains.is_empty() {
        ""
    } else {
        // Each side has an index of its own.
        " and (domain = any($6) or other_domain = any($6))"
    };
    format!(
        "select {columns} from signal_feed where kind = {kind}{part}{domains} and seq <= $1
             and occurred_at >= $2 and (occurred_at >= $3 or occurred_at = $2) and (occurred_at, signal_id) < ($4, $5)
         order by occurred_at desc, signal_id desc"
    )
}

/// What else must hold.
fn sieve(filter: &RecentFilter) -> &'static str {
    if has_page(filter) {
        "(cardinality($7::text[]) = 0 or country = any($7)) and (cardinality($8::text[]) = 0 or department = any($8))
         and body #>> '{person,network_url}' is not null"
    } else {
        "(cardinality($7::text[]) = 0 or country = any($7)) and (cardinality($8::text[]) = 0 or department = any($8))"
    }
}

fn bind<'q>(
    query: Query<'q, Postgres, PgArguments>,
    filter: &'q RecentFilter,
    head: i64,
    before: Moment,
) -> Query<'q, Postgres, PgArguments> {
    let since = filter.since.unwrap_or(DateTime::UNIX_EPOCH);
    query
        .bind(head)
        .bind(since.with_time(NaiveTime::MIN).single().unwrap_or(since))
        .bind(since)
        .bind(before.at)
        .bind(before.id)
        .bind(&filter.domains)
        .bind(&filter.countries)
        .bind(&filter.departments)
}
