//! Who gets money, as one passage tells it.

use super::backers::names_investor;
use super::deal::{client_start, is_past};
use super::language::{Hit, any_at, find, has, is_in};
use super::name::Run;
use super::scene::Scene;
use super::stage::stage;
use super::table::is_one_of;

#[derive(Debug, Clone, Copy)]
pub(super) struct Round {
    pub company: Run,
    /// Where the verb stands.
    pub at: usize,
    /// Who is said to invest, when the sentence is about them.
    pub investor: Option<Run>,
}

/// Before the `in` of whoever is invested in.
const INVESTMENTS: &[&str] = &[
    "investment",
    "investissement",
    "inversión",
    "investimento",
    "investering",
    "investition",
    "investeringen",
];
const OTHERS_WORDS: usize = 9;
const INTO_WORDS: usize = 12;
const MONTH_WORDS: usize = 16;
const FUND_WORDS: usize = 3;

/// The first round the passage tells of. `evident`: the release speaks of rounds, loans or grants at all.
pub(super) fn round(scene: &Scene<'_>, evident: bool, year: i32) -> Option<Round> {
    if evident { *scene.round.get_or_init(|| tell(scene, year)) } else { None }
}

fn tell(scene: &Scene<'_>, year: i32) -> Option<Round> {
    let start = client_start(scene);
    // `a startup that collects junk has raised`: the verb of a relative clause is the last that counts.
    let is_relative = |at: usize| {
        let last = at.checked_sub(1).and_then(|at| scene.tokens().get(at));
        last.is_some_and(|last| is_in(last, &["that", "which", "who", "qui", "che"]))
    };
    let verbs = start..scene.tokens().len();
    let main = verbs.clone().filter(|at| !is_relative(*at));
    let raised = main.chain(verbs.filter(|at| is_relative(*at)));
    let raised = raised.into_iter().find_map(|at| raise_at(scene, start, at, year));
    // `A has made an investment in B, they announced today`: what comes first is told. Whoever gives is not given anything.
    let invested = invest(scene, year).filter(|invested| {
        raised.is_none_or(|raised| invested.at <= raised.at || invested.investor == Some(raised.company))
    });
    invested
        .or(raised)
        .or_else(|| client(scene, start))
        .or_else(|| given(scene))
        .or_else(|| taken_on(scene))
        .or_else(|| endowed(scene, year))
}

/// Before a sum that somebody has: `Radish grows up with $14 million from Wintergreen`.
const WITH: &[&str] =
    &["with", "mit", "avec", "con", "met", "com", "med", "thanks", "dank", "grâce", "gracias", "grazie"];
/// `A has $41M in fresh money to try`.
const HAS: &[&str] = &["has", "tiene", "tem"];
const ENDOWED_WORDS: usize = 8;

/// A company that does something with money from investors, whatever it does.
fn endowed(scene: &Scene<'_>, year: i32) -> Option<Round> {
    let tokens = scene.tokens();
    let sum = scene.sums.iter().find(|sum| {
        let before = scene.before(sum.from, 3);
        before.iter().any(|token| is_in(token, WITH)) || before.last().is_some_and(|last| is_in(last, HAS))
    })?;
    let hit = Hit { from: sum.from, to: sum.to };
    let after = tokens.get(sum.to..(sum.to + ENDOWED_WORDS).min(tokens.len())).unwrap_or_default();
    let of_stage = after.iter().any(|token| is_in(token, &["series", "serie", "série"]));
    let of_round = of_stage
        || has(after, scene.language.rounds)
        || after.iter().any(|token| is_in(token, scene.language.from));
    let named_giver =
        of_stage || scene.runs.iter().any(|run| run.from >= sum.to) || has(after, scene.language.rounds);
    if !(of_round && named_giver && is_news(scene, hit, year)) || scene.has(scene.language.funds) {
        return None;
    }
    // `With $30M in hand, A heads for the coast`: then the name comes after.
    let company = scene.subject(0, sum.from).or_else(|| {
        let comma =
            (sum.to..tokens.len()).find(|at| tokens.get(*at).is_some_and(|token| token.is_mark(",")))?;
        scene.run_at(comma + 1)
    })?;
    Some(Round { company, at: sum.from, investor: None })
}

pub(super) fn speaks_of_round(scene: &Scene<'_>) -> bool {
    let tokens = scene.tokens();
    let is_said = |at: usize| {
        any_at(tokens, at, scene.language.rounds).is_some()
            && !(scene.language.code != "de" && scene.is_named(at))
    };
    (0..tokens.len()).any(is_said) || stage(scene).is_some()
}

fn raise_at(scene: &Scene<'_>, start: usize, at: usize, year: i32) -> Option<Round> {
    let hit = any_at(scene.tokens(), at, scene.language.raises).filter(|_| scene.run_at(at).is_none())?;
    // `lånar ut` is lent, `lånar` is borrowed.
    let language = scene.language;
    let longer = [language.invests, language.joins, language.leads, language.led_by];
    let is_longer = |words: &&[&str]| {
        (at..hit.to).any(|start| {
            any_at(scene.tokens(), start, words).is_some_and(|other| other.to > hit.to || start > at)
        })
    };
    if longer.iter().any(is_longer) {
        return None;
    }
    if let Some(found) = announced_for(scene, start, hit).filter(|_| is_news(scene, hit, year)) {
        return Some(found);
    }
    if takes_part(scene, hit) || gives_loan(scene, hit) || announces_stake(scene, hit) {
        return None;
    }
    let of_round = !scene.sums.is_empty() || speaks_of_round(scene) || names_investor(scene);
    if !of_round || !is_of_clause(scene, hit) || !is_news(scene, hit, year) {
        return None;
    }
    let from = scene.clause_start(at).max(start);
    let company = if says_we(scene, hit) { ourselves(scene, hit) } else { scene.subject(from, hit.from) };
    let company = company.or_else(|| raised_for(scene, hit))?;
    // `A led the round and was joined by B`: whoever leads a round does not get it.
    let leads = find(scene.tokens(), language.leads, company.to, hit.from).is_some();
    (!leads).then_some(Round { company, at, investor: None })
}

/// `A, which raised $5 million, has received a permit`: sums before a comma belong to another verb.
fn is_of_clause(scene: &Scene<'_>, hit: Hit) -> bool {
    let tokens = scene.tokens();
    let is_sum = |at: usize| scene.is_sum(at);
    let is_round = |at: usize| any_at(tokens, at, scene.language.rounds).is_some();
    let comma = (0..hit.from).rev().find(|at| tokens.get(*at).is_some_and(|it| it.is_mark(",")));
    let last = (0..hit.from).rev().find(|at| is_sum(*at));
    last.is_none_or(|last| comma.is_none_or(|comma| comma < last))
        || (hit.from..tokens.len()).any(|at| is_sum(at) || is_round(at))
}

/// `A arranges a loan for a software firm`: A lends.
fn gives_loan(scene: &Scene<'_>, hit: Hit) -> bool {
    const GIVES: &[&str] = &[
        "arranges", "arranged", "extends", "extended", "agrees", "approves", "approved", "signs", "signed",
        "closes",
    ];
    const LOANS: &[&str] = &["loan", "loans", "facility", "credit", "mortgage", "debt"];
    let tokens = scene.tokens();
    let gives = tokens.get(hit.from).is_some_and(|token| is_in(token, GIVES));
    let loan = find(tokens, LOANS, hit.to, hit.to + 7).filter(|_| gives);
    loan.is_some_and(|loan| {
        let to = tokens.get(loan.to).is_some_and(|token| is_in(token, &["for", "to"]));
        let whom = find(tokens, scene.language.kinds, loan.to + 1, loan.to + 7).is_some()
            || scene.run_at(loan.to + 1).is_some();
        to && whom
    })
}

/// `A today announced a $65 million growth investment in B`: A gives.
fn announces_stake(scene: &Scene<'_>, hit: Hit) -> bool {
    const STAKES: &[&str] = &[
        "investment in",
        "stake in",
        "investissement dans",
        "inversión en",
        "investimento in",
        "investimento em",
        "investering in",
        "investering i",
        "beteiligung an",
    ];
    const STAKE_WORDS: usize = 9;
    let stake = find(scene.tokens(), STAKES, hit.to, hit.to + STAKE_WORDS);
    stake.is_some_and(|stake| scene.run_at(stake.to).is_some() || scene.run_at(stake.to + 1).is_some())
}

/// `The ministry announced a contribution of $6.8 million to B`: whoever announces money for somebody else gives it.
fn announced_for(scene: &Scene<'_>, start: usize, hit: Hit) -> Option<Round> {
    const ANNOUNCES: &str = "announces announced announce announcing awards awarded approves approved signs signed confirms \
        confirmed bewilligt genehmigt annonce accorde octroie anuncia concede anunció concedió annuncia concede assegna kondigt \
        verleent anuncia aprova concede beviljar beviljat tilldelar";
    const TO: &str = "to an à a al aan ao till para";
    const FOR: &str = "for für pour para per voor för";
    const SUM_WORDS: usize = 8;
    let tokens = scene.tokens();
    let is = |at: usize, list: &str| tokens.get(at).is_some_and(|token| is_one_of(&token.lower, list));
    let sum = scene.sums.iter().find(|sum| sum.from >= hit.to && sum.from <= hit.to + SUM_WORDS)?;
    let company = scene.run_at(sum.to + 1).filter(|_| is(hit.from, ANNOUNCES))?;
    let is_given = is(sum.to, TO) || is(sum.to, FOR) && scene.is_headed(company);
    let investor = scene.subject(scene.clause_start(hit.from).max(start), hit.from);
    let is_other = investor.is_none_or(|investor| investor != company);
    (is_given && is_other).then_some(Round { company, at: hit.from, investor })
}

/// `Two engineers have raised $6.5 million for Smoothair, a startup`.
fn raised_for(scene: &Scene<'_>, hit: Hit) -> Option<Run> {
    const FOR: &[&str] = &["for", "für", "pour", "para", "per", "voor", "för"];
    let sum = scene.sums.iter().find(|sum| sum.from >= hit.to && sum.from <= hit.to + 4)?;
    let is_for = scene.tokens().get(sum.to).is_some_and(|token| is_in(token, FOR));
    let company = scene.run_at(sum.to + 1).filter(|_| is_for)?;
    let described = scene.tokens().get(company.to).is_some_and(|token| token.is_mark(","))
        && scene.tokens().get(company.to + 1).is_some_and(|token| is_in(token, scene.language.articles));
    let kind = find(scene.tokens(), scene.language.kinds, company.to + 2, company.to + 8);
    kind.filter(|_| described).map(|_| company)
}

/// `B took a smaller share`: whoever does gives money.
fn takes_part(scene: &Scene<'_>, hit: Hit) -> bool {
    const PARTS: &[&str] = &[
        "share",
        "stake",
        "slice",
        "ticket",
        "tickets",
        "part",
        "anteil",
        "anteile",
        "participation",
        "participación",
        "partecipazione",
        "quota",
        "aandeel",
        "belang",
        "andel",
        "fatia",
        "participação",
        "ticketet",
    ];
    const PART_WORDS: usize = 4;
    let after = scene.after(hit.to, PART_WORDS);
    let part = after.iter().position(|token| is_in(token, PARTS));
    part.is_some_and(|part| !scene.sums.iter().any(|sum| sum.from >= hit.to && sum.from <= hit.to + part))
}

/// Whether the verb is one of ours: `we have closed`.
pub(super) fn says_we(scene: &Scene<'_>, hit: Hit) -> bool {
    const WE: &[&str] = &["we", "we'", "wir", "nous", "wij"];
    let near = scene.tokens().get(hit.from.saturating_sub(4)..hit.from).unwrap_or_default();
    near.iter().any(|token| is_in(token, WE))
}

/// Who we are: `Big news from the team at Tottlebank: we have closed our seed round`.
pub(super) fn ourselves(scene: &Scene<'_>, hit: Hit) -> Option<Run> {
    const AT: &[&str] = &["at", "bei", "chez", "bij", "from"];
    let tokens = scene.tokens();
    let is_at = |at: &usize| tokens.get(*at).is_some_and(|token| is_in(token, AT));
    (0..hit.from).filter(is_at).find_map(|at| scene.run_at(at + 1))
}

pub(super) fn is_news(scene: &Scene<'_>, hit: Hit, year: i32) -> bool {
    !scene.is_other(hit.to, hit.to + OTHERS_WORDS)
        && !scene.is_modal(hit.from)
        && !is_past(scene, hit, year)
        && !scene.says(scene.after(hit.to, MONTH_WORDS), scene.language.past.months)
        && !fills_fund(scene, hit)
}

/// Money for a fund is not money for a company. A fund that gives comes after `from` or `by`.
pub(super) fn fills_fund(scene: &Scene<'_>, hit: Hit) -> bool {
    let tokens = scene.tokens();
    let giver = (hit.to..tokens.len())
        .find(|at| tokens.get(*at).is_some_and(|token| is_in(token, scene.language.from)));
    let until = giver.unwrap_or(tokens.len());
    // `hat für ihren zweiten Fonds 60 Millionen eingesammelt`.
    let before = if scene.language.verb_last { scene.clause_start(hit.from)..hit.from } else { 0..0 };
    let is_given = |at: usize| {
        let near = tokens.get(at.saturating_sub(FUND_WORDS)..at).unwrap_or_default();
        near.iter().any(|token| is_in(token, scene.language.from))
    };
    let filled = |at: usize| any_at(tokens, at, scene.language.funds).is_some() && !is_given(at);
    let fills_before = before.clone().any(filled) && scene.sums.iter().any(|sum| before.contains(&sum.from));
    fills_before
        || (hit.to..until).any(|at| {
            let fund = any_at(tokens, at, scene.language.funds).is_some();
            let verb = at
                .checked_sub(1)
                .and_then(|at| tokens.get(at))
                .is_some_and(|last| is_in(last, &["to", "will", "helps", "för"]));
            fund && !verb && !scene.is_named(at)
        })
}

/// `Meseta Equity invests in Prado Alto`.
fn invest(scene: &Scene<'_>, year: i32) -> Option<Round> {
    let tokens = scene.tokens();
    let hit = scene.find(scene.language.invests, 0)?;
    if !is_news(scene, hit, year) {
        return None;
    }
    let investor = scene.subject(scene.clause_start(hit.from), hit.from)?;
    let named = scene.runs.iter().map(|run| run.from).find(|at| *at >= hit.to).unwrap_or(tokens.len());
    let near = hit.to..(hit.to + INTO_WORDS).min(named);
    let past_sum = scene.sums.iter().find(|sum| near.contains(&sum.from)).map(|sum| sum.to);
    let from = past_sum.unwrap_or(hit.to);
    // `provides a Credit Facility to B`: a word for a round that is written as names are.
    let is_round = |run: Run| any_at(tokens, run.to - 1, scene.language.rounds).is_some();
    let into = find(tokens, scene.language.into, from, from + INTO_WORDS)
        .filter(|_| scene.object(from, tokens.len()).is_none_or(is_round));
    let company = scene
        .object(into.map_or(from, |into| into.to), tokens.len())
        .filter(|company| *company != investor)?;
    // `to fund a plant in Palencia`: the place is no company, unless the verb itself asks for the preposition.
    let apart = company.from.checked_sub(1).filter(|at| *at > from && into.is_none_or(|into| into.to < *at));
    // `a minority investment in B`.
    let of_share = apart
        .and_then(|at| at.checked_sub(1))
        .is_some_and(|at| tokens.get(at).is_some_and(|token| is_in(token, INVESTMENTS)));
    let is_place = !of_share
        && apart.and_then(|at| tokens.get(at)).is_some_and(|last| is_in(last, scene.language.inside));
    let is_thing = find(tokens, scene.language.things, hit.to, company.from).is_some();
    (!is_place && !is_thing).then_some(Round { company, at: hit.from, investor: Some(investor) })
}

/// The client of a lawyer in a financing.
fn client(scene: &Scene<'_>, start: usize) -> Option<Round> {
    if start == 0 || !speaks_of_round(scene) {
        return None;
    }
    let company = scene.object(start, scene.tokens().len())?;
    Some(Round { company, at: start, investor: None })
}

/// A headline that begins with the sum or the round: `USD 48 million for Dubai's Falajtech`.
fn given(scene: &Scene<'_>) -> Option<Round> {
    let tokens = scene.tokens();
    let sum = scene.sums.first().map(|sum| (sum.from, sum.to));
    let noun = scene.find(scene.language.rounds, 0).map(|hit| (hit.from, hit.to));
    let (from, to) = sum.or(noun)?;
    let named_before = scene.runs.iter().any(|run| run.from <= from);
    if named_before || scene.find(scene.language.others, 0).is_some() {
        return None;
    }
    let into = (to..(to + INTO_WORDS).min(tokens.len())).find(|at| {
        let is_into = tokens.get(*at).is_some_and(|token| is_in(token, scene.language.into));
        is_into && scene.object(at + 1, at + 9).is_some()
    })?;
    let company = scene.object(into + 1, tokens.len())?;
    // `1.9 million for a project of B` is not B's.
    let is_thing = scene.find_said(scene.language.things, into + 1, company.from).is_some();
    let of_fund = find(tokens, scene.language.funds, 0, company.to + FUND_WORDS).is_some();
    (!is_thing && !of_fund).then_some(Round { company, at: from, investor: None })
}

/// `Our newest investment: Glint`, as whoever gives the money calls it.
fn taken_on(scene: &Scene<'_>) -> Option<Round> {
    const TAKEN_ON: &[&str] = &[
        "newest investment :",
        "latest investment :",
        "new investment :",
        "our investment in",
        "newest portfolio company :",
        "latest portfolio company :",
        "new portfolio company :",
        "newest addition to our portfolio :",
        "why we invested in",
        "why we backed",
        "why we are backing",
        "why we' re backing",
        "warum wir in",
        "neues investment :",
        "unser neues investment :",
        "neue beteiligung :",
        "notre nouvel investissement :",
        "nouvelle participation :",
        "nuestra nueva inversión :",
        "il nostro nuovo investimento :",
        "onze nieuwste investering :",
        "nieuwe investering :",
        "nosso novo investimento :",
        "vår nya investering :",
    ];
    let hit = scene.find(TAKEN_ON, 0)?;
    let company = scene.run_at(hit.to)?;
    Some(Round { company, at: hit.from, investor: None })
}

/// A headline without a verb: `Pharos Robotics: $14.2 million, Series A`.
pub(super) fn headed(scene: &Scene<'_>) -> Option<Round> {
    let tokens = scene.tokens();
    let company = scene.runs.first().copied().filter(|run| run.from <= 2)?;
    let is_parted = tokens.get(company.to).is_some_and(|token| token.is_mark(":,–—-"));
    let told = !scene.sums.is_empty() && speaks_of_round(scene) && !scene.has(scene.language.funds);
    let described = tokens.get(company.to + 1).is_some_and(|token| is_in(token, scene.language.stops));
    let is_news = !described && !scene.is_other(0, tokens.len()) && !scene.has(scene.language.pasts);
    (is_parted && told && is_news && company.to < tokens.len()).then_some(Round {
        company,
        at: company.to,
        investor: None,
    })
}
