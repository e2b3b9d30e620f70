//! Amounts of money as filings write them, without floating point.

use crate::money::{Money, decimals};

/// As they are written before a number; the longer ones first.
const SIGNS: &[(&str, &str)] = &[
    ("US$", "USD"),
    ("USD", "USD"),
    ("CA$", "CAD"),
    ("CAD", "CAD"),
    ("C$", "CAD"),
    ("AU$", "AUD"),
    ("AUD", "AUD"),
    ("A$", "AUD"),
    ("NZ$", "NZD"),
    ("S$", "SGD"),
    ("SGD", "SGD"),
    ("HK$", "HKD"),
    ("R$", "BRL"),
    ("EUR", "EUR"),
    ("GBP", "GBP"),
    ("CHF", "CHF"),
    ("SEK", "SEK"),
    ("NOK", "NOK"),
    ("DKK", "DKK"),
    ("INR", "INR"),
    ("JPY", "JPY"),
    ("ILS", "ILS"),
    ("$", "USD"),
    ("€", "EUR"),
    ("£", "GBP"),
    ("¥", "JPY"),
    ("₹", "INR"),
    ("₩", "KRW"),
    ("₪", "ILS"),
];
/// What a word after the number multiplies it by, as a power of ten.
const SCALES: &[(&str, u32)] = &[
    ("thousand", 3),
    ("k", 3),
    ("million", 6),
    ("m", 6),
    ("mm", 6),
    ("mn", 6),
    ("mil", 6),
    ("billion", 9),
    ("b", 9),
    ("bn", 9),
    ("trillion", 12),
    ("lakh", 5),
    ("crore", 7),
];
/// No company costs more than a few million millions; longer numbers are something else.
const DIGITS_MAX: usize = 15;

/// A number as written (`1,250.5`), times a power of ten, in minor units of a currency. None when it is no number, negative,
/// or too large. What is less than a minor unit is left out.
pub fn minor_units(number: &str, power_of_ten: u32, currency: &str) -> Option<i64> {
    let (whole, part) = number.trim().split_once('.').unwrap_or((number.trim(), ""));
    let whole: String = whole.split(',').collect();
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() + part.len() > DIGITS_MAX || !is_number(&whole) || !is_number(part) {
        return None;
    }
    let places =
        usize::try_from(power_of_ten.checked_add(decimals(currency))?).ok().filter(|places| *places <= 18)?;
    let digits: String = part.chars().chain(std::iter::repeat('0')).take(places).collect();
    format!("{whole}{digits}").parse().ok()
}

/// The amount a text begins with, and what comes after it: `$12.5 million in cash`, `EUR 3bn`. None where there is no sign of a
/// currency: a bare number may be anything.
pub fn read_money(text: &str) -> Option<(Money, &str)> {
    let (sign, currency) = SIGNS.iter().find(|(sign, _)| text.starts_with(sign))?;
    let rest = text.get(sign.len()..)?.trim_start_matches([' ', '\u{a0}']);
    let length = rest.find(|c: char| !(c.is_ascii_digit() || c == ',' || c == '.')).unwrap_or(rest.len());
    let number = rest.get(..length)?.trim_end_matches([',', '.']);
    let after = rest.get(number.len()..)?;
    // A word may follow at once (`3bn`) or after a space or a hyphen.
    let word_at = after.strip_prefix([' ', '\u{a0}', '-']).unwrap_or(after);
    let end = word_at.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(word_at.len());
    let word = word_at.get(..end)?.to_ascii_lowercase();
    let scale = SCALES.iter().find(|(name, _)| *name == word);
    let amount = minor_units(number, scale.map_or(0, |(_, power)| *power), currency)?;
    let after = if scale.is_some() { word_at.get(end..)? } else { after };
    Some((Money { amount, currency }, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_in_minor_units_of_their_currency() {
        for (text, amount, currency) in [
            ("$12.5 million in cash", 1_250_000_000, "USD"),
            ("US$1,250.55", 125_055, "USD"),
            ("€3bn", 300_000_000_000, "EUR"),
            ("£0.75 million", 75_000_000, "GBP"),
            ("¥500 million", 500_000_000, "JPY"),
            ("C$10-million", 1_000_000_000, "CAD"),
            ("$25.", 2_500, "USD"),
            ("$1.239", 123, "USD"),
        ] {
            assert_eq!(read_money(text).map(|(money, _)| money), Some(Money { amount, currency }), "{text}");
        }
        assert_eq!(minor_units("5", 0, "KWD"), Some(5_000));
        assert_eq!(minor_units("9777138", 0, "USD"), Some(977_713_800));
    }

    #[test]
    fn what_is_no_amount_is_none() {
        for text in [
            "",
            "12 million",
            "$",
            "$million",
            "$-5",
            "$1.2.3",
            "$9999999999999999",
            "$999999999999999 trillion",
        ] {
            assert_eq!(read_money(text).map(|(money, _)| money), None, "{text}");
        }
        assert_eq!(minor_units("1", u32::MAX, "USD"), None);
    }

    #[test]
    fn what_comes_after_is_kept() {
        assert_eq!(read_money("$25.00 per share").unwrap().1, " per share");
        assert_eq!(read_money("$2 million, in cash").unwrap().1, ", in cash");
    }
}
