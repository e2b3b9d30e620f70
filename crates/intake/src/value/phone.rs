//! Phones as files have them.

use assay_domain::{ParseError, Phone};

use crate::note::Reason;
use crate::value::country::CountryCode;

/// Before an extension stands a whole number.
const DIGITS_MIN: usize = 7;

/// Reads a number. One without a country code belongs to `country`, if the operator has said that such numbers are to
/// be read at all.
pub(crate) fn read_phone(text: &str, country: Option<CountryCode>) -> Result<Phone, Reason> {
    // Nearly every number ends here. One with words around it is refused at once, so that trying costs nothing.
    if text.starts_with('+')
        && let Ok(phone) = Phone::parse(text)
    {
        return Ok(phone);
    }
    let number = strip_label(strip_extension(text));
    if number.starts_with('+') {
        return Ok(Phone::parse(number)?);
    }
    let Some(country) = country else {
        return Err(Reason::Value(ParseError::Phone("does not start with a plus sign and a country code")));
    };
    let international = ["00", "011"].iter().find_map(|prefix| {
        let is_prefix = *prefix == "00" || country.calling_code() == "1";
        number.strip_prefix(prefix).filter(|_| is_prefix)
    });
    let whole = match international {
        Some(rest) => format!("+{rest}"),
        // The parser drops the zero that only callers within the country dial.
        None => format!("+{}{number}", country.calling_code()),
    };
    Ok(Phone::parse(&whole)?)
}

/// `tel:+49…`, `Mobile: +49…`, `+49… (mobile)`.
fn strip_label(text: &str) -> &str {
    let is_label = |c: char| c.is_alphabetic() || matches!(c, ':' | '.' | ' ');
    let text = text.trim();
    let front = if text.starts_with(char::is_alphabetic) { text.trim_start_matches(is_label) } else { text };
    match front.rsplit_once('(') {
        Some((number, label)) if label.trim_end_matches(')').chars().all(is_label) => number.trim(),
        _ => front,
    }
}

/// Without what is dialled after the connection stands; it is no part of the number.
fn strip_extension(text: &str) -> &str {
    let mut digits = 0;
    for (at, c) in text.char_indices() {
        digits += usize::from(c.is_ascii_digit());
        if digits < DIGITS_MIN || !matches!(c, 'x' | 'X' | 'e' | 'E' | '#' | ';') {
            continue;
        }
        let (number, rest) = text.split_at_checked(at).unwrap_or((text, ""));
        let rest = rest.trim_start_matches(';').to_ascii_lowercase();
        if ["ext", "x", "#"].iter().any(|sign| rest.starts_with(sign)) {
            return number;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, country: &str) -> Option<String> {
        read_phone(text, CountryCode::parse(country).ok()).ok().map(String::from)
    }

    #[test]
    fn numbers_are_read_as_files_have_them() {
        for (text, country, number) in [
            ("+1 202 555 0123", "", Some("+12025550123")),
            ("tel:+1-202-555-0123", "", Some("+12025550123")),
            ("Mobile: +1 202 555 0123", "", Some("+12025550123")),
            ("+1 202 555 0123 (mobile)", "", Some("+12025550123")),
            ("+1 (202) 555-0123 ext. 45", "", Some("+12025550123")),
            ("+1 (202) 555-0123 x45", "", Some("+12025550123")),
            ("+1 202 555 0123;ext=45", "", Some("+12025550123")),
            ("(202) 555-0123", "", None),
            ("(202) 555-0123", "US", Some("+12025550123")),
            ("1 202 555 0123", "US", Some("+12025550123")),
            ("011 44 7700 900123", "US", Some("+447700900123")),
            ("07700 900123", "GB", Some("+447700900123")),
            ("0044 7700 900123", "DE", Some("+447700900123")),
            ("030 901820", "DE", Some("+4930901820")),
            ("06 698 12345", "IT", Some("+390669812345")),
            ("+44 (0)7700 900123", "", Some("+447700900123")),
            ("12", "US", None),
            ("", "US", None),
            ("call me", "US", None),
            ("+1 202 555 0123 or later", "", None),
        ] {
            assert_eq!(read(text, country).as_deref(), number, "{text} {country}");
        }
    }
}
