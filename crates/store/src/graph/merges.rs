//! Reads entities by id and follows `merged_into`, for people and companies alike.

use crate::StoreError;
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgRow};
use std::collections::HashMap;
use uuid::Uuid;

/// Longer chains are a fault of the writer; a reader must not walk in circles because of one.
const HOPS_MAX: usize = 4;

/// How one kind of entity is read: columns 0 and 1 are `id` and `merged_into`, the rest is the decoder's.
pub(super) struct EntityQuery<T> {
    pub(super) statement: &'static str,
    pub(super) decode: fn(Uuid, &PgRow) -> Result<T, StoreError>,
}

/// The entities found, and where merged ones went. One that does not decode is an error of its own, so that it
/// fails those who asked for it and nobody else in the batch.
pub(super) struct Entities<T> {
    live: HashMap<Uuid, Result<T, StoreError>>,
    merged: HashMap<Uuid, Uuid>,
}

impl<T> Entities<T> {
    pub(super) fn none() -> Self {
        Self { live: HashMap::new(), merged: HashMap::new() }
    }

    /// One query when nothing is merged, one more for each hop.
    pub(super) async fn read(
        connection: &mut PgConnection,
        query: &EntityQuery<T>,
        mut ids: Vec<Uuid>,
    ) -> Result<Self, StoreError> {
        let mut found = Self::none();
        for _ in 0..=HOPS_MAX {
            if ids.is_empty() {
                break;
            }
            let rows = sqlx::query(query.statement).bind(&ids).fetch_all(&mut *connection).await?;
            ids.clear();
            for row in &rows {
                let id: Uuid = row.try_get(0)?;
                match row.try_get::<Option<Uuid>, _>(1)? {
                    Some(into) => {
                        found.merged.insert(id, into);
                        ids.push(into);
                    }
                    None => {
                        found.live.insert(id, (query.decode)(id, row));
                    }
                }
            }
            ids.retain(|id| !found.live.contains_key(id) && !found.merged.contains_key(id));
            ids.sort_unstable();
            ids.dedup();
        }
        Ok(found)
    }

    /// Which live entity an id stands for now; none when there is none.
    pub(super) fn now(&self, mut id: Uuid) -> Option<Uuid> {
        for _ in 0..=HOPS_MAX {
            if self.live.contains_key(&id) {
                return Some(id);
            }
            id = *self.merged.get(&id)?;
        }
        None
    }

    pub(super) fn get(&self, id: Uuid) -> Option<&Result<T, StoreError>> {
        self.live.get(&self.now(id)?)
    }

    pub(super) fn live_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.live.values_mut().filter_map(|entity| entity.as_mut().ok())
    }
}

impl<T: Clone> Entities<T> {
    /// Gives each asker the live entities behind its ids, each once, in the order of the ids it now has.
    pub(super) fn hand_out(mut self, asked: Vec<Vec<Uuid>>) -> Vec<Result<Vec<T>, StoreError>> {
        let mut uses: HashMap<Uuid, usize> = HashMap::new();
        let wanted: Vec<Vec<Uuid>> = asked
            .into_iter()
            .map(|ids| {
                let mut ids: Vec<Uuid> = ids.into_iter().filter_map(|id| self.now(id)).collect();
                ids.sort_unstable();
                ids.dedup();
                ids.iter().for_each(|id| *uses.entry(*id).or_default() += 1);
                ids
            })
            .collect();
        wanted
            .into_iter()
            .map(|ids| ids.into_iter().filter_map(|id| self.take(id, &mut uses)).collect())
            .collect()
    }

    /// The last asker gets the record itself, those before it a copy; nearly always there is only one.
    fn take(&mut self, id: Uuid, uses: &mut HashMap<Uuid, usize>) -> Option<Result<T, StoreError>> {
        let left = uses.get_mut(&id)?;
        *left = left.saturating_sub(1);
        if *left == 0 { self.live.remove(&id) } else { self.live.get(&id).cloned() }
    }
}
