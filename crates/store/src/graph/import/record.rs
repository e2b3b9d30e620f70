//! The rows of `source_record`: what a source said of whom.

use crate::StoreError;
use crate::graph::copy_rows::CopyRows;
use crate::graph::sources::RecordKind;
use chrono::NaiveDate;
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgRow};
use std::collections::HashSet;
use std::fmt;
use uuid::Uuid;

/// Which record of which source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RecordKey {
    pub source: i16,
    pub kind: RecordKind,
    pub reference: String,
}

/// A record as it is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct HeldRecord {
    pub key: RecordKey,
    pub entity: Uuid,
    pub content: String,
    pub hash: [u8; 16],
    pub first_seen: NaiveDate,
    pub last_seen: NaiveDate,
    pub link: Option<String>,
}

/// Debug output may reach a log, and a record is personal.
impl fmt::Debug for HeldRecord {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "HeldRecord(of {})", self.entity.as_simple())
    }
}

/// A record as it is to be stored.
#[derive(Debug, Clone)]
pub struct RecordWrite {
    pub record: HeldRecord,
    /// Whether it is stored under its key already.
    pub is_held: bool,
}

pub(super) async fn read_by_reference(
    connection: &mut PgConnection,
    source: i16,
    kind: RecordKind,
    references: &[&str],
) -> Result<Vec<HeldRecord>, StoreError> {
    // Each by itself: of `ref = any`, a plan that was made while the table was small reads all that the source ever said.
    let rows = sqlx::query(
        "select source_id, kind, ref, entity_id, content::text, content_hash, first_seen, last_seen, link::text
         from unnest($3::text[]) as asked (asked_ref)
         cross join lateral (select * from source_record where source_id = $1 and kind = $2 and ref = asked_ref
                             limit 1) as held",
    )
    .bind(source)
    .bind(kind.number())
    .bind(references)
    .fetch_all(connection)
    .await?;
    rows.iter().map(read).collect()
}

pub(super) async fn read_by_entity(
    connection: &mut PgConnection,
    entities: &[Uuid],
) -> Result<Vec<HeldRecord>, StoreError> {
    if entities.is_empty() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query(
        "select source_id, kind, ref, entity_id, content::text, content_hash, first_seen, last_seen, link::text
         from source_record where entity_id = any($1)",
    )
    .bind(entities)
    .fetch_all(connection)
    .await?;
    rows.iter().map(read).collect()
}

pub(super) async fn read_told_of(
    connection: &mut PgConnection,
    source: i16,
    entities: &[Uuid],
) -> Result<HashSet<Uuid>, StoreError> {
    if entities.is_empty() {
        return Ok(HashSet::new());
    }
    let told: Vec<Uuid> = sqlx::query_scalar(
        "select entity_id from source_record where entity_id = any($1) and source_id = $2",
    )
    .bind(entities)
    .bind(source)
    .fetch_all(connection)
    .await?;
    Ok(told.into_iter().collect())
}

pub(super) async fn read_some(
    connection: &mut PgConnection,
    source: i16,
    most: i64,
) -> Result<Vec<HeldRecord>, StoreError> {
    let rows = sqlx::query(
        "select source_id, kind, ref, entity_id, content::text, content_hash, first_seen, last_seen, link::text
         from source_record where source_id = $1 order by source_id, kind, ref limit $2",
    )
    .bind(source)
    .bind(most)
    .fetch_all(connection)
    .await?;
    rows.iter().map(read).collect()
}

fn read(row: &PgRow) -> Result<HeldRecord, StoreError> {
    let kind: i16 = row.try_get(1)?;
    let kind = [RecordKind::Person, RecordKind::Company].into_iter().find(|known| known.number() == kind);
    let kind = kind.ok_or_else(|| StoreError::Corrupt("a record is of an unknown kind".to_owned()))?;
    Ok(HeldRecord {
        key: RecordKey { source: row.try_get(0)?, kind, reference: row.try_get(2)? },
        entity: row.try_get(3)?,
        content: row.try_get(4)?,
        hash: row.try_get(5)?,
        first_seen: row.try_get(6)?,
        last_seen: row.try_get(7)?,
        link: row.try_get(8)?,
    })
}

/// Without the records of those who were left out.
pub(super) async fn write(
    connection: &mut PgConnection,
    records: &[RecordWrite],
    left_out: &HashSet<Uuid>,
) -> Result<(), StoreError> {
    let kept = || records.iter().filter(|write| !left_out.contains(&write.record.entity));
    let mut rows = CopyRows::new(
        "copy source_record (source_id, kind, ref, entity_id, content, content_hash, first_seen, last_seen, link)
         from stdin (format binary)",
    );
    for RecordWrite { record, .. } in kept().filter(|write| !write.is_held) {
        rows.row(9)
            .smallint(record.key.source)
            .smallint(record.key.kind.number())
            .text(&record.key.reference)
            .uuid(record.entity)
            .text(&record.content)
            .bytes(&record.hash)
            .date(record.first_seen)
            .date(record.last_seen)
            .maybe(record.link.as_deref(), CopyRows::text);
    }
    rows.send(connection).await?;
    let held: Vec<&HeldRecord> = kept().filter(|write| write.is_held).map(|write| &write.record).collect();
    if held.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "update source_record as held
         set entity_id = given.entity_id, content = given.content::json, content_hash = given.content_hash,
             last_seen = given.last_seen, link = given.link::json
         from unnest($1::smallint[], $2::smallint[], $3::text[], $4::uuid[], $5::text[], $6::bytea[], $7::date[], $8::text[])
             as given (source_id, kind, ref, entity_id, content, content_hash, last_seen, link)
         where held.source_id = given.source_id and held.kind = given.kind and held.ref = given.ref",
    )
    .bind(held.iter().map(|record| record.key.source).collect::<Vec<_>>())
    .bind(held.iter().map(|record| record.key.kind.number()).collect::<Vec<_>>())
    .bind(held.iter().map(|record| record.key.reference.as_str()).collect::<Vec<_>>())
    .bind(held.iter().map(|record| record.entity).collect::<Vec<_>>())
    .bind(held.iter().map(|record| record.content.as_str()).collect::<Vec<_>>())
    .bind(held.iter().map(|record| record.hash.as_slice()).collect::<Vec<_>>())
    .bind(held.iter().map(|record| record.last_seen).collect::<Vec<_>>())
    .bind(held.iter().map(|record| record.link.as_deref()).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

pub(super) async fn see_again(
    connection: &mut PgConnection,
    seen: &[(RecordKey, NaiveDate)],
) -> Result<(), StoreError> {
    if seen.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "update source_record as held set last_seen = given.last_seen
         from unnest($1::smallint[], $2::smallint[], $3::text[], $4::date[]) as given (source_id, kind, ref, last_seen)
         where held.source_id = given.source_id and held.kind = given.kind and held.ref = given.ref
             and held.last_seen < given.last_seen",
    )
    .bind(seen.iter().map(|(key, _)| key.source).collect::<Vec<_>>())
    .bind(seen.iter().map(|(key, _)| key.kind.number()).collect::<Vec<_>>())
    .bind(seen.iter().map(|(key, _)| key.reference.as_str()).collect::<Vec<_>>())
    .bind(seen.iter().map(|(_, on)| *on).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

pub(super) async fn remove(connection: &mut PgConnection, keys: &[RecordKey]) -> Result<(), StoreError> {
    if keys.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "delete from source_record as held
         using unnest($1::smallint[], $2::smallint[], $3::text[]) as gone (source_id, kind, ref)
         where held.source_id = gone.source_id and held.kind = gone.kind and held.ref = gone.ref",
    )
    .bind(keys.iter().map(|key| key.source).collect::<Vec<_>>())
    .bind(keys.iter().map(|key| key.kind.number()).collect::<Vec<_>>())
    .bind(keys.iter().map(|key| key.reference.as_str()).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}
