//! Writes all that a batch decided: the rows every call makes in one statement, the rarer ones in their own.

use super::book::Book;
use super::bulk;
use super::icps;
use super::load::{Spend, SpendKey, StoredHold};
use super::op::{Deed, Grant, Settle, Settled};
use super::watch;
use crate::StoreError;
use assay_domain::{AccountId, BulkId, HoldId};
use chrono::{DateTime, NaiveDate, Utc};
use sqlx::PgConnection;
use sqlx::types::Json;
use std::collections::HashMap;
use uuid::Uuid;

#[derive(Debug)]
pub struct NewHold {
    pub id: HoldId,
    pub stored: StoredHold,
    pub month: NaiveDate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoldState {
    Captured,
    Released,
    Expired,
}

impl HoldState {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Captured => "captured",
            Self::Released => "released",
            Self::Expired => "expired",
        }
    }
}

#[derive(Debug)]
pub struct EndedHold {
    pub id: HoldId,
    pub account: AccountId,
    pub captured: i64,
    pub state: HoldState,
}

#[derive(Debug)]
pub struct NewLot {
    pub account: AccountId,
    pub grant: Grant,
}

#[derive(Debug)]
struct StoredReply {
    account: AccountId,
    key: [u8; 32],
    status: i16,
    body: Vec<u8>,
    subjects: String,
}

/// The columns of the history rows of a batch.
#[derive(Debug, Default)]
struct HistoryColumns {
    ids: Vec<Uuid>,
    accounts: Vec<Uuid>,
    keys: Vec<String>,
    at: Vec<DateTime<Utc>>,
    endpoints: Vec<&'static str>,
    statuses: Vec<i16>,
    found: Vec<bool>,
    credits: Vec<i64>,
    uncollected: Vec<i64>,
    balances: Vec<i64>,
    versions: Vec<i64>,
    latencies: Vec<i64>,
    cached: Vec<bool>,
    cache_ages: Vec<Option<i64>>,
    // Lists inside a column of lists do not survive unnest; they travel joined by commas.
    providers: Vec<String>,
    subjects: Vec<String>,
    upstream_micros: Vec<i64>,
}

/// Who resolved whom, by which endpoint, when. One row a person: a statement may touch a row only once.
type Resolved = HashMap<(AccountId, Uuid), (&'static str, DateTime<Utc>)>;

type ResolvedRow = ((AccountId, Uuid), (&'static str, DateTime<Utc>));

/// Everything a batch writes.
#[derive(Debug, Default)]
pub struct Writes {
    pub books: Vec<(AccountId, Book)>,
    pub lots: Vec<NewLot>,
    pub new_holds: Vec<NewHold>,
    pub ended_holds: Vec<EndedHold>,
    pub spend: Vec<(SpendKey, Spend)>,
    history: HistoryColumns,
    replies: Vec<StoredReply>,
    resolved: Resolved,
    /// The same person by a second endpoint in one batch: written by a second statement.
    resolved_again: Vec<ResolvedRow>,
    pub started_bulks: Vec<(AccountId, BulkId)>,
    deeds: Vec<(AccountId, Deed, Settled)>,
}

impl HistoryColumns {
    fn push(&mut self, account: AccountId, settle: &Settle, settled: Settled, uncollected: i64) {
        let record = &settle.record;
        self.ids.push(settle.request.uuid());
        self.accounts.push(account.uuid());
        self.keys.push(record.key.as_str().to_owned());
        self.at.push(record.at);
        self.endpoints.push(record.endpoint);
        self.statuses.push(i16::try_from(record.status).unwrap_or(i16::MAX));
        self.found.push(record.found);
        self.credits.push(settled.credits.thousandths());
        self.uncollected.push(uncollected);
        self.balances.push(settled.balance.thousandths());
        self.versions.push(settled.version);
        self.latencies.push(i64::try_from(record.latency.as_micros()).unwrap_or(i64::MAX));
        self.cached.push(record.cached);
        self.cache_ages.push(record.cache_age_seconds);
        self.providers.push(record.providers.join(","));
        self.subjects.push(joined(&record.subjects));
        self.upstream_micros.push(i64::try_from(record.upstream_micros).unwrap_or(i64::MAX));
    }
}

impl Writes {
    pub fn is_empty(&self) -> bool {
        self.books.is_empty()
            && self.history.ids.is_empty()
            && self.replies.is_empty()
            && self.started_bulks.is_empty()
            && self.deeds.is_empty()
    }

    /// Keeps the history row, the resolved people and the reply of a settled call.
    pub fn record(&mut self, account: AccountId, settle: &Settle, settled: Settled, uncollected: i64) {
        let record = &settle.record;
        if record.in_history {
            self.history.push(account, settle, settled, uncollected);
        }
        for person in &settle.people {
            let row = ((account, person.uuid()), (record.endpoint, record.at));
            match self.resolved.get(&row.0) {
                None => drop(self.resolved.insert(row.0, row.1)),
                Some((endpoint, _)) if *endpoint != record.endpoint => self.resolved_again.push(row),
                Some(_) => {}
            }
        }
        if let Some(deed) = &settle.deed {
            self.deeds.push((account, deed.clone(), settled));
        }
        if let Some(draft) = &settle.reply {
            self.replies.push(StoredReply {
                account,
                key: draft.claim.key,
                status: i16::try_from(record.status).unwrap_or(i16::MAX),
                body: (draft.render)(&settled),
                subjects: joined(&record.subjects),
            });
        }
    }

    pub async fn write(self, connection: &mut PgConnection) -> Result<(), StoreError> {
        write_lots(connection, &self.lots).await?;
        write_new_holds(connection, &self.new_holds).await?;
        write_ended_holds(connection, &self.ended_holds).await?;
        write_spend(connection, &self.spend).await?;
        write_replies(connection, &self.replies).await?;
        let resolved = self.resolved.into_iter().collect();
        write_calls(connection, &self.books, self.history, resolved).await?;
        for again in self.resolved_again {
            write_calls(connection, &[], HistoryColumns::default(), vec![again]).await?;
        }
        bulk::start(connection, &self.started_bulks).await?;
        bulk::write(connection, &self.deeds).await?;
        watch::write(connection, &self.deeds).await?;
        icps::write(connection, &self.deeds).await
    }
}

fn joined(ids: &[Uuid]) -> String {
    ids.iter().map(|id| id.as_simple().to_string()).collect::<Vec<_>>().join(",")
}

const WRITE_CALLS: &str = "with balances as (
    update balance b set available = u.available, held = u.held, version = u.version, lots = u.lots,
        next_expiry = u.next_expiry,
        low_since = case when u.available < b.low_mark then coalesce(b.low_since, statement_timestamp()) end
    from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::jsonb[], $36::timestamptz[])
        as u(account_id, available, held, version, lots, next_expiry)
    where b.account_id = u.account_id
), postings as (
    insert into posting
        (account_id, version, ordinal, kind, from_side, to_side, amount, lot_id, request_id, hold_id)
    select * from unnest($6::uuid[], $7::bigint[], $8::smallint[], $9::smallint[], $10::smallint[],
        $11::smallint[], $12::bigint[], $13::uuid[], $14::uuid[], $15::uuid[])
), calls as (
    insert into history
        (id, account_id, key_id, at, endpoint, status, found, credits, uncollected, balance_after,
         balance_version, latency_us, cached, cache_age_seconds, providers, subjects, upstream_micros)
    select u.id, u.account_id, u.key_id, u.at, u.endpoint, u.status, u.found, u.credits, u.uncollected,
        u.balance_after, u.balance_version, u.latency_us, u.cached, u.cache_age_seconds,
        string_to_array(u.providers, ','), string_to_array(u.subjects, ',')::uuid[], u.upstream_micros
    from unnest($16::uuid[], $17::uuid[], $18::text[], $19::timestamptz[], $20::text[], $21::smallint[],
        $22::boolean[], $23::bigint[], $24::bigint[], $25::bigint[], $26::bigint[], $27::bigint[],
        $28::boolean[], $29::bigint[], $30::text[], $31::text[], $37::bigint[])
        as u(id, account_id, key_id, at, endpoint, status, found, credits, uncollected, balance_after,
             balance_version, latency_us, cached, cache_age_seconds, providers, subjects, upstream_micros)
)
insert into resolved_person as r (account_id, person_id, first_at, last_at, endpoints)
select u.account_id, u.person_id, u.at, u.at, array[u.endpoint]
from unnest($32::uuid[], $33::uuid[], $34::text[], $35::timestamptz[]) as u(account_id, person_id, endpoint, at)
on conflict (account_id, person_id) do update set
    last_at = greatest(r.last_at, excluded.last_at),
    endpoints = case when r.endpoints @> excluded.endpoints then r.endpoints
                     else r.endpoints || excluded.endpoints end";

async fn write_calls(
    connection: &mut PgConnection,
    books: &[(AccountId, Book)],
    rows: HistoryColumns,
    mut resolved: Vec<ResolvedRow>,
) -> Result<(), StoreError> {
    // Two nodes that resolve the same people must lock those rows in the same order.
    resolved.sort_unstable_by_key(|(key, _)| *key);
    let postings = || {
        books.iter().flat_map(|(account, book)| book.postings.iter().map(|posting| (account.uuid(), posting)))
    };
    sqlx::query(WRITE_CALLS)
        .bind(books.iter().map(|(account, _)| account.uuid()).collect::<Vec<_>>())
        .bind(books.iter().map(|(_, book)| book.available).collect::<Vec<_>>())
        .bind(books.iter().map(|(_, book)| book.held).collect::<Vec<_>>())
        .bind(books.iter().map(|(_, book)| book.version).collect::<Vec<_>>())
        .bind(books.iter().map(|(_, book)| Json(&book.lots)).collect::<Vec<_>>())
        .bind(postings().map(|(account, _)| account).collect::<Vec<_>>())
        .bind(postings().map(|(_, posting)| posting.version).collect::<Vec<_>>())
        .bind(postings().map(|(_, posting)| posting.ordinal).collect::<Vec<_>>())
        .bind(postings().map(|(_, posting)| posting.kind.code()).collect::<Vec<_>>())
        .bind(postings().map(|(_, posting)| posting.from.code()).collect::<Vec<_>>())
        .bind(postings().map(|(_, posting)| posting.to.code()).collect::<Vec<_>>())
        .bind(postings().map(|(_, posting)| posting.amount).collect::<Vec<_>>())
        .bind(postings().map(|(_, posting)| posting.lot.uuid()).collect::<Vec<_>>())
        .bind(postings().map(|(_, posting)| posting.request.map(|id| id.uuid())).collect::<Vec<_>>())
        .bind(postings().map(|(_, posting)| posting.hold.map(HoldId::uuid)).collect::<Vec<_>>())
        .bind(rows.ids)
        .bind(rows.accounts)
        .bind(rows.keys)
        .bind(rows.at)
        .bind(rows.endpoints)
        .bind(rows.statuses)
        .bind(rows.found)
        .bind(rows.credits)
        .bind(rows.uncollected)
        .bind(rows.balances)
        .bind(rows.versions)
        .bind(rows.latencies)
        .bind(rows.cached)
        .bind(rows.cache_ages)
        .bind(rows.providers)
        .bind(rows.subjects)
        .bind(resolved.iter().map(|((account, _), _)| account.uuid()).collect::<Vec<_>>())
        .bind(resolved.iter().map(|((_, person), _)| *person).collect::<Vec<_>>())
        .bind(resolved.iter().map(|(_, (endpoint, _))| *endpoint).collect::<Vec<_>>())
        .bind(resolved.iter().map(|(_, (_, at))| *at).collect::<Vec<_>>())
        .bind(books.iter().map(|(_, book)| book.next_expiry()).collect::<Vec<_>>())
        .bind(rows.upstream_micros)
        .execute(connection)
        .await?;
    Ok(())
}

async fn write_lots(connection: &mut PgConnection, lots: &[NewLot]) -> Result<(), StoreError> {
    for NewLot { account, grant } in lots {
        sqlx::query(
            "insert into credit_lot (id, account_id, source, reason, granted, expires_at)
             values ($1, $2, $3, $4, $5, $6)",
        )
        .bind(grant.lot.uuid())
        .bind(account.uuid())
        .bind(grant.source.as_str())
        .bind(&grant.reason)
        .bind(grant.amount.thousandths())
        .bind(grant.expires_at)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

async fn write_new_holds(connection: &mut PgConnection, holds: &[NewHold]) -> Result<(), StoreError> {
    if holds.is_empty() {
        return Ok(());
    }
    let key = |hold: &NewHold| hold.stored.cap.as_ref().map(|(key, _)| key.as_str().to_owned());
    sqlx::query(
        "insert into hold (id, account_id, key_id, request_id, amount, allocations, month, capped, expires_at)
         select u.id, u.account_id, u.key_id, u.request_id, u.amount, u.allocations, u.month,
                u.key_id is not null, u.expires_at
         from unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::bigint[], $6::jsonb[], $7::date[],
                     $8::timestamptz[])
              as u(id, account_id, key_id, request_id, amount, allocations, month, expires_at)",
    )
    .bind(holds.iter().map(|hold| hold.id.uuid()).collect::<Vec<_>>())
    .bind(holds.iter().map(|hold| hold.stored.account.uuid()).collect::<Vec<_>>())
    .bind(holds.iter().map(key).collect::<Vec<_>>())
    .bind(holds.iter().map(|hold| hold.stored.request.uuid()).collect::<Vec<_>>())
    .bind(holds.iter().map(|hold| hold.stored.amount).collect::<Vec<_>>())
    .bind(holds.iter().map(|hold| Json(&hold.stored.parts)).collect::<Vec<_>>())
    .bind(holds.iter().map(|hold| hold.month).collect::<Vec<_>>())
    .bind(holds.iter().map(|hold| hold.stored.expires_at).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

async fn write_ended_holds(connection: &mut PgConnection, holds: &[EndedHold]) -> Result<(), StoreError> {
    if holds.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "update hold h set state = u.state, captured = u.captured
         from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[]) as u(id, account_id, captured, state)
         where h.id = u.id and h.account_id = u.account_id and h.state = 'open'",
    )
    .bind(holds.iter().map(|hold| hold.id.uuid()).collect::<Vec<_>>())
    .bind(holds.iter().map(|hold| hold.account.uuid()).collect::<Vec<_>>())
    .bind(holds.iter().map(|hold| hold.captured).collect::<Vec<_>>())
    .bind(holds.iter().map(|hold| hold.state.as_str()).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

async fn write_spend(connection: &mut PgConnection, spend: &[(SpendKey, Spend)]) -> Result<(), StoreError> {
    for ((account, key, month), amounts) in spend {
        sqlx::query(
            "insert into key_spend (account_id, key_id, month, spent, held) values ($1, $2, $3, $4, $5)
             on conflict (account_id, key_id, month) do update set spent = excluded.spent, held = excluded.held",
        )
        .bind(account.uuid())
        .bind(key.as_str())
        .bind(month)
        .bind(amounts.spent)
        .bind(amounts.held)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

async fn write_replies(connection: &mut PgConnection, replies: &[StoredReply]) -> Result<(), StoreError> {
    for reply in replies {
        sqlx::query(
            "update reply set state = 'done', status = $3, body = $4, subjects = string_to_array($5, ',')::uuid[]
             where account_id = $1 and key = $2",
        )
        .bind(reply.account.uuid())
        .bind(&reply.key[..])
        .bind(reply.status)
        .bind(&reply.body)
        .bind(&reply.subjects)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}
