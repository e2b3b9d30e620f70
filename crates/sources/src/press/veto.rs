//! What a reading may not be, whoever read it: one of many, a security of the market, a purchase that is told as money.

use super::actors::actors;
use super::deal::deal;
use super::funding::{round, speaks_of_round};
use super::language::{any_at, is_in};
use super::looks::tickers;
use super::merge::AGREED;
use super::naming::{body_name, is_in_title, is_same, settled_name};
use super::other::{is_appointment, is_study};
use super::retold::RETOLD;
use super::scene::{Scene, is_break};
use super::stage::stage;
use super::table::is_one_of;
use super::{Announced, Story};
use crate::money::decimals;
use assay_domain::taxonomy::FundingStage;

/// Whether the release announces something else than was read of it.
pub(super) fn is_barred(story: &Story<'_>, found: &Announced) -> bool {
    if is_appointment(story)
        || is_round_up(story)
        || is_called_round_up(story, found)
        || names_nobody_firm(story, found)
    {
        return true;
    }
    match found {
        Announced::Funding { company, amount, stage, .. } => {
            let is_debt = *stage == Some(FundingStage::Debt);
            let units = amount.map_or(0, |sum| sum.amount / 10_i64.pow(decimals(sum.currency)));
            let is_grant = *stage == Some(FundingStage::Grant);
            is_debt && is_of_market(story, units)
                || is_grant && !is_in_title(story, company) && is_given_by_headline(story)
                || is_description_of_other(story, company)
                || is_sale_headed(story)
                || is_of_rights(story)
                || is_of_order(story)
                || closes_fund(story)
                || is_study(story)
        }
        Announced::Acquisition { .. } => {
            is_of_rights(story) && !story.title.has(story.language().buys)
                || is_other_than_lead(story, found)
                || is_other_than_headline(story, found)
        }
    }
}

/// Whether the release is about something else, whoever stands in its first sentences.
pub(super) fn is_other_business(story: &Story<'_>, found: &Announced) -> bool {
    let is_funding = matches!(found, Announced::Funding { .. });
    let is_apart = is_sale_headed(story) || is_of_order(story) || closes_fund(story) || is_study(story);
    is_appointment(story) || is_round_up(story) || is_of_rights(story) || is_funding && is_apart
}

/// Unless headline and body agree: two companies in a headline that tells of no seller are the two sides.
fn is_other_than_headline(story: &Story<'_>, found: &Announced) -> bool {
    const SELLERS: &[&str] =
        &["from", "von", "vom", "de", "du", "à", "da", "van", "från", "an", "buyout", "exits"];
    let Announced::Acquisition { acquirer, target, confidence, .. } = found else { return false };
    let (title, language) = (&story.title, story.language());
    if buys_thing(title) {
        return true;
    }
    let has_seller = [language.units, language.sells, language.bought, language.advises, SELLERS]
        .iter()
        .any(|words| title.has(words));
    if *confidence == AGREED || has_seller {
        return false;
    }
    let actors = actors(story);
    let headed = actors.iter().filter(|actor| actor.is_titled && actor.is_firm()).collect::<Vec<_>>();
    let is_side = |name: &str| headed.iter().any(|actor| actor.is_called(name));
    headed.len() == 2 && !(is_side(acquirer) && is_side(target))
}

/// What is pieced together must not name another buyer than the first sentence that names both sides.
fn is_other_than_lead(story: &Story<'_>, found: &Announced) -> bool {
    const SENTENCES: usize = 2;
    let Announced::Acquisition { acquirer, target, confidence, .. } = found else { return false };
    let told = story.body.iter().take(SENTENCES).find_map(|scene| {
        let found = deal(scene, story.year).filter(|found| found.is_whole() && !found.minority)?;
        body_name(story, scene, found.acquirer?)
    });
    let is_side = |buyer: &String| is_same(buyer, acquirer) || is_same(buyer, target);
    *confidence == RETOLD && told.is_some_and(|buyer| !is_side(&buyer))
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
fn names_nobody_firm(story: &Story<'_>, found: &Announced) -> bool {
    let actors = actors(story);
    let known = |name: &str| actors.iter().find(|actor| actor.is_called(name));
    let is_apart = |name: &str| {
        known(name).is_some_and(|actor| {
            actor.is_place && !actor.acts || actor.is_person && !actor.is_titled || actor.is_noun
        })
    };
    match found {
        // Headline and body agree on these.
        Announced::Funding { confidence, .. } | Announced::Acquisition { confidence, .. }
            if *confidence == AGREED =>
        {
            false
        }
        Announced::Funding { company, .. } => is_apart(company),
        Announced::Acquisition { acquirer, target, .. } => {
            known(acquirer).is_some_and(|actor| actor.is_place && !actor.acts) || is_apart(target)
        }
    }
}

/// `Ottery Council awards`: the headline begins with somebody whom the body has as well, and who gets nothing.
fn is_given_by_headline(story: &Story<'_>) -> bool {
    let first = story.title.runs.first().filter(|run| run.from == 0);
    first.is_some_and(|run| settled_name(story, *run).is_some())
}

/// `Umeåbolaget Myrstack`: the headline has the name right after what was taken for it.
fn is_description_of_other(story: &Story<'_>, company: &str) -> bool {
    let is_kind =
        |name: &str| ["bolaget", "företaget", "startupen"].iter().any(|ending| name.ends_with(ending));
    let mut pairs = story.title.tokens().windows(2);
    is_kind(company)
        && pairs.any(|pair| matches!(pair, [one, two] if one.text == company && two.is_capital()))
}

/// `The week in deals`, in the headline.
fn is_called_round_up(story: &Story<'_>, found: &Announced) -> bool {
    const ROUND_UPS: &[&str] = &[
        "week in",
        "deals of the week",
        "rounds of the week",
        "roundup",
        "round-up",
        "wrap-up",
        "deals you",
        "rounds you",
        "in brief",
        "deals der woche",
        "wochenrückblick",
        "semaine des",
        "levées de la semaine",
        "rondas de la semana",
        "resumen de la semana",
        "round della settimana",
        "week van",
        "deals van de week",
        "rodadas da semana",
        "veckans affärer",
    ];
    let is_headed = match found {
        Announced::Funding { company, .. } => is_in_title(story, company),
        Announced::Acquisition { acquirer, target, .. } => {
            is_in_title(story, acquirer) || is_in_title(story, target)
        }
    };
    !is_headed && story.title.find_said(ROUND_UPS, 0, story.title.tokens().len()).is_some()
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

/// Larger loans than this are those of companies on the stock market.
const DEBT_MAX: i64 = 400_000_000;

/// Bonds and credit lines of listed companies.
fn is_of_market(story: &Story<'_>, units: i64) -> bool {
    const SECURITIES: &[&str] = &[
        "bond",
        "bonds",
        "notes",
        "anleihe",
        "schuldschein",
        "obligation",
        "obligations",
        "obligataire",
        "bonos",
        "pagarés",
        "obbligazioni",
        "obbligazionario",
        "obligaties",
        "obligatielening",
        "obrigações",
        "debêntures",
        "obligationer",
        "obligationslån",
        "revolving",
        "revolver",
        "kreditlinie",
        "konsortialkredit",
        "syndicated",
    ];
    const LISTED: &str = "listed börsennotierte börsennotiert coté cotée cotizada quotata beursgenoteerde cotada börsnoterade \
        börsnoterat investment-grade bookrunner bookrunners coupon mid-swaps";
    let first = || std::iter::once(&story.title).chain(story.body.iter().take(3));
    let is_security = first().any(|scene| scene.has(SECURITIES));
    let is_listed = |scene: &Scene<'_>| {
        !tickers(scene.passage).is_empty()
            || scene.tokens().iter().any(|token| is_one_of(&token.lower, LISTED))
    };
    let is_placed = first().any(|scene| scene.has(scene.language.bonds.subscribed));
    is_security && (units >= DEBT_MAX || first().any(is_listed) && !is_placed)
}

/// `A to absorb B in $1.3 billion merger`: what is paid for a company is not given to it.
fn is_sale_headed(story: &Story<'_>) -> bool {
    let sales: &[&str] = match story.language().code {
        "de" => &["übernahme", "fusion", "kauf", "verkauf", "zusammenschluss"],
        "fr" => &["rachat", "fusion", "acquisition", "opa", "cession", "reprise"],
        "es" => &["compra", "fusión", "adquisición", "opa", "venta"],
        "it" => &["acquisizione", "fusione", "opa", "cessione", "vendita"],
        "nl" => &["overname", "fusie", "verkoop", "aankoop"],
        "pt" => &["aquisição", "fusão", "compra", "venda", "opa"],
        "sv" => &["förvärv", "uppköp", "fusion", "försäljning"],
        _ => &["merger", "takeover", "buyout", "buy-out", "take-private", "acquisition"],
    };
    let title = &story.title;
    title.find_said(sales, 0, title.tokens().len()).is_some() && !speaks_of_round(title)
}
