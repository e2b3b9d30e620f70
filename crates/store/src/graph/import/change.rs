//! What an import finds out beside records: that two people are one, that nothing is left to say of somebody, and that
//! somebody's work changed.

use crate::StoreError;
use crate::graph::copy_rows::CopyRows;
use crate::graph::log::EntityKind;
use crate::graph::match_keys;
use crate::graph::sources::RecordKind;
use assay_domain::{CompanyId, PersonId};
use chrono::NaiveDate;
use sqlx::postgres::PgConnection;
use std::collections::HashMap;
use uuid::Uuid;

/// Two people who are one: whoever asks for the one finds the other.
#[derive(Debug, Clone)]
pub struct Merge {
    pub from: PersonId,
    pub into: PersonId,
    /// The match keys of the one who goes.
    pub match_keys: Vec<i64>,
}

/// What happened to somebody's work. The numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EmploymentChangeKind {
    JobChange,
    Promotion,
    Departure,
}

impl EmploymentChangeKind {
    const fn number(self) -> i16 {
        match self {
            Self::JobChange => 1,
            Self::Promotion => 2,
            Self::Departure => 3,
        }
    }

    pub(in crate::graph) fn from_number(number: i16) -> Result<Self, StoreError> {
        [Self::JobChange, Self::Promotion, Self::Departure]
            .into_iter()
            .find(|kind| kind.number() == number)
            .ok_or_else(|| StoreError::Corrupt(format!("there is no change of work {number}")))
    }
}

/// The company as far as it is known, what it is called, and the title there.
pub type WorkSide = (Option<CompanyId>, Option<String>, Option<String>);

/// A change of somebody's work between two snapshots of one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmploymentChange {
    pub person: PersonId,
    pub kind: EmploymentChangeKind,
    pub source: i16,
    pub from: WorkSide,
    pub to: WorkSide,
    pub observed_on: NaiveDate,
}

/// The one who goes keeps only the way to the other.
pub(super) async fn merge(connection: &mut PgConnection, merges: &[Merge]) -> Result<(), StoreError> {
    if merges.is_empty() {
        return Ok(());
    }
    let from: Vec<Uuid> = merges.iter().map(|merge| merge.from.uuid()).collect();
    let into: Vec<Uuid> = merges.iter().map(|merge| merge.into.uuid()).collect();
    let keys = merges.iter().flat_map(|merge| merge.match_keys.iter().map(|key| (*key, merge.from.uuid())));
    forget(connection, &from, keys.collect()).await?;
    let rows: Vec<(Uuid, i64)> = sqlx::query_as(
        "update person set merged_into = given.into_id, version = version + 1, content_hash = ''
         from unnest($1::uuid[], $2::uuid[]) as given (from_id, into_id) where person.id = given.from_id
         returning person.id, version",
    )
    .bind(&from)
    .bind(&into)
    .fetch_all(&mut *connection)
    .await?;
    log(connection, EntityKind::Person, rows).await
}

/// Nothing is left to say of them: as if they had never been here, but for the line in the log.
pub(super) async fn remove_entities(
    connection: &mut PgConnection,
    gone: &[(RecordKind, Uuid, Vec<i64>)],
) -> Result<(), StoreError> {
    for (kind, of, statement) in [
        (
            RecordKind::Person,
            EntityKind::Person,
            "delete from person where id = any($1) returning id, version + 1",
        ),
        (
            RecordKind::Company,
            EntityKind::Company,
            "delete from company where id = any($1) returning id, version + 1",
        ),
    ] {
        let these = || gone.iter().filter(|(of, ..)| *of == kind);
        let ids: Vec<Uuid> = these().map(|(_, id, _)| *id).collect();
        if ids.is_empty() {
            continue;
        }
        let keys = these().flat_map(|(_, id, keys)| keys.iter().map(|key| (*key, *id)));
        forget(connection, &ids, keys.collect()).await?;
        let rows: Vec<(Uuid, i64)> = sqlx::query_as(statement).bind(&ids).fetch_all(&mut *connection).await?;
        log(connection, of, rows).await?;
    }
    Ok(())
}

/// Whatever leads to these.
async fn forget(
    connection: &mut PgConnection,
    ids: &[Uuid],
    keys: Vec<(i64, Uuid)>,
) -> Result<(), StoreError> {
    match_keys::delete(connection, keys).await?;
    sqlx::query("delete from identity where entity_id = any($1)").bind(ids).execute(connection).await?;
    Ok(())
}

async fn log(
    connection: &mut PgConnection,
    kind: EntityKind,
    rows: Vec<(Uuid, i64)>,
) -> Result<(), StoreError> {
    let mut lines =
        CopyRows::new("copy change_inbox (entity_kind, entity_id, version) from stdin (format binary)");
    for (id, version) in rows {
        lines.row(3).smallint(kind.number()).uuid(id).bigint(version);
    }
    lines.send(connection).await
}

/// Only of people whose record is another one now: the line of the log with this version tells of it.
pub(super) async fn write_changes(
    connection: &mut PgConnection,
    changes: &[EmploymentChange],
    versions: &HashMap<Uuid, i64>,
) -> Result<(), StoreError> {
    let told: Vec<(&EmploymentChange, i64)> =
        changes.iter().filter_map(|change| Some((change, *versions.get(&change.person.uuid())?))).collect();
    if told.is_empty() {
        return Ok(());
    }
    let company = |side: &WorkSide| side.0.map(CompanyId::uuid);
    sqlx::query(
        "insert into employment_change (person_id, version, kind, source_id, from_company_id, from_company, from_title,
             to_company_id, to_company, to_title, observed_on)
         select * from unnest($1::uuid[], $2::bigint[], $3::smallint[], $4::smallint[], $5::uuid[], $6::text[], $7::text[],
             $8::uuid[], $9::text[], $10::text[], $11::date[])
         on conflict (person_id, version, kind) do nothing",
    )
    .bind(told.iter().map(|(change, _)| change.person.uuid()).collect::<Vec<_>>())
    .bind(told.iter().map(|(_, version)| *version).collect::<Vec<_>>())
    .bind(told.iter().map(|(change, _)| change.kind.number()).collect::<Vec<_>>())
    .bind(told.iter().map(|(change, _)| change.source).collect::<Vec<_>>())
    .bind(told.iter().map(|(change, _)| company(&change.from)).collect::<Vec<_>>())
    .bind(told.iter().map(|(change, _)| change.from.1.as_deref()).collect::<Vec<_>>())
    .bind(told.iter().map(|(change, _)| change.from.2.as_deref()).collect::<Vec<_>>())
    .bind(told.iter().map(|(change, _)| company(&change.to)).collect::<Vec<_>>())
    .bind(told.iter().map(|(change, _)| change.to.1.as_deref()).collect::<Vec<_>>())
    .bind(told.iter().map(|(change, _)| change.to.2.as_deref()).collect::<Vec<_>>())
    .bind(told.iter().map(|(change, _)| change.observed_on).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}
