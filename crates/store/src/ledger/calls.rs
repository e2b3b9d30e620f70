//! What every call writes, in one statement: balances, postings, history and the people who were resolved.

use super::book::Book;
use super::op::{Settle, Settled};
use super::write::joined;
use crate::StoreError;
use assay_domain::{AccountId, HoldId};
use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use sqlx::types::Json;
use std::collections::HashMap;
use uuid::Uuid;

/// The columns of the history rows of a batch.
#[derive(Debug, Default)]
pub(super) struct HistoryColumns {
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
pub(super) type Resolved = HashMap<(AccountId, Uuid), (&'static str, DateTime<Utc>)>;

pub(super) type ResolvedRow = ((AccountId, Uuid), (&'static str, DateTime<Utc>));

impl HistoryColumns {
    pub(super) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub(super) fn push(&mut self, account: AccountId, settle: &Settle, settled: Settled, uncollected: i64) {
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

/// All of it, or nothing where one of the books is not as it was seen any more. What is seen is locked before anything is written;
/// books that are locked already need not be seen. Compared as a whole, so that a book is looked for by its account alone: by plain
/// equality PostgreSQL would hash the lots of every balance it reads.
const WRITE_CALLS: &str = "with met as materialized (
    select b.account_id
    from unnest($38::uuid[], $39::bigint[], $40::bigint[], $41::bigint[], $42::jsonb[])
        as seen(account_id, available, held, version, lots)
    join balance b on b.account_id = seen.account_id
    where (b.version, b.available, b.held, b.lots)
            is not distinct from (seen.version, seen.available, seen.held, seen.lots)
        and (b.next_expiry is null or b.next_expiry > statement_timestamp())
    order by b.account_id
    for update of b
), whole as materialized (
    select count(*) = cardinality($38::uuid[]) as is_met from met
), balances as (
    update balance b set available = u.available, held = u.held, version = u.version, lots = u.lots,
        next_expiry = u.next_expiry,
        low_since = case when u.available < b.low_mark then coalesce(b.low_since, statement_timestamp()) end
    from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::jsonb[], $36::timestamptz[])
        as u(account_id, available, held, version, lots, next_expiry)
    where b.account_id = u.account_id and (select is_met from whole)
), postings as (
    insert into posting
        (account_id, version, ordinal, kind, from_side, to_side, amount, lot_id, request_id, hold_id)
    select * from unnest($6::uuid[], $7::bigint[], $8::smallint[], $9::smallint[], $10::smallint[],
        $11::smallint[], $12::bigint[], $13::uuid[], $14::uuid[], $15::uuid[])
    where (select is_met from whole)
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
    where (select is_met from whole)
), resolved as (
    insert into resolved_person as r (account_id, person_id, first_at, last_at, endpoints)
    select u.account_id, u.person_id, u.at, u.at, array[u.endpoint]
    from unnest($32::uuid[], $33::uuid[], $34::text[], $35::timestamptz[])
        as u(account_id, person_id, endpoint, at)
    where (select is_met from whole)
    on conflict (account_id, person_id) do update set
        last_at = greatest(r.last_at, excluded.last_at),
        endpoints = case when r.endpoints @> excluded.endpoints then r.endpoints
                         else r.endpoints || excluded.endpoints end
)
select is_met from whole";

/// Whether it was written: it is not where one of the books that were `seen` has changed since, or has lots whose time is over.
pub(super) async fn write_calls(
    connection: &mut PgConnection,
    seen: &[(AccountId, Book)],
    books: &[(AccountId, Book)],
    rows: HistoryColumns,
    mut resolved: Vec<ResolvedRow>,
) -> Result<bool, StoreError> {
    // Two nodes that resolve the same people must lock those rows in the same order.
    resolved.sort_unstable_by_key(|(key, _)| *key);
    let postings = || {
        books.iter().flat_map(|(account, book)| book.postings.iter().map(|posting| (account.uuid(), posting)))
    };
    let is_met = sqlx::query_scalar(WRITE_CALLS)
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
        .bind(seen.iter().map(|(account, _)| account.uuid()).collect::<Vec<_>>())
        .bind(seen.iter().map(|(_, book)| book.available).collect::<Vec<_>>())
        .bind(seen.iter().map(|(_, book)| book.held).collect::<Vec<_>>())
        .bind(seen.iter().map(|(_, book)| book.version).collect::<Vec<_>>())
        .bind(seen.iter().map(|(_, book)| Json(&book.lots)).collect::<Vec<_>>())
        .fetch_one(connection)
        .await?;
    Ok(is_met)
}
