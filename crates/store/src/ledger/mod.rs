//! The ledger side: accounts, keys, credits, holds, history and replies. Every change of credits goes through a lane.

mod accounts;
mod ahead;
mod apply;
mod audit;
pub mod batch;
pub mod book;
pub mod bulk;
mod calls;
mod erasure;
mod grants;
mod history;
pub mod icps;
mod keys;
mod load;
pub mod op;
mod partitions;
mod people;
mod providers;
mod rates;
mod remembered;
mod replies;
mod secrets;
mod suppressions;
mod sweep;
pub mod watch;
pub mod webhooks;
mod write;

pub use accounts::{NewAccount, Overview, TrialChange};
pub use ahead::Begun;
pub use audit::Violation;
pub use erasure::Forgotten;
pub use grants::MonthGranted;
pub use history::{HistoryFilter, HistoryPage, HistoryRow, HistoryTotals};
pub use keys::{KeyCursor, KeyRecord, KeyTerms, KeyWrite, ListedKey, NewKey};
pub use people::{ResolvedCursor, ResolvedPerson};
pub use providers::{PROVIDER_KEY, ProviderKey, ProviderRow, Providers};
pub use rates::{RateNode, WindowId};
pub use replies::{ClaimGuard, Claimed};
pub use secrets::{SecretName, SecretPlace};
pub use suppressions::CopyState;
pub use sweep::Swept;

use crate::lane::{Lane, LaneSize, batches_at_once};
use crate::lending::Pool;
use crate::line::Line;
use crate::pool::{Database, newest_version, schema_versions};
use crate::queue::Jobs;
use crate::{StoreError, task};
use ahead::Ahead;
use assay_domain::{AccountId, Clock, Credits, HoldId, LotId, RequestId, limits};
use batch::{Asked, Clerk};
use op::{Answer, Op, Refund};
use remembered::Remembered;
use replies::ClaimKeeper;
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use std::sync::Arc;
use std::time::Duration;

static MIGRATOR: Migrator = sqlx::migrate!("../../migrations/ledger");

/// The ledger database.
#[derive(Debug, Clone)]
pub struct Ledger {
    pub(crate) pool: Pool,
    /// Accounts are dealt out over the counters, so that two batches of one node never wait for each other's accounts.
    counters: Arc<[Counter]>,
    ahead: Ahead,
    claims: ClaimKeeper,
    jobs: Jobs,
    clock: Clock,
}

/// Where the charges of some accounts are made.
#[derive(Debug)]
struct Counter {
    lane: Lane<Asked, Answer>,
    remembered: Remembered,
}

impl Ledger {
    pub async fn connect(database: &Database, clock: Clock) -> Result<Self, StoreError> {
        // One worker decides while the other one's commit is on its way to the disk.
        let size =
            LaneSize { batch_max: limits::LEDGER_BATCH_MAX, queue_max: limits::LEDGER_QUEUE_MAX, workers: 2 };
        // Those of the lanes, the one on which charges are begun ahead, the one on which request rates are exchanged, and the one that
        // shows that a worker lives.
        let lines = batches_at_once() * size.workers + 3;
        let pool = database.beside(lines).connect("assay-ledger").await?;
        let line = || Line::beside_unhurried(&pool, database.acquire_timeout);
        let counter = |_| {
            let remembered = Remembered::default();
            let clerk = || Clerk { line: line(), remembered: remembered.clone() };
            Counter { lane: Lane::start_workers("ledger", size, clerk), remembered }
        };
        let counters = (0..batches_at_once()).map(counter).collect();
        let ahead = Ahead::on(line());
        let claims = ClaimKeeper::start(pool.clone());
        let jobs = Jobs::new(pool.clone());
        Ok(Self { pool, counters, ahead, claims, jobs, clock })
    }

    /// Brings the schema up to date.
    pub async fn migrate(database: &Database) -> Result<(), StoreError> {
        let pool = database.connect("assay-migrate").await?;
        MIGRATOR.run(pool.driver()).await?;
        pool.driver().close().await;
        Ok(())
    }

    /// The schema version this program needs.
    pub fn schema_needed() -> i64 {
        newest_version(&MIGRATOR)
    }

    /// The schema version this program needs and the one the database has.
    pub async fn schema_versions(&self) -> Result<(i64, Option<i64>), StoreError> {
        schema_versions(&self.pool, &MIGRATOR).await
    }

    pub async fn ping(&self) -> Result<(), StoreError> {
        sqlx::query("select 1").execute(&self.pool).await?;
        Ok(())
    }

    /// What the server is and whether it keeps its promises: version and the settings durability hangs on.
    pub async fn server_facts(&self) -> Result<ServerFacts, StoreError> {
        let (version, fsync, synchronous_commit) = sqlx::query_as(
            "select current_setting('server_version'), current_setting('fsync'), current_setting('synchronous_commit')",
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(ServerFacts { version, fsync, synchronous_commit })
    }

    /// Remembers which master key the stored hashes were made with, and refuses any other.
    pub async fn check_key(&self, fingerprint: &str) -> Result<(), StoreError> {
        let stored: Option<String> = sqlx::query_scalar(
            "update ledger_meta set key_fingerprint = coalesce(key_fingerprint, $1) returning key_fingerprint",
        )
        .bind(fingerprint)
        .fetch_one(&self.pool)
        .await?;
        if stored.as_deref() == Some(fingerprint) {
            return Ok(());
        }
        Err(StoreError::Schema("the ledger was made with another master key".into()))
    }

    /// The queue, which is part of this database so that work and money are committed together.
    pub fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    /// Asks for one operation and waits for its commit.
    pub async fn ask(&self, account: AccountId, op: Op) -> Result<Answer, StoreError> {
        self.ask_for(Asked::new(account, op)).await
    }

    async fn ask_for(&self, asked: Asked) -> Result<Answer, StoreError> {
        let (account, unacknowledged) = (asked.account, unacknowledged_charge(&asked.op));
        let answer = self.counter(account).lane.ask(asked).await;
        if let (Err(StoreError::Unavailable(_)), Some((request, refund))) = (&answer, unacknowledged) {
            tracing::warn!(%request, "the fate of a charge is unknown; it is given back if it was booked");
            self.give_back_later(account, refund);
        }
        answer
    }

    /// Lets go of a hold without waiting for it: for a call that ended before it could settle.
    pub fn release_later(&self, account: AccountId, hold: HoldId) {
        let ledger = self.clone();
        task::spawn("release-hold", async move {
            if let Err(error) = ledger.ask(account, Op::Release(hold)).await {
                tracing::warn!(%hold, %error, "a hold could not be released; it ends by itself");
            }
        });
    }

    /// Gives back a part of what a call cost, or all of it. Where the database cannot be reached, that is done later.
    pub async fn give_back(&self, account: AccountId, request: RequestId, amount: Credits) {
        let refund = refund_of(request, amount);
        let asked = Asked::new(account, Op::Refund(refund.clone()));
        match self.counter(account).lane.ask(asked).await {
            Ok(Answer::Refunded { .. }) => {}
            Ok(answer) => tracing::error!(%request, ?answer, "what was charged in vain is not given back"),
            Err(error) => {
                tracing::warn!(%request, %error, "what was charged in vain is given back later");
                self.give_back_later(account, refund);
            }
        }
    }

    /// A failed call is never charged: the caller was told of the failure, so a charge that was booked after all goes
    /// back as soon as the database can be reached.
    fn give_back_later(&self, account: AccountId, refund: Refund) {
        let ledger = self.clone();
        task::spawn("give-back", async move {
            for _ in 0..GIVE_BACK_TRIES {
                tokio::time::sleep(GIVE_BACK_EVERY).await;
                let asked = Asked::new(account, Op::Refund(refund.clone()));
                match ledger.counter(account).lane.ask(asked).await {
                    Ok(answer) => {
                        tracing::info!(request = %refund.request, ?answer, "an unacknowledged charge was looked at");
                        return;
                    }
                    Err(error) => {
                        tracing::warn!(request = %refund.request, %error, "still waiting to give back")
                    }
                }
            }
        });
    }

    #[expect(clippy::expect_used, reason = "there is always at least one counter")]
    fn counter(&self, account: AccountId) -> &Counter {
        let counters = u128::try_from(self.counters.len()).unwrap_or(1).max(1);
        let hash = account.uuid().as_u128() % counters;
        let index = usize::try_from(hash).unwrap_or(0);
        self.counters.get(index).or(self.counters.first()).expect("a ledger has counters")
    }

    /// The pool, for tests and benchmarks that look at the rows themselves.
    pub fn pool(&self) -> &PgPool {
        self.pool.driver()
    }
}

const GIVE_BACK_TRIES: u32 = 600;
const GIVE_BACK_EVERY: Duration = Duration::from_secs(1);

/// What is told about a database server.
#[derive(Debug, Clone)]
pub struct ServerFacts {
    pub version: String,
    pub fsync: String,
    pub synchronous_commit: String,
}

/// The refund of a charge whose fate the caller may never learn. A call with an idempotency key needs none: its retry
/// finds the reply that was paid for. Nor does a job of the queue: its next worker finds it done.
fn unacknowledged_charge(op: &Op) -> Option<(RequestId, Refund)> {
    match op {
        Op::Settle(settle)
            if settle.reply.is_none() && settle.lease().is_none() && settle.charge.is_positive() =>
        {
            Some((settle.request, refund_of(settle.request, settle.charge)))
        }
        _ => None,
    }
}

/// The lot's id may come from the request's: there is at most one refund a request.
fn refund_of(request: RequestId, amount: Credits) -> Refund {
    Refund { lot: LotId::from_uuid(request.uuid()), request, amount }
}
