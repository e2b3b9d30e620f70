//! Whom `it` and `the company` mean.

use super::Story;
use super::backers::{names_giver, names_investor};
use super::funding::{is_news, speaks_of_round};
use super::language::{Hit, any_at, find, is_in};
use super::name::Run;
use super::naming::{body_name, is_certain, is_in_title};
use super::scene::Scene;
use super::sense::is_aside;
use super::table::is_one_of;
use super::text::Token;
use assay_domain::limits::PRESS_LEAD_SENTENCES;

/// A round that a later sentence tells of whoever the sentences before it are about, and which sentence that is.
pub(super) fn meant(story: &Story<'_>) -> Option<(usize, String)> {
    let mut told = story.body.iter().take(PRESS_LEAD_SENTENCES + 1).enumerate();
    let (at, _) = told.find(|(_, scene)| raises_unnamed(story, scene))?;
    let name = topic(story, at).filter(|_| at > 0).or_else(|| named_next(story, at + 1))?;
    Some((at, name))
}

/// What follows the comma after the name of a company, and of no person or town.
const OF_COMPANIES: &str = "founded based which whose established set gegründet das deren dessen fondée créée basée installée \
    fundada con nacida creada fondata nata con opgericht gevestigd fundada criada sediada grundat som";

/// `The spin-off has secured $2m. Nibblechip, founded in 2024, will use the money`: only the next sentence has the name.
fn named_next(story: &Story<'_>, at: usize) -> Option<String> {
    let scene = story.body.get(at)?;
    let run = scene.run_at(0)?;
    let language = scene.language;
    let gives = [language.leads, language.led_by, language.invests];
    let (next, described) = (scene.tokens().get(run.to)?, scene.tokens().get(run.to + 1)?);
    let is_founded = next.is_mark(",") && is_one_of(&described.lower, OF_COMPANIES);
    // Two words may be a person's.
    let acts = is_founded || run.to - run.from == 1 && is_in(next, language.helpers);
    let is_other = names_giver(scene, run) || gives.iter().any(|words| scene.has(words));
    let name = body_name(story, scene, run).filter(|_| acts && !is_other)?;
    is_certain(story, &name).then_some(name)
}

const MEANT_WORDS: usize = 12;
const PRONOUNS: &[&str] = &[
    "it", "they", "sie", "es", "er", "elle", "il", "ella", "lei", "hij", "zij", "ze", "het", "ela", "ele",
    "det", "den", "hon",
];

/// `The Austin company raised $8 million`: nobody is named before the verb, but somebody is meant.
fn raises_unnamed(story: &Story<'_>, scene: &Scene<'_>) -> bool {
    let tokens = scene.tokens();
    let language = scene.language;
    (0..tokens.len()).any(|at| {
        let Some(hit) = any_at(tokens, at, language.raises) else { return false };
        names_nobody(scene, at)
            && !is_aside(scene, at)
            && (language.verb_last && !scene.sums.is_empty() || gets_sum(scene, hit))
            && (speaks_of_round(scene) || speaks_of_round(&story.title) || names_investor(scene))
            && find(tokens, language.leads, scene.clause_start(at), at).is_none()
            && is_news(scene, hit, story.year)
    })
}

/// Whether the sum is what is raised, and not of another verb before.
fn gets_sum(scene: &Scene<'_>, hit: Hit) -> bool {
    const SUM_WORDS: usize = 14;
    scene.sums.iter().any(|sum| sum.from >= hit.to && sum.from <= hit.to + SUM_WORDS)
}

/// Whether before this verb nobody is named, but somebody is meant.
pub(super) fn names_nobody(scene: &Scene<'_>, verb: usize) -> bool {
    let from = scene.clause_start(verb);
    let is_meant = |token: &Token<'_>| is_in(token, PRONOUNS) || is_in(token, scene.language.kinds);
    // `Nine years later, the software maker has taken`: who is meant comes after the comma.
    let comma = (from..verb).rev().find(|at| scene.tokens().get(*at).is_some_and(|it| it.is_mark(",")));
    let from = comma
        .map(|comma| comma + 1)
        .filter(|at| scene.tokens().get(*at..verb).unwrap_or_default().iter().any(is_meant))
        .unwrap_or(from);
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
