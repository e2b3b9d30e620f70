//! Dates, in every form that can be read without a guess, and in the one that the operator names.

use chrono::format::{Item, Parsed, StrftimeItems};
use chrono::{DateTime, Datelike, NaiveDate};

use crate::limits::{YEAR_MAX, YEAR_MIN};
use crate::note::Reason;
use crate::text::fold;

const UNREADABLE: Reason = Reason::Plain("is no date: write it as 2024-12-31");
const AMBIGUOUS: Reason = Reason::Plain("may be two dates: set date_format in the mapping");

/// The beginnings of the months' names in English, German, French and Spanish, folded.
const MONTHS: &[(&str, u32)] = &[
    ("jan", 1),
    ("ene", 1),
    ("feb", 2),
    ("fev", 2),
    ("mar", 3),
    ("mae", 3),
    ("apr", 4),
    ("avr", 4),
    ("abr", 4),
    ("may", 5),
    ("mai", 5),
    ("jun", 6),
    ("juin", 6),
    ("jul", 7),
    ("juil", 7),
    ("aug", 8),
    ("aou", 8),
    ("ago", 8),
    ("sep", 9),
    ("oct", 10),
    ("okt", 10),
    ("nov", 11),
    ("dec", 12),
    ("dez", 12),
    ("dic", 12),
];
const MONTH_CHARS_MAX: usize = 10;
/// Behind the number of a day.
const ORDINALS: &[&str] = &["st", "nd", "rd", "th", "er"];

/// What stands where the end of a job would be, as long as it lasts.
const STILL: &[&str] = &[
    "present",
    "presente",
    "current",
    "now",
    "today",
    "ongoing",
    "heute",
    "aktuell",
    "actuel",
    "actualidad",
];

/// Whether a text says that something has not ended.
pub(crate) fn is_still(text: &str) -> bool {
    let folded = fold(text);
    STILL.contains(&folded.as_str())
}

/// Whether a format can be used at all: chrono finds out only while it reads.
pub(crate) fn is_format(format: &str) -> bool {
    let mut has_field = false;
    let is_known = StrftimeItems::new(format).all(|item| {
        has_field |= matches!(item, Item::Numeric(..) | Item::Fixed(_));
        !matches!(item, Item::Error)
    });
    is_known && has_field
}

/// Reads a date. A month or a year alone means its first day.
pub(crate) fn read_date(text: &str, format: Option<&str>) -> Result<NaiveDate, Reason> {
    let by_format = format.and_then(|format| read_by_format(text, format));
    let date = match by_format {
        Some(date) => date,
        None => read_freely(text)?,
    };
    if (YEAR_MIN..=YEAR_MAX).contains(&date.year()) { Ok(date) } else { Err(UNREADABLE) }
}

fn read_by_format(text: &str, format: &str) -> Option<NaiveDate> {
    let mut parsed = Parsed::new();
    chrono::format::parse(&mut parsed, text, StrftimeItems::new(format)).ok()?;
    if parsed.day().is_none() && parsed.ordinal().is_none() && parsed.timestamp().is_none() {
        parsed.set_day(1).ok()?;
    }
    if parsed.month().is_none() && parsed.ordinal().is_none() && parsed.timestamp().is_none() {
        parsed.set_month(1).ok()?;
    }
    parsed.to_naive_date().ok().or_else(|| Some(parsed.to_datetime().ok()?.date_naive()))
}

fn read_freely(text: &str) -> Result<NaiveDate, Reason> {
    let text = strip_time(text);
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return read_digits(text);
    }
    if text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'/' | b'.')) {
        return read_numbers(text);
    }
    read_words(text)
}

/// Without the time of day behind a whole date.
fn strip_time(text: &str) -> &str {
    let is_time = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains(':');
    match text.split_once(['T', ' ']) {
        Some((date, rest)) if date.len() >= 8 && is_time(rest) => date,
        _ => text,
    }
}

/// `2020`, `202001`, `20200131`, and seconds since 1970 or thousandths, millionths and billionths of them.
fn read_digits(text: &str) -> Result<NaiveDate, Reason> {
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    match text.len() {
        4 => of(part(0, 4), "1", "1"),
        6 => of(part(0, 4), part(4, 6), "1"),
        8 => of(part(0, 4), part(4, 6), part(6, 8)),
        10 | 13 | 16 | 19 => {
            let seconds = part(0, 10).parse().ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
            seconds.map(|at| at.date_naive()).ok_or(UNREADABLE)
        }
        _ => Err(UNREADABLE),
    }
}

/// Numbers with signs between them. Which of two is the day is known only where the other one cannot be a month, or
/// where dots say that it is the first.
fn read_numbers(text: &str) -> Result<NaiveDate, Reason> {
    let parts: Vec<&str> = text.split(['-', '/', '.']).collect();
    match parts.as_slice() {
        // As a table writes a whole number.
        [year, "0"] if year.len() == 4 && text.contains('.') => of(year, "1", "1"),
        [year, month] if year.len() == 4 => of(year, month, "1"),
        [month, year] if year.len() == 4 => of(year, month, "1"),
        [year, month, day] if year.len() == 4 => of(year, month, day),
        [day, month, year] if year.len() == 4 && text.contains('.') => of(year, month, day),
        [one, two, year] if year.len() == 4 => match (of(year, one, two), of(year, two, one)) {
            (Ok(date), Ok(other)) if date != other => Err(AMBIGUOUS),
            (Ok(date), _) | (_, Ok(date)) => Ok(date),
            _ => Err(UNREADABLE),
        },
        [_, _, _] => Err(AMBIGUOUS),
        _ => Err(UNREADABLE),
    }
}

/// `Jan 2020`, `15. März 2020`, `January 15th, 2020`.
fn read_words(text: &str) -> Result<NaiveDate, Reason> {
    let mut month = None;
    let mut numbers = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty() && *word != "de") {
        let digits = ORDINALS.iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
        if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            numbers.push(digits);
        } else if month.is_none() {
            month = Some(month_of(word).ok_or(UNREADABLE)?.to_string());
        } else {
            return Err(UNREADABLE);
        }
    }
    let month = month.ok_or(UNREADABLE)?;
    match numbers.as_slice() {
        [year] if year.len() == 4 => of(year, &month, "1"),
        [day, year] | [year, day] if year.len() == 4 && day.len() <= 2 => of(year, &month, day),
        _ => Err(UNREADABLE),
    }
}

fn month_of(word: &str) -> Option<u32> {
    let folded = fold(word);
    let found = MONTHS.iter().find(|(beginning, _)| folded.starts_with(beginning));
    found.filter(|_| folded.len() <= MONTH_CHARS_MAX).map(|(_, month)| *month)
}

fn of(year: &str, month: &str, day: &str) -> Result<NaiveDate, Reason> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|_| text.len() <= 4);
    let date = || {
        let year = i32::try_from(number(year)?).ok()?;
        NaiveDate::from_ymd_opt(year, number(month)?, number(day)?)
    };
    date().ok_or(UNREADABLE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Option<String> {
        read_date(text, None).ok().map(|date| date.to_string())
    }

    #[test]
    fn dates_that_can_mean_one_day_only_are_read() {
        for (text, date) in [
            ("2020-01-31", "2020-01-31"),
            ("2020/1/31", "2020-01-31"),
            ("20200131", "2020-01-31"),
            ("2020-01", "2020-01-01"),
            ("2020", "2020-01-01"),
            ("2020.0", "2020-01-01"),
            ("03/2020", "2020-03-01"),
            ("31.01.2020", "2020-01-31"),
            ("3.4.2020", "2020-04-03"),
            ("31/01/2020", "2020-01-31"),
            ("01/31/2020", "2020-01-31"),
            ("04/04/2020", "2020-04-04"),
            ("2020-01-31T23:59:59Z", "2020-01-31"),
            ("2020-01-31 23:59:59.123+02:00", "2020-01-31"),
            ("Jan 2020", "2020-01-01"),
            ("January 2020", "2020-01-01"),
            ("15 Jan 2020", "2020-01-15"),
            ("Jan 15, 2020", "2020-01-15"),
            ("January 1st, 2020", "2020-01-01"),
            ("August 2020", "2020-08-01"),
            ("15. März 2020", "2020-03-15"),
            ("Mai 2020", "2020-05-01"),
            ("1er août 2020", "2020-08-01"),
            ("juin 2020", "2020-06-01"),
            ("juillet 2020", "2020-07-01"),
            ("2 de enero de 2020", "2020-01-02"),
            ("1580428800", "2020-01-31"),
            ("1580428800000", "2020-01-31"),
            ("1580428800000000000", "2020-01-31"),
        ] {
            assert_eq!(read(text).as_deref(), Some(date), "{text}");
        }
    }

    #[test]
    fn dates_that_may_be_two_are_left_to_the_operator() {
        assert_eq!(read_date("03/04/2020", None), Err(AMBIGUOUS));
        assert_eq!(read_date("03/04/20", None), Err(AMBIGUOUS));
        let of = |text, format| read_date(text, Some(format)).unwrap().to_string();
        assert_eq!(of("03/04/2020", "%d/%m/%Y"), "2020-04-03");
        assert_eq!(of("03/04/2020", "%m/%d/%Y"), "2020-03-04");
        assert_eq!(of("03/04/20", "%d/%m/%y"), "2020-04-03");
        assert_eq!(of("04/20", "%m/%y"), "2020-04-01");
        assert_eq!(of("03/04/2020 10:30", "%d/%m/%Y %H:%M"), "2020-04-03");
        assert_eq!(of("2020-04-03", "%d/%m/%Y"), "2020-04-03", "what is certain is read all the same");
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "soon",
            "2020-13-01",
            "2020-02-30",
            "31",
            "1/2",
            "0000-01-01",
            "1066-10-14",
            "Marketing 2020 x",
            "99999",
        ] {
            assert!(read(text).is_none(), "{text}");
        }
        assert!(is_still("Present") && is_still("heute") && !is_still("2020"));
    }

    #[test]
    fn a_format_must_be_one() {
        assert!(is_format("%d/%m/%Y") && is_format("%b %Y"));
        assert!(!is_format("") && !is_format("dd/mm/yyyy") && !is_format("%Q"));
    }

    proptest! {
        #[test]
        fn every_day_is_read_back(days in 0_i32..73_000, text in "\\PC{0,20}") {
            let day = NaiveDate::from_ymd_opt(1900, 1, 1).unwrap() + chrono::Days::new(u64::try_from(days).unwrap());
            prop_assert_eq!(read_date(&day.to_string(), None), Ok(day));
            prop_assert_eq!(read_date(&day.format("%d.%m.%Y").to_string(), None), Ok(day));
            prop_assert_eq!(read_date(&day.format("%e %B %Y").to_string(), None), Ok(day));
            // Any other text is read or refused.
            read_date(&text, Some("%d/%m/%Y")).ok();
        }
    }
}
