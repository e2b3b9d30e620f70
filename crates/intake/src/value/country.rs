//! Countries, as cells name them.

use std::fmt;

use assay_domain::country::find_country;

use crate::note::Reason;

/// ISO 3166-1 alpha-2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CountryCode(&'static str);

impl CountryCode {
    /// Reads a code of two or three letters or a name.
    pub fn parse(text: &str) -> Result<Self, Reason> {
        find_country(text)
            .map(|country| Self(country.code))
            .ok_or(Reason::Plain("is no known country: write its ISO code, such as DE, or its name"))
    }

    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// What numbers of the country begin with, after the plus sign.
    pub(crate) fn calling_code(self) -> &'static str {
        find_country(self.0).map_or("", |country| country.calling_code)
    }
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
}
