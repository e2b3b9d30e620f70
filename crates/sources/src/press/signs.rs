//! How sure a reading is: everybody who can read a release says what it announces, and signs tell whom to believe.
//!
//! What a sign is worth was counted over the labelled releases: two points double the odds that a reading is right. Whoever adds
//! a way of reading or a sign counts anew (docs/decisions/0039).

use super::actors::{Actor, actors};
use super::deal::deal;
use super::funding::{round, speaks_of_round};
use super::name::is_legal_form;
use super::naming::is_same;
use super::proof::{named, support};
use super::roles::{Part, parts};
use super::scene::Scene;
use super::sense::{is_aside, is_equity};
use super::text::Passage;
use super::{Announced, Story, granted, merge, retold, sure, veto, weigh};
use crate::money::Money;
use assay_domain::Confidence;

/// Who says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Headline and first sentences, put together.
    Merged,
    /// What is said of all sides of a purchase.
    Weighed,
    /// Sentences that leave out who is meant.
    Retold,
    /// One sentence alone.
    Sure,
    /// Whom the release is about, whoever its sentences name.
    Granted,
}

#[derive(Debug)]
pub(super) struct Reading {
    pub way: Way,
    pub found: Announced,
}

/// A reading among the others of the same release.
struct Case<'a> {
    story: &'a Story<'a>,
    actors: &'a [Actor],
    parts: &'a [Part],
    all: &'a [Reading],
    found: &'a Announced,
}

/// What a sign is worth where it is seen.
type Sign = (i32, fn(&Case<'_>) -> bool);

/// What every reading begins with.
const ROUND_START: i32 = -6;
const ROUND_SIGNS: &[Sign] = &[
    (2, |it| it.is_said(Way::Merged)),
    (-4, |it| it.is_denied(Way::Merged)),
    (-2, |it| it.is_denied(Way::Retold)),
    (-3, |it| it.is_denied(Way::Granted)),
    // Whom the release is about.
    (2, |it| it.lead() >= 1),
    (2, |it| it.lead() >= 4),
    (-2, |it| it.is_named_once()),
    // Its sum: beside a round, more than once, and the same for everybody.
    (3, |it| it.places().any(speaks_of_round)),
    (3, |it| it.places().count() > 1),
    (-3, |it| it.has_other_sum()),
    // Words of rounds.
    (1, |it| it.is_equity()),
    (1, |it| it.story.title.has(it.story.language().raises)),
    (2, |it| speaks_of_round(&it.story.title)),
    (1, |it| it.begins_with_round()),
    (1, |it| it.actors.iter().any(|actor| actor.gives)),
    // Words of plans and of purchases.
    (-1, |it| retold::is_uncertain(it.story)),
    (-4, |it| it.rival(it.names().0, buys) >= SIDE_MIN || it.rival(it.names().0, is_bought) >= SIDE_MIN),
    (-2, |it| deal(&it.story.title, it.story.year).is_some() && !it.is_headed_by_round()),
    (2, |it| it.is_short()),
];
const PURCHASE_START: i32 = -4;
const PURCHASE_SIGNS: &[Sign] = &[
    (2, |it| it.is_said(Way::Merged)),
    (-3, |it| it.is_denied(Way::Merged)),
    (-2, |it| it.has_other_sum()),
    (1, |it| it.begins_with_purchase()),
    // What is bought is had as companies are, and described.
    (1, |it| support(it.story, it.names().1) >= 2),
    (1, |it| support(it.story, it.names().1) >= 4),
    (1, |it| it.actor(it.names().1).is_some_and(|actor| actor.places >= 3)),
    (1, |it| it.actor(it.names().1).is_some_and(|actor| actor.is_described)),
    // The words beside both names, and beside all others.
    (1, |it| it.part(it.names().0).buys >= 2 * SIDE_MIN),
    (2, |it| is_bought(&it.part(it.names().1)) - it.rival(it.names().1, is_bought) >= SIDE_MIN),
    (-2, |it| it.part(it.names().1).buys + it.part(it.names().1).sells > 0),
    (-2, |it| it.rival(it.names().0, buys) >= SIDE_MIN),
    (-1, |it| it.rival(it.names().1, is_bought) >= SIDE_MIN),
    // The headline has two others, or raises first; or a side is a place, a person or a noun.
    (-3, |it| veto::is_other_than_headline(it.story, it.actors, it.found)),
    (-4, |it| it.is_headed_by_round()),
    (-2, |it| veto::names_nobody_firm(it.actors, it.found)),
    // Names that may be cut: hardly there, longer elsewhere, of one word.
    (-2, |it| it.is_named_once()),
    (-5, |it| it.has_longer_form()),
    (2, |it| it.names().0.contains(' ') && it.names().1.contains(' ')),
    (4, |it| it.is_short()),
];
/// What is said at least of somebody as a side of a purchase.
const SIDE_MIN: i32 = 2;

/// How often, in percent, readings of at least so many points are right.
const SURE: &[(i32, u8)] = &[(10, 98), (8, 96), (6, 92), (5, 88), (4, 82), (3, 75), (2, 70), (1, 60)];

/// The reading that has most points; none when even that is not sure enough.
pub(super) fn surest(story: &Story<'_>, all: &[Reading]) -> Option<Announced> {
    // Whom a release is about tells whose a round is, and not that there is one.
    if all.iter().all(|reading| reading.way == Way::Granted) {
        return None;
    }
    let actors = actors(story);
    let parts = parts(story, actors).unwrap_or_default();
    let case = |reading: &Reading| Case { story, actors, parts: &parts, all, found: &reading.found }.points();
    let mut best: Option<(i32, &Reading)> = None;
    for reading in all {
        let points = case(reading);
        if best.is_none_or(|(most, _)| points > most) {
            best = Some((points, reading));
        }
    }
    let (points, reading) = best?;
    let (_, percent) = SURE.iter().find(|(least, _)| points >= *least)?;
    Some(reading.found.clone().with_confidence(Confidence::percent(*percent)))
}

/// What everybody says of a release, the same first who says it of both headline and body.
pub(super) fn readings(story: &Story<'_>) -> Vec<Reading> {
    let all = [
        (Way::Merged, merge::read(story)),
        (Way::Weighed, weigh::read(story)),
        (Way::Retold, retold::read(story)),
        (Way::Sure, sure::purchase(story)),
        (Way::Sure, sure::funding(story)),
        (Way::Granted, granted::read(story)),
    ];
    let is_money =
        |found: &Announced| matches!(found, Announced::Acquisition { .. }) || !veto::pays_for_else(story);
    let all = all.into_iter().filter_map(|(way, found)| Some((way, named(story, found?)?)));
    all.filter(|(_, found)| is_money(found)).map(|(way, found)| Reading { way, found }).collect()
}

fn buys(part: &Part) -> i32 {
    part.buys - part.is_bought - part.sells
}

fn is_bought(part: &Part) -> i32 {
    part.is_bought - part.buys - part.sells
}

/// Whether two readings are of one event.
fn is_alike(one: &Announced, two: &Announced) -> bool {
    match (one, two) {
        (Announced::Funding { company: one, .. }, Announced::Funding { company: two, .. }) => {
            is_same(one, two)
        }
        (
            Announced::Acquisition { acquirer, target, .. },
            Announced::Acquisition { acquirer: buyer, target: bought, .. },
        ) => is_same(acquirer, buyer) && is_same(target, bought),
        _ => false,
    }
}

/// A name without its legal form, case and marks.
pub(super) fn bare(name: &str) -> String {
    let passage = Passage::new(name);
    let words = passage.tokens.iter().filter(|token| !is_legal_form(token));
    words.flat_map(|token| token.lower.chars()).filter(|letter| letter.is_alphanumeric()).collect()
}

impl Case<'_> {
    fn points(&self) -> i32 {
        let (start, signs) = match self.found {
            Announced::Funding { .. } => (ROUND_START, ROUND_SIGNS),
            Announced::Acquisition { .. } => (PURCHASE_START, PURCHASE_SIGNS),
        };
        start + signs.iter().filter(|(_, is_seen)| is_seen(self)).map(|(points, _)| points).sum::<i32>()
    }

    /// Whoever raises; who buys and who is bought.
    fn names(&self) -> (&str, &str) {
        match self.found {
            Announced::Funding { company, .. } => (company, company),
            Announced::Acquisition { acquirer, target, .. } => (acquirer, target),
        }
    }

    fn sum(&self) -> Option<Money> {
        match self.found {
            Announced::Funding { amount: sum, .. } | Announced::Acquisition { price: sum, .. } => *sum,
        }
    }

    fn is_said(&self, way: Way) -> bool {
        self.all.iter().any(|other| other.way == way && is_alike(&other.found, self.found))
    }

    /// Whether that way something else is read.
    fn is_denied(&self, way: Way) -> bool {
        self.all.iter().any(|other| other.way == way) && !self.is_said(way)
    }

    /// The others who say that it is a round, or a purchase, as this one does.
    fn others(&self) -> impl Iterator<Item = Case<'_>> {
        let kind = std::mem::discriminant(self.found);
        let others = self.all.iter().filter(move |other| std::mem::discriminant(&other.found) == kind);
        others.map(|other| Case { found: &other.found, ..*self })
    }

    fn has_other_sum(&self) -> bool {
        self.others().any(|other| other.sum() != self.sum())
    }

    /// Whether somebody else reads more of a name. Where nouns have capitals, those before a name describe it.
    fn has_longer_form(&self) -> bool {
        let describes = self.story.language().has_capital_nouns();
        let is_longer = |one: &str, two: &str| {
            let (one, two) = (bare(one), bare(two));
            let more =
                one.strip_prefix(two.as_str()).or(one.strip_suffix(two.as_str()).filter(|_| !describes));
            // `Klinikums` is no other name.
            more.is_some_and(|more| !more.is_empty() && more != "s")
        };
        self.others().any(|other| {
            is_longer(other.names().0, self.names().0) || is_longer(other.names().1, self.names().1)
        })
    }

    fn actor(&self, name: &str) -> Option<&Actor> {
        self.actors.iter().find(|actor| actor.is_called(name))
    }

    /// How much more the release is about whoever raises than about anybody else who does not give.
    fn lead(&self) -> usize {
        let name = self.names().0;
        let weight = self.actor(name).map_or(0, Actor::weight);
        let is_rival = |actor: &&Actor| actor.is_firm() && !actor.gives && !actor.is_called(name);
        let rival = self.actors.iter().filter(is_rival).map(Actor::weight).max();
        weight.saturating_sub(rival.unwrap_or_default())
    }

    fn part(&self, name: &str) -> Part {
        let place = self.actors.iter().position(|actor| actor.is_called(name));
        place.and_then(|at| self.parts.get(at)).copied().unwrap_or_default()
    }

    /// How much is said of anybody else as a side.
    fn rival(&self, name: &str, worth: fn(&Part) -> i32) -> i32 {
        let place = self.actors.iter().position(|actor| actor.is_called(name));
        let others = self.parts.iter().enumerate().filter(|(at, _)| Some(*at) != place);
        others.map(|(_, part)| worth(part)).max().unwrap_or_default().max(0)
    }

    /// The headline and the sentences that have its sum.
    fn places(&self) -> impl Iterator<Item = &Scene<'_>> {
        let scenes = std::iter::once(&self.story.title).chain(&self.story.body);
        scenes.filter(|scene| scene.sums.iter().any(|sum| Some(sum.money) == self.sum()))
    }

    fn is_equity(&self) -> bool {
        matches!(self.found, Announced::Funding { stage: Some(stage), .. } if is_equity(*stage))
    }

    /// Whether the first sentence tells of a round in its main clause.
    fn begins_with_round(&self) -> bool {
        self.story.body.first().is_some_and(|first| {
            round(first, true, self.story.year).is_some_and(|found| !is_aside(first, found.at))
        })
    }

    /// Whether the first sentence tells of a purchase with both sides.
    fn begins_with_purchase(&self) -> bool {
        let first = self.story.body.first();
        first.is_some_and(|first| deal(first, self.story.year).is_some_and(|found| found.is_whole()))
    }

    /// Whether the headline raises before it buys: `A raises $70 million, buys B`.
    fn is_headed_by_round(&self) -> bool {
        let (title, year) = (&self.story.title, self.story.year);
        let bought = deal(title, year);
        bought.is_some_and(|bought| round(title, true, year).is_some_and(|raised| raised.at < bought.at))
    }

    /// A few sentences have no room for what longer releases repeat. No fresh release is as short: what this is worth was
    /// counted only where the grammar was written for the text.
    fn is_short(&self) -> bool {
        const SHORT_BYTES: usize = 300;
        self.story.whole.len() < SHORT_BYTES
    }

    /// Whether a side is named only once.
    fn is_named_once(&self) -> bool {
        let texts = || std::iter::once(self.story.title.passage.text).chain([self.story.whole]);
        let places = |name: &str| texts().map(|text| text.matches(name).count()).sum::<usize>();
        places(self.names().0) < 2 || places(self.names().1) < 2
    }
}
