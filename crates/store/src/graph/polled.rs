//! Public sources that are looked at again and again: when, and what was read of them before.

use super::Graph;
use crate::StoreError;
use crate::pool::begin;
use assay_domain::Notice;
use assay_domain::limits::{FEED_ITEMS_SWEPT, FEED_LOOKS_MISSED_MAX, FEED_UNREADABLE_MAX};
use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::Row;
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use std::collections::HashMap;
use std::time::Duration;

/// A source that is looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct PolledFeed {
    pub name: String,
    /// One node at a time asks for all feeds of a host.
    pub host: String,
    /// What it is made of, in the words of whoever reads it.
    pub setup: Value,
    pub every: Duration,
    pub next_look_at: DateTime<Utc>,
    pub looked_at: Option<DateTime<Utc>>,
    pub failures: u32,
    pub trouble: Option<String>,
    /// Revisions of signals that came of it.
    pub signals: u64,
}

/// A feed as an operator adds it.
#[derive(Debug, Clone, Copy)]
pub struct NewFeed<'a> {
    pub name: &'a str,
    pub host: &'a str,
    pub setup: &'a Value,
    pub every: Duration,
}

/// By what a host tells that a page is still the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageMark {
    pub etag: Option<String>,
    pub modified: Option<String>,
}

/// Something a feed lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedItem {
    pub reference: String,
    /// Of what it says.
    pub digest: i64,
    /// Whether it is closed when it is listed no more.
    pub is_open: bool,
}

/// How a look ended.
#[derive(Debug, Clone)]
pub enum LookEnd {
    Done { signals: u64, marks: HashMap<String, PageMark> },
    InVain { trouble: String, signals: u64, rest: Duration },
}

/// The digest of what is read once and never changes. What could not be read has 0.
pub const ITEM_READ: i64 = 1;

const COLUMNS: &str = "name, host, setup, every, next_look_at, looked_at, failures, trouble, signals";

impl Graph {
    /// Adds a feed, or changes how it is read. It is looked at as soon as somebody can.
    pub async fn put_feed(&self, feed: &NewFeed<'_>) -> Result<(), StoreError> {
        sqlx::query(
            "insert into feed as held (name, host, setup, every) values ($1, $2, $3, $4)
             on conflict (name) do update set host = excluded.host, setup = excluded.setup, every = excluded.every,
                 next_look_at = now(), failures = 0, trouble = null",
        )
        .bind(feed.name)
        .bind(feed.host)
        .bind(Json(feed.setup))
        .bind(i32::try_from(feed.every.as_secs()).unwrap_or(i32::MAX))
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Forgets a feed. What it told stays. False where there is none.
    pub async fn remove_feed(&self, name: &str) -> Result<bool, StoreError> {
        let gone = sqlx::query("delete from feed where name = $1").bind(name).execute(&self.pool).await?;
        Ok(gone.rows_affected() > 0)
    }

    pub async fn polled_feeds(&self) -> Result<Vec<PolledFeed>, StoreError> {
        let sql = sqlx::AssertSqlSafe(format!("select {COLUMNS} from feed order by name"));
        sqlx::query(sql).fetch_all(&self.pool).await?.iter().map(read_feed).collect()
    }

    /// All hosts that are asked.
    pub async fn feed_hosts(&self) -> Result<Vec<String>, StoreError> {
        Ok(sqlx::query_scalar("select distinct host from feed order by host").fetch_all(&self.pool).await?)
    }

    /// The feed of a host that has waited longest for its look; none when none is due.
    pub async fn due_feed(&self, host: &str) -> Result<Option<PolledFeed>, StoreError> {
        let sql = sqlx::AssertSqlSafe(format!(
            "select {COLUMNS} from feed where host = $1 and next_look_at <= now() order by next_look_at limit 1"
        ));
        sqlx::query(sql).bind(host).fetch_optional(&self.pool).await?.as_ref().map(read_feed).transpose()
    }

    /// How long nothing of a host is due; none where it has no feeds any more.
    pub async fn feed_rest(&self, host: &str) -> Result<Option<Duration>, StoreError> {
        let seconds: Option<f64> = sqlx::query_scalar(
            "select case when count(*) > 0 then greatest(extract(epoch from min(next_look_at) - now()), 0) end::float8
             from feed where host = $1",
        )
        .bind(host)
        .fetch_one(&self.pool)
        .await?;
        Ok(seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()))
    }

    /// Makes a feed due. False where there is none.
    pub async fn hasten_feed(&self, name: &str) -> Result<bool, StoreError> {
        let hastened = sqlx::query("update feed set next_look_at = now() where name = $1").bind(name);
        Ok(hastened.execute(&self.pool).await?.rows_affected() > 0)
    }

    pub async fn page_marks(&self, feed: &str) -> Result<HashMap<String, PageMark>, StoreError> {
        let rows: Vec<(String, Option<String>, Option<String>)> =
            sqlx::query_as("select url, etag, modified from feed_page where feed = $1")
                .bind(feed)
                .fetch_all(&self.pool)
                .await?;
        Ok(rows.into_iter().map(|(url, etag, modified)| (url, PageMark { etag, modified })).collect())
    }

    /// What these said when they were last listed.
    pub async fn item_digests(
        &self,
        feed: &str,
        references: &[String],
    ) -> Result<HashMap<String, i64>, StoreError> {
        let rows: Vec<(String, i64)> =
            sqlx::query_as("select reference, digest from feed_item where feed = $1 and reference = any($2)")
                .bind(feed)
                .bind(references)
                .fetch_all(&self.pool)
                .await?;
        Ok(rows.into_iter().collect())
    }

    /// Remembers what was listed and taken in. One that is removed meanwhile is not remembered.
    pub async fn keep_items(
        &self,
        feed: &str,
        items: &[ListedItem],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        sqlx::query(
            "insert into feed_item as held (feed, reference, digest, seen_at, is_open)
             select feed.name, item.reference, item.digest, $5, item.is_open
             from feed, unnest($2::text[], $3::bigint[], $4::bool[]) as item (reference, digest, is_open)
             where feed.name = $1
             on conflict (feed, reference) do update set digest = excluded.digest, seen_at = excluded.seen_at,
                 is_open = excluded.is_open, missing = 0",
        )
        .bind(feed)
        .bind(items.iter().map(|item| item.reference.as_str()).collect::<Vec<_>>())
        .bind(items.iter().map(|item| item.digest).collect::<Vec<_>>())
        .bind(items.iter().map(|item| item.is_open).collect::<Vec<_>>())
        .bind(now)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Counts that what is read only once could not be; after too many times it is taken for read.
    pub async fn unread_item(
        &self,
        feed: &str,
        reference: &str,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        sqlx::query(
            "insert into feed_item as held (feed, reference, digest, seen_at, missing)
             select name, $2, 0, $3, 1 from feed where name = $1
             on conflict (feed, reference) do update set missing = held.missing + 1, seen_at = excluded.seen_at,
                 digest = case when held.missing + 1 >= $4 then $5 else 0 end",
        )
        .bind(feed)
        .bind(reference)
        .bind(now)
        .bind(FEED_UNREADABLE_MAX)
        .bind(ITEM_READ)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Counts a look in which all that is open was listed, and gives what is to be closed: missing more than once. `listed` is
    /// none where the host said that nothing has changed since the look before.
    pub async fn miss_items(&self, feed: &str, listed: Option<&[String]>) -> Result<Vec<String>, StoreError> {
        let gone: Vec<Option<String>> = sqlx::query_scalar(
            "update feed_item set missing = missing + 1
             where feed = $1 and is_open
                 and case when $2::text[] is null then missing > 0 else not reference = any($2) end
             returning case when missing >= $3 then reference end",
        )
        .bind(feed)
        .bind(listed)
        .bind(FEED_LOOKS_MISSED_MAX)
        .fetch_all(&self.pool)
        .await?;
        Ok(gone.into_iter().flatten().collect())
    }

    /// What was closed is listed no more; listed again it says something new.
    pub async fn close_items(&self, feed: &str, references: &[String]) -> Result<(), StoreError> {
        sqlx::query(
            "update feed_item set is_open = false, missing = 0, digest = 0 where feed = $1 and reference = any($2)",
        )
        .bind(feed)
        .bind(references)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// What a source said under these references, as it was taken in.
    pub async fn notices_of(&self, source: &str, references: &[String]) -> Result<Vec<Notice>, StoreError> {
        let rows: Vec<Json<Notice>> = sqlx::query_scalar(
            "select notice from signal_notice where source = $1 and reference = any($2) order by reference",
        )
        .bind(source)
        .bind(references)
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|Json(notice)| notice).collect())
    }

    /// Says how a look ended, and when the next one is due.
    pub async fn end_look(&self, feed: &str, end: &LookEnd) -> Result<(), StoreError> {
        let mut transaction = begin(&self.pool).await?;
        match end {
            LookEnd::Done { signals, marks } => {
                // From when it was due, so that a look that takes long does not move all that come after it.
                sqlx::query(
                    "update feed set looked_at = now(), failures = 0, trouble = null, signals = signals + $2,
                         next_look_at = greatest(next_look_at + make_interval(secs => every), now())
                     where name = $1",
                )
                .bind(feed)
                .bind(i64::try_from(*signals).unwrap_or(i64::MAX))
                .execute(&mut *transaction)
                .await?;
                sqlx::query(
                    "insert into feed_page as held (feed, url, etag, modified)
                     select feed.name, page.url, page.etag, page.modified
                     from feed, unnest($2::text[], $3::text[], $4::text[]) as page (url, etag, modified)
                     where feed.name = $1
                     on conflict (feed, url) do update set etag = excluded.etag, modified = excluded.modified",
                )
                .bind(feed)
                .bind(marks.keys().map(String::as_str).collect::<Vec<_>>())
                .bind(marks.values().map(|mark| mark.etag.as_deref()).collect::<Vec<_>>())
                .bind(marks.values().map(|mark| mark.modified.as_deref()).collect::<Vec<_>>())
                .execute(&mut *transaction)
                .await?;
            }
            LookEnd::InVain { trouble, signals, rest } => {
                sqlx::query(
                    "update feed set failures = failures + 1, trouble = $2, signals = signals + $3,
                         next_look_at = now() + make_interval(secs => $4)
                     where name = $1",
                )
                .bind(feed)
                .bind(trouble)
                .bind(i64::try_from(*signals).unwrap_or(i64::MAX))
                .bind(rest.as_secs_f64())
                .execute(&mut *transaction)
                .await?;
            }
        }
        transaction.commit().await?;
        Ok(())
    }

    /// A host that wants to be left alone is, whatever it is asked for.
    pub async fn rest_host(&self, host: &str, rest: Duration) -> Result<(), StoreError> {
        sqlx::query(
            "update feed set next_look_at = greatest(next_look_at, now() + make_interval(secs => $2)) where host = $1",
        )
        .bind(host)
        .bind(rest.as_secs_f64())
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Forgets what was not listed for long, some at a time; how many.
    pub async fn forget_items(&self, before: DateTime<Utc>) -> Result<u64, StoreError> {
        let gone = sqlx::query(
            "delete from feed_item where (feed, reference) in (
                 select feed, reference from feed_item where not is_open and seen_at < $1 limit $2)",
        )
        .bind(before)
        .bind(FEED_ITEMS_SWEPT)
        .execute(&self.pool)
        .await?;
        Ok(gone.rows_affected())
    }
}

fn read_feed(row: &PgRow) -> Result<PolledFeed, StoreError> {
    let Json(setup) = row.try_get("setup")?;
    let seconds: i32 = row.try_get("every")?;
    let failures: i32 = row.try_get("failures")?;
    let signals: i64 = row.try_get("signals")?;
    Ok(PolledFeed {
        name: row.try_get("name")?,
        host: row.try_get("host")?,
        setup,
        every: Duration::from_secs(u64::try_from(seconds).unwrap_or(1)),
        next_look_at: row.try_get("next_look_at")?,
        looked_at: row.try_get("looked_at")?,
        failures: u32::try_from(failures).unwrap_or(0),
        trouble: row.try_get("trouble")?,
        signals: u64::try_from(signals).unwrap_or(0),
    })
}
