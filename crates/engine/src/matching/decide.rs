//! From evidence to a decision: whose record it is, or who is asked for.

use super::calibration::{link_confidence, query_confidence};
use super::evidence::{Evidence, Rarity, compare};
use super::profile::Profile;
use super::reason::Reason;
use super::weights::{self, LINK_BY_NAME_ENOUGH, LINK_ENOUGH, LINK_MARGIN, Weight};
use assay_domain::Confidence;

/// More namesakes make a name no commoner.
const NAMESAKES_COUNTED_MAX: usize = 16;

/// What to do with a record. The numbers are places among the candidates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Link(usize),
    /// The record belongs to all of these, who are one person; the best first.
    Merge(Vec<usize>),
    /// Nobody's, or nobody can say whose.
    New,
}

/// A decision, and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    pub decision: Decision,
    /// The place of the best candidate, if there is one.
    pub best: Option<usize>,
    /// What speaks for the best candidate.
    pub evidence: Evidence,
    /// By how much the best is better than the next who is somebody else.
    pub margin: Weight,
    /// How sure a link is; how sure it would have been when there is none.
    pub confidence: Confidence,
}

/// A candidate for a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranked {
    /// The place among the candidates.
    pub candidate: usize,
    pub evidence: Evidence,
    /// By how much it is better than the best of the others; below zero for all but the first.
    pub margin: Weight,
    pub confidence: Confidence,
}

/// Whose record it is. Candidates are people that share a key or an identifier with it, each once.
pub fn settle(record: &Profile, candidates: &[&Profile]) -> Settled {
    let (ranked, rarity) = weighed(record, candidates);
    let Some((best, evidence)) = ranked.first().copied() else {
        return Settled {
            decision: Decision::New,
            best: None,
            evidence: Evidence::default(),
            margin: Weight::MAX,
            confidence: Confidence::percent(0),
        };
    };
    let mut same = Same { places: vec![best], joined: None };
    let mut margin = Weight::MAX;
    for (candidate, next) in ranked.iter().skip(1) {
        let is_one = is_enough(next) && same.take_in(record, candidates, *candidate, rarity);
        if !is_one && (!next.is_named_alike() || is_other(candidates, best, *candidate)) {
            margin = margin.min(evidence.weight - next.weight);
        }
    }
    let decision = match (is_enough(&evidence) && margin >= LINK_MARGIN, same.places.len()) {
        (false, _) => Decision::New,
        (true, 1) => Decision::Link(best),
        (true, _) => Decision::Merge(same.places),
    };
    Settled {
        decision,
        best: Some(best),
        evidence,
        margin,
        confidence: link_confidence(evidence.weight, margin),
    }
}

fn is_enough(evidence: &Evidence) -> bool {
    let least = if evidence.is_name_only() { LINK_BY_NAME_ENOUGH } else { LINK_ENOUGH };
    // Colleagues of one family name, with one title in one city, are two all the same.
    let is_named = evidence.is_named_alike() || evidence.has_identifier();
    evidence.weight >= least && is_named && evidence.is_credible()
}

/// Candidates that a record shows to be one person, and what is known of them together.
struct Same {
    places: Vec<usize>,
    joined: Option<Profile>,
}

impl Same {
    /// Adds a candidate if, with the record, they are the same.
    fn take_in(&mut self, record: &Profile, candidates: &[&Profile], place: usize, rarity: Rarity) -> bool {
        let first = || self.places.first().and_then(|best| candidates.get(*best));
        let joined = self.joined.take().or_else(|| {
            first().map(|best| {
                let mut joined = Profile::clone(best);
                joined.absorb(record);
                joined
            })
        });
        let (Some(mut joined), Some(other)) = (joined, candidates.get(place)) else { return false };
        let between = compare(&joined, other, rarity);
        let is_one = !between.has_conflict() && is_enough(&between);
        if is_one {
            joined.absorb(other);
            self.places.push(place);
        }
        self.joined = Some(joined);
        is_one
    }
}

/// Who may be asked for, the likeliest first.
pub fn rank(question: &Profile, candidates: &[&Profile]) -> Vec<Ranked> {
    let (mut ranked, _) = weighed(question, candidates);
    for (_, evidence) in &mut ranked {
        if evidence.reasons.has(Reason::OtherEmployer) {
            evidence.weight += weights::NEVER_THERE;
        }
    }
    sort(&mut ranked, candidates);
    let weight_at = |place: usize| ranked.get(place).map(|(_, evidence)| evidence.weight);
    let place = |(place, (candidate, evidence)): (usize, &(usize, Evidence))| {
        let rival = if place == 0 { weight_at(1) } else { weight_at(0) };
        let margin = rival.map_or(Weight::MAX, |rival| evidence.weight - rival);
        let confidence = query_confidence(evidence.weight, margin);
        Ranked { candidate: *candidate, evidence: *evidence, margin, confidence }
    };
    ranked.iter().enumerate().map(place).collect()
}

/// All candidates by their weight; and how rare the name is among them.
fn weighed(record: &Profile, candidates: &[&Profile]) -> (Vec<(usize, Evidence)>, Rarity) {
    let mut ranked: Vec<(usize, Evidence)> =
        candidates.iter().map(|candidate| compare(record, candidate, Rarity::UNKNOWN)).enumerate().collect();
    sort(&mut ranked, candidates);
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let rarity = Rarity {
        namesakes: count(namesakes(&ranked, candidates)),
        family: count(ranked.iter().filter(|(_, evidence)| evidence.is_family_alike()).count()),
    };
    for (_, evidence) in &mut ranked {
        *evidence = evidence.among(rarity);
    }
    sort(&mut ranked, candidates);
    (ranked, rarity)
}

/// How many people of the name there are for certain.
fn namesakes(ranked: &[(usize, Evidence)], candidates: &[&Profile]) -> usize {
    let mut alike = ranked.iter().filter(|(_, evidence)| evidence.is_named_alike()).map(|(place, _)| *place);
    let Some(best) = alike.next() else { return 0 };
    1 + alike.take(NAMESAKES_COUNTED_MAX).filter(|other| is_other(candidates, best, *other)).count()
}

/// Whether two candidates are two people for certain. Who contradicts another in nothing may be the same person, not
/// recognised as such before.
fn is_other(candidates: &[&Profile], one: usize, other: usize) -> bool {
    let (Some(one), Some(other)) = (candidates.get(one), candidates.get(other)) else { return true };
    let between = compare(one, other, Rarity::UNKNOWN);
    !between.is_named_alike() || between.has_conflict() || between.reasons.has(Reason::SameSource)
}

/// The best first. Of equal ones the one of whom more is known, and then whichever: only not by where it stood.
fn sort(ranked: &mut [(usize, Evidence)], candidates: &[&Profile]) {
    ranked.sort_by(|(one, ones), (other, others)| {
        let (one, other) = (candidates.get(*one), candidates.get(*other));
        let known = |profile: Option<&&Profile>| profile.map(|profile| profile.values_known());
        let by_weight = others.weight.cmp(&ones.weight);
        by_weight.then_with(|| known(other).cmp(&known(one))).then_with(|| one.cmp(&other))
    });
}
