//! Writes all that a batch decided: the rows every call makes in one statement, the rarer ones in their own.

use super::book::Book;
use super::bulk;
use super::calls::{HistoryColumns, Resolved, ResolvedRow, write_calls};
use super::icps;
use super::load::{Spend, SpendKey, StoredHold};
use super::op::{Deed, Grant, Settle, Settled};
use super::watch;
use crate::StoreError;
use assay_domain::{AccountId, BulkId, HoldId};
use chrono::NaiveDate;
use sqlx::PgConnection;
use sqlx::types::Json;
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

impl Writes {
    pub fn is_empty(&self) -> bool {
        self.books.is_empty()
            && self.history.is_empty()
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

    /// Whether [`Self::write_if`] writes all there is.
    pub fn is_one_statement(&self) -> bool {
        self.lots.is_empty()
            && self.new_holds.is_empty()
            && self.ended_holds.is_empty()
            && self.spend.is_empty()
            && self.replies.is_empty()
            && self.resolved_again.is_empty()
            && self.started_bulks.is_empty()
            && self.deeds.is_empty()
    }

    /// Writes what every call does, if the books are as they were seen; whether it did. One statement, and so a commit of its own.
    pub async fn write_if(
        self,
        connection: &mut PgConnection,
        seen: &[(AccountId, Book)],
    ) -> Result<bool, StoreError> {
        let resolved = self.resolved.into_iter().collect();
        write_calls(connection, seen, &self.books, self.history, resolved).await
    }

    pub async fn write(self, connection: &mut PgConnection) -> Result<(), StoreError> {
        write_lots(connection, &self.lots).await?;
        write_new_holds(connection, &self.new_holds).await?;
        write_ended_holds(connection, &self.ended_holds).await?;
        write_spend(connection, &self.spend).await?;
        write_replies(connection, &self.replies).await?;
        let resolved = self.resolved.into_iter().collect();
        write_calls(connection, &[], &self.books, self.history, resolved).await?;
        for again in self.resolved_again {
            write_calls(connection, &[], &[], HistoryColumns::default(), vec![again]).await?;
        }
        bulk::start(connection, &self.started_bulks).await?;
        bulk::write(connection, &self.deeds).await?;
        watch::write(connection, &self.deeds).await?;
        icps::write(connection, &self.deeds).await
    }
}

pub(super) fn joined(ids: &[Uuid]) -> String {
    ids.iter().map(|id| id.as_simple().to_string()).collect::<Vec<_>>().join(",")
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
