//! One page of a search: found in the node's index, read from the graph, and where the next one begins.

use crate::context::Context;
use crate::cursor;
use crate::endpoint::{Step, Trace};
use crate::fault::{Code, Fault};
use crate::view::ToldPerson;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{
    INDEX_FILLING_RETRY_SECONDS, PAGE_ROWS_DEFAULT, SEARCH_COUNTED_MAX, SEARCH_REFILLS_MAX,
};
use assay_domain::{AccountId, Company, CompanyId, PersonId};
use assay_engine::{Engine, EngineError};
use assay_index::{Asker, Clause, Mark, Page, Place, Question};
use assay_replica::{Indexes, ReplicaError, Side, Unreadable};
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use uuid::Uuid;

/// Bytes of a filter's hash that a cursor holds.
const FINGERPRINT_BYTES: usize = 8;

/// The order of the rows.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SearchSort")]
pub enum Sort {
    // Who is known best comes first: with contacts, with a job, with the most told of them.
    #[default]
    Rank,
}

/// How far `total` is counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SearchCount")]
pub enum Count {
    #[default]
    Bounded,
    Exact,
}

/// Whether `total` is all there are, or there are more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "TotalRelation")]
pub enum TotalRelation {
    Eq,
    Gte,
}

/// What cut an answer short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "TruncatedBy")]
pub enum TruncatedBy {
    Credits,
}

/// What a cursor holds: how far the log was read when the first page was answered, the last row, and what was asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Continuation {
    epoch: Uuid,
    seq: u64,
    order: u64,
    id: Uuid,
    total: u64,
    exact: bool,
    /// The day of the first page: "within a year" means the same on every page.
    on: NaiveDate,
    filter: String,
}

/// Which page is wanted.
#[derive(Debug, Clone)]
pub struct PageWish {
    cursor: Option<Continuation>,
    fingerprint: String,
    limit: u32,
    count: Count,
}

impl PageWish {
    /// Reads the cursor of a search for `filter`, which is whatever decides which rows there are and in which order.
    pub fn read(
        filter: &impl Serialize,
        cursor: Option<&str>,
        limit: Option<u32>,
        count: Option<Count>,
    ) -> Result<Self, Fault> {
        let fingerprint = fingerprint(filter);
        let cursor: Option<Continuation> = cursor::read(cursor)?;
        if cursor.as_ref().is_some_and(|cursor| cursor.filter != fingerprint) {
            let fix = "send the same filters with every cursor, or start again without one";
            return Err(Fault::field("/cursor", "invalid_cursor", "the cursor is of another search", fix));
        }
        let limit = limit.unwrap_or(PAGE_ROWS_DEFAULT);
        Ok(Self { cursor, fingerprint, limit, count: count.unwrap_or_default() })
    }

    /// The page of a workflow, where all that is written of its request decides which rows there are.
    pub fn of(
        name: &str,
        request: &impl Serialize,
        cursor: &Option<String>,
        limit: Option<u32>,
    ) -> Result<Self, Fault> {
        Self::read(&(name, request), cursor.as_deref(), limit, None)
    }

    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// The same search from where a page of it ended, for so many rows.
    pub fn go_on(&self, cursor: Option<&str>, limit: u32) -> Result<Self, Fault> {
        let cursor = cursor::read(cursor)?.or_else(|| self.cursor.clone());
        Ok(Self { cursor, limit, ..self.clone() })
    }

    /// The day that filters count back from.
    pub fn day(&self, context: &Context) -> NaiveDate {
        self.cursor.as_ref().map_or_else(|| context.now.date_naive(), |cursor| cursor.on)
    }
}

pub(crate) fn fingerprint(filter: &impl Serialize) -> String {
    let written = serde_json::to_vec(filter).unwrap_or_default();
    hex::encode(Sha256::digest(written).iter().take(FINGERPRINT_BYTES).copied().collect::<Vec<u8>>())
}

/// What rows must have, and must not have.
#[derive(Debug, Clone, Default)]
pub struct Conditions {
    pub all: Vec<Clause>,
    pub none: Vec<Clause>,
}

impl Conditions {
    /// Leaves out whatever meets one of `others`.
    pub fn without(mut self, others: Self) -> Self {
        self.none.extend(others.all);
        self.all.extend(others.none);
        self
    }
}

/// A page that was found.
#[derive(Debug)]
pub struct FoundPage<R> {
    pub rows: Vec<R>,
    pub total: u64,
    pub total_relation: TotalRelation,
    pub truncated_by: Option<TruncatedBy>,
    pub next_cursor: Option<String>,
    pub steps: Vec<Step>,
}

/// A record that can be searched for.
pub trait Searched: Sized + Send {
    const SIDE: Side;

    /// Those that still exist and that `asker` may see, in the order of the ids.
    fn read(
        engine: &Engine,
        asker: AccountId,
        ids: &[Uuid],
    ) -> impl Future<Output = Result<Vec<Self>, EngineError>> + Send;
}

impl Searched for ToldPerson {
    const SIDE: Side = Side::People;

    async fn read(engine: &Engine, asker: AccountId, ids: &[Uuid]) -> Result<Vec<Self>, EngineError> {
        let ids: Vec<PersonId> = ids.iter().copied().map(PersonId::from_uuid).collect();
        Ok(engine.people_told_to(asker, &ids).await?.into_iter().map(Into::into).collect())
    }
}

impl Searched for Company {
    const SIDE: Side = Side::Companies;

    async fn read(engine: &Engine, asker: AccountId, ids: &[Uuid]) -> Result<Vec<Self>, EngineError> {
        let ids: Vec<CompanyId> = ids.iter().copied().map(CompanyId::from_uuid).collect();
        engine.companies_seen_by(asker, &ids).await
    }
}

/// Finds a page of what meets the conditions.
pub async fn find<R: Searched>(
    context: &Context,
    conditions: Conditions,
    wish: &PageWish,
) -> Result<FoundPage<R>, Fault> {
    find_telling(context, conditions, wish, |_| ()).await
}

/// The same. Who will be on the page, if they are all still there, is told before they are read.
pub async fn find_telling<R: Searched>(
    context: &Context,
    conditions: Conditions,
    wish: &PageWish,
    tell: impl FnOnce(&[Uuid]),
) -> Result<FoundPage<R>, Fault> {
    let watch = Stopwatch::start();
    let account = context.memory.account();
    let Conditions { all, none } = conditions;
    let question = Arc::new(Question { all, none, asker: Asker::Account(account.uuid()) });
    let (indexes, mark) = generation(context, wish).await?;
    let mut total = wish.cursor.as_ref().map(|cursor| (cursor.total, cursor.exact));
    let mut after = wish.cursor.as_ref().map(|cursor| Place { order: cursor.order, id: cursor.id });
    let unchanged_since = wish.cursor.as_ref().map(|cursor| cursor.seq);
    let wanted = usize::try_from(wish.limit.min(context.units_affordable)).unwrap_or(usize::MAX);
    let (mut rows, mut more): (Vec<R>, bool) = (Vec::new(), true);
    let mut tell = Some(tell);
    // Rows that are gone by now leave gaps, which later rows fill.
    for _ in 0..=SEARCH_REFILLS_MAX {
        let missing = wanted.saturating_sub(rows.len());
        // One more than needed tells whether there is a next page; one more than is told, whether there are more.
        let count_to = if total.is_none() { SEARCH_COUNTED_MAX + 1 } else { 0 };
        let page = Page { after, limit: missing + 1, count_to, unchanged_since };
        let mut hits = indexes.search(R::SIDE, &question, page).await?;
        if total.is_none() {
            total = Some(count_all::<R>(&indexes, &question, wish.count, hits.counted).await?);
        }
        more = hits.rows.len() > missing;
        hits.rows.truncate(missing);
        after = hits.rows.last().copied().or(after);
        let ids: Vec<Uuid> = hits.rows.iter().map(|place| place.id).collect();
        if let Some(tell) = tell.take() {
            tell(&ids);
        }
        rows.extend(R::read(&context.engine, account, &ids).await?);
        if !more || rows.len() >= wanted {
            break;
        }
    }
    let (total, exact) = total.unwrap_or_default();
    let next = after.filter(|_| more).map(|last| Continuation {
        epoch: mark.epoch,
        seq: mark.seq,
        order: last.order,
        id: last.id,
        total,
        exact,
        on: wish.day(context),
        filter: wish.fingerprint.clone(),
    });
    let is_short = more && wish.limit > context.units_affordable;
    Ok(FoundPage {
        total,
        total_relation: if exact { TotalRelation::Eq } else { TotalRelation::Gte },
        truncated_by: is_short.then_some(TruncatedBy::Credits),
        next_cursor: next.and_then(|next| cursor::write(&next)),
        steps: vec![step(!rows.is_empty(), watch)],
        rows,
    })
}

/// What is remembered of a page when no more is known than who will be on it.
pub fn foreseen(ids: &[Uuid], people: Vec<PersonId>) -> Trace {
    Trace { steps: vec![step(!ids.is_empty(), Stopwatch::start())], people, ..Trace::default() }
}

fn step(is_found: bool, watch: Stopwatch) -> Step {
    Step::own("index", if is_found { "found" } else { "not_found" }, watch.elapsed())
}

/// What answers, and how far it had read when the first page was answered.
async fn generation(context: &Context, wish: &PageWish) -> Result<(Arc<Indexes>, Mark), Fault> {
    let Some(cursor) = &wish.cursor else { return Ok(context.replica.newest()?) };
    let mark = Mark { epoch: cursor.epoch, seq: cursor.seq };
    let indexes = context.slot.aside(context.replica.at(mark)).await?;
    Ok((indexes, mark))
}

async fn count_all<R: Searched>(
    indexes: &Arc<Indexes>,
    question: &Arc<Question>,
    count: Count,
    counted: u64,
) -> Result<(u64, bool), Fault> {
    if counted <= SEARCH_COUNTED_MAX {
        return Ok((counted, true));
    }
    if count == Count::Bounded {
        return Ok((SEARCH_COUNTED_MAX, false));
    }
    Ok((indexes.count(R::SIDE, question).await?, true))
}

impl From<Unreadable> for Fault {
    fn from(why: Unreadable) -> Self {
        match why {
            Unreadable::Filling => Self {
                retry_after_seconds: Some(INDEX_FILLING_RETRY_SECONDS),
                ..Self::new(Code::Unavailable, "this node's index is still being filled")
            },
            Unreadable::Behind => {
                Self::new(Code::Unavailable, "this node's index is behind the one that gave the cursor")
            }
            Unreadable::Expired => {
                Self::new(Code::CursorExpired, "the list was rebuilt since the cursor was given")
            }
        }
    }
}

impl From<ReplicaError> for Fault {
    fn from(error: ReplicaError) -> Self {
        match error {
            ReplicaError::Store(error) => error.into(),
            error => {
                tracing::error!(%error, "the index could not be asked");
                Self::new(Code::Internal, "the failure was recorded")
            }
        }
    }
}
