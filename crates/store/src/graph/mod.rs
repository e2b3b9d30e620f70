//! The graph side: people, companies, the digests that find them, and the log of what changed.

mod copy_rows;
mod entity_rows;
mod follower;
mod import;
mod log;
mod mail;
mod mail_operator;
mod match_keys;
mod merges;
mod people_text;
mod polled;
mod prepare;
mod read;
mod signals;
mod sources;
mod suppression;
mod upstream;
mod write;

pub use entity_rows::Sighting;
pub use follower::ToldChange;
pub use import::{
    EmploymentChange, EmploymentChangeKind, HeldRecord, ImportProgress, ImportTurn, ImportWrite, Merge,
    RecordKey, RecordWrite, WorkSide,
};
pub use log::{Change, Changes, EntityKind, Followed, LogHead, Turn};
pub use mail::{KeptVerdict, KnownMailbox};
pub use mail_operator::{OpenConnection, OperatorRow};
pub use people_text::{EmployerText, PersonText};
pub use polled::{ITEM_READ, ListedItem, LookEnd, NewFeed, PageMark, PolledFeed};
pub use signals::{
    Decision, FeedEntry, FeedFilter, FeedHead, FeedPage, FeedRow, FeedStart, HeldNotice, HeldSignal, Moment,
    MovedNotice, NewNotice, Part, RecentFilter, RecentPage, SignalFacets, SignalWrite, Taken,
};
pub use sources::{ImportFile, ImportRun, RecordKind, Source, SourceCounts, SourceRights};
pub(crate) use suppression::read_suppression;
pub use suppression::{
    Erasure, MatchKeysOf, NewSuppression, PlacedSuppression, SealHashes, SuppressWish, Suppressed,
    Suppression, SuppressionMark,
};
pub use upstream::{KeptAnswer, KnownAnswer, NewAnswer, TallyRow};
pub use write::{CompanyWrite, GraphBatch, MatchKeys, PersonWrite, Rights, Written};

use crate::lane::{Lane, LaneSize, batches_at_once};
use crate::lending::Pool;
use crate::line::Line;
use crate::{Database, StoreError, pool};
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{LOOKUP_BATCH_MAX, LOOKUP_QUEUE_MAX};
use assay_domain::{Company, Digest, Person};
use read::Reader;
use sqlx::migrate::Migrator;
use std::sync::{Arc, Mutex};

static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/graph");

/// Beyond this many rows counting takes longer than anyone waits, and the planner's estimate is close enough.
const COUNT_EXACTLY_MAX: i64 = 2_000_000;

/// The graph database. Clones share its connections and its lanes.
#[derive(Debug, Clone)]
pub struct Graph {
    pool: Pool,
    people: Lane<Digest, Vec<Person>>,
    companies: Lane<Digest, Vec<Company>>,
    /// Where the feed stood when it was last read, and since when that is known.
    last_head: Arc<Mutex<Option<(FeedHead, Stopwatch)>>>,
}

/// How much the graph holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    pub people: u64,
    pub companies: u64,
    /// Otherwise they are the database's own estimates.
    pub exact: bool,
}

impl Graph {
    /// Connects and starts the lanes, which live as long as any clone does.
    pub async fn connect(database: &Database) -> Result<Self, StoreError> {
        let size =
            LaneSize { batch_max: LOOKUP_BATCH_MAX, queue_max: LOOKUP_QUEUE_MAX, workers: batches_at_once() };
        let pool = database.beside(2 * size.workers).connect("assay-graph").await?;
        let reader = || Reader { line: Line::beside(&pool, database.acquire_timeout) };
        let people = Lane::start_workers("people_by_digest", size, reader);
        let companies = Lane::start_workers("companies_by_digest", size, reader);
        Ok(Self { pool, people, companies, last_head: Arc::default() })
    }

    /// Brings the schema to the version this program needs.
    pub async fn migrate(database: &Database) -> Result<(), StoreError> {
        let pool = database.connect("assay-migrate").await?;
        let done = MIGRATIONS.run(pool.driver()).await;
        pool.driver().close().await;
        Ok(done?)
    }

    /// The schema version this program needs.
    pub fn schema_needed() -> i64 {
        pool::newest_version(&MIGRATIONS)
    }

    /// The newest schema version this program knows, and the newest in the database (none when it is empty).
    pub async fn schema_versions(&self) -> Result<(i64, Option<i64>), StoreError> {
        pool::schema_versions(&self.pool, &MIGRATIONS).await
    }

    /// Refuses a master key other than the one the stored digests were made with: under another key every lookup
    /// would quietly find nothing, and every import would make each person anew.
    pub async fn check_key(&self, fingerprint: &str) -> Result<(), StoreError> {
        sqlx::query("update graph_meta set key_fingerprint = $1 where key_fingerprint is null")
            .bind(fingerprint)
            .execute(&self.pool)
            .await?;
        let held: Option<String> =
            sqlx::query_scalar("select key_fingerprint from graph_meta").fetch_one(&self.pool).await?;
        match held {
            Some(held) if held == fingerprint => Ok(()),
            held => Err(StoreError::Schema(format!(
                "the graph was written with the master key {}, not with {fingerprint}",
                held.unwrap_or_default()
            ))),
        }
    }

    pub async fn ping(&self) -> Result<(), StoreError> {
        sqlx::query("select 1").execute(&self.pool).await?;
        Ok(())
    }

    /// How many people and companies there are, merged ones left out.
    pub async fn counts(&self) -> Result<Counts, StoreError> {
        let (people, companies): (i64, i64) = sqlx::query_as(
            "select (select reltuples::bigint from pg_class where oid = 'person'::regclass),
                    (select reltuples::bigint from pg_class where oid = 'company'::regclass)",
        )
        .fetch_one(&self.pool)
        .await?;
        let exact = people.max(companies) <= COUNT_EXACTLY_MAX;
        let (people, companies) = if exact { self.count_exactly().await? } else { (people, companies) };
        let count = |rows: i64| u64::try_from(rows).unwrap_or(0);
        Ok(Counts { people: count(people), companies: count(companies), exact })
    }

    async fn count_exactly(&self) -> Result<(i64, i64), StoreError> {
        let counts = sqlx::query_as(
            "select (select count(*) from person where merged_into is null),
                    (select count(*) from company where merged_into is null)",
        );
        Ok(counts.fetch_one(&self.pool).await?)
    }
}
