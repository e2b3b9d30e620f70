//! Currencies as they are written in eight languages, and the words that multiply.

use super::table::lines;
use std::sync::LazyLock;

/// The words of `money.txt`, looked up one by one.
#[derive(Debug, Default)]
struct Words {
    codes: Vec<&'static str>,
    currencies: Vec<(&'static str, &'static str)>,
    /// Of whom a dollar or a crown is: the word beside it, the currency without it, the currency with it.
    nations: Vec<(&'static str, &'static str, &'static str)>,
    powers: Vec<(&'static str, u32)>,
    /// A power and a currency in one word.
    glued: Vec<(&'static str, u32, &'static str)>,
    numbers: Vec<(&'static str, u32)>,
    /// Words for so many halves.
    halves: Vec<(&'static str, u32)>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let mut words = Words::default();
    for (name, phrases) in lines(include_str!("money.txt")) {
        let mut parts = name.split(' ');
        let (kind, first, second) =
            (parts.next(), parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let number = first.parse().unwrap_or_default();
        match kind {
            Some("codes") => words.codes.extend(phrases),
            Some("currency") => words.currencies.extend(phrases.into_iter().map(|word| (word, first))),
            Some("nation") => words.nations.extend(phrases.into_iter().map(|word| (word, first, second))),
            Some("power") => words.powers.extend(phrases.into_iter().map(|word| (word, number))),
            Some("glued") => words.glued.extend(phrases.into_iter().map(|word| (word, number, second))),
            Some("number") => words.numbers.extend(phrases.into_iter().map(|word| (word, number))),
            Some("half") => words.halves.extend(phrases.into_iter().map(|word| (word, number))),
            _ => {}
        }
    }
    words
});

fn find<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
}

pub(super) fn is_code(text: &str) -> bool {
    WORDS.codes.contains(&text)
}

/// The currency of a code or a word for it.
pub(super) fn of_word(text: &str, lower: &str) -> Option<&'static str> {
    let code = WORDS.codes.iter().copied().find(|code| *code == text);
    code.or_else(|| find(&WORDS.currencies, lower))
}

/// The currency of a sign, after the letters before it: `US$`, `A$`, `R$`.
pub(super) fn of_sign(sign: char, letters: &str) -> Option<&'static str> {
    Some(match (sign, letters) {
        ('$', "us" | "usd" | "") => "USD",
        ('$', "c" | "ca" | "cad" | "can") => "CAD",
        ('$', "a" | "au" | "aud") => "AUD",
        ('$', "nz") => "NZD",
        ('$', "s" | "sg") => "SGD",
        ('$', "hk") => "HKD",
        ('$', "nt") => "TWD",
        ('$', "mx" | "mex") => "MXN",
        ('$', "r") => "BRL",
        ('$', "f" | "fj") => "FJD",
        ('$', "n") => "NAD",
        ('$', "j" | "jm" | "ja") => "JMD",
        ('$', "tt") => "TTD",
        ('$', "bds") => "BBD",
        ('$', "ec") => "XCD",
        ('$', "g" | "gy") => "GYD",
        ('$', "b") => "BBD",
        ('¢', "gh") => "GHS",
        ('¥', "cn" | "rmb") => "CNY",
        ('€', _) => "EUR",
        ('£', _) => "GBP",
        ('¥', _) => "JPY",
        ('₹', _) => "INR",
        ('₩', _) => "KRW",
        ('₪', _) => "ILS",
        ('₦', _) => "NGN",
        ('₺', _) => "TRY",
        ('₽', _) => "RUB",
        ('฿', _) => "THB",
        ('₱', _) => "PHP",
        ('₸', _) => "KZT",
        ('₫', _) => "VND",
        ('₴', _) => "UAH",
        ('₵', _) => "GHS",
        _ => return None,
    })
}

/// The same currency of another nation, when a word beside it names one.
pub(super) fn of_nation(currency: &'static str, word: &str) -> &'static str {
    let other = WORDS
        .nations
        .iter()
        .find(|(nation, of, _)| *nation == word && (*of == currency || is_crown(of, currency)));
    other.map_or(currency, |(_, _, other)| *other)
}

/// Whether the word names a nation whose money has a name of several nations.
pub(super) fn is_nation(word: &str) -> bool {
    WORDS.nations.iter().any(|(nation, ..)| *nation == word)
}

fn is_crown(of: &str, currency: &str) -> bool {
    let crowns = ["SEK", "DKK"];
    crowns.contains(&of) && crowns.contains(&currency)
}

pub(super) fn power(lower: &str, english: bool) -> Option<u32> {
    if english && lower == "mil" { Some(6) } else { find(&WORDS.powers, lower) }
}

/// A power and a currency in one word: `MSEK`, `mkr`, `MUSD`.
pub(super) fn glued(text: &str, lower: &str) -> Option<(u32, &'static str)> {
    let known =
        WORDS.glued.iter().find(|(word, _, _)| *word == lower).map(|(_, power, code)| (*power, *code));
    // `a 95 billion-won round`.
    let joined = || {
        let (first, rest) = lower.split_once('-')?;
        let money = rest.rsplit('-').next().unwrap_or(rest);
        let code = of_word("", rest).or_else(|| of_word("", money))?;
        Some((power(first, true)?, of_nation(code, rest.split('-').next().unwrap_or_default())))
    };
    known.or_else(joined).or_else(|| {
        let (power, rest) = match text.chars().next()? {
            'M' => (6, text.get(1..)?),
            'T' | 'K' | 'k' => (3, text.get(1..)?),
            _ => return None,
        };
        WORDS.codes.iter().copied().find(|code| *code == rest).map(|code| (power, code))
    })
}

pub(super) fn number_word(lower: &str) -> Option<u32> {
    find(&WORDS.numbers, lower).or_else(|| {
        let (tens, ones) = lower.split_once('-')?;
        Some(
            find(&WORDS.numbers, tens).filter(|tens| *tens >= 20)?
                + find(&WORDS.numbers, ones).filter(|ones| *ones < 10)?,
        )
    })
}

/// `anderthalb` is three halves.
pub(super) fn halves(lower: &str) -> Option<u32> {
    find(&WORDS.halves, lower)
}
