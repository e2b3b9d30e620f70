//! What is done with records after they came in: explained, taken apart again, purged with their source, let go when
//! their time is over.

use super::employers::{Employers, JobKey};
use super::firm::{Firm, Said as CompanySaid};
use super::fuse::expires_on;
use super::somebody::{Link, Said, Somebody};
use super::{RecordKind, Source};
use crate::{Engine, EngineError, identities};
use assay_domain::{AccountId, CompanyId, Confidence, IdentityKey, PersonId};
use assay_store::graph::{HeldRecord, ImportTurn, ImportWrite, RecordKey, Rights};
use chrono::{DateTime, NaiveDate, Utc};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// Records taken out in one transaction.
const STEP: i64 = 1_000;

/// A record of a person, and why it is theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedRecord {
    pub source: String,
    pub reference: String,
    pub first_seen: NaiveDate,
    pub last_seen: NaiveDate,
    /// What was seen when it was linked; empty for the record somebody was new with.
    pub reasons: Vec<String>,
    pub confidence: Option<Confidence>,
}

impl Engine {
    /// Removes up to one batch of what was learnt only from this source, and makes everybody it told of anew of what
    /// others say. Gives how many records went; none when all are gone.
    pub async fn purge_source_step(&self, source: &Source, at: DateTime<Utc>) -> Result<u64, EngineError> {
        let sources = self.known_sources().await?;
        let mut turn = self.graph.import_turn().await?;
        let doomed = turn.some_records(source.id, STEP).await?;
        let gone: HashSet<RecordKey> = doomed.iter().map(|held| held.key.clone()).collect();
        let entities: Vec<Uuid> = doomed.iter().map(|held| held.entity).collect();
        let is_over = |held: &HeldRecord| gone.contains(&held.key);
        let write = renewed(&mut turn, &self.identity, &sources, &entities, at, is_over).await?;
        turn.commit(write).await?;
        Ok(u64::try_from(gone.len()).unwrap_or(u64::MAX))
    }

    /// Lets go of records that may no longer be kept. Gives how many people and companies were made anew.
    pub async fn expire_records_step(&self, at: DateTime<Utc>) -> Result<u64, EngineError> {
        let sources = self.known_sources().await?;
        let mut turn = self.graph.import_turn().await?;
        let mut entities = turn.expired(RecordKind::Person, STEP).await?;
        entities.extend(turn.expired(RecordKind::Company, STEP).await?);
        if entities.is_empty() {
            return Ok(0);
        }
        let today = at.date_naive();
        let is_over = |held: &HeldRecord| last_day(held, &sources).is_some_and(|last| last < today);
        let write = renewed(&mut turn, &self.identity, &sources, &entities, at, is_over).await?;
        turn.commit(write).await?;
        Ok(u64::try_from(entities.len()).unwrap_or(u64::MAX))
    }

    /// The source itself, when none of its records is left.
    pub async fn forget_source(&self, source: &Source) -> Result<(), EngineError> {
        Ok(self.graph.forget_source(source).await?)
    }

    /// The records behind a person, and why each was taken for them.
    pub async fn explain_person(&self, id: PersonId) -> Result<Vec<ExplainedRecord>, EngineError> {
        let sources = self.known_sources().await?;
        let mut turn = self.graph.import_turn().await?;
        let now = turn.people(&[id.uuid()]).await?.remove(&id.uuid()).map_or(id, |person| person.id);
        let records = turn.records_of(&[now.uuid()]).await?;
        let mut explained: Vec<ExplainedRecord> = records
            .iter()
            .filter_map(|held| Said::of_held(held, &sources))
            .map(|said| ExplainedRecord {
                source: said.testimony.source,
                reference: said.key.reference,
                first_seen: said.testimony.first_seen,
                last_seen: said.testimony.last_seen,
                reasons: said.link.reasons,
                confidence: said.link.confidence_percent.map(Confidence::percent),
            })
            .collect();
        explained.sort_by(|one, other| {
            (one.first_seen, &one.source, &one.reference).cmp(&(
                other.first_seen,
                &other.source,
                &other.reference,
            ))
        });
        Ok(explained)
    }

    /// Takes a record out of the person it was linked to, for good: it is somebody of its own, or whoever it was before two
    /// people were taken for one. None when there is no such record, or it stands alone.
    pub async fn part_record(
        &self,
        source: &Source,
        reference: &str,
        at: DateTime<Utc>,
    ) -> Result<Option<PersonId>, EngineError> {
        let sources = self.known_sources().await?;
        let mut turn = self.graph.import_turn().await?;
        let Some(held) = turn.records(source.id, RecordKind::Person, &[reference]).await?.pop() else {
            return Ok(None);
        };
        let records = turn.records_of(&[held.entity]).await?;
        let link: Link =
            held.link.as_deref().and_then(|link| serde_json::from_str(link).ok()).unwrap_or_default();
        // Whatever came with it from the person it was merged with goes back with it.
        let goes = |said: &Said| said.key == held.key || (link.from.is_some() && said.link.from == link.from);
        let all: Vec<Said> = records.iter().filter_map(|held| Said::of_held(held, &sources)).collect();
        let (parted, stays): (Vec<Said>, Vec<Said>) = all.into_iter().partition(goes);
        if stays.is_empty() {
            return Ok(None);
        }
        let id = link.from.unwrap_or_else(|| PersonId::mint(at).uuid());
        let parted = parted.into_iter().map(|mut said| {
            said.link.apart.push(held.entity);
            said.link.from = None;
            said.is_changed = true;
            said
        });
        let mut people = vec![(held.entity, stays), (id, parted.collect())];
        let mut write = ImportWrite::default();
        let owner = source.rights.owner;
        let before = keys_before(&mut turn, &self.identity, &records, &sources, owner).await?;
        for (entity, said) in &mut people {
            let keys = if *entity == held.entity { before.clone() } else { Vec::new() };
            write_person(
                &mut turn,
                &self.identity,
                (*entity, owner, keys),
                std::mem::take(said),
                at,
                &mut write,
            )
            .await?;
        }
        turn.unmerge(id).await?;
        turn.commit(write).await?;
        Ok(Some(PersonId::from_uuid(id)))
    }
}

fn last_day(held: &HeldRecord, sources: &HashMap<i16, Source>) -> Option<NaiveDate> {
    match held.key.kind {
        RecordKind::Person => expires_on(&Said::of_held(held, sources)?.testimony),
        RecordKind::Company => CompanySaid::of_held(held, sources)?.expires_on(),
    }
}

/// Everybody and everything of these, made anew without the records that are over.
async fn renewed(
    turn: &mut ImportTurn,
    identity: &IdentityKey,
    sources: &HashMap<i16, Source>,
    entities: &[Uuid],
    at: DateTime<Utc>,
    is_over: impl Fn(&HeldRecord) -> bool,
) -> Result<ImportWrite, EngineError> {
    let mut write = ImportWrite::default();
    let mut by_entity: HashMap<Uuid, Vec<HeldRecord>> = HashMap::new();
    for held in turn.records_of(entities).await? {
        by_entity.entry(held.entity).or_default().push(held);
    }
    let mut ordered: Vec<(Uuid, Vec<HeldRecord>)> = by_entity.into_iter().collect();
    ordered.sort_by_key(|(id, _)| *id);
    for (entity, records) in ordered {
        let owner = records.first().and_then(|held| sources.get(&held.key.source)?.rights.owner);
        let kind = records.first().map_or(RecordKind::Person, |held| held.key.kind);
        write.removed.extend(records.iter().filter(|held| is_over(held)).map(|held| held.key.clone()));
        match kind {
            RecordKind::Person => {
                let keys = keys_before(turn, identity, &records, sources, owner).await?;
                let stays = records
                    .iter()
                    .filter(|held| !is_over(held))
                    .filter_map(|held| Said::of_held(held, sources));
                write_person(turn, identity, (entity, owner, keys), stays.collect(), at, &mut write).await?;
            }
            RecordKind::Company => {
                let all: Vec<CompanySaid> =
                    records.iter().filter_map(|held| CompanySaid::of_held(held, sources)).collect();
                let mut firm = Firm::new(CompanyId::from_uuid(entity), all, identity);
                let over: HashSet<RecordKey> =
                    records.iter().filter(|held| is_over(held)).map(|held| held.key.clone()).collect();
                firm.said.retain(|said| !over.contains(&said.key));
                match firm.write(identity, at, Rights { owner, expires_on: None }) {
                    Some(company) => write.batch.companies.push(company),
                    None => write.gone.push((kind, entity, firm.keys_before)),
                }
            }
        }
    }
    Ok(write)
}

/// Under what somebody with these records is met.
async fn keys_before(
    turn: &mut ImportTurn,
    identity: &IdentityKey,
    records: &[HeldRecord],
    sources: &HashMap<i16, Source>,
    owner: Option<AccountId>,
) -> Result<Vec<i64>, EngineError> {
    let said: Vec<Said> = records.iter().filter_map(|held| Said::of_held(held, sources)).collect();
    let said = with_companies(turn, identity, said).await?;
    let fused = Somebody::new(PersonId::from_uuid(Uuid::nil()), owner, said).fuse();
    Ok(fused
        .map(|fused| identities::keys_of_person(identity, &fused.facts, &fused.experience))
        .unwrap_or_default())
}

async fn with_companies(
    turn: &mut ImportTurn,
    identity: &IdentityKey,
    mut said: Vec<Said>,
) -> Result<Vec<Said>, EngineError> {
    let mut employers = Employers::default();
    let jobs = said.iter().flat_map(|said| &said.testimony.record.jobs);
    employers.find(turn, identity, jobs.map(|job| (JobKey::of(job), job))).await?;
    for one in &mut said {
        one.testimony.companies = one.testimony.record.jobs.iter().map(|job| employers.of(job)).collect();
    }
    Ok(said)
}

async fn write_person(
    turn: &mut ImportTurn,
    identity: &IdentityKey,
    (entity, owner, keys_before): (Uuid, Option<AccountId>, Vec<i64>),
    said: Vec<Said>,
    at: DateTime<Utc>,
    write: &mut ImportWrite,
) -> Result<(), EngineError> {
    let said = with_companies(turn, identity, said).await?;
    let mut person = Somebody::new(PersonId::from_uuid(entity), owner, said);
    person.keys_before = Some(keys_before);
    match person.fuse() {
        Some(fused) => {
            write.batch.people.push(person.write(identity, fused, at));
            write.records.extend(person.record_writes());
        }
        None => {
            let keys = person.keys_before.unwrap_or_default();
            write.gone.push((RecordKind::Person, entity, keys));
        }
    }
    Ok(())
}
