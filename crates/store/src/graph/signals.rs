//! Signals: what sources say of an event is kept by source, and all of it together is one row with a revision.
//!
//! Who decides what is one event, and what all sources together say of it, is the caller. Here is that two who tell of the same
//! event at once do so one after the other, and that nothing is kept of people who were erased.

mod feed;
mod keep;
mod place;
mod recent;
mod subjects;

pub use feed::{FeedEntry, FeedFilter, FeedHead, FeedPage, FeedRow, FeedStart};
pub(super) use place::place;
pub use recent::{Moment, Part, RecentFilter, RecentPage};
pub(super) use subjects::forget;

use super::Graph;
use super::suppression::hold_off_erasing;
use crate::StoreError;
use crate::pool::begin;
use assay_domain::limits::SIGNAL_CANDIDATES_MAX;
use assay_domain::{Digest, Notice, SignalId, SignalKind};
use chrono::{DateTime, Utc};
use keep::keep;
use serde_json::value::RawValue;
use sqlx::postgres::PgConnection;
use sqlx::types::Json;
use sqlx::{AssertSqlSafe, Row};
use std::collections::HashSet;
use uuid::Uuid;

/// The numbers are stored.
const fn number(kind: SignalKind) -> i16 {
    match kind {
        SignalKind::Funding => 1,
        SignalKind::Acquisition => 2,
        SignalKind::Hiring => 3,
        SignalKind::JobChange => 4,
        SignalKind::Engagement => 5,
    }
}

fn kind_of(number_stored: i16) -> Result<SignalKind, StoreError> {
    let unknown = || StoreError::Corrupt(format!("there is no kind of signal {number_stored}"));
    SignalKind::ALL.into_iter().find(|kind| number(*kind) == number_stored).ok_or_else(unknown)
}

/// What a source says, and where the same may have been said before.
#[derive(Debug, Clone)]
pub struct NewNotice<'a> {
    pub source: &'a str,
    pub notice: &'a Notice,
    /// Others with one of these keys may tell of the same event.
    pub keys: &'a [i64],
    /// Of the companies it names that are not known: it is taken in again when one of them is.
    pub unmatched: &'a [i64],
    /// Digests of the people it names.
    pub subjects: &'a [Digest],
    pub seen_at: DateTime<Utc>,
}

/// A signal that may be the one, with everything that was said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldSignal {
    pub id: SignalId,
    pub revision: i64,
    pub detected_at: DateTime<Utc>,
    /// Oldest first.
    pub notices: Vec<HeldNotice>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct HeldNotice {
    pub source: String,
    pub notice: Notice,
    pub seen_at: DateTime<Utc>,
}

/// What becomes of a notice.
#[derive(Debug, Clone)]
pub struct Decision {
    /// The signal it is part of, as it is from now on.
    pub signal: SignalWrite,
    /// Other signals that it changed by what it made known of them.
    pub others: Vec<SignalWrite>,
    /// Signals of which nothing is left, because all that was said of them is part of others.
    pub gone: Vec<SignalId>,
}

impl From<SignalWrite> for Decision {
    fn from(signal: SignalWrite) -> Self {
        Self { signal, others: Vec::new(), gone: Vec::new() }
    }
}

/// A whole signal.
#[derive(Debug, Clone)]
pub struct SignalWrite {
    /// One of those held, or a new one.
    pub id: SignalId,
    /// Notices that were part of another one until now.
    pub moved: Vec<MovedNotice>,
    pub detected_at: DateTime<Utc>,
    pub occurred_at: DateTime<Utc>,
    pub facets: SignalFacets,
    /// What the feed shows, but for the revision.
    pub body: Box<RawValue>,
}

/// A notice of another signal, with its own keys.
#[derive(Debug, Clone)]
pub struct MovedNotice {
    pub source: String,
    pub reference: String,
    pub keys: Vec<i64>,
}

/// What the feed can be asked by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignalFacets {
    pub domain: Option<String>,
    pub other_domain: Option<String>,
    pub country: Option<String>,
    pub industry: Option<String>,
    pub department: Option<String>,
    pub stage: Option<String>,
    pub amount: Option<i64>,
    pub applicants: Option<i32>,
}

/// What came of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// A new event, or more of a known one.
    Written { id: SignalId, revision: i64 },
    /// It says nothing that was not known.
    Known(SignalId),
    /// It names somebody who does not want to be found.
    Suppressed,
}

/// How often it is begun anew when signals changed hands while their locks were waited for.
const TRIES: u8 = 4;

impl Graph {
    /// Takes a notice in: `decide` is given every signal that may be the same event, the one it was part of before first, and says
    /// what the signals are from now on. Nobody else decides of these keys, or of these signals, meanwhile.
    pub async fn take_notice(
        &self,
        new: &NewNotice<'_>,
        decide: impl FnOnce(&[HeldSignal]) -> Result<Decision, StoreError> + Send,
    ) -> Result<Taken, StoreError> {
        for left in (0..TRIES).rev() {
            let mut transaction = begin(&self.pool).await?;
            hold_off_erasing(&mut transaction).await?;
            lock(&mut transaction, new).await?;
            if is_suppressed(&mut transaction, new.subjects).await? {
                return Ok(Taken::Suppressed);
            }
            let locked = lock_signals(&mut transaction, new).await?;
            let mut held = held(&mut transaction, new).await?;
            let seen = held.len();
            held.retain(|signal| locked.contains(&signal.id.uuid()));
            // Somebody moved notices to a signal that is not ours yet: with new locks all of them are.
            if held.len() < seen && left > 0 {
                transaction.rollback().await?;
                continue;
            }
            let decision = decide(&held)?;
            let taken = keep(&mut transaction, new, &held, &decision).await?;
            transaction.commit().await?;
            return Ok(taken);
        }
        Err(StoreError::Overloaded)
    }
}

/// In one order for everybody: the notice itself, then its keys. Whoever has them decides alone.
async fn lock(connection: &mut PgConnection, new: &NewNotice<'_>) -> Result<(), StoreError> {
    let mut keys = new.keys.to_vec();
    keys.sort_unstable();
    keys.dedup();
    sqlx::query(
        "select pg_advisory_xact_lock(hashtextextended($1 || '/' || $2, 1)),
             (select count(pg_advisory_xact_lock(key)) from unnest($3::bigint[]) as keys (key))",
    )
    .bind(new.source)
    .bind(&new.notice.reference)
    .bind(keys)
    .execute(connection)
    .await?;
    Ok(())
}

async fn is_suppressed(connection: &mut PgConnection, subjects: &[Digest]) -> Result<bool, StoreError> {
    if subjects.is_empty() {
        return Ok(false);
    }
    Ok(!super::suppression::suppressed_among(connection, subjects).await?.is_empty())
}

/// The signals of the same notice, and those that share a key: of each key the newest, so that a word that many have crowds out
/// nobody who shares a rarer one.
const NEAR: &str = "own as (
             select signal_id from signal_notice where source = $1 and reference = $2
         ), near as (
             select signal_id from own
             union
             select k.signal_id from unnest($3::bigint[]) as keys (key) cross join lateral (
                 select signal_id from signal_key where key = keys.key order by signal_id desc limit $5
             ) as k
         )";

/// Others that have keys of their own may know the same signals: whoever has a signal's row changes it alone.
async fn lock_signals(
    connection: &mut PgConnection,
    new: &NewNotice<'_>,
) -> Result<HashSet<Uuid>, StoreError> {
    let statement = format!(
        "with {NEAR} select s.id from signal s where s.kind = $4 and s.id in (select signal_id from near)
         order by s.id for update"
    );
    let rows: Vec<Uuid> = sqlx::query_scalar(AssertSqlSafe(statement))
        .bind(new.source)
        .bind(&new.notice.reference)
        .bind(new.keys)
        .bind(number(new.notice.content.kind()))
        .bind(SIGNAL_CANDIDATES_MAX)
        .fetch_all(connection)
        .await?;
    Ok(rows.into_iter().collect())
}

async fn held(connection: &mut PgConnection, new: &NewNotice<'_>) -> Result<Vec<HeldSignal>, StoreError> {
    let statement = format!(
        "with {NEAR} select s.id, s.revision, s.detected_at, n.source, n.notice, n.seen_at
         from near join signal s on s.id = near.signal_id and s.kind = $4
         join signal_notice n on n.signal_id = s.id
         order by s.id not in (select signal_id from own), s.id desc, n.seen_at, n.source, n.reference"
    );
    let rows = sqlx::query(AssertSqlSafe(statement))
        .bind(new.source)
        .bind(&new.notice.reference)
        .bind(new.keys)
        .bind(number(new.notice.content.kind()))
        .bind(SIGNAL_CANDIDATES_MAX)
        .fetch_all(connection)
        .await?;
    let mut held: Vec<HeldSignal> = Vec::new();
    for row in &rows {
        let id = SignalId::from_uuid(row.try_get(0)?);
        let Json(notice): Json<Notice> = row.try_get(4)?;
        let notice = HeldNotice { source: row.try_get(3)?, notice, seen_at: row.try_get(5)? };
        match held.last_mut().filter(|last| last.id == id) {
            Some(last) => last.notices.push(notice),
            None => held.push(HeldSignal {
                id,
                revision: row.try_get(1)?,
                detected_at: row.try_get(2)?,
                notices: vec![notice],
            }),
        }
    }
    Ok(held)
}
