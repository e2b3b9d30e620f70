//! What grammar and choice make of a release together: the one reads sentences, the other weighs everybody who is named.

use super::choice::{Chosen, View, chosen};
use super::signs::{bare, readings, surest};
use super::{Announced, Story};
use crate::money::Money;
use assay_domain::Confidence;

/// How likely a choice is at least, in percent, and how often it is then right: counted over releases that it was not made by.
type Steps = &'static [(i64, u8)];
/// When the grammar reads the same.
const SAME: Steps = &[(95, 98), (90, 95), (80, 93), (50, 82)];
/// When the grammar reads something else.
const OTHER: Steps = &[(95, 96), (80, 90), (50, 75)];
/// When the grammar reads nothing. Below, hardly two of three are right, and what is wrong harms more than what is missed.
const ALONE: Steps = &[(95, 96), (90, 90), (80, 81), (70, 73)];
/// Of the grammar alone only what it is so sure of is told, and less surely.
const GRAMMAR_MIN: u8 = 92;
const GRAMMAR: Confidence = Confidence::percent(65);

/// A few sentences have no room for what marks are seen by; the grammar was written for such.
const SHORT_BYTES: usize = 300;

/// What a release announces; none when that is not sure enough.
pub(super) fn told(story: &Story<'_>) -> Option<Announced> {
    let readings = readings(story);
    let read = surest(story, &readings);
    if is_short(story) {
        return read;
    }
    let view = View::new(story, &readings);
    settle(read, chosen(&view))
}

/// What both say, and how sure that is.
pub fn settle(read: Option<Announced>, chosen: Option<Chosen>) -> Option<Announced> {
    let Some(Chosen { found, percent }) = chosen else {
        let is_sure = |read: &Announced| sure(read).as_percent() >= GRAMMAR_MIN;
        return read.filter(is_sure).map(|read| read.with_confidence(GRAMMAR));
    };
    let worth = |steps: Steps| steps.iter().find(|(least, _)| percent >= *least).map(|(_, sure)| *sure);
    match read {
        Some(read) if is_alike(&read, &found) => {
            worth(SAME).map(|sure| read.with_confidence(Confidence::percent(sure)))
        }
        // What nobody is sure of is told as the grammar has it.
        Some(read) => match worth(OTHER) {
            Some(sure) => Some(found.with_confidence(Confidence::percent(sure))),
            None => Some(read)
                .filter(|it| sure(it).as_percent() >= GRAMMAR_MIN)
                .map(|it| it.with_confidence(GRAMMAR)),
        },
        None => worth(ALONE).map(|sure| found.with_confidence(Confidence::percent(sure))),
    }
}

pub(super) fn is_short(story: &Story<'_>) -> bool {
    story.whole.len() < SHORT_BYTES
}

fn sure(found: &Announced) -> Confidence {
    let (Announced::Funding { confidence, .. } | Announced::Acquisition { confidence, .. }) = found;
    *confidence
}

/// Whether what is read and what is chosen are of the same names and the same sum.
pub fn is_alike(one: &Announced, two: &Announced) -> bool {
    let same = |one: &str, two: &str| bare(one) == bare(two);
    // A sum that only the grammar sees is told.
    let agrees = |read: &Option<Money>, found: &Option<Money>| found.is_none() || read == found;
    match (one, two) {
        (
            Announced::Funding { company: one, amount: sum, .. },
            Announced::Funding { company: two, amount: other, .. },
        ) => same(one, two) && agrees(sum, other),
        (
            Announced::Acquisition { acquirer, target, price, .. },
            Announced::Acquisition { acquirer: buyer, target: bought, price: other, .. },
        ) => same(acquirer, buyer) && same(target, bought) && agrees(price, other),
        _ => false,
    }
}
