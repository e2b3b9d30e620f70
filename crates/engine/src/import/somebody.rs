//! The people a turn of an import is about: those who are here, with their records, and those who are new.

use super::employers::Meant;
use super::fuse::{Fused, Testimony, fuse};
use super::reading::RecordContent;
use super::record::{PersonRecord, RecordJob};
use crate::identities;
use crate::matching::{Profile, Title, Workplace};
use assay_domain::content_hash::content_hash;
use assay_domain::identity::IdentityKind;
use assay_domain::{AccountId, Digest, IdentityKey, Person, PersonId};
use assay_store::graph::{HeldRecord, MatchKeys, PersonWrite, RecordKey, RecordKind, RecordWrite, Source};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use uuid::Uuid;

/// How sure it is that the first record of somebody is about them: there is nobody else it could be about.
const OWN_RECORD_PERCENT: u8 = 95;
/// Titles of the latest jobs tell enough.
const TITLES_MAX: usize = 8;

/// Why a record belongs to whom it belongs to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Link {
    /// What was seen; empty for whoever was new with this record.
    #[serde(rename = "r", default, skip_serializing_if = "Vec::is_empty")]
    pub(super) reasons: Vec<String>,
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    pub(super) confidence_percent: Option<u8>,
    /// Whose it was before two people turned out to be one.
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<Uuid>,
    /// Whom somebody said it does not belong to.
    #[serde(rename = "x", default, skip_serializing_if = "Vec::is_empty")]
    pub(super) apart: Vec<Uuid>,
}

/// A record with all that is stored beside it.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub(super) key: RecordKey,
    pub(super) testimony: Testimony,
    pub(super) link: Link,
    /// As it is to be stored, where that was worked out already.
    pub(super) content: Option<RecordContent>,
    /// Whether it is stored under its key already, and whether that has to change.
    pub(super) is_held: bool,
    pub(super) is_changed: bool,
}

impl Said {
    /// As it is stored; none when it no longer reads.
    pub(super) fn of_held(held: &HeldRecord, sources: &HashMap<i16, Source>) -> Option<Self> {
        let mut record: PersonRecord = serde_json::from_str(&held.content).ok()?;
        record.reference.clone_from(&held.key.reference);
        let link: Link =
            held.link.as_deref().and_then(|link| serde_json::from_str(link).ok()).unwrap_or_default();
        let source = sources.get(&held.key.source)?;
        let mut said = Self::new(source, record, held.first_seen, link);
        said.testimony.last_seen = held.last_seen;
        said.is_held = true;
        said.is_changed = false;
        Some(said)
    }

    pub(super) fn new(source: &Source, record: PersonRecord, first_seen: NaiveDate, link: Link) -> Self {
        let key =
            RecordKey { source: source.id, kind: RecordKind::Person, reference: record.reference.clone() };
        let testimony = Testimony {
            source: source.name.clone(),
            first_seen: first_seen.min(record.observed_on),
            last_seen: record.observed_on,
            retention_days: source.rights.retention_days,
            confidence_percent: link.confidence_percent.unwrap_or(OWN_RECORD_PERCENT),
            companies: Vec::new(),
            record,
        };
        Self { key, testimony, link, content: None, is_held: false, is_changed: true }
    }

    /// What the matcher knows of a person from this record.
    pub(super) fn profile(&self) -> Profile {
        let mut profile = profile_of(&self.testimony);
        profile.sources.push(source_number(&self.key));
        profile
    }

    fn write(&self, entity: Uuid) -> RecordWrite {
        let content = self.content.clone().unwrap_or_else(|| RecordContent::of(&self.testimony.record));
        let link =
            (self.link != Link::default()).then(|| serde_json::to_string(&self.link).unwrap_or_default());
        let record = HeldRecord {
            key: self.key.clone(),
            entity,
            hash: content.hash,
            content: content.text,
            first_seen: self.testimony.first_seen,
            last_seen: self.testimony.last_seen,
            link,
        };
        RecordWrite { record, is_held: self.is_held }
    }
}

/// As profiles have it.
pub(super) fn source_number(key: &RecordKey) -> u32 {
    u32::from(key.source.unsigned_abs())
}

/// Of a record's content: the same hash means that the source says nothing new, as of the same day.
pub(super) fn hash_of(content: &str) -> [u8; 16] {
    content_hash(content.as_bytes())
}

/// One person of a turn.
#[derive(Debug)]
pub(super) struct Somebody {
    pub(super) id: PersonId,
    pub(super) owner: Option<AccountId>,
    pub(super) said: Vec<Said>,
    pub(super) profile: Profile,
    /// Under which they are met now. Most whom a record may be about stay as they are, so it is worked out only for those
    /// who are touched ([`Self::remember_keys`]).
    pub(super) keys_before: Option<Vec<i64>>,
    pub(super) is_touched: bool,
    /// Whom they turned out to be.
    pub(super) merged_into: Option<usize>,
}

impl Somebody {
    /// Whoever is new, or whose keys of before are told by whoever makes them anew.
    pub(super) fn new(id: PersonId, owner: Option<AccountId>, said: Vec<Said>) -> Self {
        Self { keys_before: Some(Vec::new()), ..Self::known(id, owner, said) }
    }

    /// Whoever is stored.
    pub(super) fn known(id: PersonId, owner: Option<AccountId>, said: Vec<Said>) -> Self {
        let mut profile = Profile::default();
        for one in &said {
            profile.absorb(&one.profile());
        }
        Self { id, owner, said, profile, keys_before: None, is_touched: false, merged_into: None }
    }

    /// Before anything about them changes.
    pub(super) fn remember_keys(&mut self, identity: &IdentityKey) {
        if self.keys_before.is_none() {
            let keys = |fused: Fused| identities::keys_of_person(identity, &fused.facts, &fused.experience);
            self.keys_before = Some(self.fuse().map(keys).unwrap_or_default());
        }
    }

    /// Adds a record, or puts it in the place of the one it replaces.
    pub(super) fn take(&mut self, said: Said, profile: &Profile) {
        self.profile.absorb(profile);
        self.is_touched = true;
        match self.said.iter_mut().find(|held| held.key == said.key) {
            Some(held) => *held = said,
            None => self.said.push(said),
        }
    }

    pub(super) fn fuse(&self) -> Option<Fused> {
        fuse(self.said.iter().map(|said| &said.testimony), self.owner)
    }

    /// What is written of them, and the match keys they then have.
    pub(super) fn write(&self, identity: &IdentityKey, fused: Fused, at: DateTime<Utc>) -> PersonWrite {
        let held = identities::keys_of_person(identity, &fused.facts, &fused.experience);
        let before = self.keys_before.iter().flatten();
        let dropped = before.filter(|key| !held.contains(*key)).copied().collect();
        PersonWrite {
            id: self.id,
            identities: digests(identity, &fused),
            match_keys: MatchKeys { held, dropped },
            rights: fused.rights,
            facts: fused.facts,
            experience: fused.experience,
            provenance: fused.provenance,
            refreshed_at: at,
        }
    }

    pub(super) fn record_writes(&self) -> impl Iterator<Item = RecordWrite> {
        let entity = self.id.uuid();
        self.said.iter().filter(|said| said.is_changed || !said.is_held).map(move |said| said.write(entity))
    }
}

fn digests(identity: &IdentityKey, fused: &Fused) -> Vec<(Digest, IdentityKind)> {
    let current = fused.experience.iter().find(|job| job.ended_on.is_none());
    let employer = current.map(|job| (job.company_name.as_str(), fused.employer_domain.as_ref()));
    identities::of_person(identity, &fused.facts, employer)
}

fn profile_of(testimony: &Testimony) -> Profile {
    let mut profile = base_profile(&testimony.record);
    let by_address = testimony.record.job_by_address();
    let workplaces = testimony.record.jobs.iter().chain(&by_address).map(workplace_of).collect();
    add_workplaces(&mut profile, workplaces, &testimony.companies);
    profile
}

/// As much of it as can be told without knowing which companies are meant.
pub(super) fn base_profile(record: &PersonRecord) -> Profile {
    let mut profile = Profile::of(&record.facts, &[]);
    for title in record.jobs.iter().filter_map(|job| job.title.as_deref()) {
        if profile.titles.len() == TITLES_MAX {
            break;
        }
        let title = Title::of(title);
        if !profile.titles.contains(&title) {
            profile.titles.push(title);
        }
    }
    profile
}

/// A job's company as the record has it.
pub(super) fn workplace_of(job: &RecordJob) -> Workplace {
    Workplace {
        domain: job.company_domain.as_ref().map(|domain| domain.as_str().to_owned()),
        is_current: job.ended_on.is_none(),
        ..Workplace::named(job.company_name.as_deref().unwrap_or_default())
    }
}

/// The rest of it: the workplaces, each with the company that is meant.
pub(super) fn add_workplaces(profile: &mut Profile, workplaces: Vec<Workplace>, companies: &[Meant]) {
    for (at, workplace) in workplaces.into_iter().enumerate() {
        let meant = companies.get(at).cloned().unwrap_or_default();
        let company = meant.company.map(|company| company.id);
        profile.add_workplace(Workplace { company, possible: meant.possible, ..workplace });
    }
}

/// A record of somebody who was here before any source told of them.
pub(super) fn base_record(person: &Person) -> PersonRecord {
    let jobs = person.experience.iter().map(|job| RecordJob {
        company_id: job.company_id,
        company_name: Some(job.company_name.clone()),
        company_domain: None,
        company_url: None,
        title: Some(job.title.clone()).filter(|title| !title.is_empty()),
        started_on: job.started_on,
        ended_on: job.ended_on,
    });
    PersonRecord {
        reference: person.id.to_string(),
        facts: person.facts.clone(),
        jobs: jobs.collect(),
        observed_on: person.refreshed_at.date_naive(),
    }
}
