//! Records of companies: which company each is about, and what becomes of it.
//!
//! Companies are told apart by their sites and pages; by their names only where one name clearly means one company. They
//! are never made one, because people are stored under their ids.

use super::firm::{Firm, Said};
use super::people::id_on;
use super::record::{CompanyRecord, Imported};
use super::somebody::{Link, hash_of};
use crate::matching::{CompanyProfile, Decision, MatchKey, company_asked_keys, settle_company};
use crate::{EngineError, identities};
use assay_domain::{AccountId, CompanyId, Digest, IdentityKey};
use assay_store::graph::{HeldRecord, ImportTurn, ImportWrite, RecordKind, Rights, Source};
use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use uuid::Uuid;

const EACH_MAX: i64 = 24;

/// A record of the batch, and what it is looked for under.
struct Incoming {
    said: Said,
    profile: CompanyProfile,
    digests: Vec<Digest>,
    keys: Vec<i64>,
    held: Option<Uuid>,
}

/// Decides on a batch of records.
pub(super) async fn decide(
    graph: &mut ImportTurn,
    identity: &IdentityKey,
    (source, sources): (&Source, &HashMap<i16, Source>),
    records: Vec<CompanyRecord>,
    at: DateTime<Utc>,
) -> Result<(ImportWrite, Imported), EngineError> {
    let mut write = ImportWrite::default();
    let mut imported = Imported::default();
    let references: Vec<&str> = records.iter().map(|record| record.reference.as_str()).collect();
    let held = graph.records(source.id, RecordKind::Company, &references).await?;
    let held: HashMap<&str, &HeldRecord> =
        held.iter().map(|held| (held.key.reference.as_str(), held)).collect();
    let mut incoming: Vec<Incoming> = Vec::new();
    for record in records.clone() {
        let known = held.get(record.reference.as_str()).copied();
        let said = Said::new(source, record, known);
        let is_known = known.is_some_and(|held| {
            held.hash == hash_of(&serde_json::to_string(&said.record).unwrap_or_default())
        });
        if is_known {
            imported.unchanged += 1;
            write.seen_again.push((said.key, said.last_seen));
        } else if known.is_some_and(|held| held.last_seen > said.record.observed_on) {
            // What the source said later stands, as with people.
            imported.unchanged += 1;
        } else {
            incoming.push(look_for(identity, said, known.map(|held| held.entity)));
        }
    }
    let mut firms = load(graph, identity, sources, &incoming).await?;
    for record in incoming {
        settle(&mut firms, source, record, &mut imported);
    }
    let rights = Rights { owner: source.rights.owner, expires_on: None };
    for firm in firms.all.iter().filter(|firm| firm.is_touched) {
        write.batch.companies.extend(firm.write(identity, at, rights));
        let changed = firm.said.iter().filter(|said| said.is_changed || !said.is_held);
        write.records.extend(changed.map(|said| said.write(firm.id.uuid())));
    }
    Ok((write, imported))
}

fn look_for(identity: &IdentityKey, said: Said, held: Option<Uuid>) -> Incoming {
    let profile = CompanyProfile::of(&said.record.facts);
    let digests =
        identities::of_company(identity, &said.record.facts).into_iter().map(|(digest, _)| digest).collect();
    let keys = profile.names.iter().flat_map(|words| company_asked_keys(words, identity));
    Incoming { keys: keys.map(|MatchKey(key)| key).collect(), digests, profile, said, held }
}

/// The companies of a turn, and what leads to them.
#[derive(Default)]
struct Firms {
    all: Vec<Firm>,
    by_id: HashMap<Uuid, usize>,
    by_digest: HashMap<Digest, Vec<usize>>,
    by_key: HashMap<i64, Vec<usize>>,
    owners: HashMap<Uuid, Option<AccountId>>,
}

async fn load(
    graph: &mut ImportTurn,
    identity: &IdentityKey,
    sources: &HashMap<i16, Source>,
    incoming: &[Incoming],
) -> Result<Firms, EngineError> {
    let mut digests: Vec<Digest> = incoming.iter().flat_map(|one| one.digests.iter().copied()).collect();
    digests.sort_unstable();
    digests.dedup();
    let mut keys: Vec<i64> = incoming.iter().flat_map(|one| one.keys.iter().copied()).collect();
    keys.sort_unstable();
    keys.dedup();
    let owners = graph.owners(&digests, EACH_MAX).await?;
    let met = graph.met(&keys, EACH_MAX).await?;
    let held = incoming.iter().filter_map(|one| one.held);
    let mut ids: Vec<Uuid> =
        owners.iter().map(|(_, id)| *id).chain(met.iter().map(|(_, id)| *id)).chain(held).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut by_entity: HashMap<Uuid, Vec<Said>> = HashMap::new();
    for held in &graph.records_of(&ids).await? {
        if let Some(said) = Said::of_held(held, sources) {
            by_entity.entry(held.entity).or_default().push(said);
        }
    }
    let companies = graph.companies(&ids).await?;
    let mut firms = Firms::default();
    for id in ids {
        let Some(company) = companies.get(&id) else { continue };
        let mut said = by_entity.remove(&id).unwrap_or_default();
        if said.is_empty() {
            // It was here before any source.
            let name = company.provenance.0.first().map_or("unknown", |said| said.provider.as_str());
            let base = graph.ensure_source(name, "as it was loaded", company.owner).await?;
            let record = CompanyRecord {
                reference: company.id.to_string(),
                facts: company.facts.clone(),
                observed_on: company.refreshed_at.date_naive(),
            };
            said.push(Said { is_changed: false, ..Said::new(&base, record, None) });
        }
        firms.owners.insert(id, company.owner);
        firms.by_id.insert(id, firms.all.len());
        firms.all.push(Firm::new(company.id, said, identity));
    }
    for (digest, id) in owners {
        if let Some(place) = firms.by_id.get(&id) {
            firms.by_digest.entry(digest).or_default().push(*place);
        }
    }
    for (key, id) in met {
        if let Some(place) = firms.by_id.get(&id) {
            firms.by_key.entry(key).or_default().push(*place);
        }
    }
    Ok(firms)
}

fn settle(firms: &mut Firms, source: &Source, mut incoming: Incoming, imported: &mut Imported) {
    let place = match incoming.held.and_then(|held| firms.by_id.get(&held).copied()) {
        Some(place) => {
            imported.changed += 1;
            place
        }
        None => choose(firms, source, &mut incoming, imported),
    };
    for digest in incoming.digests {
        firms.by_digest.entry(digest).or_default().push(place);
    }
    for key in incoming.keys {
        firms.by_key.entry(key).or_default().push(place);
    }
    if let Some(firm) = firms.all.get_mut(place) {
        firm.take(incoming.said);
    }
}

fn choose(firms: &mut Firms, source: &Source, incoming: &mut Incoming, imported: &mut Imported) -> usize {
    let by_digest = incoming.digests.iter().filter_map(|digest| firms.by_digest.get(digest));
    let by_key = incoming.keys.iter().filter_map(|key| firms.by_key.get(key));
    let mut places: Vec<usize> = by_digest.chain(by_key).flatten().copied().collect();
    places.sort_unstable();
    places.dedup();
    let is_open = |firm: &Firm| {
        firms.owners.get(&firm.id.uuid()).copied().unwrap_or(source.rights.owner) == source.rights.owner
    };
    places.retain(|place| firms.all.get(*place).is_some_and(is_open));
    let profiles: Vec<&CompanyProfile> =
        places.iter().filter_map(|place| firms.all.get(*place)).map(|firm| &firm.profile).collect();
    let settled = settle_company(&incoming.profile, &profiles);
    if let Decision::Link(at) = settled.decision
        && let Some(place) = places.get(at)
    {
        imported.linked += 1;
        let confidence = settled.possible.first().map(|(_, confidence)| confidence.as_percent());
        incoming.said.link = Link {
            reasons: settled.evidence.reasons.iter().map(|reason| reason.as_str().to_owned()).collect(),
            confidence_percent: confidence,
            ..Link::default()
        };
        return *place;
    }
    imported.new += 1;
    let id = CompanyId::from_uuid(id_for(source, &incoming.said));
    let place = firms.all.len();
    firms.by_id.insert(id.uuid(), place);
    firms.all.push(Firm {
        id,
        said: Vec::new(),
        profile: CompanyProfile::default(),
        keys_before: Vec::new(),
        is_touched: true,
    });
    place
}

/// The same for the same record of the same source, as for people.
fn id_for(source: &Source, said: &Said) -> Uuid {
    // A source chooses its references: none may be found that makes the id of another's company.
    let seed = Sha256::digest(format!("{}\u{1f}{}", source.name, said.key.reference));
    let half =
        |from: usize| seed.get(from..from + 8).and_then(|bytes| bytes.try_into().ok()).unwrap_or_default();
    id_on(said.first_seen, half(0), half(8))
}
