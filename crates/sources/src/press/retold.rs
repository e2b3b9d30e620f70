//! Events whose sentences leave out who is meant: told of whoever the whole release is about, when nobody else can be.

use super::actors::{Actor, actors};
use super::amount::plain_sums;
use super::deal::{deal, names_earlier_year};
use super::funding::{round, speaks_of_round};
use super::language::{any_at, is_in};
use super::merge::{is_ours, merge_round};
use super::naming::{body_name, canonical, is_in_title, is_same, settled_name};
use super::scene::Scene;
use super::sense::{fund_like, gives, is_aside, is_equity, is_look_back, is_public, is_substantial};
use super::share::is_minority;
use super::stage::stage;
use super::table::is_one_of;
use super::text::Token;
use super::{Announced, Story, UNWEIGHED, amount};

const SENTENCES: usize = 4;
/// How far a round is from its sum.
const NEAR_WORDS: usize = 6;
/// What a release says at least of whom it is about, and how much less of anybody else.
const WEIGHT_MIN: usize = 3;
const MARGIN: usize = 2;
/// A side of a purchase that no sentence names as one needs more.
const SIDE_WEIGHT_MIN: usize = 4;

pub(super) fn read(story: &Story<'_>) -> Option<Announced> {
    if story.is_about_else() && !is_ours(&story.title) || is_uncertain(story) {
        return None;
    }
    let actors = actors(story);
    if is_sale(story) {
        return purchase(story, actors);
    }
    funding(story, actors).or_else(|| purchase(story, actors))
}

/// Whether the headline speaks of a purchase.
fn is_sale(story: &Story<'_>) -> bool {
    let language = story.language();
    let says = |words| story.title.find_said(words, 0, story.title.tokens().len()).is_some();
    let tables = [language.buys, language.bought, language.sells, language.sold, language.passes];
    tables.into_iter().any(says)
}

/// Plans, rumours and other business in the headline or the first sentences.
pub(super) fn is_uncertain(story: &Story<'_>) -> bool {
    let language = story.language();
    let mut first = std::iter::once(&story.title).chain(story.body.iter().take(2));
    let is_planned = |scene: &Scene<'_>| {
        let tables = [language.doubts, language.others];
        tables.iter().any(|words| scene.says(scene.tokens(), words)) || fills_fund(scene)
    };
    let title = &story.title;
    let apart = [language.things, language.topics];
    let is_else = apart.iter().any(|words| title.says(title.tokens(), words)) && !is_ours(title);
    let verbs = [language.raises, language.buys, language.sells, language.invests];
    let is_wished = (0..title.tokens().len()).any(|at| {
        verbs.iter().any(|words| any_at(title.tokens(), at, words).is_some()) && title.is_modal(at)
    });
    is_else || is_wished || first.any(is_planned)
}

/// A fund that is filled; one that leads a round gives.
fn fills_fund(scene: &Scene<'_>) -> bool {
    let language = scene.language;
    let leads = scene.has(language.leads) || scene.has(language.led_by);
    scene.says(scene.tokens(), language.funds) && !leads
}

/// Whom the release is about among those who fit, if nobody else comes near.
fn main_actor(actors: &[Actor], fits: impl Fn(&Actor) -> bool) -> Option<&Actor> {
    let mut fitting = actors.iter().filter(|actor| actor.is_firm() && fits(actor)).collect::<Vec<_>>();
    fitting.sort_by_key(|actor| std::cmp::Reverse(actor.weight()));
    let best = fitting.first()?;
    let next = fitting.get(1).map_or(0, |actor| actor.weight());
    (best.weight() >= WEIGHT_MIN && best.weight() >= next + MARGIN).then_some(*best)
}

fn funding(story: &Story<'_>, actors: &[Actor]) -> Option<Announced> {
    let mut lead = story.body.iter().take(SENTENCES).enumerate();
    let (at, scene) = lead.find(|(_, scene)| tells_round(story, scene))?;
    // Whoever raises it there needs no other proof.
    let found = round(scene, true, story.year).map(|found| found.company);
    let raiser = found.or_else(|| scene.subject(0, scene.tokens().len()));
    let raiser = raiser.and_then(|run| body_name(story, scene, run));
    let is_round = |name: &str| story.language().rounds.contains(&name.to_lowercase().as_str());
    let raiser = raiser.filter(|name| !is_round(name));
    let fits = |actor: &Actor| !actor.gives && actor.first <= at + 2;
    let raiser = raiser.and_then(|name| {
        actors.iter().find(|actor| {
            actor.is_called(&name) && actor.is_firm() && actor.weight() >= WEIGHT_MIN && fits(actor)
        })
    });
    let company = raiser.or_else(|| main_actor(actors, fits))?;
    let name = company.name.clone();
    if !name.ends_with(char::is_alphanumeric) || fund_like(story, &name) || gives(story, &name) {
        return None;
    }
    // The sum may stand before the sentence that tells who led.
    let has_sum = |scene: &Scene<'_>| {
        plain_sums(scene, story.year).next().is_some()
            && !is_look_back(scene)
            && !names_earlier_year(scene.tokens(), story.year)
    };
    let first = story.body.iter().take(at).position(has_sum).unwrap_or(at);
    let found = merge_round(story, name, first, None);
    is_substantial(story, &found).then_some(found)
}

/// Of the words that make a wish of a verb right after them, those that elsewhere say little.
const UNMODAL: &str =
    "who how no not never set without until unless need needs bid whether looking looks expected dropped";

/// Words for rounds that as often mean what a company spends, owes or is given for something else.
const WEAK: &str = "rounds debt deuda dette schulden debito dívida inversión inversiones investment investimento investimentos \
    investissement investissements investering investeringen investition stöd ayuda ayudas förderung fondos kapital capital \
    listing notierung bolsa borsa bourse equity facility anleihe bond bonds obligation notes stiftung fonds contributo business";

/// A sum beside a word for a round, or a stage beside its giver; nothing of it past or planned.
fn tells_round(story: &Story<'_>, scene: &Scene<'_>) -> bool {
    let (title, year) = (&story.title, story.year);
    let language = scene.language;
    let tokens = scene.tokens();
    let of_round = |at: usize| {
        let is_strong = tokens.get(at).is_some_and(|token| !is_one_of(&token.lower, WEAK));
        is_strong && any_at(tokens, at, language.rounds).is_some() && !scene.is_named(at)
            || super::looks::is_series(tokens, at)
    };
    let near_sum = plain_sums(scene, year)
        .any(|sum| (sum.from.saturating_sub(NEAR_WORDS)..sum.to + NEAR_WORDS).any(of_round));
    let is_led = stage(scene).is_some_and(is_equity)
        && (scene.has(language.led_by)
            || scene.has(language.leads)
            || scene.runs.iter().any(|run| super::backers::names_giver(scene, *run)));
    // `crowdfunding hits £612,000`: the sum of the headline, which speaks of a round.
    let has_sum = |sum: &super::money::Sum| title.sums.iter().any(|other| other.money == sum.money);
    let is_shared = speaks_of_round(title) && plain_sums(scene, year).any(has_sum);
    let past = &language.past;
    let is_past = is_look_back(scene)
        || names_earlier_year(tokens, year)
        || scene.says(tokens, past.ago)
        || scene.says(tokens, past.months);
    let is_wish = |token: &Token<'_>| is_in(token, language.modals) && !is_one_of(&token.lower, UNMODAL);
    let is_planned = [language.doubts, language.others].iter().any(|words| scene.says(tokens, words))
        || tokens.iter().any(is_wish);
    let is_staged = stage(scene).is_some_and(|found| is_equity(found) && stage(title) == Some(found));
    (near_sum || is_led || is_shared || is_staged) && !is_past && !is_planned && !fills_fund(scene)
}

fn purchase(story: &Story<'_>, actors: &[Actor]) -> Option<Announced> {
    let scenes = std::iter::once(&story.title).chain(story.body.iter().take(SENTENCES));
    let mut sides: (Option<String>, Option<String>) = (None, None);
    let (mut told, mut first) = (0, SENTENCES);
    for (at, scene) in scenes.enumerate() {
        let Some(found) = deal(scene, story.year).filter(|found| !found.minority) else { continue };
        let named = |run| if at == 0 { settled_name(story, run) } else { body_name(story, scene, run) };
        let is_known = |name: &String| actors.iter().any(|actor| actor.is_called(name) && actor.is_firm());
        let acquirer = found.acquirer.and_then(named).filter(is_known);
        let target = found.target.and_then(named).filter(is_known);
        if is_aside(scene, found.at) {
            continue;
        }
        if is_minority(scene, found.at) {
            return None;
        }
        let clashes =
            sides.0.is_some() && same(&sides.0, &target) || sides.1.is_some() && same(&sides.1, &acquirer);
        if clashes {
            return None;
        }
        if (acquirer.is_some() || target.is_some()) && at > 0 {
            first = first.min(at - 1);
        }
        told += usize::from(acquirer.is_some() || target.is_some());
        sides = (sides.0.or(acquirer), sides.1.or(target));
    }
    if told == 0 {
        return None;
    }
    let (acquirer, target) = match sides {
        (Some(acquirer), Some(target)) => (acquirer, target),
        (Some(acquirer), None) => {
            let target = main_actor(actors, |actor| !actor.is_called(&acquirer) && !actor.gives)
                .filter(|actor| actor.weight() >= SIDE_WEIGHT_MIN)?;
            (acquirer, target.name.clone())
        }
        (None, Some(target)) => {
            let acquirer = main_actor(actors, |actor| !actor.is_called(&target))
                .filter(|actor| actor.weight() >= SIDE_WEIGHT_MIN)?;
            (acquirer.name.clone(), target)
        }
        (None, None) => return None,
    };
    let fuller = |name: String| {
        let known = actors.iter().find(|actor| actor.name.starts_with(&format!("{name} ")));
        known.map_or(name, |actor| actor.name.clone())
    };
    let (acquirer, target) = (fuller(acquirer), fuller(target));
    let is_titled = |name: &String| is_in_title(story, name);
    let is_headed = is_sale(story) || is_titled(&acquirer) || is_titled(&target);
    if !is_headed || is_same(&acquirer, &target) || is_public(story, &acquirer) {
        return None;
    }
    let first = if first == SENTENCES { 0 } else { first };
    let told = story.body.iter().skip(first).collect::<Vec<_>>();
    let price = amount::paid(&story.title, &told, story.year);
    let (acquirer, target) = (canonical(story, acquirer), canonical(story, target));
    Some(Announced::Acquisition { acquirer, target, price, confidence: UNWEIGHED })
}

fn same(one: &Option<String>, two: &Option<String>) -> bool {
    one.as_ref().zip(two.as_ref()).is_some_and(|(one, two)| is_same(one, two))
}
