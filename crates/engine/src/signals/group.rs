//! Which of many notices tell of one event. The same notices make the same groups, in whatever order they came.

use super::same::{ONE_EVENT, Reading, TWO_EVENTS, weigh_events};
use assay_store::graph::HeldNotice;

/// Groups by places in `all`. Those that are surest to belong together are put together first, and nobody is put to a group in which
/// somebody cannot be of the same event.
pub(super) fn group(all: &[HeldNotice]) -> Vec<Vec<usize>> {
    let readings: Vec<Reading<'_>> = all.iter().map(Reading::of).collect();
    let mut pairs = Vec::new();
    let mut apart = Vec::new();
    for (at, one) in readings.iter().enumerate() {
        for (after, other) in readings.iter().enumerate().skip(at + 1) {
            let weight = weigh_events(one, other);
            if weight >= ONE_EVENT {
                pairs.push((std::cmp::Reverse(weight), one.days_from(other), names(one, other), at, after));
            } else if weight <= TWO_EVENTS {
                apart.push((at, after));
            }
        }
    }
    pairs.sort();
    let mut group_of: Vec<usize> = (0..all.len()).collect();
    for (.., at, after) in pairs {
        let of = |place: usize| group_of.get(place).copied().unwrap_or(place);
        let (to, from) = (of(at).min(of(after)), of(at).max(of(after)));
        let parts = |place: usize| (of(place) == to, of(place) == from);
        let is_split = |(one, other): &(usize, usize)| {
            matches!((parts(*one), parts(*other)), ((true, _), (_, true)) | ((_, true), (true, _)))
        };
        if to != from && !apart.iter().any(is_split) {
            group_of.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
        }
    }
    let firsts = (0..all.len()).filter(|place| group_of.get(*place) == Some(place));
    let members = |first: usize| {
        (0..all.len()).filter(|place| group_of.get(*place) == Some(&first)).collect::<Vec<_>>()
    };
    firsts.map(members).collect()
}

/// What decides between pairs of one weight, whoever came first.
fn names<'a>(one: &Reading<'a>, other: &Reading<'a>) -> [(&'a str, &'a str); 2] {
    let mut names = [one, other].map(|it| (it.held.source.as_str(), it.held.notice.reference.as_str()));
    names.sort_unstable();
    names
}
