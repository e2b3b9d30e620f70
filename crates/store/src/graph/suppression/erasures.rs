//! Which erasures the ledger has still to follow, and which are through. The graph remembers it, because it went first.

use super::{Graph, SuppressWish, digest_of};
use crate::StoreError;
use assay_domain::ids::ErasureId;
use assay_domain::limits::{ERASING_AGAIN_AFTER, ERASING_BATCH};
use assay_domain::suppression::SuppressedKind;
use assay_domain::{Digest, PersonId};
use sqlx::postgres::PgConnection;
use std::collections::HashSet;
use uuid::Uuid;

/// Somebody the graph has forgotten and the ledger has to forget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erasure {
    pub id: ErasureId,
    pub person: PersonId,
    /// Whether every call that may have read the person has ended: forgetting them now is the last time.
    pub last: bool,
}

impl Graph {
    /// What is still to be done, oldest first: those the ledger has not heard of, and those it is time to ask again for.
    pub async fn open_erasures(&self) -> Result<Vec<Erasure>, StoreError> {
        let rows: Vec<(Uuid, Uuid, bool)> = sqlx::query_as(
            "select id, person_id, asked_at <= now() - make_interval(secs => $1) from erasure
             where done_at is null
                 and (ledger_done_at is null or asked_at <= now() - make_interval(secs => $1))
             order by asked_at limit $2",
        )
        .bind(ERASING_AGAIN_AFTER.as_secs_f64())
        .bind(ERASING_BATCH)
        .fetch_all(&self.pool)
        .await?;
        let read = |(id, person, last)| Erasure {
            id: ErasureId::from_uuid(id),
            person: PersonId::from_uuid(person),
            last,
        };
        Ok(rows.into_iter().map(read).collect())
    }

    /// The ledger has forgotten these people.
    pub async fn mark_erased(&self, erasures: &[Erasure]) -> Result<(), StoreError> {
        sqlx::query(
            "update erasure set ledger_done_at = coalesce(ledger_done_at, now()),
                 done_at = coalesce(done_at, case when done.last then now() end)
             from unnest($1::uuid[], $2::boolean[]) as done (id, last) where erasure.id = done.id",
        )
        .bind(erasures.iter().map(|erasure| erasure.id.uuid()).collect::<Vec<_>>())
        .bind(erasures.iter().map(|erasure| erasure.last).collect::<Vec<_>>())
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}

/// One for each row erased, and for each person asked for by id who is not here: the ledger may know them all the same.
pub(super) async fn insert(
    connection: &mut PgConnection,
    wish: &SuppressWish,
    added: &HashSet<Digest>,
    erased: &[Uuid],
) -> Result<Vec<Erasure>, StoreError> {
    let asked = wish.entries.iter().filter(|entry| entry.kind == SuppressedKind::Person);
    let asked = asked.filter(|entry| added.contains(&entry.digest));
    let here: HashSet<Digest> = erased.iter().map(|id| digest_of(*id)).collect();
    let absent = asked.filter(|entry| !here.contains(&entry.digest));
    let people = erased.iter().copied().chain(absent.map(|entry| Uuid::from_bytes(*entry.digest.as_bytes())));
    let erasure =
        |person| Erasure { id: ErasureId::mint(wish.at), person: PersonId::from_uuid(person), last: false };
    let erasures: Vec<Erasure> = people.map(erasure).collect();
    if !erasures.is_empty() {
        sqlx::query("insert into erasure (id, person_id) select * from unnest($1::uuid[], $2::uuid[])")
            .bind(erasures.iter().map(|erasure| erasure.id.uuid()).collect::<Vec<_>>())
            .bind(erasures.iter().map(|erasure| erasure.person.uuid()).collect::<Vec<_>>())
            .execute(connection)
            .await?;
    }
    Ok(erasures)
}
