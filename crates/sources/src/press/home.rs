//! Whose a bare dollar or peso is: that of the country which a release is from.

use super::Story;
use super::table::lines;
use super::text::{Passage, Token, shorten};
use crate::money::{Money, decimals};
use std::sync::LazyLock;

/// A currency as it is read, the one that it is at home, how many of the places it takes to say so, and the places.
type Home = (&'static str, &'static str, usize, Vec<&'static str>);

static HOMES: LazyLock<Vec<Home>> = LazyLock::new(|| {
    let home = |(name, places): (&'static str, Vec<&'static str>)| {
        let mut parts = name.split(' ');
        Some((parts.next()?, parts.next()?, parts.next()?.parse().ok()?, places))
    };
    lines(include_str!("home.txt")).into_iter().filter_map(home).collect()
});

/// So much of a body, with the place before its first sentence, tells where it is from.
const HEAD_BYTES: usize = 400;
/// That a dollar is one of the United States, said somewhere or to be guessed.
const OTHERS: &[&str] = &[
    "nasdaq",
    "nyse",
    "new york",
    "san francisco",
    "boston",
    "california",
    "texas",
    "u.s",
    "chicago",
    "houston",
    "seattle",
    "austin",
    "n.c",
    "idaho",
];
/// Other money that is named in full, so that it is nobody else's.
const NAMED: &[(&str, &[&str])] = &[
    ("KES", &["KES", "KSh", "Ksh", "Kenyan shilling"]),
    ("DKK", &["DKK", "Danish kroner"]),
    ("INR", &["₹", "INR", "Indian rupees"]),
    ("TND", &["Tunisian dinar"]),
];
const DOLLARS: &[&str] = &["US$", "USD", "U.S. dollar", "US dollar", "US-Dollar", "dólar"];

/// The sum as those who wrote the release mean it.
pub(super) fn at_home(story: &Story<'_>, sum: Money) -> Money {
    let is_named = |names: &[&str]| {
        names.iter().any(|name| story.whole.contains(name) || story.title.passage.text.contains(name))
    };
    if sum.currency == "USD" && is_named(DOLLARS) {
        return sum;
    }
    if NAMED.iter().any(|(currency, names)| *currency == sum.currency && is_named(names)) {
        return sum;
    }
    // On the Canadian wire a bare dollar is Canada's: `MONTRÉAL, le 24 févr. 2026 /CNW/`.
    if sum.currency == "USD" && story.whole.contains("/CNW") {
        return Money { currency: "CAD", ..sum };
    }
    let head = Passage::new(shorten(story.whole, HEAD_BYTES));
    let texts = [story.title.passage, &head];
    let count =
        |places: &[&str]| places.iter().filter(|place| texts.iter().any(|text| has(text, place))).count();
    if sum.currency == "USD" && count(OTHERS) > 0 {
        return sum;
    }
    // A bare sign is a peso only where pesos are written so.
    let is_one = |of: &str| {
        of == sum.currency || of == "MXN" && sum.currency == "USD" && story.language().code == "es"
    };
    let homes = HOMES.iter().filter(|(of, ..)| is_one(of)).map(|home| (count(&home.3), home));
    let homes = homes.filter(|(count, (_, _, least, _))| count >= least);
    let home = homes.reduce(|best, next| if next.0 > best.0 { next } else { best });
    home.map_or(sum, |(_, (_, currency, ..))| of_currency(sum, currency))
}

/// As many units of another currency.
fn of_currency(sum: Money, currency: &'static str) -> Money {
    let units = |currency: &str| 10_i64.pow(decimals(currency));
    let amount = sum.amount / units(sum.currency) * units(currency);
    Money { amount: if decimals(sum.currency) == decimals(currency) { sum.amount } else { amount }, currency }
}

fn has(passage: &Passage<'_>, place: &str) -> bool {
    // `Accra-based`, too.
    let is_word = |token: &Token<'_>, word: &str| {
        let rest = token.lower.strip_prefix(word).filter(|_| token.is_capital());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    (0..passage.tokens.len()).any(|at| {
        place.split(' ').enumerate().all(|(more, word)| {
            let token = passage.tokens.get(at + more);
            token.is_some_and(|token| is_word(token, word) || word == "de" && token.lower == word)
        })
    })
}
