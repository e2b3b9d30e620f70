//! Whom a list watches.

use super::super::Ledger;
use crate::StoreError;
use crate::pool::begin;
use assay_domain::limits::WATCH_ENTRIES_PER_LIST_MAX;
use assay_domain::{AccountId, Digest, WatchListId};
use sqlx::PgConnection;

/// An entry to be added.
#[derive(Debug, Clone)]
pub struct EntryWrite {
    pub subject: Digest,
    /// What the account calls it, sealed.
    pub named: Vec<u8>,
}

/// An entry as it is stored.
#[derive(Debug, Clone)]
pub struct EntryRow {
    pub subject: Digest,
    /// Sealed.
    pub named: Vec<u8>,
}

/// What became of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntriesChanged {
    /// So many were added or removed, and so many there are now.
    Changed { by: u32, count: u32 },
    /// More than a list may hold: nothing was changed.
    TooMany,
    /// The account has no such list.
    Absent,
}

impl Ledger {
    /// Adds whoever is not there yet.
    pub async fn add_watch_entries(
        &self,
        account: AccountId,
        list: WatchListId,
        entries: &[EntryWrite],
    ) -> Result<EntriesChanged, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        if !lock(&mut transaction, account, list).await? {
            return Ok(EntriesChanged::Absent);
        }
        let Some((by, count)) = insert(&mut transaction, account, list, entries).await? else {
            return Ok(EntriesChanged::TooMany);
        };
        transaction.commit().await?;
        Ok(EntriesChanged::Changed { by, count })
    }

    /// Removes them with what was not told of them yet.
    pub async fn remove_watch_entries(
        &self,
        account: AccountId,
        list: WatchListId,
        subjects: &[Digest],
    ) -> Result<EntriesChanged, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        if !lock(&mut transaction, account, list).await? {
            return Ok(EntriesChanged::Absent);
        }
        let subjects: Vec<&[u8]> = subjects.iter().map(|subject| subject.as_bytes().as_slice()).collect();
        let removed = sqlx::query(
            "with untold as (
                 delete from watch_match
                 where list_id = $1 and account_id = $2 and subject = any($3) and told_at is null
             )
             delete from watch_entry where list_id = $1 and account_id = $2 and subject = any($3)",
        )
        .bind(list.uuid())
        .bind(account.uuid())
        .bind(subjects)
        .execute(&mut *transaction)
        .await?;
        let by = i64::try_from(removed.rows_affected()).unwrap_or(i64::MAX);
        let left = count(&mut transaction, account, list, -by).await?.unwrap_or_default();
        transaction.commit().await?;
        Ok(EntriesChanged::Changed { by: u32::try_from(by).unwrap_or(u32::MAX), count: left })
    }

    /// Entries of which nobody has looked what happened before they were added.
    pub async fn new_watch_entries(
        &self,
        account: AccountId,
        list: WatchListId,
        limit: i64,
    ) -> Result<Vec<EntryRow>, StoreError> {
        let rows: Vec<(Vec<u8>, Vec<u8>)> = sqlx::query_as(
            "select subject, named from watch_entry
             where list_id = $1 and account_id = $2 and not looked_back order by subject limit $3",
        )
        .bind(list.uuid())
        .bind(account.uuid())
        .bind(limit)
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(read).collect()
    }

    /// The entries with these digests.
    pub async fn watch_entries(
        &self,
        account: AccountId,
        list: WatchListId,
        subjects: &[Digest],
    ) -> Result<Vec<EntryRow>, StoreError> {
        let subjects: Vec<&[u8]> = subjects.iter().map(|subject| subject.as_bytes().as_slice()).collect();
        let rows: Vec<(Vec<u8>, Vec<u8>)> = sqlx::query_as(
            "select subject, named from watch_entry where list_id = $1 and account_id = $2 and subject = any($3)",
        )
        .bind(list.uuid())
        .bind(account.uuid())
        .bind(subjects)
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(read).collect()
    }
}

/// How many were added, and how many there are now; none where that would be too many.
pub(super) async fn insert(
    connection: &mut PgConnection,
    account: AccountId,
    list: WatchListId,
    entries: &[EntryWrite],
) -> Result<Option<(u32, u32)>, StoreError> {
    let added = sqlx::query(
        "insert into watch_entry (list_id, account_id, subject, named)
         select $1, $2, e.subject, e.named from unnest($3::bytea[], $4::bytea[]) as e(subject, named)
         on conflict (list_id, subject) do nothing",
    )
    .bind(list.uuid())
    .bind(account.uuid())
    .bind(entries.iter().map(|entry| entry.subject.as_bytes().as_slice()).collect::<Vec<_>>())
    .bind(entries.iter().map(|entry| entry.named.as_slice()).collect::<Vec<_>>())
    .execute(&mut *connection)
    .await?;
    let by = i64::try_from(added.rows_affected()).unwrap_or(i64::MAX);
    let count = count(connection, account, list, by).await?;
    Ok(count.map(|count| (u32::try_from(by).unwrap_or(u32::MAX), count)))
}

/// Whether there is one; changes of its entries come one after the other, so that their number is right.
async fn lock(
    connection: &mut PgConnection,
    account: AccountId,
    list: WatchListId,
) -> Result<bool, StoreError> {
    let found = sqlx::query("select 1 from watch_list where account_id = $1 and id = $2 for update")
        .bind(account.uuid())
        .bind(list.uuid())
        .fetch_optional(connection)
        .await?;
    Ok(found.is_some())
}

/// Counts them anew; none where there are too many.
async fn count(
    connection: &mut PgConnection,
    account: AccountId,
    list: WatchListId,
    by: i64,
) -> Result<Option<u32>, StoreError> {
    let count: Option<i32> = sqlx::query_scalar(
        "update watch_list set entry_count = entry_count + $3
         where account_id = $1 and id = $2 and entry_count + $3 <= $4 returning entry_count",
    )
    .bind(account.uuid())
    .bind(list.uuid())
    .bind(by)
    .bind(WATCH_ENTRIES_PER_LIST_MAX)
    .fetch_optional(connection)
    .await?;
    Ok(count.map(i32::unsigned_abs))
}

pub(super) fn digest(bytes: &[u8]) -> Result<Digest, StoreError> {
    Digest::from_slice(bytes).ok_or_else(|| StoreError::Corrupt("the digest of a watched entry".into()))
}

fn read((subject, named): (Vec<u8>, Vec<u8>)) -> Result<EntryRow, StoreError> {
    Ok(EntryRow { subject: digest(&subject)?, named })
}
