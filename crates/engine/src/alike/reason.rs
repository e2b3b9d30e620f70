//! Why a candidate is alike, as it is told.

use super::aspect::Aspect;
use super::sketch::Sketch;
use assay_domain::Similarity;
use assay_domain::limits::ALIKE_VALUES_TOLD_MAX;
use assay_index::{Feature, Term};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// One aspect that makes two alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    pub aspect: Aspect,
    /// How much of the similarity it makes up.
    pub share: Similarity,
    pub text: String,
    /// What both have, where that can be named, the most telling first.
    pub shared: Vec<String>,
}

/// Says what a candidate has in common with the sources in one aspect.
pub(super) fn tell(
    sources: &[Sketch],
    candidate: &Sketch,
    aspect: Aspect,
    share: Similarity,
    worth: impl Fn(&Feature) -> u64,
) -> Reason {
    let named: BTreeMap<&Feature, &str> =
        sources.iter().flat_map(|source| source.of_aspect(aspect)).collect();
    let mut shared: Vec<(&Feature, &str)> = named
        .iter()
        .filter(|(feature, _)| candidate.features.contains_key(feature))
        .map(|(feature, shown)| (*feature, *shown))
        .collect();
    shared.sort_by_key(|(feature, _)| Reverse(worth(feature)));
    let counted = |what: &str| format!("{} of {} {what} shared", shared.len(), named.len());
    let text = match aspect {
        Aspect::Description => counted("words of the description"),
        Aspect::Technologies => counted("technologies"),
        Aspect::Skills => counted("skills"),
        Aspect::Title if is_whole(sources, candidate, aspect) => "same title".to_owned(),
        Aspect::Title => counted("words of the title"),
        Aspect::Industry => format!("same industry{}", of_how_many(sources, candidate, aspect)),
        Aspect::Department => format!("same department{}", of_how_many(sources, candidate, aspect)),
        Aspect::Location => format!("same {}", nearest(&shared)),
        Aspect::Size => "similar size".to_owned(),
        Aspect::Growth => "similar growth".to_owned(),
        Aspect::Seniority if shared.is_empty() => "neighbouring seniority".to_owned(),
        Aspect::Seniority => "same seniority".to_owned(),
    };
    let shared = shared.into_iter().map(|(_, shown)| shown.to_owned()).take(ALIKE_VALUES_TOLD_MAX).collect();
    Reason { aspect, share, text, shared }
}

/// As how many of several sources: they may differ in it.
fn of_how_many(sources: &[Sketch], candidate: &Sketch, aspect: Aspect) -> String {
    let is_shared = |source: &&Sketch| {
        source.of_aspect(aspect).any(|(feature, _)| candidate.features.contains_key(feature))
    };
    match (sources.iter().filter(is_shared).count(), sources.len()) {
        (alike, all) if alike < all => format!(" as {alike} of {all} sources"),
        _ => String::new(),
    }
}

/// Whether a candidate has all that any source has of it, and nothing else.
fn is_whole(sources: &[Sketch], candidate: &Sketch, aspect: Aspect) -> bool {
    let of =
        |sketch: &Sketch| sketch.of_aspect(aspect).map(|(feature, _)| feature.clone()).collect::<Vec<_>>();
    sources.iter().any(|source| of(source) == of(candidate))
}

fn nearest(shared: &[(&Feature, &str)]) -> &'static str {
    let has = |term: Term| {
        shared.iter().any(|(feature, _)| matches!(feature, Feature::Value(of, _) if *of == term))
    };
    match () {
        () if has(Term::City) => "city",
        () if has(Term::Region) => "region",
        () => "country",
    }
}
