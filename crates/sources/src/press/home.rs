//! Whose a bare dollar or peso is: that of the country which a release is from.

use super::Story;
use super::text::{Passage, Token, shorten};
use crate::money::{Money, decimals};

/// A currency as it is read, the one that it is at home, how many of the places it takes to say so, and the places.
type Home = (&'static str, &'static str, usize, &'static [&'static str]);

/// One place is not enough for Canada, from where as many tell of US dollars.
const HOMES: &[Home] = &[
    (
        "USD",
        "AUD",
        1,
        &[
            "asx",
            "sydney",
            "melbourne",
            "brisbane",
            "perth",
            "adelaide",
            "hobart",
            "canberra",
            "ballarat",
            "geelong",
            "bendigo",
            "wollongong",
            "gold coast",
            "queensland",
            "tasmania",
            "new south wales",
            "nsw",
            "australia",
            "australia's",
            "australian",
        ],
    ),
    (
        "USD",
        "CAD",
        2,
        &[
            "tsx",
            "tsxv",
            "cse",
            "toronto",
            "montréal",
            "montreal",
            "vancouver",
            "calgary",
            "ottawa",
            "edmonton",
            "winnipeg",
            "halifax",
            "saskatoon",
            "regina",
            "québec",
            "quebec",
            "qc",
            "ontario",
            "ont",
            "alberta",
            "british columbia",
            "bc",
            "manitoba",
            "mb",
            "saskatchewan",
            "nova scotia",
            "new brunswick",
            "newfoundland",
            "mississauga",
            "laval",
            "gatineau",
            "kelowna",
            "canada",
            "canada's",
            "canadian",
        ],
    ),
    (
        "USD",
        "NZD",
        1,
        &["nzx", "auckland", "wellington", "christchurch", "dunedin", "tauranga", "new zealand"],
    ),
    ("USD", "SGD", 2, &["sgx", "singapore", "singapore's"]),
    (
        "MXN",
        "CLP",
        1,
        &[
            "chile",
            "chileno",
            "chilena",
            "chilean",
            "santiago de chile",
            "concepción",
            "valparaíso",
            "antofagasta",
            "temuco",
        ],
    ),
    (
        "MXN",
        "COP",
        1,
        &[
            "colombia",
            "colombiano",
            "colombiana",
            "colombian",
            "bogotá",
            "medellín",
            "cali",
            "barranquilla",
            "huila",
            "neiva",
        ],
    ),
    (
        "MXN",
        "ARS",
        1,
        &["argentina", "argentino", "argentine", "buenos aires", "rosario", "mendoza", "tucumán", "la plata"],
    ),
    ("MXN", "UYU", 1, &["uruguay", "montevideo", "uruguaya", "uruguayo"]),
    (
        "AED",
        "MAD",
        1,
        &[
            "casablanca",
            "rabat",
            "maroc",
            "marocain",
            "marocaine",
            "marrakech",
            "tanger",
            "morocco",
            "agadir",
        ],
    ),
    ("INR", "PKR", 1, &["karachi", "lahore", "islamabad", "pakistan", "pakistani"]),
    ("INR", "LKR", 1, &["colombo", "sri lanka"]),
    ("GBP", "EGP", 1, &["cairo", "alexandria", "egypt", "egyptian"]),
];
/// So much of a body, with the place before its first sentence, tells where it is from.
const HEAD_BYTES: usize = 400;
/// That a dollar is one of the United States, said somewhere or to be guessed.
const OTHERS: &[&str] =
    &["nasdaq", "nyse", "new york", "san francisco", "boston", "california", "texas", "u.s", "chicago"];
const DOLLARS: &[&str] = &["US$", "USD", "U.S. dollar", "US dollar"];

/// The sum as those who wrote the release mean it.
pub(super) fn at_home(story: &Story<'_>, sum: Money) -> Money {
    let is_named = |names: &[&str]| {
        names.iter().any(|name| story.whole.contains(name) || story.title.passage.text.contains(name))
    };
    if sum.currency == "USD" && is_named(DOLLARS) {
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
    let home = HOMES.iter().find(|(of, _, least, places)| *of == sum.currency && count(places) >= *least);
    home.map_or(sum, |(_, currency, ..)| of_currency(sum, currency))
}

/// As many units of another currency.
fn of_currency(sum: Money, currency: &'static str) -> Money {
    let units = |currency: &str| 10_i64.pow(decimals(currency));
    let amount = sum.amount / units(sum.currency) * units(currency);
    Money { amount: if decimals(sum.currency) == decimals(currency) { sum.amount } else { amount }, currency }
}

fn has(passage: &Passage<'_>, place: &str) -> bool {
    let is_word = |token: &Token<'_>, word: &str| token.is_capital() && token.lower == word;
    (0..passage.tokens.len()).any(|at| {
        place.split(' ').enumerate().all(|(more, word)| {
            let token = passage.tokens.get(at + more);
            token.is_some_and(|token| is_word(token, word) || word == "de" && token.lower == word)
        })
    })
}
