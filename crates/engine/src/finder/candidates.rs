//! Candidates: the addresses somebody may have at a company, the likeliest first.

use std::collections::HashMap;

use assay_domain::PersonName;
use assay_domain::limits::FINDER_CANDIDATES_MAX;

use super::choice::{Topic, Way};
use super::habits::Habits;
use super::namesakes::{Commonness, Rivals};
use super::pattern::{PATTERNS, visit};
use super::probability::Probability;
use super::spelling::writings;

/// Octets before the @ (RFC 5321).
const LOCAL_OCTETS_MAX: usize = 64;
/// Not everybody who works at a company has a mailbox there that follows from the name.
const HAS_MAILBOX: Probability = Probability::per_mille(990);
/// Ranks among namesakes that are thought of beyond those that are known.
const RANKS_BEYOND: u32 = 2;
/// The least that counts for the first place behind all known namesakes.
const NEXT_LEAST: Probability = Probability::per_mille(1);

/// An address somebody may have.
#[derive(Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What stands before the @.
    pub local: String,
    /// That it is the address of the one who is asked for. What is missing to one is: none of the candidates.
    pub probability: Probability,
    /// Which candidates differ only by a number.
    pub(super) stem: usize,
    /// The place among the namesakes who share the stem, from one.
    pub(super) rank: u32,
    /// The place of the pattern in the table.
    pub(super) place: usize,
    pub(super) rivals: Rivals,
    /// That whoever has this place among the namesakes has it written so.
    pub(super) shown: Probability,
    /// That it exists and is somebody else's, when the one who is asked for has an address of the same pattern; of another.
    pub(super) foreign: [Probability; 2],
    /// That the stem is somebody else's and the one who is asked for therefore has an address that is none of the candidates.
    pub(super) displaced: Probability,
}

impl std::fmt::Debug for Candidate {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Candidate(***, {:?})", self.probability)
    }
}

/// An address without a number, in all the ways that lead to it.
struct Stem {
    probability: Probability,
    /// The pattern that leads to it most often.
    place: usize,
    best: Probability,
}

/// The likeliest first; distinct; their probabilities add up to one at most.
pub fn candidates(name: &PersonName, habits: &Habits) -> Vec<Candidate> {
    let commonness = Commonness::of(name);
    let mut candidates: Vec<Candidate> = Vec::new();
    for (number, (local, stem)) in stems(name, habits).into_iter().enumerate() {
        candidates.extend(ranked(number, &local, &stem, habits, commonness));
    }
    candidates.retain(|candidate| {
        candidate.probability > Probability::NEVER && candidate.local.len() <= LOCAL_OCTETS_MAX
    });
    candidates.sort_by(|one, other| {
        other.probability.cmp(&one.probability).then_with(|| one.local.cmp(&other.local))
    });
    // A number can also be part of a name.
    let mut seen = std::collections::HashSet::new();
    candidates.retain(|candidate| seen.insert(candidate.local.clone()));
    candidates.truncate(FINDER_CANDIDATES_MAX);
    candidates
}

fn stems(name: &PersonName, habits: &Habits) -> Vec<(String, Stem)> {
    let mut stems: HashMap<String, Stem> = HashMap::new();
    visit(&writings(name), |written| {
        if written.local.is_empty() || written.local.len() > LOCAL_OCTETS_MAX {
            return;
        }
        let likelihood = habits.likelihood(written);
        match stems.get_mut(written.local) {
            None => {
                let stem = Stem { probability: likelihood, place: written.place, best: likelihood };
                stems.insert(written.local.to_owned(), stem);
            }
            Some(stem) => {
                stem.probability = stem.probability.plus(likelihood);
                if likelihood > stem.best {
                    (stem.best, stem.place) = (likelihood, written.place);
                }
            }
        }
    });
    let mut stems: Vec<(String, Stem)> = stems.into_iter().collect();
    stems.sort_by(|one, other| other.1.probability.cmp(&one.1.probability).then_with(|| one.0.cmp(&other.0)));
    stems.truncate(FINDER_CANDIDATES_MAX);
    stems
}

/// A stem by itself, and with the numbers of those who come after a namesake.
fn ranked(
    number: usize,
    local: &str,
    stem: &Stem,
    habits: &Habits,
    commonness: Commonness,
) -> Vec<Candidate> {
    let Some((pattern, _)) = PATTERNS.get(stem.place) else { return Vec::new() };
    let rivals = habits.rivals(commonness, pattern.shape);
    let shares = rank_shares(local, habits, rivals);
    // Whoever is known to have a place has somebody at each place before it, who need not be the one who is asked for.
    let rivals = rivals.with_known(habits.highest_taken(local).saturating_sub(1));
    let whole = stem.probability.times(HAS_MAILBOX);
    let numbered = habits.share((Topic::Namesake, Way::Numbered));
    let foreign = [true, false].map(|is_same| rivals.any(habits.colleague_share(stem.place, is_same)));
    let candidate = |local: String, rank: u32, shown: Probability, share: Probability| {
        let probability = whole.times(share).times(shown);
        let taken = habits.taken(&stem_key(&local, rank), rank);
        let foreign = foreign.map(|share| share.max(taken));
        let displaced = Probability::NEVER;
        Candidate {
            local,
            probability,
            stem: number,
            rank,
            place: stem.place,
            rivals,
            shown,
            foreign,
            displaced,
        }
    };
    let mut found = Vec::new();
    for (rank, share) in (1..).zip(shares) {
        if rank == 1 {
            found.push(candidate(local.to_owned(), rank, Probability::CERTAIN, share));
            continue;
        }
        for (way, shown) in [(Way::FromTwo, rank), (Way::FromOne, rank - 1)] {
            let usual = numbered.times(habits.share((Topic::Count, way)));
            found.push(candidate(format!("{local}{shown}"), rank, usual, share));
        }
    }
    let named = found.iter().fold(Probability::NEVER, |sum, one| sum.plus(one.probability));
    if let Some(first) = found.first_mut() {
        first.displaced = whole.minus(named);
    }
    found
}

fn stem_key(local: &str, rank: u32) -> String {
    if rank == 1 { local.to_owned() } else { super::pattern::split_number(local).0.to_owned() }
}

/// How likely each place among the namesakes is, the first place first. Of k + 1 people each is as likely to have come first, and
/// for a Poisson count of others that makes the place r as likely as that there are at least r of them. Places that others are
/// known to have are left out, as far as that is sure.
fn rank_shares(local: &str, habits: &Habits, rivals: Rivals) -> Vec<Probability> {
    let highest = habits.highest_taken(local);
    let last = highest.max(1).max(habits.doubles()) + RANKS_BEYOND;
    let free = normalised((1..=last).map(|rank| tail(rivals, 1, rank)).collect());
    if highest == 0 {
        return free;
    }
    let sure = (1..=highest).map(|rank| habits.taken(local, rank)).max().unwrap_or(Probability::NEVER);
    let behind = (1..=last).map(|rank| match tail(rivals, highest, rank) {
        _ if habits.taken(local, rank) > Probability::NEVER => Probability::NEVER,
        // Who is asked for is there, however few were expected.
        share if rank == highest + 1 => share.max(NEXT_LEAST),
        share => share,
    });
    let behind = normalised(behind.collect());
    let mix =
        |(free, behind): (&Probability, &Probability)| free.times(sure.complement()).plus(behind.times(sure));
    free.iter().zip(&behind).map(mix).collect()
}

/// That there are as many as a rank, when there are as many as the base at least.
fn tail(rivals: Rivals, base: u32, rank: u32) -> Probability {
    (base..rank).fold(Probability::CERTAIN, |all, behind| all.times(rivals.another(behind)))
}

fn normalised(weights: Vec<Probability>) -> Vec<Probability> {
    let total: u128 = weights.iter().map(|weight| u128::from(weight.billionths())).sum();
    weights.iter().map(|weight| Probability::of(u128::from(weight.billionths()), total)).collect()
}
