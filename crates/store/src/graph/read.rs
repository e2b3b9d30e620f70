//! Point reads: who is behind a digest, and entities by id.
//!
//! Concurrent callers share batches (see [`crate::lane`]), and a batch is a handful of `any($1)` reads one after the
//! other: identities, entities, employers. They are not joined, because each is found by its own key and
//! may live on another server one day. There is deliberately no cache: a person who is erased, or a fact that is
//! corrected, must be gone from the very next answer on every node, and no invalidation is as sure as not keeping it.

use super::Graph;
use super::entity_rows::{COMPANY, EMPLOYER, PEOPLE_AFTER, PERSON, SIGHTING, Sighting, unsourced_person};
use super::match_keys;
use super::merges::Entities;
use crate::StoreError;
use crate::lane::{Turn, Worker};
use crate::line::Line;
use assay_domain::limits::{CANDIDATES_MAX, LINE_ANSWER_MAX, MATCHES_MAX, MATCHES_READ_MAX};
use assay_domain::{Company, CompanyId, Digest, Person, PersonId};
use sqlx::Row;
use sqlx::postgres::PgConnection;
use std::collections::HashMap;
use uuid::Uuid;

/// One more than a caller may use, so that it can tell "all" from "too many".
const OWNERS_MAX: i64 = CANDIDATES_MAX + 1;

impl Graph {
    /// The people a digest points at, by id, merges followed; one more than `CANDIDATES_MAX` at most.
    pub async fn people_by_digest(&self, digest: Digest) -> Result<Vec<Person>, StoreError> {
        self.people.ask(digest).await
    }

    /// The companies a digest points at, by id, merges followed; one more than `CANDIDATES_MAX` at most.
    pub async fn companies_by_digest(&self, digest: Digest) -> Result<Vec<Company>, StoreError> {
        self.companies.ask(digest).await
    }

    /// One batch of the lane behind [`Self::people_by_digest`], for those who have many digests in hand.
    pub async fn read_people_by_digests(&self, digests: Vec<Digest>) -> Vec<Result<Vec<Person>, StoreError>> {
        answer(&mut Line::of(&self.pool), digests).await
    }

    /// Who is behind each digest, in the order of the digests, without what is known of them.
    pub async fn sightings_by_digests(&self, digests: &[Digest]) -> Result<Vec<Vec<Sighting>>, StoreError> {
        let mut connection = self.pool.lend().await?;
        let owners = read_owners(&mut connection, digests).await?;
        let people = Entities::read(&mut connection, &SIGHTING, distinct(&owners)).await?;
        connection.give_back();
        people.hand_out(owners).into_iter().collect()
    }

    /// One batch of the lane behind [`Self::companies_by_digest`].
    pub async fn read_companies_by_digests(
        &self,
        digests: Vec<Digest>,
    ) -> Vec<Result<Vec<Company>, StoreError>> {
        answer(&mut Line::of(&self.pool), digests).await
    }

    /// The people met under any of these keys, by id; at most `MATCHES_MAX` of a key.
    pub async fn people_by_match_keys(&self, keys: &[i64]) -> Result<Vec<Person>, StoreError> {
        let mut connection = self.pool.lend().await?;
        let ids = met_under(&mut connection, keys).await?;
        let people = read_people(&mut connection, ids.clone()).await?;
        connection.give_back();
        in_order(people, ids)
    }

    /// The companies met under any of these keys, by id; at most `MATCHES_MAX` of a key.
    pub async fn companies_by_match_keys(&self, keys: &[i64]) -> Result<Vec<Company>, StoreError> {
        let mut connection = self.pool.lend().await?;
        let ids = met_under(&mut connection, keys).await?;
        let companies = Entities::read(&mut connection, &COMPANY, ids.clone()).await?;
        connection.give_back();
        in_order(companies, ids)
    }

    /// People in the order asked, each once, merges followed; those that do not exist or do not read back are left out.
    pub async fn people_by_ids(&self, ids: &[PersonId]) -> Result<Vec<Person>, StoreError> {
        let ids: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
        let mut connection = self.pool.lend().await?;
        let people = read_people(&mut connection, ids.clone()).await?;
        connection.give_back();
        Ok(readable(people, ids))
    }

    /// Companies in the same way.
    pub async fn companies_by_ids(&self, ids: &[CompanyId]) -> Result<Vec<Company>, StoreError> {
        let ids: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
        let mut connection = self.pool.lend().await?;
        let companies = Entities::read(&mut connection, &COMPANY, ids.clone()).await?;
        connection.give_back();
        Ok(readable(companies, ids))
    }

    /// The next people by id, all there are in the end, without where their values come from; whoever was merged into another
    /// is left out. None are the end.
    pub async fn people_after(&self, mut after: Uuid, limit: i64) -> Result<Vec<Person>, StoreError> {
        let mut connection = self.pool.lend().await?;
        loop {
            let rows = sqlx::query(PEOPLE_AFTER).bind(after).bind(limit).fetch_all(&mut *connection).await?;
            let Some(last) = rows.last() else { return Ok(Vec::new()) };
            after = last.try_get(0)?;
            let mut people: Vec<Person> = rows.iter().map(unsourced_person).filter_map(told).collect();
            if !people.is_empty() {
                add_employers(&mut connection, people.iter_mut()).await?;
                connection.give_back();
                return Ok(people);
            }
        }
    }

    /// The next companies by id, in the same way.
    pub async fn companies_after(&self, mut after: Uuid, limit: i64) -> Result<Vec<Company>, StoreError> {
        let mut connection = self.pool.lend().await?;
        loop {
            // As reading does: were all of a page past their day, it would look like the end.
            let ids: Vec<Uuid> = sqlx::query_scalar(
                "select id from company where id > $1 and merged_into is null
                 and (expires_on is null or expires_on >= current_date) order by id limit $2",
            )
            .bind(after)
            .bind(limit)
            .fetch_all(&mut *connection)
            .await?;
            let Some(last) = ids.last().copied() else { return Ok(Vec::new()) };
            let companies = readable(Entities::read(&mut connection, &COMPANY, ids.clone()).await?, ids);
            if !companies.is_empty() {
                connection.give_back();
                return Ok(companies);
            }
            after = last;
        }
    }
}

type Answers<T> = Vec<Result<Vec<T>, StoreError>>;

/// One batch for one kind of entity.
pub(super) trait ByDigest: Sized + Send + 'static {
    fn gather(
        connection: &mut PgConnection,
        digests: &[Digest],
    ) -> impl Future<Output = Result<Answers<Self>, StoreError>> + Send;
}

impl ByDigest for Person {
    async fn gather(connection: &mut PgConnection, digests: &[Digest]) -> Result<Answers<Self>, StoreError> {
        let owners = read_owners(connection, digests).await?;
        let people = read_people(connection, distinct(&owners)).await?;
        Ok(people.hand_out(owners))
    }
}

impl ByDigest for Company {
    async fn gather(connection: &mut PgConnection, digests: &[Digest]) -> Result<Answers<Self>, StoreError> {
        let owners = read_owners(connection, digests).await?;
        let companies = Entities::read(connection, &COMPANY, distinct(&owners)).await?;
        Ok(companies.hand_out(owners))
    }
}

/// Answers a batch over `line`. Reading twice does no harm, so a connection that turns out to be dead, after the database
/// was started again for example, is replaced once.
async fn answer<T: ByDigest>(line: &mut Line, digests: Vec<Digest>) -> Answers<T> {
    let kept = line.is_open();
    let mut answers = attempt(line, &digests).await;
    if kept && matches!(answers, Err(StoreError::Unavailable(_))) {
        answers = attempt(line, &digests).await;
    }
    answers.unwrap_or_else(|error| digests.iter().map(|_| Err(error.clone())).collect())
}

async fn attempt<T: ByDigest>(line: &mut Line, digests: &[Digest]) -> Result<Answers<T>, StoreError> {
    let answers = tokio::time::timeout(LINE_ANSWER_MAX, T::gather(line.connection().await?, digests)).await;
    let answers = answers.unwrap_or_else(|_| Err(sqlx::Error::PoolTimedOut.into()));
    if answers.is_err() {
        line.hang_up();
    }
    answers
}

/// A reading lane's worker: its line to the database stays open from batch to batch.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) line: Line,
}

impl<T: ByDigest> Worker<Digest, Vec<T>> for Reader {
    async fn answer(&mut self, digests: Vec<Digest>, mut turn: Turn) -> Answers<T> {
        turn.pass();
        answer(&mut self.line, digests).await
    }

    fn recover(&mut self) {
        self.line.hang_up();
    }
}

/// Whom each digest points at, in the order of the digests.
async fn read_owners(
    connection: &mut PgConnection,
    digests: &[Digest],
) -> Result<Vec<Vec<Uuid>>, StoreError> {
    let mut keys: Vec<&[u8]> = digests.iter().map(|digest| digest.as_bytes().as_slice()).collect();
    keys.sort_unstable();
    keys.dedup();
    let rows = sqlx::query(
        "select asked.digest, owner.entity_id
         from unnest($1::bytea[]) as asked (digest)
         cross join lateral (select entity_id from identity where identity.digest = asked.digest
                             order by entity_id limit $2) as owner",
    )
    .bind(&keys)
    .bind(OWNERS_MAX)
    .fetch_all(connection)
    .await?;
    let mut owners: HashMap<Digest, Vec<Uuid>> = HashMap::with_capacity(keys.len());
    for row in &rows {
        owners.entry(Digest::from_bytes(row.try_get(0)?)).or_default().push(row.try_get(1)?);
    }
    Ok(digests.iter().map(|digest| owners.get(digest).cloned().unwrap_or_default()).collect())
}

async fn met_under(connection: &mut PgConnection, keys: &[i64]) -> Result<Vec<Uuid>, StoreError> {
    let met = match_keys::read(connection, keys, MATCHES_MAX).await?;
    let mut ids: Vec<Uuid> = met.into_iter().map(|(_, id)| id).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.truncate(MATCHES_READ_MAX);
    Ok(ids)
}

fn distinct(owners: &[Vec<Uuid>]) -> Vec<Uuid> {
    let mut ids: Vec<Uuid> = owners.iter().flatten().copied().collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// People with their experience and the company they work for now.
async fn read_people(connection: &mut PgConnection, ids: Vec<Uuid>) -> Result<Entities<Person>, StoreError> {
    let mut people = Entities::read(connection, &PERSON, ids).await?;
    add_employers(connection, people.live_mut()).await?;
    Ok(people)
}

async fn add_employers<'a>(
    connection: &mut PgConnection,
    people: impl Iterator<Item = &'a mut Person>,
) -> Result<(), StoreError> {
    let people: Vec<&mut Person> = people.collect();
    let mut companies: Vec<Uuid> = people.iter().filter_map(|person| works_at(person)).collect();
    companies.sort_unstable();
    companies.dedup();
    let employers = Entities::read(connection, &EMPLOYER, companies).await?;
    for person in people {
        // An employer that does not read back must not take the person's record with it.
        let employer = works_at(person).and_then(|company| employers.get(company)?.as_ref().ok());
        person.company = employer.cloned();
    }
    Ok(())
}

fn works_at(person: &Person) -> Option<Uuid> {
    person.current()?.company_id.map(CompanyId::uuid)
}

fn in_order<T: Clone>(entities: Entities<T>, ids: Vec<Uuid>) -> Result<Vec<T>, StoreError> {
    each_once(entities, ids).collect()
}

/// Those that read back. One that does not must not take a page, or the index of everybody, with it: operators are told.
pub(super) fn readable<T: Clone>(entities: Entities<T>, ids: Vec<Uuid>) -> Vec<T> {
    each_once(entities, ids).filter_map(told).collect()
}

fn told<T>(found: Result<T, StoreError>) -> Option<T> {
    found.inspect_err(|error| tracing::error!(%error, "a record does not read back and is left out")).ok()
}

fn each_once<T: Clone>(entities: Entities<T>, ids: Vec<Uuid>) -> impl Iterator<Item = Result<T, StoreError>> {
    let mut seen = std::collections::HashSet::with_capacity(ids.len());
    let once: Vec<Vec<Uuid>> = ids
        .into_iter()
        .filter_map(|id| entities.now(id))
        .filter(|id| seen.insert(*id))
        .map(|id| vec![id])
        .collect();
    entities.hand_out(once).into_iter().flat_map(|found| match found {
        Ok(found) => found.into_iter().map(Ok).collect::<Vec<_>>(),
        Err(error) => vec![Err(error)],
    })
}
