//! What a batch must know before it decides: the locked books, and the rows its operations refer to.

use super::batch::Asked;
use super::book::{Book, LotLeft};
use super::op::{Cap, Op, Settled};
use super::watch::read_open_runs;
use crate::StoreError;
use crate::queue::Lease;
use assay_domain::{AccountId, Credits, HoldId, JobId, KeyId, RequestId};
use chrono::{DateTime, NaiveDate, Utc};
use sqlx::types::Json;
use sqlx::{PgConnection, Row};
use std::collections::{BTreeSet, HashMap, HashSet};
use uuid::Uuid;

/// The database's time at which the batch decides, and the month caps are counted in.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    pub now: DateTime<Utc>,
    pub month: NaiveDate,
}

impl Moment {
    /// For what does not depend on the time.
    pub const BEFORE_ALL: Self = Self { now: DateTime::<Utc>::MIN_UTC, month: NaiveDate::MIN };
}

/// Locks the balances of all accounts of the batch, in order of account id, so that two nodes cannot deadlock.
pub async fn lock_books(
    connection: &mut PgConnection,
    batch: &[Asked],
) -> Result<(HashMap<AccountId, Book>, Moment), StoreError> {
    let accounts: BTreeSet<Uuid> = batch.iter().map(|asked| asked.account.uuid()).collect();
    let rows = sqlx::query(
        "select account_id, available, held, version, lots, statement_timestamp() as now
         from balance where account_id = any($1) order by account_id for update",
    )
    .bind(accounts.into_iter().collect::<Vec<_>>())
    .fetch_all(connection)
    .await?;
    let mut books = HashMap::with_capacity(rows.len());
    let mut now = DateTime::<Utc>::MIN_UTC;
    for row in &rows {
        let Json(lots): Json<Vec<LotLeft>> = row.try_get("lots")?;
        let book = Book::new(row.try_get("available")?, row.try_get("held")?, row.try_get("version")?, lots);
        books.insert(AccountId::from_uuid(row.try_get("account_id")?), book);
        now = row.try_get("now")?;
    }
    let today = now.date_naive();
    let month = chrono::Datelike::with_day(&today, 1).unwrap_or(today);
    Ok((books, Moment { now, month }))
}

/// A hold as stored.
#[derive(Debug, Clone)]
pub struct StoredHold {
    pub account: AccountId,
    pub amount: i64,
    pub parts: Vec<LotLeft>,
    pub open: bool,
    pub expires_at: DateTime<Utc>,
    /// The capped key and month the hold counts against.
    pub cap: Option<(KeyId, NaiveDate)>,
    pub request: RequestId,
}

/// What a capped key spent and holds in a month.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spend {
    pub spent: i64,
    pub held: i64,
    changed: bool,
}

impl Spend {
    pub fn add(&mut self, spent: i64, held: i64) {
        self.spent += spent;
        self.held = (self.held + held).max(0);
        self.changed = true;
    }
}

pub type SpendKey = (AccountId, KeyId, NaiveDate);

/// The rows the operations of a batch refer to.
#[derive(Debug)]
pub struct Loaded {
    pub moment: Moment,
    pub holds: HashMap<HoldId, StoredHold>,
    /// Claims that are still ours.
    pub claims: HashSet<(AccountId, [u8; 32], i32)>,
    /// Jobs of the queue whose leases are still held.
    pub leases: HashSet<Lease>,
    /// Runs of watch lists that still have what they took.
    pub watch_runs: HashSet<Uuid>,
    /// Reasons of grants that exist already.
    pub reasons: HashSet<(AccountId, String)>,
    /// Calls that were settled before: by a lost attempt of this very batch, or as the subject of a refund.
    pub settled: HashMap<(AccountId, RequestId), Settled>,
    spend: HashMap<SpendKey, Spend>,
}

impl Loaded {
    /// What a batch knows whose operations refer to nothing.
    pub fn empty(moment: Moment) -> Self {
        Self {
            moment,
            holds: HashMap::new(),
            claims: HashSet::new(),
            leases: HashSet::new(),
            watch_runs: HashSet::new(),
            reasons: HashSet::new(),
            settled: HashMap::new(),
            spend: HashMap::new(),
        }
    }

    pub async fn read(
        connection: &mut PgConnection,
        batch: &[Asked],
        moment: Moment,
        recheck: bool,
    ) -> Result<Self, StoreError> {
        let holds = read_holds(connection, batch, recheck).await?;
        let mut loaded = Self {
            moment,
            claims: read_claims(connection, batch).await?,
            leases: read_leases(connection, batch).await?,
            watch_runs: read_open_runs(connection, batch).await?,
            reasons: read_reasons(connection, batch).await?,
            settled: read_settled(connection, batch, recheck).await?,
            spend: HashMap::new(),
            holds,
        };
        loaded.read_spend(connection, batch).await?;
        Ok(loaded)
    }

    pub fn spend(&mut self, account: AccountId, key: &KeyId, month: NaiveDate) -> &mut Spend {
        self.spend.entry((account, key.clone(), month)).or_default()
    }

    /// What is left of a key's cap this month.
    pub fn cap_left(&mut self, account: AccountId, cap: &Cap) -> Credits {
        let month = self.moment.month;
        let used = self.spend(account, &cap.key, month);
        cap.monthly.minus(Credits::from_thousandths(used.spent + used.held))
    }

    pub fn changed_spend(&self) -> Vec<(SpendKey, Spend)> {
        self.spend
            .iter()
            .filter(|(_, spend)| spend.changed)
            .map(|(key, spend)| (key.clone(), *spend))
            .collect()
    }

    async fn read_spend(&mut self, connection: &mut PgConnection, batch: &[Asked]) -> Result<(), StoreError> {
        let asked = batch.iter().filter_map(|asked| Some((asked.account, cap_of(&asked.op)?.key.clone())));
        let held = self.holds.values().filter_map(|hold| Some((hold.account, hold.cap.as_ref()?.0.clone())));
        let keys: HashSet<(AccountId, KeyId)> = asked.chain(held).collect();
        if keys.is_empty() {
            return Ok(());
        }
        let (accounts, ids): (Vec<Uuid>, Vec<String>) =
            keys.iter().map(|(account, key)| (account.uuid(), key.as_str().to_owned())).unzip();
        let rows = sqlx::query(
            "select s.account_id, s.key_id, s.month, s.spent, s.held from key_spend s
             join unnest($1::uuid[], $2::text[]) as k(account_id, key_id) using (account_id, key_id)",
        )
        .bind(accounts)
        .bind(ids)
        .fetch_all(connection)
        .await?;
        for row in rows {
            let account = AccountId::from_uuid(row.try_get("account_id")?);
            let key = KeyId::new(row.try_get("key_id")?);
            let spend = Spend { spent: row.try_get("spent")?, held: row.try_get("held")?, changed: false };
            self.spend.insert((account, key, row.try_get("month")?), spend);
        }
        Ok(())
    }
}

fn cap_of(op: &Op) -> Option<&Cap> {
    match op {
        Op::Hold(wish) => wish.cap.as_ref(),
        Op::Settle(settle) => settle.cap.as_ref(),
        _ => None,
    }
}

async fn read_holds(
    connection: &mut PgConnection,
    batch: &[Asked],
    recheck: bool,
) -> Result<HashMap<HoldId, StoredHold>, StoreError> {
    let wanted = |op: &Op| match op {
        Op::Settle(settle) => settle.hold,
        Op::Release(hold) | Op::ExpireHold(hold) => Some(*hold),
        Op::Hold(wish) if recheck => Some(wish.hold),
        _ => None,
    };
    let ids: Vec<Uuid> = batch.iter().filter_map(|asked| wanted(&asked.op)).map(HoldId::uuid).collect();
    let accounts: Vec<Uuid> = batch.iter().map(|asked| asked.account.uuid()).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = sqlx::query(
        "select id, account_id, key_id, request_id, amount, allocations, state = 'open' as open, month, capped,
                expires_at
         from hold where id = any($1) and account_id = any($2)",
    )
    .bind(ids)
    .bind(accounts)
    .fetch_all(connection)
    .await?;
    let read = |row: sqlx::postgres::PgRow| {
        let Json(parts): Json<Vec<LotLeft>> = row.try_get("allocations")?;
        let key: Option<String> = row.try_get("key_id")?;
        let capped: bool = row.try_get("capped")?;
        let month: NaiveDate = row.try_get("month")?;
        let hold = StoredHold {
            account: AccountId::from_uuid(row.try_get("account_id")?),
            amount: row.try_get("amount")?,
            parts,
            open: row.try_get("open")?,
            expires_at: row.try_get("expires_at")?,
            cap: key.filter(|_| capped).map(|key| (KeyId::new(&key), month)),
            request: RequestId::from_uuid(row.try_get("request_id")?),
        };
        Ok((HoldId::from_uuid(row.try_get("id")?), hold))
    };
    rows.into_iter().map(read).collect()
}

async fn read_claims(
    connection: &mut PgConnection,
    batch: &[Asked],
) -> Result<HashSet<(AccountId, [u8; 32], i32)>, StoreError> {
    let claims = batch.iter().filter_map(|asked| match &asked.op {
        Op::Settle(settle) => settle.reply.as_ref().map(|draft| (asked.account, draft.claim)),
        _ => None,
    });
    let (accounts, keys): (Vec<Uuid>, Vec<Vec<u8>>) =
        claims.map(|(account, claim)| (account.uuid(), claim.key.to_vec())).unzip();
    if accounts.is_empty() {
        return Ok(HashSet::new());
    }
    let rows = sqlx::query(
        "select r.account_id, r.key, r.attempt from reply r
         join unnest($1::uuid[], $2::bytea[]) as c(account_id, key) using (account_id, key)
         where r.state = 'running' for update of r",
    )
    .bind(accounts)
    .bind(keys)
    .fetch_all(connection)
    .await?;
    let read = |row: sqlx::postgres::PgRow| {
        let key: &[u8] = row.try_get("key")?;
        let key = <[u8; 32]>::try_from(key).map_err(|_| StoreError::Corrupt("reply key length".into()))?;
        Ok((AccountId::from_uuid(row.try_get("account_id")?), key, row.try_get("attempt")?))
    };
    rows.into_iter().map(read).collect()
}

async fn read_leases(connection: &mut PgConnection, batch: &[Asked]) -> Result<HashSet<Lease>, StoreError> {
    let leases = batch.iter().filter_map(|asked| match &asked.op {
        Op::Hold(wish) => wish.lease,
        Op::Settle(settle) => settle.lease(),
        _ => None,
    });
    let jobs: Vec<Uuid> = leases.map(|lease| lease.job.uuid()).collect();
    if jobs.is_empty() {
        return Ok(HashSet::new());
    }
    let rows: Vec<(Uuid, i32)> = sqlx::query_as(
        "select id, attempt from job where id = any($1) and lease_until is not null order by id for update",
    )
    .bind(jobs)
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|(id, attempt)| Lease { job: JobId::from_uuid(id), attempt }).collect())
}

async fn read_reasons(
    connection: &mut PgConnection,
    batch: &[Asked],
) -> Result<HashSet<(AccountId, String)>, StoreError> {
    let (accounts, reasons): (Vec<Uuid>, Vec<String>) = batch
        .iter()
        .filter_map(|asked| Some((asked.account.uuid(), super::apply::reason_of(&asked.op)?)))
        .unzip();
    if accounts.is_empty() {
        return Ok(HashSet::new());
    }
    let rows = sqlx::query(
        "select l.account_id, l.reason from credit_lot l
         join unnest($1::uuid[], $2::text[]) as r(account_id, reason) using (account_id, reason)",
    )
    .bind(accounts)
    .bind(reasons)
    .fetch_all(connection)
    .await?;
    rows.into_iter()
        .map(|row| Ok((AccountId::from_uuid(row.try_get("account_id")?), row.try_get("reason")?)))
        .collect()
}

async fn read_settled(
    connection: &mut PgConnection,
    batch: &[Asked],
    recheck: bool,
) -> Result<HashMap<(AccountId, RequestId), Settled>, StoreError> {
    let wanted = |op: &Op| match op {
        Op::Refund(refund) => Some(refund.request),
        Op::Settle(settle) if recheck => Some(settle.request),
        _ => None,
    };
    let (accounts, requests): (Vec<Uuid>, Vec<Uuid>) =
        batch.iter().filter_map(|asked| Some((asked.account.uuid(), wanted(&asked.op)?.uuid()))).unzip();
    if accounts.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = sqlx::query(
        "select account_id, id, credits, balance_after, balance_version from history
         where account_id = any($1) and id = any($2)",
    )
    .bind(accounts)
    .bind(requests)
    .fetch_all(connection)
    .await?;
    let read = |row: sqlx::postgres::PgRow| {
        let key =
            (AccountId::from_uuid(row.try_get("account_id")?), RequestId::from_uuid(row.try_get("id")?));
        let settled = Settled {
            credits: Credits::from_thousandths(row.try_get("credits")?),
            balance: Credits::from_thousandths(row.try_get("balance_after")?),
            version: row.try_get("balance_version")?,
        };
        Ok((key, settled))
    };
    rows.into_iter().map(read).collect()
}
