//! A purchase that no one sentence tells in full: who buys and who is bought by what all places of both say.

use super::actors::{Actor, actors};
use super::amount::paid;
use super::granted::tells;
use super::naming::{canonical, is_in_title, is_same};
use super::proof::LONG_BYTES;
use super::roles::{Part, parts};
use super::scene::Scene;
use super::sense::{is_equity, is_public};
use super::stage::stage;
use super::{Announced, Story, UNWEIGHED};

/// What is said at least of each side.
const SIDE_MIN: i32 = 2;
/// How much a release is about whoever is a side though nothing says so, and how much less about anybody else.
const WEIGHT_MIN: usize = 4;
const MARGIN: usize = 2;

/// The purchase of a release, by what is said of all who are named in it.
pub(super) fn read(story: &Story<'_>) -> Option<Announced> {
    // A long release has a sentence that tells all.
    if story.whole.len() >= LONG_BYTES || is_round(story) || buys_thing(story) {
        return None;
    }
    let actors = actors(story);
    let parts = parts(story, actors)?;
    let all = || actors.iter().zip(&parts);
    let bought = |part: &Part| part.is_bought - part.buys - part.sells;
    let buys = |part: &Part| part.buys - part.is_bought - part.sells;
    let buyer = best(all(), buys);
    let target = best(all(), bought);
    let (acquirer, target) = match (buyer, target) {
        (Some(buyer), Some(target)) => (buyer.0, target.0),
        // Under a headline about something else both sides must be told.
        (Some(_), None) | (None, Some(_)) if story.is_about_else() => return None,
        (Some(buyer), None) => (buyer.0, other(all(), buyer)?),
        (None, Some(target)) => (other(all(), target)?, target.0),
        (None, None) => return None,
    };
    // A headline that names nobody leaves it to the first sentences.
    let is_headed = is_in_title(story, &acquirer.name)
        || is_in_title(story, &target.name)
        || !actors.iter().any(|actor| actor.is_titled && actor.is_firm()) && is_new(story);
    let is_noun = acquirer.is_noun || target.is_noun;
    if !is_headed || is_public(story, &acquirer.name) || target.is_person || is_noun {
        return None;
    }
    let scenes = story.body.iter().collect::<Vec<_>>();
    let price = paid(&story.title, &scenes, story.year);
    let (acquirer, target) = (canonical(story, acquirer.name.clone()), canonical(story, target.name.clone()));
    let is_other = !is_same(&acquirer, &target);
    is_other.then_some(Announced::Acquisition { acquirer, target, price, confidence: UNWEIGHED })
}

/// Whether the first sentences tell of a round, or of a share that gives no control, under a headline that sells nothing.
fn is_round(story: &Story<'_>) -> bool {
    const SENTENCES: usize = 3;
    let language = story.language();
    let of_round = |scene: &Scene<'_>| stage(scene).is_some_and(is_equity) && tells(story, scene);
    let of_part = |scene: &Scene<'_>| scene.says(scene.tokens(), language.minority);
    let mut first = std::iter::once(&story.title).chain(story.body.iter().take(SENTENCES));
    first.clone().any(of_part) || !is_sale(story) && first.any(of_round)
}

/// `has acquired the publishing rights to B`.
fn buys_thing(story: &Story<'_>) -> bool {
    const OBJECT_WORDS: usize = 7;
    let language = story.language();
    std::iter::once(&story.title).chain(story.body.iter().take(2)).any(|scene| {
        let Some(hit) = scene.find(language.buys, 0) else { return false };
        let named = scene.runs.iter().find(|run| run.from >= hit.to).map_or(usize::MAX, |run| run.from);
        let thing = scene.find_said(language.things, hit.to, hit.to + OBJECT_WORDS);
        thing.is_some_and(|thing| thing.from < named)
    })
}

/// Under a headline that names nobody: it speaks of a purchase, and the first sentences of nothing past.
fn is_new(story: &Story<'_>) -> bool {
    let ago = story.language().past.ago;
    is_sale(story) && !story.body.iter().take(2).any(|scene| scene.says(scene.tokens(), ago))
}

/// Whether the headline speaks of a purchase.
fn is_sale(story: &Story<'_>) -> bool {
    let (language, title) = (story.language(), &story.title);
    let tables = [language.buys, language.bought, language.sold, language.sells, language.passes];
    tables.iter().any(|words| title.find_said(words, 0, title.tokens().len()).is_some())
}

/// Of whom most is said; none when somebody else comes near.
fn best<'a>(
    all: impl Iterator<Item = (&'a Actor, &'a Part)>,
    worth: impl Fn(&Part) -> i32,
) -> Option<(&'a Actor, i32)> {
    let mut told = all.map(|(actor, part)| (actor, worth(part))).collect::<Vec<_>>();
    told.sort_by_key(|(_, worth)| std::cmp::Reverse(*worth));
    let first = *told.first()?;
    let next = told.get(1).map_or(0, |(_, worth)| *worth);
    (first.1 >= SIDE_MIN && first.1 > next).then_some(first)
}

/// Of two in a headline one is the other side, if the release is about nobody else as much.
fn other<'a>(all: impl Iterator<Item = (&'a Actor, &'a Part)>, side: (&Actor, i32)) -> Option<&'a Actor> {
    let fits = |actor: &Actor, part: &Part| {
        actor.is_firm() && part.sells == 0 && !actor.gives && !is_same(&actor.name, &side.0.name)
    };
    let mut others =
        all.filter(|(actor, part)| fits(actor, part)).map(|(actor, _)| actor).collect::<Vec<_>>();
    others.sort_by_key(|actor| std::cmp::Reverse(actor.weight()));
    let first = *others.first()?;
    let next = others.get(1).map_or(0, |actor| actor.weight());
    let are_headed = first.is_titled && side.0.is_titled;
    (are_headed && first.weight() >= WEIGHT_MIN && first.weight() >= next + MARGIN).then_some(first)
}
