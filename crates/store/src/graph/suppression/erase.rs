//! Erasing: in one transaction, everybody behind the entries goes, and what identified them is suppressed.

use super::order::keep_origin;
use super::{
    Graph, LOCK, ListHashes, NewSuppression, SuppressWish, Suppressed, Suppression, digest_of, experience_of,
    facts_of, read_suppression,
};
use crate::graph::log::EntityKind;
use crate::graph::{match_keys, signals};
use crate::pool::begin;
use crate::{StoreError, crash};
use assay_domain::identity::IdentityKind;
use assay_domain::limits::{ERASE_PEOPLE_MAX, SUPPRESSIONS_TOLD_MAX};
use assay_domain::suppression::SuppressedKind;
use assay_domain::{Digest, SuppressionId};
use sqlx::Row;
use sqlx::postgres::PgConnection;
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// People about to be erased: the rows of their records, of those merged into them too.
struct Doomed {
    rows: Vec<Uuid>,
    versions: Vec<i64>,
    /// Records, not rows: a merged one is no person of its own.
    people: u64,
    hashes: ListHashes,
    match_keys: Vec<(i64, Uuid)>,
    more: bool,
}

/// Whether suppressions are new, or were there before the graph lost them.
pub(super) enum Made<'a> {
    Now,
    Before(&'a [Suppression]),
}

impl Graph {
    /// Suppresses the entries, and erases whom they lead to with all that identified them. Doing it again changes
    /// nothing. An identifier that somebody shares who stays (a switchboard, a namesake) is suppressed only when it is
    /// among the entries: otherwise the next import would lose everybody who shares it.
    pub async fn suppress(&self, wish: &SuppressWish) -> Result<Suppressed, StoreError> {
        self.suppress_made(wish, Made::Now).await
    }

    pub(super) async fn suppress_made(
        &self,
        wish: &SuppressWish,
        made: Made<'_>,
    ) -> Result<Suppressed, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        sqlx::query("select pg_advisory_xact_lock($1)").bind(LOCK).execute(&mut *transaction).await?;
        let added = insert(&mut transaction, wish, &wish.entries).await?;
        let known = wish.entries.len().saturating_sub(added.len());
        let doomed = find_doomed(&mut transaction, wish).await?;
        let (theirs, profiles) = identities_to_suppress(&mut transaction, &doomed).await?;
        let also = insert(&mut transaction, wish, &theirs).await?;
        delete(&mut transaction, &doomed).await?;
        forget_answers(&mut transaction, &added, &also, &doomed).await?;
        append_to_inbox(&mut transaction, &doomed).await?;
        let erasures =
            super::erasures::insert(&mut transaction, wish, &added, &doomed.rows, profiles).await?;
        if let Made::Before(made) = made {
            keep_origin(&mut transaction, made, &added).await?;
        }
        let rows = told(&mut transaction, wish, &also).await?;
        crash::point("erase-before-commit").await;
        transaction.commit().await?;
        let count = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
        Ok(Suppressed {
            rows,
            added: count(added.len() + also.len()),
            known: count(known),
            people_erased: doomed.people,
            erasures,
            more: doomed.more,
        })
    }
}

/// Gives the digests that were not there before.
async fn insert(
    connection: &mut PgConnection,
    wish: &SuppressWish,
    entries: &[NewSuppression],
) -> Result<HashSet<Digest>, StoreError> {
    if entries.is_empty() {
        return Ok(HashSet::new());
    }
    let rows: Vec<[u8; 16]> = sqlx::query_scalar(
        "insert into suppression (digest, id, kind, list_hash, reason)
         select digest, id, kind, list_hash, $5
         from unnest($1::bytea[], $2::uuid[], $3::smallint[], $4::bytea[]) as given (digest, id, kind, list_hash)
         on conflict (digest) do nothing
         returning digest",
    )
    .bind(entries.iter().map(|entry| entry.digest.as_bytes().as_slice()).collect::<Vec<_>>())
    .bind(entries.iter().map(|_| SuppressionId::mint(wish.at).uuid()).collect::<Vec<_>>())
    .bind(entries.iter().map(|entry| i16::from(entry.kind.byte())).collect::<Vec<_>>())
    .bind(entries.iter().map(|entry| entry.list_hash.as_ref().map(|hash| hash.as_bytes())).collect::<Vec<_>>())
    .bind(wish.reason.as_str())
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(Digest::from_bytes).collect())
}

/// The whole record of everybody the entries lead to: merges are followed both ways.
async fn find_doomed(connection: &mut PgConnection, wish: &SuppressWish) -> Result<Doomed, StoreError> {
    let (people, identities): (Vec<_>, Vec<_>) =
        wish.entries.iter().partition(|entry| entry.kind == SuppressedKind::Person);
    let people: Vec<Uuid> = people.iter().map(|entry| Uuid::from_bytes(*entry.digest.as_bytes())).collect();
    let identities: Vec<&[u8]> = identities.iter().map(|entry| entry.digest.as_bytes().as_slice()).collect();
    let found = sqlx::query(
        "with recursive named (id) as (
             select id from person where id = any($1)
             union
             select entity_id from identity where digest = any($2)
         ), whole (id) as (
             (select id from named order by id limit $3)
             union
             select other.id from whole cross join lateral (
                 select merged_into as id from person where person.id = whole.id and merged_into is not null
                 union all
                 select person.id from person where merged_into = whole.id
             ) as other
         )
         select person.id, version, facts, merged_into, experience from whole join person using (id)",
    )
    .bind(people)
    .bind(identities)
    .bind(ERASE_PEOPLE_MAX + 1)
    .fetch_all(connection)
    .await?;
    let mut doomed = Doomed {
        rows: Vec::new(),
        versions: Vec::new(),
        people: 0,
        hashes: HashMap::new(),
        match_keys: Vec::new(),
        more: false,
    };
    doomed.more = i64::try_from(found.len()).unwrap_or(i64::MAX) > ERASE_PEOPLE_MAX;
    for row in &found {
        let id = row.try_get(0)?;
        doomed.rows.push(id);
        doomed.versions.push(row.try_get(1)?);
        if let Some(facts) = facts_of(row, 2) {
            doomed.hashes.extend((wish.seal_hashes)(&facts));
            let keys = (wish.match_keys)(&facts, &experience_of(row, 4));
            doomed.match_keys.extend(keys.into_iter().map(|key| (key, id)));
        }
        doomed.people += u64::from(row.try_get::<Option<Uuid>, _>(3)?.is_none());
    }
    Ok(doomed)
}

/// The people themselves and all that led to them alone; and whose profiles are among it.
async fn identities_to_suppress(
    connection: &mut PgConnection,
    doomed: &Doomed,
) -> Result<(Vec<NewSuppression>, HashMap<Uuid, Vec<Digest>>), StoreError> {
    let mut profiles: HashMap<Uuid, Vec<Digest>> = HashMap::new();
    if doomed.rows.is_empty() {
        return Ok((Vec::new(), profiles));
    }
    let most = i64::try_from(doomed.rows.len()).unwrap_or(i64::MAX - 1) + 1;
    let rows: Vec<([u8; 16], i16, Vec<Uuid>)> = sqlx::query_as(
        "select digest, kind, people from (
             select digest, min(kind) as kind, array_agg(entity_id) as people, count(*) as theirs, (
                 select count(*) from (
                     select from identity as anyones where anyones.digest = identity.digest limit $2) as few
             ) as of_anyone
             from identity where entity_id = any($1) group by digest) as counted
         where theirs = of_anyone",
    )
    .bind(&doomed.rows)
    .bind(most)
    .fetch_all(connection)
    .await?;
    let mut entries: Vec<NewSuppression> = doomed
        .rows
        .iter()
        .map(|id| NewSuppression { digest: digest_of(*id), kind: SuppressedKind::Person, list_hash: None })
        .collect();
    for (digest, kind, people) in rows {
        let kind = u8::try_from(kind).ok().and_then(IdentityKind::from_byte);
        let Some(kind) = kind.filter(|kind| kind.is_persons()) else { continue };
        let digest = Digest::from_bytes(digest);
        if kind == IdentityKind::PersonUrl {
            people.into_iter().for_each(|person| profiles.entry(person).or_default().push(digest));
        }
        let list_hash = doomed.hashes.get(&digest).cloned();
        entries.push(NewSuppression { digest, kind: SuppressedKind::Identity(kind), list_hash });
    }
    Ok((entries, profiles))
}

async fn delete(connection: &mut PgConnection, doomed: &Doomed) -> Result<(), StoreError> {
    if doomed.rows.is_empty() {
        return Ok(());
    }
    for statement in [
        "delete from identity where entity_id = any($1)",
        "delete from employment_change where person_id = any($1)",
        "delete from source_record where entity_id = any($1)",
        "delete from person where id = any($1)",
    ] {
        sqlx::query(statement).bind(&doomed.rows).execute(&mut *connection).await?;
    }
    match_keys::delete(connection, doomed.match_keys.clone()).await
}

/// What mail servers and vendors said of them, and the signals that name them.
async fn forget_answers(
    connection: &mut PgConnection,
    asked_for: &HashSet<Digest>,
    theirs: &HashSet<Digest>,
    doomed: &Doomed,
) -> Result<(), StoreError> {
    let digests = asked_for.union(theirs).map(|digest| digest.as_bytes().as_slice());
    // Whoever is known is asked for by their id.
    let ids = doomed.rows.iter().map(|id| id.as_bytes().as_slice());
    let all: Vec<&[u8]> = digests.chain(ids).collect();
    sqlx::query("delete from mail_verdict where digest = any($1)")
        .bind(&all)
        .execute(&mut *connection)
        .await?;
    // One look by an index for each, as for signals.
    sqlx::query(
        "delete from upstream_answer where ctid = any(array(
             select kept.ctid from unnest($1::bytea[]) as gone (digest)
             join upstream_answer kept on kept.question = gone.digest
             union all
             select kept.ctid from unnest($1::bytea[]) as gone (digest)
             join upstream_answer kept on kept.subjects @> array[gone.digest]))",
    )
    .bind(&all)
    .execute(&mut *connection)
    .await?;
    signals::forget(connection, &all).await
}

/// Followers of the log read the person, find nobody, and drop them.
async fn append_to_inbox(connection: &mut PgConnection, doomed: &Doomed) -> Result<(), StoreError> {
    sqlx::query(
        "insert into change_inbox (entity_kind, entity_id, version)
         select $1, id, version + 1 from unnest($2::uuid[], $3::bigint[]) as gone (id, version)",
    )
    .bind(EntityKind::Person.number())
    .bind(&doomed.rows)
    .bind(&doomed.versions)
    .execute(connection)
    .await?;
    Ok(())
}

/// The rows to tell the caller: what was asked for first, then what came of it.
async fn told(
    connection: &mut PgConnection,
    wish: &SuppressWish,
    also: &HashSet<Digest>,
) -> Result<Vec<Suppression>, StoreError> {
    let asked = wish.entries.iter().map(|entry| &entry.digest);
    let mut seen = HashSet::new();
    let digests: Vec<&Digest> =
        asked.chain(also).filter(|digest| seen.insert(**digest)).take(SUPPRESSIONS_TOLD_MAX).collect();
    let rows = sqlx::query(
        "select id, suppression.digest, kind, reason, created_at, list_hash
         from unnest($1::bytea[]) with ordinality as told (digest, place) join suppression using (digest)
         order by place",
    )
    .bind(digests.iter().map(|digest| digest.as_bytes().as_slice()).collect::<Vec<_>>())
    .fetch_all(connection)
    .await?;
    rows.iter().map(read_suppression).collect()
}
