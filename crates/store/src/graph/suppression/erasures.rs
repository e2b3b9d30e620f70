//! Which erasures the ledger has still to follow, and which are through. The graph remembers it, because it went first.

use super::{Graph, SuppressWish, digest_of};
use crate::StoreError;
use assay_domain::ids::ErasureId;
use assay_domain::limits::{ERASING_AGAIN_AFTER, ERASING_BATCH};
use assay_domain::suppression::SuppressedKind;
use assay_domain::{Digest, PersonId};
use sqlx::postgres::PgConnection;
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// Somebody the graph has forgotten and the ledger has to forget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erasure {
    pub id: ErasureId,
    pub person: PersonId,
    /// That led to nobody else.
    pub profiles: Vec<Digest>,
    /// Whether every call that may have read the person has ended: forgetting them now is the last time.
    pub last: bool,
}

impl Graph {
    /// What is still to be done, oldest first: those the ledger has not heard of, and those it is time to ask again for.
    pub async fn open_erasures(&self) -> Result<Vec<Erasure>, StoreError> {
        let rows: Vec<(Uuid, Uuid, Vec<[u8; 16]>, bool)> = sqlx::query_as(
            "select id, person_id, coalesce(profiles, '{}'), asked_at <= now() - make_interval(secs => $1) from erasure
             where done_at is null
                 and (ledger_done_at is null or asked_at <= now() - make_interval(secs => $1))
             order by asked_at limit $2",
        )
        .bind(ERASING_AGAIN_AFTER.as_secs_f64())
        .bind(ERASING_BATCH)
        .fetch_all(&self.pool)
        .await?;
        let read = |(id, person, profiles, last): (Uuid, Uuid, Vec<[u8; 16]>, bool)| Erasure {
            id: ErasureId::from_uuid(id),
            person: PersonId::from_uuid(person),
            profiles: profiles.into_iter().map(Digest::from_bytes).collect(),
            last,
        };
        Ok(rows.into_iter().map(read).collect())
    }

    /// The ledger has forgotten these people; the last time, what it looked for them by is not needed any more.
    pub async fn mark_erased(&self, erasures: &[Erasure]) -> Result<(), StoreError> {
        sqlx::query(
            "update erasure set ledger_done_at = coalesce(ledger_done_at, now()),
                 done_at = coalesce(done_at, case when done.last then now() end),
                 profiles = case when not done.last then profiles end
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
    mut profiles: HashMap<Uuid, Vec<Digest>>,
) -> Result<Vec<Erasure>, StoreError> {
    let asked = wish.entries.iter().filter(|entry| entry.kind == SuppressedKind::Person);
    let asked = asked.filter(|entry| added.contains(&entry.digest));
    let here: HashSet<Digest> = erased.iter().map(|id| digest_of(*id)).collect();
    let absent = asked.filter(|entry| !here.contains(&entry.digest));
    let people = erased.iter().copied().chain(absent.map(|entry| Uuid::from_bytes(*entry.digest.as_bytes())));
    let erasure = |person| Erasure {
        id: ErasureId::mint(wish.at),
        person: PersonId::from_uuid(person),
        profiles: profiles.remove(&person).unwrap_or_default(),
        last: false,
    };
    let erasures: Vec<Erasure> = people.map(erasure).collect();
    if erasures.is_empty() {
        return Ok(erasures);
    }
    let theirs = || erasures.iter().flat_map(|one| one.profiles.iter().map(|digest| (one.id.uuid(), digest)));
    sqlx::query(
        "insert into erasure (id, person_id, profiles)
         select id, person_id, array_agg(digest) filter (where digest is not null)
         from unnest($1::uuid[], $2::uuid[]) as erased (id, person_id)
         left join unnest($3::uuid[], $4::bytea[]) as theirs (id, digest) using (id)
         group by id, person_id",
    )
    .bind(erasures.iter().map(|erasure| erasure.id.uuid()).collect::<Vec<_>>())
    .bind(erasures.iter().map(|erasure| erasure.person.uuid()).collect::<Vec<_>>())
    .bind(theirs().map(|(id, _)| id).collect::<Vec<_>>())
    .bind(theirs().map(|(_, digest)| digest.as_bytes().as_slice()).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(erasures)
}
