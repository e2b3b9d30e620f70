//! Countries, by their codes and by their names in four languages.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use crate::note::Reason;
use crate::text::fold;

/// ISO 3166-1 alpha-2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CountryCode(&'static str);

struct Country {
    code: CountryCode,
    calling_code: &'static str,
}

static COUNTRIES: LazyLock<HashMap<String, Country>> = LazyLock::new(|| {
    let lines = include_str!("../../data/countries.txt").lines().filter(|line| !line.starts_with('#'));
    let mut found = HashMap::new();
    for line in lines {
        let mut parts = line.split('|');
        let (Some(alpha2), Some(alpha3), Some(calling_code)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        for name in [alpha2, alpha3].into_iter().chain(parts) {
            found.insert(fold(name), Country { code: CountryCode(alpha2), calling_code });
        }
    }
    found
});

impl CountryCode {
    /// Reads a code of two or three letters or a name.
    pub fn parse(text: &str) -> Result<Self, Reason> {
        find(text)
            .map(|country| country.code)
            .ok_or(Reason::Plain("is no known country: write its ISO code, such as DE, or its name"))
    }

    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// What numbers of the country begin with, after the plus sign.
    pub(crate) fn calling_code(self) -> &'static str {
        find(self.0).map_or("", |country| country.calling_code)
    }
}

fn find(text: &str) -> Option<&'static Country> {
    COUNTRIES.get(&fold(text))
}

impl fmt::Display for CountryCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_country_is_known_by_codes_and_names() {
        for (text, code) in [
            ("DE", "DE"),
            ("de", "DE"),
            ("DEU", "DE"),
            ("Germany", "DE"),
            ("DEUTSCHLAND", "DE"),
            ("Allemagne", "DE"),
            ("Alemania", "DE"),
            ("U.S.A.", "US"),
            ("United States of America", "US"),
            ("États-Unis", "US"),
            ("the netherlands", "NL"),
            ("UK", "GB"),
            ("NA", "NA"),
            ("Côte d'Ivoire", "CI"),
            ("Österreich", "AT"),
            ("Oesterreich", "AT"),
            ("España", "ES"),
            ("South Korea", "KR"),
            ("Trinidad & Tobago", "TT"),
        ] {
            assert_eq!(CountryCode::parse(text).unwrap().as_str(), code, "{text}");
        }
        for text in ["", "XX", "Atlantis", "Bavaria", "Europe", "1"] {
            assert!(CountryCode::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_table_is_whole_and_no_name_means_two_countries() {
        let lines = include_str!("../../data/countries.txt").lines().filter(|line| !line.starts_with('#'));
        let mut owners: HashMap<String, &str> = HashMap::new();
        for line in lines {
            let parts: Vec<&str> = line.split('|').collect();
            assert!(parts.len() >= 4 && parts[0].len() == 2 && parts[1].len() == 3, "{line}");
            assert!(parts[2].bytes().all(|byte| byte.is_ascii_digit()), "{line}");
            for name in parts.iter().enumerate().filter(|(at, _)| *at != 2).map(|(_, name)| name) {
                let other = owners.insert(fold(name), parts[0]);
                assert!(other.is_none_or(|other| other == parts[0]), "{name} is in {line} and {other:?}");
            }
        }
        assert_eq!(CountryCode::parse("AT").unwrap().calling_code(), "43");
    }
}
