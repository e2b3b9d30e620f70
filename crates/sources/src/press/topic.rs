//! Whom `it` and `the company` mean.

use super::Story;
use super::funding::{is_news, speaks_of_round};
use super::language::{any_at, find, is_in};
use super::name::Run;
use super::naming::{body_name, is_certain, is_in_title};
use super::scene::Scene;
use assay_domain::limits::PRESS_LEAD_SENTENCES;

/// A round that a later sentence tells of whoever the sentences before it are about, and which sentence that is.
pub(super) fn meant(story: &Story<'_>) -> Option<(usize, String)> {
    let later = story.body.iter().take(PRESS_LEAD_SENTENCES + 1).enumerate().skip(1);
    let told = |(at, scene): (usize, &Scene<'_>)| {
        let name = raises_unnamed(scene, story.year).then(|| topic(story, at)).flatten()?;
        Some((at, name))
    };
    later.into_iter().find_map(told)
}

const MEANT_WORDS: usize = 8;
const PRONOUNS: &[&str] = &[
    "it", "they", "sie", "es", "er", "elle", "il", "ella", "lei", "hij", "zij", "ze", "het", "ela", "ele",
    "det", "den", "hon",
];

/// `The Austin company raised $8 million`: nobody is named before the verb, but somebody is meant.
fn raises_unnamed(scene: &Scene<'_>, year: i32) -> bool {
    let tokens = scene.tokens();
    let language = scene.language;
    (0..tokens.len()).any(|at| {
        let Some(hit) = any_at(tokens, at, language.raises) else { return false };
        names_nobody(scene, at)
            && !scene.sums.is_empty()
            && speaks_of_round(scene)
            && find(tokens, language.leads, scene.clause_start(at), at).is_none()
            && is_news(scene, hit, year)
    })
}

/// Whether before this verb nobody is named, but somebody is meant.
pub(super) fn names_nobody(scene: &Scene<'_>, verb: usize) -> bool {
    let from = scene.clause_start(verb);
    let is_meant = |token| is_in(token, PRONOUNS) || is_in(token, scene.language.kinds);
    let meant = scene.tokens().get(from..verb).unwrap_or_default().iter().any(is_meant);
    meant && verb <= from + MEANT_WORDS && scene.subject(from, verb).is_none()
}

/// The only name of the headline that the sentences before have; without one, whoever the last of them begins with.
fn topic(story: &Story<'_>, until: usize) -> Option<String> {
    let before = story.body.get(..until)?;
    let mut headed: Vec<String> = Vec::new();
    for scene in before {
        let names = scene.runs.iter().filter_map(|run| body_name(story, scene, *run));
        for name in names.filter(|name| is_in_title(story, name)) {
            if !headed.contains(&name) {
                headed.push(name);
            }
        }
    }
    if let [name] = headed.as_slice() {
        return Some(name.clone());
    }
    let last = before.last().filter(|_| headed.is_empty())?;
    let run = last.run_at(0).or_else(|| introduced(last))?;
    body_name(story, last, run).filter(|name| is_certain(story, name))
}

/// `Her company, Sterilink, tracks kits`.
fn introduced(scene: &Scene<'_>) -> Option<Run> {
    const INTRODUCED_WORDS: usize = 6;
    let run = scene.runs.first().copied().filter(|run| run.from <= INTRODUCED_WORDS)?;
    let before = |back: usize| run.from.checked_sub(back).and_then(|at| scene.tokens().get(at));
    let kind = if before(1)?.is_mark(",") { before(2)? } else { before(1)? };
    is_in(kind, scene.language.kinds).then_some(run)
}
