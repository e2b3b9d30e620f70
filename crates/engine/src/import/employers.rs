//! Which companies records mean when they name an employer.

use super::fuse::KnownCompany;
use super::record::RecordJob;
use crate::EngineError;
use crate::matching::{CompanyProfile, Decision, MatchKey, company_asked_keys, settle_company};
use assay_domain::name::fold_company;
use assay_domain::person::Employer;
use assay_domain::{CompanyId, Digest, IdentityKey};
use assay_store::graph::ImportTurn;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use uuid::Uuid;

/// A name that more companies share than this says too little.
const EACH_MAX: i64 = 24;
/// A vague name may mean so many.
const POSSIBLE_MAX: usize = 8;

/// The companies of the jobs of one turn.
#[derive(Debug, Default)]
pub(super) struct Employers {
    known: HashMap<JobKey, Meant>,
}

/// What a job says of its company, shared by all who hold it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct JobKey(Arc<SaidOfCompany>);

#[derive(Debug, PartialEq, Eq, Hash)]
struct SaidOfCompany {
    id: Option<CompanyId>,
    name: String,
    domain: Option<String>,
    page: Option<String>,
}

/// The company that is meant, or those that may be.
#[derive(Debug, Clone, Default)]
pub(super) struct Meant {
    pub(super) company: Option<KnownCompany>,
    pub(super) possible: Vec<CompanyId>,
}

impl JobKey {
    pub(super) fn of(job: &RecordJob) -> Self {
        let name = job.company_name.as_deref().map(fold_company).unwrap_or_default();
        let domain = job.company_domain.as_ref().map(|domain| domain.as_str().to_owned());
        let page = job.company_url.as_ref().map(|url| url.identity().to_owned());
        Self(Arc::new(SaidOfCompany { id: job.company_id, name, domain, page }))
    }
}

/// One job's company on its way to be found.
struct Asked<'a> {
    key: JobKey,
    job: &'a RecordJob,
    digests: Vec<Digest>,
    candidates: Vec<Uuid>,
}

impl Employers {
    pub(super) fn of(&self, job: &RecordJob) -> Meant {
        self.of_key(&JobKey::of(job))
    }

    pub(super) fn of_key(&self, key: &JobKey) -> Meant {
        self.known.get(key).cloned().unwrap_or_default()
    }

    /// Finds the companies of these jobs that are not found yet.
    pub(super) async fn find<'a>(
        &mut self,
        turn: &mut ImportTurn,
        identity: &IdentityKey,
        jobs: impl Iterator<Item = (JobKey, &'a RecordJob)>,
    ) -> Result<(), EngineError> {
        let mut seen = HashSet::new();
        let mut asked: Vec<Asked<'a>> = Vec::new();
        for (key, job) in jobs {
            if !self.known.contains_key(&key) && seen.insert(key.clone()) {
                let digests = if job.company_id.is_some() { Vec::new() } else { digests_of(identity, job) };
                asked.push(Asked { digests, key, job, candidates: Vec::new() });
            }
        }
        by_identifier(turn, &mut asked).await?;
        by_likeness(turn, identity, &mut asked).await?;
        let mut ids: Vec<Uuid> = asked.iter().flat_map(|asked| asked.candidates.iter().copied()).collect();
        ids.sort_unstable();
        ids.dedup();
        let cards = turn.employers(&ids).await?;
        let profiles: HashMap<Uuid, CompanyProfile> =
            cards.iter().map(|(id, card)| (*id, profile_of(card))).collect();
        for asked in asked {
            let meant = choose(&asked, &cards, &profiles);
            self.known.insert(asked.key, meant);
        }
        Ok(())
    }
}

fn digests_of(identity: &IdentityKey, job: &RecordJob) -> Vec<Digest> {
    let domain = job.company_domain.as_ref().map(|domain| identity.digest_domain(domain));
    let url = job.company_url.as_ref().map(|url| identity.digest_network_url(url));
    let name = job.company_name.as_deref().map(|name| identity.digest_company_name(name));
    domain.into_iter().chain(url).chain(name).collect()
}

async fn by_identifier(turn: &mut ImportTurn, asked: &mut [Asked<'_>]) -> Result<(), EngineError> {
    let mut digests: Vec<Digest> = asked.iter().flat_map(|asked| asked.digests.iter().copied()).collect();
    digests.sort_unstable();
    digests.dedup();
    let mut owners: HashMap<Digest, Vec<Uuid>> = HashMap::new();
    for (digest, company) in turn.owners(&digests, EACH_MAX).await? {
        owners.entry(digest).or_default().push(company);
    }
    for asked in asked {
        if let Some(id) = asked.job.company_id {
            asked.candidates = vec![id.uuid()];
            continue;
        }
        asked.candidates =
            asked.digests.iter().filter_map(|digest| owners.get(digest)).flatten().copied().collect();
    }
    Ok(())
}

/// Only those whose identifiers nobody has: for all others the names are alike already.
async fn by_likeness(
    turn: &mut ImportTurn,
    identity: &IdentityKey,
    asked: &mut [Asked<'_>],
) -> Result<(), EngineError> {
    let mut keys: Vec<(usize, i64)> = Vec::new();
    for (place, unknown) in asked.iter().enumerate().filter(|(_, asked)| asked.candidates.is_empty()) {
        let profile = profile_of_job(unknown.job);
        let theirs =
            profile.all_names().flat_map(|words| company_asked_keys(words, identity)).collect::<HashSet<_>>();
        keys.extend(theirs.into_iter().map(|MatchKey(key)| (place, key)));
    }
    let mut distinct: Vec<i64> = keys.iter().map(|(_, key)| *key).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let mut met: HashMap<i64, Vec<Uuid>> = HashMap::new();
    for (key, company) in turn.met(&distinct, EACH_MAX).await? {
        met.entry(key).or_default().push(company);
    }
    keys.sort_unstable();
    for (place, key) in keys {
        let (Some(found), Some(asked)) = (met.get(&key), asked.get_mut(place)) else { continue };
        for company in found {
            if !asked.candidates.contains(company) {
                asked.candidates.push(*company);
            }
        }
    }
    Ok(())
}

fn profile_of_job(job: &RecordJob) -> CompanyProfile {
    CompanyProfile::new(
        job.company_name.as_deref(),
        job.company_domain.as_ref(),
        job.company_url.as_ref(),
        None,
    )
}

fn profile_of(card: &Employer) -> CompanyProfile {
    CompanyProfile::new(Some(&card.name), card.domain.as_ref(), card.network_url.as_ref(), None)
}

fn choose(
    asked: &Asked<'_>,
    cards: &HashMap<Uuid, Employer>,
    profiles: &HashMap<Uuid, CompanyProfile>,
) -> Meant {
    let mut candidates: Vec<(&Employer, &CompanyProfile)> =
        asked.candidates.iter().filter_map(|id| Some((cards.get(id)?, profiles.get(id)?))).collect();
    candidates.sort_by_key(|(card, _)| card.id);
    candidates.dedup_by_key(|(card, _)| card.id);
    let settled = settle_company(
        &profile_of_job(asked.job),
        &candidates.iter().map(|(_, profile)| *profile).collect::<Vec<_>>(),
    );
    let card_at = |place: usize| candidates.get(place).map(|(card, _)| *card);
    let company = match (asked.job.company_id, settled.decision) {
        (Some(id), _) => cards.get(&id.uuid()),
        (None, Decision::Link(place)) => card_at(place),
        (None, Decision::Merge(_) | Decision::New) => None,
    };
    let possible = settled.possible.iter().filter_map(|(place, _)| card_at(*place)).map(|card| card.id);
    Meant {
        company: company.map(|card| KnownCompany {
            id: card.id,
            name: card.name.clone(),
            domain: card.domain.clone(),
        }),
        possible: if company.is_some() { Vec::new() } else { possible.take(POSSIBLE_MAX).collect() },
    }
}
