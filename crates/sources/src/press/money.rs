//! Sums of money in a passage, in the ways eight languages write them.

use super::currency::{glued, halves, is_nation, number_word, of_nation, of_sign, of_word, power};
use super::text::{Kind, Token};
use crate::money::{Money, decimals};

/// A sum and the tokens that say it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sum {
    pub from: usize,
    pub to: usize,
    pub money: Money,
}

/// A number before its power and its currency are known: digits, and how many of them are decimals.
#[derive(Clone, Copy)]
struct Figure {
    digits: i128,
    decimals: u32,
    to: usize,
}

pub(super) fn sums(tokens: &[Token<'_>], english: bool) -> Vec<Sum> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match sum_at(tokens, at, english) {
            Some(sum) => {
                at = sum.to.max(at + 1);
                found.push(sum);
            }
            None => at += 1,
        }
    }
    found
}

/// `4,7 milioni`, of which only its currency is missing: the figure with its power, unless it counts something.
pub(super) fn bare_sum_at(
    tokens: &[Token<'_>],
    at: usize,
    english: bool,
    currency: &'static str,
) -> Option<Sum> {
    const LARGE: u32 = 6;
    let is_after_sign =
        at.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|it| matches!(it.kind, Kind::Sign(_)));
    let figure = figure_at(tokens, at, english).filter(|_| !is_after_sign)?;
    let (power, to, code) = powers_after(tokens, figure.to, english);
    let next = tokens.get(to);
    let is_end = next.is_none_or(|next| match next.kind {
        Kind::Mark(mark) => !matches!(mark, '%' | '-'),
        Kind::Word => ends_figure(&next.lower),
        _ => false,
    });
    let is_bare = power >= LARGE && code.is_none() && is_end;
    if is_bare { finish(figure, power, currency, at, to) } else { None }
}

/// Small words that begin something else, so that what stands before them counts nothing.
fn ends_figure(word: &str) -> bool {
    const WORDS: &str = "in for from by and or to with on at when while after before as more into which over through \
        en pour par et à dans avec sur dont chez au aux lors qui \
        in für von und an durch aus bei mit kommen stammen steuert steuern auf wert zusammen nach oder \
        in per da e a con su dal dalla in dai al alla nel nella tra che \
        por y a con del al para que entre desde \
        voor van en door uit bij met aan op om te naar \
        em para com da do pela pelo que no na ao à e \
        för från och av i med till på om genom efter";
    super::table::is_one_of(word, WORDS)
}

fn sum_at(tokens: &[Token<'_>], at: usize, english: bool) -> Option<Sum> {
    let figure = figure_at(tokens, at, english)?;
    let (before, from) = currency_before(tokens, at);
    let (power, to, glued_currency) = powers_after(tokens, figure.to, english);
    let (figure, mut to) = half_after(tokens, figure, to);
    let mut currency = before;
    if let Some(code) = glued_currency {
        currency = Some(code);
    } else if before.is_none() {
        let (code, end) = currency_after(tokens, to)?;
        currency = Some(code);
        to = end;
        // `9 €M` and `9 EUR million`.
        let (late, late_end, _) = powers_after(tokens, to, english);
        if power == 0
            && late > 0
            && tokens.get(to).is_some_and(|token| !token.spaced || token.lower.len() > 2)
        {
            return finish(figure, late, code, from, late_end);
        }
    }
    // `$9.500 millones de pesos`: the sign is that of pesos, too.
    let peso = currency_after(tokens, to).filter(|(code, _)| *code == "MXN" && currency == Some("USD"));
    if let Some((code, end)) = peso {
        return finish(figure, power, code, from, end);
    }
    let (currency, to) = match before {
        Some(code) if glued_currency.is_none() => at_nation(tokens, code, to),
        _ => (currency?, to),
    };
    finish(figure, power, currency, from, to)
}

/// `deux millions et demi`: the half that follows the million, and where it ends.
fn half_after(tokens: &[Token<'_>], figure: Figure, to: usize) -> (Figure, usize) {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    let is_half =
        matches!((word(to), word(to + 1)), ("et", "demi") | ("y", "medio") | ("e", "mezzo" | "meio"));
    if !(is_half && figure.decimals == 0 && to > figure.to) {
        return (figure, to);
    }
    (Figure { digits: figure.digits.saturating_mul(10).saturating_add(5), decimals: 1, ..figure }, to + 2)
}

fn finish(figure: Figure, power: u32, currency: &'static str, from: usize, to: usize) -> Option<Sum> {
    let raised = figure.digits.checked_mul(10_i128.checked_pow(power + decimals(currency))?)?;
    let amount = i64::try_from(raised / 10_i128.checked_pow(figure.decimals)?).ok()?;
    (amount > 0).then_some(Sum { from, to, money: Money { amount, currency } })
}

/// A number in digits or, before a million of something, in words.
fn figure_at(tokens: &[Token<'_>], at: usize, english: bool) -> Option<Figure> {
    let token = tokens.get(at)?;
    match token.kind {
        Kind::Number => digits_at(tokens, at, english),
        Kind::Word if halves(&token.lower).is_some() => halves_at(tokens, at, english),
        Kind::Word => words_at(tokens, at, english),
        _ => None,
    }
}

/// `twenty-four million`, `six million eight hundred thousand`, `two and a half million`: the last power is left to be read.
fn words_at(tokens: &[Token<'_>], at: usize, english: bool) -> Option<Figure> {
    const ANDS: &[&str] = &["and", "et", "y", "e", "und", "en", "och"];
    let lower = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    let power_at = |at: usize| power(lower(at), english).filter(|power| *power >= 3);
    // A number right there, or behind a small word.
    let next = |at: usize| {
        let skip = usize::from(ANDS.contains(&lower(at)));
        number_word(lower(at + skip)).map(|number| (number, at + skip + 1))
    };
    let mut part = i128::from(number_word(lower(at))?);
    let (mut whole, mut to) = (0_i128, at + 1);
    // What goes on and comes to no power ends at the last one: `ten million a year`.
    let mut until_last = None;
    loop {
        if lower(to) == "and" && lower(to + 1) == "a" && lower(to + 2) == "half" {
            let digits = part.checked_mul(10)?.checked_add(5)?;
            let is_whole = whole == 0 && power_at(to + 3).is_some();
            return if is_whole { Some(Figure { digits, decimals: 1, to: to + 3 }) } else { until_last };
        }
        if let Some((number, end)) = next(to) {
            part = match number {
                100 => part.checked_mul(100)?,
                _ => part.checked_add(i128::from(number))?,
            };
            to = end;
            continue;
        }
        let Some(power) = power_at(to) else { return until_last };
        let times = 10_i128.checked_pow(power)?;
        // What is larger is counted in the last power.
        until_last = Some(Figure { digits: (whole / times).checked_add(part)?, decimals: 0, to });
        let Some((number, end)) = next(to + 1) else { return until_last };
        whole = whole.checked_add(part.checked_mul(times)?)?;
        (part, to) = (i128::from(number), end);
    }
}

/// `half a million`, `anderthalb Millionen`.
fn halves_at(tokens: &[Token<'_>], at: usize, english: bool) -> Option<Figure> {
    let halves = tokens.get(at).and_then(|token| halves(&token.lower))?;
    let article = tokens.get(at + 1).is_some_and(|next| next.lower == "a");
    let to = at + 1 + usize::from(article);
    let multiplied =
        tokens.get(to).and_then(|next| power(&next.lower, english)).is_some_and(|power| power >= 6);
    multiplied.then_some(Figure { digits: i128::from(halves) * 5, decimals: 1, to })
}

fn digits_at(tokens: &[Token<'_>], at: usize, english: bool) -> Option<Figure> {
    let text = tokens.get(at)?.text;
    let mut to = at + 1;
    let mut plain = text.to_owned();
    // `22 000 000`.
    if text.len() <= 3 && text.chars().all(|it| it.is_ascii_digit()) {
        while let Some(group) = tokens.get(to).filter(|next| is_group(next)) {
            plain.push_str(group.text);
            to += 1;
        }
    }
    let after = tokens.iter().skip(to).find(|next| !next.is_mark("-"));
    let multiplied = after.is_some_and(|next| power(&next.lower, english).is_some());
    let (digits, decimals) = read_digits(&plain, english, multiplied)?;
    Some(Figure { digits, decimals, to })
}

fn is_group(token: &Token<'_>) -> bool {
    token.kind == Kind::Number
        && token.spaced
        && token.text.len() == 3
        && token.text.chars().all(|it| it.is_ascii_digit())
}

fn read_digits(text: &str, english: bool, multiplied: bool) -> Option<(i128, u32)> {
    let separators = text.chars().filter(|it| !it.is_ascii_digit()).collect::<Vec<_>>();
    let digits = text.chars().filter(char::is_ascii_digit).collect::<String>();
    let digits = digits.parse::<i128>().ok().filter(|_| digits.len() <= 18)?;
    let Some(last) = separators.last().copied() else { return Some((digits, 0)) };
    let tail = text.rsplit(last).next().map_or(0, str::len);
    let alike = separators.iter().filter(|it| **it == last).count();
    let mixed = alike < separators.len();
    let decimal = match last {
        '.' | ',' if alike > 1 => false,
        '.' | ',' if mixed => true,
        '.' | ',' if tail != 3 => true,
        // `1,200 millones` is how Mexico writes thousands of millions: nobody writes a last zero of three decimals.
        '.' | ',' if text.ends_with('0') => false,
        '.' => english && multiplied,
        ',' => !english && multiplied,
        _ => false,
    };
    Some((digits, if decimal { u32::try_from(tail).ok()? } else { 0 }))
}

/// Letters that are a currency only right before digits: `N14.2bn`; after them they are pence.
fn before_digits(letters: &str) -> Option<&'static str> {
    match letters {
        "N" => Some("NGN"),
        "P" => Some("PHP"),
        _ => None,
    }
}

/// The currency that stands before a number, and where it begins.
fn currency_before(tokens: &[Token<'_>], at: usize) -> (Option<&'static str>, usize) {
    let token = |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at));
    let Some(last) = token(1) else { return (None, at) };
    match last.kind {
        Kind::Sign(sign) => {
            let letters = token(2).filter(|word| word.kind == Kind::Word && !last.spaced);
            let currency = of_sign(sign, letters.map_or("", |word| word.lower.as_str()));
            let currency = currency.or_else(|| of_sign(sign, ""));
            (currency, at - 1 - usize::from(letters.is_some()))
        }
        Kind::Word => {
            let is_glued = tokens.get(at).is_some_and(|number| !number.spaced);
            let is_code = last.text.chars().all(char::is_uppercase) && (is_glued || last.text.len() > 1)
                || super::table::is_one_of(last.text, "RM KSh Ksh Rp Ft Tk")
                || is_glued && super::table::is_one_of(last.text, "R Kr")
                || matches!(last.lower.as_str(), "rs" | "sfr" | "kr" | "fr");
            match glued(last.text, &last.lower) {
                Some((_, code)) if last.text.len() == 3 && is_code => (Some(code), at - 1),
                _ => match before_digits(last.text)
                    .filter(|_| is_glued)
                    .or_else(|| of_word(last.text, &last.lower).filter(|_| is_code))
                {
                    Some(code) => (Some(code), at - 1),
                    None => (None, at),
                },
            }
        }
        // `S/ 68 millones`.
        Kind::Mark('/') if token(2).is_some_and(|word| word.text == "S") => (Some("PEN"), at - 2),
        Kind::Mark('.') => {
            // `Rs. 220 crore`.
            let short = token(2).filter(|word| matches!(word.lower.as_str(), "rs" | "fr" | "sfr"));
            (
                short.and_then(|word| of_word(word.text, &word.lower)),
                if short.is_some() { at - 2 } else { at },
            )
        }
        _ => (None, at),
    }
}

/// `Mio.`, `mil millones`, `M` of `M€`: the power of ten, where it ends, and a currency that is part of the word.
fn powers_after(tokens: &[Token<'_>], from: usize, english: bool) -> (u32, usize, Option<&'static str>) {
    // `$20-million`.
    let hyphen = tokens.get(from).is_some_and(|token| token.is_mark("-") && !token.spaced);
    let from = from + usize::from(hyphen);
    let Some(first) = tokens.get(from).filter(|token| token.kind == Kind::Word) else {
        return (0, from, None);
    };
    if let Some((power, code)) = glued(first.text, &first.lower) {
        return (power, from + 1, Some(code));
    }
    let Some(mut total) = power(&first.lower, english) else { return (0, from, None) };
    // A lone letter after a space is a word of its own, unless a currency follows it.
    let lone = first.spaced && first.text.chars().count() == 1;
    let followed = tokens
        .get(from + 1)
        .is_some_and(|next| matches!(next.kind, Kind::Sign(_)) || of_word(next.text, &next.lower).is_some());
    if lone && !followed && first.text != "M" {
        return (0, from, None);
    }
    let mut to = from + 1;
    if total == 3
        && let Some(next) =
            tokens.get(to).and_then(|next| power(&next.lower, english)).filter(|next| *next == 6)
    {
        total += next;
        to += 1;
    }
    if tokens.get(to).is_some_and(|next| next.is_mark(".") && !next.spaced) && to + 1 < tokens.len() {
        to += 1;
    }
    (total, to, None)
}

/// `2,3 M$ CA`, `$13.5 million Canadian`: the nation right behind a dollar, unless it is said of something else, as of `a $300 million
/// Singapore fund`.
fn at_nation(tokens: &[Token<'_>], code: &'static str, at: usize) -> (&'static str, usize) {
    let Some(next) = tokens.get(at) else { return (code, at) };
    let is_code = next.text.chars().all(char::is_uppercase);
    let is_last = tokens
        .get(at + 1)
        .is_none_or(|after| matches!(after.kind, Kind::Mark(_)) || ends_figure(&after.lower));
    let other = if is_code || is_last { of_nation(code, &next.lower) } else { code };
    (other, at + usize::from(other != code))
}

const LINKS: &[&str] = &["of", "de", "d'", "di", "in", "us", "u.s"];

fn currency_after(tokens: &[Token<'_>], from: usize) -> Option<(&'static str, usize)> {
    let mut nation = "";
    for at in from..from + 3 {
        let token = tokens.get(at)?;
        if let Kind::Sign(sign) = token.kind {
            return of_sign(sign, "").map(|code| at_nation(tokens, code, at + 1));
        }
        if let Some(code) = of_word(token.text, &token.lower) {
            let next = tokens.get(at + 1).map_or("", |next| next.lower.as_str());
            let other = of_nation(code, next);
            return Some((of_nation(other, nation), at + 1 + usize::from(other != code)));
        }
        // `a 26-billion-CFA-franc loan`.
        let is_hyphen = at == from && token.is_mark("-") && !token.spaced;
        if !LINKS.contains(&token.lower.as_str()) && !is_nation(&token.lower) && !is_hyphen {
            return None;
        }
        nation = token.lower.as_str();
    }
    None
}
