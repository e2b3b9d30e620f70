//! What all notices of one event say together. The same notices make the same signal, in whatever order they came.

use assay_domain::company::Round;
use assay_domain::signal::{Content, Deal, Move, Party, PersonNamed, Posting, SignalSource};
use assay_domain::taxonomy::FundingStage;
use assay_domain::{Confidence, Notice};
use assay_store::graph::HeldNotice;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// However many say so.
const CONFIDENCE_MAX: u8 = 99;

/// A signal without its id, as it is kept.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Fused {
    pub occurred_at: DateTime<Utc>,
    pub detected_at: DateTime<Utc>,
    pub company: Party,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<PersonNamed>,
    pub confidence: Confidence,
    pub sources: Vec<SignalSource>,
    pub content: Content,
}

impl fmt::Debug for Fused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Fused({} of {})", self.content.kind().as_str(), self.sources.len())
    }
}

/// Of one notice at least, and whatever others there are.
pub(super) fn fuse(one: HeldNotice, others: Vec<HeldNotice>) -> Fused {
    let surest = others.iter().fold(&one, |best, other| if rank(other) < rank(best) { other } else { best });
    let best = surest.notice.clone();
    let detected_at = others.iter().fold(one.seen_at, |first, other| first.min(other.seen_at));
    let occurred_at =
        others.iter().fold(one.notice.occurred_at, |first, other| first.min(other.notice.occurred_at));
    let mut said = others;
    said.push(one);
    said.sort_by(|one, other| rank(one).cmp(&rank(other)));
    let notices: Vec<&Notice> = said.iter().map(|held| &held.notice).collect();
    let content = match &best.content {
        Content::Funding(round) => Content::Funding(fuse_round(round, &notices)),
        Content::Acquisition(deal) => Content::Acquisition(fuse_deal(deal, &notices)),
        Content::Hiring(posting) => Content::Hiring(fuse_posting(posting, &notices)),
        Content::JobChange(change) => Content::JobChange(fuse_move(change, &notices)),
        Content::Engagement(_) => best.content.clone(),
    };
    let company = fuse_party(&best.company, notices.iter().map(|notice| &notice.company));
    Fused {
        occurred_at,
        detected_at,
        company,
        person: fuse_person(&best, &notices),
        confidence: together(&said),
        sources: sources_of(&said),
        content,
    }
}

/// The surest first, then the first that said so.
fn rank(held: &HeldNotice) -> (std::cmp::Reverse<Confidence>, DateTime<Utc>, &str, &str) {
    (std::cmp::Reverse(held.notice.confidence), held.seen_at, &held.source, &held.notice.reference)
}

/// Each source for itself: what one says twice is not surer for it.
fn together(said: &[HeldNotice]) -> Confidence {
    let mut by_source: BTreeMap<&str, u8> = BTreeMap::new();
    for held in said {
        let sure = by_source.entry(&held.source).or_default();
        *sure = (*sure).max(held.notice.confidence.as_percent());
    }
    let doubt = by_source.values().fold(10_000_u32, |doubt, sure| doubt * (100 - u32::from(*sure)) / 100);
    let sure = 100 - doubt.div_ceil(100).min(100);
    Confidence::percent(u8::try_from(sure).unwrap_or(CONFIDENCE_MAX).min(CONFIDENCE_MAX))
}

/// Oldest first: who had it first.
fn sources_of(said: &[HeldNotice]) -> Vec<SignalSource> {
    let mut sources: Vec<SignalSource> = said
        .iter()
        .map(|held| SignalSource {
            name: held.source.clone(),
            reference: held.notice.reference.clone(),
            url: held.notice.url.clone(),
            seen_at: held.seen_at,
        })
        .collect();
    sources.sort_by(|one, other| {
        (one.seen_at, &one.name, &one.reference).cmp(&(other.seen_at, &other.name, &other.reference))
    });
    sources
}

fn fuse_party<'a>(best: &Party, all: impl Iterator<Item = &'a Party> + Clone) -> Party {
    fn first<'a, T: Clone + 'a>(
        all: impl Iterator<Item = &'a Party>,
        field: impl Fn(&'a Party) -> Option<&'a T>,
    ) -> Option<T> {
        all.filter_map(field).next().cloned()
    }
    // What a source told goes before what the graph knows of somebody with the name.
    let told = first(all.clone(), Party::told_domain);
    Party {
        name: best.name.clone(),
        by_name: told.is_none() && all.clone().any(|party| party.by_name),
        domain: told.or_else(|| first(all.clone(), |party| party.domain.as_ref())),
        network_url: first(all.clone(), |party| party.network_url.as_ref()),
        country: first(all.clone(), |party| party.country.as_ref()),
        id: first(all, |party| party.id.as_ref()),
    }
}

fn fuse_person(best: &Notice, notices: &[&Notice]) -> Option<PersonNamed> {
    let mut person = best.person.clone()?;
    let others = || notices.iter().filter_map(|notice| notice.person.as_ref());
    person.network_url = others().find_map(|other| other.network_url.clone());
    person.id = others().find_map(|other| other.id);
    Some(person)
}

fn fuse_round(best: &Round, notices: &[&Notice]) -> Round {
    let rounds = || {
        notices.iter().filter_map(|notice| {
            if let Content::Funding(round) = &notice.content { Some(round) } else { None }
        })
    };
    let stage =
        rounds().map(|round| round.stage).find(|stage| *stage != FundingStage::Other).unwrap_or(best.stage);
    let money = rounds().find_map(|round| round.amount.map(|amount| (amount, round.currency.clone())));
    let (amount, currency) = money.map_or((None, None), |(amount, currency)| (Some(amount), currency));
    Round {
        stage,
        amount,
        currency,
        announced_on: rounds().map(|round| round.announced_on).min().unwrap_or(best.announced_on),
        investors: union(rounds().map(|round| &round.investors)),
        lead_investors: union(rounds().map(|round| &round.lead_investors)),
    }
}

fn fuse_deal(best: &Deal, notices: &[&Notice]) -> Deal {
    let deals = || {
        notices.iter().filter_map(|notice| {
            if let Content::Acquisition(deal) = &notice.content { Some(deal) } else { None }
        })
    };
    let money = deals().find_map(|deal| deal.price.map(|price| (price, deal.currency.clone())));
    let (price, currency) = money.map_or((None, None), |(price, currency)| (Some(price), currency));
    Deal {
        acquirer: fuse_party(&best.acquirer, deals().map(|deal| &deal.acquirer)),
        target: fuse_party(&best.target, deals().map(|deal| &deal.target)),
        price,
        currency,
        announced_on: deals().map(|deal| deal.announced_on).min().unwrap_or(best.announced_on),
    }
}

/// Open while one board still has it.
fn fuse_posting(best: &Posting, notices: &[&Notice]) -> Posting {
    let postings = || {
        notices.iter().filter_map(|notice| {
            if let Content::Hiring(posting) = &notice.content { Some(posting) } else { None }
        })
    };
    let is_open = postings().any(|posting| posting.closed_at.is_none());
    Posting {
        department: postings().find_map(|posting| posting.department),
        seniority: postings().find_map(|posting| posting.seniority),
        posted_at: postings().map(|posting| posting.posted_at).min().unwrap_or(best.posted_at),
        closed_at: if is_open { None } else { postings().filter_map(|posting| posting.closed_at).max() },
        applicants: postings().find_map(|posting| posting.applicants),
        ..best.clone()
    }
}

fn fuse_move(best: &Move, notices: &[&Notice]) -> Move {
    let moves = || {
        notices.iter().filter_map(|notice| {
            if let Content::JobChange(change) = &notice.content { Some(change) } else { None }
        })
    };
    Move {
        kind: best.kind,
        from: moves().find_map(|change| change.from.clone()),
        to: moves().find_map(|change| change.to.clone()),
        announcement_post_url: moves().find_map(|change| change.announcement_post_url.clone()),
        announcement_text: moves().find_map(|change| change.announcement_text.clone()),
    }
}

/// In the order they were first named; two spellings of one count once.
fn union<'a>(lists: impl Iterator<Item = &'a Vec<String>>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    lists.flatten().filter(|name| seen.insert(assay_domain::name::fold_company(name))).cloned().collect()
}
