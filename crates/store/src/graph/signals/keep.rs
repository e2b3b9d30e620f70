//! Writing what was decided of a notice: the notice, the signals it changes, and their lines in the log.

use super::{Decision, HeldSignal, MovedNotice, NewNotice, SignalWrite, Taken, number};
use crate::StoreError;
use crate::graph::log::EntityKind;
use assay_domain::{SignalId, SignalKind};
use sqlx::postgres::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

pub(super) async fn keep(
    connection: &mut PgConnection,
    new: &NewNotice<'_>,
    held: &[HeldSignal],
    decision: &Decision,
) -> Result<Taken, StoreError> {
    let id = decision.signal.id;
    let revision_of =
        |id: SignalId| held.iter().find(|signal| signal.id == id).map_or(0, |signal| signal.revision) + 1;
    let mut subjects: Vec<Vec<u8>> = new.subjects.iter().map(|digest| digest.as_bytes().to_vec()).collect();
    let is_any_moved = !decision.others.is_empty() || !decision.signal.moved.is_empty();
    if is_any_moved {
        subjects.extend(subjects_of(connection, held).await?);
    }
    keep_notice(connection, new, id).await?;
    let mut is_changed = false;
    for write in std::iter::once(&decision.signal).chain(&decision.others) {
        for notice in &write.moved {
            move_notice(connection, notice, write.id).await?;
        }
        let kind = new.notice.content.kind();
        let revision = revision_of(write.id);
        if keep_signal(connection, (kind, &subjects), write, revision).await? {
            append_to_inbox(connection, write.id, revision).await?;
            is_changed = is_changed || write.id == id;
        }
    }
    for gone in &decision.gone {
        remove(connection, *gone).await?;
        append_to_inbox(connection, *gone, revision_of(*gone)).await?;
    }
    let revision = revision_of(id);
    Ok(if is_changed { Taken::Written { id, revision } } else { Taken::Known(id) })
}

async fn keep_notice(
    connection: &mut PgConnection,
    new: &NewNotice<'_>,
    id: SignalId,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into signal_notice (source, reference, signal_id, seen_at, notice) values ($1, $2, $3, $4, $5)
         on conflict (source, reference) do update set signal_id = excluded.signal_id, notice = excluded.notice",
    )
    .bind(new.source)
    .bind(&new.notice.reference)
    .bind(id.uuid())
    .bind(new.seen_at)
    .bind(Json(new.notice))
    .execute(&mut *connection)
    .await?;
    keep_keys(connection, new.keys, id).await?;
    keep_unmatched(connection, new).await
}

async fn keep_unmatched(connection: &mut PgConnection, new: &NewNotice<'_>) -> Result<(), StoreError> {
    sqlx::query(
        "with gone as (
             delete from signal_unmatched where source = $1 and reference = $2 and not key = any($3)
         )
         insert into signal_unmatched (key, source, reference) select key, $1, $2 from unnest($3::bigint[]) as keys (key)
         on conflict (key, source, reference) do nothing",
    )
    .bind(new.source)
    .bind(&new.notice.reference)
    .bind(new.unmatched)
    .execute(connection)
    .await?;
    Ok(())
}

async fn keep_keys(connection: &mut PgConnection, keys: &[i64], id: SignalId) -> Result<(), StoreError> {
    sqlx::query(
        "insert into signal_key (key, signal_id) select key, $2 from unnest($1::bigint[]) as keys (key)
         on conflict (key, signal_id) do nothing",
    )
    .bind(keys)
    .bind(id.uuid())
    .execute(connection)
    .await?;
    Ok(())
}

/// By whom signals may be erased that give notices to each other: each by whom any of them may.
async fn subjects_of(connection: &mut PgConnection, held: &[HeldSignal]) -> Result<Vec<Vec<u8>>, StoreError> {
    let ids: Vec<Uuid> = held.iter().map(|signal| signal.id.uuid()).collect();
    let all = sqlx::query_scalar(
        "select distinct digest from signal cross join unnest(subjects) as each (digest) where id = any($1)",
    );
    Ok(all.bind(ids).fetch_all(connection).await?)
}

async fn move_notice(
    connection: &mut PgConnection,
    notice: &MovedNotice,
    to: SignalId,
) -> Result<(), StoreError> {
    sqlx::query("update signal_notice set signal_id = $3 where source = $1 and reference = $2")
        .bind(&notice.source)
        .bind(&notice.reference)
        .bind(to.uuid())
        .execute(&mut *connection)
        .await?;
    keep_keys(connection, &notice.keys, to).await
}

/// Its place in the feed goes when the sequencer comes to it.
async fn remove(connection: &mut PgConnection, id: SignalId) -> Result<(), StoreError> {
    for statement in ["delete from signal where id = $1", "delete from signal_key where signal_id = $1"] {
        sqlx::query(statement).bind(id.uuid()).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Whether that changed what the feed shows.
async fn keep_signal(
    connection: &mut PgConnection,
    (kind, subjects): (SignalKind, &[Vec<u8>]),
    write: &SignalWrite,
    revision: i64,
) -> Result<bool, StoreError> {
    let facets = &write.facets;
    let written = sqlx::query(
        "insert into signal as held (id, revision, kind, detected_at, occurred_at, domain, other_domain, country, industry,
             department, stage, amount, applicants, body, subjects)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
         on conflict (id) do update set
             revision = excluded.revision, occurred_at = excluded.occurred_at, domain = excluded.domain,
             other_domain = excluded.other_domain, country = excluded.country,
             industry = coalesce(excluded.industry, held.industry), department = excluded.department,
             stage = excluded.stage, amount = excluded.amount,
             applicants = excluded.applicants, body = excluded.body,
             subjects = (select coalesce(array_agg(distinct digest), '{}')
                         from unnest(held.subjects || excluded.subjects) as all_of_them (digest))
         where held.body::text <> excluded.body::text",
    )
    .bind(write.id.uuid())
    .bind(revision)
    .bind(number(kind))
    .bind(write.detected_at)
    .bind(write.occurred_at)
    .bind(&facets.domain)
    .bind(&facets.other_domain)
    .bind(&facets.country)
    .bind(&facets.industry)
    .bind(&facets.department)
    .bind(&facets.stage)
    .bind(facets.amount)
    .bind(facets.applicants)
    .bind(Json(&write.body))
    .bind(subjects)
    .execute(connection)
    .await?;
    Ok(written.rows_affected() > 0)
}

async fn append_to_inbox(
    connection: &mut PgConnection,
    id: SignalId,
    revision: i64,
) -> Result<(), StoreError> {
    sqlx::query("insert into change_inbox (entity_kind, entity_id, version) values ($1, $2, $3)")
        .bind(EntityKind::Signal.number())
        .bind(id.uuid())
        .bind(revision)
        .execute(connection)
        .await?;
    Ok(())
}
