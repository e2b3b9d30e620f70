//! The keys under which people and companies are met that are written down in another way.

use super::copy_rows::CopyRows;
use super::write::Changed;
use crate::StoreError;
use sqlx::postgres::PgConnection;
use uuid::Uuid;

/// Adds what changed entities hold and removes what they dropped.
pub(super) async fn write(connection: &mut PgConnection, changed: &[Changed<'_>]) -> Result<(), StoreError> {
    let dropped = changed
        .iter()
        .flat_map(|Changed { entity, .. }| entity.match_keys.dropped.iter().map(|key| (*key, entity.id)));
    delete(connection, dropped.collect()).await?;
    let held = |is_wanted: fn(i64) -> bool| {
        let mut keys: Vec<(i64, Uuid)> = changed
            .iter()
            .filter(|changed| is_wanted(changed.version))
            .flat_map(|Changed { entity, .. }| entity.match_keys.held.iter().map(|key| (*key, entity.id)))
            .collect();
        // Keys are random: in their order, neighbours share a page of the index.
        keys.sort_unstable();
        keys.dedup();
        keys
    };
    let mut rows = CopyRows::new("copy match_key (key, entity_id) from stdin (format binary)");
    for (key, entity) in held(|version| version == 1) {
        rows.row(2).bigint(key).uuid(entity);
    }
    rows.send(connection).await?;
    let again = held(|version| version > 1);
    if again.is_empty() {
        return Ok(());
    }
    let (keys, entities): (Vec<i64>, Vec<Uuid>) = again.into_iter().unzip();
    sqlx::query(
        "insert into match_key (key, entity_id) select * from unnest($1::bigint[], $2::uuid[])
         on conflict (key, entity_id) do nothing",
    )
    .bind(keys)
    .bind(entities)
    .execute(connection)
    .await?;
    Ok(())
}

pub(super) async fn delete(connection: &mut PgConnection, gone: Vec<(i64, Uuid)>) -> Result<(), StoreError> {
    if gone.is_empty() {
        return Ok(());
    }
    let (keys, entities): (Vec<i64>, Vec<Uuid>) = gone.into_iter().unzip();
    sqlx::query(
        "delete from match_key using unnest($1::bigint[], $2::uuid[]) as gone (key, entity_id)
         where match_key.key = gone.key and match_key.entity_id = gone.entity_id",
    )
    .bind(keys)
    .bind(entities)
    .execute(connection)
    .await?;
    Ok(())
}

/// Who is met under each of these keys, by key and id; at most `each_max` of a key.
pub(super) async fn read(
    connection: &mut PgConnection,
    keys: &[i64],
    each_max: i64,
) -> Result<Vec<(i64, Uuid)>, StoreError> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query_as(
        "select asked.key, met.entity_id from unnest($1::bigint[]) as asked (key)
         cross join lateral (select entity_id from match_key where match_key.key = asked.key
                             order by entity_id limit $2) as met",
    )
    .bind(keys)
    .bind(each_max)
    .fetch_all(connection)
    .await?;
    Ok(rows)
}
