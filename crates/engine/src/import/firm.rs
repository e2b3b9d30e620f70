//! One company of a turn, with all records of it, and what its own record is made of.

use super::record::CompanyRecord;
use super::somebody::{Link, hash_of};
use crate::identities;
use crate::matching::CompanyProfile;
use assay_domain::company::CompanyFacts;
use assay_domain::provenance::Attribution;
use assay_domain::{CompanyId, IdentityKey, Provenance};
use assay_store::graph::{
    CompanyWrite, HeldRecord, MatchKeys, RecordKey, RecordKind, RecordWrite, Rights, Source,
};
use chrono::{DateTime, Days, NaiveDate, Utc};
use std::collections::{BTreeMap, HashMap};
use uuid::Uuid;

const OWN_RECORD_PERCENT: u8 = 95;

/// A record of a company and all that is stored beside it.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub(super) key: RecordKey,
    pub(super) record: CompanyRecord,
    pub(super) source: String,
    pub(super) retention_days: Option<u32>,
    pub(super) first_seen: NaiveDate,
    pub(super) last_seen: NaiveDate,
    pub(super) link: Link,
    pub(super) is_held: bool,
    pub(super) is_changed: bool,
}

/// One company of a turn.
#[derive(Debug)]
pub(super) struct Firm {
    pub(super) id: CompanyId,
    pub(super) said: Vec<Said>,
    pub(super) profile: CompanyProfile,
    pub(super) keys_before: Vec<i64>,
    pub(super) is_touched: bool,
}

impl Said {
    pub(super) fn of_held(held: &HeldRecord, sources: &HashMap<i16, Source>) -> Option<Self> {
        let mut record: CompanyRecord = serde_json::from_str(&held.content).ok()?;
        record.reference.clone_from(&held.key.reference);
        let source = sources.get(&held.key.source)?;
        Some(Self {
            key: held.key.clone(),
            record,
            source: source.name.clone(),
            retention_days: source.rights.retention_days,
            first_seen: held.first_seen,
            last_seen: held.last_seen,
            link: held.link.as_deref().and_then(|link| serde_json::from_str(link).ok()).unwrap_or_default(),
            is_held: true,
            is_changed: false,
        })
    }

    pub(super) fn new(source: &Source, record: CompanyRecord, held: Option<&HeldRecord>) -> Self {
        Self {
            key: RecordKey {
                source: source.id,
                kind: RecordKind::Company,
                reference: record.reference.clone(),
            },
            source: source.name.clone(),
            retention_days: source.rights.retention_days,
            first_seen: held.map_or(record.observed_on, |held| held.first_seen),
            last_seen: record.observed_on,
            link: Link::default(),
            is_held: held.is_some(),
            is_changed: true,
            record,
        }
    }

    pub(super) fn write(&self, entity: Uuid) -> RecordWrite {
        let content = serde_json::to_string(&self.record).unwrap_or_default();
        let link =
            (self.link != Link::default()).then(|| serde_json::to_string(&self.link).unwrap_or_default());
        let record = HeldRecord {
            key: self.key.clone(),
            entity,
            hash: hash_of(&content),
            content,
            first_seen: self.first_seen,
            last_seen: self.last_seen,
            link,
        };
        RecordWrite { record, is_held: self.is_held }
    }

    pub(super) fn expires_on(&self) -> Option<NaiveDate> {
        self.last_seen.checked_add_days(Days::new(u64::from(self.retention_days?)))
    }
}

impl Firm {
    pub(super) fn new(id: CompanyId, said: Vec<Said>, identity: &IdentityKey) -> Self {
        let mut profile = CompanyProfile::default();
        for one in &said {
            profile.absorb(&CompanyProfile::of(&one.record.facts));
        }
        let mut firm = Self { id, said, profile, keys_before: Vec::new(), is_touched: false };
        if let Some(facts) = firm.fuse() {
            firm.keys_before = identities::keys_of_company(identity, &facts);
        }
        firm
    }

    pub(super) fn take(&mut self, said: Said) {
        self.profile.absorb(&CompanyProfile::of(&said.record.facts));
        self.is_touched = true;
        match self.said.iter_mut().find(|held| held.key == said.key) {
            Some(held) => *held = said,
            None => self.said.push(said),
        }
    }

    /// The newest word on each field wins; lists are put together.
    fn fuse(&self) -> Option<CompanyFacts> {
        let mut ordered: Vec<&Said> = self.said.iter().collect();
        ordered.sort_by(|one, other| {
            let newest_first = other.record.observed_on.cmp(&one.record.observed_on);
            newest_first
                .then_with(|| (&one.source, &one.key.reference).cmp(&(&other.source, &other.key.reference)))
        });
        let mut all = ordered.iter().map(|said| &said.record.facts);
        let mut facts = all.next()?.clone();
        for older in all {
            complete(&mut facts, older);
        }
        Some(facts)
    }

    pub(super) fn write(
        &self,
        identity: &IdentityKey,
        at: DateTime<Utc>,
        owner: Rights,
    ) -> Option<CompanyWrite> {
        let facts = self.fuse()?;
        let held = identities::keys_of_company(identity, &facts);
        let dropped = self.keys_before.iter().filter(|key| !held.contains(key)).copied().collect();
        let expires_on = self.said.iter().filter_map(Said::expires_on).min();
        Some(CompanyWrite {
            id: self.id,
            identities: identities::of_company(identity, &facts),
            match_keys: MatchKeys { held, dropped },
            rights: Rights { expires_on, ..owner },
            provenance: self.provenance(),
            refreshed_at: at,
            facts,
        })
    }

    fn provenance(&self) -> Provenance {
        let mut by_source: BTreeMap<&str, Attribution> = BTreeMap::new();
        for said in &self.said {
            let entry = by_source.entry(&said.source).or_insert_with(|| Attribution {
                provider: said.source.clone(),
                url: None,
                fields: Vec::new(),
                first_seen: said.first_seen,
                last_seen: said.last_seen,
                confidence_percent: said.link.confidence_percent.unwrap_or(OWN_RECORD_PERCENT),
            });
            entry.first_seen = entry.first_seen.min(said.first_seen);
            entry.last_seen = entry.last_seen.max(said.last_seen);
        }
        Provenance(by_source.into_values().collect())
    }
}

/// What the newer record leaves open.
fn complete(facts: &mut CompanyFacts, older: &CompanyFacts) {
    fn fill<T: Clone>(slot: &mut Option<T>, older: &Option<T>) {
        if slot.is_none() {
            slot.clone_from(older);
        }
    }
    fn unite<T: Clone + PartialEq>(list: &mut Vec<T>, older: &[T]) {
        for value in older {
            if !list.contains(value) {
                list.push(value.clone());
            }
        }
    }
    fill(&mut facts.legal_name, &older.legal_name);
    match (&facts.domain, &older.domain) {
        (Some(one), Some(other)) if one != other => unite(&mut facts.domains, std::slice::from_ref(other)),
        _ => fill(&mut facts.domain, &older.domain),
    }
    unite(&mut facts.domains, &older.domains);
    fill(&mut facts.network_url, &older.network_url);
    fill(&mut facts.description, &older.description);
    fill(&mut facts.industry, &older.industry);
    unite(&mut facts.keywords, &older.keywords);
    fill(&mut facts.employee_count, &older.employee_count);
    fill(&mut facts.employee_growth_percent, &older.employee_growth_percent);
    fill(&mut facts.revenue_range, &older.revenue_range);
    fill(&mut facts.founded_year, &older.founded_year);
    fill(&mut facts.kind, &older.kind);
    fill(&mut facts.headquarters, &older.headquarters);
    unite(&mut facts.locations, &older.locations);
    let known: Vec<String> =
        facts.technologies.iter().map(|technology| technology.name.to_lowercase()).collect();
    let more =
        older.technologies.iter().filter(|technology| !known.contains(&technology.name.to_lowercase()));
    facts.technologies.extend(more.cloned());
    unite(&mut facts.funding_rounds, &older.funding_rounds);
    fill(&mut facts.open_roles, &older.open_roles);
    fill(&mut facts.mail, &older.mail);
}
