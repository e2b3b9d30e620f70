//! What a release may not be, whoever read it: one of many, about an office, a fund or an order; and who is no side of anything.

use super::actors::Actor;
use super::deal::deal;
use super::funding::{round, speaks_of_round};
use super::language::{any_at, is_in};
use super::naming::{body_name, is_same};
use super::other::{is_appointment, is_study};
use super::scene::{Scene, is_break};
use super::stage::stage;
use super::table::is_one_of;
use super::{Announced, Story};

/// Whether the release announces something else, whoever stands in its first sentences.
pub(super) fn is_barred(story: &Story<'_>) -> bool {
    is_appointment(story) || is_study(story) || is_round_up(story) || closes_fund(story)
}

/// Whether the sums of a release are no money for a company: they pay for a licence, or for what was ordered.
pub(super) fn pays_for_else(story: &Story<'_>) -> bool {
    is_of_rights(story) || is_of_order(story)
}

/// Two companies in a headline that tells of no seller are the two sides.
pub(super) fn is_other_than_headline(story: &Story<'_>, actors: &[Actor], found: &Announced) -> bool {
    const SELLERS: &[&str] =
        &["from", "von", "vom", "de", "du", "à", "da", "van", "från", "an", "buyout", "exits"];
    let Announced::Acquisition { acquirer, target, .. } = found else { return false };
    let (title, language) = (&story.title, story.language());
    if buys_thing(title) {
        return true;
    }
    let has_seller = [language.units, language.sells, language.bought, language.advises, SELLERS]
        .iter()
        .any(|words| title.has(words));
    if has_seller {
        return false;
    }
    let headed = actors.iter().filter(|actor| actor.is_titled && actor.is_firm()).collect::<Vec<_>>();
    let is_side = |name: &str| headed.iter().any(|actor| actor.is_called(name));
    headed.len() == 2 && !(is_side(acquirer) && is_side(target))
}

/// `buys former department store for £14.8m`: the last word of what is bought is a thing.
fn buys_thing(title: &Scene<'_>) -> bool {
    const OBJECT_WORDS: usize = 8;
    let (tokens, language) = (title.tokens(), title.language);
    let Some(hit) = title.find(language.buys, 0) else { return false };
    let is_end = |at: usize| {
        tokens.get(at).is_none_or(|token| is_break(token) || is_in(token, language.stops) || title.is_sum(at))
    };
    let end = (hit.to..hit.to + OBJECT_WORDS).find(|at| is_end(*at)).unwrap_or(hit.to);
    let is_thing = |at: usize| {
        any_at(tokens, at, language.things).is_some_and(|thing| thing.to == end) && !title.is_named(at)
    };
    end > hit.to && (end.saturating_sub(2).max(hit.to)..end).any(is_thing)
}

/// Whether somebody in it is a place or only works on it, as the rest of the release shows.
pub(super) fn names_nobody_firm(actors: &[Actor], found: &Announced) -> bool {
    let known = |name: &str| actors.iter().find(|actor| actor.is_called(name));
    let is_apart = |name: &str| {
        known(name).is_some_and(|actor| {
            actor.is_place && !actor.acts || actor.is_person && !actor.is_titled || actor.is_noun
        })
    };
    match found {
        Announced::Funding { company, .. } => is_apart(company),
        Announced::Acquisition { acquirer, target, .. } => {
            known(acquirer).is_some_and(|actor| actor.is_place && !actor.acts) || is_apart(target)
        }
    }
}

/// What a licence is paid with.
fn is_of_rights(story: &Story<'_>) -> bool {
    const LICENCES: &[&str] = &[
        "in-licenses",
        "in-licences",
        "in-licensing",
        "out-licenses",
        "exclusive rights",
        "exclusive license",
        "exclusive licence",
        "licensing deal",
        "license agreement",
        "licence agreement",
        "tiered royalties",
        "royalties",
        "lizenzrechte",
        "exklusivlizenz",
        "licence exclusive",
        "licencia exclusiva",
        "licenza esclusiva",
        "exclusieve licentie",
        "licença exclusiva",
        "exklusiv licens",
    ];
    let mut first = std::iter::once(&story.title).chain(story.body.iter().take(2));
    // `A licenses B's compound`; but nothing is told by `marriage licenses`.
    let licenses = |scene: &Scene<'_>| scene.runs.iter().any(|run| scene.is(run.to, &["licenses"]));
    first.any(|scene| scene.find_said(LICENCES, 0, scene.tokens().len()).is_some() || licenses(scene))
}

/// `secures a $1.2 billion order`: what the sum is of, right after it or right before.
fn is_of_order(story: &Story<'_>) -> bool {
    const ORDERS: &str = "order orders contract contracts tender settlement prize award deal purchase project backlog subsidy-free \
        auftrag großauftrag vertrag commande contrat marché pedido contrato ordine commessa contratto opdracht contract encomenda \
        order ordern kontrakt ramavtal";
    const NEAR_WORDS: usize = 2;
    let is_order = |scene: &Scene<'_>| {
        scene.sums.iter().any(|sum| {
            let after = scene.after(sum.to, NEAR_WORDS);
            after.iter().any(|token| is_one_of(&token.lower, ORDERS)) && !speaks_of_round(scene)
        })
    };
    std::iter::once(&story.title).chain(story.body.first()).any(is_order)
}

/// A manager that closes a fund of its own.
fn closes_fund(story: &Story<'_>) -> bool {
    const CLOSED: &[&str] = &[
        "final close of",
        "first close of",
        "final closing of",
        "first closing of",
        "limited partners",
        "fund i",
        "fund ii",
        "fund iii",
        "fund iv",
        "fund v",
        "first fund",
        "second fund",
        "third fund",
        "fourth fund",
        "fifth fund",
        "new fund",
        "debut fund",
        "inaugural fund",
        "erster fonds",
        "zweiter fonds",
        "premier fonds",
        "deuxième fonds",
        "nouveau fonds",
        "primer fondo",
        "segundo fondo",
        "primo fondo",
        "secondo fondo",
        "eerste fonds",
        "tweede fonds",
        "primeiro fundo",
        "segundo fundo",
        "första fond",
        "andra fond",
    ];
    let mut first = std::iter::once(&story.title).chain(story.body.first());
    first.any(|scene| {
        let hit = scene.find(CLOSED, 0);
        let is_giver = |at: usize| {
            let near = scene.tokens().get(at.saturating_sub(3)..at).unwrap_or_default();
            near.iter().any(|token| is_in(token, scene.language.from))
        };
        hit.is_some_and(|hit| !is_giver(hit.from)) && stage(scene).is_none()
    })
}

/// So many companies to which something happens make a list of news.
const EVENTS_MAX: usize = 2;

/// `A raised $5m. B was bought by C. D closed its round`: sentences that have nothing to do with each other.
fn is_round_up(story: &Story<'_>) -> bool {
    let mut known: Vec<String> = Vec::new();
    for scene in &story.body {
        let bought = deal(scene, story.year).filter(|found| found.is_whole());
        let raised = round(scene, true, story.year).filter(|_| !scene.sums.is_empty());
        let runs = match (bought, raised) {
            (Some(bought), _) => [bought.acquirer, bought.target],
            (None, Some(raised)) => [Some(raised.company), raised.investor],
            (None, None) => continue,
        };
        let names =
            runs.into_iter().flatten().filter_map(|run| body_name(story, scene, run)).collect::<Vec<_>>();
        let is_new = !names.is_empty() && !names.iter().any(|name| known.iter().any(|it| is_same(it, name)));
        if is_new || known.is_empty() {
            known.push(names.into_iter().next().unwrap_or_default());
        }
    }
    known.len() > EVENTS_MAX
}
