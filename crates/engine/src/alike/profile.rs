//! What is sought: the sources, weighed by how telling each thing they have is; and how alike a candidate is to them.

use super::aspect::Aspect;
use super::rarity::Rarity;
use super::reason::{Reason, tell};
use super::sketch::Sketch;
use assay_domain::Similarity;
use assay_index::{Feature, Term};
use std::collections::BTreeMap;

/// Alike in all of one aspect.
const WHOLE: u64 = 1_000;
/// Of which a country is this much, the rest region and city.
const COUNTRY: u64 = 400;
const REGION: u64 = 300;
const CITY: u64 = 300;
/// Companies are not alike in size any more when one is eight times as large: three doublings, in hundredths.
const DOUBLINGS_MAX: u64 = 300;
/// Nor in growth when their head counts changed by so many percent more or less.
const GROWTH_MAX: u64 = 30;
const NEXT_RANK: u64 = 500;

/// Sources and what makes them what they are.
#[derive(Debug)]
pub struct Profile {
    pub(super) sources: Vec<Sketch>,
    rarity: Rarity,
}

/// How alike a candidate is to the sources, and in what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Likeness {
    pub similarity: Similarity,
    /// What it consists of, the most telling first.
    pub reasons: Vec<Reason>,
}

impl Profile {
    pub fn new(sources: Vec<Sketch>, rarity: Rarity) -> Self {
        Self { sources, rarity }
    }

    /// What candidates are looked for by, and what having each of it is roughly worth.
    pub fn features(&self) -> Vec<(Feature, u32)> {
        let mut weights: BTreeMap<&Feature, u64> = BTreeMap::new();
        for source in &self.sources {
            for (aspect, weight) in source.weights {
                let all = self.sum(source, *aspect);
                for (feature, _) in source.of_aspect(*aspect) {
                    let part = self.part(feature).unwrap_or(0);
                    *weights.entry(feature).or_default() +=
                        (weight * WHOLE * part).checked_div(all).unwrap_or(0);
                }
            }
        }
        let rough = |weight: u64| u32::try_from(weight).unwrap_or(u32::MAX);
        weights.into_iter().map(|(feature, weight)| (feature.clone(), rough(weight))).collect()
    }

    /// The likeness to all sources together: what is alike to each of them counts for each.
    pub fn compare(&self, candidate: &Sketch) -> Likeness {
        let (mut whole, mut parts) = (0, BTreeMap::<Aspect, u64>::new());
        for source in &self.sources {
            for (aspect, weight) in source.weights {
                if let Some(alike) = self.alike(source, candidate, *aspect) {
                    whole += weight * WHOLE;
                    *parts.entry(*aspect).or_default() += weight * alike;
                }
            }
        }
        let all: u64 = parts.values().sum();
        let mut parts: Vec<(Aspect, u64)> = parts.into_iter().filter(|(_, part)| *part > 0).collect();
        parts.sort_by_key(|(aspect, part)| (std::cmp::Reverse(*part), *aspect));
        let worth = |feature: &Feature| self.part(feature).unwrap_or(0);
        let reason =
            |(aspect, part)| tell(&self.sources, candidate, aspect, Similarity::of(part, all), worth);
        Likeness { similarity: Similarity::of(all, whole), reasons: parts.into_iter().map(reason).collect() }
    }

    /// How alike two are in one aspect; none where the source says nothing of it.
    fn alike(&self, source: &Sketch, candidate: &Sketch, aspect: Aspect) -> Option<u64> {
        match aspect {
            Aspect::Description | Aspect::Technologies | Aspect::Title | Aspect::Skills => {
                self.overlap(source, candidate, aspect)
            }
            Aspect::Industry | Aspect::Department | Aspect::Location => {
                let all = self.sum(source, aspect);
                let had = source.of_aspect(aspect).filter(|(feature, _)| has(candidate, feature));
                let shared: u64 = had.filter_map(|(feature, _)| self.part(feature)).sum();
                (shared * WHOLE).checked_div(all)
            }
            Aspect::Size => {
                let of_candidate = candidate.employees.map(doublings);
                let apart = |of_source: u64| of_candidate.map(|other| other.abs_diff(of_source));
                source.employees.map(|employees| near(apart(doublings(employees)), DOUBLINGS_MAX))
            }
            Aspect::Growth => {
                let apart =
                    |percent: i32| candidate.growth_percent.map(|other| other.abs_diff(percent).into());
                source.growth_percent.map(|percent| near(apart(percent), GROWTH_MAX))
            }
            Aspect::Seniority => source.seniority.map(|rank| {
                match candidate.seniority.map(|other| other.index().abs_diff(rank.index())) {
                    Some(0) => WHOLE,
                    Some(1) => NEXT_RANK,
                    _ => 0,
                }
            }),
        }
    }

    /// Twice what both have of what each has. What only the candidate has counts as much as what the source has does on
    /// average, so that nobody is alike to everybody for having everything.
    fn overlap(&self, source: &Sketch, candidate: &Sketch, aspect: Aspect) -> Option<u64> {
        let (mut all, mut shared, mut count) = (0, 0, 0);
        for (feature, _) in source.of_aspect(aspect) {
            let Some(weight) = self.part(feature) else { continue };
            all += weight;
            count += 1;
            shared += if has(candidate, feature) { weight } else { 0 };
        }
        let mean = u64::checked_div(all, count)?;
        let others = candidate.of_aspect(aspect).filter(|(feature, _)| !has(source, feature));
        let others = u64::try_from(others.count()).unwrap_or(u64::MAX);
        let either = all + shared + others.saturating_mul(mean);
        (2 * shared * WHOLE).checked_div(either)
    }

    fn sum(&self, source: &Sketch, aspect: Aspect) -> u64 {
        source.of_aspect(aspect).filter_map(|(feature, _)| self.part(feature)).sum()
    }

    /// What a feature counts for within its aspect.
    fn part(&self, feature: &Feature) -> Option<u64> {
        match feature {
            Feature::Value(Term::Technology | Term::Skill, _) | Feature::Word(..) => {
                self.rarity.weight(feature)
            }
            Feature::Value(Term::Country, _) => Some(COUNTRY),
            Feature::Value(Term::Region, _) => Some(REGION),
            Feature::Value(Term::City, _) => Some(CITY),
            Feature::Value(..) => Some(WHOLE),
        }
    }
}

fn has(sketch: &Sketch, feature: &Feature) -> bool {
    sketch.features.contains_key(feature)
}

/// How alike what is so far apart is; not at all where one of them is not known.
fn near(apart: Option<u64>, most: u64) -> u64 {
    let left = apart.map_or(0, |apart| most.saturating_sub(apart));
    (left * WHOLE).checked_div(most).unwrap_or(0)
}

/// Hundredths of doublings from one, in steps that straight lines make between them.
fn doublings(count: u32) -> u64 {
    let count = u64::from(count.max(1));
    let whole = count.ilog2();
    u64::from(whole) * 100 + (((count - (1 << whole)) * 100) >> whole)
}
