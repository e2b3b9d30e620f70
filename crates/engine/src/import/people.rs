//! Records of people: whom each is about, and what becomes of them.

use super::changes::employment_changes;
use super::employers::{Employers, JobKey};
use super::incoming::Incoming;
use super::namesakes::met_by_name;
use super::reading::PersonReading;
use super::record::{Imported, PersonRecord, RecordJob};
use super::somebody::{Link, Said, Somebody, base_record};
use crate::EngineError;
use crate::matching::{Decision, Profile, Settled, settle};
use assay_domain::{Digest, IdentityKey, Person, PersonId};
use assay_store::graph::{HeldRecord, ImportTurn, ImportWrite, Merge, RecordKey, RecordKind, Source};
use assay_store::parallel;
use chrono::{DateTime, NaiveDate, Utc};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// An identifier or a key that more people share than this tells nobody from the others.
const EACH_MAX: i64 = 48;

const UNKNOWN_SOURCE: &str = "unknown";
const UNKNOWN_LICENCE: &str = "as it was loaded";

/// One turn: the records of a batch and everybody they may be about.
pub(super) struct Turn<'a> {
    pub(super) graph: ImportTurn,
    pub(super) identity: &'a IdentityKey,
    pub(super) source: &'a Source,
    pub(super) sources: HashMap<i16, Source>,
    pub(super) at: DateTime<Utc>,
    employers: Employers,
    people: Vec<Somebody>,
    by_id: HashMap<Uuid, usize>,
    by_digest: HashMap<Digest, Vec<usize>>,
    by_key: HashMap<i64, Vec<usize>>,
    imported: Imported,
    write: ImportWrite,
}

impl<'a> Turn<'a> {
    pub(super) fn new(
        graph: ImportTurn,
        identity: &'a IdentityKey,
        (source, sources): (&'a Source, HashMap<i16, Source>),
        at: DateTime<Utc>,
    ) -> Self {
        Self {
            graph,
            identity,
            source,
            sources,
            at,
            employers: Employers::default(),
            people: Vec::new(),
            by_id: HashMap::new(),
            by_digest: HashMap::new(),
            by_key: HashMap::new(),
            imported: Imported::default(),
            write: ImportWrite::default(),
        }
    }

    /// Decides on all records of a batch. Nothing is written before [`Self::finish`].
    pub(super) async fn decide(&mut self, records: Vec<PersonReading>) -> Result<(), EngineError> {
        let incoming = self.prepare(records).await?;
        self.gather(&incoming).await?;
        for record in incoming {
            self.settle(record);
        }
        Ok(())
    }

    /// What is to be written, and what came of the records.
    pub(super) fn finish(mut self) -> (ImportTurn, ImportWrite, Imported) {
        let mut people = std::mem::take(&mut self.people);
        people.retain(|person| person.merged_into.is_none() && person.is_touched);
        let (identity, at) = (self.identity, self.at);
        let made = parallel::map(people, |person| {
            let fused = person.fuse()?;
            Some((person.write(identity, fused, at), person.record_writes().collect::<Vec<_>>()))
        });
        for made in made {
            match made {
                Some((person, records)) => {
                    self.write.batch.people.push(person);
                    self.write.records.extend(records);
                }
                // Without a name there is nobody.
                None => self.imported.rejected += 1,
            }
        }
        (self.graph, self.write, self.imported)
    }

    /// Each reference once, the last word counts; records that say nothing new end here.
    async fn prepare(&mut self, records: Vec<PersonReading>) -> Result<Vec<Incoming>, EngineError> {
        let mut last: HashMap<String, usize> = HashMap::new();
        for (place, reading) in records.iter().enumerate() {
            last.insert(reading.record.reference.clone(), place);
        }
        let references: Vec<&str> = last.keys().map(String::as_str).collect();
        let held = self.graph.records(self.source.id, RecordKind::Person, &references).await?;
        let mut held: HashMap<String, HeldRecord> =
            held.into_iter().map(|held| (held.key.reference.clone(), held)).collect();
        let mut incoming = Vec::new();
        for (place, reading) in records.into_iter().enumerate() {
            let record = &reading.record;
            if last.get(&record.reference) != Some(&place) {
                self.imported.unchanged += 1;
                continue;
            }
            let held = held.remove(&record.reference);
            if held.as_ref().is_some_and(|held| held.hash == reading.content.hash) {
                self.imported.unchanged += 1;
                self.see_again(record);
                continue;
            }
            // What the source said later stands: an older file that is imported again does not take it back.
            if held.as_ref().is_some_and(|held| held.last_seen > record.observed_on) {
                self.imported.unchanged += 1;
                continue;
            }
            incoming.push((reading, held));
        }
        let jobs =
            incoming.iter().flat_map(|(reading, _)| reading.employers.iter().cloned().zip(reading.jobs()));
        self.employers.find(&mut self.graph, self.identity, jobs).await?;
        let (keys, employers) = ((self.identity, self.source), &self.employers);
        Ok(parallel::map(incoming, |(reading, held)| Incoming::new(keys, employers, reading, held)))
    }

    fn see_again(&mut self, record: &PersonRecord) {
        let key = RecordKey {
            source: self.source.id,
            kind: RecordKind::Person,
            reference: record.reference.clone(),
        };
        self.write.seen_again.push((key, record.observed_on));
    }

    /// Everybody the records may be about, with all their records.
    async fn gather(&mut self, incoming: &[Incoming]) -> Result<(), EngineError> {
        let digests = distinct(incoming.iter().flat_map(|one| one.digests.iter().copied()));
        let keys = distinct(incoming.iter().flat_map(|one| one.asked.iter().copied()));
        let owners = self.graph.owners(&digests, EACH_MAX).await?;
        let mut met = self.graph.met(&keys, EACH_MAX).await?;
        let names = distinct(incoming.iter().flat_map(|one| one.asked_names.iter().copied()));
        met.extend(met_by_name(&mut self.graph, self.source, &names).await?);
        let held = incoming.iter().filter_map(|one| one.held.as_ref()).map(|held| held.entity);
        let ids = distinct(owners.iter().map(|(_, id)| *id).chain(met.iter().map(|(_, id)| *id)).chain(held));
        self.load(&ids).await?;
        for (digest, id) in owners {
            if let Some(place) = self.by_id.get(&id) {
                self.by_digest.entry(digest).or_default().push(*place);
            }
        }
        for (key, id) in met {
            if let Some(place) = self.by_id.get(&id) {
                self.by_key.entry(key).or_default().push(*place);
            }
        }
        Ok(())
    }

    async fn load(&mut self, ids: &[Uuid]) -> Result<(), EngineError> {
        let records = self.graph.records_of(ids).await?;
        let mut by_entity: HashMap<Uuid, Vec<Said>> = HashMap::new();
        let sources = &self.sources;
        for said in parallel::map(records, |held| Some((held.entity, Said::of_held(&held, sources)?))) {
            let Some((entity, said)) = said else { continue };
            by_entity.entry(entity).or_default().push(said);
        }
        let unrecorded: Vec<Uuid> = ids.iter().filter(|id| !by_entity.contains_key(id)).copied().collect();
        // Whoever was here before any source: what is known of them is their first record.
        for (id, person) in self.graph.people(&unrecorded).await? {
            let source = self.source_of(&person).await?;
            let seen = person.refreshed_at.date_naive();
            let base = Said::new(&source, base_record(&person), seen, Link::default());
            by_entity.entry(id).or_default().push(Said { is_changed: false, ..base });
        }
        let records = || by_entity.values().flatten().map(|said| &said.testimony.record);
        let by_address: Vec<RecordJob> = records().filter_map(PersonRecord::job_by_address).collect();
        let jobs = records().flat_map(|record| &record.jobs).chain(&by_address);
        let jobs = jobs.map(|job| (JobKey::of(job), job));
        self.employers.find(&mut self.graph, self.identity, jobs).await?;
        let mut known: Vec<(Uuid, Vec<Said>)> = by_entity.into_iter().collect();
        known.sort_by_key(|(id, _)| *id);
        let (sources, employers) = (&self.sources, &self.employers);
        let people = parallel::map(known, |(id, mut said)| {
            said.sort_by(|one, other| {
                (one.key.source, &one.key.reference).cmp(&(other.key.source, &other.key.reference))
            });
            for one in &mut said {
                let record = &one.testimony.record;
                let by_address = record.job_by_address();
                let jobs = record.jobs.iter().chain(&by_address);
                one.testimony.companies = jobs.map(|job| employers.of(job)).collect();
            }
            let owner = said.first().and_then(|said| sources.get(&said.key.source)?.rights.owner);
            Somebody::known(PersonId::from_uuid(id), owner, said)
        });
        for person in people {
            self.by_id.insert(person.id.uuid(), self.people.len());
            self.people.push(person);
        }
        Ok(())
    }

    /// The source of what was here before: whoever the record itself names.
    async fn source_of(&mut self, person: &Person) -> Result<Source, EngineError> {
        let name = person.provenance.0.first().map_or(UNKNOWN_SOURCE, |said| said.provider.as_str());
        if let Some(known) = self.sources.values().find(|source| source.name == name) {
            return Ok(known.clone());
        }
        let made = self.graph.ensure_source(name, UNKNOWN_LICENCE, person.owner).await?;
        self.sources.insert(made.id, made.clone());
        Ok(made)
    }

    fn settle(&mut self, mut incoming: Incoming) {
        let known =
            incoming.held.as_ref().and_then(|held| Some((*self.by_id.get(&held.entity)?, held.clone())));
        if let Some((place, held)) = known {
            self.imported.changed += 1;
            self.renew(self.now(place), incoming, &held);
            return;
        }
        let candidates = self.candidates(&incoming);
        let profiles: Vec<&Profile> = candidates
            .iter()
            .filter_map(|place| self.people.get(*place))
            .map(|person| &person.profile)
            .collect();
        let settled = settle(&incoming.profile, &profiles);
        let at = |place: &usize| candidates.get(*place).copied();
        let place = match &settled.decision {
            Decision::New => None,
            Decision::Link(place) => at(place),
            Decision::Merge(places) => {
                let ones: Vec<usize> = places.iter().filter_map(at).collect();
                self.merge(&ones);
                ones.first().copied()
            }
        };
        match place {
            Some(place) => {
                incoming.said.link = link_of(&settled);
                incoming.said.testimony.confidence_percent = settled.confidence.as_percent();
                self.imported.linked += 1;
                self.add(place, incoming);
            }
            None => {
                self.imported.new += 1;
                let id = incoming.own_id;
                let place = self.people.len();
                self.by_id.insert(id.uuid(), place);
                self.people.push(Somebody::new(id, self.source.rights.owner, Vec::new()));
                self.add(place, incoming);
            }
        }
    }

    /// A record of this source that says something else than the last time.
    fn renew(&mut self, place: usize, mut incoming: Incoming, held: &HeldRecord) {
        if let Some(before) = Said::of_held(held, &self.sources) {
            incoming.said.link = before.link;
            incoming.said.testimony.confidence_percent = before.testimony.confidence_percent;
            let id = self.people.get(place).map(|person| person.id);
            let changes =
                employment_changes(&before.testimony.record, &incoming.said.testimony, &self.employers);
            for change in changes {
                self.imported.count(change.kind);
                self.write.changes.extend(id.map(|id| change.of(id, self.source.id)));
            }
        }
        self.add(place, incoming);
    }

    fn add(&mut self, place: usize, incoming: Incoming) {
        for digest in incoming.digests {
            self.by_digest.entry(digest).or_default().push(place);
        }
        for key in incoming.stored {
            self.by_key.entry(key).or_default().push(place);
        }
        if let Some(person) = self.people.get_mut(place) {
            // Whoever had no records until now keeps what was known of them as one.
            person.remember_keys(self.identity);
            person.take(incoming.said, &incoming.profile);
        }
    }

    /// In the order of their ids, so that nothing depends on how they were found.
    fn candidates(&self, incoming: &Incoming) -> Vec<usize> {
        let by_digest = incoming.digests.iter().filter_map(|digest| self.by_digest.get(digest));
        let met = |key| self.by_key.get(key);
        let by_company = incoming.asked.iter().filter_map(met);
        let by_name = incoming.asked_names.iter().filter_map(met).flatten().map(|place| self.now(*place));
        let places: HashSet<usize> = by_digest
            .chain(by_company)
            .flatten()
            .map(|place| self.now(*place))
            .chain(by_name.filter(|place| !self.is_told_of(*place)))
            .collect();
        let apart = incoming.held.as_ref().and_then(|held| Said::of_held(held, &self.sources));
        let apart: Vec<Uuid> = apart.map(|said| said.link.apart).unwrap_or_default();
        let mut places: Vec<(Uuid, usize)> = places
            .into_iter()
            .filter_map(|place| Some((self.people.get(place)?, place)))
            .filter(|(person, _)| {
                person.owner == self.source.rights.owner && !apart.contains(&person.id.uuid())
            })
            .map(|(person, place)| (person.id.uuid(), place))
            .collect();
        places.sort_unstable();
        places.into_iter().map(|(_, place)| place).collect()
    }

    /// Whether this source has a record of them. By the name alone it does not mean them again ([`met_by_name`]).
    fn is_told_of(&self, place: usize) -> bool {
        let said = self.people.get(place).map_or(&[][..], |person| &person.said);
        said.iter().any(|said| said.key.source == self.source.id)
    }

    /// Who somebody of this turn is by now.
    fn now(&self, mut place: usize) -> usize {
        while let Some(into) = self.people.get(place).and_then(|person| person.merged_into) {
            place = into;
        }
        place
    }

    /// All of them are the first.
    fn merge(&mut self, places: &[usize]) {
        let Some((into, others)) = places.split_first() else { return };
        let Some(into_id) = self.people.get(*into).map(|person| person.id) else { return };
        for other in others {
            let Some(person) = self.people.get_mut(*other) else { continue };
            person.merged_into = Some(*into);
            person.remember_keys(self.identity);
            let (from, keys) = (person.id, person.keys_before.take().unwrap_or_default());
            let said = std::mem::take(&mut person.said);
            let is_stored = said.iter().any(|said| said.is_held) || !keys.is_empty();
            if is_stored {
                self.write.merges.push(Merge { from, into: into_id, match_keys: keys });
            }
            self.imported.merged += 1;
            let Some(whole) = self.people.get_mut(*into) else { return };
            whole.remember_keys(self.identity);
            for mut one in said {
                one.link.from = Some(from.uuid());
                one.is_changed = true;
                let profile = one.profile();
                whole.take(one, &profile);
            }
        }
    }
}

fn link_of(settled: &Settled) -> Link {
    Link {
        reasons: settled.evidence.reasons.names().into_iter().map(str::to_owned).collect(),
        confidence_percent: Some(settled.confidence.as_percent()),
        from: None,
        apart: Vec::new(),
    }
}

/// A sortable id of a day.
pub(super) fn id_on(day: NaiveDate, one: [u8; 8], other: [u8; 8]) -> Uuid {
    let midnight = day.and_time(chrono::NaiveTime::MIN).and_utc().timestamp_millis();
    let mut random = [0; 10];
    for (slot, byte) in random.iter_mut().zip(one.into_iter().chain(other)) {
        *slot = byte;
    }
    uuid::Builder::from_unix_timestamp_millis(u64::try_from(midnight).unwrap_or(0), &random).into_uuid()
}

pub(super) fn distinct<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}
