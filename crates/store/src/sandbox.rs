//! The sandbox's daily counter: how often each client address called today, exact over calls, restarts and nodes.
//!
//! It has a pool of its own, so that no flood of sandbox calls can take a connection from a paid one, and it sends only so
//! many batches a second, so that none can take the database's time either.

use crate::lane::{Lane, LaneSize};
use crate::lending::Pool;
use crate::pool::Database;
use crate::{Ledger, StoreError};
use assay_domain::clock::Stopwatch;
use assay_domain::limits;
use chrono::NaiveDate;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// Counts sandbox calls. What it answers is how many are left.
#[derive(Debug, Clone)]
pub struct SandboxCounter {
    lane: Lane<Asked, Left>,
}

/// Calls a client has left today; `None` when it had used them all before this one.
pub type Left = Option<u32>;

#[derive(Debug, Clone, Copy)]
struct Asked {
    day: NaiveDate,
    client: IpAddr,
    /// False for a mere look.
    counts: bool,
}

/// A client of a day as it is stored.
type Client = (NaiveDate, Vec<u8>);

type Salts = HashMap<NaiveDate, Vec<u8>>;

impl Asked {
    /// `None` without the day's salt, which a batch always has.
    fn client(&self, salts: &Salts) -> Option<Client> {
        let mut hasher = Sha256::new();
        hasher.update(salts.get(&self.day)?);
        match self.client {
            IpAddr::V4(address) => hasher.update(address.octets()),
            IpAddr::V6(address) => hasher.update(address.octets()),
        }
        Some((self.day, hasher.finalize().to_vec()))
    }
}

impl SandboxCounter {
    /// A few connections to the ledger's database. `daily_limit` is what a client may call in a day.
    pub async fn connect(database: &Database, daily_limit: u32) -> Result<Self, StoreError> {
        let own = Database { connections_max: limits::SANDBOX_CONNECTIONS, ..database.clone() };
        let pool = own.connect("assay-sandbox").await?;
        let size = LaneSize {
            batch_max: limits::SANDBOX_BATCH_MAX,
            queue_max: limits::SANDBOX_QUEUE_MAX,
            // One batch at a time: two would wait for each other's rows.
            workers: 1,
        };
        let tally = Arc::new(Tally { pool, daily_limit, salts: Mutex::default(), sent: Mutex::default() });
        let lane = Lane::start("sandbox", size, move |batch| {
            let tally = Arc::clone(&tally);
            async move { tally.answer(batch).await }
        });
        Ok(Self { lane })
    }

    /// Counts one call. The count is committed when this returns.
    pub async fn count(&self, day: NaiveDate, client: IpAddr) -> Result<Left, StoreError> {
        self.lane.ask(Asked { day, client, counts: true }).await
    }

    /// What is left, without counting.
    pub async fn look(&self, day: NaiveDate, client: IpAddr) -> Result<u32, StoreError> {
        Ok(self.lane.ask(Asked { day, client, counts: false }).await?.unwrap_or(0))
    }
}

/// Answers the lane's batches.
struct Tally {
    pool: Pool,
    daily_limit: u32,
    /// The salts of the day, and of the other one around midnight.
    salts: Mutex<Salts>,
    /// When the last batch went out.
    sent: Mutex<Option<Stopwatch>>,
}

impl Tally {
    async fn answer(&self, batch: Vec<Asked>) -> Vec<Result<Left, StoreError>> {
        self.pace().await;
        match self.tell(&batch).await {
            Ok(left) => left.into_iter().map(Ok).collect(),
            Err(error) => batch.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    /// Waits until the next batch may go out. A lone call never waits; in a flood the batches grow instead of their number.
    async fn pace(&self) {
        let sent = *self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let early = sent.map(|sent| limits::SANDBOX_BATCH_EVERY.saturating_sub(sent.elapsed()));
        if let Some(early) = early.filter(|early| !early.is_zero()) {
            tokio::time::sleep(early).await;
        }
        *self.sent.lock().unwrap_or_else(PoisonError::into_inner) = Some(Stopwatch::start());
    }

    async fn tell(&self, batch: &[Asked]) -> Result<Vec<Left>, StoreError> {
        let days: BTreeSet<NaiveDate> = batch.iter().map(|asked| asked.day).collect();
        let salts = self.salts_of(&days).await?;
        let clients: Vec<Client> = batch.iter().filter_map(|asked| asked.client(&salts)).collect();
        let (mut calls, mut looks) = (BTreeMap::<&Client, i64>::new(), BTreeSet::new());
        for (client, asked) in clients.iter().zip(batch) {
            if asked.counts {
                *calls.entry(client).or_default() += 1;
            } else {
                looks.insert(client);
            }
        }
        let mut counted = self.add(&calls).await?;
        let seen = self.look_up(&looks).await?;
        let daily_limit = i64::from(self.daily_limit);
        let left = |(client, asked): (&Client, &Asked)| {
            if !asked.counts {
                let used = seen.get(client).copied().unwrap_or(0);
                return Some(u32::try_from(daily_limit - used).unwrap_or(0));
            }
            // Each call of the batch takes the next place among the calls of its client.
            let used = counted.get_mut(client)?;
            *used += 1;
            u32::try_from(daily_limit - *used).ok()
        };
        Ok(clients.iter().zip(batch).map(left).collect())
    }

    /// Counts all calls of the batch in one statement, and tells what each client had used before it. A client that had
    /// none left is not written again, and not told.
    async fn add(&self, calls: &BTreeMap<&Client, i64>) -> Result<HashMap<Client, i64>, StoreError> {
        if calls.is_empty() {
            return Ok(HashMap::new());
        }
        let (days, clients) = columns(calls.keys().copied());
        let counts: Vec<i64> = calls.values().copied().collect();
        // In order, because two nodes that write the same rows in another order could lock each other out. The commit
        // does not wait for the disk, where money's commits would have to queue behind it, unless it uses up a client's
        // day: that stays true whatever happens to the database, while a crash of it may forget the last moment's counts
        // of the others. The sort reads all of its input first, so the wait is switched off before it may be switched on.
        let rows: Vec<(NaiveDate, Vec<u8>, i64)> = sqlx::query_as(
            "insert into sandbox_use as known (day, client, calls)
             select day, client, calls
             from unnest($1::date[], $2::bytea[], $3::bigint[]) as fresh (day, client, calls),
                  (select set_config('synchronous_commit', 'off', true)) as unhurried
             order by day, client
             on conflict (day, client) do update set calls = known.calls + excluded.calls where known.calls < $4
             returning day, client, calls,
                 case when known.calls >= $4 then set_config('synchronous_commit', 'on', true) end",
        )
        .bind(&days)
        .bind(&clients)
        .bind(&counts)
        .bind(i64::from(self.daily_limit))
        .fetch_all(&self.pool)
        .await?;
        let before = |(day, client, after): (NaiveDate, Vec<u8>, i64)| {
            let client = (day, client);
            let added = calls.get(&client).copied().unwrap_or(0);
            (client, after - added)
        };
        Ok(rows.into_iter().map(before).collect())
    }

    /// What these clients have used; one that nobody has seen is left out.
    async fn look_up(&self, looks: &BTreeSet<&Client>) -> Result<HashMap<Client, i64>, StoreError> {
        if looks.is_empty() {
            return Ok(HashMap::new());
        }
        let (days, clients) = columns(looks.iter().copied());
        let rows: Vec<(NaiveDate, Vec<u8>, i64)> = sqlx::query_as(
            "select day, client, calls from sandbox_use
             where (day, client) in (select day, client from unnest($1::date[], $2::bytea[]) as asked (day, client))",
        )
        .bind(&days)
        .bind(&clients)
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|(day, client, calls)| ((day, client), calls)).collect())
    }

    /// The salts of these days, made by whichever node needs one first.
    async fn salts_of(&self, days: &BTreeSet<NaiveDate>) -> Result<Salts, StoreError> {
        let mut salts = self.salts.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if days.iter().all(|day| salts.contains_key(day)) {
            return Ok(salts);
        }
        salts.retain(|day, _| days.contains(day));
        for day in days {
            let salt: Vec<u8> = sqlx::query_scalar(
                "insert into sandbox_day as known (day, salt)
                 values ($1, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
                 on conflict (day) do update set salt = known.salt returning salt",
            )
            .bind(day)
            .fetch_one(&self.pool)
            .await?;
            salts.insert(*day, salt);
        }
        self.salts.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&salts);
        Ok(salts)
    }
}

fn columns<'a>(clients: impl Iterator<Item = &'a Client>) -> (Vec<NaiveDate>, Vec<&'a [u8]>) {
    clients.map(|(day, client)| (*day, client.as_slice())).unzip()
}

impl Ledger {
    /// Forgets the sandbox's past days, a bounded number of rows at a time; says how many. The salt goes first: without
    /// it the rows that still wait tell nothing.
    pub async fn sweep_sandbox(&self) -> Result<u64, StoreError> {
        let grace = i32::try_from(limits::SANDBOX_SWEEP_GRACE.as_secs() / 60).unwrap_or(i32::MAX);
        sqlx::query("delete from sandbox_day where day < (now() at time zone 'utc' - make_interval(mins => $1))::date")
            .bind(grace)
            .execute(&self.pool)
            .await?;
        let forgotten = sqlx::query(
            "delete from sandbox_use where (day, client) in (
                 select day, client from sandbox_use
                 where day < (now() at time zone 'utc' - make_interval(mins => $1))::date
                 limit $2 for update skip locked)",
        )
        .bind(grace)
        .bind(limits::SANDBOX_SWEEP_BATCH)
        .execute(&self.pool)
        .await?;
        Ok(forgotten.rows_affected())
    }
}
