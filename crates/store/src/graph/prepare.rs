//! Makes what is to be written ready: in one order, each entity once, with its JSON and the hash of its content.

use super::entity_rows::{EmployerFacts, StoredJob};
use super::log::EntityKind;
use super::write::{CompanyWrite, MatchKeys, PersonWrite, Rights};
use crate::{StoreError, parallel};
use assay_domain::Digest;
use assay_domain::content_hash::ContentHasher;
use assay_domain::identity::IdentityKind;
use assay_domain::limits::EXPERIENCE_MAX;
use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;

/// JSON and hashes of this many entities are made before other tasks get their turn.
const TURN: usize = 64;

/// Nobody gains by finding two contents of one record with the same hash.
pub(super) type ContentHash = [u8; 16];

/// One entity, ready to be bound to a statement.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) kind: EntityKind,
    pub(super) id: Uuid,
    pub(super) facts: String,
    pub(super) provenance: String,
    /// What only this kind of entity has: a company's card, a person's experience.
    pub(super) own: String,
    pub(super) refreshed_at: DateTime<Utc>,
    pub(super) hash: ContentHash,
    /// Sorted, each digest once.
    pub(super) identities: Vec<(Digest, IdentityKind)>,
    pub(super) match_keys: MatchKeys,
    pub(super) rights: Rights,
}

pub(super) fn prepare_company(write: CompanyWrite) -> Result<Prepared, StoreError> {
    let prepared = Prepared {
        kind: EntityKind::Company,
        id: write.id.uuid(),
        facts: to_json(write.id.uuid(), &write.facts)?,
        provenance: to_json(write.id.uuid(), &write.provenance)?,
        own: to_json(write.id.uuid(), &EmployerFacts::of(&write.facts))?,
        refreshed_at: write.refreshed_at,
        hash: ContentHash::default(),
        identities: write.identities,
        match_keys: write.match_keys,
        rights: write.rights,
    };
    Ok(hashed(prepared))
}

/// The oldest jobs beyond `EXPERIENCE_MAX` are left out.
pub(super) fn prepare_person(write: PersonWrite) -> Result<Prepared, StoreError> {
    let jobs: Vec<StoredJob<'_>> = write.experience.iter().take(EXPERIENCE_MAX).map(StoredJob::of).collect();
    let prepared = Prepared {
        kind: EntityKind::Person,
        id: write.id.uuid(),
        facts: to_json(write.id.uuid(), &write.facts)?,
        provenance: to_json(write.id.uuid(), &write.provenance)?,
        own: to_json(write.id.uuid(), &jobs)?,
        refreshed_at: write.refreshed_at,
        hash: ContentHash::default(),
        identities: write.identities,
        match_keys: write.match_keys,
        rights: write.rights,
    };
    Ok(hashed(prepared))
}

fn hashed(mut prepared: Prepared) -> Prepared {
    prepared.identities.sort_unstable();
    prepared.identities.dedup_by_key(|(digest, _)| *digest);
    prepared.hash = content_hash(&prepared);
    prepared
}

/// One after the other, in turns with other tasks.
pub(super) async fn prepare_in_turns<W>(
    writes: Vec<W>,
    prepare: fn(W) -> Result<Prepared, StoreError>,
) -> Result<Vec<Prepared>, StoreError> {
    let mut ready = Vec::with_capacity(writes.len());
    for (place, write) in writes.into_iter().enumerate() {
        ready.push(prepare(write)?);
        if place % TURN == TURN - 1 {
            tokio::task::yield_now().await;
        }
    }
    Ok(in_order(ready))
}

/// On all processors: an import has nobody to let through.
pub(super) fn prepare_at_once<W: Send>(
    writes: Vec<W>,
    prepare: fn(W) -> Result<Prepared, StoreError>,
) -> Result<Vec<Prepared>, StoreError> {
    let ready: Result<Vec<Prepared>, StoreError> = parallel::map(writes, prepare).into_iter().collect();
    Ok(in_order(ready?))
}

/// Sorted by id: all writers take row locks in this order, so that no two wait for each other. Of two writes of one
/// entity in a batch the later one counts.
fn in_order(mut ready: Vec<Prepared>) -> Vec<Prepared> {
    // The sort keeps the order of equal ids; from the back, the first of them is the one to keep.
    ready.reverse();
    ready.sort_by_key(|prepared| prepared.id);
    ready.dedup_by_key(|prepared| prepared.id);
    ready
}

fn to_json(id: Uuid, value: &impl Serialize) -> Result<String, StoreError> {
    let json = serde_json::to_string(value)
        .map_err(|error| StoreError::Corrupt(format!("{} has no JSON: {error}", id.as_simple())))?;
    if holds_nul(&json) { Err(unstorable(id)) } else { Ok(json) }
}

/// An escape that is itself escaped is just text.
fn holds_nul(json: &str) -> bool {
    json.match_indices("\\u0000").any(|(place, _)| {
        let before = json.bytes().take(place).rev();
        before.take_while(|byte| *byte == b'\\').count() % 2 == 0
    })
}

/// Said here, because the server would say it of the whole batch without naming the record.
fn unstorable(id: Uuid) -> StoreError {
    StoreError::Corrupt(format!("{} holds a NUL character, which PostgreSQL cannot store", id.as_simple()))
}

/// Over all that a write says, except when it was refreshed: a record seen again unchanged is no change.
fn content_hash(prepared: &Prepared) -> ContentHash {
    let mut hasher = ContentHasher::default();
    hasher.feed(prepared.facts.as_bytes());
    hasher.feed(prepared.provenance.as_bytes());
    hasher.feed(prepared.own.as_bytes());
    for (digest, kind) in &prepared.identities {
        hasher.feed(digest.as_bytes());
        hasher.feed(&[kind.byte()]);
    }
    hasher.feed(prepared.rights.owner.map(|owner| owner.uuid()).unwrap_or_default().as_bytes());
    if let Some(expires_on) = prepared.rights.expires_on {
        hasher.feed(expires_on.to_string().as_bytes());
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_real_nul_is_refused() {
        assert!(to_json(Uuid::nil(), &"a\0b").is_err());
        assert!(to_json(Uuid::nil(), &"a\\\0b").is_err());
        assert!(to_json(Uuid::nil(), &"a\\u0000b").is_ok());
    }
}
