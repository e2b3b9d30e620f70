//! Items 2.01 and 5.01: companies bought and sold.

use super::super::super::money::read_money;
use super::Reported;
use super::companies::{Glossary, Named};
use super::phrases::{is_doubtful, is_past};
use super::words::{Word, dates, is_current, says, sentences};
use crate::money::Money;
use assay_domain::name::fold_company;
use assay_domain::signal::{Content, Deal, Party};
use assay_domain::{Confidence, Notice};
use chrono::NaiveDate;

const DONE: &[&str] = &["completed", "consummated", "closed", "finalized"];
/// What makes shares of a company the company, and what makes it less.
const WHOLE: &[&str] =
    &["outstanding", "equity", "stock", "shares", "interests", "100%", "substantially", "securities"];
const PART: &[&str] =
    &["certain", "portion", "some", "minority", "remaining", "additional", "license", "rights"];
/// Houses and ships have names as well.
const THINGS: &[&str] = &[
    "property",
    "properties",
    "building",
    "apartments",
    "apartment",
    "hotel",
    "hotels",
    "portfolio",
    "plaza",
    "land",
    "acres",
    "acre",
    "wells",
    "mine",
    "vessel",
    "vessels",
    "aircraft",
    "warehouse",
    "square",
    "real",
    "mineral",
    "oil",
    "tenant",
    "lease",
    "leases",
    "loan",
    "loans",
    "shopping",
    "center",
    "facility",
    "patents",
];
/// How far the other side of a deal may be, and a price, in words.
const REACH: usize = 30;
const PRICE_REACH: usize = 14;
/// Less is a fee, or a price of something else.
const PRICE_MIN: i64 = 10_000_000;
const PLAIN: u8 = 85;
const LIKELY: u8 = 75;
/// For a name without a legal form, which may be one of a thing.
const NAME_LESS: u8 = 15;

struct Found {
    acquirer: Named,
    target: Named,
    on: NaiveDate,
    percent: u8,
    /// The sentence that tells it.
    at: usize,
}

pub(crate) fn read_deals(reported: &Reported, lines: &[&str]) -> Vec<Notice> {
    let all = sentences(lines);
    let glossary = Glossary::read(&all, &reported.company.name);
    let mut found: Vec<Found> = Vec::new();
    for (at, words) in all.iter().enumerate() {
        let words = &without_brackets(words);
        if is_past(words) || !is_current(words, reported.period) {
            continue;
        }
        let on = dates(words).first().map(|(_, day)| *day).filter(|day| *day <= reported.filed_on);
        let on = on.filter(|day| (reported.period - *day).num_days().abs() <= 60).unwrap_or(reported.period);
        for verb in 0..words.len() {
            let Some((acquirer, target, percent)) = read_deal(&glossary, words, verb) else { continue };
            let one_is_filer = (acquirer == Named::Filer) != (target == Named::Filer);
            let sold = one_is_filer || is_sale(words);
            if sold && acquirer != target && !found.iter().any(|it| it.target == target) {
                found.push(Found { acquirer, target, on, percent, at });
            }
        }
    }
    // With two deals it cannot be told whose price it is.
    let price = found.first().filter(|_| found.len() == 1).and_then(|it| price(&all, it.at));
    found.iter().map(|it| notice(reported, it, price)).collect()
}

fn notice(reported: &Reported, found: &Found, price: Option<Money>) -> Notice {
    let party = |named: &Named| match named {
        Named::Filer => reported.company.clone(),
        Named::Other { name, .. } => Party::named(name.clone()),
    };
    let vague =
        [&found.acquirer, &found.target].iter().any(|it| matches!(it, Named::Other { is_legal: false, .. }));
    let target = party(&found.target);
    Notice {
        reference: reported.reference("deal", &fold_company(&target.name)),
        url: Some(reported.url.clone()),
        occurred_at: reported.occurred_at(Some(found.on)),
        company: target.clone(),
        person: None,
        confidence: Confidence::percent(found.percent.saturating_sub(if vague { NAME_LESS } else { 0 })),
        content: Content::Acquisition(Deal {
            acquirer: party(&found.acquirer),
            target,
            price: price.map(|price| price.amount),
            currency: price.map(|price| price.currency.to_owned()),
            announced_on: found.on,
        }),
    }
}

/// Without `(the “Acquisition”)`, which stands between words that belong together.
fn without_brackets(words: &[Word]) -> Vec<Word> {
    let mut inside = false;
    let mut kept = Vec::with_capacity(words.len());
    for word in words {
        inside |= word.opens_bracket();
        if !inside {
            kept.push(word.clone());
        }
        inside &= !word.closes_bracket();
    }
    kept
}

/// Who bought whom, by the verb at a place.
fn read_deal(glossary: &Glossary, words: &[Word], verb: usize) -> Option<(Named, Named, u8)> {
    if is_doubtful(words, verb) {
        return None;
    }
    let word = words.get(verb)?;
    if word.is(DONE) {
        let end = words.len().min(verb + 8);
        let what = (verb + 1..end).find(|at| says(words, *at + 1, &["of"]) && is_deal(words, *at))?;
        let (target, after) = object_at(glossary, words, what + 2)?;
        if !words.get(what)?.is(&["acquisition", "purchase"]) {
            let buyer = (after..words.len().min(after + REACH)).find(|at| says(words, *at, &["to"]));
            let (acquirer, _) = glossary.named_at(words, buyer? + 1)?;
            return Some((acquirer, target, PLAIN));
        }
        return Some((subject(glossary, words, verb)?, target, PLAIN));
    }
    if word.low == "acquired" {
        if verb
            .checked_sub(1)
            .and_then(|at| words.get(at))
            .is_some_and(|it| it.is(&["was", "been", "were", "be"]))
        {
            let (acquirer, _) =
                glossary.named_at(words, verb + 2).filter(|_| says(words, verb + 1, &["by"]))?;
            return Some((acquirer, subject(glossary, words, verb)?, LIKELY));
        }
        let (target, _) = object_at(glossary, words, verb + 1)?;
        return Some((subject(glossary, words, verb)?, target, LIKELY));
    }
    merged(glossary, words, verb)
}

fn is_deal(words: &[Word], at: usize) -> bool {
    let word = words.get(at);
    word.is_some_and(|word| word.is(&["acquisition", "purchase", "sale", "disposition", "divestiture"]))
}

fn is_sale(words: &[Word]) -> bool {
    words.iter().any(|word| word.is(&["sale", "disposition", "divestiture"]))
}

/// `the Company surviving as a wholly owned subsidiary of Parent`.
fn merged(glossary: &Glossary, words: &[Word], at: usize) -> Option<(Named, Named, u8)> {
    let owned = words.get(at.saturating_sub(3)..at)?.iter().any(|it| it.is(&["owned", "wholly-owned"]));
    if !(says(words, at, &["subsidiary", "of"]) && owned) {
        return None;
    }
    let (acquirer, _) = glossary.named_at(words, at + 2)?;
    let named = named_before(glossary, words, at);
    let survives = |end: usize| {
        let next = words.get(end..words.len().min(end + 2)).unwrap_or_default();
        next.iter().any(|it| {
            it.is(&["surviving", "continuing", "became", "survived", "becoming", "continued", "survives"])
        })
    };
    let (target, _) = named.into_iter().rev().find(|(_, end)| survives(*end))?;
    Some((acquirer, target, PLAIN))
}

/// All companies named before a place, with the places after them.
fn named_before(glossary: &Glossary, words: &[Word], until: usize) -> Vec<(Named, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < until {
        match glossary.named_at(words, at).filter(|(_, end)| *end <= until) {
            Some((named, end)) => {
                found.push((named, end));
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// Who does what the verb says. The filer where it is named at all: its subsidiaries buy for it.
fn subject(glossary: &Glossary, words: &[Word], verb: usize) -> Option<Named> {
    let named = named_before(glossary, words, verb);
    if named.iter().any(|(it, _)| *it == Named::Filer) {
        return Some(Named::Filer);
    }
    named.into_iter().next().map(|(it, _)| it)
}

/// What is bought: a company named at once, or after `all of the outstanding shares of`.
fn object_at(glossary: &Glossary, words: &[Word], at: usize) -> Option<(Named, usize)> {
    let end = words.len().min(at + REACH);
    let phrase_end = (at..end).find(|at| glossary.named_at(words, *at).is_some())?;
    let phrase = words.get(at..phrase_end)?;
    let has = |list: &[&str]| phrase.iter().any(|word| word.is(list));
    let at_once = phrase.iter().all(|word| word.is(&["the", "its", "our", "all", "of"]));
    if !(at_once || has(WHOLE)) || has(PART) || phrase.iter().any(|word| word.has_comma()) {
        return None;
    }
    let (named, after) = glossary.named_at(words, phrase_end)?;
    let last = words.get(after.checked_sub(1)?)?;
    let is_thing = words.iter().any(|word| word.is(THINGS));
    let vague = matches!(named, Named::Other { is_legal: false, .. });
    // What belongs to a company is not the company.
    (last.text == last.bare() && !(vague && is_thing)).then_some((named, after))
}

/// What was paid, where one sentence tells: the one with the deal, or one that speaks of the price.
fn price(all: &[Vec<Word>], deal: usize) -> Option<Money> {
    all.iter().enumerate().filter(|(at, _)| *at >= deal).find_map(|(at, words)| {
        let spoken = (0..words.len()).filter(|at| {
            says(words, *at, &["purchase", "price"])
                || says(words, *at, &["aggregate", "consideration"])
                || says(words, *at, &["total", "consideration"])
        });
        let bare = (0..words.len()).filter(|it| at == deal && says(words, *it, &["for"]));
        spoken.chain(bare).find_map(|at| (at + 1..at + PRICE_REACH).find_map(|at| money_at(words, at)))
    })
}

fn money_at(words: &[Word], at: usize) -> Option<Money> {
    let near = words.get(at..words.len().min(at + 4))?;
    let text = near.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    let (money, rest) = read_money(&text)?;
    (money.amount >= PRICE_MIN && !rest.trim_start().starts_with("per ")).then_some(money)
}
