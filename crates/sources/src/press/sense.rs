//! Whether what was read of a round is one: not petty, not for a fund, not told in passing.

use super::backers::names_investor;
use super::funding::speaks_of_round;
use super::language::{any_at, is_in};
use super::name::Run;
use super::scene::Scene;
use super::table::is_one_of;
use super::text::Token;
use super::{Announced, Story};
use crate::money::decimals;
use assay_domain::limits::PRESS_LEAD_SENTENCES;
use assay_domain::taxonomy::FundingStage;

const RELATIVES: &[&str] = &[
    "which", "who", "that", "qui", "que", "die", "der", "das", "che", "som", "dat", "quien", "backed", "avec",
];
pub(super) fn is_relative(token: &Token<'_>) -> bool {
    is_in(token, RELATIVES)
}

const ASIDE_WORDS: usize = 8;

/// Whether the verb is in a clause that only describes somebody.
pub(super) fn is_aside(scene: &Scene<'_>, verb: usize) -> bool {
    let is_comma = |at: usize| scene.tokens().get(at).is_some_and(|token| token.is_mark(","));
    // `robots that attracted $27 million`.
    let last = verb.checked_sub(1).and_then(|at| scene.tokens().get(at));
    let is_relative = last.is_some_and(|last| is_in(last, &["that", "which", "qui", "che"]));
    is_relative
        || (verb.saturating_sub(ASIDE_WORDS)..=verb).any(|at| {
            let after_comma = at.checked_sub(1).is_some_and(is_comma);
            let closed = (at..verb).any(is_comma);
            after_comma && !closed && scene.tokens().get(at).is_some_and(|token| is_in(token, RELATIVES))
        })
}

pub(super) fn is_equity(stage: FundingStage) -> bool {
    !matches!(stage, FundingStage::Debt | FundingStage::Grant)
}

/// Less is collected for a good cause.
const PETTY: i64 = 10_000;

/// A round without a sum has a stage, or investors that are called so.
pub(super) fn is_substantial(story: &Story<'_>, found: &Announced) -> bool {
    let Announced::Funding { company, amount, stage, investors, .. } = found else { return true };
    if amount.is_some_and(|amount| amount.amount < PETTY * 10_i64.pow(decimals(amount.currency))) {
        return false;
    }
    if *stage == Some(FundingStage::Debt) && is_of_market(story) {
        return false;
    }
    let is_staged = stage.is_some_and(is_equity);
    // A bank in a release about a loan is who lends.
    let is_bank =
        company.split(' ').any(|word| is_one_of(&word.to_lowercase(), "bank banco banque banca sparkasse"));
    if is_bank && *stage == Some(FundingStage::Debt) || is_charity(company) && !is_staged {
        return false;
    }
    let first = || std::iter::once(&story.title).chain(story.body.iter().take(PRESS_LEAD_SENTENCES));
    let is_given = !investors.is_empty() && story.body.first().is_some_and(speaks_of_round);
    amount.is_some() || is_staged || is_given || first().any(names_investor)
}

/// A manager of money whose release speaks of a fund raises that fund.
pub(super) fn fund_like(story: &Story<'_>, company: &str) -> bool {
    const MANAGERS: &[&str] = &[
        "capital",
        "ventures",
        "partners",
        "equity",
        "gestion",
        "venture",
        "kapital",
        "management",
        "vct",
        "trust",
        "invest",
        "investments",
        "investors",
        "angels",
        "fonds",
        "vc",
    ];
    let last = company.rsplit(' ').next().unwrap_or_default();
    let mut first = std::iter::once(&story.title).chain(story.body.first());
    let is_manager = MANAGERS.contains(&last.to_lowercase().as_str());
    is_manager && first.any(|scene| scene.has(story.language().funds)) || is_fund(story, company)
}

const FUND_WORDS: &str = "fund fonds fondo fundo fond fonden";

/// `Fondo Levante III`: it is called a fund right before its name, or has a number as only funds have among them.
fn is_fund(story: &Story<'_>, company: &str) -> bool {
    let last = company.rsplit(' ').next().unwrap_or_default();
    let is_numbered = is_one_of(last, "II III IV V VI VII VIII IX");
    let is_word = |token: &Token<'_>| is_one_of(&token.lower, FUND_WORDS);
    let mut first = std::iter::once(&story.title).chain(story.body.iter().take(2));
    first.any(|scene| {
        let tokens = scene.tokens();
        let is_called = |run: &Run| {
            let before = run.from.checked_sub(1).and_then(|at| tokens.get(at));
            scene.passage.slice(run.from, run.to).ends_with(company)
                && (before.is_some_and(is_word) || tokens.get(run.from).is_some_and(is_word))
        };
        is_numbered && tokens.iter().any(is_word) || scene.runs.iter().any(is_called)
    })
}

/// Whoever is given money and owes nothing for it.
fn is_charity(company: &str) -> bool {
    const CHARITIES: &str = "hospital hospitals foundation university museum charity church school college council library \
        theatre theater orchestra opera zoo society association trust krankenhaus klinikum stiftung universität museum verein \
        hôpital fondation université musée association hospital fundación universidad museo ospedale fondazione università \
        ziekenhuis stichting universiteit fundação universidade museu sjukhus stiftelsen stiftelse universitet";
    company.split(' ').any(|word| is_one_of(&word.to_lowercase(), CHARITIES))
}

/// Bonds that are sold on the market, or that only replace others.
fn is_of_market(story: &Story<'_>) -> bool {
    let mut first = std::iter::once(&story.title).chain(story.body.iter().take(PRESS_LEAD_SENTENCES));
    let is_placed = first.clone().any(|scene| scene.has(story.language().bonds.subscribed));
    first.any(|scene| scene.has(story.language().bonds.bonds)) && !is_placed
}

/// A sentence about an earlier round.
pub(super) fn is_look_back(scene: &Scene<'_>) -> bool {
    scene.has(scene.language.pasts) && !scene.has(scene.language.led_by)
}

/// Words before and after the names of people.
const ROLES: &str = "founder co-founder founders ceo cfo cto coo chief executive director chairman president partner owner \
    minister dr mr mrs ms gründer gründerin geschäftsführer geschäftsführerin inhaber fondateur fondatrice pdg directeur \
    directrice fundador fundadora director directora fondatore fondatrice amministratore presidente oprichter oprichtster \
    directeur eigenaar grundare grundaren vd ägaren";
const SAYING: &str =
    "said says who told sagt sagte explique déclare dice dijo afirma zegt aldus diz disse säger";

/// `says Ines Abarca`, `founder Ines Abarca`, `Ines Abarca's Thula`: no company is spoken of so.
pub(super) fn is_person(story: &Story<'_>, name: &str) -> bool {
    let words = name.split(' ').collect::<Vec<_>>();
    if words.len() != 2 {
        return false;
    }
    std::iter::once(&story.title).chain(&story.body).any(|scene| {
        let tokens = scene.tokens();
        let windows = tokens.windows(2).enumerate();
        let mut places =
            windows.filter(|(_, pair)| pair.iter().zip(&words).all(|(one, two)| one.text == *two));
        places.any(|(at, _)| {
            let word =
                |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |it| it.lower.as_str());
            let (last, next) = (word(at.checked_sub(1)), word(Some(at + 2)));
            let after = word(Some(at + 3));
            let owns = next == "'s" && scene.run_at(at + 3).is_some_and(|run| is_titled(story, scene, run));
            is_one_of(last, ROLES)
                || is_one_of(last, SAYING)
                || next == "who"
                || next == "," && (is_one_of(after, ROLES) || after == "who")
                || owns
        })
    })
}

fn is_titled(story: &Story<'_>, scene: &Scene<'_>, run: Run) -> bool {
    let word = scene.tokens().get(run.from).map_or("", |token| token.text);
    story.title.tokens().iter().any(|token| token.text == word)
}

/// `The round was led by A`, `A led the round`: then the round is not A's.
pub(super) fn gives(story: &Story<'_>, company: &str) -> bool {
    const NEAR_WORDS: usize = 2;
    let language = story.language();
    story.body.iter().take(PRESS_LEAD_SENTENCES).any(|scene| {
        let tokens = scene.tokens();
        let named = |run: &Run| scene.passage.slice(run.from, run.to) == company;
        (0..tokens.len()).any(|at| {
            let after = any_at(tokens, at, language.led_by).is_some_and(|hit| {
                let near = hit.to..=hit.to + NEAR_WORDS;
                scene.runs.iter().any(|run| near.contains(&run.from) && named(run))
            });
            let before = any_at(tokens, at, language.leads).is_some_and(|hit| {
                let near = hit.from.saturating_sub(NEAR_WORDS)..=hit.from;
                let acts = |run: &Run| !scene.tokens().get(run.to).is_some_and(|token| token.is_mark(","));
                scene.runs.iter().any(|run| near.contains(&run.to) && named(run) && acts(run))
            });
            after || before
        })
    })
}

/// Towns and states buy land and houses.
pub(super) fn is_public(story: &Story<'_>, buyer: &str) -> bool {
    const TOWNS: &str = "stadt gemeinde landkreis kreis land bund kanton city town council county borough ville commune mairie \
        département région ciudad ayuntamiento comune città regione gemeente provincie cidade prefeitura município kommun \
        kommunen regionen";
    std::iter::once(&story.title).chain(story.body.first()).any(|scene| {
        scene.runs.iter().any(|run| {
            let text = scene.passage.slice(run.from, run.to);
            let before = |back: usize| run.from.checked_sub(back).and_then(|at| scene.tokens().get(at));
            let is_town = |token: Option<&Token<'_>>| token.is_some_and(|it| is_one_of(&it.lower, TOWNS));
            let is_of = before(1).is_some_and(|it| is_one_of(&it.lower, "of de di d' van von"));
            text == buyer && (is_town(before(1)) || is_of && is_town(before(2)))
                || text.ends_with(buyer) && is_town(scene.tokens().get(run.from)) && text != buyer
        })
    })
}
