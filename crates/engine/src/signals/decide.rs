//! What becomes of the signals at hand when something new is said.

use super::fuse::{Fused, fuse};
use super::group::group;
use super::keys::keys_of;
use super::same::{Reading, find};
use assay_domain::signal::{Content, Party};
use assay_domain::taxonomy::Industry;
use assay_domain::{IdentityKey, SignalId, SignalKind};
use assay_store::StoreError;
use assay_store::graph::{Decision, HeldNotice, HeldSignal, MovedNotice, SignalFacets, SignalWrite};
use std::cmp::Reverse;

/// What is said now.
pub(super) struct Newest<'a> {
    pub(super) said: HeldNotice,
    /// Of the company it is about.
    pub(super) industry: Option<Industry>,
    pub(super) key: &'a IdentityKey,
}

impl Newest<'_> {
    fn is_own(&self, said: &HeldNotice) -> bool {
        said.source == self.said.source && said.notice.reference == self.said.notice.reference
    }
}

pub(super) fn decide(mut newest: Newest<'_>, held: &[HeldSignal]) -> Result<Decision, StoreError> {
    let before = held.iter().flat_map(|signal| &signal.notices).find(|said| newest.is_own(said));
    // Said anew: what is said now counts, and when it was first seen.
    newest.said.seen_at = before.map_or(newest.said.seen_at, |before| before.seen_at);
    match newest.said.notice.content.kind() {
        SignalKind::Funding | SignalKind::Acquisition => regroup(&newest, held),
        SignalKind::Hiring | SignalKind::JobChange | SignalKind::Engagement => join(&newest, held),
    }
}

/// Part of one of them, or the first of a new one.
fn join(newest: &Newest<'_>, held: &[HeldSignal]) -> Result<Decision, StoreError> {
    let own = held.iter().find(|signal| signal.notices.iter().any(|said| newest.is_own(said)));
    let event = find(&newest.said.notice, own, held);
    let mut said: Vec<HeldNotice> = event.map(|signal| signal.notices.clone()).unwrap_or_default();
    said.retain(|said| !newest.is_own(said));
    said.push(newest.said.clone());
    let id = event.map_or_else(|| SignalId::mint(newest.said.seen_at), |signal| signal.id);
    Ok(write(id, said, newest.industry)?.into())
}

/// What was taken for one event may be two in the light of what is said now, and what was taken for two may be one: everything
/// that was said of the company about that time is grouped anew.
fn regroup(newest: &Newest<'_>, held: &[HeldSignal]) -> Result<Decision, StoreError> {
    let near = near(newest, held);
    let (mut all, mut from): (Vec<HeldNotice>, Vec<Option<SignalId>>) = (Vec::new(), Vec::new());
    let mut own = None;
    for signal in &near {
        for said in &signal.notices {
            if newest.is_own(said) {
                own = Some(signal.id);
            } else {
                all.push(said.clone());
                from.push(Some(signal.id));
            }
        }
    }
    all.push(newest.said.clone());
    from.push(own);
    let groups = group(&all);
    let ids = ids_for(&groups, &from);
    let mut decision: (Option<SignalWrite>, Vec<SignalWrite>) = (None, Vec::new());
    for (members, id) in groups.iter().zip(&ids) {
        let is_newest = members.contains(&(all.len() - 1));
        let known = near.iter().find(|signal| Some(signal.id) == *id);
        let is_as_before = known.is_some_and(|signal| {
            signal.notices.len() == members.len() && members.iter().all(|place| from.get(*place) == Some(id))
        });
        if is_as_before && !is_newest {
            continue;
        }
        let said = members.iter().filter_map(|place| all.get(*place)).cloned().collect();
        let id = id.unwrap_or_else(|| SignalId::mint(newest.said.seen_at));
        let mut write = write(id, said, newest.industry.filter(|_| is_newest))?;
        let came = members.iter().filter(|place| from.get(**place).is_some_and(|from| *from != Some(id)));
        write.moved = came.filter_map(|place| all.get(*place)).map(|said| moved(said, newest.key)).collect();
        if is_newest {
            write.moved.retain(|moved| {
                moved.source != newest.said.source || moved.reference != newest.said.notice.reference
            });
            decision.0 = Some(write);
        } else {
            decision.1.push(write);
        }
    }
    let gone = near.iter().map(|signal| signal.id).filter(|id| !ids.contains(&Some(*id))).collect();
    let lost = || StoreError::Corrupt("a notice is part of no signal".to_owned());
    Ok(Decision { signal: decision.0.ok_or_else(lost)?, others: decision.1, gone })
}

/// Those of which something may be of the same company, or was said under the same reference.
fn near<'a>(newest: &Newest<'_>, held: &'a [HeldSignal]) -> Vec<&'a HeldSignal> {
    let reading = Reading::of(&newest.said);
    let is_near = |said: &HeldNotice| newest.is_own(said) || reading.is_of_company(&Reading::of(said));
    held.iter().filter(|signal| signal.notices.iter().any(is_near)).collect()
}

/// Each group goes on as the signal of which it has most, and the oldest of those; what is left over is new.
fn ids_for(groups: &[Vec<usize>], from: &[Option<SignalId>]) -> Vec<Option<SignalId>> {
    let mut claims = Vec::new();
    for (number, members) in groups.iter().enumerate() {
        let origins = || members.iter().filter_map(|place| from.get(*place).copied().flatten());
        let mut ids: Vec<SignalId> = origins().collect();
        ids.sort_unstable();
        ids.dedup();
        claims.extend(
            ids.into_iter().map(|id| (Reverse(origins().filter(|origin| *origin == id).count()), id, number)),
        );
    }
    claims.sort_unstable();
    let mut ids = vec![None; groups.len()];
    for (_, id, number) in claims {
        if !ids.contains(&Some(id))
            && let Some(place) = ids.get_mut(number).filter(|place| place.is_none())
        {
            *place = Some(id);
        }
    }
    ids
}

fn moved(said: &HeldNotice, key: &IdentityKey) -> MovedNotice {
    MovedNotice {
        source: said.source.clone(),
        reference: said.notice.reference.clone(),
        keys: keys_of(&said.notice, key),
    }
}

fn write(
    id: SignalId,
    mut said: Vec<HeldNotice>,
    industry: Option<Industry>,
) -> Result<SignalWrite, StoreError> {
    let one = said.pop().ok_or_else(|| StoreError::Corrupt("a signal of nothing".to_owned()))?;
    let fused = fuse(one, said);
    let body = serde_json::value::to_raw_value(&fused);
    Ok(SignalWrite {
        id,
        moved: Vec::new(),
        detected_at: fused.detected_at,
        occurred_at: fused.occurred_at,
        facets: facets_of(&fused, industry),
        body: body.map_err(|_| StoreError::Corrupt("a signal cannot be written".to_owned()))?,
    })
}

fn facets_of(fused: &Fused, industry: Option<Industry>) -> SignalFacets {
    let domain = |party: &Party| party.domain.as_ref().map(|domain| domain.as_str().to_owned());
    let mut facets = SignalFacets {
        domain: domain(&fused.company),
        country: fused.company.country.clone(),
        industry: industry.map(|industry| industry.as_str().to_owned()),
        ..SignalFacets::default()
    };
    match &fused.content {
        Content::Funding(round) => {
            facets.stage = Some(round.stage.as_str().to_owned());
            facets.amount = round.amount;
        }
        Content::Acquisition(deal) => {
            facets.other_domain = domain(&deal.acquirer);
            facets.amount = deal.price;
        }
        Content::Hiring(posting) => {
            facets.department = posting.department.map(|department| department.as_str().to_owned());
            facets.applicants = posting.applicants.and_then(|count| i32::try_from(count).ok());
        }
        Content::JobChange(change) => {
            facets.other_domain = change.from.as_ref().and_then(|post| domain(&post.company));
            let title = change.to.as_ref().or(change.from.as_ref()).map(|post| post.title.as_str());
            let department = title.map(|title| assay_domain::title::read_title(title).department);
            facets.department = department.map(|department| department.as_str().to_owned());
        }
        Content::Engagement(_) => {}
    }
    facets
}
