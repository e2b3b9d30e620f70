//! Head counts and years.

use assay_domain::taxonomy::SizeBand;

use crate::limits::{FOUNDED_YEAR_MIN, YEAR_MAX};
use crate::note::Reason;

/// How many people work for a company, as exactly as the file says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadCount {
    pub least: u32,
    /// None is without end, as of `10001+`.
    pub most: Option<u32>,
}

impl HeadCount {
    pub fn is_exact(self) -> bool {
        self.most == Some(self.least)
    }

    /// The band of the lower end, which is the band of all of it where a file uses the usual ones.
    pub fn band(self) -> Option<SizeBand> {
        SizeBand::of_count(self.least)
    }

    /// Reads `1,200`, `1.200`, `1200.0`, `51-200`, `51 to 200`, `10,001+`, `> 500`, `5k`, each also with words behind.
    pub(crate) fn parse(text: &str) -> Result<Self, Reason> {
        Self::read(text).ok_or(Reason::Plain("is no number of employees: write 120 or 51-200"))
    }

    fn read(text: &str) -> Option<Self> {
        let lower = text.to_lowercase();
        let words_off = ["employees", "employee", "people", "mitarbeiter", "salariés", "empleados", "staff"]
            .iter()
            .fold(lower.as_str(), |rest, word| rest.trim().trim_end_matches(word));
        let body = words_off.trim().trim_start_matches(['~', '≈']).trim();
        if let Some(floor) = body.strip_suffix('+').or_else(|| body.strip_prefix('>')) {
            return Some(Self { least: read_count(floor)?, most: None });
        }
        for separator in [" to ", " bis ", " à ", "-", "–", "—", ".."] {
            if let Some((least, most)) = body.split_once(separator) {
                let (least, most) = (read_count(least)?, read_count(most)?);
                return (least <= most).then_some(Self { least, most: Some(most) });
            }
        }
        read_count(body).map(|count| Self { least: count, most: Some(count) })
    }
}

/// A whole number, its thousands told apart in any of the usual ways.
fn read_count(text: &str) -> Option<u32> {
    let text = text.trim();
    if let Some(thousands) = text.strip_suffix('k') {
        return read_thousands(thousands.trim());
    }
    let is_grouping = |c: char| matches!(c, ',' | '.' | '\'' | '’' | '_') || c.is_whitespace();
    let mut groups = text.split(is_grouping);
    let first = groups.next()?;
    let mut digits = first.to_owned();
    let rest: Vec<&str> = groups.collect();
    let is_grouped = first.len() <= 3 && rest.iter().all(|group| group.len() == 3);
    match rest.as_slice() {
        [] => {}
        // What tables call a whole number: 1200.0.
        [zeros] if !is_grouped && !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') => {}
        groups if is_grouped => digits.extend(groups.iter().copied()),
        _ => return None,
    }
    parse_digits(&digits)
}

/// `5` or `1.5` before the k.
fn read_thousands(text: &str) -> Option<u32> {
    let (whole, part) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let tenths = if part.is_empty() { 0 } else { parse_digits(part).filter(|_| part.len() == 1)? };
    parse_digits(whole)?.checked_mul(1_000)?.checked_add(tenths * 100)
}

fn parse_digits(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// A year, also as the first thing of a date or as a table writes whole numbers.
pub(crate) fn read_founded_year(text: &str) -> Result<i32, Reason> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    let rest = text.get(digits.len()..).unwrap_or_default();
    let is_year = (3..=4).contains(&digits.len()) && (rest.is_empty() || rest.starts_with(['-', '/', '.']));
    let year = digits.parse().ok().filter(|year| is_year && (FOUNDED_YEAR_MIN..=YEAR_MAX).contains(year));
    year.ok_or(Reason::Plain("is no year: write it with four digits"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn head_counts_are_read_in_all_their_spellings() {
        for (text, least, most) in [
            ("0", 0, Some(0)),
            ("1200", 1_200, Some(1_200)),
            ("1,200", 1_200, Some(1_200)),
            ("1.200", 1_200, Some(1_200)),
            ("1 200", 1_200, Some(1_200)),
            ("1\u{202f}200", 1_200, Some(1_200)),
            ("1'200'000", 1_200_000, Some(1_200_000)),
            ("1200.0", 1_200, Some(1_200)),
            ("12.0", 12, Some(12)),
            ("51-200", 51, Some(200)),
            ("51 – 200 employees", 51, Some(200)),
            ("1,001 to 5,000", 1_001, Some(5_000)),
            ("10,001+", 10_001, None),
            ("10001+ employees", 10_001, None),
            (">500", 500, None),
            ("5k", 5_000, Some(5_000)),
            ("1.5K", 1_500, Some(1_500)),
            ("1k-5k", 1_000, Some(5_000)),
            ("~ 300", 300, Some(300)),
            ("250 Mitarbeiter", 250, Some(250)),
        ] {
            assert_eq!(HeadCount::parse(text), Ok(HeadCount { least, most }), "{text}");
        }
        for text in ["", "many", "12,34", "200-51", "-5", "1.25k", "99999999999", "1e5", "5 or so", "1,2,3"] {
            assert!(HeadCount::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_band_of_the_taxonomy_is_its_own_band() {
        for band in SizeBand::ALL {
            let count = HeadCount::parse(band.as_str()).unwrap();
            assert_eq!(count.band(), Some(*band));
            assert!(!count.is_exact());
        }
        assert!(HeadCount::parse("7").unwrap().is_exact());
    }

    #[test]
    fn years_are_read_out_of_dates_too() {
        for (text, year) in [("2004", 2004), ("2004.0", 2004), ("2004-05-01", 2004), ("578", 578)] {
            assert_eq!(read_founded_year(text), Ok(year), "{text}");
        }
        for text in ["", "04", "20045", "5.1.2004", "2004 AD", "3000", "year 2004"] {
            assert!(read_founded_year(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_count_is_read_back(count: u32) {
            let exact = Ok(HeadCount { least: count, most: Some(count) });
            prop_assert_eq!(HeadCount::parse(&count.to_string()), exact.clone());
            let digits: Vec<u8> = count.to_string().bytes().rev().collect();
            let grouped: Vec<u8> = digits.chunks(3).collect::<Vec<_>>().join(&b',').into_iter().rev().collect();
            prop_assert_eq!(HeadCount::parse(&String::from_utf8(grouped).unwrap()), exact);
        }
    }
}
