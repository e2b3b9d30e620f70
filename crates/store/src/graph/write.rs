//! Batched writes: entities, then what belongs to them, then the log, in one transaction.
//!
//! Writing the same content again changes nothing, so an import that stopped half-way is simply run again.

use super::Graph;
use super::copy_rows::CopyRows;
use super::match_keys;
use super::prepare::{
    ContentHash, Prepared, prepare_at_once, prepare_company, prepare_in_turns, prepare_person,
};
use super::suppression::{digest_of, hold_off_erasing, suppressed_among};
use crate::lending::Pool;
use crate::pool::begin;
use crate::{StoreError, task};
use assay_domain::company::CompanyFacts;
use assay_domain::identity::IdentityKind;
use assay_domain::limits::WRITE_BATCH_MAX;
use assay_domain::person::{Employment, PersonFacts};
use assay_domain::{AccountId, CompanyId, Digest, PersonId, Provenance};
use chrono::{DateTime, NaiveDate, Utc};
use sqlx::postgres::PgConnection;
use std::collections::{HashMap, HashSet};
use tokio::sync::oneshot;
use uuid::Uuid;

/// What one transaction writes: at most `WRITE_BATCH_MAX` entities.
#[derive(Debug, Clone, Default)]
pub struct GraphBatch {
    pub companies: Vec<CompanyWrite>,
    pub people: Vec<PersonWrite>,
}

/// All there is to say about a company; what it does not say is removed.
#[derive(Debug, Clone)]
pub struct CompanyWrite {
    pub id: CompanyId,
    pub facts: CompanyFacts,
    pub provenance: Provenance,
    pub refreshed_at: DateTime<Utc>,
    pub identities: Vec<(Digest, IdentityKind)>,
    pub match_keys: MatchKeys,
    pub rights: Rights,
}

/// All there is to say about a person; what it does not say is removed.
#[derive(Debug, Clone)]
pub struct PersonWrite {
    pub id: PersonId,
    pub facts: PersonFacts,
    /// Newest first.
    pub experience: Vec<Employment>,
    pub provenance: Provenance,
    pub refreshed_at: DateTime<Utc>,
    pub identities: Vec<(Digest, IdentityKind)>,
    pub match_keys: MatchKeys,
    pub rights: Rights,
}

/// The keys under which whoever is written down in another way is met. They are not read back to find out what changed, as
/// identities are: there are too many of them for an index by entity, and whoever writes knows what it replaces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MatchKeys {
    pub held: Vec<i64>,
    /// Those of the record before that it no longer has.
    pub dropped: Vec<i64>,
}

/// Who may see a record, and until when as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rights {
    pub owner: Option<AccountId>,
    pub expires_on: Option<NaiveDate>,
}

/// How many entities were new or changed, and how many were already as written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    pub companies: u64,
    pub people: u64,
    pub unchanged: u64,
    /// People who were left out because something that identifies them is suppressed.
    pub suppressed: u64,
}

/// An entity this transaction changed, at the version it now has.
pub(super) struct Changed<'a> {
    pub(super) entity: &'a Prepared,
    pub(super) version: i64,
}

impl Graph {
    /// Writes all or nothing. Each changed entity gets the next version and one line in the change log.
    pub async fn write(&self, batch: GraphBatch) -> Result<Written, StoreError> {
        if batch.companies.len().saturating_add(batch.people.len()) > WRITE_BATCH_MAX {
            return Err(StoreError::Overloaded);
        }
        let (pool, (report, done)) = (self.pool.clone(), oneshot::channel());
        // In a task of its own: a caller that goes away must not leave a connection in the middle of a COPY.
        task::spawn("graph_write", async move {
            drop(report.send(write_batch(&pool, batch).await));
        });
        done.await.map_err(|_| StoreError::Overloaded)?
    }
}

async fn write_batch(pool: &Pool, batch: GraphBatch) -> Result<Written, StoreError> {
    let prepared = PreparedBatch::prepare(batch).await?;
    let mut transaction = begin(pool).await?;
    let written = prepared.write(&mut transaction, Others::MayMakeTheSame).await?;
    transaction.commit().await?;
    Ok(written.counts)
}

/// A batch with all that needs no database done.
pub(super) struct PreparedBatch {
    companies: Vec<Prepared>,
    people: Vec<Prepared>,
}

/// What a transaction wrote, before it is committed.
pub(super) struct WrittenBatch {
    pub(super) counts: Written,
    /// The version of each changed entity.
    pub(super) versions: HashMap<Uuid, i64>,
    /// People who were left out because something that identifies them is suppressed.
    pub(super) left_out: HashSet<Uuid>,
}

/// Whether another writer may make an entity that is new here, at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Others {
    MayMakeTheSame,
    /// As in a turn of an import: only imports make people of their ids, and no other one has a turn.
    Wait,
}

impl PreparedBatch {
    pub(super) async fn prepare(batch: GraphBatch) -> Result<Self, StoreError> {
        let companies = prepare_in_turns(batch.companies, prepare_company).await?;
        Ok(Self { companies, people: prepare_in_turns(batch.people, prepare_person).await? })
    }

    pub(super) fn prepare_at_once(batch: GraphBatch) -> Result<Self, StoreError> {
        let companies = prepare_at_once(batch.companies, prepare_company)?;
        Ok(Self { companies, people: prepare_at_once(batch.people, prepare_person)? })
    }

    pub(super) async fn write(
        self,
        connection: &mut PgConnection,
        others: Others,
    ) -> Result<WrittenBatch, StoreError> {
        let Self { companies, people } = self;
        let (people, left_out) = leave_out_suppressed(connection, people).await?;
        let mut changed = write_entities(connection, &COMPANIES, &companies, others).await?;
        let changed_companies = changed.len();
        changed.extend(write_entities(connection, &PEOPLE, &people, others).await?);
        write_identities(connection, &changed).await?;
        match_keys::write(connection, &changed).await?;
        append_to_inbox(connection, &changed).await?;
        let count = |rows: usize| u64::try_from(rows).unwrap_or(u64::MAX);
        let counts = Written {
            companies: count(changed_companies),
            people: count(changed.len() - changed_companies),
            unchanged: count(companies.len() + people.len() - changed.len()),
            suppressed: count(left_out.len()),
        };
        let versions = changed.iter().map(|changed| (changed.entity.id, changed.version)).collect();
        Ok(WrittenBatch { counts, versions, left_out })
    }
}

/// Whoever was erased stays out, and until this transaction ends nobody else is erased. What is stored of a person
/// already (under identifiers that are not suppressed) stays as it was.
async fn leave_out_suppressed(
    connection: &mut PgConnection,
    people: Vec<Prepared>,
) -> Result<(Vec<Prepared>, HashSet<Uuid>), StoreError> {
    if people.is_empty() {
        return Ok((people, HashSet::new()));
    }
    hold_off_erasing(connection).await?;
    let digests = |person: &Prepared| {
        let identities = person.identities.iter().map(|(digest, _)| *digest);
        identities.chain([digest_of(person.id)]).collect::<Vec<_>>()
    };
    let asked: Vec<Digest> = people.iter().flat_map(digests).collect();
    let suppressed = suppressed_among(connection, &asked).await?;
    let is_suppressed = |person: &Prepared| digests(person).iter().any(|digest| suppressed.contains(digest));
    let (gone, stay): (Vec<Prepared>, Vec<Prepared>) = people.into_iter().partition(is_suppressed);
    Ok((stay, gone.iter().map(|person| person.id).collect()))
}

struct EntityTable {
    hashes: &'static str,
    copy: &'static str,
    upsert: &'static str,
}

const COMPANIES: EntityTable = EntityTable {
    hashes: "select id, content_hash from company where id = any($1)",
    copy: "copy company (id, version, facts, provenance, refreshed_at, content_hash, card, owner_id, expires_on)
         from stdin (format binary)",
    upsert: "insert into company as held
             (id, version, facts, provenance, refreshed_at, content_hash, card, owner_id, expires_on)
         select id, 1, facts::json, provenance::json, refreshed_at, content_hash, card::json, owner_id, expires_on
         from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::bytea[], $6::text[], $7::uuid[], $8::date[])
              as given (id, facts, provenance, refreshed_at, content_hash, card, owner_id, expires_on)
         on conflict (id) do update
         set version = held.version + 1, facts = excluded.facts, provenance = excluded.provenance,
             card = excluded.card, refreshed_at = excluded.refreshed_at, content_hash = excluded.content_hash,
             owner_id = excluded.owner_id, expires_on = excluded.expires_on
         where held.content_hash <> excluded.content_hash
         returning id, version",
};

const PEOPLE: EntityTable = EntityTable {
    hashes: "select id, content_hash from person where id = any($1)",
    copy: "copy person (id, version, facts, provenance, refreshed_at, content_hash, experience, owner_id, expires_on)
         from stdin (format binary)",
    upsert: "insert into person as held
             (id, version, facts, provenance, refreshed_at, content_hash, experience, owner_id, expires_on)
         select id, 1, facts::json, provenance::json, refreshed_at, content_hash, experience::json, owner_id, expires_on
         from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::bytea[], $6::text[], $7::uuid[], $8::date[])
              as given (id, facts, provenance, refreshed_at, content_hash, experience, owner_id, expires_on)
         on conflict (id) do update
         set version = held.version + 1, facts = excluded.facts, provenance = excluded.provenance,
             experience = excluded.experience, refreshed_at = excluded.refreshed_at, content_hash = excluded.content_hash,
             owner_id = excluded.owner_id, expires_on = excluded.expires_on
         where held.content_hash <> excluded.content_hash
         returning id, version",
};

/// Inserts the new and updates the changed ones, which stay locked from here on. Rows are visited in the order of
/// the arrays, which is the order of the ids.
async fn write_entities<'a>(
    connection: &mut PgConnection,
    table: &EntityTable,
    entities: &'a [Prepared],
    others: Others,
) -> Result<Vec<Changed<'a>>, StoreError> {
    let held = read_hashes(connection, table, entities).await?;
    let is_different = |entity: &&Prepared| held.get(&entity.id) != Some(&entity.hash);
    let different: Vec<&Prepared> = entities.iter().filter(is_different).collect();
    let is_copied = |entity: &&&Prepared| others == Others::Wait && !held.contains_key(&entity.id);
    let (copied, upserted): (Vec<&Prepared>, Vec<&Prepared>) = different.iter().partition(is_copied);
    copy_new(connection, table, &copied).await?;
    let mut versions = upsert(connection, table, &upserted).await?;
    versions.extend(copied.iter().map(|entity| (entity.id, 1)));
    let changed = different.into_iter().filter_map(|entity| {
        let version = *versions.get(&entity.id)?;
        Some(Changed { entity, version })
    });
    Ok(changed.collect())
}

async fn copy_new(
    connection: &mut PgConnection,
    table: &EntityTable,
    entities: &[&Prepared],
) -> Result<(), StoreError> {
    let mut rows = CopyRows::new(table.copy);
    for entity in entities {
        rows.row(9)
            .uuid(entity.id)
            .bigint(1)
            .text(&entity.facts)
            .text(&entity.provenance)
            .timestamp(entity.refreshed_at)
            .bytes(&entity.hash)
            .text(&entity.own)
            .maybe(entity.rights.owner.map(AccountId::uuid), CopyRows::uuid)
            .maybe(entity.rights.expires_on, CopyRows::date);
    }
    rows.send(connection).await
}

/// The version each row now has; none of those that became the same meanwhile.
async fn upsert(
    connection: &mut PgConnection,
    table: &EntityTable,
    entities: &[&Prepared],
) -> Result<HashMap<Uuid, i64>, StoreError> {
    if entities.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(Uuid, i64)> = sqlx::query_as(table.upsert)
        .bind(entities.iter().map(|entity| entity.id).collect::<Vec<_>>())
        .bind(entities.iter().map(|entity| entity.facts.as_str()).collect::<Vec<_>>())
        .bind(entities.iter().map(|entity| entity.provenance.as_str()).collect::<Vec<_>>())
        .bind(entities.iter().map(|entity| entity.refreshed_at).collect::<Vec<_>>())
        .bind(entities.iter().map(|entity| entity.hash.as_slice()).collect::<Vec<_>>())
        .bind(entities.iter().map(|entity| entity.own.as_str()).collect::<Vec<_>>())
        .bind(entities.iter().map(|entity| entity.rights.owner.map(AccountId::uuid)).collect::<Vec<_>>())
        .bind(entities.iter().map(|entity| entity.rights.expires_on).collect::<Vec<_>>())
        .fetch_all(connection)
        .await?;
    Ok(rows.into_iter().collect())
}

/// What is held of these, by its hash. A look without locks: should another writer change such a row after it, then that
/// write simply came later.
async fn read_hashes(
    connection: &mut PgConnection,
    table: &EntityTable,
    entities: &[Prepared],
) -> Result<HashMap<Uuid, ContentHash>, StoreError> {
    if entities.is_empty() {
        return Ok(HashMap::new());
    }
    let ids: Vec<Uuid> = entities.iter().map(|entity| entity.id).collect();
    let held: Vec<(Uuid, Vec<u8>)> = sqlx::query_as(table.hashes).bind(ids).fetch_all(connection).await?;
    // Whoever is one with another has an empty one, which is no entity's.
    let hash = |bytes: Vec<u8>| ContentHash::try_from(bytes).unwrap_or_default();
    Ok(held.into_iter().map(|(id, bytes)| (id, hash(bytes))).collect())
}

/// A first version has nothing stored under it yet.
fn updated_ids(changed: &[Changed<'_>]) -> Vec<Uuid> {
    changed.iter().filter(|changed| changed.version > 1).map(|changed| changed.entity.id).collect()
}

/// Adds the identities that are new and removes those no longer listed. Nobody else does so for these entities:
/// their rows are locked.
async fn write_identities(connection: &mut PgConnection, changed: &[Changed<'_>]) -> Result<(), StoreError> {
    let mut held = read_held_identities(connection, &updated_ids(changed)).await?;
    let mut added: Vec<(Digest, Uuid, IdentityKind)> = Vec::new();
    for Changed { entity, .. } in changed {
        for (digest, kind) in &entity.identities {
            if !held.remove(&(*digest, entity.id)) {
                added.push((*digest, entity.id, *kind));
            }
        }
    }
    if !held.is_empty() {
        let (digests, entities): (Vec<Digest>, Vec<Uuid>) = held.into_iter().unzip();
        let digests: Vec<&[u8]> = digests.iter().map(|digest| digest.as_bytes().as_slice()).collect();
        sqlx::query(
            "delete from identity using unnest($1::bytea[], $2::uuid[]) as gone (digest, entity_id)
             where identity.digest = gone.digest and identity.entity_id = gone.entity_id",
        )
        .bind(digests)
        .bind(entities)
        .execute(&mut *connection)
        .await?;
    }
    // Digests are random: in their order, neighbours share a page of the index.
    added.sort_unstable();
    let mut rows = CopyRows::new("copy identity (digest, entity_id, kind) from stdin (format binary)");
    for (digest, entity, kind) in added {
        rows.row(3).bytes(digest.as_bytes()).uuid(entity).smallint(i16::from(kind.byte()));
    }
    rows.send(connection).await
}

async fn read_held_identities(
    connection: &mut PgConnection,
    entities: &[Uuid],
) -> Result<HashSet<(Digest, Uuid)>, StoreError> {
    if entities.is_empty() {
        return Ok(HashSet::new());
    }
    let rows: Vec<([u8; 16], Uuid)> =
        sqlx::query_as("select digest, entity_id from identity where entity_id = any($1)")
            .bind(entities)
            .fetch_all(connection)
            .await?;
    Ok(rows.into_iter().map(|(digest, entity)| (Digest::from_bytes(digest), entity)).collect())
}

/// The inbox ids of one entity grow with its versions, because its row is locked until this commits.
async fn append_to_inbox(connection: &mut PgConnection, changed: &[Changed<'_>]) -> Result<(), StoreError> {
    let mut rows =
        CopyRows::new("copy change_inbox (entity_kind, entity_id, version) from stdin (format binary)");
    for Changed { entity, version } in changed {
        rows.row(3).smallint(entity.kind.number()).uuid(entity.id).bigint(*version);
    }
    rows.send(connection).await
}
