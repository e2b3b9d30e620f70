//! Whose a round is: of whoever the release is about and does not give, when nobody else comes near.

use super::actors::{Actor, actors};
use super::amount::plain_sums;
use super::backers::names_giver;
use super::deal::names_earlier_year;
use super::language::{any_at, is_in};
use super::merge::merge_round;
use super::scene::Scene;
use super::sense::{is_aside, is_equity, is_look_back, is_relative, is_substantial};
use super::stage::stage;
use super::table::is_one_of;
use super::{Announced, Story};

const SENTENCES: usize = 4;
/// How far from its sum a round is spoken of.
const NEAR_WORDS: usize = 9;
/// What is as short is what somebody makes: `MRI`.
const NAME_LETTERS_MIN: usize = 3;
/// How much a release is about whose round it is, and how much less about anybody else.
const WEIGHT_MIN: usize = 4;
const MARGIN: usize = 2;

/// The round as that of whoever the release is about.
pub(super) fn read(story: &Story<'_>) -> Option<Announced> {
    let actors = actors(story);
    let getter = getter(story, actors)?;
    let lead = story.body.iter().take(SENTENCES);
    let first = lead.clone().position(|scene| tells(story, scene)).or_else(|| {
        let has_sum = |scene: &Scene<'_>| plain_sums(scene, story.year).next().is_some();
        lead.clone().position(has_sum).filter(|_| tells(story, &story.title))
    })?;
    let found = merge_round(story, getter.name.clone(), first, None);
    is_substantial(story, &found).then_some(found)
}

/// Who gets the money.
fn getter<'a>(story: &Story<'_>, actors: &'a [Actor]) -> Option<&'a Actor> {
    let is_round = |name: &str| {
        let lower = name.to_lowercase();
        let last = lower.rsplit([' ', '-']).next().unwrap_or_default();
        story.language().rounds.contains(&lower.as_str())
            || ["runda", "rundan", "runde", "ronde", "round"].contains(&last)
    };
    let is_short = |name: &str| name.chars().count() <= NAME_LETTERS_MIN;
    let fits =
        |actor: &&Actor| actor.is_firm() && !actor.gives && !is_round(&actor.name) && !is_short(&actor.name);
    let mut fitting = actors.iter().filter(fits).collect::<Vec<_>>();
    fitting.sort_by_key(|actor| std::cmp::Reverse(actor.weight()));
    let best = fitting.first()?;
    let next = fitting.get(1).map_or(0, |actor| actor.weight());
    (best.weight() >= WEIGHT_MIN && best.weight() >= next + MARGIN).then_some(*best)
}

const RELATIVES: &str = "which whom whose dont cui laquelle lequel cuyo cuya cuja cujo waarin waarvan vars";

/// `A, in which B invested £150m, has opened`: a sum of a clause that only describes somebody.
fn is_relative_sum(scene: &Scene<'_>, sum: usize) -> bool {
    const CLAUSE_WORDS: usize = 12;
    let tokens = scene.tokens();
    let near = sum.saturating_sub(CLAUSE_WORDS)..sum;
    let relative =
        near.clone().any(|at| tokens.get(at).is_some_and(|token| is_one_of(&token.lower, RELATIVES)));
    let comma = near.rev().find(|at| tokens.get(*at).is_some_and(|token| token.is_mark(",")));
    let begins = |comma: usize| tokens.get(comma + 1..(comma + 3).min(sum)).unwrap_or_default();
    is_aside(scene, sum) || relative || comma.is_some_and(|comma| begins(comma).iter().any(is_relative))
}

/// Whether a sentence tells of new money: a sum beside a round, or a stage beside who gives.
pub(super) fn tells(story: &Story<'_>, scene: &Scene<'_>) -> bool {
    let (tokens, language) = (scene.tokens(), scene.language);
    let is_other =
        [language.doubts, language.others, language.funds].iter().any(|words| scene.says(tokens, words))
            || names_earlier_year(tokens, story.year)
            || scene.says(tokens, language.past.ago);
    let of_round = |at: usize| {
        let words = [language.rounds, language.invests, language.leads, language.led_by];
        words.iter().any(|words| any_at(tokens, at, words).is_some()) && !scene.is_named(at)
            || super::looks::is_series(tokens, at)
    };
    let is_wish = |at: usize| {
        (at.saturating_sub(5)..at).any(|at| tokens.get(at).is_some_and(|it| is_in(it, language.modals)))
    };
    let near_sum = plain_sums(scene, story.year).any(|sum| {
        let mut near = sum.from.saturating_sub(NEAR_WORDS)..(sum.to + NEAR_WORDS).min(tokens.len());
        !is_wish(sum.from) && !is_relative_sum(scene, sum.from) && near.any(of_round)
    });
    let has_giver = scene.has(language.led_by)
        || scene.has(language.leads)
        || scene.runs.iter().any(|run| names_giver(scene, *run));
    let is_staged = stage(scene).is_some_and(is_equity) && has_giver && !is_look_back(scene);
    !is_other && (near_sum || is_staged)
}
